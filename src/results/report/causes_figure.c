/* src/results/report/causes_figure.c - draws how many packets of each kind each rule dropped or lost, of each set of
 * runs. */
#include "report/causes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, LABEL = 160, CAPTION = 1024 };

struct causes { /* dots of one figure */
    struct weir_dot dot[ROWS];
    char label[ROWS][LABEL];
    size_t count, left_out;
    char caption[CAPTION];
};

/* Adds packets to the dot with a label; a new dot if no dot has it. */
static void add_packets(struct causes *c, const char *label, const struct weir_line_style *style, double packets)
{
    size_t i = 0;
    while (i < c->count && strcmp(c->label[i], label) != 0)
        i++;
    if (i == ROWS) {
        c->left_out++;
        return;
    }
    if (i == c->count) {
        (void)snprintf(c->label[i], LABEL, "%s", label);
        c->dot[i] = weir_dot_of(c->label[i], style);
        c->dot[i].mean = 0;
        c->count++;
    }
    c->dot[i].mean += packets;
}

/* Adds a rule and its reason to the caption if the rule is not there yet. */
static void add_reason(struct causes *c, const char *name)
{
    const char *reason = weir_cause_reason(name);
    char text[LABEL + WEIR_CAUSE_NAME];
    size_t length = strlen(c->caption);
    (void)snprintf(text, sizeof(text), " %.64s: %s.", name, reason != NULL ? reason : "");
    if (reason != NULL && strstr(c->caption, text) == NULL && length + strlen(text) < CAPTION)
        memcpy(c->caption + length, text, strlen(text) + 1);
}

/* Adds the packets of each rule in a list of a run (runs.h), divided by the number of runs of the set. */
static void add_list(struct causes *c, const struct weir_set *set, const struct weir_run *run, enum weir_run_text list)
{
    const char *at = weir_run_text_of(run, list);
    struct weir_cause_line line;
    while (weir_cause_next(&at, &line)) {
        for (int kind = 0; kind < WEIR_LOST_KINDS; kind++) {
            char label[LABEL];
            (void)snprintf(label, sizeof(label), "%.64s: %.64s, %s", set->run->text[WEIR_RUN_LABEL], line.name,
                           weir_cause_kind_name((enum weir_lost_kind)kind));
            if (line.pkts[kind] > 0)
                add_packets(c, label, &set->run->style, line.pkts[kind] / (double)set->count);
        }
        add_reason(c, line.name);
    }
}

static int draw(struct weir_page *page, const struct weir_group *group, enum weir_run_text list, const char *title,
                bool *open, struct weir_err *err)
{
    struct causes *c = calloc(1, sizeof(*c));
    struct weir_dots dots = { .title = title, .unit = WEIR_UNIT_COUNT };
    size_t length;
    int code = 0;
    if (c == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for causes of drops");
    (void)snprintf(c->caption, CAPTION, "Packets of the whole run, mean over the seeds of a set.");
    for (size_t i = 0; i < group->count;) {
        const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        for (size_t k = 0; k < set.count; k++)
            add_list(c, &set, &set.run[k], list);
        i += set.count;
    }
    length = strlen(c->caption);
    if (c->left_out > 0)
        (void)snprintf(c->caption + length, CAPTION - length, " More are in the table below.");
    dots.caption = c->caption;
    dots.dot = c->dot;
    dots.count = c->count;
    if (c->count > 0)
        code = weir_grid_dots(page, "Drops", open, &dots, err);
    free(c);
    return code;
}

int weir_section_drops(struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool open = false;
    int code = draw(page, group, WEIR_RUN_DROPS_BY_CAUSE, "Packets dropped, by rule", &open, err);
    if (code == 0)
        code = draw(page, group, WEIR_RUN_LOSSES_BY_CAUSE, "Packets lost on the wire, by rule", &open, err);
    weir_grid_end(page, &open);
    return code;
}
