/* src/commands/cli/args.c - reads the options of `weir run`: one row each. */
#include "cli/args.h"
#include "cli/setting.h"
#include "core/units.h"
#include "model/model.h"
#include "output/packet_digest.h"
#include "output/record.h"
#include "output/trace_json.h"
#include "text/options.h"
#include "text/wait.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERRIDE_MAX 512 /* bytes of a --seed or --sample as an override */
#define LABEL_MAX 200    /* bytes; must fit a legend */
#define CAP_BYTES 100000000u

/* Adds the override "key" + "value", in memory of its own. key ends with '=' or is empty. */
static int args_override(struct weir_run_args *args, const char *key, const char *value, struct weir_err *err)
{
    char text[OVERRIDE_MAX], *copy;
    int length = snprintf(text, sizeof(text), "%s%s", key, value);
    if (length >= OVERRIDE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s: more than %d characters", key, OVERRIDE_MAX - 1);
    copy = malloc((size_t)length + 1);
    if (copy == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
    memcpy(copy, text, (size_t)length + 1);
    args->set[args->set_count++].text = copy;
    return 0;
}

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    int code = weir_setting_check(value, "for example --set run.seed=2 or --set 'traffic[0].load=80%'", err);
    return code != 0 ? code : args_override(args, "", value, err);
}

static int apply_seed(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    uint64_t seed;
    if (!weir_setting_whole(value, &seed))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "the same seed gives the same run, bit for bit",
                         "--seed %s: must be a whole number, 0 to 18446744073709551615", value);
    return args_override(args, "run.seed=", value, err);
}

/* Reads "TIME" or "TIME:average" as overrides of run.sample and run.sample_average. */
static int apply_sample(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    static const char suffix[] = ":average";
    size_t length = strlen(value), rest = sizeof(suffix) - 1;
    char time[OVERRIDE_MAX];
    int code;
    if (length < rest || length >= sizeof(time) || strcmp(value + length - rest, suffix) != 0)
        return args_override(args, "run.sample=", value, err);
    (void)snprintf(time, sizeof(time), "%.*s", (int)(length - rest), value);
    code = args_override(args, "run.sample=", time, err);
    return code != 0 ? code : args_override(args, "run.sample_average=", "true", err);
}

static int apply_threads(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    return weir_setting_threads(value, &args->threads, err);
}

static int apply_ranks(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    return weir_setting_ranks(value, &args->ranks, err);
}

static int apply_label(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    if (value[0] == '\0' || strlen(value) > LABEL_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "it names the run in reports", "--label: must be 1 to %d bytes long",
                         LABEL_MAX);
    args->label = value;
    return 0;
}

/* Checks EXPERIMENT/FIGURE/POINT. The name of a point may have slashes; those of an experiment and a figure may not. */
static int apply_sweep(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    const char *figure = strchr(value, '/');
    const char *point = figure != NULL ? strchr(figure + 1, '/') : NULL;
    if (point == NULL || figure == value || point == figure + 1 || point[1] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --sweep sird/fig6/wka-50",
                         "--sweep %.80s: must be EXPERIMENT/FIGURE/POINT", value);
    if (strlen(value) > WEIR_RUN_SWEEP_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--sweep: must be at most %d bytes long", WEIR_RUN_SWEEP_MAX);
    args->sweep = value;
    return 0;
}

static int apply_check(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    args->check = true;
    args->general = value != NULL;
    if (value != NULL && strcmp(value, "general") != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "--check alone verifies a run as it is",
                         "--check=%.40s: must be general, or nothing", value);
    return 0;
}

/* Reads the port of --live, which may be left out. */
static int apply_live(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    uint64_t port = 0;
    args->live = true;
    if (value != NULL && (!weir_setting_whole(value, &port) || port == 0 || port > UINT16_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, "--live alone takes a free one", "--live=%.40s: a port is 1 to 65535",
                         value);
    args->live_port = (uint32_t)port;
    return 0;
}

static int apply_tap(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    if (value[strspn(value, " ,")] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --pcap-at 'host 3, leaf 0 > spine 1'",
                         "--pcap-at '%.40s': which host, switch or port?", value);
    args->tap[args->tap_count++] = value;
    return 0;
}

static int apply_packet(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    args->digest_packet = value;
    if (weir_packet_is_id(value))
        return 0;
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "KIND:SRC:DST:CONN:SEQ, as --digest-until prints it",
                     "--digest-packet %.80s: no packet has such a name", value);
}

#define FIELD(field) (uint32_t) offsetof(struct weir_run_args, field)

static const struct weir_option options[] = {
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--seed", .value = "a number", .apply = apply_seed },
    { .name = "--threads", .value = "a number", .apply = apply_threads },
    { .name = "--ranks", .value = "a number", .apply = apply_ranks },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--check", .value = "general", .apply = apply_check, .optional = true },
    { .name = "--messages", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_MESSAGES]) },
    { .name = "--pauses", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_PAUSES]) },
    { .name = "--fct", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_FCT]) },
    { .name = "--links", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_LINKS]) },
    { .name = "--pcap", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_PCAP]) },
    { .name = "--pcap-at", .value = "hosts, switches, or ports as in 'leaf 0 > spine 1'", .apply = apply_tap },
    { .name = "--trace", .value = "the name of a file", .offset = FIELD(to[WEIR_RUN_TRACE]) },
    { .name = "--digest-packet", .value = "a packet, as in data:0:7:1:17", .apply = apply_packet },
    { .name = "--sample", .value = "a time", .apply = apply_sample },
    { .name = "--live", .value = "a port", .apply = apply_live, .optional = true },
    { .name = "--write-timeline", .value = "the name of a file", .offset = FIELD(write_timeline) },
    { .name = "--timeline", .value = "the name of a file", .offset = FIELD(timeline) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { .name = "-o", .value = "the name of a file", .offset = FIELD(output) },
    { .name = "--find-length", .offset = FIELD(find_length) },
    { .name = "--profile", .offset = FIELD(profile) },
    { .name = "--no-messages", .offset = FIELD(no_messages) },
    { .name = "--label", .value = "a text", .apply = apply_label },
    { .name = "--sweep", .value = "EXPERIMENT/FIGURE/POINT", .apply = apply_sweep },
    { 0 },
};

static const char *const progress_names[] = {
    [WEIR_PROGRESS_AUTO] = "auto", [WEIR_PROGRESS_NEVER] = "never", [WEIR_PROGRESS_ALWAYS] = "always", NULL
};

static const struct weir_param values[] = {
    WEIR_PARAM_CHOICE("--progress", struct weir_run_args, progress, progress_names, WEIR_PROGRESS_AUTO,
                      "auto shows it when stderr is a terminal"),
    WEIR_PARAM_NAMED("--series", struct weir_run_args, series_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS,
                     100000 * WEIR_PS_PER_S, 0, "between points of a series in the result file or the trace"),
    WEIR_WAIT_OPTION(struct weir_run_args, wait_ps),
    WEIR_KEEP_OPTION(struct weir_run_args, keep_messages),
    WEIR_PARAM_NAMED("--cap", struct weir_run_args, cap_bytes, WEIR_KIND_SIZE, WEIR_TRACE_CAP_MIN_BYTES,
                     UINT64_C(1) << 40, 0,
                     "of the capture and of the trace: what would be more is left out; 100 MB if not given"),
    WEIR_PARAM_NAMED("--digest-until", struct weir_run_args, digest_until_ps, WEIR_KIND_TIME, 1, 20000 * WEIR_PS_PER_S,
                     0, "what packets did until then counts"),
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_run_args *args = ctx;
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir run takes one scenario; weir run --help shows the options",
                         "%s: %s is the scenario already", argument, args->file);
    args->file = argument;
    return 0;
}

/* Refuses options for a file that is not written, because they would have no effect. @return 0, or WEIR_E_CONFLICT */
static int args_check_needs(const struct weir_run_args *args, struct weir_err *err)
{
    static const char for_result[] = "is for a result file, and there is no -o",
                      result[] = "-o OUT.db writes a result file";
    bool pcap = args->to[WEIR_RUN_PCAP] != NULL, trace = args->to[WEIR_RUN_TRACE] != NULL, files = args->output != NULL;
    for (uint32_t i = 0; i < WEIR_RUN_FILES; i++)
        files |= args->to[i] != NULL;
    const struct {
        const char *name;
        bool alone; /* the option is given without the option it belongs to */
        const char *why, *hint;
    } row[] = {
        { "--no-messages", args->no_messages && args->output == NULL, for_result, result },
        { "--keep-messages", args->keep_messages > 0 && args->output == NULL, for_result, result },
        { "--keep-messages", args->keep_messages > 0 && args->no_messages,
          "is given with --no-messages, which keeps none", "one of them has to go" },
        { "--series", args->series_ps != 0 && args->output == NULL && !trace, for_result, result },
        { "--label", args->label != NULL && args->output == NULL, for_result, result },
        { "--sweep", args->sweep != NULL && args->output == NULL, for_result, result },
        { "--timeline", args->timeline != NULL && args->find_length,
          "is given with --find-length, which changes nothing while it runs", "one of them has to go" },
        { "--timeline", args->timeline != NULL && args->ranks > 1, "is given with --ranks, and changes one process",
          "--threads uses several processors, too" },
        { "--live", args->live && args->timeline != NULL, "is given with --timeline, and both change the run",
          "--timeline repeats what was done" },
        { "--live", args->live && args->find_length, "is given with --find-length, which shows no run",
          "one of them has to go" },
        { "--live", args->live && args->ranks > 1, "is given with --ranks, and shows one process",
          "--threads uses several processors, too" },
        { "--live", args->live && args->sweep != NULL, "is given with --sweep, and a point of a sweep is not changed",
          "one of them has to go" },
        { "--live", args->live && args->digest_until_ps != 0,
          "is given with --digest-until, which has no results to show", "--timeline goes with it" },
        { "--write-timeline", args->write_timeline != NULL && !args->live,
          "is for what was done in a page, and there is no --live", "--live shows the run in a browser" },
        { "--pcap-at", args->tap_count > 0 && !pcap, "is for a capture, and there is no --pcap",
          "--pcap FILE.pcapng writes one" },
        { "--digest-until", args->digest_until_ps != 0 && (files || args->find_length),
          "prints a digest, and there are no results for files", "leave the files and --find-length out" },
        { "--digest-packet", args->digest_packet != NULL && args->digest_until_ps == 0,
          "is for --digest-until, which is not given", "--digest-until TIME prints what packets did" },
        { "--cap", args->cap_bytes != 0 && !pcap && !trace, "is for a capture or a trace, and there is none",
          "--pcap FILE.pcapng writes a capture, --trace FILE.json a trace" },
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].alone)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, row[i].hint, "%s: %s", row[i].name, row[i].why);
    return 0;
}

static int args_check_files(const struct weir_run_args *args, struct weir_err *err)
{
    static const char *const name[] = {
        [WEIR_RUN_MESSAGES] = "--messages", [WEIR_RUN_PAUSES] = "--pauses", [WEIR_RUN_FCT] = "--fct",
        [WEIR_RUN_LINKS] = "--links",       [WEIR_RUN_PCAP] = "--pcap",     [WEIR_RUN_TRACE] = "--trace"
    };
    for (uint32_t i = 0; i < WEIR_RUN_FILES; i++)
        for (uint32_t j = i + 1; j < WEIR_RUN_FILES; j++)
            if (args->to[i] != NULL && args->to[j] != NULL && strcmp(args->to[i], args->to[j]) == 0)
                return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: cannot be both %s and %s", args->to[i], name[i],
                                 name[j]);
    return 0;
}

static int args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "run", .option = { options }, .param = { values }, .argument = take_file
    };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir run FILE; weir run --help shows the options",
                         "run: which scenario?");
    code = args_check_needs(args, err);
    if (code == 0)
        code = args_check_files(args, err);
    if (args->cap_bytes == 0)
        args->cap_bytes = CAP_BYTES;
    return code;
}

int weir_run_args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err)
{
    int code;
    *args = (struct weir_run_args){ .threads = 1, .ranks = 1 };
    args->set = calloc(2 * (size_t)argc, sizeof(*args->set)); /* one argument makes at most two overrides */
    args->tap = calloc((size_t)argc, sizeof(*args->tap));
    if (args->set == NULL || args->tap == NULL) {
        free(args->set);
        free(args->tap);
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
    }
    code = args_parse(args, argc, argv, err);
    if (code != 0)
        weir_run_args_free(args);
    return code;
}

void weir_run_args_free(struct weir_run_args *args)
{
    for (uint32_t i = 0; i < args->set_count; i++)
        free((void *)(uintptr_t)args->set[i].text);
    free(args->set);
    free(args->tap);
    *args = (struct weir_run_args){ 0 };
}
