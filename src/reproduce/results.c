/* src/reproduce/results.c - see results.h. */
#include "reproduce/results.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { EACH_SQL = 2048 };

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

/* --- series --- */

/* Points of a run's series, places folded. ?4 series, ?5 place; a network's series has no place, so without one all count that
 * there are, and of a place also those whose name begins with it: "flow 1" is "flow 1 (host 0 - host 8)". */
#define SERIES_SQL(fold)                                                                                               \
    "SELECT t_ps, " fold "(value) FROM point WHERE series IN (SELECT id FROM series WHERE name = ?4 AND (?5 IS NULL "  \
    "OR place = ?5 OR substr(place, 1, length(?5) + 1) = ?5 || ' ') AND run = (SELECT id FROM run WHERE " IS_POINT     \
    " ORDER BY id DESC LIMIT 1)) GROUP BY t_ps ORDER BY t_ps"

/* The means of a run's places over (?6, ?7]. */
static const char places_sql[] =
    "SELECT series, avg(value) FROM point WHERE series IN (SELECT id FROM series WHERE name = ?4 AND (?5 IS NULL OR "
    "place = ?5 OR substr(place, 1, length(?5) + 1) = ?5 || ' ') AND run = (SELECT id FROM run WHERE " IS_POINT
    " ORDER BY id DESC LIMIT 1)) AND t_ps > ?6 AND t_ps <= ?7 GROUP BY series";

static const char part_sql[] = "SELECT (json_extract(json, '$.sim_s') - json_extract(json, '$.measured_s')) * 1e12, "
                               "json_extract(json, '$.sim_s') * 1e12 FROM run WHERE " IS_POINT " ORDER BY id DESC";

struct points {
    struct weir_series_point *point; /* owned */
    size_t count, room;
};

/* @return false = no memory */
static bool add_point(struct points *points, uint64_t t_ps, double value)
{
    if (points->count == points->room) {
        size_t room = points->room > 0 ? 2 * points->room : 1024;
        struct weir_series_point *grown = realloc(points->point, room * sizeof(*grown));
        if (grown == NULL)
            return false;
        points->point = grown;
        points->room = room;
    }
    points->point[points->count++] = (struct weir_series_point){ t_ps, value };
    return true;
}

static struct points fetch(const struct weir_results *results, const struct weir_point *p,
                           const struct weir_series_spec *spec, const char *sql)
{
    struct points points = { 0 };
    sqlite3_stmt *stmt = prepare(results->store, sql, results->experiment, p);
    if (stmt == NULL)
        return points;
    (void)sqlite3_bind_int64(stmt, 6, (int64_t)spec->from_ps); /* where the statement has them */
    (void)sqlite3_bind_int64(stmt, 7, (int64_t)spec->to_ps);
    (void)sqlite3_bind_text(stmt, 4, spec->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 5, spec->place, -1, SQLITE_STATIC); /* NULL binds NULL */
    while (sqlite3_step(stmt) == SQLITE_ROW)
        if (sqlite3_column_type(stmt, 1) != SQLITE_NULL &&
            !add_point(&points, (uint64_t)sqlite3_column_int64(stmt, 0), sqlite3_column_double(stmt, 1)))
            break;
    (void)sqlite3_finalize(stmt);
    return points;
}

/* Without a window of its own: the measured part. */
static void default_window(const struct weir_results *results, const struct weir_point *p,
                           struct weir_series_spec *spec)
{
    sqlite3_stmt *stmt = prepare(results->store, part_sql, results->experiment, p);
    if (stmt == NULL)
        return;
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        if (!spec->has_from) /* to whole ps: both are decimals of seconds */
            spec->from_ps = (uint64_t)(sqlite3_column_double(stmt, 0) + 0.5);
        if (!spec->has_to)
            spec->to_ps = (uint64_t)(sqlite3_column_double(stmt, 1) + 0.5);
    }
    (void)sqlite3_finalize(stmt);
}

static struct weir_value read_series(const struct weir_results *results, const struct weir_point *p,
                                     const struct weir_series_spec *asked)
{
    static const char *const folded[] = { SERIES_SQL("avg"), SERIES_SQL("min"), SERIES_SQL("max"), SERIES_SQL("sum") };
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    struct weir_series_spec spec = *asked;
    struct points points, all = { 0 };
    default_window(results, p, &spec);
    points = fetch(results, p, &spec, spec.what == WEIR_SERIES_JAIN ? places_sql : folded[spec.fold]);
    spec.place = NULL;
    if (spec.of == WEIR_SERIES_OF_FAIR)
        all = fetch(results, p, &spec, folded[WEIR_SERIES_FOLD_MEAN]);
    if (weir_series_value(&spec, points.point, points.count, all.point, all.count, &value.lo)) {
        value.state = WEIR_VALUE_NUMBER;
        value.hi = value.lo;
    }
    free(points.point);
    free(all.point);
    return value;
}

/* --- jobs and coflows --- */

static struct weir_value read_each(const struct weir_results *results, const struct weir_point *p,
                                   const struct weir_point *base, const struct weir_each_spec *spec)
{
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    sqlite3_stmt *stmt;
    char sql[EACH_SQL];
    if (!weir_each_sql(spec, base != NULL, sql, sizeof(sql)))
        return value;
    stmt = prepare(results->store, sql, results->experiment, p);
    if (stmt == NULL)
        return value; /* of a file from before there were jobs */
    (void)sqlite3_bind_text(stmt, 4, spec->name, -1, SQLITE_STATIC);
    if (base != NULL)
        (void)sqlite3_bind_text(stmt, 5, base->name, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
        value.state = WEIR_VALUE_NUMBER;
        value.lo = value.hi = sqlite3_column_double(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return value;
}

/* --- numbers of the JSON --- */

static struct weir_value read_json(const struct weir_results *results, const struct weir_point *point, const char *path)
{
    static const char growth[] = "growth:";
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

struct weir_value weir_results_read(void *ctx, const struct weir_point *point, const struct weir_reading *reading)
{
    const struct weir_results *results = ctx;
    if (reading->each != NULL)
        return read_each(results, point, NULL, reading->each);
    return reading->series != NULL ? read_series(results, point, reading->series)
                                   : read_json(results, point, reading->path);
}

struct weir_value weir_results_compare(void *ctx, const struct weir_point *point, const struct weir_point *base,
                                       const struct weir_reading *reading)
{
    return read_each(ctx, point, base, reading->each);
}
