/* src/results/report/causes_figure.c - draws how many packets each rule dropped or lost, of each set of runs. */
#include "report/sections.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, LABEL = 160 };

struct causes { /* dots of one figure */
    struct weir_dot dot[ROWS];
    char label[ROWS][LABEL];
    size_t count, left_out;
};

/* Adds the packets of each rule in a list of a run (runs.h), divided by the number of runs of the set. */
static void add_list(struct causes *c, const struct weir_set *set, const struct weir_run *run, enum weir_run_text list)
{
    for (const char *at = weir_run_text_of(run, list), *next; *at != '\0'; at = next) {
        size_t name = strcspn(at, "[\n"), i = 0;
        char label[LABEL];
        double packets = 0;
        char *end = (char *)(uintptr_t)(at + name);
        next = at + strcspn(at, "\n");
        next += *next != '\0';
        while (*end == '[' || *end == ',')
            packets += strtod(end + 1, &end);
        (void)snprintf(label, sizeof(label), "%.80s: %.*s", set->run->text[WEIR_RUN_LABEL],
                       (int)(name < 64 ? name : 64), at);
        while (i < c->count && strcmp(c->label[i], label) != 0)
            i++;
        if (i == ROWS) {
            c->left_out++;
            continue;
        }
        if (i == c->count) {
            memcpy(c->label[i], label, sizeof(label));
            c->dot[c->count++] = (struct weir_dot){ .label = c->label[i],
                                                    .style = set->run->style,
                                                    .half_width = (double)NAN,
                                                    .published_low = (double)NAN,
                                                    .published_high = (double)NAN,
                                                    .band_low = (double)NAN,
                                                    .band_high = (double)NAN };
        }
        c->dot[i].mean += packets / (double)set->count;
    }
}

static int draw(struct weir_page *page, const struct weir_group *group, enum weir_run_text list, const char *title,
                bool *open, struct weir_err *err)
{
    struct causes *c = calloc(1, sizeof(*c));
    char caption[160] = "Packets of all kinds, the whole run, mean over the seeds of a set.";
    struct weir_dots dots = { .title = title, .caption = caption, .unit = WEIR_UNIT_COUNT };
    int code = 0;
    if (c == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for causes of drops");
    for (size_t i = 0; i < group->count;) {
        const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        for (size_t k = 0; k < set.count; k++)
            add_list(c, &set, &set.run[k], list);
        i += set.count;
    }
    if (c->left_out > 0)
        (void)snprintf(caption + strlen(caption), sizeof(caption) - strlen(caption), " More are in the table below.");
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
