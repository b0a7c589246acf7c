/* src/results/report/published_cells.c - see published_cells.h. */
#include "report/published_cells.h"
#include "store/store.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELLS                                                                                                          \
    "json_each(?1, '$.figures') AS f, json_each(CASE WHEN f.type = 'object' THEN f.value END) AS t, json_each(CASE "   \
    "WHEN t.type = 'object' THEN t.value END, '$.cells') AS c WHERE c.type = 'object' AND json_extract(c.value, "      \
    "'$.published') IS NOT NULL"
#define OF_TABLE(key) "json_extract(t.value, '$." key "')"
#define OF_CELL(key) "json_extract(c.value, '$." key "')"

/* A row for each cell with a published number of the figure ?2. */
/* clang-format off */
static const char cells_sql[] =
    "SELECT t.key, " OF_TABLE("title") ", " OF_TABLE("unit") ", " OF_TABLE("missed") ", c.key, "
    OF_CELL("class") ", " OF_CELL("verdict") ", " OF_CELL("measured") ", " OF_CELL("half_width_95") ", "
    OF_CELL("published") ", " OF_CELL("published_max") ", " OF_TABLE("band_percent") ", "
    "json_type(c.value, '$.deviation_points') IS NOT NULL, coalesce(" OF_TABLE("comparable") ", 1), "
    "coalesce(" OF_CELL("digits") ", -1) FROM " CELLS " AND f.key = ?2";
/* clang-format on */
enum {
    TABLE,
    TITLE,
    UNIT,
    MISSED,
    CELL,
    CLASS,
    VERDICT,
    MEASURED,
    HALF_WIDTH,
    FROM,
    TO,
    BAND,
    POINTS,
    COMPARABLE,
    DIGITS
};

static const char paper_sql[] = "SELECT json_extract(?1, '$.title'), (SELECT json_extract(value, '$.title') FROM "
                                "json_each(?1, '$.figures') WHERE key "
                                "= ?2 AND type = 'object'), json_extract(?1, '$.scale'), json_extract(?1, "
                                "'$.measure_scale'), (SELECT count(*) FROM " CELLS ")";

static const char *text_of(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return text != NULL ? text : "";
}

/* Returns a number of the present row; NaN if the column has none, as "unstable". */
static double number_of(sqlite3_stmt *stmt, int column)
{
    int type = sqlite3_column_type(stmt, column);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_column_double(stmt, column) : (double)NAN;
}

static const char *state_of(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_TEXT ? text_of(stmt, column) : "";
}

static struct weir_published_cell cell_of(sqlite3_stmt *stmt)
{
    double high = number_of(stmt, TO);
    int digits = sqlite3_column_int(stmt, DIGITS);
    return (struct weir_published_cell){ .table = text_of(stmt, TABLE),
                                         .title = text_of(stmt, TITLE),
                                         .unit = text_of(stmt, UNIT),
                                         .missed = text_of(stmt, MISSED),
                                         .name = text_of(stmt, CELL),
                                         .class = text_of(stmt, CLASS),
                                         .verdict = text_of(stmt, VERDICT),
                                         .measured_state = state_of(stmt, MEASURED),
                                         .published_state = state_of(stmt, FROM),
                                         .measured = number_of(stmt, MEASURED),
                                         .half_width = number_of(stmt, HALF_WIDTH),
                                         .low = number_of(stmt, FROM),
                                         .high = isnan(high) ? number_of(stmt, FROM) : high,
                                         .band = number_of(stmt, BAND),
                                         .in_points = sqlite3_column_int(stmt, POINTS) != 0,
                                         .comparable = sqlite3_column_int(stmt, COMPARABLE) != 0,
                                         .digits = digits >= 0 && digits <= 9 ? digits : -1 };
}

/* Prepares a statement about what `weir reproduce --json` printed, and one of its figures. */
static int prepare(const struct weir_db *db, const char *sql, const char *json, const char *figure, sqlite3_stmt **stmt,
                   struct weir_err *err)
{
    int code = weir_db_prepare(db, sql, stmt, err);
    if (code == 0) {
        (void)sqlite3_bind_text(*stmt, 1, json, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(*stmt, 2, figure, -1, SQLITE_STATIC);
    }
    return code;
}

int weir_published_each(const struct weir_db *db, const char *json, const char *figure,
                        int (*take)(void *ctx, const struct weir_published_cell *cell, struct weir_err *err), void *ctx,
                        struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare(db, cells_sql, json, figure, &stmt, err);
    if (code != 0)
        return code;
    while (code == 0 && weir_db_step(db, stmt, &code, err)) {
        const struct weir_published_cell cell = cell_of(stmt);
        code = take(ctx, &cell, err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_published_paper(const struct weir_db *db, const char *json, const char *figure,
                         struct weir_published_paper *paper, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = prepare(db, paper_sql, json, figure, &stmt, err);
    *paper = (struct weir_published_paper){ .scale = 1, .measure_scale = 1 };
    if (code != 0)
        return code;
    if (weir_db_step(db, stmt, &code, err)) {
        (void)snprintf(paper->title, sizeof(paper->title), "%s", text_of(stmt, 0));
        (void)snprintf(paper->figure, sizeof(paper->figure), "%s", text_of(stmt, 1));
        paper->scale = isnan(number_of(stmt, 2)) ? 1 : number_of(stmt, 2);
        paper->measure_scale = isnan(number_of(stmt, 3)) ? paper->scale : number_of(stmt, 3);
        paper->cells = (size_t)sqlite3_column_int64(stmt, 4);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

bool weir_published_is_main(const struct weir_published_cell *cell)
{
    return cell->class[0] == '\0' || strcmp(cell->class, "printed") == 0 || strcmp(cell->class, "order") == 0;
}

/* Writes a number with the decimals of its cell. */
static struct weir_number number_text(const struct weir_published_cell *cell, double value)
{
    struct weir_number text;
    if (cell->digits < 0)
        return weir_number_text(value, WEIR_UNIT_RATIO);
    (void)snprintf(text.text, sizeof(text.text), "%.*f", cell->digits, value);
    return text;
}

void weir_published_measured(char *out, size_t size, const struct weir_published_cell *cell)
{
    if (isnan(cell->measured))
        (void)snprintf(out, size, "%.40s", cell->measured_state[0] != '\0' ? cell->measured_state : "no number");
    else if (cell->half_width > 0)
        (void)snprintf(out, size, "%s \xc2\xb1 %s", number_text(cell, cell->measured).text,
                       number_text(cell, cell->half_width).text);
    else
        (void)snprintf(out, size, "%s", number_text(cell, cell->measured).text);
}

void weir_published_said(char *out, size_t size, const struct weir_published_cell *cell)
{
    char band[80] = "", to[80] = "";
    if (isnan(cell->low)) {
        (void)snprintf(out, size, "%.40s", cell->published_state);
        return;
    }
    if (cell->high > cell->low)
        (void)snprintf(to, sizeof(to), " to %s", number_text(cell, cell->high).text);
    if (cell->band > 0)
        (void)snprintf(band, sizeof(band), " \xc2\xb1 %s%s", weir_number_plain(cell->band, 3).text,
                       cell->in_points ? "" : " %");
    (void)snprintf(out, size, "%s%s%s", number_text(cell, cell->low).text, to, band);
}
