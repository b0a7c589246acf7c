/* src/commands/cli/testbed_cmd.c - `weir reproduce sird-testbed` and the like: measure between network namespaces of
 * this machine, and print the numbers next to the paper's and the simulator's. */
#include "cli/cli.h"
#include "cli/testbed_cmd.h"
#include "param/suggest.h"
#include "text/options.h"
#include "text/wait.h"
#include "testbed/print.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURES_MAX = 8 };

struct args {
    const struct weir_fig_paper *paper;
    const char *figure[FIGURES_MAX];
    const char *out;  /* result file; NULL = the paper's name */
    uint64_t wait_ps; /* longest wait for another program that writes it */
    uint32_t figure_count;
    uint32_t seconds, repeats, pairs; /* 0 = the paper's default */
    bool check, json, fresh, help;
};

#define FIELD(field) (uint32_t) offsetof(struct args, field)

static const struct weir_option options[] = {
    { .name = "--check", .offset = FIELD(check) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "-o", .value = "the name of a file", .offset = FIELD(out) },
    { .name = "--fresh", .offset = FIELD(fresh) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const struct weir_param params[] = {
    WEIR_PARAM_NAMED("--seconds", struct args, seconds, WEIR_KIND_U32, 2, 3600, 0,
                     "how long each measurement lasts, in seconds"),
    WEIR_PARAM_NAMED("--repeats", struct args, repeats, WEIR_KIND_U32, 1, WEIR_FIG_REPEATS_MAX, 0,
                     "how often each measurement is made; intervals need three"),
    WEIR_PARAM_NAMED("--pairs", struct args, pairs, WEIR_KIND_U32, 2, 10, 0, "senders, with a receiver each"),
    WEIR_WAIT_OPTION(struct args, wait_ps),
    { .key = NULL },
};

static const struct weir_fig *find(const struct weir_fig_paper *paper, const char *name)
{
    for (const struct weir_fig *fig = paper->fig; fig->name != NULL; fig++)
        if (strcmp(fig->name, name) == 0)
            return fig;
    return NULL;
}

static int take_argument(void *ctx, const char *argument, struct weir_err *err)
{
    struct args *args = ctx;
    struct weir_suggest near;
    char hint[256];
    if (strcmp(argument, args->paper->name) == 0)
        return 0;
    if (find(args->paper, argument) == NULL) {
        weir_suggest_init(&near, argument);
        for (const struct weir_fig *fig = args->paper->fig; fig->name != NULL; fig++)
            weir_suggest_add(&near, fig->name);
        weir_suggest_hint(&near, hint, sizeof(hint));
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: no such figure of %s", argument, args->paper->name);
    }
    if (args->figure_count == FIGURES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %d figures", FIGURES_MAX);
    args->figure[args->figure_count++] = argument;
    return 0;
}

static int conclude(const struct args *args, const struct weir_figs *figs)
{
    uint32_t outside = 0;
    for (uint32_t i = 0; i < figs->cell_count; i++)
        outside += !weir_fig_holds(&figs->cell[i]);
    if (args->json)
        weir_figs_json(stdout, figs);
    else
        weir_figs_table(stdout, figs);
    if (args->check && outside > 0)
        (void)fprintf(stderr, "weir: %u value%s outside the band\n", (unsigned)outside, outside == 1 ? "" : "s");
    return weir_cli_finish(args->check && outside > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE);
}

static bool is_wanted(const struct args *args, const struct weir_fig *fig)
{
    for (uint32_t i = 0; i < args->figure_count; i++)
        if (strcmp(args->figure[i], fig->name) == 0)
            return true;
    return args->figure_count == 0 && weir_fig_is_usual(args->paper, fig);
}

/* Opens the result file. @return 0, or a code with err */
static int open_file(const struct args *args, struct weir_figs *figs, struct weir_err *err)
{
    struct weir_wait until = { .most_ps = args->wait_ps };
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    char name[64];
    int code;
    if (args->paper->repeats == 0)
        return 0;
    (void)snprintf(name, sizeof(name), "%s.db", args->paper->name);
    code = weir_keep_open(&figs->keep, args->paper->name, args->out != NULL ? args->out : name, &caller, err);
    for (const struct weir_fig *fig = args->paper->fig; fig->name != NULL && code == 0; fig++)
        if (args->fresh && is_wanted(args, fig))
            code = weir_keep_forget(&figs->keep, fig->name, err);
    return code;
}

static int run_figures(const struct args *args, struct weir_figs *figs)
{
    struct weir_err err;
    if (open_file(args, figs, &err) != 0)
        return weir_cli_refused(&err);
    for (const struct weir_fig *fig = args->paper->fig; fig->name != NULL; fig++) {
        if (!is_wanted(args, fig))
            continue;
        (void)fprintf(stderr, "weir: %s: %s\n", fig->name, fig->hint);
        if (fig->run(figs, &err) != 0)
            return err.code == WEIR_E_CONFLICT ? weir_cli_refused(&err) : weir_cli_failed(&err);
    }
    return conclude(args, figs);
}

/* Refuses options that mean nothing for the paper. */
static int check_args(const struct args *args, struct weir_err *err)
{
    const struct {
        const char *name;
        bool stray;
    } row[] = { { "-o", args->out != NULL && args->paper->repeats == 0 },
                { "--fresh", args->fresh && args->paper->repeats == 0 },
                { "--repeats", args->repeats != 0 && args->paper->repeats == 0 },
                { "--pairs", args->pairs != 0 && args->paper->pairs == 0 } };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].stray)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "rpm-testbed takes it", "%s: has no meaning for %s",
                             row[i].name, args->paper->name);
    return 0;
}

static uint32_t given(uint32_t value, uint32_t fallback)
{
    return value != 0 ? value : fallback;
}

int weir_cli_testbed(int argc, char **argv)
{
    static const struct weir_options accepted = {
        .command = "reproduce", .option = { options }, .param = { params }, .argument = take_argument
    };
    struct args args = { .paper = weir_fig_paper_find(argv[1]) };
    struct weir_err err;
    struct weir_figs *figs;
    int status;
    if (weir_options_parse(&accepted, argc, argv, &args, &err) != 0 || check_args(&args, &err) != 0) {
        weir_cli_error(&err);
        return WEIR_EXIT_USAGE;
    }
    if (args.help)
        return weir_cli_show_usage("reproduce");
    if (geteuid() != 0) {
        (void)weir_fail(&err, WEIR_E_RUN, NULL, "run it as root, in a container with CAP_NET_ADMIN for example",
                        "reproduce %s: network namespaces need root", args.paper->name);
        weir_cli_error(&err);
        return WEIR_EXIT_USAGE;
    }
    figs = calloc(1, sizeof(*figs));
    if (figs == NULL || (figs->arena = weir_tree_arena_new()) == NULL) {
        free(figs);
        (void)fprintf(stderr, "weir: out of memory\n");
        return WEIR_EXIT_FAILURE;
    }
    figs->seconds = given(args.seconds, args.paper->seconds);
    figs->repeats = given(args.repeats, args.paper->repeats);
    figs->pairs = given(args.pairs, args.paper->pairs);
    status = run_figures(&args, figs);
    weir_keep_close(&figs->keep);
    weir_tree_arena_free(figs->arena);
    free(figs);
    return status;
}
