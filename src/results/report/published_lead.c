/* src/results/report/published_lead.c - says what a reproduction found: how many printed numbers are met, and which are
 * not. */
#include "report/published_lead.h"
#include "core/assert.h"
#include "report/html.h"
#include "report/published_cells.h"
#include "text/memory.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 6u /* most numbers outside that are named */
#define UNIT_MAX 8u  /* letters; a longer one is a sentence, which the figure has */

enum { PRINTED, ORDERS, CLASSES };

struct counts { /* main readings */
    size_t all, within, outside;
};

struct lead {
    struct counts of[CLASSES];
    size_t named, peaks; /* peaks: main readings that do not compare because the runs are shorter */
    FILE *list;          /* the numbers outside, as items of a list */
};

static void put_outside(struct lead *lead, const struct weir_published_cell *cell)
{
    char measured[112], said[176];
    if (lead->named++ >= NAMED_MAX)
        return;
    weir_published_measured(measured, sizeof(measured), cell);
    weir_published_said(said, sizeof(said), cell);
    (void)fputs("<li>", lead->list);
    weir_html_text(lead->list, cell->title);
    if (cell->name[0] != '\0') {
        (void)fputs(", ", lead->list);
        weir_html_text(lead->list, cell->name);
    }
    if (strcmp(cell->class, "order") == 0) {
        (void)fprintf(lead->list, ": in <strong>%.0f %%</strong> of the cases.</li>\n", cell->measured);
        return;
    }
    (void)fputs(": <strong>", lead->list);
    weir_html_text(lead->list, measured);
    if (cell->unit[0] != '\0' && strlen(cell->unit) <= UNIT_MAX) {
        (void)fputc(' ', lead->list);
        weir_html_text(lead->list, cell->unit);
    }
    (void)fputs("</strong>, published ", lead->list);
    weir_html_text(lead->list, said);
    (void)fputs(".</li>\n", lead->list);
}

static int take_cell(void *ctx, const struct weir_published_cell *cell, struct weir_err *err)
{
    struct lead *lead = ctx;
    struct counts *counts = &lead->of[strcmp(cell->class, "order") == 0 ? ORDERS : PRINTED];
    (void)err;
    if (!weir_published_is_main(cell))
        return 0;
    counts->all++;
    counts->within += strcmp(cell->verdict, "within") == 0 || strcmp(cell->verdict, "weak") == 0;
    lead->peaks += !cell->comparable;
    if (strcmp(cell->verdict, "outside") != 0)
        return 0;
    counts->outside++;
    put_outside(lead, cell);
    return 0;
}

/* Writes "Of 5 printed numbers 3 are met, 2 are not." */
static void put_counts(FILE *out, const struct counts *c, const char *one, const char *many, const char *met)
{
    size_t unchecked = c->all - c->within - c->outside;
    (void)fprintf(out, "Of %zu printed %s %zu %s", c->all, c->all == 1 ? one : many, c->within, met);
    if (c->outside > 0)
        (void)fprintf(out, ", <span class=\"bad\">%zu not</span>", c->outside);
    if (unchecked > 0)
        (void)fprintf(out, ", %zu not checked", unchecked);
    (void)fputs(". ", out);
}

static void put_scale(FILE *out, const struct weir_published_paper *paper, size_t peaks)
{
    if (paper->scale == 1 && paper->measure_scale == 1)
        return;
    (void)fprintf(out, "<p>Scale %g: ", paper->scale);
    if (paper->scale == paper->measure_scale)
        (void)fprintf(out, "runs are %g times as long as the published ones.", paper->scale);
    else
        (void)fprintf(out, "warm-ups are %g times, measured parts %g times as long as the published ones.",
                      paper->scale, paper->measure_scale);
    if (paper->measure_scale < 1 && peaks > 0)
        (void)fprintf(out,
                      " Peaks grow with the length, so %zu of these numbers do%s not compare: <span "
                      "class=\"code\">--measure-scale 1</span>.",
                      peaks, peaks == 1 ? "es" : "");
    else if (paper->measure_scale < 1)
        (void)fputs(" Peaks grow with the length: those of whole runs do not compare at this scale.", out);
    (void)fputs("</p>\n", out);
}

static void put_lead(FILE *out, const struct lead *lead, const char *list)
{
    (void)fputs("<p class=\"verdict\"><strong>", out);
    WEIR_ASSERT(lead->of[PRINTED].all + lead->of[ORDERS].all > 0);
    if (lead->of[PRINTED].all > 0)
        put_counts(out, &lead->of[PRINTED], "number", "numbers", lead->of[PRINTED].within == 1 ? "is met" : "are met");
    if (lead->of[ORDERS].all > 0)
        put_counts(out, &lead->of[ORDERS], "order", "orders", lead->of[ORDERS].within == 1 ? "holds" : "hold");
    (void)fputs("</strong>", out);
    (void)fputs(lead->of[PRINTED].outside + lead->of[ORDERS].outside > 0 ? "Not met:</p>\n<ul class=\"reasons\">\n"
                                                                         : "</p>\n",
                out);
    (void)fputs(list, out);
    if (lead->named > NAMED_MAX)
        (void)fprintf(out, "<li>%zu more, below.</li>\n", lead->named - NAMED_MAX);
    if (lead->named > 0)
        (void)fputs("</ul>\n", out);
}

int weir_published_lead(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    const struct weir_run *run = group->run;
    struct weir_published_paper paper;
    struct lead lead = { 0 };
    struct weir_memory list;
    int code;
    if (page->published == NULL || run->text[WEIR_RUN_FIGURE] == NULL)
        return 0;
    lead.list = weir_memory_open(&list);
    if (lead.list == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for published numbers");
    code = weir_published_each(run->db, page->published, run->text[WEIR_RUN_FIGURE], take_cell, &lead, err);
    if (!weir_memory_close(&list) && code == 0)
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for published numbers");
    if (code == 0)
        code = weir_published_paper(run->db, page->published, run->text[WEIR_RUN_FIGURE], &paper, err);
    if (code == 0 && lead.of[PRINTED].all + lead.of[ORDERS].all > 0) {
        put_lead(page->out, &lead, list.bytes);
        put_scale(page->out, &paper, lead.peaks);
    }
    free(list.bytes);
    return code;
}

/* Returns the ')' that closes the '(' at which text begins; NULL = there is none. */
static const char *closing(const char *text)
{
    size_t depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            return at;
    }
    return NULL;
}

/* Copies a title up to its colon: "Figures 9 and 10: two flows" gives "figures 9 and 10". */
static void before_colon(char *out, size_t size, const char *title, bool lower)
{
    (void)snprintf(out, size, "%.*s", (int)strcspn(title, ":"), title);
    if (lower && out[0] != '\0' && !isupper((unsigned char)out[1]))
        out[0] = (char)tolower((unsigned char)out[0]);
}

int weir_published_title(char *out, size_t size, const struct weir_runs *runs, const char *json, struct weir_err *err)
{
    const char *figure = runs->run[0].text[WEIR_RUN_FIGURE];
    struct weir_published_paper paper;
    char name[192], part[192];
    const char *open, *close;
    int code;
    out[0] = '\0';
    for (size_t i = 1; i < runs->count; i++)
        if (!weir_runs_same_group(&runs->run[0], &runs->run[i]))
            figure = NULL;
    code = weir_published_paper(&runs->db[0], json, figure, &paper, err);
    if (code != 0 || paper.title[0] == '\0' || paper.cells == 0)
        return code;
    before_colon(name, sizeof(name), paper.title, false);
    before_colon(part, sizeof(part), paper.figure, true);
    open = strchr(paper.title, '(');
    close = open != NULL ? closing(open) : NULL;
    if (close == NULL || strchr(name, '(') != NULL)
        open = close = "";
    (void)snprintf(out, size, "%s%s%.*s%s%s: published against measured, scale %g", name, *open != '\0' ? " " : "",
                   (int)(*open != '\0' ? close - open + 1 : 0), open, part[0] != '\0' ? ", " : "", part,
                   paper.measure_scale < paper.scale ? paper.measure_scale : paper.scale);
    return 0;
}
