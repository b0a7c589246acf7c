/* src/report/side_by_side.c - one port or flow in a figure, a curve for each run: what protocols did at the same place. Of many
 * runs those whose labels agree up to the last '-' share their figures. */
#include "report/html.h"
#include "report/over_time.h"
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 4 /* of one quantity */
#define TITLE_MAX_BYTES 256

static const struct weir_quantity ports = {
    "port_queue",
    "Queue of",
    "Queue",
    WEIR_UNIT_BYTES,
    WEIR_FOLD_MAX,
    true,
    "Bytes queued at the port, one that in some run is the longest by its mean"
};
static const struct weir_quantity flows[] = {
    { "flow_rate", "Rate of", "Rate", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, true,
      "Rate at which the protocol paces the flow, or its window per base round trip" },
    { "flow_goodput", "Goodput of", "Goodput", WEIR_UNIT_GBPS, WEIR_FOLD_MEAN, true,
      "Payload of the flow that was acknowledged" },
};

struct places {
    char *name[PLACES_MAX]; /* owned */
    size_t count;
};

static int add_place(struct places *to, const char *name, struct weir_err *err)
{
    for (size_t i = 0; i < to->count; i++)
        if (strcmp(to->name[i], name) == 0)
            return 0;
    if (to->count == PLACES_MAX)
        return 0;
    to->name[to->count] = strdup(name);
    if (to->name[to->count] == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the names of ports and flows");
    to->count++;
    return 0;
}

static void free_places(struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->name[i]);
}

static int compare_names(const void *left, const void *right)
{
    return weir_natural_compare(*(char *const *)left, *(char *const *)right);
}

/* Of each run the place with the greatest mean; or, in order of their names, the first few. */
static int find_places(struct places *to, const struct weir_group *panel, const struct weir_quantity *q, bool by_name,
                       struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < panel->count && code == 0; i++) {
        struct weir_plot scratch = { 0 };
        char **names;
        size_t count;
        code = weir_curve_places(&scratch, &names, &panel->run[i], q->series, err);
        count = scratch.curve_count;
        if (by_name && count > 0)
            qsort(names, count, sizeof(*names), compare_names);
        for (size_t k = 0; k < count && (by_name || k == 0) && code == 0; k++)
            code = add_place(to, names[k], err);
        weir_plot_free(&scratch);
        weir_places_free(names, count);
    }
    return code;
}

static int plot_quantity(struct weir_page *page, const struct weir_group *panel, const struct weir_quantity *q,
                         bool by_name, const char *heading, bool *open, struct weir_err *err)
{
    struct places places = { 0 };
    int code = find_places(&places, panel, q, by_name, err);
    for (size_t i = 0; i < places.count && code == 0; i++)
        code = weir_time_runs(page, panel, q, places.name[i], heading, open, err);
    free_places(&places);
    return code;
}

/* The part of a label that a panel shares: up to its last '-'. */
static size_t shared_length(const char *label)
{
    const char *dash = strrchr(label, '-');
    return dash != NULL ? (size_t)(dash - label) : 0;
}

/* How many runs from the first on stand in one figure. */
static size_t panel_count(const struct weir_run *run, size_t count)
{
    const char *label = run->text[WEIR_RUN_LABEL];
    size_t length = shared_length(label), n = 1;
    while (n < count && n < WEIR_PLOT_CURVES_MAX && shared_length(run[n].text[WEIR_RUN_LABEL]) == length &&
           strncmp(run[n].text[WEIR_RUN_LABEL], label, length) == 0)
        n++;
    return n;
}

static int plot_panel(struct weir_page *page, const struct weir_group *panel, bool is_all, struct weir_err *err)
{
    const char *label = panel->run->text[WEIR_RUN_LABEL], *last = panel->run[panel->count - 1].text[WEIR_RUN_LABEL];
    size_t shared = shared_length(label);
    char heading[TITLE_MAX_BYTES] = "Ports and flows, runs side by side";
    bool open = false;
    int code;
    if (!is_all && shared > 0)
        (void)snprintf(heading, sizeof(heading), "Ports and flows, runs side by side: %.*s",
                       shared < 128 ? (int)shared : 128, label);
    else if (!is_all)
        (void)snprintf(heading, sizeof(heading), "Ports and flows, runs side by side, %.96s to %.96s", label, last);
    code = plot_quantity(page, panel, &ports, false, heading, &open, err);
    for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]) && code == 0; i++)
        code = plot_quantity(page, panel, &flows[i], true, heading, &open, err);
    weir_grid_end(page, &open);
    return code;
}

int weir_section_side_by_side(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool is_all = group->count <= WEIR_PLOT_CURVES_MAX;
    int code = 0;
    for (size_t first = 0, n; first < group->count && code == 0; first += n) {
        n = is_all ? group->count : panel_count(&group->run[first], group->count - first);
        if (n > 1)
            code = plot_panel(page, &(struct weir_group){ &group->run[first], n }, is_all, err);
    }
    return code;
}
