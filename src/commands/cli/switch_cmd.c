/* src/commands/cli/switch_cmd.c - `weir switch`: makes a switch of this machine, by programs in its kernel or by a
 * process. */
#include "cli/cli.h"
#include "cli/setting.h"
#include "cli/switch_hosts.h"
#include "cli/switch_plan.h"
#include "cli/warnings.h"
#include "param/suggest.h"
#include "soft/process.h"
#include "text/background.h"
#include "text/options.h"
#include <stdlib.h>
#include <string.h>

enum { VERBS = 4 };
static const char *const verbs[VERBS] = { "start", "status", "stop", "clean" };

struct args { /* large, so on the heap */
    const char *verb, *file, *engine, *pcap;
    struct weir_override *set; /* set_count overrides, in the order given; owned */
    uint32_t set_count;
    bool json, help, foreground;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_kernel_switch sw;
    struct weir_kernel_status status;
};

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct args *args = ctx;
    int code = weir_setting_check(value, "for example --set fabric.port_buffer=1MB", err);
    if (code == 0)
        args->set[args->set_count++].text = value;
    return code;
}

static int take_argument(void *ctx, const char *argument, struct weir_err *err)
{
    struct args *args = ctx;
    struct weir_suggest near;
    char hint[256];
    if (args->verb != NULL && strcmp(args->verb, "start") == 0 && args->file == NULL) {
        args->file = argument;
        return 0;
    }
    if (args->verb != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir switch --help shows how it is called",
                         "switch: %.80s: one argument too many", argument);
    weir_suggest_init(&near, argument);
    for (int i = 0; i < VERBS; i++) {
        weir_suggest_add(&near, verbs[i]);
        if (strcmp(argument, verbs[i]) == 0)
            args->verb = verbs[i];
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return args->verb != NULL ? 0 : weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "switch: what is '%.80s'?", argument);
}

static const struct weir_option options[] = {
    { .name = "--engine", .value = "kernel|user", .offset = (uint32_t)offsetof(struct args, engine) },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--pcap", .value = "FILE", .offset = (uint32_t)offsetof(struct args, pcap) },
    { .name = "--foreground", .offset = (uint32_t)offsetof(struct args, foreground) },
    { .name = "--json", .offset = (uint32_t)offsetof(struct args, json) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { 0 },
};

static bool is_user(const struct args *args)
{
    return args->engine != NULL && strcmp(args->engine, "user") == 0;
}

/* Refuses options that do not go with the verb, or with the engine. */
static int check(const struct args *args, struct weir_err *err)
{
    bool starts = strcmp(args->verb, "start") == 0;
    if (!starts && (args->engine != NULL || args->set_count > 0 || args->pcap != NULL || args->foreground))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL,
                         "switch %s: --engine, --set, --pcap and --foreground are for start", args->verb);
    if (args->json && strcmp(args->verb, "status") != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "switch %s: --json is for status", args->verb);
    if (args->engine != NULL && !is_user(args) && strcmp(args->engine, "kernel") != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "--engine kernel or --engine user",
                         "--engine %.80s: no such engine", args->engine);
    if ((args->pcap != NULL || args->foreground) && !is_user(args))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--engine user",
                         "switch start: --pcap and --foreground are for a switch in user space");
    return 0;
}

static int parse(struct args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "switch",
                                                  .option = { options },
                                                  .argument = take_argument };
    int code;
    args->set = calloc((size_t)argc + 1, sizeof(*args->set));
    if (args->set == NULL)
        return weir_fail_memory(err);
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->help)
        return code;
    if (args->verb == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir switch start FILE, then status, and stop",
                         "switch: start, status, stop or clean?");
    if (strcmp(args->verb, "start") == 0 && args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir switch start FILE", "switch start: which scenario?");
    return check(args, err);
}

static int start_kernel(struct args *args, struct weir_err *err)
{
    int code = weir_switch_plan(&args->sw, &args->setup, err);
    if (code == 0)
        code = weir_kernel_switch_start(&args->sw, err);
    if (code != 0)
        return code;
    (void)printf("a switch of %u ports runs in the kernel: ", args->sw.keys.port_count);
    weir_switch_print_features(stdout, &args->sw.keys);
    return 0;
}

/* Makes a plan of the section `switch`, and starts the process. deployed, at: one per host */
static int start_process(struct args *args, struct weir_deployed *deployed, struct weir_soft_host_at *at,
                         struct weir_err *err)
{
    struct weir_soft_plan plan = { .setup = &args->setup,
                                   .capture = args->pcap,
                                   .udp_port = args->scn.deployed_config.udp_port & UINT16_MAX,
                                   .foreground = args->foreground };
    int process, code = 0;
    if (args->scn.deployed != NULL) {
        code = weir_deployed_read(deployed, &args->setup, err);
        for (uint32_t h = 0; h < args->setup.topo.host_count && code == 0; h++) {
            at[h] = (struct weir_soft_host_at){ .device = deployed[h].device, .address.version = deployed[h].version };
            memcpy(at[h].address.bytes, deployed[h].address, sizeof(at[h].address.bytes));
        }
        plan.at = at;
    }
    if (code == 0)
        code = weir_soft_start(&plan, &process, err);
    if (code != 0 || args->foreground)
        return code;
    (void)printf("a switch of %u hosts runs in process %d\n", args->setup.topo.host_count, process);
    if (plan.at == NULL)
        (void)printf("hosts are namespaces: ip netns exec weir-h0 ping 10.77.0.2\n");
    return 0;
}

static int start_user(struct args *args, struct weir_err *err)
{
    struct weir_deployed *deployed = calloc(args->setup.topo.host_count, sizeof(*deployed));
    struct weir_soft_host_at *at = calloc(args->setup.topo.host_count, sizeof(*at));
    int code = deployed != NULL && at != NULL ? start_process(args, deployed, at, err) : weir_fail_memory(err);
    free(deployed);
    free(at);
    return code;
}

static int start(struct args *args, struct weir_err *err)
{
    int code = weir_scenario_load(&args->scn, args->file, args->set, args->set_count, err);
    if (code != 0)
        return code;
    weir_cli_warnings(&args->scn);
    code = weir_setup_fabric(&args->setup, &args->scn, err);
    if (code == 0) {
        code = is_user(args) ? start_user(args, err) : start_kernel(args, err);
        weir_setup_free(&args->setup);
    }
    weir_scenario_free(&args->scn);
    return code;
}

static int show(struct args *args, struct weir_err *err)
{
    int process, code;
    if (weir_soft_runs())
        return weir_soft_ask(args->json, stdout, &process, err);
    code = weir_kernel_switch_status(&args->status, err);
    if (code == 0)
        (args->json ? weir_switch_print_json : weir_switch_print)(stdout, &args->status);
    return code;
}

static int stop(struct weir_err *err)
{
    uint32_t count = 0;
    int process, code;
    if (weir_soft_runs()) {
        code = weir_soft_ask(false, stdout, &process, err);
        if (code == 0)
            weir_background_end(process);
        return code;
    }
    code = weir_kernel_switch_stop(&count, err);
    if (code == 0)
        (void)printf("the switch of %u ports has ended\n", count);
    return code;
}

/* Removes what is left of both engines. A kernel in which no switch can be has none left. */
static int clean(struct weir_err *err)
{
    uint32_t in_kernel = 0, removed = weir_soft_clean();
    int code = weir_kernel_switch_clean(&in_kernel, err);
    if (code == 0 || removed > 0)
        (void)printf(removed + in_kernel > 0 ? "what was left of a switch is removed\n"
                                             : "nothing was left of a switch\n");
    return removed > 0 ? 0 : code;
}

static int carry_out(struct args *args, struct weir_err *err)
{
    WEIR_ASSERT(args->verb != NULL);
    if (strcmp(args->verb, "start") == 0)
        return start(args, err);
    if (strcmp(args->verb, "status") == 0)
        return show(args, err);
    return strcmp(args->verb, "stop") == 0 ? stop(err) : clean(err);
}

int weir_cli_switch(int argc, char **argv)
{
    struct args *args = calloc(1, sizeof(*args));
    struct weir_err err;
    int status;
    if (args == NULL) {
        (void)weir_fail_memory(&err);
        return weir_cli_refused(&err);
    }
    if (parse(args, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else if (args->help)
        status = weir_cli_show_usage("switch");
    else
        status = carry_out(args, &err) != 0 ? weir_cli_refused(&err) : weir_cli_finish(WEIR_EXIT_DONE);
    free(args->set);
    free(args);
    return status;
}
