/* src/results/store/table.c - see table.h. */
#include "store/table.h"
#include "core/assert.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SQL_MAX = 8192 }; /* bytes of a query, with the numbers of its runs */

#define MESSAGE(weight)                                                                                                \
    "SELECT run, id, src, dst, bytes, start_ps, end_ps, ideal_ps, payload_ideal_ps,"                                   \
    " CASE WHEN ideal_ps > 0 THEN (end_ps - start_ps) * 1.0 / ideal_ps END AS slowdown, retransmissions, marks, item," \
    " " weight " AS weight FROM message"

static const struct table {
    const char *name;
    const char *select;
    const char *run; /* the column with the number of the run */
    const char *order;
    const char *older; /* in place of select, if table message has no column `weight`; NULL = select */
} tables[] = {
    { "run", "SELECT * FROM run", "id", "id", NULL },
    { "message", MESSAGE("coalesce(weight, 1.0)"), "run", "key", MESSAGE("1.0") },
    { "kept", "SELECT * FROM kept", "run", "run", NULL },
    { "metric", "SELECT * FROM metric", "run", "run, name", NULL },
    { "series", "SELECT run, name, unit, place, t_ps, value FROM series JOIN point ON series = id", "run",
      "run, id, t_ps", NULL },
    { "histogram", "SELECT * FROM histogram", "run", "run, name, lo", NULL },
    { "by_size", "SELECT * FROM by_size", "run", "run, denominator, lo_bytes", NULL },
    { "job", "SELECT * FROM job", "run", "run, number", NULL },
    { "coflow", "SELECT * FROM coflow", "run", "run, number", NULL },
    { "law", "SELECT * FROM law", "run", "run, number", NULL },
    { "class", "SELECT * FROM class", "run", "run, class", NULL },
    { "finding", "SELECT * FROM finding", "run", "run, number", NULL },
    { "failure", "SELECT * FROM failure", "run", "run", NULL },
};
#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

const char *weir_store_table_at(size_t i)
{
    return i < TABLE_COUNT ? tables[i].name : NULL;
}

static const struct table *find_table(const char *name)
{
    WEIR_ASSERT(name != NULL);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(name, tables[i].name) == 0)
            return &tables[i];
    return NULL;
}

static int check_table(struct weir_store *store, const char *path, const char *name, struct weir_err *err)
{
    char sql[128];
    int64_t count = 0;
    int code;
    (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '%s'", name);
    code = weir_store_number(store, sql, &count, err);
    return code != 0 || count > 0
               ? code
               : weir_fail(err, WEIR_E_FILE, NULL, "the next run that is written to it adds the table",
                           "%s: an older Weir wrote it, without table %s", path, name);
}

/* Checks whether the file has each of the runs "3,14". */
static int check_runs(struct weir_store *store, const char *path, const char *runs, struct weir_err *err)
{
    char sql[128];
    for (const char *at = runs; at != NULL; at = strchr(at, ','), at = at != NULL ? at + 1 : NULL) {
        int64_t count = 0;
        int digits = (int)strspn(at, "0123456789"), code;
        WEIR_ASSERT(digits > 0);
        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM run WHERE id = %.*s", digits < 32 ? digits : 32, at);
        code = weir_store_number(store, sql, &count, err);
        if (code == 0 && count == 0)
            code = weir_fail(err, WEIR_E_UNKNOWN, NULL, "weir export OUT.db lists them", "%s: there is no run %.*s",
                             path, digits < 32 ? digits : 32, at);
        if (code != 0)
            return code;
    }
    return 0;
}

static void take_value(sqlite3_stmt *stmt, int column, struct weir_store_value *out)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_NULL:
        out->kind = WEIR_STORE_NULL;
        break;
    case SQLITE_INTEGER:
        out->kind = WEIR_STORE_INTEGER;
        out->integer = sqlite3_column_int64(stmt, column);
        break;
    case SQLITE_FLOAT:
        out->kind = WEIR_STORE_REAL;
        out->real = sqlite3_column_double(stmt, column);
        break;
    default:
        out->kind = WEIR_STORE_TEXT;
        out->text = (const char *)sqlite3_column_text(stmt, column);
        if (out->text == NULL)
            out->text = "";
    }
}

/* Calls the visitor for the names, and for each row of a prepared query. */
static int visit(struct weir_store *store, const char *path, sqlite3_stmt *stmt,
                 const struct weir_store_visitor *visitor, struct weir_err *err)
{
    struct weir_store_value value[WEIR_STORE_COLUMNS_MAX] = { { 0 } };
    int columns = sqlite3_column_count(stmt), step;
    bool more;
    WEIR_ASSERT(columns > 0);
    if (columns > WEIR_STORE_COLUMNS_MAX)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: a table of %d columns", path, columns);
    for (int i = 0; i < columns; i++)
        value[i].name = sqlite3_column_name(stmt, i);
    more = visitor->names(visitor->ctx, value, (uint32_t)columns);
    while ((step = more ? sqlite3_step(stmt) : SQLITE_DONE) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            take_value(stmt, i, &value[i]);
        more = visitor->row(visitor->ctx, value, (uint32_t)columns);
    }
    return step == SQLITE_DONE ? 0 : weir_store_fail(store, "cannot be read", err);
}

static int visit_rows(struct weir_store *store, const char *path, const struct table *table, const char *runs,
                      const struct weir_store_visitor *visitor, struct weir_err *err)
{
    char sql[SQL_MAX];
    sqlite3_stmt *stmt = NULL;
    bool has_weight;
    int length, code = weir_store_has_weight(store, &has_weight, err);
    if (code != 0)
        return code;
    length = snprintf(sql, sizeof(sql), "%s WHERE %s IN (%s) ORDER BY %s",
                      table->older != NULL && !has_weight ? table->older : table->select, table->run,
                      runs != NULL ? runs : table->run, table->order); /* a run is always one of itself */
    if (length < 0 || (size_t)length >= sizeof(sql))
        return weir_fail(err, WEIR_E_RANGE, NULL, "leave --runs out: all rows have the number of their run",
                         "--runs: a list of more than %d bytes", SQL_MAX - 512);
    code = weir_store_prepare(store, sql, &stmt, err);
    if (code == 0)
        code = visit(store, path, stmt, visitor, err);
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_store_table(struct weir_store *store, const char *path, const char *name, const char *runs,
                     const struct weir_store_visitor *visitor, struct weir_err *err)
{
    const struct table *table = find_table(name);
    int code;
    WEIR_ASSERT(table != NULL);
    WEIR_ASSERT(visitor->names != NULL && visitor->row != NULL);
    if (sqlite3_exec(weir_store_db(store), "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return weir_store_fail(store, "cannot be read", err);
    code = check_table(store, path, name, err);
    if (code == 0)
        code = check_runs(store, path, runs, err);
    return code != 0 ? code : visit_rows(store, path, table, runs, visitor, err);
}
