/* src/results/report/over_time.c - draws figures over time: of the whole network, of credit, and of hosts, ports and
 * flows. */
#include "report/over_time.h"
#include "report/html.h"
#include <string.h>

#define PARTS 200      /* most points of a curve; a figure is about twice as many pixels wide */
#define PARTS_MANY 100 /* most points of a curve on a brief page */
#define CELLS_MAX 4000 /* most points of all curves of a figure together, but see PARTS_MIN */
#define PARTS_MIN 40   /* this many points are allowed for each curve even if CELLS_MAX is exceeded */
#define TITLE_MAX_BYTES 256
#define MANY_RUNS 2 /* with more runs the figures of each run's elements are closed at first */

static const struct weir_quantity network[] = {
    { "goodput", "Goodput over time", "Goodput per host", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, false,
      "Payload that arrived for the first time, mean over hosts" },
    { "tor_queue_mean", "ToR queue over time, mean", "Queue of a ToR", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, false,
      "Bytes queued at a first-hop switch, mean over these switches" },
    { "tor_queue_max", "ToR queue over time, longest", "Queue of the longest ToR", WEIR_UNIT_BYTES, WEIR_FOLD_MAX,
      false, "Bytes queued at the first-hop switch that has most" },
    { "port_queue_max", "Longest port queue over time", "Queue of the longest port", WEIR_UNIT_BYTES, WEIR_FOLD_MAX,
      false, "Bytes queued at the switch port that has most" },
    { "unfinished", "Unfinished messages over time", "Bytes not delivered yet", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, false,
      "Bytes of messages that were started and are not delivered; what keeps rising is unstable" },
    { "marks", "ECN marks over time", "Marks", WEIR_UNIT_PER_S, WEIR_FOLD_MEAN, true, "Packets marked by switches" },
    { "drops", "Drops over time", "Drops", WEIR_UNIT_PER_S, WEIR_FOLD_MEAN, true, "Packets dropped or lost" },
    { "retransmissions", "Retransmissions over time", "Retransmissions", WEIR_UNIT_PER_S, WEIR_FOLD_MEAN, true,
      "Packets sent again" },
};

static const struct weir_quantity credit[] = {
    { "credit_at_senders", "Credit at senders", "Credit per host", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, true,
      "Credit that senders hold and have not used" },
    { "credit_in_flight", "Credit in flight", "Credit per host", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, true,
      "Credit on its way to senders, or coming back as data" },
    { "credit_at_receivers", "Credit at receivers", "Credit per host", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, true,
      "Credit that receivers may still give" },
};

static const struct weir_quantity elements[] = {
    { "host_goodput", "Goodput of each host", "Goodput", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, false,
      "Payload that arrived at the host for the first time" },
    { "host_credit_held", "Credit held by each host", "Credit", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, true,
      "Credit the host holds as a sender and has not used" },
    { "port_queue", "Queue of each port", "Queue", WEIR_UNIT_BYTES, WEIR_FOLD_MAX, true, "Bytes queued at the port" },
    { "flow_goodput", "Goodput of each flow", "Goodput", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, true,
      "Payload of the flow that was acknowledged" },
    { "flow_rate", "Rate of each flow", "Rate", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, true,
      "Rate at which the protocol paces the flow, or its window per base round trip" },
    { "flow_window", "Window of each flow", "Window", WEIR_UNIT_BYTES, WEIR_FOLD_MEAN, true,
      "What the flow may have in flight" },
};
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* Returns the length in ps of the intervals of a figure over time: each point is the mean or maximum of one interval.
 * All curves of a figure have the same intervals, so that they share their values of x. extent: over all series of the
 * figure; points must be above 0 */
static int64_t part_ps(const struct weir_page *page, const struct weir_extent *extent, size_t curves)
{
    int64_t parts = CELLS_MAX / (int64_t)(curves > 0 ? curves : 1), most = page->brief ? PARTS_MANY : PARTS;
    parts = parts > most ? most : parts < PARTS_MIN ? PARTS_MIN : parts;
    parts = extent->points < parts ? extent->points : parts;
    return (extent->last_ps + parts - 1) / parts;
}

static struct weir_plot time_plot(const struct weir_quantity *q, const char *title)
{
    return (struct weir_plot){
        .title = title,
        .kind = WEIR_PLOT_LINES,
        .x = { .title = "Time", .unit = WEIR_UNIT_PS },
        .y = { .title = q->axis, .unit = q->unit },
        .order = "by label",
    };
}

static void put_caption(struct weir_plot *plot, const char *what, enum weir_fold fold, int64_t width_ps,
                        const struct weir_group *group)
{
    plot->shade_to = weir_warmup_ps(group);
    (void)snprintf(plot->caption, sizeof(plot->caption),
                   "%s. The whole run%s; each point is the %s of what was recorded in %s.", what,
                   plot->shade_to > 0 ? ", the warm-up shaded" : ", warm-up included",
                   fold == WEIR_FOLD_MEAN ? "mean" : "greatest", weir_number_text((double)width_ps, WEIR_UNIT_PS).text);
}

static bool is_idle(const struct weir_curve *curve)
{
    for (size_t k = 0; k < curve->count; k++)
        if (curve->point[k].y > 0)
            return false;
    return true;
}

/* Tests whether all curves are always 0. */
static bool all_idle(const struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        if (!is_idle(&plot->curve[i]))
            return false;
    return true;
}

/* Removes the points of curves that are always 0, such as ports without a queue and flows that never ran. Adds the
 * number of these curves to the caption if it is above 0. */
static void drop_idle(struct weir_plot *plot)
{
    size_t used = strlen(plot->caption), dropped = 0;
    for (size_t i = 0; i < plot->curve_count; i++) {
        if (plot->curve[i].count == 0 || !is_idle(&plot->curve[i]))
            continue;
        plot->curve[i].count = 0;
        dropped++;
    }
    if (dropped > 0)
        (void)snprintf(plot->caption + used, sizeof(plot->caption) - used, " Left out: %zu that were always 0.",
                       dropped);
}

int weir_time_runs(struct weir_page *page, const struct weir_group *group, const struct weir_quantity *q,
                   const char *element, const char *heading, bool *open, struct weir_err *err)
{
    char title[TITLE_MAX_BYTES] = "";
    struct weir_plot plot = time_plot(q, title);
    struct weir_extent extent = { 0 };
    struct weir_curve_source source = {
        .kind = WEIR_SOURCE_SERIES, .name = q->series, .element = element, .fold = q->fold
    };
    int code = 0;
    (void)snprintf(title, sizeof(title), "%s%s%.200s", q->title, element != NULL ? " " : "",
                   element != NULL ? element : "");
    for (size_t i = 0; i < group->count && code == 0; i++)
        code = weir_series_extent(&extent, &group->run[i], q->series, element, err);
    if (code != 0 || extent.points == 0 || extent.last_ps <= 0)
        return code;
    source.width_ps = part_ps(page, &extent, weir_set_count(group->run, group->count));
    put_caption(&plot, q->what, q->fold, source.width_ps, group);
    code = weir_section_sets(&plot, group, &source, err);
    if (code != 0)
        return code;
    if (!(q->may_be_idle && all_idle(&plot)))
        return weir_grid_plot(page, heading, open, &plot, err);
    weir_plot_free(&plot);
    return code;
}

int weir_section_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool open = false;
    int code = 0;
    for (size_t i = 0; i < COUNT(network) && code == 0; i++)
        code = weir_time_runs(page, group, &network[i], NULL, "Over time", &open, err);
    weir_grid_end(page, &open);
    return code;
}

/* Draws the credit of a single run in one figure with three curves: credit at senders, in flight, and at receivers. */
static int credit_of_run(struct weir_page *page, const struct weir_group *group, bool *open, struct weir_err *err)
{
    static const char *const name[] = { "at senders", "in flight", "at receivers" };
    struct weir_plot plot = time_plot(&credit[0], "Where credit is");
    struct weir_extent extent = { 0 };
    int code = 0;
    for (size_t i = 0; i < COUNT(credit) && code == 0; i++)
        code = weir_series_extent(&extent, group->run, credit[i].series, NULL, err);
    if (code != 0 || extent.points == 0 || extent.last_ps <= 0)
        return code;
    put_caption(
        &plot,
        "Credit per host: unused at senders; in flight, to senders or coming back as data; and what receivers may "
        "still give",
        WEIR_FOLD_MEAN, part_ps(page, &extent, COUNT(credit)), group);
    for (size_t i = 0; i < COUNT(credit) && code == 0; i++) {
        struct weir_curve *curve = weir_plot_curve(&plot, name[i], err);
        const struct weir_curve_source source = { .kind = WEIR_SOURCE_SERIES,
                                                  .name = credit[i].series,
                                                  .fold = WEIR_FOLD_MEAN,
                                                  .width_ps = part_ps(page, &extent, COUNT(credit)) };
        code = curve == NULL ? (int)err->code : weir_curve_read(curve, group->run, &source, err);
    }
    if (code == 0)
        return weir_grid_plot(page, "Credit", open, &plot, err);
    weir_plot_free(&plot);
    return code;
}

int weir_section_credit(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool open = false;
    int code = group->count == 1 ? credit_of_run(page, group, &open, err) : 0;
    for (size_t i = 0; i < COUNT(credit) && code == 0 && group->count > 1; i++)
        code = weir_time_runs(page, group, &credit[i], NULL, "Credit", &open, err);
    weir_grid_end(page, &open);
    return code;
}

/* Draws one quantity of one run with a curve for each host, port or flow; nothing if the run does not have it. */
static int elements_over_time(struct weir_page *page, const struct weir_group *run, const struct weir_quantity *q,
                              bool *open, struct weir_err *err)
{
    struct weir_plot plot = time_plot(q, q->title);
    const struct weir_elements of = weir_elements_of(&run->run->elements, q->series);
    struct weir_extent extent = { 0 };
    int code = 0;
    plot.order = "by their mean";
    for (size_t i = 0; i < of.count; i++)
        weir_extent_widen(&extent, of.element[i].points, of.element[i].last_ps);
    if (extent.last_ps <= 0)
        return 0;
    put_caption(&plot, q->what, q->fold, part_ps(page, &extent, of.count), run);
    for (size_t i = 0; i < of.count && code == 0; i++) {
        struct weir_curve *curve = weir_plot_curve(&plot, of.element[i].name, err);
        const struct weir_curve_source source = { .kind = WEIR_SOURCE_SERIES,
                                                  .name = q->series,
                                                  .element = of.element[i].name,
                                                  .fold = q->fold,
                                                  .width_ps = part_ps(page, &extent, of.count) };
        code = curve == NULL ? (int)err->code : weir_curve_read(curve, run->run, &source, err);
    }
    if (code == 0 && q->may_be_idle)
        drop_idle(&plot);
    if (code == 0)
        return weir_grid_plot(page, "", open, &plot, err);
    weir_plot_free(&plot);
    return code;
}

static void elements_begin(const struct weir_page *page, const struct weir_group *group, size_t i)
{
    (void)fputs(group->count > MANY_RUNS ? "<details class=\"more\"><summary>"
                                         : "<details class=\"more\" open><summary>",
                page->out);
    weir_html_text(page->out, group->count > 1 ? group->run[i].text[WEIR_RUN_LABEL] : "Over time");
    (void)fputs("</summary>\n<div class=\"grid\">\n", page->out);
}

/* Prints the command that makes a page with the hosts, ports and flows of a run, since a page of many runs does not
 * show them. Prints nothing if no run has such series. */
static int put_elements_elsewhere(const struct weir_page *page, const struct weir_group *group)
{
    size_t first = 0;
    while (first < group->count && group->run[first].elements.count == 0)
        first++;
    if (first == group->count)
        return 0;
    weir_html_element(page->out, "h3", NULL, "Hosts, ports and flows of each run");
    (void)fprintf(page->out,
                  "<p class=\"note\">On pages of at most %u runs only. <span class=\"code\">weir report FILE --runs "
                  "%lld</span> makes one of ",
                  WEIR_RUNS_ELEMENTS_MAX, (long long)group->run[first].id);
    weir_html_text(page->out, group->run[first].text[WEIR_RUN_LABEL]);
    (void)fputs(".</p>\n", page->out);
    return 0;
}

int weir_section_elements(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool headed = false;
    int code = 0;
    if (page->runs > WEIR_RUNS_ELEMENTS_MAX) /* the elements would be nine tenths of the page */
        return put_elements_elsewhere(page, group);
    for (size_t i = 0; i < group->count && code == 0; i++) {
        const struct weir_group one = { &group->run[i], 1 };
        bool open = true; /* elements_begin() opens the grid */
        if (group->run[i].elements.count == 0)
            continue;
        if (!headed)
            weir_html_element(page->out, "h3", NULL, "Hosts, ports and flows of each run");
        headed = true;
        elements_begin(page, group, i);
        page->in_run = group->count > 1 ? group->run[i].text[WEIR_RUN_LABEL] : NULL;
        for (size_t k = 0; k < COUNT(elements) && code == 0; k++)
            code = elements_over_time(page, &one, &elements[k], &open, err);
        page->in_run = NULL;
        (void)fputs("</div></details>\n", page->out);
    }
    return code;
}
