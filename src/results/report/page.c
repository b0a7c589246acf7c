/* src/results/report/page.c - writes the page: its head, its contents, and all parts in order. */
#include "report/html.h"
#include "report/panels.h"
#include "report/report.h"
#include "report/runs_open.h"
#include "report/sections.h"
#include "report/style.h"
#include <stdlib.h>
#include <string.h>

#define FEW_RUNS 24 /* a page of more runs is brief (weir_page.brief) */
#define TITLE_MAX_BYTES 512
#define NAV_RUNS 3 /* a page of more runs has a table of contents even if it has only one part */

static size_t group_end(const struct weir_runs *runs, size_t first)
{
    size_t end = first + 1;
    while (end < runs->count && weir_runs_same_group(&runs->run[first], &runs->run[end]))
        end++;
    return end;
}

/* Prints the title of the page. For a single run it is the label of the run. Otherwise it is the number of runs, after
 * the name of the experiment if all runs belong to one experiment. */
static void put_title(FILE *out, const struct weir_runs *runs)
{
    const char *experiment = weir_run_text_of(&runs->run[0], WEIR_RUN_EXPERIMENT);
    bool one = true;
    for (size_t i = 1; i < runs->count; i++)
        one = one && strcmp(experiment, weir_run_text_of(&runs->run[i], WEIR_RUN_EXPERIMENT)) == 0;
    if (runs->count == 1) {
        weir_html_text(out, runs->run[0].text[WEIR_RUN_LABEL]);
        return;
    }
    if (one && experiment[0] != '\0') {
        weir_html_text(out, experiment);
        (void)fputs(": ", out);
    }
    (void)fprintf(out, "%zu runs", runs->count);
}

static void put_top(FILE *out, const struct weir_runs *runs, const char *no_figures)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                out);
    put_title(out, runs);
    (void)fputs(" - Weir</title>\n<style>\n", out);
    weir_style_sheet(out);
    (void)fputs("</style>\n</head>\n<body>\n", out);
    weir_style_marks(out);
    (void)fputs("<header>\n<h1>", out);
    put_title(out, runs);
    (void)fputs("</h1>\n<p class=\"lead\">Simulated packet by packet with Weir; from ", out);
    for (size_t i = 0; i < runs->db_count; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        weir_html_text(out, weir_runs_file(runs, &runs->db[i]));
    }
    (void)fputs(".</p>\n", out);
    if (no_figures[0] != '\0') {
        (void)fputs("<p class=\"warn\">No figures: ", out);
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

static void put_text(FILE *out, const char *text)
{
    if (text == NULL)
        return;
    (void)fputs("<section id=\"text\">\n<pre>", out);
    weir_html_text(out, text);
    (void)fputs("</pre>\n</section>\n", out);
}

static int (*const sections[])(struct weir_page *, const struct weir_group *, struct weir_err *) = {
    weir_section_slowdown, weir_section_queues, weir_section_time, weir_section_credit, weir_section_across_runs,
};

static int put_sections(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && code == 0; i++)
        code = sections[i](page, group, err);
    return code;
}

/* Prints the figures of each panel in an element that can be opened; only the first one is open at first. */
static int put_panels(struct weir_page *page, const struct weir_panels *panels, struct weir_err *err)
{
    size_t first = 0;
    int code = 0;
    for (size_t i = 0; i < panels->count && code == 0; i++) {
        const struct weir_group panel = { &panels->run[first], panels->end[i] - first };
        size_t anchor = weir_page_anchor(page, panels->title[i]);
        (void)fprintf(page->out, "<details class=\"more panel\" id=\"s%zu\"%s><summary>Figures: ", anchor,
                      i == 0 ? " open" : "");
        weir_html_text(page->out, panels->title[i]);
        (void)fputs("</summary>\n", page->out);
        page->in_panel = panels->title[i];
        code = put_sections(page, &panel, err);
        page->in_panel = NULL;
        (void)fputs("</details>\n", page->out);
        first = panels->end[i];
    }
    return code;
}

static int put_group(struct weir_page *page, const struct weir_group *group, size_t number, struct weir_err *err)
{
    struct weir_panels panels;
    int code;
    (void)fprintf(page->out, "<section id=\"g%zu\">\n<h2>", number);
    put_group_title(page->out, group->run);
    (void)fputs("</h2>\n", page->out);
    code = weir_section_summary(page, group, err);
    if (code == 0)
        code = weir_section_laws(page, group, err);
    if (code == 0)
        code = weir_section_jobs(page, group, err);
    if (code == 0)
        code = weir_section_load(page, group, err);
    if (code == 0)
        code = weir_section_share(page, group, err);
    if (code == 0)
        code = weir_panels_make(&panels, group, err);
    else
        panels = (struct weir_panels){ 0 };
    if (code == 0)
        code = panels.count > 0 ? put_panels(page, &panels, err) : put_sections(page, group, err);
    if (code == 0)
        code = weir_section_elements(page, group, err);
    weir_panels_free(&panels);
    (void)fputs("</section>\n", page->out);
    return code;
}

/* Prints the section "What was run" and each part of the page. The table of contents lists the parts. If there is only
 * one part, it lists "Summary" and the headings of that part instead. */
static int put_parts(struct weir_page *page, const struct weir_runs *runs, struct weir_err *err)
{
    char title[TITLE_MAX_BYTES];
    size_t number = 0;
    bool one = group_end(runs, 0) == runs->count;
    int code = weir_section_runs(page, &(struct weir_group){ runs->run, runs->count }, err);
    page->list_headings = one;
    (void)fputs("<li><a href=\"#runs\">What was run</a></li>\n", page->nav);
    for (size_t first = 0; first < runs->count && code == 0; first = group_end(runs, first)) {
        const struct weir_group group = { &runs->run[first], group_end(runs, first) - first };
        (void)fprintf(page->nav, "<li><a href=\"#g%zu\">", ++number);
        if (one)
            (void)fputs("Summary", page->nav);
        else
            put_group_title(page->nav, group.run);
        (void)fputs("</a></li>\n", page->nav);
        group_title(title, sizeof(title), group.run);
        page->in_part = one ? NULL : title;
        code = put_group(page, &group, number, err);
    }
    page->in_part = NULL;
    return code;
}

/* A text in memory: the parts of the page, or the table of contents. The latter is above the parts on the page, but is
 * complete only after all parts are written. */
struct text {
    char *bytes;
    size_t size;
};

/* Closes a memory stream. Returns true if all of its text was written; false if not, or if memory is NULL. */
static bool text_end(FILE *memory)
{
    bool whole = memory != NULL && ferror(memory) == 0;
    return (memory == NULL || fclose(memory) == 0) && whole;
}

static int put_page(struct weir_page *page, const struct weir_runs *runs, const struct weir_report_options *options,
                    const char *no_figures, struct weir_err *err)
{
    FILE *out = page->out;
    struct text nav = { 0 }, main = { 0 };
    bool whole;
    int code;
    page->out = open_memstream(&main.bytes, &main.size);
    page->nav = open_memstream(&nav.bytes, &nav.size);
    if (page->out != NULL && page->nav != NULL)
        code = put_parts(page, runs, err);
    else
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the page");
    whole = text_end(page->out);
    whole = text_end(page->nav) && whole;
    if (!whole && code == 0)
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the page");
    page->out = out;
    if (code == 0) {
        put_top(out, runs, no_figures);
        if (group_end(runs, 0) < runs->count || runs->count > NAV_RUNS)
            (void)fprintf(out, "<nav><ul>\n%s</ul></nav>\n", nav.bytes);
        (void)fputs("</header>\n<main>\n", out);
        put_text(out, options->text);
        (void)fwrite(main.bytes, 1, main.size, out);
        (void)fputs("</main>\n<footer>weir report ", out);
        weir_html_text(out, options->version);
        (void)fputs(". What the numbers mean: doc/report.md and doc/results.md.</footer>\n</body>\n</html>\n", out);
    }
    free(nav.bytes);
    free(main.bytes);
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
    code = put_page(&page, &runs, options, done->no_figures, err);
    done->runs = runs.count;
    done->figures = page.gnuplot != NULL ? page.figures : 0;
    weir_export_free(&exports);
    weir_runs_close(&runs);
    return code;
}
