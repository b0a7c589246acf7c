/* src/results/report/page.c - writes the page: its head, its contents, and all parts in order. */
#include "report/answer.h"
#include "report/doubts.h"
#include "report/dropped.h"
#include "report/fullest.h"
#include "report/heading.h"
#include "report/html.h"
#include "report/page_data.h"
#include "report/panels.h"
#include "report/published_lead.h"
#include "report/report.h"
#include "report/runs_open.h"
#include "report/sections.h"
#include "report/style.h"
#include "text/memory.h"
#include <stdlib.h>
#include <string.h>

#define FEW_RUNS 24  /* a page of more runs is brief (weir_page.brief) */
#define MANY_RUNS 48 /* on a page of more runs only the first panel has all figures */
#define TITLE_MAX_BYTES 512
#define NAV_RUNS 3 /* a page of more runs has a table of contents even if it has only one part */

/* A page with a script may not ask any address, whatever the texts of a result file are. */
#define POLICY                                                                                                         \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "          \
    "style-src "                                                                                                       \
    "'unsafe-inline'; img-src data:\">\n"

static void put_top(FILE *out, const struct weir_runs *runs, const char *title, bool interactive,
                    const char *no_figures)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                out);
    (void)fputs(interactive ? POLICY "<title>" : "<title>", out);
    weir_html_text(out, title);
    (void)fputs(" - Weir</title>\n<style>\n", out);
    weir_style_sheet(out);
    (void)fputs("</style>\n</head>\n<body>\n", out);
    weir_style_marks(out);
    (void)fputs("<header>\n<h1>", out);
    weir_html_text(out, title);
    (void)fputs("</h1>\n<p class=\"lead\">", out);
    weir_heading_lead(out, runs);
    (void)fputs("</p>\n", out);
    if (no_figures[0] != '\0') {
        (void)fputs("<p class=\"warn\">No curves are drawn: ", out);
        weir_html_text(out, no_figures);
        (void)fputs(". The tables have all their numbers.</p>\n", out);
    }
}

/* Writes the title of a group of runs, made of experiment and figure: "sird, fig9". If the runs have neither, writes
 * "Results". size: 8 or more */
static void group_title(char *out, size_t size, const struct weir_run *run)
{
    const char *experiment = weir_run_text_of(run, WEIR_RUN_EXPERIMENT),
               *figure = weir_run_text_of(run, WEIR_RUN_FIGURE);
    (void)snprintf(out, size, "%s%s%s", experiment, experiment[0] != '\0' && figure[0] != '\0' ? ", " : "", figure);
    if (out[0] == '\0')
        (void)snprintf(out, size, "Results");
}

static void put_group_title(FILE *out, const struct weir_run *run)
{
    char title[TITLE_MAX_BYTES];
    group_title(title, sizeof(title), run);
    weir_html_text(out, title);
}

static void put_text(const struct weir_page *page, const char *text)
{
    if (text == NULL)
        return;
    (void)fputs("<li><a href=\"#text\">As printed</a></li>\n", page->nav);
    (void)fputs("<section id=\"text\">\n<h2>As printed</h2>\n<pre>", page->out);
    weir_html_text(page->out, text);
    (void)fputs("</pre>\n</section>\n", page->out);
}

typedef int section(struct weir_page *, const struct weir_group *, struct weir_err *);

/* The figures of a panel, or of a part without panels, after those at a glance. */
static section *const sections[] = {
    weir_section_queues, weir_section_jobs_time, weir_section_drops,       weir_section_slowdown,
    weir_section_time,   weir_section_credit,    weir_section_across_runs,
};

static int put_sections(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && code == 0; i++)
        code = sections[i](page, group, err);
    return code;
}

/* Draws the numbers of a group as dots, and its distribution of slowdown. */
static int put_glance(struct weir_page *page, const struct weir_answer *answer, struct weir_err *err)
{
    bool open = false;
    int code = weir_answer_figures(page, answer, &open, err);
    if (code == 0)
        code = weir_figure_fullest(page, answer->group, &open, err);
    if (code == 0)
        code = weir_figure_cdf(page, answer->group, &open, err);
    weir_grid_end(page, &open);
    return code == 0 ? weir_answer_note(page->out, answer, err) : code;
}

/* Prints the figures of each panel in an element that can be opened; only the first one is open at first. answer: one
 * for each panel */
static int put_panels(struct weir_page *page, const struct weir_panels *panels, const struct weir_answer *answer,
                      struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < panels->count && code == 0; i++) {
        size_t anchor = weir_page_anchor(page, panels->title[i]);
        (void)fprintf(page->out, "<details class=\"more panel\" id=\"s%zu\"%s><summary>Figures: ", anchor,
                      i == 0 ? " open" : "");
        weir_html_text(page->out, panels->title[i]);
        (void)fputs("</summary>\n", page->out);
        page->in_panel = panels->title[i];
        code = put_glance(page, &answer[i], err);
        if (code == 0 && (i == 0 || page->runs <= MANY_RUNS))
            code = put_sections(page, answer[i].group, err);
        else if (code == 0)
            (void)fputs(
                "<p class=\"note\">A page of these runs alone has all figures: <span class=\"code\">weir report "
                "FILE --only KEY=VALUE</span>, with what they have in common.</p>\n",
                page->out);
        page->in_panel = NULL;
        (void)fputs("</details>\n", page->out);
    }
    return code;
}

/* Prints the figures of a part that is not divided. */
static int put_whole(struct weir_page *page, const struct weir_answer *answer, struct weir_err *err)
{
    int code = put_glance(page, answer, err);
    if (code == 0)
        code = weir_section_load(page, answer->group, err);
    if (code == 0)
        code = weir_section_share(page, answer->group, err);
    return code == 0 ? put_sections(page, answer->group, err) : code;
}

/* Prints what follows the figures of a part: tables, and reasons for doubt. */
static int put_tables(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    int code = weir_section_summary(page, group, err);
    if (code == 0)
        code = weir_section_laws(page, group, err);
    if (code == 0)
        code = weir_section_jobs(page, group, err);
    return code == 0 ? weir_section_elements(page, group, err) : code;
}

/* Prints the verdicts of a part, one for each panel, then its figures and tables. group: one for each answer */
static int put_answers(struct weir_page *page, const struct weir_group *group, const struct weir_panels *panels,
                       struct weir_answer *answer, const struct weir_group *of, struct weir_err *err)
{
    size_t count = panels->count > 0 ? panels->count : 1;
    int code = weir_published_lead(page, group, err);
    for (size_t i = 0; i < count && code == 0; i++) {
        code = weir_answer_make(&answer[i], &of[i], page->part, err);
        answer[i].is_secondary = page->published != NULL;
        if (code == 0)
            weir_answer_sentences(page->out, &answer[i], panels->count > 0 ? panels->title[i] : "");
    }
    if (code == 0)
        code = weir_doubts_list(page->out, group, err);
    if (code == 0) {
        weir_dropped_sentences(page->out, group);
        weir_fullest_sentences(page->out, group);
    }
    if (code == 0)
        code = weir_section_published(page, group, err);
    if (code == 0 && panels->count == 0)
        code = put_whole(page, answer, err);
    else if (code == 0)
        code = weir_section_load(page, group, err);
    if (code == 0 && panels->count > 0)
        code = weir_section_share(page, group, err);
    if (code == 0 && panels->count > 0)
        code = put_panels(page, panels, answer, err);
    return code == 0 ? put_tables(page, group, err) : code;
}

static int put_group(struct weir_page *page, const struct weir_group *group, bool titled, struct weir_err *err)
{
    struct weir_answer answer[WEIR_PANELS_MAX] = { { 0 } };
    struct weir_group of[WEIR_PANELS_MAX] = { *group };
    struct weir_panels panels;
    size_t first = 0;
    int code = weir_panels_make(&panels, group, err);
    (void)fprintf(page->out, "<section id=\"g%zu\">\n", page->part);
    if (titled) {
        (void)fputs("<h2>", page->out);
        put_group_title(page->out, group->run);
        (void)fputs("</h2>\n", page->out);
    }
    for (size_t i = 0; i < panels.count; first = panels.end[i++])
        of[i] = (struct weir_group){ &panels.run[first], panels.end[i] - first };
    if (code == 0)
        code = put_answers(page, group, &panels, answer, of, err);
    for (size_t i = 0; i < WEIR_PANELS_MAX; i++)
        weir_answer_free(&answer[i]);
    weir_panels_free(&panels);
    (void)fputs("</section>\n", page->out);
    return code;
}

/* Prints each part of the page, and then "What was run". The table of contents lists the parts. If there is only one
 * part, it lists the headings of that part instead. */
static int put_parts(struct weir_page *page, const struct weir_runs *runs, const char *text, struct weir_err *err)
{
    char title[TITLE_MAX_BYTES];
    bool one = weir_runs_group_end(runs, 0) == runs->count;
    int code = 0;
    page->list_headings = one;
    for (size_t first = 0; first < runs->count && code == 0; first = weir_runs_group_end(runs, first)) {
        const struct weir_group group = { &runs->run[first], weir_runs_group_end(runs, first) - first };
        page->part++;
        page->seeds_said = false;
        if (!one) {
            (void)fprintf(page->nav, "<li><a href=\"#g%zu\">", page->part);
            put_group_title(page->nav, group.run);
            (void)fputs("</a></li>\n", page->nav);
        }
        group_title(title, sizeof(title), group.run);
        page->in_part = one ? NULL : title;
        code = put_group(page, &group, !one, err);
    }
    page->in_part = NULL;
    put_text(page, text);
    (void)fputs("<li><a href=\"#runs\">What was run</a></li>\n", page->nav);
    return code == 0 ? weir_section_runs(page, &(struct weir_group){ runs->run, runs->count }, err) : code;
}

static int put_page(struct weir_page *page, const struct weir_runs *runs, const struct weir_report_options *options,
                    const char *no_figures, struct weir_err *err)
{
    FILE *out = page->out;
    char *data = NULL;
    /* the table of contents is above the parts on the page, but complete only after all of them are written */
    struct weir_memory nav, main;
    char title[TITLE_MAX_BYTES] = "";
    bool whole;
    int code;
    page->out = weir_memory_open(&main);
    page->nav = weir_memory_open(&nav);
    if (page->out != NULL && page->nav != NULL)
        code = put_parts(page, runs, options->text, err);
    else
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the page");
    whole = weir_memory_close(&main);
    whole = weir_memory_close(&nav) && whole;
    if (!whole && code == 0)
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the page");
    page->out = out;
    if (code == 0 && page->interactive)
        code = weir_page_data(&data, runs, err);
    if (code == 0 && page->published != NULL)
        code = weir_published_title(title, sizeof(title), runs, page->published, err);
    if (title[0] == '\0')
        weir_heading_title(title, sizeof(title), runs);
    if (code == 0) {
        put_top(out, runs, title, page->interactive, no_figures);
        if (weir_runs_group_end(runs, 0) < runs->count || runs->count > NAV_RUNS)
            (void)fprintf(out, "<nav><ul>\n%s</ul></nav>\n", nav.bytes);
        (void)fputs("</header>\n<main>\n", out);
        (void)fwrite(main.bytes, 1, main.length, out);
        (void)fputs("</main>\n<footer>weir report ", out);
        weir_html_text(out, options->version);
        (void)fputs(". What the numbers mean: doc/report.md and doc/results.md.</footer>\n", out);
        if (page->interactive)
            weir_bundle_write(out, options->interactive, data);
        (void)fputs("</body>\n</html>\n", out);
    }
    free(nav.bytes);
    free(main.bytes);
    free(data);
    return code;
}

int weir_report_page(FILE *out, const struct weir_report_options *options, struct weir_report_done *done,
                     struct weir_err *err)
{
    struct weir_page page = { .out = out, .stop = options->stop };
    struct weir_export exports = { 0 };
    struct weir_runs runs;
    const struct weir_runs_filter filter = { options->only, options->where, options->where_count };
    int code = weir_runs_open(&runs, options->path, options->path_count, options->caller, &filter, err);
    *done = (struct weir_report_done){ 0 };
    if (code != 0)
        return code;
    if (options->published != NULL)
        code = weir_published_check(&runs.db[0], options->published, err);
    page.published = options->published;
    page.interactive = options->interactive != NULL;
    page.runs = runs.count;
    page.brief = runs.count > FEW_RUNS;
    if (options->figures != NULL) {
        exports.to = options->figures;
        page.exports = &exports;
    }
    if (weir_plot_probe(options->gnuplot, err) == 0)
        page.gnuplot = options->gnuplot;
    else
        (void)snprintf(done->no_figures, sizeof(done->no_figures), "%s", err->text);
    if (code == 0)
        code = put_page(&page, &runs, options, done->no_figures, err);
    done->runs = runs.count;
    done->figures = page.figures;
    weir_export_free(&exports);
    weir_runs_close(&runs);
    return code;
}
