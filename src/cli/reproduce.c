/* src/cli/reproduce.c - `weir reproduce`: a paper's experiments, measured next to published. What can be refused is refused before
 * the first run: names, settings of every point, the result file. */
#include "cli/cli.h"
#include "cli/report_cmd.h"
#include "cli/reproduce_args.h"
#include "cli/testbed_cmd.h"
#include "config/dump.h"
#include "core/units.h"
#include "reproduce/cost.h"
#include "reproduce/print.h"
#include "reproduce/results.h"
#include "reproduce/sweep.h"
#include "reproduce/sweep_child.h"
#include "setup/setup.h"
#include "term/commit.h"
#include "term/format.h"
#include "term/outfile.h"
#include "term/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, TABLES_MAX = 256 };

struct reproduce { /* large: on the heap */
    struct weir_reproduce_args args;
    struct weir_experiment exp;
    struct weir_plan plan;
    struct weir_scenario scn; /* of one point at a time */
    struct weir_setup setup;
    struct weir_store *store;
    struct weir_sweep_dir dir;
    struct weir_cells cells[TABLES_MAX];
    uint32_t cells_count;
    char out[PATH_BYTES], report[PATH_BYTES];
};

static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return err->code == WEIR_E_MEMORY ? WEIR_EXIT_FAILURE : WEIR_EXIT_USAGE;
}

static int failed(const struct weir_err *err)
{
    weir_cli_error(err);
    return WEIR_EXIT_FAILURE;
}

/* --- before the runs --- */

/* The scenario as a result file will hold it: what this point has to be, for telling whether it has been run. */
static int keep_resolved(struct reproduce *r, struct weir_point *p, struct weir_err *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory != NULL) {
        weir_scenario_dump(memory, &r->scn);
        (void)fclose(memory);
        p->resolved = weir_tree_arena_text(r->exp.arena, text, length);
        free(text);
    }
    return p->resolved != NULL ? 0 : weir_fail_memory(err);
}

/* Files that a scenario names lie where the runs will find them, while messages name it by its path in the experiment. */
static int start_names(struct reproduce *r, struct weir_err *err)
{
    char *base = strdup(r->dir.base);
    if (base == NULL)
        return weir_fail_memory(err);
    free(r->scn.base_dir);
    r->scn.base_dir = base;
    return 0;
}

/* When the last message will be delivered nobody knows: a second, so that such runs begin early. */
static uint64_t simulated_ps(const struct weir_run_config *run)
{
    return run->measure_ps == WEIR_NEVER ? WEIR_PS_PER_S : run->warmup_ps + run->measure_ps;
}

/* Reads a point's scenario and builds what it describes, so that the child cannot refuse it later. */
static int resolve(struct reproduce *r, struct weir_point *p, struct weir_err *err)
{
    const char *path = weir_origin_path(&r->exp.origin, r->exp.arena, p->scenario), *text;
    int code;
    if (path == NULL)
        return weir_fail_memory(err);
    code = weir_origin_read(&r->exp.origin, r->exp.arena, p->scenario, NULL, &text, err);
    if (code == 0)
        code = weir_scenario_parse(&r->scn, path, text, strlen(text), p->set, p->set_count, err);
    if (code != 0)
        return code;
    code = start_names(r, err);
    if (code == 0)
        code = weir_setup_init(&r->setup, &r->scn, err);
    if (code == 0) {
        code = keep_resolved(r, p, err);
        weir_plan_weigh(p, simulated_ps(&r->scn.run));
        p->hops = weir_setup_packet_hops(&r->setup);
        weir_setup_free(&r->setup);
    }
    weir_scenario_free(&r->scn);
    return code;
}

static int lay_out(struct reproduce *r, struct weir_err *err)
{
    const struct weir_reproduce_args *args = &r->args;
    struct weir_plan_request request = { .figure = args->figure,
                                         .figure_count = args->figure_count,
                                         .protocol = args->protocol,
                                         .protocol_count = args->protocol_count,
                                         .scale_ppm = args->scale_ppm };
    int code = weir_plan_make(&r->plan, &r->exp, &request, err);
    if (code == 0)
        code = weir_sweep_dir_open(&r->dir, &r->exp.origin, r->exp.arena, err);
    for (uint32_t i = 0; i < r->plan.point_count && code == 0 && weir_sweep_dir_signal(&r->dir) == 0; i++) {
        if (r->plan.point[i].state == WEIR_POINT_NOT_BUILT)
            continue;
        code = resolve(r, &r->plan.point[i], err);
        if (code != 0)
            weir_cli_error(err); /* the point's name goes below it: it names the settings */
        if (code != 0)
            return weir_fail(err, err->code, NULL, NULL, "so figure %s cannot be run: its point %s is refused",
                             r->plan.point[i].figure->name, r->plan.point[i].name);
    }
    return code;
}

/* "sird.db" -> "sird.html" */
static int name_files(struct reproduce *r, struct weir_err *err)
{
    const struct weir_reproduce_args *args = &r->args;
    int length = args->out != NULL ? snprintf(r->out, sizeof(r->out), "%s", args->out)
                                   : snprintf(r->out, sizeof(r->out), "%s.db", r->exp.origin.id);
    const char *dot = strrchr(r->out, '.'), *slash = strrchr(r->out, '/');
    int stem = dot != NULL && dot > r->out && (slash == NULL || dot > slash + 1) ? (int)(dot - r->out) : length;
    int other = args->report != NULL ? snprintf(r->report, sizeof(r->report), "%s", args->report)
                                     : snprintf(r->report, sizeof(r->report), "%.*s.html", stem, r->out);
    if (length >= (int)sizeof(r->out) || other >= (int)sizeof(r->report))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "the name of a file is longer than %d bytes", PATH_BYTES - 1);
    return 0;
}

/* Hours may lie between this and the report. What is no regular file (a pipe) is left for then. */
static int check_report(const struct reproduce *r, struct weir_err *err)
{
    struct weir_outfile out;
    struct stat there;
    int code;
    if (strcmp(r->report, r->out) == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--report OUT.html says where the report goes",
                         "%s: cannot be the result file and the report", r->out);
    if (strcmp(r->report, "-") == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir report OUT.db -o - writes a page there",
                         "--report -: must be a file, standard output has the tables");
    code = weir_report_target(r->report, err);
    if (code != 0)
        return code;
    if (stat(r->report, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return 0;
    code = weir_outfile_open(&out, r->report, NULL, err);
    weir_outfile_abandon(&out);
    return code;
}

/* Hours may be in what another --scale or commit has left there. */
static int fail_other(const struct reproduce *r, const struct weir_results_found *found, struct weir_err *err)
{
    static const char *const word[] = { "length", "settings", "the version of Weir", "the commit of Weir" };
    char what[128] = "";
    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
        size_t used = strlen(what);
        if ((found->differs >> i & 1) != 0)
            (void)snprintf(what + used, sizeof(what) - used, "%s%s", used > 0 ? ", " : "", word[i]);
    }
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "-o OTHER.db leaves them alone; --fresh deletes them",
                     "%s: %u run%s of these points would be replaced; what is asked for now differs in %s", r->out,
                     (unsigned)found->other, found->other == 1 ? "" : "s", what);
}

static int adopt(struct reproduce *r, struct weir_err *err)
{
    static const struct weir_results_by by = { .version = WEIR_VERSION, .commit = WEIR_COMMIT };
    struct weir_results_found found;
    bool dirty = strstr(WEIR_COMMIT, "-dirty") != NULL;
    uint32_t built = 0;
    int code;
    if (r->args.fresh)
        return weir_results_forget(&r->plan, r->store, err);
    code = weir_results_adopt(&r->plan, r->store, &by, &found, err);
    if (code == 0 && found.other > 0)
        return fail_other(r, &found, err);
    for (uint32_t i = 0; i < r->plan.point_count; i++)
        built += r->plan.point[i].state != WEIR_POINT_NOT_BUILT;
    if (code == 0 && found.same > 0)
        (void)fprintf(stderr, "weir: %u of %u runs are in %s already%s; --fresh runs them again\n",
                      (unsigned)found.same, (unsigned)built, r->out,
                      dirty ? ", made by sources with changes as these have" : "");
    return code;
}

/* --- after the runs --- */

static int make_tables(struct reproduce *r, struct weir_err *err)
{
    struct weir_measured measured = { .read = weir_results_read, .compare = weir_results_compare, .ctx = r->store };
    int code = 0;
    for (uint32_t f = 0; f < r->plan.figure_count; f++) {
        const struct weir_figure *figure = r->plan.figure[f];
        for (uint32_t t = 0; t < figure->table_count && code == 0; t++) {
            if (r->cells_count == TABLES_MAX)
                return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %d tables at once", TABLES_MAX);
            code = weir_cells_make(&r->cells[r->cells_count++], &r->plan, figure, &figure->table[t], &measured, err);
        }
    }
    return code;
}

static uint32_t count_done(const struct weir_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->point_count; i++)
        count += plan->point[i].state == WEIR_POINT_DONE;
    return count;
}

/* "3,14,15": the runs that the tables are made of. NULL = no memory */
static char *list_runs(const struct weir_plan *plan)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL)
        return NULL;
    for (uint32_t i = 0, count = 0; i < plan->point_count; i++)
        if (plan->point[i].state == WEIR_POINT_DONE)
            (void)fprintf(memory, "%s%lld", count++ > 0 ? "," : "", (long long)plan->point[i].run);
    (void)fclose(memory);
    return text;
}

/* The tables as a file that no folder has, and its name for another process. @return NULL = it cannot be made */
static FILE *write_tables(const struct weir_outcome *outcome, char *name, size_t size)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return NULL;
    weir_reproduce_print(file, outcome);
    if (fflush(file) != 0) {
        (void)fclose(file);
        return NULL;
    }
    (void)snprintf(name, size, "/proc/%ld/fd/%d", (long)getpid(), fileno(file));
    return file;
}

/* The report is made by the command of that name. Of the file it shows what the tables do: the rest may be of another length,
 * or made by another Weir. */
static int write_report(const struct reproduce *r, const struct weir_outcome *outcome)
{
    char *only = list_runs(&r->plan), name[64];
    FILE *tables = write_tables(outcome, name, sizeof(name));
    const char *argv[] = { NULL, "report", r->out, "-o", r->report, "--runs", only, "--text", name, NULL };
    int status = only != NULL && tables != NULL ? weir_child_call(argv) : -1;
    free(only);
    if (tables != NULL)
        (void)fclose(tables);
    if (status == WEIR_EXIT_DONE) {
        (void)fprintf(stderr, "weir: results in %s, report in %s\n", r->out, r->report);
        return WEIR_EXIT_DONE;
    }
    (void)fprintf(stderr, "weir: results in %s; the report could not be made: weir report %s -o %s\n", r->out, r->out,
                  r->report);
    return WEIR_EXIT_FAILURE;
}

/* A signal counts more than a failed run, that more than a report that could not be written, that more than a deviation. */
static int status_of(const struct reproduce *r, const struct weir_sweep_outcome *swept,
                     const struct weir_outcome *outcome, int report)
{
    const struct weir_verdicts verdicts = weir_reproduce_verdicts(outcome);
    const char *again = r->args.fresh ? " without --fresh" : "";
    uint32_t outside = verdicts.count[WEIR_CELL_OUTSIDE];
    if (swept->signal != 0) {
        (void)fprintf(stderr, "weir: interrupted; the same command%s goes on where this one ended\n", again);
        return WEIR_EXIT_SIGNAL + swept->signal;
    }
    if (swept->failed > 0) {
        (void)fprintf(stderr, "weir: %u run%s failed; the same command%s tries %s again\n", (unsigned)swept->failed,
                      swept->failed == 1 ? "" : "s", again, swept->failed == 1 ? "it" : "them");
        return WEIR_EXIT_FAILURE;
    }
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
        .plan = &r->plan, .cells = r->cells, .version = WEIR_VERSION, .commit = WEIR_COMMIT
    };
    struct weir_err err;
    bool any = count_done(&r->plan) > 0;
    int report = WEIR_EXIT_DONE;
    if (make_tables(r, &err) != 0)
        return failed(&err);
    outcome.cells_count = r->cells_count;
    weir_store_close(r->store); /* first the files: who reads stdout may have gone */
    r->store = NULL;
    if (any)
        report = write_report(r, &outcome);
    if (r->args.json)
        weir_reproduce_json(stdout, &outcome);
    else
        weir_reproduce_print(stdout, &outcome);
    (void)fflush(stdout);
    return weir_cli_finish(status_of(r, swept, &outcome, report));
}

/* --- the command --- */

/* What is about to run, where it takes more than a minute in all. */
static void print_cost(const struct weir_plan *plan, struct weir_store *store)
{
    const struct weir_cost cost = weir_cost_estimate(plan, store);
    if (cost.all_ps < 60 * WEIR_PS_PER_S)
        return;
    (void)fprintf(stderr, "weir: %u run%s, about %s of one core at scale %g\n", (unsigned)cost.runs,
                  cost.runs == 1 ? "" : "s", weir_format_left(cost.all_ps / WEIR_PS_PER_S).text,
                  (double)plan->scale_ppm / 1e6);
    if (cost.hops > 0)
        (void)fprintf(stderr, "weir: about %s packet-hops, %.0f ns each: %s\n", weir_format_count(cost.hops).text,
                      (double)cost.hop_runs_ps / 1e3 / (double)cost.hops,
                      cost.measured_runs == cost.hop_runs ? "as the runs in the file took"
                      : cost.measured_runs > 0            ? "in part as the runs in the file took"
                                                          : "as the experiment states it");
}

static int sweep(struct reproduce *r)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct weir_sweep_options options = { .dir = &r->dir, .store = r->store, .jobs = r->args.jobs };
    struct weir_sweep_outcome swept = { 0 };
    struct weir_err err;
    if (options.jobs == 0)
        options.jobs = processors < 1 ? 1 : processors > (long)WEIR_JOBS_MAX ? WEIR_JOBS_MAX : (uint32_t)processors;
    print_cost(&r->plan, r->store);
    if (weir_plan_next(&r->plan) != NULL && weir_sweep_run(&r->plan, &options, &swept, &err) != 0)
        return failed(&err);
    weir_sweep_dir_close(&r->dir); /* the report's program must not have our signals blocked */
    return conclude(r, &swept);
}

static int run_loaded(struct reproduce *r)
{
    struct weir_err err;
    int status, number = 0;
    if (name_files(r, &err) != 0 || lay_out(r, &err) != 0) {
        status = refused(&err);
    } else if ((number = weir_sweep_dir_signal(&r->dir)) != 0) {
        status = WEIR_EXIT_SIGNAL + number; /* unless closing the folder lets it through, as it usually does */
    } else if (weir_store_open(&r->store, r->out, &err) != 0 || check_report(r, &err) != 0 || adopt(r, &err) != 0) {
        status = refused(&err);
    } else {
        status = sweep(r);
    }
    weir_store_close(r->store);
    weir_sweep_dir_close(&r->dir);
    return status;
}

int weir_cli_reproduce(int argc, char **argv)
{
    struct weir_err err;
    struct reproduce *r = calloc(1, sizeof(*r));
    int status;
    if (argc > 1 && strcmp(argv[1], WEIR_TESTBED_PAPER) == 0) {
        free(r);
        return weir_cli_testbed(argc, argv);
    }
    if (r == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return refused(&err);
    }
    if (weir_reproduce_args_parse(&r->args, argc, argv, &err) != 0) {
        status = refused(&err);
    } else if (r->args.help) {
        (void)weir_cli_usage("reproduce");
        status = weir_cli_finish(WEIR_EXIT_DONE);
    } else if (weir_experiment_load(&r->exp, r->args.paper, &err) != 0) {
        status = refused(&err);
    } else {
        status = run_loaded(r);
        weir_experiment_free(&r->exp);
    }
    free(r);
    return status;
}
