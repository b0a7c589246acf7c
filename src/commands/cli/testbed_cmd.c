/* src/commands/cli/testbed_cmd.c - `weir reproduce sird-testbed` and soze-testbed: measure between network
 * namespaces of this machine, and print the numbers next to the paper's and the simulator's. */
#include "cli/cli.h"
#include "cli/testbed_cmd.h"
#include "param/suggest.h"
#include "text/options.h"
#include "testbed/print.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURES_MAX = 8 };

struct args {
    const struct weir_fig_paper *paper;
    const char *figure[FIGURES_MAX];
    uint32_t figure_count, seconds;
    bool check, json, help;
};

#define FIELD(field) (uint32_t) offsetof(struct args, field)

static const struct weir_option options[] = {
    { .name = "--check", .offset = FIELD(check) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const struct weir_param params[] = {
    WEIR_PARAM_NAMED("--seconds", struct args, seconds, WEIR_KIND_U32, 2, 3600, 8,
                     "how long each measurement lasts, in seconds"),
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

static int run_figures(const struct args *args, struct weir_figs *figs)
{
    struct weir_err err;
    for (const struct weir_fig *fig = args->paper->fig; fig->name != NULL; fig++) {
        bool wanted = args->figure_count == 0;
        for (uint32_t i = 0; i < args->figure_count; i++)
            wanted |= strcmp(args->figure[i], fig->name) == 0;
        if (!wanted)
            continue;
        (void)fprintf(stderr, "weir: %s: %s\n", fig->name, fig->hint);
        if (fig->run(figs, &err) != 0) {
            weir_cli_error(&err);
            return WEIR_EXIT_FAILURE;
        }
    }
    return conclude(args, figs);
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
    if (weir_options_parse(&accepted, argc, argv, &args, &err) != 0) {
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
    figs->seconds = args.seconds;
    status = run_figures(&args, figs);
    weir_tree_arena_free(figs->arena);
    free(figs);
    return status;
}
