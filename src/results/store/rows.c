/* src/results/store/rows.c - writes and removes runs, and their rows in other tables. */
#include "core/assert.h"
#include "core/units.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_COLUMNS = 14 };

static void bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
    WEIR_ASSERT(at <= sqlite3_bind_parameter_count(stmt));
    (void)sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

static void bind_number(sqlite3_stmt *stmt, int at, uint64_t number)
{
    (void)sqlite3_bind_int64(stmt, at, (sqlite3_int64)number);
}

/* Prepares a statement and binds its first parameter to the number of the run. The binding stays for all executions of
 * the statement. @return 0, or a code with err */
static int prepare_of_run(struct weir_store *store, const char *sql, int64_t run, sqlite3_stmt **stmt,
                          struct weir_err *err)
{
    int code = weir_store_prepare(store, sql, stmt, err);
    if (code == 0)
        (void)sqlite3_bind_int64(*stmt, 1, run);
    return code;
}

#define POINTS_CLEAR "DELETE FROM point WHERE series IN (SELECT id FROM series WHERE run = ?)"

/* Executes a DELETE whose only parameter is the number of the run. @return 0, or a code with err */
static int delete_of_run(struct weir_store *store, const char *sql, int64_t run, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, sql, run, &stmt, err);
    return code != 0 ? code : weir_store_step_once(store, stmt, err);
}

int weir_store_run_begin(struct weir_store *store, const struct weir_store_run *run, int64_t *id, struct weir_err *err)
{
    char seed[24];
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(store,
                                  "INSERT INTO run (status, name, label, started_utc, weir_version, commit_id, machine,"
                                  " protocol, preset, scenario, settings, experiment, figure, point, seed, threads)"
                                  " VALUES ('running',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                  &stmt, err);
    const char *const text[] = { run->name,       run->label,    run->started_utc, run->weir_version, run->commit_id,
                                 run->machine,    run->protocol, run->preset,      run->scenario,     run->settings,
                                 run->experiment, run->figure,   run->point };
    int at = 0;
    if (code != 0)
        return code;
    WEIR_ASSERT(run->name != NULL);
    WEIR_ASSERT(run->label != NULL);
    WEIR_ASSERT(run->started_utc != NULL);
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        bind_text(stmt, ++at, text[i]);
    (void)snprintf(seed, sizeof(seed), "%" PRIu64, run->seed);
    if (run->seed <= INT64_MAX)
        bind_number(stmt, ++at, run->seed);
    else
        bind_text(stmt, ++at, seed); /* SQLite's integers end at 2^63 */
    bind_number(stmt, ++at, run->threads);
    WEIR_ASSERT(at == sqlite3_bind_parameter_count(stmt));
    code = weir_store_step_once(store, stmt, err);
    *id = sqlite3_last_insert_rowid(store->db);
    store->has_begun_run |= code == 0;
    return code;
}

int weir_store_run_remove(struct weir_store *store, int64_t run, struct weir_err *err)
{
    static const char *const sql[] = {
        POINTS_CLEAR,
        "DELETE FROM series WHERE run = ?",
        "DELETE FROM message WHERE key BETWEEN ?1 << 40 AND (?1 + 1 << 40) - 1",
        "DELETE FROM histogram WHERE run = ?",
        "DELETE FROM by_size WHERE run = ?",
        "DELETE FROM metric WHERE run = ?",
        "DELETE FROM job WHERE run = ?",
        "DELETE FROM coflow WHERE run = ?",
        "DELETE FROM finding WHERE run = ?",
        "DELETE FROM failure WHERE run = ?",
        "DELETE FROM law WHERE run = ?",
        "DELETE FROM class WHERE run = ?",
        "DELETE FROM kept WHERE run = ?",
        "DELETE FROM run WHERE id = ?",
    };
    int code = 0;
    store->message_run = 0; /* a later run may get the same number */
    for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]) && code == 0; i++)
        code = delete_of_run(store, sql[i], run, err);
    return code;
}

/* Sets *older to the number of a run that `run` replaces, as weir_store_run_end() defines it; 0 = there is none
 * left. */
static int find_older(struct weir_store *store, int64_t run, int64_t *older, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store,
                              "SELECT old.id FROM run AS old, run AS new WHERE new.id = ? AND"
                              " old.id <> new.id AND old.experiment = new.experiment AND"
                              " old.figure = new.figure AND old.point = new.point AND old.label = new.label"
                              " AND (new.status = 'done' OR old.status <> 'done') LIMIT 1",
                              run, &stmt, err);
    *older = 0;
    return code != 0 ? code : weir_store_take_number(store, stmt, older, err);
}

int weir_store_replace(struct weir_store *store, int64_t run, struct weir_err *err)
{
    int64_t older;
    int code;
    while ((code = find_older(store, run, &older, err)) == 0 && older != 0)
        if ((code = weir_store_run_remove(store, older, err)) != 0)
            break;
    return code;
}

static int run_set_end(struct weir_store *store, int64_t run, const struct weir_store_end *end, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(
        store,
        "UPDATE run SET status = ?, digest = ?, json = ?, scenario = ifnull(?, scenario), sim_s = ?, wall_s = ?"
        " WHERE id = ?",
        &stmt, err);
    if (code != 0)
        return code;
    bind_text(stmt, 1, end->status);
    bind_text(stmt, 2, end->digest);
    bind_text(stmt, 3, end->json);
    bind_text(stmt, 4, end->scenario);
    (void)sqlite3_bind_double(stmt, 5, end->sim_s);
    (void)sqlite3_bind_double(stmt, 6, end->wall_s);
    (void)sqlite3_bind_int64(stmt, 7, run);
    return weir_store_step_once(store, stmt, err);
}

int weir_store_run_end(struct weir_store *store, int64_t run, const struct weir_store_end *end, struct weir_err *err)
{
    WEIR_ASSERT(end->status != NULL);
    int code = run_set_end(store, run, end, err);
    return code != 0 ? code : weir_store_replace(store, run, err);
}

_Static_assert(WEIR_STORE_KEY_BITS == 40, "statements here and in merge.c say so");

/* Sets store->message_run to the run, and store->message_key to the key of the next message of the run. */
static int find_message_key(struct weir_store *store, int64_t run, struct weir_err *err)
{
    char sql[128];
    int64_t first = run << WEIR_STORE_KEY_BITS, last = first + ((INT64_C(1) << WEIR_STORE_KEY_BITS) - 1), found;
    int code;
    (void)snprintf(sql, sizeof(sql), "SELECT max(key) + 1 FROM message WHERE key BETWEEN %" PRId64 " AND %" PRId64,
                   first, last);
    code = weir_store_number(store, sql, &found, err); /* 0 for NULL: the run has no messages */
    store->message_run = run;
    store->message_key = found != 0 ? found : first;
    return code;
}

int weir_store_failure(struct weir_store *store, int64_t run, const char *reason, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO failure VALUES (?, ?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(reason != NULL);
    bind_text(stmt, 2, reason);
    return weir_store_step_once(store, stmt, err);
}

int weir_store_messages(struct weir_store *store, int64_t run, const struct weir_store_message *message, size_t count,
                        struct weir_err *err)
{
    sqlite3_stmt *stmt = store->message;
    int code = run != store->message_run ? find_message_key(store, run, err) : 0;
    if (code != 0)
        return code;
    WEIR_ASSERT(stmt != NULL); /* the file is open for writing */
    WEIR_ASSERT(sqlite3_bind_parameter_count(stmt) == MESSAGE_COLUMNS);
    (void)sqlite3_bind_int64(stmt, 1, run);
    for (const struct weir_store_message *row = message; row < message + count; row++) {
        const struct weir_delivery *m = &row->d;
        bind_number(stmt, 2, m->id);
        bind_number(stmt, 3, m->src);
        bind_number(stmt, 4, m->dst);
        bind_number(stmt, 5, m->item);
        bind_number(stmt, 6, m->bytes);
        bind_number(stmt, 7, m->start_ps);
        bind_number(stmt, 8, m->end_ps);
        bind_number(stmt, 9, m->ideal_ps);
        bind_number(stmt, 10, m->payload_ps);
        bind_number(stmt, 11, m->retransmissions);
        bind_number(stmt, 12, m->marks);
        (void)sqlite3_bind_int64(stmt, 13, store->message_key);
        (void)sqlite3_bind_double(stmt, 14, row->weight);
        code = weir_store_step(store, stmt, err);
        if (code != 0)
            return code;
        store->message_key++;
    }
    return 0;
}

int weir_store_kept(struct weir_store *store, int64_t run, const struct weir_store_kept *kept, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO kept VALUES (?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(kept->slowest + (uint64_t)kept->others <= kept->messages);
    bind_number(stmt, 2, kept->most);
    bind_number(stmt, 3, kept->messages);
    bind_number(stmt, 4, kept->slowest);
    if (kept->slowest > 0)
        (void)sqlite3_bind_double(stmt, 5, (double)kept->slowest_from_ppm / 1e6);
    bind_number(stmt, 6, kept->others);
    (void)sqlite3_bind_double(stmt, 7, kept->weight);
    return weir_store_step_once(store, stmt, err);
}

int weir_store_series(struct weir_store *store, int64_t run, const char *name, const char *unit, const char *place,
                      int64_t *series, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO series (run, name, unit, place) VALUES (?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(name != NULL);
    WEIR_ASSERT(unit != NULL);
    bind_text(stmt, 2, name);
    bind_text(stmt, 3, unit);
    bind_text(stmt, 4, place);
    code = weir_store_step_once(store, stmt, err);
    *series = sqlite3_last_insert_rowid(store->db);
    return code;
}

int weir_store_points(struct weir_store *store, const struct weir_store_point *point, size_t count,
                      struct weir_err *err)
{
    WEIR_ASSERT(store->point != NULL); /* the file is open for writing */
    for (const struct weir_store_point *p = point; p < point + count; p++) {
        int code;
        (void)sqlite3_bind_int64(store->point, 1, p->series);
        bind_number(store->point, 2, p->t_ps);
        (void)sqlite3_bind_double(store->point, 3, p->value);
        code = weir_store_step(store, store->point, err);
        if (code != 0)
            return code;
    }
    return 0;
}

int weir_store_points_clear(struct weir_store *store, int64_t run, struct weir_err *err)
{
    return delete_of_run(store, POINTS_CLEAR, run, err);
}

int weir_store_histogram(struct weir_store *store, int64_t run, const char *name, const char *unit,
                         const struct weir_store_bucket *bucket, size_t count, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO histogram VALUES (?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(name != NULL);
    WEIR_ASSERT(unit != NULL);
    bind_text(stmt, 2, name);
    bind_text(stmt, 3, unit);
    for (size_t i = 0; i < count && code == 0; i++) {
        (void)sqlite3_bind_double(stmt, 4, bucket[i].lo);
        (void)sqlite3_bind_double(stmt, 5, bucket[i].hi);
        bind_number(stmt, 6, bucket[i].count);
        code = weir_store_step(store, stmt, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_store_by_size(struct weir_store *store, int64_t run, const struct weir_store_size_bin *bin,
                       struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO by_size VALUES (?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(bin->denominator != NULL);
    WEIR_ASSERT(bin->lo_bytes <= bin->hi_bytes);
    bind_text(stmt, 2, bin->denominator);
    bind_number(stmt, 3, bin->lo_bytes);
    bind_number(stmt, 4, bin->hi_bytes);
    bind_number(stmt, 5, bin->count);
    (void)sqlite3_bind_double(stmt, 6, bin->p50);
    (void)sqlite3_bind_double(stmt, 7, bin->p99);
    return weir_store_step_once(store, stmt, err);
}

int weir_store_metric(struct weir_store *store, int64_t run, const char *name, const double *value,
                      struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO metric VALUES (?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(name != NULL);
    bind_text(stmt, 2, name);
    if (value != NULL)
        (void)sqlite3_bind_double(stmt, 3, *value);
    return weir_store_step_once(store, stmt, err);
}

int weir_store_finding(struct weir_store *store, int64_t run, const struct weir_store_finding *finding,
                       struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO finding VALUES (?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(finding->kind != NULL);
    WEIR_ASSERT(finding->text != NULL);
    WEIR_ASSERT(finding->numbers != NULL);
    bind_number(stmt, 2, finding->number);
    bind_text(stmt, 3, finding->kind);
    bind_text(stmt, 4, finding->place);
    bind_text(stmt, 5, finding->text);
    bind_text(stmt, 6, finding->numbers);
    return weir_store_step_once(store, stmt, err);
}

/* Binds a time; binds NULL for WEIR_NEVER, the time of an event that did not happen. */
static void bind_instant(sqlite3_stmt *stmt, int at, uint64_t ps)
{
    if (ps == WEIR_NEVER)
        (void)sqlite3_bind_null(stmt, at);
    else
        bind_number(stmt, at, ps);
}

static int put_jobs(struct weir_store *store, int64_t run, const struct weir_job_results *jobs, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO job VALUES (?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < jobs->job_count && code == 0; i++) {
        const struct weir_job_result *job = &jobs->job[i];
        bind_number(stmt, 2, i);
        bind_text(stmt, 3, job->name);
        bind_number(stmt, 4, job->start_ps);
        bind_instant(stmt, 5, job->end_ps);
        bind_number(stmt, 6, job->flows);
        bind_number(stmt, 7, job->ended);
        code = weir_store_step(store, stmt, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

static int put_coflows(struct weir_store *store, int64_t run, const struct weir_job_results *jobs, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO coflow VALUES (?,?,?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < jobs->coflow_count && code == 0; i++) {
        const struct weir_coflow_result *c = &jobs->coflow[i];
        bind_number(stmt, 2, i);
        bind_text(stmt, 3, c->job);
        bind_text(stmt, 4, c->name);
        bind_instant(stmt, 5, c->start_ps);
        bind_instant(stmt, 6, c->first_end_ps);
        bind_instant(stmt, 7, c->end_ps);
        bind_number(stmt, 8, c->flows);
        bind_number(stmt, 9, c->ended);
        code = weir_store_step(store, stmt, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_store_jobs(struct weir_store *store, int64_t run, const struct weir_job_results *jobs, struct weir_err *err)
{
    WEIR_ASSERT(jobs->job_count == 0 || jobs->job != NULL);
    WEIR_ASSERT(jobs->coflow_count == 0 || jobs->coflow != NULL);
    int code = put_jobs(store, run, jobs, err);
    return code != 0 ? code : put_coflows(store, run, jobs, err);
}

/* Binds a quantile of a distribution in millionths; NULL if the distribution is empty. */
static void bind_slowdown(sqlite3_stmt *stmt, int at, const struct weir_dist *d, uint64_t ppm)
{
    if (d->count > 0)
        (void)sqlite3_bind_double(stmt, at, (double)ppm / 1e6);
    else
        (void)sqlite3_bind_null(stmt, at);
}

/* Binds the counts and slowdowns of a law or class to the parameters from `at` on, and executes the statement. */
static int step_part(struct weir_store *store, sqlite3_stmt *stmt, int at, const struct weir_part_result *part,
                     struct weir_err *err)
{
    const struct weir_dist *all = &part->slowdown[WEIR_GROUP_ALL];
    bind_number(stmt, at, part->messages_started);
    bind_number(stmt, at + 1, part->messages_completed);
    (void)sqlite3_bind_double(stmt, at + 2, (double)part->goodput_bps / 1e9);
    bind_number(stmt, at + 3, part->marks);
    bind_number(stmt, at + 4, part->drops);
    bind_number(stmt, at + 5, part->retransmissions);
    bind_number(stmt, at + 6, part->timeouts);
    bind_slowdown(stmt, at + 7, all, all->p50);
    bind_slowdown(stmt, at + 8, all, all->p99);
    WEIR_ASSERT(at + 8 == sqlite3_bind_parameter_count(stmt));
    return weir_store_step_once(store, stmt, err);
}

int weir_store_law(struct weir_store *store, int64_t run, uint32_t number, const char *protocol,
                   const struct weir_part_result *law, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO law VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(protocol != NULL);
    bind_number(stmt, 2, number);
    bind_text(stmt, 3, protocol);
    bind_number(stmt, 4, law->class_id);
    return step_part(store, stmt, 5, law, err);
}

int weir_store_class(struct weir_store *store, int64_t run, const struct weir_part_result *part, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare_of_run(store, "INSERT INTO class VALUES (?,?,?,?,?,?,?,?,?,?,?)", run, &stmt, err);
    if (code != 0)
        return code;
    bind_number(stmt, 2, part->class_id);
    return step_part(store, stmt, 3, part, err);
}
