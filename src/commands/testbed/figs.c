/* src/commands/testbed/figs.c - see figs.h. */
#include "testbed/figs.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct weir_fig_paper weir_fig_papers[] = {
    { "sird-testbed", weir_figs_sird },
    { "soze-testbed", weir_figs_soze },
    { NULL, NULL },
};

const struct weir_fig_paper *weir_fig_paper_find(const char *name)
{
    for (const struct weir_fig_paper *paper = weir_fig_papers; paper->name != NULL; paper++)
        if (strcmp(paper->name, name) == 0)
            return paper;
    return NULL;
}

void weir_fig_args_add(struct weir_fig_args *args, const char *first, ...)
{
    va_list more;
    va_start(more, first);
    for (const char *text = first; text != NULL && args->count < WEIR_FIG_ARGS - 1; text = va_arg(more, const char *))
        args->text[args->count++] = text;
    va_end(more);
}

bool weir_fig_holds(const struct weir_fig_cell *c)
{
    switch (c->band) {
    case WEIR_FIG_AT_MOST:
        return c->value <= c->wanted;
    case WEIR_FIG_AT_LEAST:
        return c->value >= c->wanted;
    case WEIR_FIG_NEAR:
        return fabs(c->value - c->wanted) <= c->slack;
    case WEIR_FIG_SHOWN:
        break;
    }
    return true;
}

void weir_fig_add(struct weir_figs *figs, const char *figure, const char *unit, double value, enum weir_fig_band band,
                  double wanted, const char *what, ...)
{
    va_list args;
    if (figs->cell_count == WEIR_FIG_CELLS_MAX)
        return;
    struct weir_fig_cell *c = &figs->cell[figs->cell_count++];
    *c = (struct weir_fig_cell){ .figure = figure, .unit = unit, .value = value, .band = band, .wanted = wanted };
    va_start(args, what);
    (void)vsnprintf(c->what, sizeof(c->what), what, args);
    va_end(args);
}
