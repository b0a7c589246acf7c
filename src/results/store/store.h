/* src/results/store/store.h - the result file: runs and their results, in SQLite. doc/results.md describes its tables.
 *
 * One writer at a time. The writer holds an advisory lock (flock) on the file while it has the file open. The system
 * releases the lock when the program ends, however it ends. So a run with status `running` in a file that can be locked
 * belongs to a program that has ended. Readers never block: SQLite's write-ahead log shows them the transactions that
 * are committed.
 *
 * A process must not open a file that it has open already, not even for reading. Closing the second connection would
 * release the locks of SQLite on which the first one relies. These locks (fcntl) belong to the process: the system
 * releases them whenever the process closes any descriptor of the file. */
#ifndef WEIR_STORE_STORE_H
#define WEIR_STORE_STORE_H
#include "core/err.h"
#include "measure/result.h"
#include <stdbool.h>
#include <stddef.h>

#define WEIR_STORE_APPLICATION_ID 0x57656972 /* "Weir" */
#define WEIR_STORE_VERSION 1                 /* PRAGMA user_version; increased by every change that breaks a reader */

struct weir_store;
struct sqlite3;

/* Callbacks of the command that opens a file. A function that is NULL is not called. */
struct weir_store_caller {
    /* Called each time the file was found locked by another writer. Lets some time pass, and returns true to try again.
     * Returns false to end the wait: opening fails with WEIR_E_BUSY. NULL = do not wait */
    bool (*busy)(void *ctx, const char *path);
    /* Returns true to end the current query, which then fails with WEIR_E_RUN. Called many times a second while a query
     * runs or waits for a lock, by the thread of the query. */
    bool (*stopped)(void *ctx);
    /* Receives the names of foreign objects in the file, which Weir ignores: "view mine, table notes". Called at most
     * once for each opening. what: a text from the file, to be escaped where it is printed */
    void (*ignored)(void *ctx, const char *path, const char *what);
    void *ctx;
};

/**
 * Opens a result file for writing, or makes one. Marks runs that a dead writer left `running` as `failed`. Like all
 * functions that open a file, refuses a file whose schema could run code (guard.c).
 * @param path    lent for this call
 * @param caller  lent for this call; NULL = none
 * @return 0, or a code with err: WEIR_E_FILE (cannot be opened, is no result file, or is of a newer Weir), WEIR_E_BUSY
 *         (another writer has the file), WEIR_E_CONFLICT (another program keeps a lock of SQLite for long), WEIR_E_RUN
 *         (stopped() returned true), WEIR_E_MEMORY. Then *store is NULL, and a file that existed keeps its runs
 */
int weir_store_open(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                    struct weir_err *err);

/* Opens a result file for reading only; a writer may have it open. Also works on a read-only file system, but may fail
 * there if a write-ahead log with content is next to the file. The caller is lent until weir_store_close(). @return as
 * weir_store_open(), but never WEIR_E_BUSY */
int weir_store_open_read(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                         struct weir_err *err);

/* Sets the callbacks: from now on queries call caller->stopped(); NULL = no callbacks. The caller is lent until the
 * next call of this function or weir_store_close(). */
void weir_store_set_caller(struct weir_store *store, const struct weir_store_caller *caller);

/* Fills err with the reason why the last statement failed. what: "cannot be read" or the like. @return the code of err,
 * never 0 */
int weir_store_fail(struct weir_store *store, const char *what, struct weir_err *err);

/**
 * Charges the file for work outside SQLite that one of its rows causes: subtracts `steps` from the steps that queries
 * may still take. A step is one instruction of SQLite's virtual machine (some 50 ns). Also calls stopped().
 * @return as weir_store_check()
 */
int weir_store_spend(struct weir_store *store, uint64_t steps, struct weir_err *err);

/* Checks whether a query was ended since the file was opened. @return 0 = none was; else a code with err. WEIR_E_RUN:
 * stopped() of the caller returned true. WEIR_E_FILE: queries took more steps than the size of the file allows */
int weir_store_check(const struct weir_store *store, struct weir_err *err);

/* Tests whether path is a regular file of 0 bytes: a writer has just made the file, or was killed just after it made
 * the file. weir_store_open_read() refuses such a file. */
bool weir_store_is_empty(const char *path);

/* Tests whether a program has the file open for writing. store: opened by weir_store_open_read(). The test takes the
 * lock for a moment; a writer that opens the file in this moment finds it locked. Also returns true if the lock cannot
 * be tested. */
bool weir_store_has_writer(const struct weir_store *store);

/* Closes a file; an open transaction is rolled back. Removes a file that weir_store_open() made if it has no run, or if
 * its runs cannot be counted. store may be NULL. */
void weir_store_close(struct weir_store *store);

/* Returns the SQLite connection, for queries; lent until weir_store_close(). */
struct sqlite3 *weir_store_db(struct weir_store *store);

/* --- transactions; outside a transaction, each statement is committed by itself --- */
/* Begins a transaction; none may be open. Sets the number of steps that queries may take, by the size of the file
 * (guard.c). @return 0, or a code with err */
int weir_store_begin(struct weir_store *store, struct weir_err *err);
/* Begins a transaction as weir_store_begin() does, but a durable one. When weir_store_commit() returns, this commit and
 * all before it are on the disk, and a power failure cannot undo them. This commit waits for the disk, so use such a
 * transaction only at the end of a run or of a merge. */
int weir_store_begin_durable(struct weir_store *store, struct weir_err *err);
int weir_store_commit(struct weir_store *store, struct weir_err *err);
void weir_store_rollback(struct weir_store *store); /* does nothing if no transaction is open */

/* --- a run; texts may be NULL unless stated otherwise --- */

struct weir_store_run {
    const char *name, *label, *started_utc; /* not NULL */
    const char *weir_version, *commit_id, *machine;
    const char *protocol, *preset;
    const char *scenario, *settings;
    const char *experiment, *figure, *point;
    uint64_t seed;
    uint32_t threads;
};

/* Adds a run with status `running`, and sets *id to the number of the run. The functions below take this number as
 * `run`. */
int weir_store_run_begin(struct weir_store *store, const struct weir_store_run *run, int64_t *id, struct weir_err *err);

struct weir_store_end {
    const char *status; /* "done", "interrupted" or "failed" */
    const char *digest, *json;
    const char *scenario; /* in the place of the one that the run began with; NULL = that stays */
    double sim_s, wall_s;
};

/* Sets status, digest, JSON, times and perhaps the scenario of a run that has ended. If the run is of a sweep, also
 * removes other runs of the same experiment, figure, point and label. A `done` run removes all of them, another run
 * only those that are not `done`. */
int weir_store_run_end(struct weir_store *store, int64_t run, const struct weir_store_end *end, struct weir_err *err);

/* Removes a run, with all rows of the run in other tables. */
int weir_store_run_remove(struct weir_store *store, int64_t run, struct weir_err *err);

/* --- the rows of a run in other tables --- */

/* Stores the reason why a run failed, as plain text. At most once per run. */
int weir_store_failure(struct weir_store *store, int64_t run, const char *reason, struct weir_err *err);

struct weir_store_message {
    struct weir_delivery d;
    double weight; /* how many messages of the run the row stands for; 1 unless the rows are a sample */
};

/* Adds `count` delivered messages to a run. */
int weir_store_messages(struct weir_store *store, int64_t run, const struct weir_store_message *message, size_t count,
                        struct weir_err *err);

/* The figure of runs that are no runs, but say how long those of an experiment have to be (run.measure: auto). Readers
 * of results leave them out. */
#define WEIR_STORE_LENGTHS "(length)"

struct weir_store_kept {       /* how the messages of a run were sampled */
    uint32_t most;             /* rows that were asked for */
    uint64_t messages;         /* delivered messages of the run */
    uint32_t slowest, others;  /* rows: of the slowest messages, and of the others */
    uint64_t slowest_from_ppm; /* least slowdown of the slowest, in millionths; 0 = there is none */
    double weight;             /* of each row of the others */
};

/* Notes that the messages of a run are a sample. At most once per run. */
int weir_store_kept(struct weir_store *store, int64_t run, const struct weir_store_kept *kept, struct weir_err *err);

/* Adds a series to a run and sets *series to the number of the series, for weir_store_points(). place: NULL = the whole
 * network */
int weir_store_series(struct weir_store *store, int64_t run, const char *name, const char *unit, const char *place,
                      int64_t *series, struct weir_err *err);

struct weir_store_point {
    int64_t series;
    uint64_t t_ps;
    double value;
};
int weir_store_points(struct weir_store *store, const struct weir_store_point *point, size_t count,
                      struct weir_err *err);

/* Removes the points of all series of a run. */
int weir_store_points_clear(struct weir_store *store, int64_t run, struct weir_err *err);

struct weir_store_bucket {
    double lo, hi; /* lo <= value < hi */
    uint64_t count;
};
int weir_store_histogram(struct weir_store *store, int64_t run, const char *name, const char *unit,
                         const struct weir_store_bucket *bucket, size_t count, struct weir_err *err);

struct weir_store_size_bin {
    const char *denominator; /* "ideal" or "payload" */
    uint64_t lo_bytes, hi_bytes, count;
    double p50, p99;
};
int weir_store_by_size(struct weir_store *store, int64_t run, const struct weir_store_size_bin *bin,
                       struct weir_err *err);

/* Adds a metric of a run. value NULL = the metric does not apply to the run */
int weir_store_metric(struct weir_store *store, int64_t run, const char *name, const double *value,
                      struct weir_err *err);

struct weir_store_finding { /* a finding about the numbers of a run; all texts are lent */
    uint32_t number;        /* position among the findings of the run, from 0 */
    const char *kind, *text;
    const char *place;   /* NULL = the whole network */
    const char *numbers; /* a JSON object */
};
int weir_store_finding(struct weir_store *store, int64_t run, const struct weir_store_finding *finding,
                       struct weir_err *err);

/* Adds all jobs and coflows of a run. At most once per run. */
int weir_store_jobs(struct weir_store *store, int64_t run, const struct weir_job_results *jobs, struct weir_err *err);

/* Adds law `number` of a run with several. protocol: its name */
int weir_store_law(struct weir_store *store, int64_t run, uint32_t number, const char *protocol,
                   const struct weir_part_result *law, struct weir_err *err);
/* Adds a class of a run whose laws have DATA in several. */
int weir_store_class(struct weir_store *store, int64_t run, const struct weir_part_result *part, struct weir_err *err);

/**
 * Copies the runs of another result file into this one, in one durable transaction. A run of a sweep replaces the runs
 * of the same experiment, figure, point and label, so that a second call adds none. But a run that is not `done` is not
 * copied if this file has a `done` run of the same point and label. A run outside a sweep is added by every call. A run
 * that a dead writer left `running` becomes `failed`.
 * @param last  set to the number, in this file, of the last run that was copied; 0 = none was
 * @return 0, or a code with err as weir_store_open(), or WEIR_E_CONFLICT if path is this file; then nothing was copied
 */
int weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err);

struct weir_store_merged { /* counts of the runs of a shard */
    uint32_t added, there; /* added: number of `done` runs that were copied. there: number of `done` runs that were not
                              copied, because the file had a `done` run with the same names, scenario, program and
                              digest */
    uint32_t failed;       /* number of `failed` runs of a sweep that were copied: the file has no `done` run of the
                              same point */
};

/**
 * Copies the runs of a shard, a file with some points of a sweep, in one durable transaction. A second call adds no
 * runs. If the shard has runs of a sweep, the file must have runs of the same sweep, or no run of any sweep. In the
 * shard itself, runs that a dead writer left `running` become `failed`; its other runs stay as they are. An empty file
 * is a shard without runs.
 * @param caller  caller->busy() is called while another writer has the shard, caller->stopped() during the copy; NULL =
 *                none
 * @param merged  set to the counts
 * @return 0, or a code with err as weir_store_open(). WEIR_E_CONFLICT also means that the shard is of another sweep, is
 *         this file, or has a `done` run that differs from the `done` run of the same point in this file. Then nothing
 *         was copied
 */
int weir_store_merge_shard(struct weir_store *store, const char *path, const struct weir_store_caller *caller,
                           struct weir_store_merged *merged, struct weir_err *err);
#endif
