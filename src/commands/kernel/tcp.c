/* src/commands/kernel/tcp.c - `weir tcp`: its verbs and their options. */
#include "kernel/tcp.h"
#include "bpf/law_replay.h"
#include "core/units.h"
#include "kernel/tools.h"
#include "param/suggest.h"
#include "text/format.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/print.h"
#include "text/stop.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tcp_args {
    const char *verb;
    struct weir_law_options law;
    const char *csv;
    uint64_t for_ps; /* how long to replay */
    bool json, help;
};

#define FIELD(field) (uint32_t) offsetof(struct tcp_args, field)

static const struct weir_option tcp_options[] = {
    { .name = "--netns", .value = "the name of a network namespace", .offset = FIELD(law.netns) },
    { .name = "--cgroup", .value = "a folder of cgroup v2", .offset = FIELD(law.cgroup) },
    { .name = "--by-rtt", .offset = FIELD(law.by_rtt) },
    { .name = "--csv", .value = "the name of a file", .offset = FIELD(csv) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--record", .offset = FIELD(law.record) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const struct weir_param tcp_params[] = {
    WEIR_PARAM_NAMED("--port", struct tcp_args, law.port_bps, WEIR_KIND_RATE, 1000000, WEIR_RATE_MAX_BPS, 0,
                     "rate of the slowest port"),
    WEIR_PARAM_NAMED("--for", struct tcp_args, for_ps, WEIR_KIND_TIME, WEIR_PS_PER_MS, 3600 * WEIR_PS_PER_S,
                     WEIR_PS_PER_S, "how long to replay"),
    { 0 },
};

static int take_law(void *ctx, const char *argument, struct weir_err *err)
{
    struct tcp_args *args = ctx;
    if (args->law.text != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "a law and its keys are one argument: 'soze m=0.25'",
                         "tcp %s: %.80s: what is it?", args->verb, argument);
    args->law.text = argument;
    return 0;
}

static int load(const struct tcp_args *args)
{
    struct weir_law_loaded loaded;
    struct weir_err err;
    if (weir_law_load(&args->law, &loaded, &err) != 0)
        return weir_cli_refused(&err);
    weir_tcp_print_loaded(&loaded, &args->law);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

enum { LAWS_MAX = 16 };

/* Reads the state of one law, or of all that are loaded. @return 0, or a code with err */
static int read_status(const char *only, struct weir_law_loaded loaded[LAWS_MAX], uint32_t *seen, struct weir_err *err)
{
    *seen = only != NULL;
    if (only != NULL)
        return weir_law_status(only, &loaded[0], err);
    for (size_t i = 0; weir_law_at(i) != NULL && *seen < LAWS_MAX; i++) {
        int code = weir_law_status(weir_law_at(i), &loaded[*seen], err);
        if (code != 0 && code != WEIR_E_UNKNOWN)
            return code;
        *seen += code == 0;
    }
    return 0;
}

/* Prints one law, or all that are loaded. */
static int status(const struct tcp_args *args)
{
    struct weir_law_loaded loaded[LAWS_MAX];
    struct weir_err err;
    uint32_t seen;
    if (weir_law_possible(&err) != 0 || read_status(args->law.text, loaded, &seen, &err) != 0)
        return weir_cli_refused(&err);
    if (args->json)
        weir_tcp_print_json(stdout, loaded, seen);
    else if (seen == 0)
        (void)printf("no law is loaded\n");
    for (uint32_t i = 0; i < seen && !args->json; i++) {
        (void)printf("%s", i == 0 ? "" : "\n");
        weir_tcp_print_status(&loaded[i]);
    }
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int unload(const struct tcp_args *args)
{
    struct weir_err err;
    bool lives = false;
    if (weir_law_unload(args->law.text, &lives, &err) != 0)
        return weir_cli_refused(&err);
    (void)printf("%s is unloaded%s\n", args->law.text, lives ? "; sockets that use it keep it until they close" : "");
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int clean(const struct tcp_args *args)
{
    struct weir_err err;
    uint32_t removed = 0;
    (void)args;
    if (weir_law_clean(&removed, &err) != 0)
        return weir_cli_refused(&err);
    (void)printf("%u law%s removed\n", removed, removed == 1 ? "" : "s");
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int print_replay(const struct weir_replay_result *r)
{
    (void)printf("events      %s of %s flows, %s of flows that began before\n", weir_format_grouped(r->events).text,
                 weir_format_grouped(r->flows).text, weir_format_grouped(r->skipped).text);
    (void)printf("different   %s answers\n", weir_format_grouped(r->different).text);
    if (r->gaps > 0)
        (void)printf("gaps        %s: events were lost, and a flow is compared again when it begins anew\n",
                     weir_format_grouped(r->gaps).text);
    if (r->different > 0)
        (void)printf("first       flow %" PRIu64 ": the kernel's window is %" PRIu32 " B at %" PRIu64
                     " bit/s, here %" PRIu32 " B at %" PRIu64 " bit/s\n",
                     r->first.flow, r->first.answer.cwnd_bytes, r->first.answer.rate_bps, r->here.cwnd_bytes,
                     r->here.rate_bps);
    return weir_cli_finish(r->different > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE);
}

/* Replays the events of the law in the kernel, and compares its answers with those of the law here. */
static int replay(const struct tcp_args *args)
{
    struct weir_replay_result result;
    struct weir_outfile out = { 0 };
    struct weir_err err;
    int code = args->csv != NULL ? weir_outfile_open(&out, args->csv, NULL, &err) : 0;
    if (code != 0)
        return weir_cli_refused(&err);
    weir_stop_install();
    code = weir_replay_kernel(args->law.text, args->for_ps, weir_stop_flag(), args->csv != NULL ? out.file : NULL,
                              &result, &err);
    if (args->csv != NULL && code == 0)
        code = weir_outfile_commit(&out, &err);
    else
        weir_outfile_abandon(&out);
    return code != 0 ? weir_cli_refused(&err) : print_replay(&result);
}

static int audit(const struct tcp_args *args)
{
    return weir_tcp_audit(args->for_ps, args->csv);
}

static const struct verb {
    const char *name;
    int (*run)(const struct tcp_args *args);
    int (*own)(int argc, char **argv); /* reads its arguments itself; argv[0] is the first of them. NULL = run() */
    bool needs_law;
} verbs[] = {
    { "load", load, NULL, true },
    { "status", status, NULL, false },
    { "unload", unload, NULL, true },
    { "replay", replay, NULL, true },
    { "audit", audit, NULL, false },
    { "clean", clean, NULL, false },
    { "weight", NULL, weir_tcp_weight, false },
    { "budget", NULL, weir_tcp_budget, false },
};
#define VERBS (sizeof(verbs) / sizeof(*verbs))

static int which_law(const struct tcp_args *args)
{
    struct weir_err err;
    (void)weir_fail(&err, WEIR_E_SYNTAX, NULL,
                    "weir tcp load 'soze m=0.25' --port 1Gbps; weir tcp status lists what is loaded",
                    "tcp %s: which law?", args->verb);
    return weir_cli_refused(&err);
}

static int unknown_verb(const char *name)
{
    struct weir_suggest near;
    struct weir_err err;
    char hint[256];
    weir_suggest_init(&near, name);
    for (size_t i = 0; i < VERBS; i++)
        weir_suggest_add(&near, verbs[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(&err, WEIR_E_UNKNOWN, NULL, hint, "tcp: %.80s: no such verb", name);
    return weir_cli_refused(&err);
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

int weir_kernel_tcp(int argc, char **argv, bool *help)
{
    static const struct weir_options accepted = {
        .command = "tcp", .option = { tcp_options }, .param = { tcp_params }, .argument = take_law
    };
    struct tcp_args args = { 0 };
    const struct verb *verb;
    struct weir_err err;
    if (argc < 2) {
        (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "load, status, unload, weight or clean; weir tcp --help",
                        "tcp: what shall be done?");
        return weir_cli_refused(&err);
    }
    *help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    if (*help)
        return WEIR_EXIT_DONE;
    verb = find_verb(argv[1]);
    if (verb != NULL && verb->own != NULL)
        return verb->own(argc - 2, argv + 2);
    args.verb = argv[1];
    if (weir_options_parse(&accepted, argc - 1, argv + 1, &args, &err) != 0)
        return weir_cli_refused(&err);
    *help = args.help;
    if (args.help)
        return WEIR_EXIT_DONE;
    if (verb == NULL)
        return unknown_verb(args.verb);
    return verb->needs_law && args.law.text == NULL ? which_law(&args) : verb->run(&args);
}
