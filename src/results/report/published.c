/* src/results/report/published.c - draws tables of `weir reproduce` as dot plots: measured numbers next to published
 * ones with their bands. It reads what `weir reproduce --json` prints. */
#include "registry.h"
#include "report/html.h"
#include "report/sections.h"
#include <math.h>
#include <string.h>

#define ROWS_MAX 18u /* dots of a plot; more are in another one */
#define NAME_MAX_BYTES 192

/* A row for each cell with a published number of the figure ?2. Columns: table, its title, unit and band; the cell,
 * measured, half-width, published from and to, verdict, and whether the band is in percentage points. */
static const char sql[] =
    "SELECT t.key, json_extract(t.value, '$.title'), json_extract(t.value, '$.unit'), json_extract(t.value, "
    "'$.band_percent'), c.key, json_extract(c.value, '$.measured'), json_extract(c.value, '$.half_width_95'), "
    "json_extract(c.value, '$.published'), json_extract(c.value, '$.published_max'), json_extract(c.value, "
    "'$.verdict'), json_type(c.value, '$.deviation_points') IS NOT NULL FROM json_each(?1, '$.figures') AS f, "
    "json_each(CASE WHEN f.type = 'object' THEN f.value END) AS t, json_each(CASE WHEN t.type = 'object' THEN t.value "
    "END, '$.cells') AS c WHERE f.key = ?2 AND c.type = 'object' AND json_extract(c.value, '$.published') IS NOT NULL";
enum { TABLE, TITLE, UNIT, BAND, CELL, MEASURED, HALF_WIDTH, FROM, TO, VERDICT, POINTS };

struct plotted { /* the dots of one table so far */
    struct weir_dot dot[ROWS_MAX];
    char label[ROWS_MAX][NAME_MAX_BYTES];
    char table[NAME_MAX_BYTES], title[2 * NAME_MAX_BYTES];
    size_t count, part;
    bool open;
    size_t within, outside, other; /* cells of all tables by verdict */
};

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

/* Returns the style of the first law that the name of a cell has: of sird in "sird-balanced-wka". */
static struct weir_line_style style_of(const char *cell)
{
    for (const char *at = cell; *at != '\0'; at += strcspn(at, " ,-"), at += strspn(at, " ,-"))
        for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
            if (strlen(p->name) == strcspn(at, " ,-") && strncmp(at, p->name, strlen(p->name)) == 0)
                return weir_line_style_of(p->name, 0, 1);
    return weir_line_style_of("none", 0, 1);
}

static void fill_dot(struct weir_dot *dot, sqlite3_stmt *stmt)
{
    double band = number_of(stmt, BAND);
    const char *verdict = text_of(stmt, VERDICT);
    bool outside = strcmp(verdict, "outside") == 0;
    dot->mean = number_of(stmt, MEASURED);
    dot->half_width = number_of(stmt, HALF_WIDTH);
    dot->published_low = number_of(stmt, FROM);
    dot->published_high = number_of(stmt, TO);
    if (isnan(dot->published_high))
        dot->published_high = dot->published_low;
    if (sqlite3_column_int(stmt, POINTS) != 0) {
        dot->band_low = dot->published_low - band;
        dot->band_high = dot->published_high + band;
    } else {
        dot->band_low = dot->published_low * (1 - band / 100);
        dot->band_high = dot->published_high * (1 + band / 100);
    }
    dot->kind = outside ? WEIR_DOT_BAD : WEIR_DOT_SOUND;
    (void)snprintf(dot->remark, sizeof(dot->remark), "%.20s", strcmp(verdict, "within") == 0 ? "" : verdict);
    if (sqlite3_column_type(stmt, MEASURED) == SQLITE_TEXT)
        (void)snprintf(dot->remark, sizeof(dot->remark), "is %.20s", text_of(stmt, MEASURED));
    if (sqlite3_column_type(stmt, FROM) == SQLITE_TEXT)
        (void)snprintf(dot->remark, sizeof(dot->remark), "printed: %.20s", text_of(stmt, FROM));
}

/* Draws the dots so far, and begins anew. */
static int flush(struct weir_page *page, struct plotted *p, struct weir_err *err)
{
    struct weir_dots dots = { .caption = "", .unit = WEIR_UNIT_RATIO, .dot = p->dot, .count = p->count };
    char title[2 * NAME_MAX_BYTES + 32];
    int code = 0;
    (void)snprintf(title, sizeof(title), "%s", p->title);
    if (p->part > 1)
        (void)snprintf(title, sizeof(title), "%s, part %zu", p->title, p->part);
    dots.title = title;
    if (p->count > 0)
        code = weir_grid_dots(page, "Published next to measured", &p->open, &dots, err);
    p->count = 0;
    p->part++;
    return code;
}

static int add_cell(struct weir_page *page, struct plotted *p, sqlite3_stmt *stmt, struct weir_err *err)
{
    const char *verdict = text_of(stmt, VERDICT), *unit = text_of(stmt, UNIT);
    bool another = strcmp(p->table, text_of(stmt, TABLE)) != 0;
    int code = another || p->count == ROWS_MAX ? flush(page, p, err) : 0;
    if (another) {
        p->part = 1;
        (void)snprintf(p->table, sizeof(p->table), "%s", text_of(stmt, TABLE));
        (void)snprintf(p->title, sizeof(p->title), "%.180s%s%.120s%s", text_of(stmt, TITLE),
                       unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "");
    }
    (void)snprintf(p->label[p->count], NAME_MAX_BYTES, "%s", text_of(stmt, CELL));
    p->dot[p->count] = (struct weir_dot){ .label = p->label[p->count], .style = style_of(text_of(stmt, CELL)) };
    fill_dot(&p->dot[p->count++], stmt);
    p->within += strcmp(verdict, "within") == 0;
    p->outside += strcmp(verdict, "outside") == 0;
    p->other += strcmp(verdict, "within") != 0 && strcmp(verdict, "outside") != 0;
    return code;
}

static void put_note(FILE *out, const struct plotted *p)
{
    (void)fprintf(
        out,
        "<p class=\"note\">An upright line is the published number, or two ends of its range; the bar behind it "
        "is the band in which a measured one agrees. %zu of %zu are within, %zu outside, %zu not checked.</p>\n",
        p->within, p->within + p->outside + p->other, p->outside, p->other);
}

int weir_published_check(const struct weir_db *db, const char *text, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    bool fits;
    int code = weir_db_prepare(db, "SELECT CASE WHEN json_valid(?1) THEN json_type(?1, '$.figures') = 'object' END",
                               &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC);
    fits = weir_db_step(db, stmt, &code, err) && sqlite3_column_int(stmt, 0) != 0;
    (void)sqlite3_finalize(stmt);
    if (code == 0 && !fits)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir reproduce PAPER --json prints such a text",
                         "--published: the file has no object `figures`");
    return code;
}

int weir_section_published(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    const struct weir_run *run = group->run;
    struct plotted p = { 0 };
    sqlite3_stmt *stmt;
    int code;
    if (page->published == NULL || run->text[WEIR_RUN_FIGURE] == NULL)
        return 0;
    code = weir_db_prepare(run->db, sql, &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_text(stmt, 1, page->published, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 2, run->text[WEIR_RUN_FIGURE], -1, SQLITE_STATIC);
    while (code == 0 && weir_db_step(run->db, stmt, &code, err))
        code = add_cell(page, &p, stmt, err);
    (void)sqlite3_finalize(stmt);
    if (code == 0)
        code = flush(page, &p, err);
    if (p.open && code == 0)
        put_note(page->out, &p);
    weir_grid_end(page, &p.open);
    return code;
}
