/* src/cli/run.c - `weir run`: scenario, set-up, simulation, report. Whatever can be refused is refused before the run
 * begins. */
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/setup.h"
#include "cli/stop.h"
#include "cli/version.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct run { /* large: on the heap */
    struct weir_run_args args;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_outfile messages;
    struct weir_progress_line progress;
    struct weir_result result;
    char *diagnosis; /* why a run stalled; owned */
    size_t diagnosis_size;
    uint64_t setup_ns; /* reading the scenario included */
};

static uint64_t peak_rss_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0; /* Linux counts KiB */
}

/* Before the run a refusal is the user's to mend; memory is not. */
static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return err->code == WEIR_E_MEMORY ? WEIR_EXIT_FAILURE : WEIR_EXIT_USAGE;
}

static int failed(const struct weir_err *err)
{
    weir_cli_error(err);
    switch (err->code) {
    case WEIR_E_RUN:
        return WEIR_EXIT_CHECK;
    case WEIR_E_MEMORY:
    case WEIR_E_FILE:
        return WEIR_EXIT_FAILURE;
    default: /* found out late, still the user's: more threads than nodes */
        return WEIR_EXIT_USAGE;
    }
}

static int simulate(struct run *run, struct weir_err *err)
{
    FILE *diagnosis = open_memstream(&run->diagnosis, &run->diagnosis_size);
    struct weir_sim_options options = {
        .threads = run->args.threads,
        .check = run->args.check,
        .messages = run->messages.file,
        .progress = weir_progress_told,
        .progress_ctx = &run->progress,
        .stop = weir_stop_flag(),
        .diagnosis = diagnosis,
    };
    bool show = run->args.progress == WEIR_PROGRESS_ALWAYS ||
                (run->args.progress == WEIR_PROGRESS_AUTO && isatty(STDERR_FILENO) == 1);
    uint64_t start_ns = weir_wall_ns();
    int code;
    weir_progress_begin(&run->progress, stderr, show, start_ns);
    code = weir_sim_run(&run->setup.model, &options, &run->result, err);
    run->result.setup_ns = run->setup_ns;
    run->result.wall_ns = weir_wall_ns() - start_ns;
    run->result.peak_rss_bytes = peak_rss_bytes();
    weir_progress_end(&run->progress);
    if (diagnosis != NULL)
        (void)fclose(diagnosis);
    return code;
}

static void print_report(const struct run *run)
{
    const struct weir_setup *setup = &run->setup;
    const struct weir_model *model = &setup->model;
    struct weir_report report = {
        .version = WEIR_VERSION,
        .scenario = run->scn.name,
        .protocol = run->scn.protocol->name,
        .topology = weir_topology_kinds[run->scn.topology.kind],
        .seed = model->seed,
        .host_rate_bps = model->host.path.rate_bps,
        .load_bps = setup->workload.offered_bps_per_host,
        .listed_messages = setup->workload.finite_messages,
        .bdp_bytes = setup->bdp_bytes,
        .base_rtt_ps = setup->base_rtt_ps,
        .warmup_ps = model->warmup_ps,
        .result = &run->result,
    };
    memcpy(report.group_edge, model->group_edge, sizeof(report.group_edge));
    if (run->args.json)
        weir_report_json(stdout, &report);
    else
        weir_report_table(stdout, &report);
}

/* What a run that came to its end, or was asked to end, still has to say. */
static int conclude(const struct run *run)
{
    int signal_number = *weir_stop_flag(), status = WEIR_EXIT_DONE;
    print_report(run);
    if (run->diagnosis_size > 0)
        (void)fwrite(run->diagnosis, 1, run->diagnosis_size, stderr);
    if (signal_number != 0) {
        (void)fprintf(stderr, "weir: interrupted; the results are of what was done\n");
        status = WEIR_EXIT_SIGNAL + signal_number;
    }
    if (run->result.samples_lost) {
        (void)fprintf(stderr, "weir: memory ran out for samples: percentiles are of the earlier messages only\n");
        status = WEIR_EXIT_FAILURE;
    }
    if (run->result.stalled) {
        (void)fprintf(stderr, "weir: the run stalled: messages wait, and nothing was delivered any more\n");
        status = WEIR_EXIT_CHECK;
    }
    return weir_cli_finish(status);
}

/* Threads wait for each other at every window: one that has no processor of its own holds up all. */
static void warn_of_threads(uint32_t threads)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0 && threads > (unsigned long)processors)
        (void)fprintf(stderr, "weir: %u threads share %ld processor%s: fewer threads would be faster\n",
                      (unsigned)threads, processors, processors == 1 ? "" : "s");
}

static int run_it(struct run *run)
{
    struct weir_err err;
    warn_of_threads(run->args.threads);
    if (simulate(run, &err) != 0) {
        if (err.code == WEIR_E_FILE && run->messages.file != NULL)
            (void)weir_outfile_commit(&run->messages, &err); /* fails as the write did, and knows the reason */
        weir_outfile_abandon(&run->messages);
        return failed(&err);
    }
    if (run->messages.file != NULL && weir_outfile_commit(&run->messages, &err) != 0)
        return failed(&err);
    return conclude(run);
}

static int run_set_up(struct run *run)
{
    const struct weir_run_args *args = &run->args;
    struct weir_err err;
    uint64_t start_ns = weir_wall_ns();
    int status;
    if (weir_scenario_load(&run->scn, args->file, args->set, args->set_count, &err) != 0)
        return refused(&err);
    if (weir_setup_init(&run->setup, &run->scn, &err) != 0) {
        weir_scenario_free(&run->scn);
        return refused(&err);
    }
    run->setup_ns = weir_wall_ns() - start_ns;
    weir_stop_install();
    if (args->messages != NULL && weir_outfile_open(&run->messages, args->messages, args->file, &err) != 0)
        status = refused(&err);
    else
        status = run_it(run);
    weir_setup_free(&run->setup);
    weir_scenario_free(&run->scn);
    return status;
}

int weir_cli_run(int argc, char **argv)
{
    struct weir_err err;
    struct run *run = calloc(1, sizeof(*run));
    int status;
    if (run == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return refused(&err);
    }
    if (weir_run_args_parse(&run->args, argc, argv, &err) != 0) {
        free(run);
        return refused(&err);
    }
    if (run->args.help) {
        (void)weir_cli_usage("run");
        status = weir_cli_finish(WEIR_EXIT_DONE);
    } else {
        status = run_set_up(run);
    }
    weir_run_args_free(&run->args);
    free(run->diagnosis);
    free(run);
    return status;
}
