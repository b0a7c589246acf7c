/* src/commands/cli/sweep.c - `weir sweep`: runs every combination of the values in a file, or some of them by their
 * numbers. campaign.c does the runs. */
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/lengthened.h"
#include "cli/sweep_args.h"
#include "reproduce/comparison_read.h"
#include "reproduce/lengths.h"
#include "reproduce/print.h"
#include "reproduce/results.h"
#include "reproduce/results_jobs.h"
#include "reproduce/short_form.h"
#include "text/commit.h"
#include "text/json.h"
#include "text/version.h"
#include <stdlib.h>
#include <string.h>

struct sweep { /* state of `weir sweep`; large, so on the heap */
    struct weir_sweep_args args;
    struct weir_campaign *c;
    struct weir_outcome outcome;
    struct weir_results_jobs *jobs; /* of each point; owned */
    struct weir_advice advice;
    int argc; /* the command line, for the advice */
    char **argv;
};

/* --- the list --- */

static void list_text(const struct weir_plan *plan)
{
    for (const struct weir_point *p = plan->point; p < plan->point + plan->point_count; p++) {
        (void)printf("%u  %s  ", (unsigned)p->number, p->name);
        weir_cli_shell_argument(stdout, p->scenario);
        for (uint32_t i = 0; i < p->set_count; i++) {
            (void)printf(" --set ");
            weir_cli_shell_argument(stdout, p->set[i].text);
        }
        (void)printf("\n");
    }
}

static void list_json(const struct weir_plan *plan)
{
    struct weir_json json = { .out = stdout };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "sweep", plan->exp->origin.id);
    weir_json_open_list(&json, "points");
    for (const struct weir_point *p = plan->point; p < plan->point + plan->point_count; p++) {
        weir_json_open(&json, NULL);
        weir_json_u64(&json, "number", p->number);
        weir_json_string(&json, "name", p->name);
        weir_json_string(&json, "scenario", p->scenario);
        weir_json_open_list(&json, "set");
        for (uint32_t i = 0; i < p->set_count; i++)
            weir_json_string(&json, NULL, p->set[i].text);
        weir_json_close_list(&json);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_close(&json);
}

static int list(struct sweep *s, const struct weir_plan_request *request)
{
    struct weir_err err;
    if (weir_plan_make(&s->c->plan, &s->c->exp, request, &err) != 0)
        return weir_cli_refused(&err);
    if (s->args.common.json)
        list_json(&s->c->plan);
    else
        list_text(&s->c->plan);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* --- the runs --- */

/* Finds the doubts about the runs that are done, in the memory of the experiment, and what would settle them. @return
 * 0, or a code with err */
static int find_doubts(struct sweep *s, struct weir_err *err)
{
    const struct weir_plan *plan = &s->c->plan;
    char doubt[WEIR_COMPARISON_WHY];
    int code;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        struct weir_point *p = &plan->point[i];
        if (p->state != WEIR_POINT_DONE)
            continue;
        weir_comparison_doubt(p, doubt);
        if (doubt[0] != '\0' && (p->doubt = weir_tree_arena_text(s->c->exp.arena, doubt, strlen(doubt))) == NULL)
            return weir_fail_memory(err);
    }
    code = weir_advice_find(&s->advice, plan, s->c->finds_lengths, err);
    s->advice.without_auto = s->advice.without_auto || s->args.only_count > 0; /* it is refused for a shard */
    return code != 0 ? code : weir_lengthened_command(&s->advice, s->argc, s->argv, s->c->exp.arena, err);
}

/* Reads the jobs of all points. @return 0, or a code with err */
static int read_jobs(struct sweep *s, struct weir_err *err)
{
    const struct weir_plan *plan = &s->c->plan;
    int code = 0;
    s->jobs = calloc(plan->point_count + (size_t)1, sizeof(*s->jobs));
    if (s->jobs == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < plan->point_count && code == 0; i++)
        code = weir_results_jobs_read(&s->jobs[i], &plan->point[i], err);
    return code;
}

static void free_jobs(struct sweep *s)
{
    for (uint32_t i = 0; s->jobs != NULL && i < s->c->plan.point_count; i++)
        weir_results_jobs_free(&s->jobs[i]);
    free(s->jobs);
}

/* Adds numbers of jobs, if runs have some, and tables of laws, if runs have several. @return 0, or a code with err */
static int extend_tables(struct sweep *s, struct weir_err *err)
{
    char title[WEIR_LAWS_MAX][WEIR_RESULTS_LAW];
    const char *at[WEIR_LAWS_MAX];
    const struct weir_experiment_has has = { .title = at,
                                             .laws = weir_results_laws(&s->c->plan, title),
                                             .jobs = weir_results_any(&s->c->plan, "job_completion_us.count"),
                                             .collectives = weir_results_any(&s->c->plan, "busbw_gbytes_s.mean") };
    for (uint32_t k = 0; k < has.laws; k++)
        at[k] = title[k];
    return weir_experiment_extend(&s->c->exp, &has, err);
}

/* Prints the table, then the number of runs in doubt, the reason for the first one, and what settles them. */
static void print_text(FILE *out, const void *sweep)
{
    const struct sweep *s = sweep;
    const struct weir_point *first = NULL;
    uint32_t doubtful = 0;
    weir_reproduce_print(out, &s->outcome);
    for (uint32_t i = s->c->plan.point_count; i-- > 0;)
        if (s->c->plan.point[i].doubt != NULL) {
            first = &s->c->plan.point[i];
            doubtful++;
        }
    if (s->advice.runs + s->advice.hopeless > 0)
        (void)fputc('\n', out);
    if (first != NULL) {
        (void)fprintf(out, "! %u of %u runs in doubt; %s: ", (unsigned)doubtful, (unsigned)weir_campaign_done(s->c),
                      first->name);
        weir_cli_text(out, first->doubt);
        (void)fputc('\n', out);
    }
    weir_advice_print(out, &s->advice);
}

static int conclude(struct sweep *s, const struct weir_sweep_outcome *swept)
{
    struct weir_err err;
    int report, status;
    if (extend_tables(s, &err) != 0 || find_doubts(s, &err) != 0 || weir_campaign_tables(s->c, &err) != 0 ||
        read_jobs(s, &err) != 0)
        return weir_cli_failed(&err);
    s->outcome = (struct weir_outcome){ .plan = &s->c->plan,
                                        .cells = s->c->cells,
                                        .cells_count = s->c->cells_count,
                                        .advice = &s->advice,
                                        .jobs = s->jobs,
                                        .version = WEIR_VERSION,
                                        .commit = WEIR_COMMIT };
    weir_campaign_close_store(s->c); /* files come first: the reader of stdout may have gone */
    report = weir_campaign_report(s->c, print_text, NULL, s);
    if (s->args.common.json)
        weir_reproduce_json(stdout, &s->outcome);
    else
        print_text(stdout, s);
    (void)fflush(stdout);
    status = weir_campaign_status(swept, s->args.common.fresh);
    return weir_cli_finish(status != WEIR_EXIT_DONE ? status : report);
}

/* Refuses points of a shard with run.measure: auto: runs that are compared get the longest of their lengths, and the
 * shard does not have all of them. @return 0, or WEIR_E_CONFLICT with err */
static int check_shard(const struct sweep *s, struct weir_err *err)
{
    for (uint32_t i = 0; s->args.only_count > 0 && i < s->c->plan.point_count; i++)
        if (weir_lengths_wants(&s->c->plan.point[i]))
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "without --point; or give run.warmup and run.measure",
                             "--point: %s has run.measure: auto, and is as long as the longest of other points",
                             s->c->plan.point[i].name);
    return 0;
}

/* Names the files and makes the plan. A shard, which --point makes for weir merge, has a report only if --report is
 * given. @return 0, or a code with err */
static int lay_out(struct sweep *s, const struct weir_plan_request *request, struct weir_err *err)
{
    const struct weir_sweep_args *args = &s->args;
    int code = weir_campaign_name_files(s->c, s->c->exp.origin.id, args->common.out, args->common.report, err);
    if (args->only_count > 0 && args->common.report == NULL)
        s->c->report[0] = '\0';
    if (code == 0)
        code = weir_campaign_lay_out(s->c, request, err);
    return code != 0 ? code : check_shard(s, err);
}

static int run(struct sweep *s, const struct weir_plan_request *request)
{
    struct weir_sweep_outcome swept;
    struct weir_err err;
    int status;
    if (lay_out(s, request, &err) != 0)
        return weir_cli_refused(&err);
    status = weir_campaign_interrupted(s->c);
    if (status == WEIR_EXIT_DONE)
        status = weir_campaign_execute(s->c, &s->args.common, &swept);
    return status != WEIR_EXIT_DONE ? status : conclude(s, &swept);
}

static int run_command(struct sweep *s, int argc, char **argv)
{
    struct weir_plan_request request = { .scale_ppm = 1000000, .only = s->args.only, .set = s->args.set };
    struct weir_err err;
    if (weir_sweep_args_parse(&s->args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (s->args.common.help)
        return weir_cli_show_usage("sweep");
    if (weir_campaign_load(s->c, s->args.file, &err) != 0)
        return weir_cli_refused(&err);
    request.only_count = s->args.only_count;
    request.set_count = s->args.set_count;
    return s->args.list ? list(s, &request) : run(s, &request);
}

int weir_cli_sweep(int argc, char **argv)
{
    struct sweep *s = calloc(1, sizeof(*s));
    int status = WEIR_EXIT_FAILURE;
    if (s != NULL)
        s->c = weir_campaign_new();
    if (s != NULL && s->c != NULL) {
        s->argc = argc;
        s->argv = argv;
        status = run_command(s, argc, argv);
        weir_sweep_args_free(&s->args);
        free_jobs(s);
        weir_campaign_free(s->c);
    }
    free(s);
    return status;
}
