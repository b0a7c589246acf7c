/* src/store/merge.c - runs of one result file into another, in one transaction. Numbers of runs and series are new ones. */
#include "store/store_internal.h"
#include <sys/stat.h>

/* A run that may not take the place of a `done` one stays where it is. */
static const char pending_sql[] =
    "SELECT id FROM part.run AS new WHERE new.status = 'done' OR NOT EXISTS (SELECT 1 FROM main.run AS old WHERE"
    " old.status = 'done' AND old.experiment = new.experiment AND old.figure = new.figure AND"
    " old.point = new.point AND old.label = new.label) ORDER BY id";

static const char run_sql[] = "INSERT INTO main.run SELECT NULL, name, label, status, started_utc, weir_version, "
                              "commit_id, machine, protocol, preset, seed, threads, digest, sim_s, wall_s, scenario,"
                              " settings, json, experiment, figure, point FROM part.run WHERE id = ?1";

/* ?1 = run there, ?2 = run here, ?3 = what is added to the number of a series */
static const char *const rows_sql[] = {
    "INSERT INTO main.message SELECT ?2, id, src, dst, item, bytes, start_ps, end_ps, ideal_ps, payload_ideal_ps,"
    " retransmissions, marks, (?2 << 40) + key - (?1 << 40) FROM part.message WHERE key BETWEEN ?1 << 40 AND"
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
};

static int copy_rows(struct weir_store *store, const char *sql, int64_t from, int64_t to, int64_t shift,
                     struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(store, sql, &stmt, err);
    if (code != 0)
        return code;
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
    for (size_t i = 0; i < sizeof(rows_sql) / sizeof(rows_sql[0]) && code == 0; i++)
        code = copy_rows(store, rows_sql[i], from, *to, shift, err);
    return code != 0 ? code : weir_store_replace(store, *to, err);
}

static int copy_runs(struct weir_store *store, int64_t *last, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int64_t shift;
    int step = SQLITE_DONE,
        code = weir_store_number(store, "SELECT coalesce(max(id), 0) FROM main.series", &shift, err);
    if (code == 0)
        code = weir_store_prepare(store, pending_sql, &stmt, err);
    if (code != 0)
        return code;
    while (code == 0 && (step = sqlite3_step(stmt)) == SQLITE_ROW)
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

static int merge_attached(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err)
{
    int code = attach(store, path, err);
    if (code != 0)
        return code;
    code = weir_store_begin_durable(store, err); /* the caller may remove the part afterwards */
    if (code == 0)
        code = copy_runs(store, last, err);
    if (code == 0)
        code = weir_store_commit(store, err);
    weir_store_rollback(store);
    (void)sqlite3_exec(store->db, "DETACH part", NULL, NULL, NULL);
    return code;
}

/* Before the file is opened: its end would be that of the locks on ours. */
static bool is_itself(const struct weir_store *store, const char *path)
{
    struct stat a, b;
    return fstat(store->fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The other file is opened as a writer would: no other writes it meanwhile, and its dead runs are known to be
 * dead. */
int weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err)
{
    struct weir_store *part;
    int code;
    *last = 0;
    if (is_itself(store, path))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: cannot be merged into itself", path);
    code = weir_store_open_there(&part, path, err);
    if (code != 0)
        return code;
    code = merge_attached(store, part->path, last, err);
    weir_store_close(part);
    return code;
}
