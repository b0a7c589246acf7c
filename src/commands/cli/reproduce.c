/* src/commands/cli/reproduce.c - `weir reproduce`: runs the experiments of a paper, and prints measured next to
 * published numbers. campaign.c does the runs. */
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/reproduce_args.h"
#include "cli/testbed_cmd.h"
#include "reproduce/experiment_load.h"
#include "reproduce/mains.h"
#include "reproduce/print.h"
#include "testbed/figs.h"
#include "text/commit.h"
#include "text/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reproduce { /* state of `weir reproduce`; large, so on the heap */
    struct weir_reproduce_args args;
    struct weir_campaign *c;
};

static void print_text(FILE *out, const void *outcome)
{
    weir_reproduce_print(out, outcome);
}

static void print_json(FILE *out, const void *outcome)
{
    weir_reproduce_json(out, outcome);
}

/* Prints a summary if the command has --check. @return the exit status for the first of these: a signal or a failed
 * run, a report that could not be written, with --check a number outside its band */
static int status_of(const struct reproduce *r, const struct weir_sweep_outcome *swept,
                     const struct weir_outcome *outcome, int report)
{
    const struct weir_verdicts verdicts = weir_reproduce_verdicts(outcome);
    uint32_t outside = verdicts.count[WEIR_CELL_OUTSIDE];
    int status = weir_campaign_status(swept, r->args.common.fresh);
    if (status != WEIR_EXIT_DONE)
        return status;
    if (r->args.check)
        (void)fprintf(stderr, "weir: %u within, %u within as no effect would be, %u outside, %u not checked\n",
                      (unsigned)verdicts.count[WEIR_CELL_WITHIN], (unsigned)verdicts.count[WEIR_CELL_WEAK],
                      (unsigned)outside, (unsigned)(verdicts.count[WEIR_CELL_NONE] + verdicts.count[WEIR_CELL_SHOWN]));
    if (report != WEIR_EXIT_DONE)
        return report;
    return r->args.check && outside > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE;
}

static int conclude(struct reproduce *r, const struct weir_sweep_outcome *swept)
{
    struct weir_outcome outcome = {
        .plan = &r->c->plan, .cells = r->c->cells, .version = WEIR_VERSION, .commit = WEIR_COMMIT
    };
    struct weir_err err;
    int report;
    if (weir_campaign_tables(r->c, &err) != 0)
        return weir_cli_failed(&err);
    outcome.cells_count = r->c->cells_count;
    weir_campaign_close_store(r->c); /* files come first: the reader of stdout may have gone */
    report = weir_campaign_report(r->c, print_text, print_json, &outcome);
    if (r->args.common.json)
        weir_reproduce_json(stdout, &outcome);
    else
        weir_reproduce_print(stdout, &outcome);
    (void)fflush(stdout);
    return weir_cli_finish(status_of(r, swept, &outcome, report));
}

static int lay_out(struct reproduce *r, struct weir_err *err)
{
    const struct weir_reproduce_args *args = &r->args;
    struct weir_plan_request request = { .figure = args->figure,
                                         .figure_count = args->figure_count,
                                         .protocol = args->protocol,
                                         .protocol_count = args->protocol_count,
                                         .scale_ppm = args->scale_ppm,
                                         .measure_ppm = args->measure_ppm };
    int code = weir_campaign_name_files(r->c, r->c->exp.origin.id, args->common.out, args->common.report, err);
    return code != 0 ? code : weir_campaign_lay_out(r->c, &request, err);
}

static int run_loaded(struct reproduce *r)
{
    struct weir_sweep_outcome swept;
    struct weir_err err;
    int status;
    if (lay_out(r, &err) != 0)
        return weir_cli_refused(&err);
    status = weir_campaign_interrupted(r->c);
    if (status == WEIR_EXIT_DONE)
        status = weir_campaign_execute(r->c, &r->args.common, &swept);
    return status != WEIR_EXIT_DONE ? status : conclude(r, &swept);
}

static int run_command(struct reproduce *r, int argc, char **argv)
{
    struct weir_err err;
    if (weir_reproduce_args_parse(&r->args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (r->args.common.help)
        return weir_cli_show_usage("reproduce");
    if (weir_experiment_load(&r->c->exp, r->args.paper, &err) != 0 || weir_mains_of(&r->c->exp, &err) != 0)
        return weir_cli_refused(&err);
    return run_loaded(r);
}

int weir_cli_reproduce(int argc, char **argv)
{
    struct reproduce *r;
    int status = WEIR_EXIT_FAILURE;
    if (argc > 1 && weir_fig_paper_find(argv[1]) != NULL)
        return weir_cli_testbed(argc, argv);
    r = calloc(1, sizeof(*r));
    if (r != NULL)
        r->c = weir_campaign_new();
    if (r != NULL && r->c != NULL)
        status = run_command(r, argc, argv);
    if (r != NULL)
        weir_campaign_free(r->c);
    free(r);
    return status;
}
