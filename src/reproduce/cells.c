/* src/reproduce/cells.c - see cells.h. */
#include "reproduce/cells.h"
#include "reproduce/stats.h"
#include "store/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fill { /* one table being filled */
    struct weir_cells *cells;
    const struct weir_plan *plan;
    const struct weir_table_spec *spec;
    const struct weir_measured *measured;
    double *number; /* of the cases of a place, for their median; one for each point fits */
};

/* --- which cells there are --- */

/* Tests whether the table is about a point. */
static bool counts(const struct fill *f, const struct weir_point *p)
{
    return p->figure == f->cells->figure->runs && weir_plan_counts(f->plan->exp, f->spec, p->value);
}

/* Finds the case of a run: its values on the axes before the table's mean is taken. */
static void case_of(const struct fill *f, const struct weir_point *p, uint8_t *value)
{
    memcpy(value, p->value, WEIR_AXES_MAX);
    if (f->spec->over != WEIR_AXIS_NONE)
        value[f->spec->over] = WEIR_AXIS_NONE;
    if (f->spec->average != WEIR_AXIS_NONE)
        value[f->spec->average] = WEIR_AXIS_NONE;
    if (f->spec->order_axis != WEIR_AXIS_NONE)
        value[f->spec->order_axis] = WEIR_AXIS_NONE;
}

static void position_of(const struct fill *f, const struct weir_point *p, uint8_t *value)
{
    case_of(f, p, value);
    for (uint32_t a = 0; a < f->plan->exp->axis_count; a++)
        if (f->spec->mean[a])
            value[a] = WEIR_AXIS_NONE;
}

static bool has_cell(const struct weir_cells *cells, const uint8_t *value)
{
    for (uint32_t i = 0; i < cells->count; i++)
        if (memcmp(cells->cell[i].value, value, WEIR_AXES_MAX) == 0)
            return true;
    return false;
}

static void list_cells(struct fill *f)
{
    for (uint32_t i = 0; i < f->plan->point_count; i++) {
        const struct weir_point *p = &f->plan->point[i];
        uint8_t value[WEIR_AXES_MAX];
        if (!counts(f, p) || (!p->wanted && p->state != WEIR_POINT_DONE))
            continue; /* not asked for and never run: no row */
        position_of(f, p, value);
        if (f->spec->base_axis != WEIR_AXIS_NONE && value[f->spec->base_axis] == f->spec->base_value)
            continue;
        if (has_cell(f->cells, value))
            continue;
        for (uint32_t r = 0; r < f->spec->reading_count; r++) {
            struct weir_cell *cell = &f->cells->cell[f->cells->count++];
            memcpy(cell->value, value, sizeof(value));
            cell->reading = r;
        }
    }
}

/* Finds the axes that are shown. An axis is if the figure has several values of it, whichever of them have been run;
 * that of the protocols always. So is what a sweep varies where only some of its points were chosen. */
static void find_varying(const struct fill *f)
{
    uint8_t first[WEIR_AXES_MAX], value[WEIR_AXES_MAX];
    bool any = false;
    for (uint32_t i = 0; i < f->plan->point_count; i++) {
        if (!counts(f, &f->plan->point[i]))
            continue;
        position_of(f, &f->plan->point[i], any ? value : first);
        for (uint32_t a = 0; a < f->plan->exp->axis_count && any; a++)
            f->cells->varies[a] = f->cells->varies[a] || value[a] != first[a];
        any = true;
    }
    for (uint32_t a = 0; a < f->plan->exp->axis_count && any; a++) {
        const struct weir_axis *axis = &f->plan->exp->axis[a];
        if (first[a] != WEIR_AXIS_NONE &&
            (axis->value[0].protocol != NULL || (f->plan->exp->implied && axis->count > 1)))
            f->cells->varies[a] = true;
    }
}

/* --- what was measured --- */

static bool is_at(const struct fill *f, const struct weir_point *p, const uint8_t *value)
{
    uint8_t own[WEIR_AXES_MAX];
    if (!counts(f, p))
        return false;
    case_of(f, p, own);
    if (f->spec->order_axis != WEIR_AXIS_NONE && value[f->spec->order_axis] != WEIR_AXIS_NONE)
        own[f->spec->order_axis] = p->value[f->spec->order_axis]; /* asked for one of those that are in order */
    return memcmp(own, value, sizeof(own)) == 0;
}

static struct weir_value read_path(const struct fill *f, const struct weir_point *p, const char *path)
{
    const struct weir_reading reading = { .path = path };
    return f->measured->read(f->measured->ctx, p, &reading);
}

/* Tests whether an unstable run's number does not count. */
static bool is_out(const struct fill *f, const struct weir_point *p, bool stable)
{
    struct weir_value growth;
    if (stable || f->spec->unstable == WEIR_UNSTABLE_KEEP)
        return false;
    if (f->spec->unstable == WEIR_UNSTABLE_OUT)
        return true;
    growth = read_path(f, p, "growth:tor_queue_mean");
    return growth.state == WEIR_VALUE_NUMBER && growth.lo * 1e6 > (double)f->spec->growth_ppm;
}

/* Tests whether a run's number replaces the one in the cell: the larger does; where unstable runs are left out, any
 * stable one does. */
static bool replaces(const struct weir_table_spec *spec, const struct weir_value *old, const struct weir_value *new)
{
    if (old->state != WEIR_VALUE_NUMBER && old->state != WEIR_VALUE_UNSTABLE)
        return true;
    if (spec->unstable == WEIR_UNSTABLE_OUT && old->state != new->state)
        return new->state == WEIR_VALUE_NUMBER;
    return new->lo > old->lo;
}

/* Converts a number into the units of the table. */
static double scaled(const struct fill *f, const struct weir_point *p, const struct weir_reading *reading, double value)
{
    uint32_t per = reading->per, less = reading->less;
    value /= (double)reading->divide;
    if (per != WEIR_AXIS_NONE && p->value[per] != WEIR_AXIS_NONE)
        value /= strtod(f->plan->exp->axis[per].value[p->value[per]].label, NULL);
    if (less != WEIR_AXIS_NONE && p->value[less] != WEIR_AXIS_NONE)
        value -= strtod(f->plan->exp->axis[less].value[p->value[less]].label, NULL);
    return value;
}

/* Adds a run to a mean, which counts as unstable if one of its runs does. The cell has the sum for now: measure()
 * divides. Squares by Welford's rule (1962). */
static void add_run(struct weir_cell *cell, const struct weir_value *v, bool stable)
{
    bool first = cell->averaged++ == 0;
    double off = first ? 0 : v->lo - cell->measured.lo / (cell->averaged - 1);
    cell->squares += off * off * (cell->averaged - 1) / cell->averaged;
    cell->least = first || v->lo < cell->least ? v->lo : cell->least;
    cell->most = first || v->lo > cell->most ? v->lo : cell->most;
    cell->at_unstable = cell->at_unstable || !stable;
    cell->unstable += !stable;
    cell->measured.lo = cell->measured.hi = v->lo + (first ? 0 : cell->measured.lo);
    if (first || v->state == WEIR_VALUE_UNSTABLE)
        cell->measured.state = v->state;
}

/* Returns the run that a quotient of p has as denominator; NULL = there is none. */
static const struct weir_point *base_of(const struct fill *f, const struct weir_point *p)
{
    uint8_t value[WEIR_AXES_MAX];
    memcpy(value, p->value, sizeof(value));
    value[f->spec->base_axis] = (uint8_t)f->spec->base_value;
    for (uint32_t i = 0; i < f->plan->point_count; i++)
        if (f->plan->point[i].figure == p->figure && memcmp(f->plan->point[i].value, value, sizeof(value)) == 0)
            return &f->plan->point[i];
    return NULL;
}

/* Reads a number of a run. A number of jobs or coflows is a quotient already, if the table wants one. */
static struct weir_value read_run(const struct fill *f, const struct weir_point *p, const struct weir_reading *reading)
{
    const struct weir_point *base;
    if (reading->each == NULL || f->spec->base_axis == WEIR_AXIS_NONE)
        return f->measured->read(f->measured->ctx, p, reading);
    base = base_of(f, p);
    if (base == NULL || base->state != WEIR_POINT_DONE)
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    return f->measured->compare(f->measured->ctx, p, base, reading);
}

/* Adds a run to the cell. An unstable number is kept next to "unstable": it shows how far off it is. */
static void take_run(const struct fill *f, struct weir_cell *cell, const struct weir_point *p)
{
    bool stable = read_path(f, p, "stable").lo != 0;
    const struct weir_reading *reading = &f->spec->reading[cell->reading];
    struct weir_value v = read_run(f, p, reading);
    cell->runs_done++;
    if (v.state != WEIR_VALUE_NUMBER) {
        if (cell->measured.state == WEIR_VALUE_MISSING)
            cell->measured.state = WEIR_VALUE_NONE;
        return;
    }
    v.lo = v.hi = scaled(f, p, reading, v.lo);
    v.state = is_out(f, p, stable) ? WEIR_VALUE_UNSTABLE : WEIR_VALUE_NUMBER;
    if (f->spec->average != WEIR_AXIS_NONE) {
        add_run(cell, &v, stable);
        return;
    }
    if (!replaces(f->spec, &cell->measured, &v))
        return;
    cell->measured = v;
    cell->at = p;
    cell->at_unstable = !stable;
}

static void measure(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    cell->measured = (struct weir_value){ .state = WEIR_VALUE_MISSING };
    cell->runs = cell->runs_done = cell->averaged = cell->unstable = 0;
    cell->squares = cell->half_width = 0;
    for (uint32_t i = 0; i < f->plan->point_count; i++) {
        const struct weir_point *p = &f->plan->point[i];
        if (!is_at(f, p, value))
            continue;
        cell->runs++;
        if (p->not_built != NULL)
            cell->not_built = p->not_built;
        if (p->state == WEIR_POINT_DONE)
            take_run(f, cell, p);
    }
    if (cell->averaged > 0)
        cell->measured.lo = cell->measured.hi = cell->measured.lo / cell->averaged;
    if (cell->averaged >= WEIR_INTERVAL_RUNS_MIN)
        cell->half_width = weir_half_width_95(cell->squares, cell->averaged);
}

static struct weir_value published_at(const struct fill *f, uint32_t reading, const uint8_t *value)
{
    if (f->spec->published == NULL)
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    return weir_published_find(f->spec->published, f->plan->exp, f->spec->published_metric,
                               f->spec->reading[reading].label, value);
}

/* Returns a / b; unstable or missing where either is. */
static struct weir_value quotient(const struct weir_value *a, const struct weir_value *b)
{
    struct weir_value q = { .state = a->state > b->state ? a->state : b->state };
    if (q.state == WEIR_VALUE_NUMBER && b->lo > 0) {
        q.lo = a->lo / b->hi;
        q.hi = a->hi / b->lo;
    } else if (q.state == WEIR_VALUE_NUMBER) {
        q.state = WEIR_VALUE_NONE;
    }
    return q;
}
_Static_assert(WEIR_VALUE_MISSING > WEIR_VALUE_NONE && WEIR_VALUE_NONE > WEIR_VALUE_UNSTABLE,
               "quotient() takes the larger state");

/* --- compared with the best, and the mean of cases --- */

static void add_runs(struct weir_cell *cell, const struct weir_cell *other)
{
    cell->runs += other->runs;
    cell->runs_done += other->runs_done;
    if (cell->not_built == NULL)
        cell->not_built = other->not_built;
}

/* Finds the best stable number along the axis; NONE or MISSING if there is none. Adds all runs that it might be of to
 * the cell's. */
static struct weir_value find_best(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    const uint32_t axis = f->spec->best_axis;
    struct weir_value best = { .state = WEIR_VALUE_MISSING };
    for (uint32_t v = 0; v < f->plan->exp->axis[axis].count; v++) {
        struct weir_cell other = { .reading = cell->reading };
        uint8_t at[WEIR_AXES_MAX];
        memcpy(at, value, sizeof(at));
        at[axis] = (uint8_t)v;
        measure(f, &other, at);
        if (v != value[axis])
            add_runs(cell, &other);
        if (other.measured.state == WEIR_VALUE_NUMBER &&
            (best.state != WEIR_VALUE_NUMBER ||
             (f->spec->best_is_most ? other.measured.lo > best.lo : other.measured.lo < best.lo)))
            best = other.measured;
    }
    return best;
}

/* Gives 100 if the numbers rise from each to the next, else 0. A number that a run does not have counts as later than
 * all others: a mark never reached. */
static void measure_order(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    double last = -HUGE_VAL;
    bool rising = true, missing = false;
    uint8_t at[WEIR_AXES_MAX];
    memcpy(at, value, sizeof(at));
    for (uint32_t i = 0; i < f->spec->order_count; i++) {
        struct weir_cell one = { .reading = cell->reading };
        at[f->spec->order_axis] = f->spec->order[i];
        measure(f, &one, at);
        add_runs(cell, &one);
        double number = one.measured.state == WEIR_VALUE_NUMBER ? one.measured.lo : HUGE_VAL;
        missing = missing || one.measured.state == WEIR_VALUE_MISSING;
        rising = rising && last < number;
        last = number;
    }
    cell->measured = (struct weir_value){ .state = missing ? WEIR_VALUE_MISSING : WEIR_VALUE_NUMBER };
    if (!missing)
        cell->measured.lo = cell->measured.hi = rising ? 100 : 0;
}

static void measure_case(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    struct weir_value best;
    if (f->spec->order_axis != WEIR_AXIS_NONE) {
        measure_order(f, cell, value);
        return;
    }
    measure(f, cell, value);
    if (f->spec->best_axis == WEIR_AXIS_NONE)
        return;
    best = find_best(f, cell, value);
    if (cell->measured.state == WEIR_VALUE_NUMBER || cell->measured.state == WEIR_VALUE_UNSTABLE)
        cell->measured = quotient(&cell->measured, &best);
    cell->at = NULL; /* of two runs */
}

/* Tests whether an earlier point belongs to the same case as point i. */
static bool is_repeated(const struct fill *f, uint32_t i, const uint8_t *value)
{
    for (uint32_t j = 0; j < i; j++)
        if (is_at(f, &f->plan->point[j], value))
            return true;
    return false;
}

/* Calls for each case of a position in the table, once. */
static void each_case(const struct fill *f, const uint8_t *value,
                      void (*call)(const struct fill *, void *, const uint8_t *), void *ctx)
{
    for (uint32_t i = 0; i < f->plan->point_count; i++) {
        const struct weir_point *p = &f->plan->point[i];
        uint8_t at[WEIR_AXES_MAX], position[WEIR_AXES_MAX];
        if (!counts(f, p))
            continue;
        case_of(f, p, at);
        position_of(f, p, position);
        if (memcmp(position, value, sizeof(position)) == 0 && !is_repeated(f, i, at))
            call(f, ctx, at);
    }
}

/* Sums up; gather() divides. Unstable cases are counted only. */
static void add_case(const struct fill *f, void *ctx, const uint8_t *value)
{
    struct weir_cell *cell = ctx, one = { .reading = cell->reading };
    measure_case(f, &one, value);
    add_runs(cell, &one);
    cell->cases_of++;
    if (one.measured.state == WEIR_VALUE_NUMBER) {
        f->number[cell->cases++] = one.measured.lo;
        cell->measured.lo += one.measured.lo;
        cell->measured.state = WEIR_VALUE_NUMBER;
    } else if (one.measured.state < cell->measured.state) {
        cell->measured.state = one.measured.state;
    }
}

/* Computes what a cell has before it is divided by another. */
static void gather(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    if (!f->spec->has_mean) {
        measure_case(f, cell, value);
        return;
    }
    cell->measured = (struct weir_value){ .state = WEIR_VALUE_MISSING };
    each_case(f, value, add_case, cell);
    if (cell->cases > 0)
        cell->measured.lo = f->spec->is_median ? weir_median(f->number, cell->cases) : cell->measured.lo / cell->cases;
    cell->measured.hi = cell->measured.lo;
    if (f->spec->is_median && cell->cases > 0) { /* in order now */
        cell->least = f->number[0];
        cell->most = f->number[cell->cases - 1];
    }
}

struct published_mean {
    uint32_t reading, count;
    struct weir_value sum;
};

static void add_published(const struct fill *f, void *ctx, const uint8_t *value)
{
    struct published_mean *mean = ctx;
    struct weir_value v = published_at(f, mean->reading, value);
    if (v.state == WEIR_VALUE_NUMBER) {
        mean->count++;
        mean->sum.lo += v.lo;
        mean->sum.hi += v.hi;
    }
}

/* Returns what was published of a mean itself; else the mean of what was published of its cases, the stable ones. */
static struct weir_value gather_published(const struct fill *f, uint32_t reading, const uint8_t *value)
{
    struct weir_value own = published_at(f, reading, value);
    struct published_mean mean = { .reading = reading };
    if (!f->spec->has_mean || f->spec->published == NULL || own.state != WEIR_VALUE_NONE)
        return own;
    each_case(f, value, add_published, &mean);
    if (mean.count == 0)
        return own;
    mean.sum.lo /= mean.count;
    mean.sum.hi /= mean.count;
    return mean.sum;
}

/* --- a cell --- */

/* Returns by how many percent a is smaller than b. */
static struct weir_value reduction(const struct weir_value *a, const struct weir_value *b)
{
    struct weir_value q = quotient(a, b), r = { .state = q.state };
    if (q.state == WEIR_VALUE_NUMBER) {
        r.lo = 100 * (1 - q.hi);
        r.hi = 100 * (1 - q.lo);
    }
    return r;
}

static void fill_cell(const struct fill *f, struct weir_cell *cell)
{
    struct weir_value (*compare)(const struct weir_value *, const struct weir_value *) =
        f->spec->reduction ? reduction : quotient;
    bool each = f->spec->reading[cell->reading].each != NULL;
    struct weir_cell base = { .reading = cell->reading };
    struct weir_value published;
    gather(f, cell, cell->value);
    cell->published = gather_published(f, cell->reading, cell->value);
    if (f->spec->base_axis == WEIR_AXIS_NONE)
        return;
    memcpy(base.value, cell->value, sizeof(base.value));
    base.value[f->spec->base_axis] = (uint8_t)f->spec->base_value;
    gather(f, &base, base.value);
    published = gather_published(f, cell->reading, base.value);
    if (!each)
        cell->measured = compare(&cell->measured, &base.measured);
    /* A number that was published for one side alone is the quotient itself: "25 % more than without". */
    if (published.state != WEIR_VALUE_NONE)
        cell->published = compare(&cell->published, &published);
    add_runs(cell, &base);
    cell->at = NULL;
    if (!each)
        cell->averaged = 0; /* least and most are of one side only */
}

/* --- verdicts --- */

/* Tests whether the value of no effect lies in the band. Such a cell cannot fail; nor can a quotient of a run and
 * itself. */
static bool is_weak(const struct fill *f, const struct weir_cell *cell)
{
    double away = f->spec->reduction ? weir_deviation_points(f->spec->no_effect, &cell->published)
                                     : weir_deviation_percent(f->spec->no_effect, &cell->published);
    return f->spec->has_no_effect && fabs(away) * 1e4 <= (double)f->spec->band_ppm;
}

/* Sets deviation and verdict. Where all runs are there, a number that they do not have is no agreement. */
static void judge(const struct fill *f, struct weir_cell *cell)
{
    const struct weir_value *m = &cell->measured, *p = &cell->published;
    bool checked = f->spec->band_ppm > 0 && f->cells->comparable && cell->runs_done == cell->runs;
    bool is_there = m->state == WEIR_VALUE_NUMBER || m->state == WEIR_VALUE_UNSTABLE, within, weak = false;
    if (p->state == WEIR_VALUE_NONE || (!is_there && !checked))
        return;
    if (m->state == WEIR_VALUE_NUMBER && p->state == WEIR_VALUE_NUMBER) {
        cell->deviation_percent =
            f->spec->reduction ? weir_deviation_points(m->lo, p) : weir_deviation_percent(m->lo, p);
        cell->has_deviation = isfinite(cell->deviation_percent); /* of a published 0 there is none */
        within = fabs(cell->deviation_percent) * 1e4 <= (double)f->spec->band_ppm;
        weak = within && is_weak(f, cell);
    } else {
        within = m->state == p->state;
    }
    cell->verdict = !checked ? WEIR_CELL_SHOWN : weak ? WEIR_CELL_WEAK : within ? WEIR_CELL_WITHIN : WEIR_CELL_OUTSIDE;
}

int weir_cells_make(struct weir_cells *cells, const struct weir_plan *plan, const struct weir_figure *figure,
                    const struct weir_table_spec *spec, const struct weir_measured *measured, struct weir_err *err)
{
    struct fill f = { .cells = cells, .plan = plan, .spec = spec, .measured = measured };
    *cells = (struct weir_cells){ .figure = figure, .spec = spec };
    cells->comparable = !spec->peak || plan->scale_ppm >= 1000000;
    cells->cell = weir_tree_arena_take(plan->exp->arena,
                                       (size_t)(plan->point_count + 1) * spec->reading_count * sizeof(*cells->cell));
    f.number = weir_tree_arena_take(plan->exp->arena, (size_t)(plan->point_count + 1) * sizeof(*f.number));
    if (cells->cell == NULL || f.number == NULL)
        return weir_fail_memory(err);
    list_cells(&f);
    find_varying(&f);
    for (uint32_t i = 0; i < cells->count; i++) {
        fill_cell(&f, &cells->cell[i]);
        judge(&f, &cells->cell[i]);
    }
    return 0;
}
