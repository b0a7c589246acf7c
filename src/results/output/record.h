/* src/results/output/record.h - writes a run into a result file: its scenario, its messages and series while it goes
 * on, the rest when it is over. The writer's thread (store/writer.h) stands between the run and SQLite. */
#ifndef WEIR_OUTPUT_RECORD_H
#define WEIR_OUTPUT_RECORD_H
#include "output/report.h"
#include "setup/setup.h"
#include "store/writer.h"

#define WEIR_RECORD_POINTS 4000u /* most per series: when they are reached every second one goes */
#define WEIR_RECORD_PORTS 256u   /* a network with more links has no series per port */
#define WEIR_RECORD_FLOWS 64u    /* with more tagged flows none has series of its own */

enum { WEIR_RUN_SWEEP_MAX = 511 }; /* bytes of `sweep` */

struct weir_record_options {                /* of a run; all is lent */
    const char *output;                     /* the result file */
    const struct weir_store_caller *caller; /* while it is opened; NULL = none */
    const char *label;                      /* NULL = not given */
    const char *sweep;               /* "EXPERIMENT/FIGURE/POINT", none of them empty; NULL = the run is of no sweep */
    const struct weir_override *set; /* set_count: what was given instead of the scenario */
    uint64_t series_ps;              /* between points of a series; 0 = not given */
    uint32_t set_count, threads;
    bool no_messages;
};

struct weir_record_series { /* what a series is, and which of a snapshot's numbers it shows */
    uint32_t kind, index;   /* enum in record_series.c; slot of the kept snapshot */
    int64_t id;
};

struct weir_record {
    struct weir_store *store; /* NULL = no result file */
    struct weir_writer *writer;
    const struct weir_setup *setup;
    int64_t run;
    bool no_messages;
    /* series: kept whole, so that they can be thinned out */
    struct weir_record_series *series;
    uint32_t series_count;
    uint32_t hosts, ports, flows; /* with values of their own; 0 = too many */
    uint32_t width;               /* slots of a kept snapshot */
    uint64_t *kept;               /* snapshot_count of them, cumulative numbers as they came */
    uint32_t snapshot_count;
    uint64_t interval_ps; /* between those that are kept */
    uint64_t snapshot_ps; /* between those that come */
};

/**
 * Opens the result file and writes the run's row.
 * @param setup  lent until weir_record_close()
 * @return 0, or a code with err; then the record is closed and the file as it was
 */
int weir_record_open(struct weir_record *rec, const struct weir_record_options *options, const struct weir_setup *setup,
                     struct weir_err *err);

/* Returns the time between snapshots of a run. asked_ps: what the user wants, 0 = nothing. */
uint64_t weir_record_distance_ps(const struct weir_model *model, uint64_t asked_ps);

/* Records messages, or a snapshot; for struct weir_sim_options, ctx is the record. After a failure they return its
 * code. */
int weir_record_rows(void *ctx, const struct weir_account_row *row, size_t count);
int weir_record_snapshot(void *ctx, const struct weir_snapshot *snapshot);

/* Waits until all that was handed over is written. @return 0, or the code of what failed, with err */
int weir_record_stop(struct weir_record *rec, struct weir_err *err);

/**
 * Writes all that is known when the run is over, in one transaction; after weir_record_stop().
 * @param status  "done", "interrupted" or "failed"
 * @param report  NULL = there are no results, the run broke off
 * @return 0, or a code with err
 */
int weir_record_finish(struct weir_record *rec, const char *status, const struct weir_report *report,
                       struct weir_err *err);

/* Takes the run's row out again: it was refused. After weir_record_stop(). */
void weir_record_forget(struct weir_record *rec);

/* Closes the result file and frees all; harmless on a zeroed record. */
void weir_record_close(struct weir_record *rec);

/* Writes the rows of table `series` and takes memory for their points (record_series.c); writes histograms and sizes
 * (record_detail.c). */
int weir_record_series_begin(struct weir_record *rec, uint64_t asked_ps, struct weir_err *err);
int weir_record_detail(struct weir_record *rec, const struct weir_detail *detail, struct weir_err *err);
#endif
