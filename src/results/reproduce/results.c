/* src/results/reproduce/results.c - see results.h. */
#include "reproduce/results.h"
#include "core/assert.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH_SQL = 2048 };

#define OF_POINT "FROM run WHERE experiment = ?1 AND figure = ?2 AND point = ?3"

/* The done runs of a point, the newest first. The last column is 1 if a new run would replace the run. */
static const char earlier_sql[] = "SELECT id, scenario, weir_version IS ?4, commit_id IS ?5, label = point " OF_POINT
                                  " AND status = 'done' ORDER BY id DESC";

static const char forget_sql[] = "SELECT id " OF_POINT " AND label = point LIMIT 1";

/* The number with the name ?2 of run ?1, from table `metric`. There a name may have a dot within a key:
 * "drops_by_cause.switch.memory.data". If the table does not have the number, as one of a finding, ?2 is a path in the
 * JSON. */
static const char number_sql[] = "SELECT coalesce((SELECT value FROM metric WHERE run = ?1 AND name = ?2), "
                                 "json_extract(json, '$.' || ?2)) FROM run WHERE id = ?1";
static const char text_sql[] = "SELECT json_extract(json, '$.' || ?2) FROM run WHERE id = ?1";

/* Unfinished messages. A file of an older Weir does not have their number: started minus completed ones. */
static const char unfinished_sql[] = "SELECT coalesce(json_extract(json, '$.unfinished.messages'), "
                                     "json_extract(json, '$.messages_started') - "
                                     "json_extract(json, '$.messages_completed')) FROM run WHERE id = ?1";

/* The growth of a series: the mean in the measured part over the mean between 40 and 50 % of the run. About 2 for a
 * queue that grows without bound, 1 for a steady one. */
static const char growth_sql[] =
    "WITH r AS (SELECT id, json_extract(json, '$.sim_s') * 1e12 AS end_ps,"
    " (json_extract(json, '$.sim_s') - json_extract(json, '$.measured_s')) * 1e12 AS warmup_ps"
    " FROM run WHERE id = ?1)"
    " SELECT avg(CASE WHEN t_ps >= warmup_ps THEN value END) /"
    " nullif(avg(CASE WHEN t_ps BETWEEN end_ps * 0.4 AND end_ps * 0.5 THEN value END), 0)"
    " FROM r JOIN series ON series.run = r.id AND series.name = ?2 AND place IS NULL"
    " JOIN point ON point.series = series.id";

/* A quantile of a histogram: the middle of the lowest bucket such that this bucket and those below have at least ?3
 * percent of the values. */
static const char quantile_sql[] = "SELECT (lo + hi) / 2 FROM (SELECT lo, hi, sum(count) OVER (ORDER BY lo) AS below,"
                                   " sum(count) OVER () AS total FROM histogram WHERE run = ?1 AND name = ?2)"
                                   " WHERE below * 100 >= total * ?3 ORDER BY lo LIMIT 1";

static sqlite3_stmt *prepare(struct weir_store *store, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    return sqlite3_prepare_v2(weir_store_db(store), sql, -1, &stmt, NULL) == SQLITE_OK ? stmt : NULL;
}

/* --- runs that the file has already --- */

/* Prepares a statement and binds ?1 to ?3: experiment, figure and name of the point. Returns NULL if that fails. */
static sqlite3_stmt *prepare_earlier(const struct weir_plan *plan, const struct weir_point *p, struct weir_store *store,
                                     const char *sql)
{
    sqlite3_stmt *stmt = prepare(store, sql);
    (void)sqlite3_bind_text(stmt, 1, plan->exp->origin.id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 2, p->figure->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 3, p->name, -1, SQLITE_STATIC);
    return stmt;
}

bool weir_results_are_sampled(const char *scenario)
{
    WEIR_ASSERT(scenario != NULL);
    return strstr(scenario, "\n  statistics: sampled\n") != NULL;
}

static bool says_length(const char *line)
{
    return strncmp(line, "  warmup: ", 10) == 0 || strncmp(line, "  measure: ", 11) == 0;
}

/* Compares two resolved scenarios line by line: both have every key, in the same order. Returns bits of
 * WEIR_DIFFERS_LENGTH and WEIR_DIFFERS_SETTINGS; 0 = they are equal. */
static uint32_t compare_scenarios(const char *a, const char *b)
{
    uint32_t differs = 0;
    while (*a != '\0' || *b != '\0') {
        size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
        if (m != n || memcmp(a, b, m) != 0)
            differs |= says_length(a) && says_length(b) ? WEIR_DIFFERS_LENGTH : WEIR_DIFFERS_SETTINGS;
        a += m + (a[m] != '\0');
        b += n + (b[n] != '\0');
    }
    return differs;
}

/* Returns the differences, WEIR_DIFFERS_.. bits, of the run in this row of earlier_sql from a run of point p by this
 * program. */
static uint32_t compare_run(sqlite3_stmt *stmt, const struct weir_point *p)
{
    const char *scenario = (const char *)sqlite3_column_text(stmt, 1);
    uint32_t differs = compare_scenarios(scenario != NULL ? scenario : "", p->resolved);
    if (sqlite3_column_int(stmt, 2) == 0)
        differs |= WEIR_DIFFERS_VERSION;
    if (sqlite3_column_int(stmt, 3) == 0)
        differs |= WEIR_DIFFERS_COMMIT;
    return differs;
}

static const char kept_sql[] = "SELECT slowest + others, messages FROM kept WHERE run = ?1 AND (?2 = 0 OR most = ?2)";

/* Reads how many messages are kept of a run. most: the sample must be of so many; 0 = of any number. Returns false if
 * the run has no such sample. */
static bool read_kept(struct weir_store *store, int64_t run, uint32_t most, uint64_t *rows, uint64_t *messages)
{
    sqlite3_stmt *stmt = prepare(store, kept_sql);
    bool found;
    (void)sqlite3_bind_int64(stmt, 1, run);
    (void)sqlite3_bind_int64(stmt, 2, most);
    found = stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW;
    *rows = found ? (uint64_t)sqlite3_column_int64(stmt, 0) : 0;
    *messages = found ? (uint64_t)sqlite3_column_int64(stmt, 1) : 0;
    (void)sqlite3_finalize(stmt);
    return found;
}

struct weir_results_kept weir_results_kept(const struct weir_plan *plan)
{
    struct weir_results_kept kept = { 0 };
    for (const struct weir_point *p = plan->point; p < plan->point + plan->point_count; p++) {
        uint64_t rows, messages;
        if (p->state != WEIR_POINT_DONE || !read_kept(p->store, p->run, 0, &rows, &messages))
            continue;
        kept.runs++;
        kept.rows += rows;
        kept.messages += messages;
    }
    return kept;
}

/* Tests whether a run has the messages that the plan asks for. */
static bool has_messages(const struct weir_plan *plan, struct weir_store *store, int64_t run)
{
    uint64_t rows, messages;
    return plan->keep_messages == 0 || read_kept(store, run, plan->keep_messages, &rows, &messages);
}

static int adopt_point(struct weir_plan *plan, struct weir_point *p, struct weir_store *store,
                       const struct weir_results_by *by, struct weir_results_found *found, struct weir_err *err)
{
    sqlite3_stmt *stmt = prepare_earlier(plan, p, store, earlier_sql);
    uint32_t other = 0;
    bool lacks = false;
    int step;
    if (stmt == NULL)
        return weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_bind_text(stmt, 4, by->version, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 5, by->commit, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
        uint32_t differs = compare_run(stmt, p);
        if (differs == 0 && !has_messages(plan, store, sqlite3_column_int64(stmt, 0))) {
            lacks = true;
        } else if (differs == 0 && p->state != WEIR_POINT_DONE) {
            p->state = WEIR_POINT_DONE;
            p->store = store;
            p->run = sqlite3_column_int64(stmt, 0);
            p->is_sampled = weir_results_are_sampled(p->resolved);
        } else if (differs != 0 && sqlite3_column_int(stmt, 4) != 0) {
            other |= differs;
        }
    }
    (void)sqlite3_finalize(stmt);
    found->same += p->state == WEIR_POINT_DONE;
    found->without += p->wanted && p->state != WEIR_POINT_DONE && lacks;
    if (p->wanted && p->state != WEIR_POINT_DONE && other != 0) {
        found->other++;
        found->differs |= other;
    }
    return step == SQLITE_DONE ? 0 : weir_store_fail(store, "cannot be read", err);
}

int weir_results_adopt(struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_results_found *found, struct weir_err *err)
{
    int code = 0;
    *found = (struct weir_results_found){ 0 };
    for (uint32_t i = 0; i < plan->point_count && code == 0; i++)
        if (plan->point[i].resolved != NULL) /* NULL = the point cannot be run */
            code = adopt_point(plan, &plan->point[i], store, by, found, err);
    return code;
}

/* Sets *run to the number of a run of the point that a new run would replace; 0 = there is none left. */
static int find_forgotten(const struct weir_plan *plan, const struct weir_point *p, struct weir_store *store,
                          int64_t *run, struct weir_err *err)
{
    sqlite3_stmt *stmt = prepare_earlier(plan, p, store, forget_sql);
    int step = stmt != NULL ? sqlite3_step(stmt) : SQLITE_ERROR;
    *run = step == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    (void)sqlite3_finalize(stmt);
    return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : weir_store_fail(store, "cannot be read", err);
}

int weir_results_forget(const struct weir_plan *plan, struct weir_store *store, struct weir_err *err)
{
    int64_t run;
    int code = weir_store_begin(store, err);
    for (const struct weir_point *p = plan->point; p < plan->point + plan->point_count && code == 0; p++) {
        if (!p->wanted || p->resolved == NULL || p->state == WEIR_POINT_DONE)
            continue;
        while ((code = find_forgotten(plan, p, store, &run, err)) == 0 && run != 0)
            if ((code = weir_store_run_remove(store, run, err)) != 0)
                break;
    }
    if (code == 0)
        code = weir_store_commit(store, err);
    weir_store_rollback(store);
    return code;
}

/* Prepares a statement and binds ?1 to the run of the point. Returns NULL if the point has no run, or if a file of an
 * older Weir lacks a table. */
static sqlite3_stmt *prepare_of_run(const struct weir_point *p, const char *sql)
{
    sqlite3_stmt *stmt = p->store != NULL ? prepare(p->store, sql) : NULL;
    (void)sqlite3_bind_int64(stmt, 1, p->run);
    return stmt;
}

/* --- series --- */

/* The points of series ?2 of run ?1 at place ?3. If ?3 is NULL, all places count; the series of the network has no
 * place. A place also counts if it begins with ?3 and a blank: "flow 1" fits "flow 1 (host 0 - host 8)". */
#define OF_SERIES                                                                                                      \
    " FROM point WHERE series IN (SELECT id FROM series WHERE run = ?1 AND name = ?2 AND (?3 IS NULL OR place = ?3 "   \
    "OR substr(place, 1, length(?3) + 1) = ?3 || ' '))"
#define SERIES_SQL(fold) "SELECT t_ps, " fold "(value)" OF_SERIES " GROUP BY t_ps ORDER BY t_ps"

/* The mean of the series at each place, over ?4 < t <= ?5, in the order of the places. */
static const char elements_sql[] =
    "SELECT series, avg(value)" OF_SERIES " AND t_ps > ?4 AND t_ps <= ?5 GROUP BY series ORDER BY series";

static const char part_sql[] = "SELECT (json_extract(json, '$.sim_s') - json_extract(json, '$.measured_s')) * 1e12, "
                               "json_extract(json, '$.sim_s') * 1e12 FROM run WHERE id = ?1";

struct points {
    struct weir_series_point *point; /* owned */
    size_t count, room;
};

/* Appends a point. Returns false if there is no memory. */
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

static struct points fetch(const struct weir_point *p, const struct weir_series_spec *spec, const char *sql)
{
    struct points points = { 0 };
    sqlite3_stmt *stmt = prepare_of_run(p, sql);
    if (stmt == NULL)
        return points;
    (void)sqlite3_bind_text(stmt, 2, spec->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 3, spec->element, -1, SQLITE_STATIC); /* NULL binds NULL */
    (void)sqlite3_bind_int64(stmt, 4, (int64_t)spec->from_ps);          /* no effect on a statement without ?4 and ?5 */
    (void)sqlite3_bind_int64(stmt, 5, (int64_t)spec->to_ps);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        if (sqlite3_column_type(stmt, 1) != SQLITE_NULL &&
            !add_point(&points, (uint64_t)sqlite3_column_int64(stmt, 0), sqlite3_column_double(stmt, 1)))
            break;
    (void)sqlite3_finalize(stmt);
    return points;
}

/* Sets from_ps and to_ps to the limits of the measured part of the run, unless the spec has `from` or `to`. */
static void default_window(const struct weir_point *p, struct weir_series_spec *spec)
{
    sqlite3_stmt *stmt = prepare_of_run(p, part_sql);
    if (stmt == NULL)
        return;
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        if (!spec->has_from) /* rounded: the JSON has decimals of seconds */
            spec->from_ps = (uint64_t)(sqlite3_column_double(stmt, 0) + 0.5);
        if (!spec->has_to)
            spec->to_ps = (uint64_t)(sqlite3_column_double(stmt, 1) + 0.5);
    }
    (void)sqlite3_finalize(stmt);
}

static struct weir_value read_series(const struct weir_point *p, const struct weir_series_spec *asked)
{
    static const char *const folded[] = { SERIES_SQL("avg"), SERIES_SQL("min"), SERIES_SQL("max"), SERIES_SQL("sum") };
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    struct weir_series_spec spec = *asked;
    struct points points, all = { 0 };
    default_window(p, &spec);
    points = fetch(p, &spec, weir_series_is_of_means(spec.what) ? elements_sql : folded[spec.fold]);
    spec.element = NULL;
    if (spec.of == WEIR_SERIES_OF_FAIR)
        all = fetch(p, &spec, folded[WEIR_SERIES_FOLD_MEAN]);
    if (weir_series_value(&spec, points.point, points.count, all.point, all.count, &value.lo)) {
        value.state = WEIR_VALUE_NUMBER;
        value.hi = value.lo;
    }
    free(points.point);
    free(all.point);
    return value;
}

/* --- jobs and coflows --- */

static struct weir_value read_each(const struct weir_point *p, const struct weir_point *base,
                                   const struct weir_each_spec *spec)
{
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    sqlite3_stmt *stmt;
    char sql[EACH_SQL];
    if (!weir_each_sql(spec, base != NULL, sql, sizeof(sql)))
        return value;
    stmt = prepare_of_run(p, sql);
    if (stmt == NULL)
        return value; /* a file of an older Weir has no jobs */
    (void)sqlite3_bind_text(stmt, 2, spec->name, -1, SQLITE_STATIC);
    if (base != NULL)
        (void)sqlite3_bind_int64(stmt, 3, base->run);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
        value.state = WEIR_VALUE_NUMBER;
        value.lo = value.hi = sqlite3_column_double(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return value;
}

/* --- numbers of the JSON --- */

/* Executes a statement, which may be NULL, and finalises the statement. Returns the number in the first column of the
 * first row, or the state NONE if there is none. */
static struct weir_value take_number(sqlite3_stmt *stmt)
{
    struct weir_value value = { .state = WEIR_VALUE_NONE };
    if (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW &&
        (sqlite3_column_type(stmt, 0) == SQLITE_INTEGER || sqlite3_column_type(stmt, 0) == SQLITE_FLOAT)) {
        value.state = WEIR_VALUE_NUMBER;
        value.lo = value.hi = sqlite3_column_double(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return value;
}

/* Returns a quantile of a histogram of the run. what: name and percentage, "tor_queue:99" */
static struct weir_value read_quantile(const struct weir_point *p, const char *what)
{
    const char *percent = strrchr(what, ':');
    sqlite3_stmt *stmt = percent != NULL ? prepare_of_run(p, quantile_sql) : NULL;
    if (stmt != NULL) {
        (void)sqlite3_bind_text(stmt, 2, what, (int)(percent - what), SQLITE_STATIC);
        (void)sqlite3_bind_double(stmt, 3, strtod(percent + 1, NULL));
    }
    return take_number(stmt);
}

static struct weir_value read_json(const struct weir_point *p, const char *path)
{
    static const char growth[] = "growth:", quantile[] = "quantile:";
    bool grows = strncmp(path, growth, sizeof(growth) - 1) == 0;
    sqlite3_stmt *stmt;
    if (strncmp(path, quantile, sizeof(quantile) - 1) == 0)
        return read_quantile(p, path + sizeof(quantile) - 1);
    if (strcmp(path, "unfinished.messages") == 0)
        return take_number(prepare_of_run(p, unfinished_sql));
    stmt = prepare_of_run(p, grows ? growth_sql : number_sql);
    if (stmt != NULL)
        (void)sqlite3_bind_text(stmt, 2, grows ? path + sizeof(growth) - 1 : path, -1, SQLITE_STATIC);
    return take_number(stmt);
}

bool weir_results_any(const struct weir_plan *plan, const char *path)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].state == WEIR_POINT_DONE && read_json(&plan->point[i], path).state == WEIR_VALUE_NUMBER)
            return true;
    return false;
}

bool weir_results_text(const struct weir_point *point, const char *path, char *out, size_t size)
{
    sqlite3_stmt *stmt = prepare_of_run(point, text_sql);
    bool found;
    out[0] = '\0';
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_text(stmt, 2, path, -1, SQLITE_STATIC);
    found = sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_TEXT;
    if (found)
        (void)snprintf(out, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    return found;
}

/* Adds a protocol to the title of a law, "law 0: dctcp, sird", unless the title has it. A blank stands before each, so
 * none is looked for at the beginning. */
static void add_protocol(char title[WEIR_RESULTS_LAW], const char *protocol)
{
    size_t used = strlen(title), length = strlen(protocol);
    for (const char *at = strstr(title + 1, protocol); at != NULL; at = strstr(at + 1, protocol))
        if (at[-1] == ' ' && (at[length] == '\0' || at[length] == ','))
            return;
    (void)snprintf(title + used, WEIR_RESULTS_LAW - used, "%s %s", title[used - 1] == ':' ? "" : ",", protocol);
}

uint32_t weir_results_laws(const struct weir_plan *plan, char title[WEIR_LAWS_MAX][WEIR_RESULTS_LAW])
{
    uint32_t laws = 0;
    for (uint32_t k = 0; k < WEIR_LAWS_MAX && laws == k; k++) {
        (void)snprintf(title[k], WEIR_RESULTS_LAW, "law %u:", (unsigned)k);
        for (uint32_t i = 0; i < plan->point_count; i++) {
            char path[32], protocol[32];
            (void)snprintf(path, sizeof(path), "laws[%u].protocol", (unsigned)k);
            if (plan->point[i].state != WEIR_POINT_DONE ||
                !weir_results_text(&plan->point[i], path, protocol, sizeof(protocol)) || protocol[0] == '\0')
                continue;
            add_protocol(title[k], protocol);
            laws = k + 1;
        }
    }
    return laws;
}

struct weir_value weir_results_read(const struct weir_point *point, const struct weir_reading *reading)
{
    if (reading->each != NULL)
        return read_each(point, NULL, reading->each);
    return reading->series != NULL ? read_series(point, reading->series) : read_json(point, reading->path);
}

struct weir_value weir_results_compare(const struct weir_point *point, const struct weir_point *base,
                                       const struct weir_reading *reading)
{
    if (point->store != base->store)
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    return read_each(point, base, reading->each);
}

const struct weir_measured weir_results_measured = { .read = weir_results_read, .compare = weir_results_compare };
