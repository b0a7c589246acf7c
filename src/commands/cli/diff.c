/* src/commands/cli/diff.c - `weir diff`: which numbers moved between two result files. */
#include "cli/cli.h"
#include "param/param.h"
#include "reproduce/difference_print.h"
#include "text/options.h"
#include "text/stop.h"
#include "text/wait.h"

struct diff_args {
    const char *file[2], *metrics; /* lent; NULL = not given */
    uint32_t tolerance_ppm;
    bool any, json, help;
};

#define FIELD(field) (uint32_t) offsetof(struct diff_args, field)

static const struct weir_option options[] = {
    { .name = "--metrics", .value = "names with commas between them", .offset = FIELD(metrics) },
    { .name = "--any", .offset = FIELD(any) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { .name = NULL },
};

static const struct weir_param quantities[] = {
    WEIR_PARAM_NAMED("--tolerance", struct diff_args, tolerance_ppm, WEIR_KIND_PPM, 0, 1000000, 0,
                     "a change of at most this share of the number before counts as none, as 1%"),
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct diff_args *args = ctx;
    for (int i = 0; i < 2; i++)
        if (args->file[i] == NULL) {
            args->file[i] = argument;
            return 0;
        }
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir diff BEFORE.db AFTER.db", "diff: two result files, not %.80s, too",
                     argument);
}

static int parse(struct diff_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options all = {
        .command = "diff", .option = { options }, .param = { quantities }, .argument = take_file
    };
    int code = weir_options_parse(&all, argc, argv, args, err);
    if (code != 0 || args->help || args->file[1] != NULL)
        return code;
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir diff BEFORE.db AFTER.db; weir run FILE -o OUT.db writes one",
                     args->file[0] == NULL ? "diff: which result files?" : "diff: which other result file?");
}

/* Reads both files and computes what moved. @return 0, or a code with err */
static int compute(struct weir_difference *d, const struct diff_args *args, struct weir_err *err)
{
    static const struct weir_store_caller caller = WEIR_READ_CALLER;
    struct weir_comparison chosen = { .metric_count = 0 };
    int code = args->metrics != NULL ? weir_comparison_choose(&chosen, args->metrics, err) : 0;
    d->tolerance_ppm = args->tolerance_ppm;
    if (code == 0)
        code =
            weir_difference_read(d, args->file[0], args->file[1], args->metrics != NULL ? &chosen : NULL, &caller, err);
    if (code == 0)
        code = weir_difference_pair(d, err);
    if (code == 0)
        code = weir_difference_keys(d, args->any, err);
    if (code == 0)
        code = weir_difference_doubts(d, err);
    return code != 0 ? code : weir_difference_solve(d, err);
}

static int diff(const struct diff_args *args)
{
    struct weir_difference d = { 0 };
    struct weir_err err;
    int status;
    weir_stop_install();
    if (compute(&d, args, &err) != 0) {
        status = *weir_stop_flag() != 0 ? weir_cli_interrupted(*weir_stop_flag(), "nothing was compared")
                                        : weir_cli_refused(&err);
    } else {
        if (args->json)
            weir_difference_json(stdout, &d);
        else
            weir_difference_print(stdout, &d);
        status = weir_cli_finish(d.moved > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE);
    }
    weir_difference_free(&d);
    return status;
}

int weir_cli_diff(int argc, char **argv)
{
    struct diff_args args = { 0 };
    struct weir_err err;
    if (parse(&args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    return args.help ? weir_cli_show_usage("diff") : diff(&args);
}
