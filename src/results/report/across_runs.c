/* src/results/report/across_runs.c - draws figures of one port or flow with a curve for each set of runs, to show how
 * protocols differ at one port. If there are too many sets for one figure, the sets whose labels agree up to the last
 * '-' share a figure. */
#include "report/html.h"
#include "report/over_time.h"
#include <string.h>

#define ELEMENTS_MAX 4 /* of one quantity, the most ports or flows that are drawn */
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

struct chosen {
    const char *name[ELEMENTS_MAX]; /* lent */
    size_t count;
};

static void add_last(struct chosen *to, const char *name)
{
    for (size_t i = 0; i < to->count; i++)
        if (strcmp(to->name[i], name) == 0)
            return;
    if (to->count < ELEMENTS_MAX)
        to->name[to->count++] = name;
}

static void add_by_name(struct chosen *to, const char *name)
{
    size_t at = 0;
    while (at < to->count && weir_natural_compare(to->name[at], name) < 0)
        at++;
    if (at == ELEMENTS_MAX || (at < to->count && strcmp(to->name[at], name) == 0))
        return;
    to->count += to->count < ELEMENTS_MAX;
    memmove(&to->name[at + 1], &to->name[at], (to->count - 1 - at) * sizeof(to->name[0]));
    to->name[at] = name;
}

/* Chooses the ports or flows to draw, at most ELEMENTS_MAX, from the first run of each set. by_name: the first names of
 * all sets together, in the order of weir_natural_compare(); else one name per set, the element with the greatest mean.
 * The names are lent by the runs. */
static struct chosen choose(const struct weir_group *panel, const char *series, bool by_name)
{
    struct chosen chosen = { 0 };
    for (size_t i = 0; i < panel->count; i += weir_runs_set(&panel->run[i], panel->count - i)) {
        const struct weir_elements of = weir_elements_of(&panel->run[i].elements, series);
        if (of.count > 0 && !by_name)
            add_last(&chosen, of.element[0].name);
        for (size_t k = 0; k < of.count && by_name; k++)
            add_by_name(&chosen, of.element[k].name);
    }
    return chosen;
}

static int plot_quantity(struct weir_page *page, const struct weir_group *panel, const struct weir_quantity *q,
                         bool by_name, const char *heading, bool *open, struct weir_err *err)
{
    const struct chosen elements = choose(panel, q->series, by_name);
    int code = 0;
    for (size_t i = 0; i < elements.count && code == 0; i++)
        code = weir_time_runs(page, panel, q, elements.name[i], heading, open, err);
    return code;
}

/* Returns the length of a label up to its last '-', without the '-'; 0 if there is no '-'. Sets that share a figure
 * have equal labels up to this length. */
static size_t shared_length(const char *label)
{
    const char *dash = strrchr(label, '-');
    return dash != NULL ? (size_t)(dash - label) : 0;
}

/* Returns how many runs, from run[0] on, share a figure: whole sets whose labels agree up to the last '-', at most
 * WEIR_PLOT_CURVES_MAX sets. */
static size_t panel_count(const struct weir_run *run, size_t count)
{
    const char *label = run->text[WEIR_RUN_LABEL];
    size_t length = shared_length(label), n = weir_runs_set(run, count), sets = 1;
    while (n < count && sets < WEIR_PLOT_CURVES_MAX && shared_length(run[n].text[WEIR_RUN_LABEL]) == length &&
           strncmp(run[n].text[WEIR_RUN_LABEL], label, length) == 0) {
        n += weir_runs_set(&run[n], count - n);
        sets++;
    }
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

int weir_section_across_runs(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool is_all = weir_set_count(group->run, group->count) <= WEIR_PLOT_CURVES_MAX;
    int code = 0;
    for (size_t first = 0, n; first < group->count && code == 0; first += n) {
        n = is_all ? group->count : panel_count(&group->run[first], group->count - first);
        if (weir_set_count(&group->run[first], n) > 1)
            code = plot_panel(page, &(struct weir_group){ &group->run[first], n }, is_all, err);
    }
    return code;
}
