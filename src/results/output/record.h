/* src/results/output/record.h - records a run in a result file: its scenario at the start, messages and series during
 * the run, all else at the end. During the run a thread (store/writer.h) does the writes to SQLite. */
#ifndef WEIR_OUTPUT_RECORD_H
#define WEIR_OUTPUT_RECORD_H
#include "output/kept.h"
#include "output/report.h"
#include "setup/setup.h"
#include "store/writer.h"

#define WEIR_RECORD_POINTS 4000u /* most points of a series; before one more is added, every second one is removed */
/* A network with more links, or with more than WEIR_SNAPSHOT_HOSTS hosts, has no series per port. */
#define WEIR_RECORD_PORTS 256u
/* A run with more tagged flows, or with a receiver-driven protocol, has no series per flow. */
#define WEIR_RECORD_FLOWS 64u

enum { WEIR_RUN_SWEEP_MAX = 511 }; /* most bytes of weir_record_options.sweep, without the 0 byte at its end */

struct weir_record_options {                /* how to record a run; all pointers are lent */
    const char *output;                     /* path of the result file */
    const struct weir_store_caller *caller; /* callbacks while the file is opened; NULL = none */
    const char *label;                      /* NULL = not given */
    const char *sweep; /* "EXPERIMENT/FIGURE/POINT", no part empty; NULL = the run is not part of a sweep */
    const struct weir_override *set; /* the set_count values that --set gave */
    uint64_t series_ps;              /* interval between points of a series; 0 = run.series_ps of the scenario */
    uint32_t set_count, threads;
    uint32_t keep_messages; /* most rows of table `message`, which are a sample then; 0 = a row of each message */
    bool no_messages;       /* write no rows of table `message` */
    bool no_series;         /* write no series */
};

struct weir_record_series { /* a series of the run */
    /* kind: enum kind in record_series.c. index: which value of a kept snapshot the series shows */
    uint32_t kind, index;
    int64_t id; /* in table `series` */
};

struct weir_record {
    struct weir_store *store; /* NULL = no result file */
    struct weir_writer *writer;
    const struct weir_setup *setup;
    int64_t run; /* number of the run in the result file; 0 once weir_record_forget() has removed the run */
    bool no_messages;
    const char *changes;  /* what changed the run while it went on, lines of a timeline; lent; NULL or "" = nothing did.
                            weir_record_finish() puts them before the scenario, as its key `timeline` */
    const char *scenario; /* that the file is to have at the end; lent; NULL = that of setup */
    struct weir_kept sample; /* sample.most 0 = there is none: rows are written during the run */
    /* All snapshots that the series are made of are also kept in memory, so that the series can be thinned out. */
    struct weir_record_series *series;
    uint32_t series_count;
    uint32_t hosts, ports, flows; /* how many hosts, ports, flows have series of their own; 0 = none */
    uint32_t width;               /* slots of a kept snapshot */
    uint64_t *kept;               /* snapshot_count snapshots; counts are cumulative */
    uint32_t snapshot_count;
    uint64_t interval_ps; /* interval between kept snapshots */
    uint64_t snapshot_ps; /* interval between snapshots of the run */
};

/**
 * Opens the result file, adds the run and its series to it, and starts the writer's thread.
 * @param setup  lent until weir_record_close()
 * @return 0, or a code with err; then the record is closed, and the run is not in the file
 */
int weir_record_open(struct weir_record *rec, const struct weir_record_options *options, const struct weir_setup *setup,
                     struct weir_err *err);

/* Returns the interval between snapshots of a run, 1 ns or more. asked_ps: the interval that the user or the scenario
 * gave; 0 = none was given. The result is then a thousandth of the length of the run, or 10 us if the length is not
 * known. */
uint64_t weir_record_distance_ps(const struct weir_model *model, uint64_t asked_ps);

/* Records delivered messages, without replies; nothing if rec->no_messages. A sample is kept in memory until
 * weir_record_stop(). The callback of struct
 * weir_sim_options.rows. ctx: the record. Returns 0, or WEIR_E_FILE once writing has failed; weir_record_stop() then
 * returns the reason. */
int weir_record_rows(void *ctx, const struct weir_account_row *row, size_t count);
/* Records a snapshot; the callback of struct weir_sim_options.snapshot. ctx and return value as weir_record_rows(). */
int weir_record_snapshot(void *ctx, const struct weir_snapshot *snapshot);

/* Waits until all recorded messages and points are written, and ends the writer's thread; does nothing if no thread
 * runs. Returns 0, or the code of the first failed write with err: WEIR_E_FILE if another program had locked the
 * file. */
int weir_record_stop(struct weir_record *rec, struct weir_err *err);

/**
 * Writes the end of the run in one transaction: status, results, distributions, jobs, findings and metrics. Call it
 * after weir_record_stop().
 * @param status  "done", "interrupted" or "failed"
 * @param report  NULL = the run has no results: only the status is written
 * @return 0, or a code with err; then nothing of this is written
 */
int weir_record_finish(struct weir_record *rec, const char *status, const struct weir_report *report,
                       struct weir_err *err);

/* Writes the end of a run that found its length and was not simulated with it (weir run --find-length): status `done`,
 * JSON and metrics of `warmup_s` and `measured_s` alone. Call it after weir_record_stop(). @return 0, or a code with
 * err; then nothing of this is written */
int weir_record_length(struct weir_record *rec, uint64_t warmup_ps, uint64_t measure_ps, struct weir_err *err);
/* Prints the same JSON. */
void weir_length_json(FILE *out, uint64_t warmup_ps, uint64_t measure_ps);

/* Removes the run from the result file, for example because the run was refused before it began. Call it after
 * weir_record_stop(). If the removal fails, the run stays in the file and is later shown as failed. */
void weir_record_forget(struct weir_record *rec);

/* Closes the result file and frees the memory of the record. Call it after weir_record_stop(). rec may be all zeros. */
void weir_record_close(struct weir_record *rec);

/* The next two functions are called only by record.c. */

/* Adds the rows of table `series` and allocates memory for the kept snapshots. asked_ps: as for
 * weir_record_distance_ps(). Returns 0, or a code with err; weir_record_close() then frees the memory. */
int weir_record_series_begin(struct weir_record *rec, uint64_t asked_ps, struct weir_err *err);
/* Writes the tables `histogram` and `by_size` of the run. Returns 0, or a code with err. */
int weir_record_detail(struct weir_record *rec, const struct weir_detail *detail, struct weir_err *err);
#endif
