/* src/commands/testbed/figs.c - see figs.h. */
#include "testbed/figs.h"
#include "reproduce/stats.h"
#include "means/interval.h"
#include "text/clock.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct weir_fig_paper weir_fig_papers[] = {
    { .name = "sird-testbed", .fig = weir_figs_sird, .seconds = 8 },
    { .name = "soze-testbed", .fig = weir_figs_soze, .seconds = 8 },
    { .name = "fncc-testbed", .fig = weir_figs_fncc, .usual = 3, .seconds = 5, .repeats = 5 },
    { .name = "dart-testbed", .fig = weir_figs_dart, .seconds = 5, .repeats = 5 },
    { .name = "laws-testbed", .fig = weir_figs_laws, .seconds = 10, .repeats = 5 },
    { .name = "rpm-testbed", .fig = weir_figs_rpm, .usual = 4, .seconds = 60, .repeats = 3, .pairs = 10 },
    { .name = NULL },
};

const struct weir_fig_paper *weir_fig_paper_find(const char *name)
{
    for (const struct weir_fig_paper *paper = weir_fig_papers; paper->name != NULL; paper++)
        if (strcmp(paper->name, name) == 0)
            return paper;
    return NULL;
}

bool weir_fig_is_usual(const struct weir_fig_paper *paper, const struct weir_fig *fig)
{
    return paper->usual == 0 || fig < paper->fig + paper->usual;
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

/* Adds a number to the list. Returns NULL if the list is full. */
static struct weir_fig_cell *add(struct weir_figs *figs, const char *what, va_list args)
{
    struct weir_fig_cell *c = figs->cell_count < WEIR_FIG_CELLS_MAX ? &figs->cell[figs->cell_count++] : NULL;
    if (c == NULL)
        return NULL;
    *c = (struct weir_fig_cell){ .half = (double)NAN,
                                 .simulated = (double)NAN,
                                 .simulated_half = (double)NAN,
                                 .least = (double)NAN,
                                 .most = (double)NAN };
    (void)vsnprintf(c->what, sizeof(c->what), what, args);
    return c;
}

void weir_fig_add(struct weir_figs *figs, const char *figure, const char *unit, double value, enum weir_fig_band band,
                  double wanted, const char *what, ...)
{
    struct weir_fig_cell *c;
    va_list args;
    va_start(args, what);
    c = add(figs, what, args);
    va_end(args);
    if (c != NULL)
        c->figure = figure, c->unit = unit, c->value = value, c->band = band, c->wanted = wanted;
}

void weir_fig_add_mean(struct weir_figs *figs, const char *figure, const char *unit, struct weir_fig_mean value,
                       const struct weir_fig_mean *simulated, enum weir_fig_band band, double wanted, const char *what,
                       ...)
{
    struct weir_fig_cell *c;
    va_list args;
    va_start(args, what);
    c = add(figs, what, args);
    va_end(args);
    if (c == NULL)
        return;
    c->figure = figure, c->unit = unit, c->value = value.mean, c->half = value.half, c->band = band, c->wanted = wanted;
    if (simulated != NULL)
        c->simulated = simulated->mean, c->simulated_half = simulated->half;
}

void weir_fig_add_median(struct weir_figs *figs, const char *figure, const char *unit, double *number,
                         enum weir_fig_band band, double wanted, const char *what, ...)
{
    struct weir_fig_cell *c;
    va_list args;
    WEIR_ASSERT(figs->repeats >= 1);
    va_start(args, what);
    c = add(figs, what, args);
    va_end(args);
    if (c == NULL)
        return;
    c->figure = figure, c->unit = unit, c->band = band, c->wanted = wanted;
    c->value = weir_median(number, figs->repeats);
    c->least = number[0], c->most = number[figs->repeats - 1];
}

void weir_fig_slack(struct weir_figs *figs, double slack)
{
    WEIR_ASSERT(figs->cell_count >= 1);
    figs->cell[figs->cell_count - 1].slack = slack;
}

struct weir_fig_mean weir_fig_mean_of(const double *number, uint32_t count)
{
    struct weir_fig_mean m = { .mean = weir_mean(number, count), .half = (double)NAN };
    double squares = 0;
    WEIR_ASSERT(count >= 1);
    for (uint32_t i = 0; i < count; i++)
        squares += (number[i] - m.mean) * (number[i] - m.mean);
    if (count >= WEIR_INTERVAL_RUNS_MIN)
        m.half = weir_half_width_95(squares, count);
    return m;
}

int weir_fig_measure(struct weir_figs *figs, const struct weir_fig_measurement *m, double *value, struct weir_err *err)
{
    uint64_t start_ns = weir_wall_ns();
    char progress[48] = "";
    bool found;
    int code = weir_keep_find(&figs->keep, &m->key, &found, value, err);
    if (code != 0)
        return code;
    if (++figs->made <= figs->planned)
        (void)snprintf(progress, sizeof(progress), "%u of %u, ", (unsigned)figs->made, (unsigned)figs->planned);
    (void)fprintf(stderr, "weir: %s%s: %s%s\n", progress, m->key.figure, m->key.point, found ? " is there" : "");
    if (found)
        return 0;
    code = m->run(figs, m->ctx, value, err);
    return code != 0 ? code
                     : weir_keep_add(&figs->keep, &m->key, value, (double)(weir_wall_ns() - start_ns) / 1e9, err);
}
