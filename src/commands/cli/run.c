/* src/commands/cli/run.c - `weir run`: reads the scenario, sets the run up, simulates and reports. All errors that can
 * be found before the run are found before it. */
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/ranks.h"
#include "cli/run_skip.h"
#include "cli/run_files.h"
#include "cli/run_live.h"
#include "cli/warnings.h"
#include "core/math.h"
#include "output/deadlock_print.h"
#include "output/topology_print.h"
#include "output/inputs.h"
#include "output/profile_print.h"
#include "output/report.h"
#include "output/run_progress.h"
#include "setup/setup.h"
#include "engine/sim.h"
#include "solve/compare.h"
#include "solve/length.h"
#include "text/clock.h"
#include "text/outfile.h"
#include "text/stop.h"
#include "text/version.h"
#include "text/wait.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct run { /* state of `weir run`; large, so on the heap */
    struct weir_run_args args;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_timeline timeline;
    struct weir_watch *live; /* NULL = no page shows the run */
    struct weir_run_files files;
    struct weir_record record;
    struct weir_compare compare;
    struct weir_compared compared;
    struct weir_progress_line progress;
    uint64_t snapshot_every_ps; /* interval between snapshots from now on */
    struct weir_result result;
    struct weir_profile profile;
    struct weir_findings findings;
    struct weir_carrier *carrier; /* NULL = one process */
    bool is_split;                /* what this process does from now on, the other ranks do not */
    char *diagnosis;              /* text that explains a stalled run; owned */
    size_t diagnosis_size;
    struct weir_run_length length; /* with measure: auto */
    bool is_stopped;               /* a signal came while its length was sought */
    /* instants: the program began, with reading the scenario; all was set up, the engine included */
    uint64_t start_ns, began_ns;
};

/* Returns the largest memory that this process had, or one of its ranks, which have ended. */
static uint64_t peak_rss_bytes(void)
{
    struct rusage own, children;
    if (getrusage(RUSAGE_SELF, &own) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return 0;
    return (uint64_t)(own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss) * 1024; /* KiB */
}

static int failed(const struct weir_err *err)
{
    weir_cli_error(err);
    switch (err->code) {
    case WEIR_E_RUN:
        return WEIR_EXIT_CHECK;
    case WEIR_E_MEMORY:
    case WEIR_E_FILE:
    case WEIR_E_RANK:
        return WEIR_EXIT_FAILURE;
    default: /* an error of the user, found late: more threads than nodes */
        return WEIR_EXIT_USAGE;
    }
}

/* Passes delivered messages to the files of the run, and to the result file if there is one. With --no-messages
 * weir_record_rows() ignores them. */
static int take_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    struct run *run = ctx;
    int code = weir_run_files_rows(&run->files, row, count);
    return code != 0 || run->record.store == NULL ? code : weir_record_rows(&run->record, row, count);
}

static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct run *run = ctx;
    bool is_last = snapshot->at_ps >= run->setup.model.warmup_ps + run->setup.model.measure_ps;
    int code = run->compare.snapshot_ps != 0 ? weir_compare_snapshot(&run->compare, snapshot) : 0;
    if (code == 0)
        code = weir_run_files_snapshot(&run->files, snapshot);
    if (code != 0 || run->record.store == NULL)
        return code;
    if (run->compare.snapshot_ps != 0 && snapshot->at_ps % run->record.snapshot_ps != 0 && !is_last)
        return 0;
    code = weir_record_snapshot(&run->record, snapshot);
    if (run->compare.snapshot_ps == 0 && !weir_run_files_take_snapshots(&run->files))
        run->snapshot_every_ps = run->record.interval_ps; /* it keeps no others */
    return code;
}

/* Returns the time between snapshots; 0 = no snapshots are needed. If both the comparison and the series of the result
 * file need snapshots, changes both intervals. Then that of the comparison is shorter, and that of the series is a
 * multiple of it. */
static uint64_t snapshot_distance(struct run *run)
{
    uint64_t own_ps = run->compare.snapshot_ps, times;
    if (run->record.store == NULL && own_ps == 0 && weir_run_files_take_snapshots(&run->files))
        return weir_record_distance_ps(&run->setup.model, run->args.series_ps);
    if (run->record.store == NULL)
        return own_ps;
    if (own_ps == 0)
        return run->record.snapshot_ps;
    times = (run->record.snapshot_ps + own_ps - 1) / own_ps;
    run->compare.snapshot_ps = weir_max_u64(1, run->record.snapshot_ps / times);
    run->record.snapshot_ps = run->record.interval_ps = times * run->compare.snapshot_ps;
    return run->compare.snapshot_ps;
}

static void note_began(void *ctx)
{
    struct run *run = ctx;
    run->began_ns = weir_wall_ns();
}

/* Ends the other processes. is_whole: they have done their part. */
static void end_ranks(struct run *run, bool is_whole)
{
    if (run->carrier != NULL)
        run->carrier->close(run->carrier, is_whole);
    run->carrier = NULL;
}

static int simulate(struct run *run, struct weir_err *err)
{
    bool record = run->record.store != NULL;
    FILE *diagnosis = open_memstream(&run->diagnosis, &run->diagnosis_size);
    struct weir_sim_options options = {
        .threads = run->args.threads,
        .carrier = run->carrier,
        .check = run->args.check,
        .general = run->args.general,
        .rows = weir_run_files_take_rows(&run->files) || (record && !run->args.no_messages) ? take_rows : NULL,
        .rows_ctx = run,
        .snapshot_ps = snapshot_distance(run),
        .snapshot_ctx = run,
        .snapshot_every_ps = &run->snapshot_every_ps,
        .snapshot_flows = run->record.flows > 0 || run->compare.snapshot_ps != 0,
        .detail = record,
        .causes = true,
        .began = note_began,
        .began_ctx = run,
        .progress = weir_progress_report,
        .progress_ctx = &run->progress,
        .stop = weir_stop_flag(),
        .diagnosis = diagnosis,
        .profile = run->args.profile ? &run->profile : NULL,
    };
    int code;
    if (options.snapshot_flows)
        weir_setup_track(&run->setup);
    if (run->carrier != NULL && weir_carrier_share(run->carrier, &options.snapshot_flows, 1, err) != 0)
        return err->code;
    options.snapshot = options.snapshot_ps != 0 ? take_snapshot : NULL;
    run->snapshot_every_ps = options.snapshot_ps;
    weir_run_files_options(&run->files, &options);
    weir_progress_begin(&run->progress, stderr, (enum weir_progress_when)run->args.progress, WEIR_RUN_REDRAW_NS,
                        weir_wall_ns());
    code = weir_cli_run_changed(run->live, &run->timeline, &run->setup, &options, &run->result, err);
    if (code == 0 || weir_cli_ranks_know(code))
        end_ranks(run, true);
    run->result.setup_ns = run->began_ns - run->start_ns;
    run->result.wall_ns = weir_wall_ns() - run->began_ns;
    run->result.peak_rss_bytes = peak_rss_bytes();
    weir_progress_end(&run->progress);
    if (diagnosis != NULL)
        (void)fclose(diagnosis);
    return code;
}

/* Prints the results of a run that ended, or that a signal ended early. @return the exit status */
static int conclude(const struct run *run, const struct weir_report *report)
{
    int signal_number = *weir_stop_flag(), status = WEIR_EXIT_DONE;
    if (run->args.json)
        weir_report_json(stdout, report);
    else
        weir_report_table(stdout, report);
    (void)fflush(stdout); /* what follows is on stderr, and belongs below it */
    if (run->args.profile)
        weir_profile_print(stderr, &run->profile, run->result.wall_ns);
    if (run->diagnosis_size > 0)
        (void)fwrite(run->diagnosis, 1, run->diagnosis_size, stderr);
    if (run->result.interrupted) {
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

static void warn_of_features(const struct weir_features *features)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (features->on[i].warning != NULL)
            (void)fprintf(stderr, "weir: %s\n", features->on[i].warning);
}

/* Warns about links whose offered load exceeds their capacity, whatever the protocol is. @return 0, or a code with
 * err */
static int warn_of_load(struct run *run, struct weir_err *err)
{
    struct weir_offered offered;
    int code = weir_offered_find(&offered, &run->setup, err);
    if (code != 0)
        return code;
    weir_findings_offered(&run->findings, &offered, &run->setup.topo);
    weir_findings_warn(&run->findings, stderr);
    return 0;
}

/* Returns the status that the result file records for a run that ended. */
static const char *status_of(const struct weir_result *result)
{
    if (result->stalled || result->samples_lost)
        return "failed";
    return result->interrupted ? "interrupted" : "done";
}

/* Ends a run that failed: removes its files. In the result file records the run as failed, or removes the run if the
 * error is one of the user. @return the exit status */
static int break_off(struct run *run, struct weir_err *err)
{
    struct weir_err why;
    if (run->record.store != NULL && weir_record_stop(&run->record, &why) != 0)
        *err = why;
    weir_run_files_abandon(&run->files);
    if (run->record.store != NULL) {
        if (err->code == WEIR_E_RUN || err->code == WEIR_E_MEMORY || err->code == WEIR_E_FILE ||
            err->code == WEIR_E_RANK)
            /* err has the first error, which is reported */
            (void)weir_cli_record_end(&run->record, run->live, &run->timeline, "failed", NULL, &why);
        else
            weir_record_forget(&run->record);
    }
    return failed(err);
}

/* Compares the rates of flows with their max-min shares, unless the run was interrupted. @return 0, or a code with
 * err */
static int compare(struct run *run, struct weir_err *err)
{
    if (run->compare.snapshot_ps == 0 || run->result.interrupted)
        return 0;
    return weir_compare_finish(&run->compare, &run->compared, err);
}

/* Simulates until --digest-until, and prints the digest of packets. @return the exit status */
static int run_digest(struct run *run)
{
    struct weir_err err;
    int code = simulate(run, &err), status = WEIR_EXIT_DONE;
    if (code != 0 && code != WEIR_E_ENOUGH)
        return break_off(run, &err);
    if (run->result.interrupted)
        status = weir_cli_interrupted(*weir_stop_flag(), "there is no digest");
    else if (run->args.json)
        weir_packet_digest_json(stdout, &run->files.digest);
    else
        weir_packet_digest_print(stdout, &run->files.digest);
    weir_run_files_abandon(&run->files);
    return weir_cli_finish(status);
}

static int run_it(struct run *run)
{
    struct weir_report report;
    struct weir_err err;
    int status;
    weir_cli_warn_of_threads(run->args.threads * (run->carrier != NULL ? run->carrier->here : 1));
    weir_deadlock_warn(&run->setup, stderr);
    weir_topology_warn(stderr, &run->setup);
    weir_cli_list_warnings(&run->setup);
    warn_of_features(&run->setup.model.features);
    if (run->args.digest_until_ps != 0)
        return run_digest(run);
    if (warn_of_load(run, &err) != 0 || simulate(run, &err) != 0 || compare(run, &err) != 0)
        return break_off(run, &err);
    weir_report_make(&report, &run->setup, &run->result, &run->findings);
    report.allocation = run->compared.flows > 0 ? &run->compared : NULL;
    if (weir_run_files_commit(&run->files, &run->result, &err) != 0)
        return break_off(run, &err);
    if (run->record.store != NULL &&
        (weir_record_stop(&run->record, &err) != 0 ||
         weir_cli_record_end(&run->record, run->live, &run->timeline, status_of(&run->result), &report, &err) != 0))
        return break_off(run, &err);
    status = conclude(run, &report); /* printed before errors of files, because the run itself is complete */
    return weir_run_files_complain(&run->files) && status == WEIR_EXIT_DONE ? WEIR_EXIT_FAILURE : status;
}

/* Undoes open_files() after an error: removes the files, removes the run from the result file, and closes the result
 * file. */
static void take_back(struct run *run)
{
    struct weir_err ignored; /* the first error is reported */
    weir_run_files_abandon(&run->files);
    if (run->record.store == NULL)
        return;
    (void)weir_record_stop(&run->record, &ignored);
    weir_record_forget(&run->record);
    weir_record_close(&run->record);
}

/**
 * Opens the result file, then the other files. In this order no other file can be the result file by another name.
 * @return 0, or a code with err; then nothing is left open
 */
static int open_files(struct run *run, struct weir_err *err)
{
    const struct weir_run_args *args = &run->args;
    struct weir_wait until = { .most_ps = args->wait_ps };
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    const struct weir_record_options record = { .output = args->output,
                                                .caller = &caller,
                                                .label = args->label,
                                                .sweep = args->sweep,
                                                .set = args->set,
                                                .series_ps = args->series_ps,
                                                .set_count = args->set_count,
                                                .threads = args->threads,
                                                .keep_messages = args->keep_messages,
                                                .no_messages = args->no_messages,
                                                .no_series = args->find_length };
    struct weir_inputs inputs;
    int code = 0;
    if (args->output != NULL)
        code = weir_record_open(&run->record, &record, &run->setup, err);
    if (code != 0)
        return code;
    code = weir_inputs_init(&inputs, args->file, &run->scn, args->output, err);
    if (code == 0)
        code = weir_run_files_open(&run->files, args, &run->setup, inputs.keep, err);
    weir_inputs_free(&inputs);
    if (code != 0)
        take_back(run);
    return code;
}

/* Prepares the comparison and the files. Files are last, because opening them changes the disk. @return 0, or a code
 * with err */
static int prepare(struct run *run, struct weir_err *err)
{
    int code = weir_cli_skip_check(&run->args, &run->setup, err);
    if (code == 0)
        code = weir_timeline_check(&run->timeline, &run->setup, err);
    if (code != 0)
        return code;
    code = weir_cli_ranks_make(&run->carrier, &run->args, &run->setup, err);
    run->is_split = !weir_cli_ranks_know(code);
    if (code == 0)
        code = weir_compare_init(&run->compare, &run->setup, err);
    return code != 0 ? code : open_files(run, err);
}

/* Reports the length that was found, and records it in the result file. @return the exit status */
static int conclude_length(struct run *run)
{
    struct weir_err err;
    if (open_files(run, &err) != 0)
        return weir_cli_refused(&err);
    if (run->record.store != NULL &&
        (weir_record_stop(&run->record, &err) != 0 ||
         weir_record_length(&run->record, run->length.warmup_ps, run->length.measure_ps, &err) != 0))
        return break_off(run, &err);
    weir_run_files_abandon(&run->files);
    if (run->args.json) {
        weir_length_json(stdout, run->length.warmup_ps, run->length.measure_ps);
    } else {
        weir_run_length_print(stdout, &run->length, &run->setup);
        (void)fputc('\n', stdout);
    }
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Opens the files of a run with `measure: auto` and takes them back: what is wrong with them is found before its length
 * is sought, which takes time. @return 0, or a code with err */
static int try_files(struct run *run, struct weir_err *err)
{
    int code = open_files(run, err);
    if (code == 0)
        take_back(run);
    return code;
}

/* Finds the length of a run with `measure: auto`, reports it, and sets the run up with it. @return 0, or a code with
 * err */
static int find_length(struct run *run, struct weir_err *err)
{
    struct weir_run_length *found = &run->length;
    const struct weir_sim_options options = { .threads = run->args.threads,
                                              .progress = weir_progress_report,
                                              .progress_ctx = &run->progress,
                                              .stop = weir_stop_flag() };
    int code;
    if (run->scn.run.measure_ps != WEIR_MEASURE_AUTO && run->args.find_length)
        return weir_fail(err, WEIR_E_CONFLICT, &run->scn.where_run, "--set run.measure=auto",
                         "--find-length: run.measure is not auto");
    if (run->scn.run.measure_ps != WEIR_MEASURE_AUTO)
        return 0;
    if ((code = try_files(run, err)) != 0)
        return code;
    weir_progress_begin(&run->progress, stderr, (enum weir_progress_when)run->args.progress, WEIR_RUN_REDRAW_NS,
                        weir_wall_ns());
    code = weir_run_length_find(found, &run->setup, &options, weir_sim_run, err);
    weir_progress_end(&run->progress);
    run->is_stopped = code == 0 && found->is_stopped;
    if (code != 0 || run->is_stopped || run->args.find_length)
        return code;
    (void)fputs("weir: ", stderr);
    weir_run_length_print(stderr, found, &run->setup);
    (void)fputc('\n', stderr);
    run->scn.run.warmup_ps = found->warmup_ps;
    run->scn.run.measure_ps = found->measure_ps;
    weir_setup_free(&run->setup);
    code = weir_setup_init(&run->setup, &run->scn, err);
    if (code != 0)
        run->setup = (struct weir_setup){ .scn = &run->scn }; /* it is freed already */
    return code;
}

static int run_set_up(struct run *run)
{
    const struct weir_run_args *args = &run->args;
    struct weir_err err;
    int status;
    run->start_ns = weir_wall_ns();
    if ((args->timeline != NULL && weir_timeline_read(&run->timeline, args->timeline, &err) != 0) ||
        weir_timeline_load(&run->timeline, &run->scn, args->file, args->set, args->set_count, &err) != 0)
        return weir_cli_refused(&err);
    weir_cli_warnings(&run->scn);
    if (weir_setup_init(&run->setup, &run->scn, &err) != 0) {
        weir_scenario_free(&run->scn);
        return weir_cli_refused(&err);
    }
    weir_stop_install();
    status = weir_cli_live_begin(&run->live, args, &run->scn, &run->setup, &err) != 0 || find_length(run, &err) != 0 ||
             (!run->is_stopped && !args->find_length && prepare(run, &err) != 0);
    if (status == 0 && !run->is_stopped)
        status = args->find_length ? conclude_length(run) : run_it(run);
    else if (*weir_stop_flag() != 0) /* a signal came while the program waited for the result file or sought a length */
        status = WEIR_EXIT_SIGNAL + *weir_stop_flag();
    else
        status = weir_cli_refused(&err);
    weir_result_free(&run->result);
    weir_record_close(&run->record);
    weir_compare_free(&run->compare);
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
        return weir_cli_refused(&err);
    }
    if (weir_run_args_parse(&run->args, argc, argv, &err) != 0) {
        free(run);
        return weir_cli_refused(&err);
    }
    if (run->args.help)
        status = weir_cli_show_usage("run");
    else if (weir_cli_ranks_find(&run->carrier, &run->args, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = run_set_up(run);
    end_ranks(run, !run->is_split);
    weir_run_args_free(&run->args);
    weir_timeline_free(&run->timeline);
    weir_watch_close(run->live);
    free(run->diagnosis);
    free(run);
    return status;
}
