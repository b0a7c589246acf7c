/* src/results/store/merge.c - copies runs of one result file into another, in one transaction. Runs and series get new
 * numbers. */
#include "core/assert.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <sys/stat.h>

/* The runs of the other file (part) to copy. A run that is not `done` is left out if this file (main) has a `done` run
 * of the same experiment, figure, point and label. */
static const char pending_sql[] =
    "SELECT id FROM part.run AS new WHERE new.status = 'done' OR NOT EXISTS (SELECT 1 FROM main.run AS old WHERE"
    " old.status = 'done' AND old.experiment = new.experiment AND old.figure = new.figure AND"
    " old.point = new.point AND old.label = new.label) ORDER BY id";

static const char run_sql[] = "INSERT INTO main.run SELECT NULL, name, label, status, started_utc, weir_version, "
                              "commit_id, machine, protocol, preset, seed, threads, digest, sim_s, wall_s, scenario,"
                              " settings, json, experiment, figure, point FROM part.run WHERE id = ?1";

/* Statements that copy the rows of a run. ?1: number of the run in the other file; ?2: its number in this file; ?3:
 * added to the numbers of series. */
static const char *const rows_sql[] = {
    "INSERT INTO main.message SELECT ?2, id, src, dst, item, bytes, start_ps, end_ps, ideal_ps, payload_ideal_ps,"
    " retransmissions, marks, (?2 << 40) + key - (?1 << 40), weight FROM part.message WHERE key BETWEEN ?1 << 40 AND"
    " (?1 + 1 << 40) - 1 ORDER BY key",
    "INSERT INTO main.series SELECT id + ?3, ?2, name, unit, place FROM part.series WHERE run = ?1",
    "INSERT INTO main.point SELECT series + ?3, t_ps, value FROM part.point WHERE series IN"
    " (SELECT id FROM part.series WHERE run = ?1)",
    "INSERT INTO main.histogram SELECT ?2, name, unit, lo, hi, count FROM part.histogram WHERE run = ?1",
    "INSERT INTO main.by_size SELECT ?2, denominator, lo_bytes, hi_bytes, count, p50, p99 FROM part.by_size"
    " WHERE run = ?1",
    "INSERT INTO main.metric SELECT ?2, name, value FROM part.metric WHERE run = ?1",
    "INSERT INTO main.job SELECT ?2, number, name, start_ps, end_ps, flows, ended FROM part.job WHERE run = ?1",
    "INSERT INTO main.coflow SELECT ?2, number, job, name, start_ps, first_end_ps, end_ps, flows, ended FROM "
    "part.coflow"
    " WHERE run = ?1",
    "INSERT INTO main.finding SELECT ?2, number, kind, place, text, numbers FROM part.finding WHERE run = ?1",
    "INSERT INTO main.law SELECT ?2, number, protocol, class, messages_started, messages_completed, goodput_gbps, "
    "marks,"
    " drops, retransmissions, timeouts, p50, p99 FROM part.law WHERE run = ?1",
    "INSERT INTO main.class SELECT ?2, class, messages_started, messages_completed, goodput_gbps, marks, drops,"
    " retransmissions, timeouts, p50, p99 FROM part.class WHERE run = ?1",
    "INSERT INTO main.failure SELECT ?2, reason FROM part.failure WHERE run = ?1",
    "INSERT INTO main.kept SELECT ?2, most, messages, slowest, slowest_from, others, weight FROM part.kept"
    " WHERE run = ?1",
};

static int copy_rows(struct weir_store *store, const char *sql, int64_t from, int64_t to, int64_t shift,
                     struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(store, sql, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(sqlite3_bind_parameter_count(stmt) >= 1);
    WEIR_ASSERT(sqlite3_bind_parameter_count(stmt) <= 3);
    (void)sqlite3_bind_int64(stmt, 1, from);
    if (sqlite3_bind_parameter_count(stmt) >= 2)
        (void)sqlite3_bind_int64(stmt, 2, to);
    if (sqlite3_bind_parameter_count(stmt) >= 3)
        (void)sqlite3_bind_int64(stmt, 3, shift);
    return weir_store_step_once(store, stmt, err);
}

static int copy_run(struct weir_store *store, int64_t from, int64_t shift, int64_t *to, struct weir_err *err)
{
    int code = copy_rows(store, run_sql, from, 0, 0, err);
    *to = sqlite3_last_insert_rowid(store->db);
    store->has_begun_run |= code == 0;
    for (size_t i = 0; i < sizeof(rows_sql) / sizeof(rows_sql[0]) && code == 0; i++)
        code = copy_rows(store, rows_sql[i], from, *to, shift, err);
    return code != 0 ? code : weir_store_replace(store, *to, err);
}

/* Copies the runs whose numbers the query `sql` returns, and adds their number to *count. Sets *last to the new number
 * of the run that was copied last; leaves *last unchanged if there is no run. @return 0, or a code with err */
static int copy_runs(struct weir_store *store, const char *sql, int64_t *last, uint32_t *count, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int64_t shift;
    int step = SQLITE_DONE,
        code = weir_store_number(store, "SELECT coalesce(max(id), 0) FROM main.series", &shift, err);
    if (code == 0)
        code = weir_store_prepare(store, sql, &stmt, err);
    if (code != 0)
        return code;
    for (; code == 0 && (step = sqlite3_step(stmt)) == SQLITE_ROW; ++*count)
        code = copy_run(store, sqlite3_column_int64(stmt, 0), shift, last, err);
    if (code == 0 && step != SQLITE_DONE)
        code = weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_finalize(stmt);
    return code;
}

static int attach(struct weir_store *store, const char *path, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(store, "ATTACH ? AS part", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_text(stmt, 1, path, -1, SQLITE_STATIC);
    return weir_store_step_once(store, stmt, err);
}

static int copy_all(struct weir_store *store, const char *path, void *last, struct weir_err *err)
{
    uint32_t count = 0;
    (void)path;
    return copy_runs(store, pending_sql, last, &count, err);
}

/* Attaches the file at `path` as `part`, and calls copy(store, name, ctx, err) in one durable transaction. name: path
 * as the user gave it, for messages. @return 0, or a code with err; then nothing was copied */
static int merge_attached(struct weir_store *store, const char *path, const char *name,
                          int (*copy)(struct weir_store *, const char *, void *, struct weir_err *), void *ctx,
                          struct weir_err *err)
{
    int code = attach(store, path, err);
    if (code != 0)
        return code;
    code = weir_store_begin_durable(store, err); /* the caller may remove the part afterwards */
    weir_store_grant(store, weir_store_bytes(path));
    if (code == 0)
        code = copy(store, name, ctx, err);
    if (code == 0)
        code = weir_store_commit(store, err);
    weir_store_rollback(store);
    (void)sqlite3_exec(store->db, "DETACH part", NULL, NULL, NULL);
    return code;
}

/* Tests whether a path leads to the file of the store itself. That file must not be opened again: the close would
 * release the locks of the store. */
static bool is_itself(const struct weir_store *store, const char *path)
{
    struct stat a, b;
    return fstat(store->fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Opens the file at `path` for writing, and merges it by merge_attached(). While it is open, no other program writes to
 * it. Opening it also marks as failed each run that is still marked running, because its writer has ended. @return 0,
 * or a code with err, also if `path` is the store's own file; then nothing was copied */
static int merge(struct weir_store *store, const char *path, const struct weir_store_caller *caller,
                 int (*copy)(struct weir_store *, const char *, void *, struct weir_err *), void *ctx,
                 struct weir_err *err)
{
    struct weir_store *part;
    int code;
    WEIR_ASSERT(store->message != NULL); /* the file is open for writing */
    if (is_itself(store, path))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: cannot be merged into itself", path);
    code = weir_store_open_there(&part, path, caller, err);
    if (code != 0)
        return code;
    weir_store_set_caller(store, caller);
    code = merge_attached(store, part->path, path, copy, ctx, err);
    weir_store_set_caller(store, NULL);
    weir_store_close(part);
    return code;
}

int weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err)
{
    *last = 0;
    return merge(store, path, NULL, copy_all, last, err);
}

/* --- shards --- */

/* Finds a sweep of the shard (part) of which this file (main) has no run. Columns: this sweep, and a sweep of this
 * file. No row if there is none, or if this file has no run of any sweep. */
static const char other_sweep_sql[] =
    "SELECT new.experiment, (SELECT max(experiment) FROM main.run) FROM part.run AS new WHERE new.experiment IS NOT "
    "NULL"
    " AND EXISTS (SELECT 1 FROM main.run WHERE experiment IS NOT NULL)"
    " AND new.experiment NOT IN (SELECT experiment FROM main.run WHERE experiment IS NOT NULL) LIMIT 1";

#define SAME_POINT                                                                                                     \
    "old.status = 'done' AND old.experiment = new.experiment AND old.figure = new.figure AND old.point = new.point"    \
    " AND old.label = new.label"
#define SAME_PROGRAM "old.weir_version IS new.weir_version AND old.commit_id IS new.commit_id"

/* Finds a point of which both files have a `done` run with the same label, but with another scenario, program or
 * digest. Columns: the point; whether the scenarios are equal; whether the programs are equal. */
static const char other_run_sql[] =
    "SELECT new.point, old.scenario IS new.scenario, " SAME_PROGRAM " FROM part.run AS new, main.run AS old"
    " WHERE new.status = 'done' AND " SAME_POINT " AND NOT (old.scenario IS new.scenario AND " SAME_PROGRAM
    " AND old.digest IS new.digest) LIMIT 1";

/* True if this file (main) has a `done` run with the names, scenario, program and digest of run `new`. IS finds NULL
 * equal to NULL, so that runs outside a sweep are found, too. */
#define IS_THERE                                                                                                       \
    "EXISTS (SELECT 1 FROM main.run AS old WHERE old.status = 'done' AND old.experiment IS new.experiment"             \
    " AND old.figure IS new.figure AND old.point IS new.point AND old.label = new.label AND old.name = new.name"       \
    " AND old.scenario IS new.scenario AND old.digest IS new.digest AND " SAME_PROGRAM ")"

static const char there_sql[] = "SELECT count(*) FROM part.run AS new WHERE new.status = 'done' AND " IS_THERE;
static const char added_sql[] =
    "SELECT id FROM part.run AS new WHERE new.status = 'done' AND NOT " IS_THERE " ORDER BY id";
static const char failed_sql[] =
    "SELECT id FROM part.run AS new WHERE new.status = 'failed' AND new.experiment IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM main.run AS old WHERE " SAME_POINT ") ORDER BY id";

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);
    return text != NULL ? (const char *)text : "";
}

static int fail_other_sweep(struct weir_store *store, const char *name, sqlite3_stmt *stmt, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "a result file takes the shards of one sweep",
                     "%s: has runs of sweep %.80s, and %s of sweep %.80s", name, text_at(stmt, 0), store->name,
                     text_at(stmt, 1));
}

static int fail_other_run(struct weir_store *store, const char *name, sqlite3_stmt *stmt, struct weir_err *err)
{
    const char *what = sqlite3_column_int(stmt, 1) == 0   ? "its settings"
                       : sqlite3_column_int(stmt, 2) == 0 ? "the version or commit of Weir"
                                                          : "its digest: some file that the scenario names is another";
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "merge what one FILE and one Weir made; another file takes the rest",
                     "%s: its run of point %.120s differs from the one in %s in %s", name, text_at(stmt, 0),
                     store->name, what);
}

/* Executes the query `sql`. If it returns a row, refuses the shard: fail() fills err from that row. @return 0 = no row;
 * else a code with err */
static int refuse_if(struct weir_store *store, const char *name, const char *sql,
                     int (*fail)(struct weir_store *, const char *, sqlite3_stmt *, struct weir_err *),
                     struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int step, code = weir_store_prepare(store, sql, &stmt, err);
    if (code != 0)
        return code;
    step = sqlite3_step(stmt);
    if (step == SQLITE_ROW)
        code = fail(store, name, stmt, err);
    else if (step != SQLITE_DONE)
        code = weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_finalize(stmt);
    return code;
}

static int copy_shard(struct weir_store *store, const char *name, void *ctx, struct weir_err *err)
{
    struct weir_store_merged *merged = ctx;
    int64_t last, there = 0;
    int code = refuse_if(store, name, other_sweep_sql, fail_other_sweep, err);
    if (code == 0)
        code = refuse_if(store, name, other_run_sql, fail_other_run, err);
    if (code == 0)
        code = weir_store_number(store, there_sql, &there, err);
    merged->there = (uint32_t)there;
    if (code == 0)
        code = copy_runs(store, added_sql, &last, &merged->added, err);
    return code != 0 ? code : copy_runs(store, failed_sql, &last, &merged->failed, err);
}

int weir_store_merge_shard(struct weir_store *store, const char *path, const struct weir_store_caller *caller,
                           struct weir_store_merged *merged, struct weir_err *err)
{
    *merged = (struct weir_store_merged){ 0 };
    if (weir_store_is_empty(path))
        return 0;
    return merge(store, path, caller, copy_shard, merged, err);
}
