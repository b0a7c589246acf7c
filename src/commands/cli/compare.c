/* src/commands/cli/compare.c - `weir compare`: compares laws on the same traffic, each in the network that it
 * recommends. Prints a table, and which differences exceed their intervals. campaign.c does the runs. */
#include "cli/cli.h"
#include "cli/compare_plan.h"
#include "cli/lengthened.h"
#include "reproduce/comparison_jobs.h"
#include "reproduce/comparison_print.h"
#include "reproduce/comparison_read.h"
#include "reproduce/deployment.h"
#include "text/commit.h"
#include "text/version.h"
#include <stdlib.h>
#include <string.h>

struct compare { /* state of `weir compare`; large, so on the heap */
    struct weir_compare_args args;
    struct weir_compare_plan plan;
    struct weir_campaign *c;
    struct weir_comparison comparison;
    struct weir_comparison_keys keys;
    struct weir_comparison_run *run; /* ordered by law, then seed; owned */
    struct weir_comparison_page page;
    struct weir_deployment deployment;
    struct weir_run_laws laws;
    struct weir_comparison_jobs jobs;
    struct weir_advice advice;
    int argc; /* the command line, for the advice */
    char **argv;
    const char *preset[WEIR_COMPARISON_LAWS_MAX], *protocol[WEIR_COMPARISON_LAWS_MAX];
};

/* --- before the runs --- */

static struct weir_point *point_of(const struct compare *m, uint32_t law, uint32_t seed)
{
    return &m->c->plan.point[law * m->args.seeds + seed];
}

static int find_keys(struct compare *m, struct weir_err *err)
{
    const char *text[WEIR_COMPARISON_LAWS_MAX + 1] = { m->plan.own_text };
    for (uint32_t l = 0; l < m->args.laws.count; l++)
        text[l + 1] = point_of(m, l, 0)->resolved;
    return weir_comparison_keys_find(&m->keys, text, m->args.laws.count + 1, m->c->exp.arena, err);
}

/* Adds a setting of the section "protocol" but protocol.preset, whose values the columns of keys show. */
static void add_given(struct compare *m, struct weir_comparison_given *given, uint32_t law, const char *text)
{
    static const char section[] = "protocol.", preset[] = "protocol.preset";
    if (strncmp(text, section, sizeof(section) - 1) == 0 && strncmp(text, preset, sizeof(preset) - 1) != 0)
        given[m->page.given_count++] = (struct weir_comparison_given){ law, text };
}

/* Collects the settings of the section "protocol" for the page: those of the file's variants, then those of --set.
 * @return 0, or WEIR_E_MEMORY with err */
static int list_given(struct compare *m, struct weir_err *err)
{
    struct weir_comparison_given *given;
    size_t most = m->args.set_count;
    for (uint32_t l = 0; l < m->args.laws.count; l++)
        most += m->plan.law[l].own_count;
    given = weir_tree_arena_take(m->c->exp.arena, (most + 1) * sizeof(*given));
    if (given == NULL)
        return weir_fail_memory(err);
    for (uint32_t l = 0; l < m->args.laws.count; l++)
        for (uint32_t i = 0; i < m->plan.law[l].own_count; i++)
            add_given(m, given, l, m->plan.law[l].own[i].text);
    for (uint32_t i = 0; i < m->args.set_count; i++)
        add_given(m, given, m->args.set[i].law, m->args.set[i].text);
    m->page.given = given;
    return 0;
}

static int make_page(struct compare *m, struct weir_err *err)
{
    m->run = calloc((size_t)m->args.laws.count * m->args.seeds, sizeof(*m->run));
    if (m->run == NULL)
        return weir_fail_memory(err);
    m->comparison.law_count = m->args.laws.count;
    m->comparison.seed_count = m->args.seeds;
    m->comparison.baseline = m->args.baseline;
    for (uint32_t l = 0; l < m->args.laws.count; l++) {
        m->comparison.law[l].name = m->args.laws.name[l];
        m->comparison.law[l].run = &m->run[(size_t)l * m->args.seeds];
        m->preset[l] = m->plan.law[l].preset;
        m->protocol[l] = m->args.background == NULL ? m->plan.law[l].protocol->name : NULL;
    }
    m->page = (struct weir_comparison_page){ .comparison = &m->comparison,
                                             .keys = &m->keys,
                                             .scenario = m->plan.scenario,
                                             .preset = m->preset,
                                             .protocol = m->protocol,
                                             .first_seed = m->plan.first_seed,
                                             .out = m->c->out,
                                             .version = WEIR_VERSION,
                                             .commit = WEIR_COMMIT,
                                             .same_fabric = m->args.same_fabric };
    if (m->args.background != NULL)
        m->page.deployment = &m->deployment;
    memcpy(m->page.group_bytes, m->plan.group_bytes, sizeof(m->page.group_bytes));
    return list_given(m, err) == 0 ? find_keys(m, err) : (int)err->code;
}

/* Prints for each law the command that runs its first seed alone, quoted for a shell. */
static void print_commands(const struct compare *m)
{
    for (uint32_t l = 0; l < m->args.laws.count; l++) {
        const struct weir_point *p = point_of(m, l, 0);
        (void)printf("\n%s\n  weir run ", p->name);
        weir_cli_shell_argument(stdout, m->args.file);
        for (uint32_t i = 0; i < p->set_count; i++) {
            (void)printf(" \\\n    --set ");
            weir_cli_shell_argument(stdout, p->set[i].text);
        }
        (void)printf("\n");
    }
}

/* --- after the runs --- */

enum { JOBS_SHOWN = 12 }; /* most lines of single jobs */

static void print_table(FILE *out, const struct compare *m)
{
    if (m->page.deployment != NULL)
        weir_deployment_print(out, &m->page);
    else
        weir_comparison_print(out, &m->page);
    weir_run_laws_print(out, &m->comparison, &m->laws);
    if (m->page.deployment == NULL)
        weir_comparison_jobs_print(out, &m->comparison, &m->jobs, JOBS_SHOWN);
    if (m->advice.runs + m->advice.hopeless > 0)
        (void)fputc('\n', out);
    weir_advice_print(out, &m->advice);
}

static void print_all(FILE *out, const void *compare)
{
    const struct compare *m = compare;
    weir_comparison_print_keys(out, &m->page);
    (void)fputc('\n', out);
    print_table(out, m);
}

/* Adds the numbers of jobs, if runs have some, and of each law, if runs have several. Does nothing unless the metrics
 * are the usual ones. */
static void add_metrics(struct compare *m)
{
    if (m->args.metrics != NULL || m->args.background != NULL)
        return;
    if (weir_results_any(&m->c->plan, "job_completion_us.count"))
        weir_comparison_lead_jobs(&m->comparison, weir_results_any(&m->c->plan, "busbw_gbytes_s.mean"));
    m->laws.count = weir_results_laws(&m->c->plan, m->laws.title);
    weir_run_laws_add(&m->comparison, &m->laws);
}

/* Reads the numbers of all runs, and what would settle those in doubt. @return 0, or a code with err */
static int read_runs(struct compare *m, struct weir_err *err)
{
    int code;
    for (uint32_t l = 0; l < m->args.laws.count; l++)
        for (uint32_t s = 0; s < m->args.seeds; s++) {
            struct weir_comparison_run *run = &m->comparison.law[l].run[s];
            weir_comparison_read(point_of(m, l, s), &m->comparison, run);
            point_of(m, l, s)->doubt = run->doubt[0] != '\0' ? run->doubt : NULL;
        }
    m->page.advice = &m->advice;
    code = weir_advice_find(&m->advice, &m->c->plan, m->c->finds_lengths, err);
    return code != 0 ? code : weir_lengthened_command(&m->advice, m->argc, m->argv, m->c->exp.arena, err);
}

static int conclude(struct compare *m, const struct weir_sweep_outcome *swept)
{
    struct weir_err err;
    int status, report;
    add_metrics(m);
    m->page.jobs = &m->jobs;
    if (read_runs(m, &err) != 0 || weir_comparison_jobs_read(&m->jobs, &m->comparison, m->c->plan.point, &err) != 0 ||
        weir_store_check(m->c->store, &err) != 0)
        return weir_cli_failed(&err);
    weir_comparison_solve(&m->comparison);
    weir_campaign_close_store(m->c); /* files come first: the reader of stdout may have gone */
    report = weir_campaign_report(m->c, print_all, NULL, m);
    if (m->args.common.json)
        weir_comparison_json(stdout, &m->page);
    else
        print_table(stdout, m);
    status = weir_campaign_status(swept, m->args.common.fresh);
    return weir_cli_finish(status != WEIR_EXIT_DONE ? status : report);
}

/* --- the command --- */

static int choose_metrics(struct compare *m, struct weir_err *err)
{
    if (m->args.metrics != NULL)
        return weir_comparison_choose(&m->comparison, m->args.metrics, err);
    weir_comparison_usual(&m->comparison);
    return 0;
}

/* Sets what a deployment curve compares, if it is one. The plan must be made. */
static void choose_deployment(struct compare *m)
{
    if (m->args.background == NULL)
        return;
    m->deployment = (struct weir_deployment){ .deployed = m->args.deployed,
                                              .background = m->args.background,
                                              .by = m->args.share_by,
                                              .deployed_law = m->plan.deployed_law };
    weir_deployment_metrics(&m->comparison, &m->deployment);
}

static int lay_out(struct compare *m, struct weir_err *err)
{
    int code = choose_metrics(m, err);
    if (code == 0)
        code = weir_compare_plan_make(&m->plan, m->c, &m->args, err);
    if (code == 0)
        choose_deployment(m);
    if (code == 0)
        code = weir_campaign_name_files(m->c, m->plan.stem, m->args.common.out, m->args.common.report, err);
    return code != 0 ? code : weir_campaign_resolve(m->c, err);
}

static int run_laid(struct compare *m)
{
    struct weir_sweep_outcome swept;
    int status;
    status = weir_campaign_execute(m->c, &m->args.common, &swept);
    return status != WEIR_EXIT_DONE ? status : conclude(m, &swept);
}

static int run_command(struct compare *m, int argc, char **argv)
{
    struct weir_err err;
    int status;
    if (weir_compare_args_parse(&m->args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (m->args.common.help)
        return weir_cli_show_usage("compare");
    if (lay_out(m, &err) != 0)
        return weir_cli_refused(&err);
    status = weir_campaign_interrupted(m->c);
    if (status != WEIR_EXIT_DONE)
        return status;
    if (make_page(m, &err) != 0)
        return weir_cli_failed(&err);
    if (!m->args.common.json) {
        weir_comparison_print_keys(stdout, &m->page);
        if (!m->args.list)
            (void)printf("\n");
        (void)fflush(stdout);
    }
    if (!m->args.list)
        return run_laid(m);
    print_commands(m);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

int weir_cli_compare(int argc, char **argv)
{
    struct compare *m = calloc(1, sizeof(*m));
    int status = WEIR_EXIT_FAILURE;
    if (m != NULL)
        m->c = weir_campaign_new();
    if (m != NULL && m->c != NULL) {
        m->argc = argc;
        m->argv = argv;
        status = run_command(m, argc, argv);
    }
    if (m != NULL) {
        weir_campaign_free(m->c);
        free(m->run);
        weir_comparison_jobs_free(&m->jobs);
    }
    free(m);
    return status;
}
