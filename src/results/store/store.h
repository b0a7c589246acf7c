/* src/results/store/store.h - the result file: runs and their results, in SQLite. doc/results.md describes its tables.
 *
 * One writer at a time. It holds an advisory lock (flock) on the file for as long as it has it open. The system takes
 * the lock back when the program ends, however it ends. So a run with status `running` in a file that could be locked
 * belongs to a program that has ended. Readers never block: SQLite's write-ahead log gives them what was committed.
 *
 * A process may not open a file while it has it open already, be it for reading. Closing the second would drop the
 * locks of SQLite that the first relies on. (Locks of fcntl belong to processes, and end with the first close.) */
#ifndef WEIR_STORE_STORE_H
#define WEIR_STORE_STORE_H
#include "core/err.h"
#include "measure/result.h"
#include <stdbool.h>
#include <stddef.h>

#define WEIR_STORE_APPLICATION_ID 0x57656972 /* "Weir" */
#define WEIR_STORE_VERSION 1                 /* PRAGMA user_version; a new one for every change that breaks a reader */

struct weir_store;
struct sqlite3;

/* The command that opens a file. A function that is NULL is not called. */
struct weir_store_caller {
    /* Called each time another writer was found to have the file locked; lets some time pass. Returns false to wait no
     * longer: the file is refused with WEIR_E_BUSY. NULL = it is not waited for */
    bool (*busy)(void *ctx, const char *path);
    /* Returns true to end the query that runs, with WEIR_E_RUN. Called several times a second, from the thread that
     * runs the query. */
    bool (*stopped)(void *ctx);
    /* Receives the names of what others have added to the file, "view mine, table notes": a text of a user, to be
     * escaped. */
    void (*ignored)(void *ctx, const char *path, const char *what);
    void *ctx;
};

/**
 * Opens a result file for writing, or makes one. Runs that a dead writer left `running` are marked `failed`. A file
 * that could run code of its own is refused (guard.c), here and wherever a file is opened.
 * @param path  lent for this call
 * @param caller  as above, for this call; NULL = none
 * @return 0, or a code with err: WEIR_E_FILE (cannot be opened, is something else, is newer), WEIR_E_BUSY (another
 *         program writes it), WEIR_E_MEMORY; then nothing is left to close and what was there is as it was
 */
int weir_store_open(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                    struct weir_err *err);

/* Opens a result file for reading only, while a writer goes on or not. On a read-only file system too, unless a
 * write-ahead log is next to the file. The caller is lent until weir_store_close(). Codes as above. */
int weir_store_open_read(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                         struct weir_err *err);

/* Lends another caller, whom queries ask from now on whether to end; NULL = none. */
void weir_store_set_caller(struct weir_store *store, const struct weir_store_caller *caller);

/* Fills err with why the last statement failed. what: "cannot be read" or the like. @return its code, never 0 */
int weir_store_fail(struct weir_store *store, const char *what, struct weir_err *err);

/**
 * Counts work outside SQLite that a row of the file causes, in steps of its virtual machine (some 50 ns).
 * @return 0, or a code with err as weir_store_check()
 */
int weir_store_spend(struct weir_store *store, uint64_t steps, struct weir_err *err);

/* Checks whether a query was ended, by its caller or because it took more steps than the file's size explains.
 * @return 0, or a code with err if one was */
int weir_store_check(const struct weir_store *store, struct weir_err *err);

/* Tests whether the file has no bytes yet: a writer has just made it, or was killed just after that.
 * weir_store_open_read() refuses it. */
bool weir_store_is_empty(const char *path);

/* Tests whether a program writes the file that was opened for reading. It tries the lock: a writer that begins at that
 * very moment has to try again. */
bool weir_store_has_writer(const struct weir_store *store);

/* Closes a file; what was not committed is lost. Removes a file that weir_store_open() made and that holds no run. NULL
 * is harmless. */
void weir_store_close(struct weir_store *store);

/* Returns the connection, for queries. Lent until weir_store_close(). */
struct sqlite3 *weir_store_db(struct weir_store *store);

/* --- transactions; if none is open, everything is written at once --- */
/* Begins a transaction. Each one, of the next kind too, has the steps that a file of its size may need (guard.c). */
int weir_store_begin(struct weir_store *store, struct weir_err *err);
/* Begins a transaction whose commit, and every one before it, is on the disk when weir_store_commit() returns: a power
 * failure cannot undo it. That waits for the disk, so it is for the end of a run only. */
int weir_store_begin_durable(struct weir_store *store, struct weir_err *err);
int weir_store_commit(struct weir_store *store, struct weir_err *err);
void weir_store_rollback(struct weir_store *store); /* harmless when none is open */

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

/* Adds a run with status `running`. *id is its number, for everything below. */
int weir_store_run_begin(struct weir_store *store, const struct weir_store_run *run, int64_t *id, struct weir_err *err);

struct weir_store_end {
    const char *status; /* "done", "interrupted" or "failed" */
    const char *digest, *json;
    double sim_s, wall_s;
};

/* Sets the final status of a run. A `done` run of a sweep removes earlier ones of the same experiment, figure, point
 * and label; another one only those that are not `done`. */
int weir_store_run_end(struct weir_store *store, int64_t run, const struct weir_store_end *end, struct weir_err *err);

/* Removes a run and all that belongs to it. */
int weir_store_run_remove(struct weir_store *store, int64_t run, struct weir_err *err);

/* --- what belongs to it --- */

/* Records why a run failed, in plain text. Once per run. */
int weir_store_failure(struct weir_store *store, int64_t run, const char *reason, struct weir_err *err);

/* Adds delivered messages to a run. */
int weir_store_messages(struct weir_store *store, int64_t run, const struct weir_delivery *message, size_t count,
                        struct weir_err *err);

/* Adds a series to a run, for weir_store_points(). place NULL = the whole network. */
int weir_store_series(struct weir_store *store, int64_t run, const char *name, const char *unit, const char *place,
                      int64_t *series, struct weir_err *err);

struct weir_store_point {
    int64_t series;
    uint64_t t_ps;
    double value;
};
int weir_store_points(struct weir_store *store, const struct weir_store_point *point, size_t count,
                      struct weir_err *err);
int weir_store_points_clear(struct weir_store *store, int64_t run, struct weir_err *err); /* of all its series */

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

/* Adds a number of a run. value NULL = it does not apply. */
int weir_store_metric(struct weir_store *store, int64_t run, const char *name, const double *value,
                      struct weir_err *err);

struct weir_store_finding { /* what is to be known of the run's numbers; all is lent */
    uint32_t number;        /* in the order in which they are shown, from 0 */
    const char *kind, *text;
    const char *place;   /* NULL = the whole network */
    const char *numbers; /* a JSON object */
};
int weir_store_finding(struct weir_store *store, int64_t run, const struct weir_store_finding *finding,
                       struct weir_err *err);

/* Adds jobs and coflows to a run. Once per run. */
int weir_store_jobs(struct weir_store *store, int64_t run, const struct weir_job_results *jobs, struct weir_err *err);

/**
 * Copies all runs of another result file into this one, in one transaction of its own. A run of a sweep replaces the
 * one with the same experiment, figure, point and label, so that doing it again changes nothing. But a run that is not
 * `done` never replaces one that is. A run outside a sweep is added every time. A run that a dead writer left `running`
 * arrives as `failed`.
 * @param last  gets the number that the last of them has here; 0 = none was copied
 * @return 0, or a code with err as for weir_store_open(); then nothing was copied
 */
int weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err);

struct weir_store_merged { /* what became of the runs of a shard */
    uint32_t added, there; /* `done`: copied; in the file already, with the same scenario, program and digest */
    uint32_t failed;       /* copied: no run of their point is `done` */
};

/**
 * Copies the runs of a shard, a file with some points of a sweep that others run elsewhere. One transaction; doing it
 * again adds nothing. Runs of a sweep need a file without sweeps, or one that has runs of the same. The runs of the
 * shard that are done stay as they are; an empty file is a shard without runs.
 * @param caller  called while the shard is waited for and while it is copied; NULL = none
 * @return 0, or a code with err as for weir_store_open(). WEIR_E_CONFLICT: a shard of another sweep, or with another
 *         run of a point that is `done` in the file. Then nothing was copied
 */
int weir_store_merge_shard(struct weir_store *store, const char *path, const struct weir_store_caller *caller,
                           struct weir_store_merged *merged, struct weir_err *err);
#endif
