/* src/report/page.c - the page from top to bottom. */
#include "report/html.h"
#include "report/report.h"
#include "report/sections.h"
#include "report/style.h"
#include <string.h>

static size_t group_end(const struct weir_runs *runs, size_t first)
{
    size_t end = first + 1;
    while (end < runs->count && weir_runs_same_group(&runs->run[first], &runs->run[end]))
        end++;
    return end;
}

/* One run: its name. Runs of one experiment: that. Else how many there are. */
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

static void put_group_title(FILE *out, const struct weir_run *run)
{
    const char *experiment = weir_run_text_of(run, WEIR_RUN_EXPERIMENT),
               *figure = weir_run_text_of(run, WEIR_RUN_FIGURE);
    weir_html_text(out, experiment);
    (void)fputs(experiment[0] != '\0' && figure[0] != '\0' ? ", " : "", out);
    weir_html_text(out, figure);
    if (experiment[0] == '\0' && figure[0] == '\0')
        (void)fputs("Results", out);
}

/* Where to, if there is more than one place. */
static void put_contents(FILE *out, const struct weir_runs *runs)
{
    size_t number = 0;
    if (group_end(runs, 0) < runs->count) {
        (void)fputs("<nav><ul>\n<li><a href=\"#runs\">What was run</a></li>\n", out);
        for (size_t first = 0; first < runs->count; first = group_end(runs, first)) {
            (void)fprintf(out, "<li><a href=\"#g%zu\">", ++number);
            put_group_title(out, &runs->run[first]);
            (void)fputs("</a></li>\n", out);
        }
        (void)fputs("</ul></nav>\n", out);
    }
    (void)fputs("</header>\n<main>\n", out);
}

static void put_text(FILE *out, const char *text)
{
    if (text == NULL)
        return;
    (void)fputs("<section id=\"text\">\n<pre>", out);
    weir_html_text(out, text);
    (void)fputs("</pre>\n</section>\n", out);
}

static int put_group(struct weir_page *page, const struct weir_group *group, size_t number, struct weir_err *err)
{
    static int (*const section[])(struct weir_page *, const struct weir_group *, struct weir_err *) = {
        weir_section_load,   weir_section_slowdown,     weir_section_queues, weir_section_time,
        weir_section_credit, weir_section_side_by_side, weir_section_places,
    };
    int code = 0;
    (void)fprintf(page->out, "<section id=\"g%zu\">\n<h2>", number);
    put_group_title(page->out, group->run);
    (void)fputs("</h2>\n", page->out);
    weir_section_summary(page, group);
    for (size_t i = 0; i < sizeof(section) / sizeof(section[0]) && code == 0; i++)
        code = section[i](page, group, err);
    (void)fputs("</section>\n", page->out);
    return code;
}

static int put_page(struct weir_page *page, const struct weir_runs *runs, const struct weir_report_options *options,
                    const char *no_figures, struct weir_err *err)
{
    size_t number = 0;
    int code = 0;
    put_top(page->out, runs, no_figures);
    put_contents(page->out, runs);
    put_text(page->out, options->text);
    weir_section_runs(page, &(struct weir_group){ runs->run, runs->count });
    for (size_t first = 0; first < runs->count && code == 0; first = group_end(runs, first)) {
        const struct weir_group group = { &runs->run[first], group_end(runs, first) - first };
        code = put_group(page, &group, ++number, err);
    }
    (void)fputs("</main>\n<footer>weir report ", page->out);
    weir_html_text(page->out, options->version);
    (void)fputs(". What the numbers mean: doc/report.md and doc/results.md.</footer>\n</body>\n</html>\n", page->out);
    return code;
}

int weir_report_page(FILE *out, const struct weir_report_options *options, struct weir_report_done *done,
                     struct weir_err *err)
{
    struct weir_page page = { .out = out, .stop = options->stop };
    struct weir_runs runs;
    int code = weir_runs_open(&runs, options->path, options->path_count, options->only, err);
    *done = (struct weir_report_done){ 0 };
    if (code != 0)
        return code;
    if (weir_plot_probe(options->gnuplot, err) == 0)
        page.gnuplot = options->gnuplot;
    else
        (void)snprintf(done->no_figures, sizeof(done->no_figures), "%s", err->text);
    code = put_page(&page, &runs, options, done->no_figures, err);
    done->runs = runs.count;
    done->figures = page.gnuplot != NULL ? page.figures : 0;
    weir_runs_close(&runs);
    return code;
}
