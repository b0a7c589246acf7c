/* src/reproduce/results.c - see results.h. */
#include "reproduce/results.h"
#include <sqlite3.h>
#include <string.h>

/* ?1 experiment, ?2 figure, ?3 point */
#define IS_POINT "experiment = ?1 AND figure = ?2 AND point = ?3 AND status = 'done'"

static const char adopt_sql[] =
    "SELECT 1 FROM run WHERE " IS_POINT " AND scenario = ?4 AND weir_version IS ?5 AND commit_id IS ?6";

static const char json_sql[] = "SELECT json_extract(json, '$.' || ?4) FROM run WHERE " IS_POINT " ORDER BY id DESC";

/* The mean in the measured part over the mean of the tenth before half time. What grows without bound is about twice as
 * much then, what is steady is the same. */
static const char growth_sql[] =
    "WITH r AS (SELECT id, json_extract(json, '$.sim_s') * 1e12 AS end_ps,"
    " (json_extract(json, '$.sim_s') - json_extract(json, '$.measured_s')) * 1e12 AS warmup_ps"
    " FROM run WHERE " IS_POINT " ORDER BY id DESC LIMIT 1)"
    " SELECT avg(CASE WHEN t_ps >= warmup_ps THEN value END) /"
    " nullif(avg(CASE WHEN t_ps BETWEEN end_ps * 0.4 AND end_ps * 0.5 THEN value END), 0)"
    " FROM r JOIN series ON series.run = r.id AND series.name = ?4 AND place IS NULL"
    " JOIN point ON point.series = series.id";

static sqlite3_stmt *prepare(struct weir_store *store, const char *sql, const char *experiment,
                             const struct weir_point *p)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(weir_store_db(store), sql, -1, &stmt, NULL) != SQLITE_OK)
        return NULL;
    (void)sqlite3_bind_text(stmt, 1, experiment, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 2, p->figure->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 3, p->name, -1, SQLITE_STATIC);
    return stmt;
}

uint32_t weir_results_adopt(struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        struct weir_point *p = &plan->point[i];
        sqlite3_stmt *stmt = prepare(store, adopt_sql, plan->exp->origin.id, p);
        if (stmt == NULL)
            return count;
        (void)sqlite3_bind_text(stmt, 4, p->resolved, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 5, by->version, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 6, by->commit, -1, SQLITE_STATIC);
        if (sqlite3_step(stmt) == SQLITE_ROW) {
            p->state = WEIR_POINT_DONE;
            count++;
        }
        (void)sqlite3_finalize(stmt);
    }
    return count;
}

struct weir_value weir_results_read(void *ctx, const struct weir_point *point, const char *path)
{
    static const char growth[] = "growth:";
    const struct weir_results *results = ctx;
    bool grows = strncmp(path, growth, sizeof(growth) - 1) == 0;
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    sqlite3_stmt *stmt = prepare(results->store, grows ? growth_sql : json_sql, results->experiment, point);
    if (stmt == NULL)
        return value;
    (void)sqlite3_bind_text(stmt, 4, grows ? path + sizeof(growth) - 1 : path, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW &&
        (sqlite3_column_type(stmt, 0) == SQLITE_INTEGER || sqlite3_column_type(stmt, 0) == SQLITE_FLOAT)) {
        value.state = WEIR_VALUE_NUMBER;
        value.lo = value.hi = sqlite3_column_double(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return value;
}
