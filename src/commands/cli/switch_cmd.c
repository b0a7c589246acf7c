/* src/commands/cli/switch_cmd.c - `weir switch`: makes a switch of this machine by programs in its kernel. */
#include "cli/cli.h"
#include "cli/setting.h"
#include "cli/switch_plan.h"
#include "cli/warnings.h"
#include "param/suggest.h"
#include "text/options.h"
#include <stdlib.h>
#include <string.h>

enum { VERBS = 4 };
static const char *const verbs[VERBS] = { "start", "status", "stop", "clean" };

struct args { /* large, so on the heap */
    const char *verb, *file, *engine;
    struct weir_override *set; /* set_count overrides, in the order given; owned */
    uint32_t set_count;
    bool json, help;
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
    { .name = "--engine", .value = "kernel", .offset = (uint32_t)offsetof(struct args, engine) },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--json", .offset = (uint32_t)offsetof(struct args, json) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { 0 },
};

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
    if (strcmp(args->verb, "start") != 0 && (args->engine != NULL || args->set_count > 0))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "switch %s: --engine and --set are for start", args->verb);
    if (args->json && strcmp(args->verb, "status") != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "switch %s: --json is for status", args->verb);
    if (args->engine != NULL && strcmp(args->engine, "kernel") != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "--engine kernel", "--engine %.80s: no such engine", args->engine);
    return 0;
}

static int start(struct args *args, struct weir_err *err)
{
    int code = weir_scenario_load(&args->scn, args->file, args->set, args->set_count, err);
    if (code != 0)
        return code;
    weir_cli_warnings(&args->scn);
    code = weir_setup_fabric(&args->setup, &args->scn, err);
    if (code == 0) {
        code = weir_switch_plan(&args->sw, &args->setup, err);
        weir_setup_free(&args->setup);
    }
    weir_scenario_free(&args->scn);
    if (code == 0)
        code = weir_kernel_switch_start(&args->sw, err);
    if (code != 0)
        return code;
    (void)printf("a switch of %u ports runs in the kernel: ", args->sw.keys.port_count);
    weir_switch_print_features(stdout, &args->sw.keys);
    return 0;
}

static int carry_out(struct args *args, struct weir_err *err)
{
    uint32_t count = 0;
    int code;
    WEIR_ASSERT(args->verb != NULL);
    if (strcmp(args->verb, "start") == 0)
        return start(args, err);
    if (strcmp(args->verb, "status") == 0) {
        code = weir_kernel_switch_status(&args->status, err);
        if (code == 0)
            (args->json ? weir_switch_print_json : weir_switch_print)(stdout, &args->status);
        return code;
    }
    if (strcmp(args->verb, "stop") == 0) {
        code = weir_kernel_switch_stop(&count, err);
        if (code == 0)
            (void)printf("the switch of %u ports has ended\n", count);
        return code;
    }
    code = weir_kernel_switch_clean(&count, err);
    if (code == 0)
        (void)printf(count > 0 ? "what was left of a switch is removed\n" : "nothing was left of a switch\n");
    return code;
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
