/* src/commands/cli/campaign.c - runs the points of a plan and keeps them in a result file; see campaign.h. */
#include "cli/campaign.h"
#include "cli/report_cmd.h"
#include "config/dump.h"
#include "core/units.h"
#include "param/number.h"
#include "reproduce/cost.h"
#include "reproduce/experiment_load.h"
#include "reproduce/lengths.h"
#include "reproduce/results.h"
#include "reproduce/sweep_child.h"
#include "text/commit.h"
#include "text/format.h"
#include "text/memory.h"
#include "text/outfile.h"
#include "text/print.h"
#include "text/version.h"
#include "text/wait.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct weir_campaign *weir_campaign_new(void)
{
    struct weir_campaign *c = calloc(1, sizeof(*c));
    struct weir_err err;
    if (c == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        weir_cli_error(&err);
        return NULL;
    }
    c->wait_ps = 60 * WEIR_PS_PER_S;
    return c;
}

void weir_campaign_free(struct weir_campaign *c)
{
    if (c == NULL)
        return;
    weir_store_close(c->store);
    weir_sweep_dir_close(&c->dir);
    if (c->exp.arena != NULL)
        weir_experiment_free(&c->exp);
    free(c);
}

/* --- before the runs --- */

int weir_campaign_load(struct weir_campaign *c, const char *path, struct weir_err *err)
{
    int code = weir_experiment_load_file(&c->exp, path, err);
    if (code == 0 && !c->exp.implied)
        return weir_fail(err, WEIR_E_CONFLICT, &(struct weir_tok){ .file = path },
                         "weir reproduce ./FOLDER runs it: a folder in which it is called " WEIR_EXPERIMENT_FILE,
                         "has figures: a sweep is every combination of its axes");
    return code;
}

/* Sets the names of both files. By default the report is named after the result file: "sird.html" for "sird.db". */
int weir_campaign_name_files(struct weir_campaign *c, const char *stem, const char *out, const char *report,
                             struct weir_err *err)
{
    int length =
        out != NULL ? snprintf(c->out, sizeof(c->out), "%s", out) : snprintf(c->out, sizeof(c->out), "%s.db", stem);
    const char *dot = strrchr(c->out, '.'), *slash = strrchr(c->out, '/');
    int kept = dot != NULL && dot > c->out && (slash == NULL || dot > slash + 1) ? (int)(dot - c->out) : length;
    int other = report != NULL ? snprintf(c->report, sizeof(c->report), "%s", report)
                               : snprintf(c->report, sizeof(c->report), "%.*s.html", kept, c->out);
    if (length >= (int)sizeof(c->out) || other >= (int)sizeof(c->report))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "the name of a file is longer than %d bytes",
                         WEIR_CAMPAIGN_PATH - 1);
    return 0;
}

const char *weir_campaign_dump(struct weir_campaign *c)
{
    struct weir_memory memory;
    char *kept = NULL;
    if (weir_memory_open(&memory) != NULL)
        weir_scenario_dump(memory.file, &c->scn);
    if (weir_memory_close(&memory))
        kept = weir_tree_arena_text(c->exp.arena, memory.bytes, memory.length);
    free(memory.bytes);
    return kept;
}

/* Sets c->scn.base_dir, the folder in which the names of files in a scenario are looked up. The folder is that of the
 * scenario file that the child processes read. Messages still name the scenario by its path in the experiment. */
static int start_names(struct weir_campaign *c, const char *scenario, struct weir_err *err)
{
    char path[WEIR_CAMPAIGN_PATH], *slash;
    weir_sweep_dir_file(&c->dir, scenario, path, sizeof(path));
    slash = strrchr(path, '/');
    if (slash != NULL)
        slash[slash == path] = '\0'; /* keeps the slash of "/x" */
    free(c->scn.base_dir);
    c->scn.base_dir = strdup(path);
    return c->scn.base_dir != NULL ? 0 : weir_fail_memory(err);
}

/* Returns the simulated time of a run. For a run that ends with its last message the time is not known: returns one
 * second, so that such runs start early. */
static uint64_t simulated_ps(const struct weir_run_config *run)
{
    return run->measure_ps == WEIR_NEVER ? WEIR_PS_PER_S : run->warmup_ps + run->measure_ps;
}

/* Resolves one point: reads the scenario and sets it up, so that the child process cannot refuse it later. Sets
 * p->resolved, p->weight and p->hops. @return 0, or a code with err */
static int resolve(struct weir_campaign *c, struct weir_point *p, struct weir_err *err)
{
    const char *path = weir_origin_path(&c->exp.origin, c->exp.arena, p->scenario), *text;
    int code;
    if (path == NULL)
        return weir_fail_memory(err);
    code = weir_origin_read(&c->exp.origin, c->exp.arena, p->scenario, NULL, &text, err);
    if (code == 0)
        code = weir_scenario_parse(&c->scn, path, text, strlen(text), p->set, p->set_count, err);
    if (code != 0)
        return code;
    code = start_names(c, p->scenario, err);
    if (code == 0)
        code = weir_setup_init(&c->setup, &c->scn, err);
    if (code == 0) {
        p->resolved = weir_campaign_dump(c); /* compared with the result file, to find whether this point was run */
        if (p->resolved == NULL)
            code = weir_fail_memory(err);
        weir_plan_weigh(p, simulated_ps(&c->scn.run));
        p->hops = weir_setup_packet_hops(&c->setup);
        weir_setup_free(&c->setup);
    }
    weir_scenario_free(&c->scn);
    return code;
}

int weir_campaign_lay_out(struct weir_campaign *c, const struct weir_plan_request *request, struct weir_err *err)
{
    int code = weir_plan_make(&c->plan, &c->exp, request, err);
    return code != 0 ? code : weir_campaign_resolve(c, err);
}

/* Prints err, the error of a point's settings, and replaces it by one that names the point. @return the code of err */
static int fail_point(const struct weir_campaign *c, const struct weir_point *p, struct weir_err *err)
{
    enum weir_err_code code = err->code;
    weir_cli_error(err); /* the error that names the point is printed after it */
    if (c->exp.implied)
        return weir_fail(err, code, NULL, NULL, "so nothing is run: point %u, %s, is refused", (unsigned)p->number,
                         p->name);
    return weir_fail(err, code, NULL, NULL, "so figure %s cannot be run: its point %s is refused", p->figure->name,
                     p->name);
}

int weir_campaign_resolve(struct weir_campaign *c, struct weir_err *err)
{
    int code = c->dir.is_open ? 0 : weir_sweep_dir_open(&c->dir, &c->exp.origin, c->exp.arena, err);
    for (uint32_t i = 0; i < c->plan.point_count && code == 0 && weir_sweep_dir_signal(&c->dir) == 0; i++) {
        if (c->plan.point[i].state == WEIR_POINT_NOT_BUILT || c->plan.point[i].resolved != NULL)
            continue;
        code = resolve(c, &c->plan.point[i], err);
        if (code != 0)
            return fail_point(c, &c->plan.point[i], err);
    }
    if (code == 0)
        weir_cost_weigh(&c->plan);
    return code;
}

/* Checks before the runs that the report can be written, because the runs may take hours. Does not open an existing
 * file that is not regular (a pipe). @return 0, or a code with err */
static int check_report(const struct weir_campaign *c, struct weir_err *err)
{
    struct weir_outfile out;
    struct stat there;
    int code;
    if (c->report[0] == '\0')
        return 0;
    if (strcmp(c->report, c->out) == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--report OUT.html says where the report goes",
                         "%s: cannot be the result file and the report", c->out);
    if (strcmp(c->report, "-") == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir report OUT.db -o - writes a page there",
                         "--report -: must be a file, standard output has the tables");
    code = weir_report_target(c->report, err);
    if (code != 0)
        return code;
    if (stat(c->report, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return 0;
    code = weir_outfile_open(&out, c->report, NULL, err);
    weir_outfile_abandon(&out);
    return code;
}

/* Fills err: runs of another length, settings, version or commit would be replaced, which may have taken hours. @return
 * WEIR_E_CONFLICT */
static int fail_other(const struct weir_campaign *c, const struct weir_results_found *found, struct weir_err *err)
{
    static const char *const kind[] = { "length", "settings", "the version of Weir", "the commit of Weir" };
    char what[128] = "";
    for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
        size_t used = strlen(what);
        if ((found->differs >> i & 1) != 0)
            (void)snprintf(what + used, sizeof(what) - used, "%s%s", used > 0 ? ", " : "", kind[i]);
    }
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "-o OTHER.db leaves them alone; --fresh deletes them",
                     "%s: %u run%s of these points would be replaced; what is asked for now differs in %s", c->out,
                     (unsigned)found->other, found->other == 1 ? "" : "s", what);
}

/* Marks pending points as done whose runs the file has; with `fresh` deletes these runs instead. */
static int adopt(struct weir_campaign *c, bool fresh, struct weir_err *err)
{
    static const struct weir_results_by by = { .version = WEIR_VERSION, .commit = WEIR_COMMIT };
    struct weir_results_found found;
    uint32_t before = weir_campaign_done(c);
    int code;
    if (fresh)
        return weir_results_forget(&c->plan, c->store, err);
    code = weir_results_adopt(&c->plan, c->store, &by, &found, err);
    /* lengths that were found may grow with a law more: then runs of the shorter ones run again */
    if (code == 0 && found.other > 0 && !(c->finds_lengths && found.differs == WEIR_DIFFERS_LENGTH))
        return fail_other(c, &found, err);
    c->adopted += weir_campaign_done(c) - before;
    if (code == 0 && found.without > 0)
        (void)fprintf(stderr,
                      "weir: %u runs are in %s without the messages that --keep-messages asks for: they run again\n",
                      (unsigned)found.without, c->out);
    return code;
}

void weir_campaign_print_adopted(const struct weir_campaign *c, uint32_t all)
{
    bool dirty = strstr(WEIR_COMMIT, "-dirty") != NULL;
    if (c->adopted > 0)
        (void)fprintf(stderr, "weir: %u of %u runs are in %s already%s; --fresh runs them again\n",
                      (unsigned)c->adopted, (unsigned)all, c->out,
                      dirty ? ", made by sources with changes as these have" : "");
}

static int signal_of(const void *dir)
{
    return weir_sweep_dir_signal(dir);
}

struct weir_wait weir_campaign_wait(const struct weir_campaign *c)
{
    return (struct weir_wait){ .most_ps = c->wait_ps, .stopped = signal_of, .ctx = &c->dir };
}

static int open_file(struct weir_campaign *c, struct weir_err *err)
{
    struct weir_wait until = weir_campaign_wait(c);
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    int code = weir_store_open(&c->store, c->out, &caller, err);
    return code != 0 ? code : check_report(c, err);
}

static int find_runs(struct weir_campaign *c, bool fresh, struct weir_err *err)
{
    struct weir_wait until = weir_campaign_wait(c);
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    int code;
    weir_store_set_caller(c->store, &caller);
    code = adopt(c, fresh, err);
    weir_store_set_caller(c->store, NULL);
    return code;
}

/* --- the runs --- */

/* Prints the estimated cost of the runs, if they take a minute or more in all. */
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

static int run_missing(struct weir_campaign *c, uint32_t jobs, struct weir_sweep_outcome *swept, struct weir_err *err)
{
    struct weir_sweep_options options = { .dir = &c->dir, .store = c->store, .jobs = weir_campaign_jobs(jobs) };
    struct weir_sweep_outcome now = { 0 };
    int code = 0;
    print_cost(&c->plan, c->store);
    if (weir_plan_next(&c->plan) != NULL)
        code = weir_sweep_run(&c->plan, &options, &now, err);
    swept->done += now.done;
    swept->failed += now.failed;
    swept->ended += now.ended;
    swept->signal = now.signal;
    return code;
}

int weir_campaign_interrupted(const struct weir_campaign *c)
{
    int number = weir_sweep_dir_signal(&c->dir);
    return number != 0 ? weir_cli_interrupted(number, "nothing was run") : WEIR_EXIT_DONE;
}

/* Prints an error before the first run. @return the exit status; that of a signal if one is pending */
static int refuse(const struct weir_campaign *c, const struct weir_err *err)
{
    int interrupted = weir_campaign_interrupted(c);
    return interrupted != WEIR_EXIT_DONE ? interrupted : weir_cli_refused(err);
}

int weir_campaign_open(struct weir_campaign *c, const struct weir_campaign_args *args)
{
    struct weir_err err;
    c->wait_ps = args->wait_ps;
    return open_file(c, &err) == 0 ? WEIR_EXIT_DONE : refuse(c, &err);
}

int weir_campaign_run(struct weir_campaign *c, const struct weir_campaign_args *args, struct weir_sweep_outcome *swept)
{
    struct weir_err err;
    if (find_runs(c, args->fresh, &err) != 0)
        return refuse(c, &err);
    return run_missing(c, args->jobs, swept, &err) == 0 ? WEIR_EXIT_DONE : weir_cli_failed(&err);
}

void weir_campaign_end_runs(struct weir_campaign *c)
{
    weir_sweep_dir_close(&c->dir); /* unblocks signals, which the child process of the report would inherit */
}

static uint32_t count_built(const struct weir_plan *plan)
{
    uint32_t built = 0;
    for (uint32_t i = 0; i < plan->point_count; i++)
        built += plan->point[i].state != WEIR_POINT_NOT_BUILT;
    return built;
}

/* Prints the share of the messages that the result file keeps. */
static void print_kept(const struct weir_plan *plan)
{
    const struct weir_results_kept kept = weir_results_kept(plan);
    if (kept.runs > 0)
        (void)fprintf(stderr, "weir: kept %s of %s messages of %u runs, each row with its weight\n",
                      weir_format_grouped(kept.rows).text, weir_format_grouped(kept.messages).text,
                      (unsigned)kept.runs);
}

/* Finds the lengths of points with run.measure: auto, and resolves these points again. @return 0, or a code with err */
static int find_lengths(struct weir_campaign *c, const struct weir_campaign_args *args,
                        struct weir_sweep_outcome *swept, struct weir_err *err)
{
    const struct weir_sweep_options options = { .dir = &c->dir,
                                                .store = c->store,
                                                .jobs = weir_campaign_jobs(args->jobs) };
    int code;
    for (uint32_t i = 0; i < c->plan.point_count; i++)
        c->finds_lengths |= weir_lengths_wants(&c->plan.point[i]);
    code = weir_lengths_find(&c->plan, &options, args->fresh, swept, err);
    return code != 0 || swept->signal != 0 ? code : weir_campaign_resolve(c, err);
}

int weir_campaign_execute(struct weir_campaign *c, const struct weir_campaign_args *args,
                          struct weir_sweep_outcome *swept)
{
    struct weir_err err;
    int status = weir_campaign_open(c, args);
    *swept = (struct weir_sweep_outcome){ 0 };
    if (status != WEIR_EXIT_DONE)
        return status;
    c->plan.keep_messages = args->keep_messages;
    if (find_lengths(c, args, swept, &err) != 0)
        return weir_cli_failed(&err);
    if (swept->signal != 0)
        return weir_campaign_status(swept, args->fresh);
    if (find_runs(c, args->fresh, &err) != 0)
        return refuse(c, &err);
    weir_campaign_print_adopted(c, count_built(&c->plan));
    swept->done = 0; /* of the runs themselves */
    if (run_missing(c, args->jobs, swept, &err) != 0)
        return weir_cli_failed(&err);
    weir_campaign_end_runs(c);
    if (args->keep_messages > 0)
        print_kept(&c->plan);
    return WEIR_EXIT_DONE;
}

/* --- after the runs --- */

int weir_campaign_tables(struct weir_campaign *c, struct weir_err *err)
{
    int code = 0;
    for (uint32_t f = 0; f < c->plan.figure_count; f++) {
        const struct weir_figure *figure = c->plan.figure[f];
        for (uint32_t t = 0; t < figure->table_count && code == 0; t++) {
            if (c->cells_count == WEIR_CAMPAIGN_TABLES)
                return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %d tables at once", WEIR_CAMPAIGN_TABLES);
            code = weir_cells_make(&c->cells[c->cells_count++], &c->plan, figure, &figure->table[t],
                                   &weir_results_measured, err);
        }
    }
    return code != 0 ? code : weir_store_check(c->store, err);
}

uint32_t weir_campaign_done(const struct weir_campaign *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->plan.point_count; i++)
        count += c->plan.point[i].state == WEIR_POINT_DONE;
    return count;
}

void weir_campaign_close_store(struct weir_campaign *c)
{
    weir_store_close(c->store);
    c->store = NULL;
}

int weir_campaign_status(const struct weir_sweep_outcome *swept, bool fresh)
{
    const char *again = fresh ? " without --fresh" : "";
    if (swept->signal != 0) {
        (void)fprintf(stderr, "weir: interrupted; the same command%s goes on where this one ended\n", again);
        return WEIR_EXIT_SIGNAL + swept->signal;
    }
    if (swept->failed == 0)
        return WEIR_EXIT_DONE;
    (void)fprintf(stderr, "weir: %u run%s failed; the same command%s tries %s again\n", (unsigned)swept->failed,
                  swept->failed == 1 ? "" : "s", again, swept->failed == 1 ? "it" : "them");
    return swept->failed == swept->ended ? WEIR_EXIT_AGAIN : WEIR_EXIT_FAILURE;
}
