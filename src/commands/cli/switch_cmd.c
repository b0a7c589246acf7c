/* src/commands/cli/switch_cmd.c - `weir switch`: makes a switch of this machine, by programs in its kernel or by a
 * process. */
#include "cli/cli.h"
#include "cli/setting.h"
#include "cli/switch_plan.h"
#include "cli/warnings.h"
#include "param/suggest.h"
#include "soft/control.h"
#include "soft/home.h"
#include "soft/process.h"
#include "soft/report.h"
#include "text/background.h"
#include "text/options.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VERBS = 4 };
static const char *const verbs[VERBS] = { "start", "status", "stop", "clean" };

struct args { /* large, so on the heap */
    const char *verb, *file, *engine, *pcap;
    struct weir_override *set; /* set_count overrides, in the order given; owned */
    uint32_t set_count, snaplen;
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
    { .name = "--foreground", .offset = (uint32_t)offsetof(struct args, foreground) },
    { .name = "--pcap", .value = "FILE.pcapng", .offset = (uint32_t)offsetof(struct args, pcap) },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--json", .offset = (uint32_t)offsetof(struct args, json) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct args, help), .last = true },
    { 0 },
};

static const struct weir_param params[] = {
    WEIR_PARAM_NAMED("--snaplen", struct args, snaplen, WEIR_KIND_U32, 64, 65535, 0,
                     "bytes of each frame that a capture has"),
    { .key = NULL },
};

static bool in_user_space(const struct args *args)
{
    return args->engine != NULL && strcmp(args->engine, "user") == 0;
}

static int check_engine(const struct args *args, struct weir_err *err)
{
    if (args->engine != NULL && strcmp(args->engine, "kernel") != 0 && strcmp(args->engine, "user") != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "--engine kernel, or user", "--engine %.80s: no such engine",
                         args->engine);
    if (args->snaplen != 0 && args->pcap == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--pcap FILE.pcapng writes a capture",
                         "switch %s: --snaplen is for a capture, and there is no --pcap", args->verb);
    if ((args->foreground || args->pcap != NULL) && !in_user_space(args))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch start FILE --engine user",
                         "switch %s: %s is for start with --engine user", args->verb,
                         args->foreground ? "--foreground" : "--pcap");
    return 0;
}

static int parse(struct args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "switch", .option = { options }, .param = { params }, .argument = take_argument
    };
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
    return check_engine(args, err);
}

static int load(struct args *args, struct weir_err *err)
{
    int code = weir_scenario_load(&args->scn, args->file, args->set, args->set_count, err);
    if (code != 0)
        return code;
    weir_cli_warnings(&args->scn);
    code = weir_setup_fabric(&args->setup, &args->scn, err);
    if (code != 0)
        weir_scenario_free(&args->scn);
    return code;
}

static void unload(struct args *args)
{
    weir_setup_free(&args->setup);
    weir_scenario_free(&args->scn);
}

/* ---- the kernel ---- */

static int start_kernel(struct args *args, struct weir_err *err)
{
    int code;
    if (weir_soft_runs())
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it", "a switch is running here already");
    code = load(args, err);
    if (code != 0)
        return code;
    code = weir_switch_plan(&args->sw, &args->setup, err);
    unload(args);
    if (code == 0)
        code = weir_kernel_switch_start(&args->sw, err);
    if (code != 0)
        return code;
    (void)printf("a switch of %u ports runs in the kernel: ", args->sw.keys.port_count);
    weir_switch_print_features(stdout, &args->sw.keys);
    return 0;
}

/* ---- a process ---- */

struct starting {
    const struct args *args;
    int waiter; /* a pipe: a byte in it says that the switch runs; -1 = nobody waits */
};

/* Prints a line once the switch runs, and in the background leaves. */
static void on_ready(void *ctx)
{
    const struct starting *s = ctx;
    const struct weir_topology *topo = &s->args->setup.topo;
    (void)printf("a switch of %u hosts runs in user space, process %d: ", topo->host_count, (int)getpid());
    weir_soft_print_features(stdout, &s->args->setup);
    (void)fflush(stdout);
    if (s->waiter < 0)
        return;
    weir_background_leave();
    if (write(s->waiter, "", 1) != 1) { /* nobody waits any more */
    }
    (void)close(s->waiter);
}

/* Runs the switch from its start to its end. @return exit status */
static int be_switch(struct args *args, int waiter)
{
    struct starting starting = { .args = args, .waiter = waiter };
    const struct weir_soft_process process = {
        .setup = &args->setup, .pcap = args->pcap, .snaplen = args->snaplen, .ready = on_ready, .ctx = &starting
    };
    struct weir_err err;
    struct weir_kernel_status *kernel = &args->status;
    int code = load(args, &err);
    if (code == 0) {
        code =
            weir_kernel_switch_status(kernel, &err) == 0
                ? weir_fail(&err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it", "a switch is running here already")
                : weir_soft_process(&process, stdout, &err);
        unload(args);
    }
    return code != 0 ? weir_cli_refused(&err) : weir_cli_finish(WEIR_EXIT_DONE);
}

/* Starts the switch in the background, and waits until it runs or was refused. @return exit status */
static int start_user(struct args *args)
{
    struct weir_err err;
    int pipes[2], status = 0;
    char ready = 0;
    pid_t child;
    weir_background_begin();
    if (args->foreground)
        return be_switch(args, -1);
    child = pipe(pipes) == 0 ? fork() : -1;
    if (child == 0) {
        (void)close(pipes[0]);
        _exit(be_switch(args, pipes[1]));
    }
    if (child < 0) {
        (void)weir_fail(&err, WEIR_E_RUN, NULL, NULL, "switch: no process: %s", strerror(errno));
        return weir_cli_refused(&err);
    }
    (void)close(pipes[1]);
    if (read(pipes[0], &ready, 1) == 1)
        return WEIR_EXIT_DONE;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : WEIR_EXIT_FAILURE;
}

/* ---- either ---- */

static int print_status(struct args *args, struct weir_err *err)
{
    int code;
    if (weir_soft_runs())
        return weir_soft_ask(args->json ? WEIR_SOFT_JSON : WEIR_SOFT_STATUS, stdout, err);
    code = weir_kernel_switch_status(&args->status, err);
    if (code == 0)
        (args->json ? weir_switch_print_json : weir_switch_print)(stdout, &args->status);
    return code;
}

static int stop(struct weir_err *err)
{
    uint32_t count = 0;
    int code;
    if (weir_soft_runs())
        return weir_soft_ask(WEIR_SOFT_STOP, stdout, err);
    code = weir_kernel_switch_stop(&count, err);
    if (code == 0)
        (void)printf("the switch of %u ports has ended\n", count);
    return code;
}

static int clean(struct weir_err *err)
{
    uint32_t count = 0, of_processes = 0;
    int code;
    if (weir_soft_runs()) {
        code = weir_soft_ask(WEIR_SOFT_STOP, stdout, err);
        if (code != 0)
            return code;
    }
    code = weir_soft_home_clean(&of_processes, err);
    if (code == 0)
        code = weir_kernel_switch_clean(&count, err);
    if (code == 0)
        (void)printf(count + of_processes > 0 ? "what was left of a switch is removed\n"
                                              : "nothing was left of a switch\n");
    return code;
}

static int carry_out(struct args *args, struct weir_err *err)
{
    WEIR_ASSERT(args->verb != NULL);
    if (strcmp(args->verb, "start") == 0)
        return start_kernel(args, err);
    if (strcmp(args->verb, "status") == 0)
        return print_status(args, err);
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
    else if (args->file != NULL && in_user_space(args))
        status = start_user(args);
    else
        status = carry_out(args, &err) != 0 ? weir_cli_refused(&err) : weir_cli_finish(WEIR_EXIT_DONE);
    free(args->set);
    free(args);
    return status;
}
