/* src/results/report/published.c - draws tables of `weir reproduce` as dot plots: measured numbers next to published
 * ones with their bands, the main readings first. */
#include "core/assert.h"
#include "registry.h"
#include "report/html.h"
#include "report/published_cells.h"
#include "report/sections.h"
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 18u /* dots of a plot; more are in another one */
#define NAME_MAX_BYTES 192

struct plotted { /* the dots of one table so far */
    struct weir_dot dot[ROWS_MAX];
    char label[ROWS_MAX][NAME_MAX_BYTES];
    char table[NAME_MAX_BYTES], title[2 * NAME_MAX_BYTES], missed[2 * NAME_MAX_BYTES];
    size_t count, part;
    struct weir_page *page;
    bool main;          /* main readings are drawn, else all others */
    bool open, outside; /* outside: a dot of this figure is */
};

/* Returns the style of the first law that the name of a cell has: of sird in "sird-balanced-wka". */
static struct weir_line_style style_of(const char *cell)
{
    for (const char *at = cell; *at != '\0'; at += strcspn(at, " ,-"), at += strspn(at, " ,-"))
        for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
            if (strlen(p->name) == strcspn(at, " ,-") && strncmp(at, p->name, strlen(p->name)) == 0)
                return weir_line_style_of(p->name, 0, 1);
    return weir_line_style_of("none", 0, 1);
}

static void fill_dot(struct weir_dot *dot, const struct weir_published_cell *cell)
{
    bool outside = strcmp(cell->verdict, "outside") == 0, weak = strcmp(cell->verdict, "weak") == 0;
    char measured[112], said[176];
    dot->mean = cell->measured;
    dot->half_width = cell->half_width;
    dot->published_low = cell->low;
    dot->published_high = cell->high;
    dot->band_low = cell->in_points ? cell->low - cell->band : cell->low * (1 - cell->band / 100);
    dot->band_high = cell->in_points ? cell->high + cell->band : cell->high * (1 + cell->band / 100);
    dot->kind = outside ? WEIR_DOT_BAD : WEIR_DOT_SOUND;
    weir_published_measured(measured, sizeof(measured), cell);
    weir_published_said(said, sizeof(said), cell);
    (void)snprintf(dot->said, sizeof(dot->said), "%.40s, published %.40s%s", measured, said,
                   outside ? ", outside"
                   : weak  ? ", so would no effect be"
                           : "");
    (void)snprintf(dot->remark, sizeof(dot->remark), "%.20s", outside ? cell->verdict : weak ? "weak" : "");
}

#define MARKS                                                                                                          \
    "An upright line is the published number, or two ends of its range; the bar behind it is the band in which a "     \
    "measured one agrees, the mark the measured number."

static void begin(struct plotted *p)
{
    WEIR_ASSERT(p->count > 0 && p->count <= ROWS_MAX);
    if (p->open)
        return;
    if (p->main) {
        weir_grid_begin(p->page, "Published next to measured", &p->open);
        (void)fputs("<p class=\"note wide\">" MARKS "</p>\n", p->page->out);
        return;
    }
    (void)fputs("<details class=\"more readings\"><summary>Other readings of these numbers, and numbers that were "
                "computed from the paper</summary>\n<p class=\"note\">Each printed number counts once, by its main "
                "reading. These do not count. " MARKS "</p>\n<div class=\"grid\">\n",
                p->page->out);
    p->open = true;
}

/* Draws the dots so far, and begins anew. */
static int flush(struct plotted *p, struct weir_err *err)
{
    char title[2 * NAME_MAX_BYTES + 32], caption[2 * NAME_MAX_BYTES + 32] = "";
    struct weir_dots dots = {
        .title = title, .caption = caption, .unit = WEIR_UNIT_RATIO, .dot = p->dot, .count = p->count, .with_said = true
    };
    int code = 0;
    (void)snprintf(title, sizeof(title), "%s", p->title);
    if (p->part > 1)
        (void)snprintf(title, sizeof(title), "%s, part %zu", p->title, p->part);
    if (p->outside && p->missed[0] != '\0')
        (void)snprintf(caption, sizeof(caption), "Outside: %s.", p->missed);
    if (p->count > 0) {
        begin(p);
        code = weir_grid_dots(p->page, "", &p->open, &dots, err);
    }
    p->count = 0;
    p->outside = false;
    p->part++;
    return code;
}

static int add_cell(void *ctx, const struct weir_published_cell *cell, struct weir_err *err)
{
    struct plotted *p = ctx;
    bool another = strcmp(p->table, cell->table) != 0;
    int code;
    if (weir_published_is_main(cell) != p->main)
        return 0;
    code = another || p->count == ROWS_MAX ? flush(p, err) : 0;
    if (another) {
        p->part = 1;
        (void)snprintf(p->table, sizeof(p->table), "%s", cell->table);
        (void)snprintf(p->title, sizeof(p->title), "%.180s%s%.120s%s", cell->title, cell->unit[0] != '\0' ? " (" : "",
                       cell->unit, cell->unit[0] != '\0' ? ")" : "");
        (void)snprintf(p->missed, sizeof(p->missed), "%s", cell->missed);
    }
    (void)snprintf(p->label[p->count], NAME_MAX_BYTES, "%s", cell->name);
    p->dot[p->count] = (struct weir_dot){ .label = p->label[p->count], .style = style_of(cell->name) };
    fill_dot(&p->dot[p->count++], cell);
    p->outside = p->outside || strcmp(cell->verdict, "outside") == 0;
    return code;
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

/* Draws the main readings, or all others. */
static int draw(struct weir_page *page, const struct weir_run *run, bool main, struct weir_err *err)
{
    struct plotted *p = calloc(1, sizeof(*p));
    int code;
    if (p == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for published numbers");
    p->page = page;
    p->main = main;
    code = weir_published_each(run->db, page->published, run->text[WEIR_RUN_FIGURE], add_cell, p, err);
    if (code == 0)
        code = flush(p, err);
    if (p->open)
        (void)fputs(main ? "</div>\n" : "</div></details>\n", page->out);
    free(p);
    return code;
}

int weir_section_published(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    int code;
    if (page->published == NULL || group->run->text[WEIR_RUN_FIGURE] == NULL)
        return 0;
    code = draw(page, group->run, true, err);
    return code == 0 ? draw(page, group->run, false, err) : code;
}
