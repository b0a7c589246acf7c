/* src/results/report/curves.c - see curves.h. SQLite computes the mean or maximum of each interval, so that only the
 * points of the curve are read. */
#include "report/curves.h"
#include <math.h>

/* A bin whose greatest size is at least this many times its least size has its mark at the least size. */
#define BIN_WIDEST 10.0

static void bind(sqlite3_stmt *stmt, int at, const char *text)
{
    (void)sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

/* Prepares a statement and binds the id of the run as ?1 and a name as ?2. The name is lent until the statement is
 * finalized. Returns 0, or a code with err. */
static int query(const struct weir_run *run, const char *sql, const char *name, sqlite3_stmt **stmt,
                 struct weir_err *err)
{
    int code = weir_db_prepare(run->db, sql, stmt, err);
    if (code == 0) {
        (void)sqlite3_bind_int64(*stmt, 1, run->id);
        bind(*stmt, 2, name);
    }
    return code;
}

static int read_sizes(struct weir_curve *curve, const struct weir_run *run, const struct weir_curve_source *source,
                      struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = query(run,
                     "SELECT lo_bytes, hi_bytes, count, p50, p99 FROM by_size WHERE run = ?1 AND denominator = ?2 AND "
                     "count > 0 ORDER BY lo_bytes",
                     source->name, &stmt, err);
    if (code != 0)
        return code;
    while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
        double lo = weir_db_double(stmt, 0), hi = weir_db_double(stmt, 1);
        double last = hi - 1 < BIN_WIDEST * lo ? hi - 1 : lo; /* the greatest size in the bin: hi is not in it */
        struct weir_plot_point p = { .x = sqrt(lo * last), .lo = lo, .hi = hi, .count = weir_db_double(stmt, 2) };
        p.y = weir_db_double(stmt, source->p99 ? 4 : 3);
        code = weir_curve_add(curve, &p, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

/* Divides the cumulative counts of a curve by their total; the last point gets exactly 1. */
static void normalise(struct weir_curve *curve, double total)
{
    for (size_t i = 0; i < curve->count; i++)
        curve->point[i].y = i + 1 == curve->count ? 1 : curve->point[i].y / total;
}

static int read_histogram(struct weir_curve *curve, const struct weir_run *run, const struct weir_curve_source *source,
                          struct weir_err *err)
{
    sqlite3_stmt *stmt;
    double below = 0, end = 0;
    int code = query(run, "SELECT lo, hi, count FROM histogram WHERE run = ?1 AND name = ?2 AND count > 0 ORDER BY lo",
                     source->name, &stmt, err);
    if (code != 0)
        return code;
    while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
        double lo = weir_db_double(stmt, 0), hi = weir_db_double(stmt, 1);
        if (lo > end) /* an empty gap before this bucket: the share stays the same up to lo */
            code = weir_curve_add(curve, &(struct weir_plot_point){ .x = lo, .y = below }, err);
        below += weir_db_double(stmt, 2);
        end = hi;
        if (code == 0)
            code = weir_curve_add(curve, &(struct weir_plot_point){ .x = hi, .y = below }, err);
    }
    (void)sqlite3_finalize(stmt);
    if (curve->count > 0)
        normalise(curve, below);
    return code;
}

void weir_extent_widen(struct weir_extent *extent, int64_t points, int64_t last_ps)
{
    extent->points = points > extent->points ? points : extent->points;
    extent->last_ps = last_ps > extent->last_ps ? last_ps : extent->last_ps;
}

int weir_series_extent(struct weir_extent *extent, const struct weir_run *run, const char *series, const char *element,
                       struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = query(run,
                     "SELECT count(*), max(t_ps) FROM point WHERE series IN (SELECT id FROM series WHERE run = ?1 AND "
                     "name = ?2 AND place IS ?3)",
                     series, &stmt, err);
    if (code != 0)
        return code;
    bind(stmt, 3, element);
    if (weir_db_step(run->db, stmt, &code, err))
        weir_extent_widen(extent, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1));
    (void)sqlite3_finalize(stmt);
    return code;
}

static int read_series(struct weir_curve *curve, const struct weir_run *run, const struct weir_curve_source *source,
                       struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code =
        query(run,
              "SELECT (t_ps - 1) / ?4 AS part, avg(value), max(value) FROM point WHERE series IN (SELECT id FROM "
              "series WHERE run = ?1 AND name = ?2 AND place IS ?3) GROUP BY part ORDER BY part",
              source->name, &stmt, err);
    if (code != 0)
        return code;
    bind(stmt, 3, source->element);
    (void)sqlite3_bind_int64(stmt, 4, source->width_ps);
    while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
        struct weir_plot_point p = { .x = (weir_db_double(stmt, 0) + 1) * (double)source->width_ps };
        p.y = weir_db_double(stmt, source->fold == WEIR_FOLD_MEAN ? 1 : 2);
        code = weir_curve_add(curve, &p, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_curve_read(struct weir_curve *curve, const struct weir_run *run, const struct weir_curve_source *source,
                    struct weir_err *err)
{
    switch (source->kind) {
    case WEIR_SOURCE_SIZES:
        return read_sizes(curve, run, source, err);
    case WEIR_SOURCE_HISTOGRAM:
        return read_histogram(curve, run, source, err);
    case WEIR_SOURCE_SERIES:
        break;
    }
    return read_series(curve, run, source, err);
}
