/* src/results/report/sections.c - common functions of all sections (sections.h), and the sections of slowdown and
 * queues. */
#include "report/sections.h"
#include "report/figure_data.h"
#include "report/html.h"
#include <math.h>
#include <string.h>

/* Most cells of the table below a drawing. CELLS_MAX is enough for two runs over time; CELLS_MAX_BRIEF, on a brief
 * page, for a distribution of a dozen runs. Without these limits tables were two thirds of a page. */
#define CELLS_MAX 480
#define CELLS_MAX_BRIEF 160
#define P99_COUNT_MIN 100 /* with fewer values the 99th percentile is only their maximum */

size_t weir_page_anchor(struct weir_page *page, const char *title)
{
    size_t anchor = ++page->anchors;
    if (page->nav == NULL || !page->list_headings)
        return anchor;
    (void)fprintf(page->nav, "<li><a href=\"#s%zu\">", anchor);
    weir_html_text(page->nav, title);
    (void)fputs("</a></li>\n", page->nav);
    return anchor;
}

void weir_grid_begin(struct weir_page *page, const char *heading, bool *open)
{
    char id[32] = "";
    if (*open)
        return;
    if (page->in_panel == NULL && page->list_headings)
        (void)snprintf(id, sizeof(id), "id=\"s%zu\"", weir_page_anchor(page, heading));
    weir_html_element(page->out, "h3", id[0] != '\0' ? id : NULL, heading);
    (void)fputs("\n<div class=\"grid\">\n", page->out);
    *open = true;
}

void weir_grid_end(const struct weir_page *page, bool *open)
{
    if (*open)
        (void)fputs("</div>\n", page->out);
    *open = false;
}

/* Makes the files of a figure, if figures are to be files. */
static int export_figure(const struct weir_page *page, struct weir_export_figure figure, struct weir_err *err)
{
    const char *const part[WEIR_EXPORT_PARTS] = { page->in_part, page->in_panel, page->in_run, figure.title };
    return page->exports != NULL ? weir_export_files(page->exports, &figure, part, err) : 0;
}

int weir_grid_plot(struct weir_page *page, const char *heading, bool *open, struct weir_plot *plot,
                   struct weir_err *err)
{
    bool share = weir_plot_is_share(plot), visible;
    int code = 0;
    weir_plot_drop_empty(plot);
    visible = weir_plot_visible(plot);
    if (page->stop != NULL && *page->stop != 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "interrupted");
    else if (visible || (plot->curve_count > 0 && !share)) {
        weir_grid_begin(page, heading, open);
        plot->hush_seeds = page->seeds_said;
        page->seeds_said = page->seeds_said || weir_plot_has_bands(plot);
        code = weir_plot_write(page->out, plot, visible ? page->gnuplot : NULL,
                               page->brief ? CELLS_MAX_BRIEF : CELLS_MAX, err);
        page->figures += visible && page->gnuplot != NULL;
        if (code == 0 && page->interactive && visible)
            code = weir_figure_data(page->out, plot, err);
        if (code == 0)
            code = export_figure(page, weir_export_of_plot(plot, visible ? page->gnuplot : NULL), err);
    }
    weir_plot_free(plot);
    return code;
}

int weir_grid_dots(struct weir_page *page, const char *heading, bool *open, const struct weir_dots *dots,
                   struct weir_err *err)
{
    if (!weir_dots_visible(dots))
        return 0;
    weir_grid_begin(page, heading, open);
    (void)fputs("<figure>\n", page->out);
    weir_html_element(page->out, "h4", NULL, dots->title);
    weir_dots_draw(page->out, dots);
    if (dots->caption[0] != '\0')
        weir_html_element(page->out, "figcaption", NULL, dots->caption);
    (void)fputs("</figure>\n", page->out);
    page->figures++;
    return export_figure(page, weir_export_of_dots(dots), err);
}

int weir_grid_gantt(struct weir_page *page, const char *heading, bool *open, const struct weir_gantt *gantt,
                    struct weir_err *err)
{
    weir_grid_begin(page, heading, open);
    (void)fputs("<figure>\n", page->out);
    weir_html_element(page->out, "h4", NULL, gantt->title);
    weir_gantt_draw(page->out, gantt);
    (void)fputs("<ul class=\"legend\">\n", page->out);
    for (size_t i = 0; i < gantt->lanes; i++) {
        (void)fputs("<li><svg class=\"key\" aria-hidden=\"true\">", page->out);
        weir_line_style_key(page->out, &gantt->style[i], false);
        (void)fputs("</svg> ", page->out);
        weir_html_text(page->out, gantt->lane[i]);
        (void)fputs("</li>\n", page->out);
    }
    (void)fputs("</ul>\n", page->out);
    weir_html_element(page->out, "figcaption", NULL, gantt->caption);
    (void)fputs("</figure>\n", page->out);
    page->figures++;
    return export_figure(page, weir_export_of_gantt(gantt), err);
}

const char *weir_run_note(const struct weir_run *run)
{
    const char *status = run->text[WEIR_RUN_STATUS];
    if (status != NULL && strcmp(status, "done") != 0)
        return status;
    return weir_run_doubtful(run) ? "in doubt" : NULL;
}

struct weir_curve *weir_section_curve(struct weir_plot *plot, const struct weir_set *set, struct weir_err *err)
{
    struct weir_curve *curve = weir_plot_curve(plot, set->run->text[WEIR_RUN_LABEL], err);
    if (curve != NULL)
        curve->style = set->run->style;
    for (size_t i = 0; i < set->count && curve != NULL; i++) {
        const char *note = weir_run_note(&set->run[i]);
        curve->note = curve->note != NULL ? curve->note : note;
        curve->undone = curve->undone || strcmp(weir_run_text_of(&set->run[i], WEIR_RUN_STATUS), "done") != 0;
        curve->noted += note != NULL;
    }
    return curve;
}

int weir_section_sets(struct weir_plot *plot, const struct weir_group *group, const struct weir_curve_source *source,
                      struct weir_err *err)
{
    struct weir_set set;
    int code = 0;
    for (size_t i = 0; i < group->count && code == 0; i += set.count) {
        struct weir_curve *curve;
        set = weir_set_first(&group->run[i], group->count - i);
        curve = weir_section_curve(plot, &set, err);
        code = curve == NULL ? (int)err->code : weir_set_curve(curve, &set, source, err);
    }
    if (code != 0)
        weir_plot_free(plot);
    return code;
}

double weir_warmup_ps(const struct weir_group *group)
{
    double warmup_ps = 0;
    for (size_t i = 0; i < group->count; i++) {
        const double *value = group->run[i].value;
        /* rounded to whole ns, since both values are decimals of seconds */
        double here = round((value[WEIR_RUN_SIM_S] - value[WEIR_RUN_MEASURED_S]) * 1e9) * 1e3;
        if (!(here > 0) || (i > 0 && here != warmup_ps))
            return 0;
        warmup_ps = here;
    }
    return warmup_ps;
}

void weir_measured_part(char *out, size_t size, const struct weir_group *group)
{
    double warmup_ps = weir_warmup_ps(group), sim_s = group->run[0].value[WEIR_RUN_SIM_S];
    bool same = warmup_ps > 0;
    for (size_t i = 1; i < group->count; i++)
        same = same && group->run[i].value[WEIR_RUN_SIM_S] == sim_s;
    if (same)
        (void)snprintf(out, size, "the measured part of the run, %.30s to %.30s",
                       weir_number_text(warmup_ps, WEIR_UNIT_PS).text, weir_number_text(sim_s, WEIR_UNIT_S).text);
    else
        (void)snprintf(out, size, "the measured part of %s", group->count > 1 ? "each run" : "the run");
}

/* Tests whether all points are at the same x. */
static bool is_one_bin(const struct weir_plot *plot)
{
    const struct weir_plot_point *first = NULL;
    for (size_t i = 0; i < plot->curve_count; i++)
        for (size_t k = 0; k < plot->curve[i].count; k++) {
            first = first != NULL ? first : &plot->curve[i].point[k];
            if (plot->curve[i].point[k].x != first->x)
                return false;
        }
    return true;
}

static int by_size(struct weir_page *page, const struct weir_group *group, bool p99, bool *open, struct weir_err *err)
{
    struct weir_plot plot = {
        .title = p99 ? "Slowdown by message size, 99th percentile" : "Slowdown by message size, median",
        .kind = WEIR_PLOT_MARKS,
        .x = { .title = "Message size", .unit = WEIR_UNIT_BYTES, .log = true },
        .y = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true, .least = 1 },
        .order = "by label",
        .min_count = p99 ? P99_COUNT_MIN : 0,
    };
    char part[128], only[96] = "";
    const struct weir_curve_source source = { .kind = WEIR_SOURCE_SIZES, .name = "ideal", .p99 = p99 };
    int code = weir_section_sets(&plot, group, &source, err);
    if (code != 0)
        return code;
    if (is_one_bin(&plot)) { /* it is that of all messages */
        weir_plot_free(&plot);
        return 0;
    }
    if (weir_plot_points(&plot) < 2) /* a short run: draw bins of few messages rather than nothing */
        plot.min_count = 0;
    weir_measured_part(part, sizeof(part), group);
    if (plot.min_count > 0)
        (void)snprintf(only, sizeof(only), " Drawn are bins of at least %d messages.", P99_COUNT_MIN);
    else if (p99)
        (void)snprintf(only, sizeof(only), " Bins of fewer than %d messages are drawn too, and rough.", P99_COUNT_MIN);
    (void)snprintf(
        plot.caption, sizeof(plot.caption),
        "Time to deliver a message over the least possible; %s of each bin of sizes, in the middle of which its mark "
        "stands. Messages delivered in %s, without incast.%s",
        p99 ? "99th percentile" : "median", part, only);
    return weir_grid_plot(page, "Slowdown", open, &plot, err);
}

struct distribution { /* texts for two figures of a histogram: [0] shares at or below x, [1] the tail, shares above x */
    const char *heading, *histogram;
    struct weir_plot_axis x;
    const char *title[2], *y_title[2], *of[2]; /* of: begins the caption */
    const char *before, *after; /* the caption goes on with `before`, the measured part of the run, and `after` */
};

static const struct distribution slowdown = {
    .heading = "Slowdown",
    .histogram = "slowdown",
    .x = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true, .least = 1 },
    .title = { "Slowdown, all messages", "Slowdown, the tail" },
    .y_title = { "Share of messages at or below", "Share of messages above" },
    .of = { "Cumulative distribution of slowdown",
            "Share of messages whose slowdown is greater than x; 1 % lies above the 99th percentile" },
    .before = ". Messages of all sizes, ",
    .after = ", without incast",
};

static const struct distribution queues = {
    .heading = "Queues",
    .histogram = "tor_queue",
    .x = { .title = "Queue of a first-hop switch", .unit = WEIR_UNIT_BYTES, .log = true, .floor = 1000 },
    .title = { "ToR queue", "ToR queue, the tail" },
    .y_title = { "Share of samples at or below", "Share of samples above" },
    .of = { "Cumulative distribution of bytes queued", "Share of samples in which more than x bytes waited" },
    .before = ": the egress ports of each first-hop switch summed, one value per switch and sample. Over ",
    .after = "",
};

static int plot_distribution(struct weir_page *page, const struct weir_group *group, const struct distribution *d,
                             bool tail, bool *open, struct weir_err *err)
{
    const struct weir_curve_source source = { .kind = WEIR_SOURCE_HISTOGRAM, .name = d->histogram };
    struct weir_plot plot = {
        .title = d->title[tail],
        .kind = tail ? WEIR_PLOT_TAIL : WEIR_PLOT_CDF,
        .x = d->x,
        .y = { .title = d->y_title[tail], .unit = WEIR_UNIT_SHARE, .log = tail },
        .order = "by label",
    };
    char part[128];
    int code;
    weir_measured_part(part, sizeof(part), group);
    (void)snprintf(plot.caption, sizeof(plot.caption), "%s%s%s%s.", d->of[tail], d->before, part, d->after);
    code = weir_section_sets(&plot, group, &source, err);
    return code == 0 ? weir_grid_plot(page, d->heading, open, &plot, err) : code;
}

int weir_figure_cdf(struct weir_page *page, const struct weir_group *group, bool *open, struct weir_err *err)
{
    return plot_distribution(page, group, &slowdown, false, open, err);
}

int weir_section_slowdown(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool open = false;
    int code = by_size(page, group, false, &open, err);
    if (code == 0)
        code = by_size(page, group, true, &open, err);
    if (code == 0)
        code = plot_distribution(page, group, &slowdown, true, &open, err);
    weir_grid_end(page, &open);
    return code;
}

int weir_section_queues(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool open = false;
    int code = plot_distribution(page, group, &queues, false, &open, err);
    if (code == 0)
        code = plot_distribution(page, group, &queues, true, &open, err);
    weir_grid_end(page, &open);
    return code;
}
