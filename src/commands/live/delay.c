/* src/commands/live/delay.c - `weir delay`: delay lines between network devices of this machine. */
#include "live/delay.h"
#include "core/units.h"
#include "live/tools.h"
#include "param/param.h"
#include "param/suggest.h"
#include "text/background.h"
#include "text/options.h"
#include "text/print.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { VERBS = 3 };
static const char *const verbs[VERBS] = { "start", "status", "stop" };

struct delay_args {
    const char *verb;
    uint64_t rate_bps; /* 0 = not given */
    bool json, help;
    struct weir_delay_line *line; /* line_count; owned */
    uint32_t line_count;
};

static const struct weir_option delay_options[] = {
    { .name = "--json", .offset = (uint32_t)offsetof(struct delay_args, json) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct delay_args, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct delay_args, help), .last = true },
    { 0 },
};

static const struct weir_param delay_params[] = {
    WEIR_PARAM_NAMED("--rate", struct delay_args, rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0,
                     "of the network: a line holds what it sends in twice the delay; 1 Gbps by default"),
    { 0 },
};

static const struct weir_param time_row =
    WEIR_PARAM_NAMED("delay", struct weir_delay_line, delay_ps, WEIR_KIND_TIME, WEIR_PS_PER_MS, 200 * WEIR_PS_PER_MS, 0,
                     "one way, the same in each direction");

/* Reads a device's name up to a comma. @return what follows the comma; NULL with err */
static const char *read_device(const char *text, const char *line, char device[IF_NAMESIZE], struct weir_err *err)
{
    size_t length = strcspn(text, ",");
    if (length == 0 || length >= IF_NAMESIZE || text[length] != ',')
        return (void)weir_fail(err, WEIR_E_SYNTAX, NULL, "two devices and a time: eth1,eth2,25ms",
                               "delay: %.80s: must be DEVICE,DEVICE,TIME", line),
               NULL;
    memcpy(device, text, length);
    device[length] = '\0';
    return text + length + 1;
}

static bool is_used(const struct delay_args *args, const char *device)
{
    uint32_t used = 0; /* by the line that is read too */
    for (uint32_t i = 0; i <= args->line_count; i++)
        used += (uint32_t)(strcmp(args->line[i].device[0], device) == 0) +
                (uint32_t)(strcmp(args->line[i].device[1], device) == 0);
    return used > 1;
}

static int take_line(struct delay_args *args, const char *argument, struct weir_err *err)
{
    struct weir_delay_line *grown;
    if (args->line_count == WEIR_DELAY_LINES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "delay: more than %u lines", WEIR_DELAY_LINES_MAX);
    grown = realloc(args->line, (args->line_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return weir_fail_memory(err);
    args->line = grown;
    struct weir_delay_line *line = memset(&grown[args->line_count], 0, sizeof(*grown));
    const char *second = read_device(argument, argument, line->device[0], err);
    const char *time = second != NULL ? read_device(second, argument, line->device[1], err) : NULL;
    if (time == NULL)
        return (int)err->code;
    for (uint32_t i = 0; i < 2; i++)
        if (is_used(args, line->device[i]))
            return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "delay: %s is given twice", line->device[i]);
    int code = weir_param_set(&time_row, &(struct weir_tok){ .text = time }, line, err);
    args->line_count += code == 0;
    return code;
}

static int take_argument(void *ctx, const char *argument, struct weir_err *err)
{
    struct delay_args *args = ctx;
    struct weir_suggest near;
    char hint[256];
    if (args->verb != NULL && strcmp(args->verb, "start") == 0)
        return take_line(args, argument, err);
    if (args->verb != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir delay --help shows how it is called",
                         "delay: %.80s: one argument too many", argument);
    weir_suggest_init(&near, argument);
    for (int i = 0; i < VERBS; i++) {
        weir_suggest_add(&near, verbs[i]);
        if (strcmp(argument, verbs[i]) == 0)
            args->verb = verbs[i];
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return args->verb != NULL ? 0 : weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "delay: what is '%.80s'?", argument);
}

static int parse(struct delay_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "delay", .option = { delay_options }, .param = { delay_params }, .argument = take_argument
    };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->help)
        return code;
    if (args->verb == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir delay start DEVICE,DEVICE,TIME, then status, and stop",
                         "delay: start, status or stop?");
    if (strcmp(args->verb, "start") == 0 && args->line_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir delay start eth1,eth2,25ms",
                         "delay start: between which devices?");
    if (strcmp(args->verb, "start") != 0 && args->rate_bps != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "delay %s: --rate is for start", args->verb);
    if (strcmp(args->verb, "start") == 0 && args->json)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "delay start: --json is for status and stop");
    return 0;
}

/* Opens everything, so that errors can be printed, and goes on in the background. @return exit status */
static int start(struct delay_args *args)
{
    struct weir_delay d = { .line = args->line,
                            .line_count = args->line_count,
                            .rate_bps = args->rate_bps != 0 ? args->rate_bps : 1000000000 };
    struct weir_err err;
    weir_background_begin();
    int code = weir_delay_open(&d, &err);
    pid_t child = code == 0 ? fork() : 0;
    if (child < 0)
        code = weir_fail(&err, WEIR_E_RUN, NULL, NULL, "delay: no process: %s", strerror(errno));
    if (code == 0 && child == 0) {
        weir_background_leave();
        weir_delay_run(&d);
        _exit(WEIR_EXIT_DONE);
    }
    weir_delay_close(&d);
    if (code != 0)
        return weir_cli_refused(&err);
    (void)printf("%u delay line%s, process %d\n", d.line_count, d.line_count == 1 ? "" : "s", (int)child);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Prints the counters, and with `stop` ends the process. @return exit status */
static int ask(const struct delay_args *args)
{
    struct weir_err err;
    int pid;
    if (weir_delay_ask(args->json, stdout, &pid, &err) != 0)
        return weir_cli_refused(&err);
    if (strcmp(args->verb, "stop") == 0)
        weir_background_end(pid);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

int weir_live_delay(int argc, char **argv, bool *help)
{
    struct delay_args args = { 0 };
    struct weir_err err;
    int status = WEIR_EXIT_DONE;
    if (parse(&args, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else if (args.help)
        *help = true;
    else
        status = strcmp(args.verb, "start") == 0 ? start(&args) : ask(&args);
    free(args.line);
    return status;
}
