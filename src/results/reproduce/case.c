/* src/results/reproduce/case.c - see case.h. */
#include "reproduce/case.h"
#include "reproduce/stats.h"
#include "means/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_in_table(const struct weir_cases *c, const struct weir_point *p)
{
    return p->figure == c->figure->runs && weir_plan_counts(c->spec, p->value) &&
           (p->state == WEIR_POINT_DONE || weir_plan_requires(c->figure->runs, c->spec, p->value));
}

bool weir_case_counts(const struct weir_cases *c, const struct weir_point *p)
{
    return is_in_table(c, p) && (c->spec->of_axis == WEIR_AXIS_NONE || p->value[c->spec->of_axis] != c->spec->of_value);
}

void weir_case_of(const struct weir_cases *c, const struct weir_point *p, uint8_t *value)
{
    memcpy(value, p->value, WEIR_AXES_MAX);
    if (c->spec->over != WEIR_AXIS_NONE)
        value[c->spec->over] = WEIR_AXIS_NONE;
    if (c->spec->average != WEIR_AXIS_NONE)
        value[c->spec->average] = WEIR_AXIS_NONE;
    if (c->spec->order_axis != WEIR_AXIS_NONE)
        value[c->spec->order_axis] = WEIR_AXIS_NONE;
}

bool weir_case_has(const struct weir_cases *c, const struct weir_point *p, const uint8_t *value)
{
    uint8_t own[WEIR_AXES_MAX];
    if (!is_in_table(c, p))
        return false;
    weir_case_of(c, p, own);
    if (c->spec->order_axis != WEIR_AXIS_NONE && value[c->spec->order_axis] != WEIR_AXIS_NONE)
        own[c->spec->order_axis] = p->value[c->spec->order_axis]; /* value[] has one of the ordered values */
    return memcmp(own, value, sizeof(own)) == 0;
}

static struct weir_value read_path(const struct weir_cases *c, const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    return c->measured->read(p, &reading);
}

/* Tests whether spec->unstable excludes the number of a run, because the run is unstable. */
static bool is_out(const struct weir_cases *c, const struct weir_point *p, bool stable)
{
    struct weir_value growth;
    if (stable || c->spec->unstable == WEIR_UNSTABLE_KEEP)
        return false;
    if (c->spec->unstable == WEIR_UNSTABLE_OUT)
        return true;
    growth = read_path(c, p, "growth:tor_queue_mean");
    return growth.state == WEIR_VALUE_NUMBER && growth.lo * 1e6 > (double)c->spec->growth_ppm;
}

/* Tests whether the number *new replaces *old in a cell. The larger one does; but with WEIR_UNSTABLE_OUT a stable
 * number takes precedence over every unstable one. */
static bool replaces(const struct weir_table_spec *spec, const struct weir_value *old, const struct weir_value *new)
{
    if (old->state != WEIR_VALUE_NUMBER && old->state != WEIR_VALUE_UNSTABLE)
        return true;
    if (spec->unstable == WEIR_UNSTABLE_OUT && old->state != new->state)
        return new->state == WEIR_VALUE_NUMBER;
    return new->lo > old->lo;
}

/* Returns `value` after `divide`, `per` and `less` of the reading, with the labels of point p. */
static double scaled(const struct weir_cases *c, const struct weir_point *p, const struct weir_reading *reading,
                     double value)
{
    uint32_t per = reading->per, less = reading->less;
    value /= (double)reading->divide;
    if (per != WEIR_AXIS_NONE && p->value[per] != WEIR_AXIS_NONE)
        value /= strtod(c->plan->exp->axis[per].value[p->value[per]].label, NULL);
    if (less != WEIR_AXIS_NONE && p->value[less] != WEIR_AXIS_NONE)
        value -= strtod(c->plan->exp->axis[less].value[p->value[less]].label, NULL);
    return value;
}

/* Adds the number of a run to the mean in a cell. Until measure() divides cell->measured.lo by the number of runs, it
 * is their sum. The mean is unstable if one of the numbers is. Computes cell->squares by Welford's method (1962). */
static void add_run(struct weir_cell *cell, const struct weir_value *v, bool stable, bool in_doubt)
{
    bool first = cell->averaged++ == 0;
    if (cell->number != NULL)
        cell->number[cell->runs - 1] = v->lo;
    double off = first ? 0 : v->lo - cell->measured.lo / (cell->averaged - 1);
    cell->squares += off * off * (cell->averaged - 1) / cell->averaged;
    cell->least = first || v->lo < cell->least ? v->lo : cell->least;
    cell->most = first || v->lo > cell->most ? v->lo : cell->most;
    cell->at_unstable = cell->at_unstable || !stable;
    cell->unstable += !stable;
    cell->doubtful += in_doubt;
    cell->measured.lo = cell->measured.hi = v->lo + (first ? 0 : cell->measured.lo);
    if (first || v->state == WEIR_VALUE_UNSTABLE)
        cell->measured.state = v->state;
}

/* Returns the point whose number is the divisor for point p (relative_to): the point with the figure and values of p,
 * but with base_value on base_axis. NULL = there is no such point. */
static const struct weir_point *base_of(const struct weir_cases *c, const struct weir_point *p)
{
    uint8_t value[WEIR_AXES_MAX];
    memcpy(value, p->value, sizeof(value));
    value[c->spec->base_axis] = (uint8_t)c->spec->base_value;
    for (uint32_t i = 0; i < c->plan->point_count; i++)
        if (c->plan->point[i].figure == p->figure && memcmp(c->plan->point[i].value, value, sizeof(value)) == 0)
            return &c->plan->point[i];
    return NULL;
}

/* Returns the number of a run, divided by another number of the run if the reading has `by`. If the table has
 * `relative_to`, a number of jobs or coflows is a quotient already: compare() divides job by job. */
static struct weir_value read_run(const struct weir_cases *c, const struct weir_point *p,
                                  const struct weir_reading *reading)
{
    const struct weir_point *base;
    if (reading->each == NULL || c->spec->base_axis == WEIR_AXIS_NONE) {
        struct weir_value value = c->measured->read(p, reading), by;
        if (reading->by == NULL)
            return value;
        by = read_path(c, p, reading->by);
        return weir_quotient(&value, &by);
    }
    base = base_of(c, p);
    if (base == NULL || base->state != WEIR_POINT_DONE)
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    return c->measured->compare(p, base, reading);
}

/* Adds the number of a done run to a cell. An excluded number is kept with the state UNSTABLE, so that tables can show
 * the number next to "unstable". */
static void take_run(const struct weir_cases *c, struct weir_cell *cell, const struct weir_point *p)
{
    bool stable = read_path(c, p, "stable").lo != 0;
    const struct weir_reading *reading = &c->spec->reading[cell->reading];
    struct weir_value v = read_run(c, p, reading);
    cell->runs_done++;
    if (v.state != WEIR_VALUE_NUMBER) {
        cell->is_sampled = cell->is_sampled || p->is_sampled;
        if (cell->measured.state == WEIR_VALUE_MISSING)
            cell->measured.state = WEIR_VALUE_NONE;
        return;
    }
    v.lo = v.hi = scaled(c, p, reading, v.lo);
    v.state = is_out(c, p, stable) ? WEIR_VALUE_UNSTABLE : WEIR_VALUE_NUMBER;
    if (c->spec->average != WEIR_AXIS_NONE) {
        add_run(cell, &v, stable, p->doubt != NULL);
        return;
    }
    if (!replaces(c->spec, &cell->measured, &v))
        return;
    cell->measured = v;
    cell->at = p;
    cell->at_unstable = !stable;
}

static void measure(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    cell->measured = (struct weir_value){ .state = WEIR_VALUE_MISSING };
    cell->runs = cell->runs_done = cell->averaged = cell->unstable = cell->doubtful = 0;
    cell->squares = cell->half_width = 0;
    for (uint32_t i = 0; i < c->plan->point_count; i++) {
        const struct weir_point *p = &c->plan->point[i];
        if (!weir_case_has(c, p, value))
            continue;
        if (cell->number != NULL)
            cell->number[cell->runs] = (double)NAN;
        cell->runs++;
        if (p->not_built != NULL)
            cell->not_built = p->not_built;
        if (p->state == WEIR_POINT_DONE)
            take_run(c, cell, p);
    }
    if (cell->averaged > 0)
        cell->measured.lo = cell->measured.hi = cell->measured.lo / cell->averaged;
    if (cell->averaged >= WEIR_INTERVAL_RUNS_MIN)
        cell->half_width = weir_half_width_95(cell->squares, cell->averaged);
}

void weir_cell_add_runs(struct weir_cell *cell, const struct weir_cell *other)
{
    cell->runs += other->runs;
    cell->runs_done += other->runs_done;
    cell->is_sampled = cell->is_sampled || other->is_sampled;
    if (cell->not_built == NULL)
        cell->not_built = other->not_built;
}

/* Returns the best number along best_axis; unstable numbers do not count. The state is MISSING if there is none. Adds
 * the runs at the other values of the axis to the counts of the cell. */
static struct weir_value find_best(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    const uint32_t axis = c->spec->best_axis;
    struct weir_value best = { .state = WEIR_VALUE_MISSING };
    for (uint32_t v = 0; v < c->plan->exp->axis[axis].count; v++) {
        struct weir_cell other = { .reading = cell->reading };
        uint8_t at[WEIR_AXES_MAX];
        memcpy(at, value, sizeof(at));
        at[axis] = (uint8_t)v;
        measure(c, &other, at);
        if (v != value[axis])
            weir_cell_add_runs(cell, &other);
        if (other.measured.state == WEIR_VALUE_NUMBER &&
            (best.state != WEIR_VALUE_NUMBER ||
             (c->spec->best_is_most ? other.measured.lo > best.lo : other.measured.lo < best.lo)))
            best = other.measured;
    }
    return best;
}

/* Replaces the number of a case by the quotient of the number at of_value and this one, or by the reduction. Adds the
 * runs at of_value to the counts of the cell. */
static void divide_of(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    struct weir_cell of = { .reading = cell->reading };
    uint8_t at[WEIR_AXES_MAX];
    memcpy(at, value, sizeof(at));
    at[c->spec->of_axis] = (uint8_t)c->spec->of_value;
    measure(c, &of, at);
    weir_cell_add_runs(cell, &of);
    cell->measured = c->spec->reduction ? weir_reduction(&of.measured, &cell->measured)
                                        : weir_quotient(&of.measured, &cell->measured);
    cell->averaged = 0; /* least and most are of the divisor alone */
    cell->at = NULL;
}

/* Measures a case, and divides the number at of_value by it if the table has relative_of or reduction_of. */
static void measure_quotient(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    measure(c, cell, value);
    if (c->spec->of_axis != WEIR_AXIS_NONE)
        divide_of(c, cell, value);
}

/* Sets cell->measured to 100 if the numbers rise strictly along spec->order[], from each rank to the next, else to 0.
 * The state is MISSING if one of these values has no done run. A value whose runs give no number, or an unstable one,
 * counts as infinite. */
static void measure_order(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    double below = -HUGE_VAL, most = -HUGE_VAL; /* the largest number of the rank before, and up to here */
    bool rising = true, missing = false;
    uint8_t at[WEIR_AXES_MAX];
    memcpy(at, value, sizeof(at));
    for (uint32_t i = 0; i < c->spec->order_count; i++) {
        struct weir_cell one = { .reading = cell->reading };
        at[c->spec->order_axis] = c->spec->order[i];
        measure_quotient(c, &one, at);
        weir_cell_add_runs(cell, &one);
        double number = one.measured.state == WEIR_VALUE_NUMBER ? one.measured.lo : HUGE_VAL;
        missing = missing || one.measured.state == WEIR_VALUE_MISSING;
        if (i > 0 && c->spec->order_rank[i] != c->spec->order_rank[i - 1])
            below = most;
        rising = rising && below < number;
        most = fmax(most, number);
    }
    cell->measured = (struct weir_value){ .state = missing ? WEIR_VALUE_MISSING : WEIR_VALUE_NUMBER };
    if (!missing)
        cell->measured.lo = cell->measured.hi = rising ? 100 : 0;
}

void weir_case_measure(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value)
{
    struct weir_value best;
    if (c->spec->order_axis != WEIR_AXIS_NONE) {
        measure_order(c, cell, value);
        return;
    }
    measure_quotient(c, cell, value);
    if (c->spec->best_axis == WEIR_AXIS_NONE)
        return;
    best = find_best(c, cell, value);
    if (cell->measured.state == WEIR_VALUE_NUMBER || cell->measured.state == WEIR_VALUE_UNSTABLE)
        cell->measured = weir_quotient(&cell->measured, &best);
    cell->at = NULL; /* a quotient belongs to two runs */
}
