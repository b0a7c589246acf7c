/* src/results/reproduce/cells.c - see cells.h. */
#include "reproduce/cells.h"
#include "reproduce/axes.h"
#include "reproduce/case.h"
#include "reproduce/stats.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fill { /* the table whose cells are computed */
    struct weir_cells *cells;
    struct weir_cases from;
    double *number; /* numbers of the cases of one cell; room for one per point */
};

/* --- the list of cells --- */

static void position_of(const struct weir_cases *c, const struct weir_point *p, uint8_t *value)
{
    weir_case_of(c, p, value);
    for (uint32_t a = 0; a < c->plan->exp->axis_count; a++)
        if (c->spec->folds[a])
            value[a] = WEIR_AXIS_NONE;
}

static bool has_cell(const struct weir_cells *cells, const uint8_t *value)
{
    for (uint32_t i = 0; i < cells->count; i++)
        if (memcmp(cells->cell[i].value, value, WEIR_AXES_MAX) == 0)
            return true;
    return false;
}

/* Gives the cells of a table with `average` room for the numbers of their runs. A cell that is a quotient, or that has
 * several cases, has none. */
static int keep_numbers(const struct fill *f, struct weir_err *err)
{
    const struct weir_table_spec *spec = f->from.spec;
    uint32_t of_cell;
    double *number;
    if (spec->average == WEIR_AXIS_NONE || spec->fold != WEIR_CASES_APART || spec->base_axis != WEIR_AXIS_NONE ||
        spec->best_axis != WEIR_AXIS_NONE || spec->order_axis != WEIR_AXIS_NONE)
        return 0;
    of_cell = f->from.plan->exp->axis[spec->average].count + 1; /* and one run without a value on the axis */
    number = weir_tree_arena_take(f->from.plan->exp->arena, ((size_t)f->cells->count * of_cell + 1) * sizeof(*number));
    if (number == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < f->cells->count; i++)
        f->cells->cell[i].number = number + (size_t)i * of_cell;
    return 0;
}

static void list_cells(struct fill *f)
{
    const struct weir_cases *c = &f->from;
    for (uint32_t i = 0; i < c->plan->point_count; i++) {
        const struct weir_point *p = &c->plan->point[i];
        uint8_t value[WEIR_AXES_MAX];
        if (!weir_case_counts(c, p) || (!p->wanted && p->state != WEIR_POINT_DONE))
            continue; /* not asked for and never run: no row */
        position_of(c, p, value);
        if (c->spec->base_axis != WEIR_AXIS_NONE && value[c->spec->base_axis] == c->spec->base_value)
            continue;
        if (has_cell(f->cells, value))
            continue;
        for (uint32_t r = 0; r < c->spec->reading_count; r++) {
            struct weir_cell *cell = &f->cells->cell[f->cells->count++];
            memcpy(cell->value, value, sizeof(value));
            cell->reading = r;
        }
    }
}

/* Sets varies[] for the axes whose labels a table shows. These are the axes on which the points of the table differ,
 * whether they were run or not, and the axis of the protocols. In a sweep, also sets varies[] for every axis with
 * several values, because the user may have chosen only some points. */
static void find_varying(const struct fill *f)
{
    const struct weir_cases *c = &f->from;
    uint8_t first[WEIR_AXES_MAX], value[WEIR_AXES_MAX];
    bool any = false;
    for (uint32_t i = 0; i < c->plan->point_count; i++) {
        if (!weir_case_counts(c, &c->plan->point[i]))
            continue;
        position_of(c, &c->plan->point[i], any ? value : first);
        for (uint32_t a = 0; a < c->plan->exp->axis_count && any; a++)
            f->cells->varies[a] = f->cells->varies[a] || value[a] != first[a];
        any = true;
    }
    for (uint32_t a = 0; a < c->plan->exp->axis_count && any; a++) {
        const struct weir_axis *axis = &c->plan->exp->axis[a];
        if (first[a] != WEIR_AXIS_NONE &&
            (axis->value[0].protocol != NULL || (c->plan->exp->implied && axis->count > 1)))
            f->cells->varies[a] = true;
    }
}

/* Returns the published row of a reading for the values value[]; NULL = there is none. */
static const struct weir_printed *published_at(const struct weir_cases *c, uint32_t reading, const uint8_t *value)
{
    if (c->spec->published == NULL)
        return NULL;
    return weir_published_find(c->spec->published, c->plan->exp, c->spec->published_metric,
                               c->spec->reading[reading].label, value);
}

/* --- several cases in a cell --- */

/* Tests whether a point before point i belongs to the case value[]. */
static bool is_repeated(const struct weir_cases *c, uint32_t i, const uint8_t *value)
{
    for (uint32_t j = 0; j < i; j++)
        if (weir_case_has(c, &c->plan->point[j], value))
            return true;
    return false;
}

/* Calls call() once for each case of the cell whose values are value[]. */
static void each_case(const struct fill *f, const uint8_t *value,
                      void (*call)(const struct fill *, void *, const uint8_t *), void *ctx)
{
    for (uint32_t i = 0; i < f->from.plan->point_count; i++) {
        const struct weir_point *p = &f->from.plan->point[i];
        uint8_t at[WEIR_AXES_MAX], position[WEIR_AXES_MAX];
        if (!weir_case_counts(&f->from, p))
            continue;
        weir_case_of(&f->from, p, at);
        position_of(&f->from, p, position);
        if (memcmp(position, value, sizeof(position)) == 0 && !is_repeated(&f->from, i, at))
            call(f, ctx, at);
    }
}

/* Adds one case to the cell ctx: its runs to the counts of runs, and 1 to cases_of. If the case has a number, also
 * appends it to f->number[]. An unstable case has none, so it counts only if no case has: then the cell is unstable. */
static void add_case(const struct fill *f, void *ctx, const uint8_t *value)
{
    struct weir_cell *cell = ctx, one = { .reading = cell->reading };
    weir_case_measure(&f->from, &one, value);
    weir_cell_add_runs(cell, &one);
    cell->cases_of++;
    if (one.measured.state == WEIR_VALUE_NUMBER) {
        f->number[cell->cases++] = one.measured.lo;
        cell->measured.state = WEIR_VALUE_NUMBER;
    } else if (one.measured.state < cell->measured.state) {
        cell->measured.state = one.measured.state;
    }
}

/* Returns the number of a cell whose cases have the `count` numbers of f->number[]. May sort them. count: at least 1 */
static double fold(const struct fill *f, uint32_t count)
{
    switch (f->from.spec->fold) {
    case WEIR_CASES_MEDIAN:
        return weir_median(f->number, count);
    case WEIR_CASES_MOST:
        return weir_largest(f->number, count);
    default:
        return weir_mean(f->number, count);
    }
}

/* Sets cell->measured for the values value[], before the division by the base: the number of a case, or the mean, the
 * median or the largest of several. */
static void gather(const struct fill *f, struct weir_cell *cell, const uint8_t *value)
{
    const struct weir_table_spec *spec = f->from.spec;
    if (spec->fold == WEIR_CASES_APART) {
        weir_case_measure(&f->from, cell, value);
        return;
    }
    cell->measured = (struct weir_value){ .state = WEIR_VALUE_MISSING };
    each_case(f, value, add_case, cell);
    if (cell->cases > 0)
        cell->measured.lo = cell->measured.hi = fold(f, cell->cases);
    if (spec->fold == WEIR_CASES_MEDIAN && cell->cases > 0) { /* weir_median() has sorted the numbers */
        cell->least = f->number[0];
        cell->most = f->number[cell->cases - 1];
    }
}

struct published_cases {
    uint32_t reading, count;
    struct weir_value sum, largest; /* of the lower ends of their ranges, and of the upper ends */
};

static void add_published(const struct fill *f, void *ctx, const uint8_t *value)
{
    struct published_cases *cases = ctx;
    const struct weir_printed *row = published_at(&f->from, cases->reading, value);
    if (row == NULL || row->value.state != WEIR_VALUE_NUMBER)
        return;
    bool first = cases->count++ == 0;
    cases->sum.lo += row->value.lo;
    cases->sum.hi += row->value.hi;
    cases->largest.lo = first ? row->value.lo : fmax(cases->largest.lo, row->value.lo);
    cases->largest.hi = first ? row->value.hi : fmax(cases->largest.hi, row->value.hi);
}

/* Returns the published number for the values value[], and sets *printed to its row. If no such number was published,
 * sets *printed to NULL. Then a table with `mean` or `median` returns the mean of the numbers that were published for
 * the cases, and a table with `most` returns the largest of them. */
static struct weir_value gather_published(const struct fill *f, uint32_t reading, const uint8_t *value,
                                          const struct weir_printed **printed)
{
    const struct weir_table_spec *spec = f->from.spec;
    struct published_cases cases = { .reading = reading };
    *printed = published_at(&f->from, reading, value);
    if (*printed != NULL)
        return (*printed)->value;
    if (spec->fold != WEIR_CASES_APART && spec->published != NULL)
        each_case(f, value, add_published, &cases);
    if (cases.count == 0)
        return (struct weir_value){ .state = WEIR_VALUE_NONE };
    if (spec->fold == WEIR_CASES_MOST)
        return cases.largest;
    cases.sum.lo /= cases.count;
    cases.sum.hi /= cases.count;
    return cases.sum;
}

/* --- a cell --- */

/* Tests whether the cell is a main reading, by the key `main` of the table. */
static bool is_main(const struct weir_table_spec *spec, const struct weir_cell *cell)
{
    return !spec->main_none &&
           (spec->main_value == NULL || strcmp(spec->main_value, spec->reading[cell->reading].label) == 0) &&
           weir_experiment_chosen(spec->main_filters, spec->main_where, cell->value);
}

/* Sets what the cell counts as. A number that is computed from several rows was not printed, so it is another reading
 * of them. */
static void classify(const struct weir_table_spec *spec, struct weir_cell *cell)
{
    static const enum weir_cell_class class_of[] = {
        [WEIR_NUMBER_PRINTED] = WEIR_CLASS_PRINTED,
        [WEIR_NUMBER_ORDER] = WEIR_CLASS_ORDER,
        [WEIR_NUMBER_DERIVED] = WEIR_CLASS_MODEL,
    };
    cell->class = cell->printed != NULL && is_main(spec, cell) ? class_of[cell->printed->kind] : WEIR_CLASS_VARIANT;
}

/* Fills the cell but for its verdict. Returns the published row if one row is on both sides of the quotient, so that
 * the published quotient would be 1 whatever was printed; else NULL. */
static const struct weir_printed *fill_cell(const struct fill *f, struct weir_cell *cell)
{
    const struct weir_table_spec *spec = f->from.spec;
    struct weir_value (*compare)(const struct weir_value *, const struct weir_value *) =
        spec->reduction ? weir_reduction : weir_quotient;
    bool each = spec->reading[cell->reading].each != NULL;
    struct weir_cell base = { .reading = cell->reading };
    struct weir_value published;
    gather(f, cell, cell->value);
    cell->published = gather_published(f, cell->reading, cell->value, &cell->printed);
    if (spec->base_axis == WEIR_AXIS_NONE)
        return NULL;
    memcpy(base.value, cell->value, sizeof(base.value));
    base.value[spec->base_axis] = (uint8_t)spec->base_value;
    gather(f, &base, base.value);
    published = gather_published(f, cell->reading, base.value, &base.printed);
    if (base.printed != NULL && base.printed == cell->printed)
        return base.printed;
    if (!each)
        cell->measured = compare(&cell->measured, &base.measured);
    /* If no number was published for the base, the published number is the quotient itself: "25 % more than
     * without". A quotient by a case that is unstable in print is no number. */
    if (published.state == WEIR_VALUE_UNSTABLE)
        cell->published = (struct weir_value){ .state = WEIR_VALUE_NONE };
    else if (published.state != WEIR_VALUE_NONE)
        cell->published = compare(&cell->published, &published);
    if (published.state != WEIR_VALUE_NONE)
        cell->printed = NULL;
    weir_cell_add_runs(cell, &base);
    cell->at = NULL;
    if (!each)
        cell->averaged = 0; /* least and most describe the numerator only */
    return NULL;
}

/* --- verdicts --- */

/* Tests whether the band contains spec->no_effect, so that the cell would pass even if the mechanism had no effect. A
 * quotient of a run and itself is such a cell, too. */
static bool is_weak(const struct weir_table_spec *spec, const struct weir_cell *cell)
{
    double away = spec->reduction ? weir_deviation_points(spec->no_effect, &cell->published)
                                  : weir_deviation_percent(spec->no_effect, &cell->published);
    return spec->has_no_effect && fabs(away) * 1e4 <= (double)spec->band_ppm;
}

/* Sets deviation and verdict of a cell; see enum weir_cell_verdict. If all runs are done and give no number, a checked
 * cell is outside the band. */
static void judge(const struct fill *f, struct weir_cell *cell)
{
    const struct weir_table_spec *spec = f->from.spec;
    const struct weir_value *m = &cell->measured, *p = &cell->published;
    bool checked = spec->band_ppm > 0 && f->cells->comparable && !cell->is_sampled && cell->runs_done == cell->runs;
    bool is_there = m->state == WEIR_VALUE_NUMBER || m->state == WEIR_VALUE_UNSTABLE, within, weak = false;
    if (p->state == WEIR_VALUE_NONE || (!is_there && !checked))
        return;
    if (m->state == WEIR_VALUE_NUMBER && p->state == WEIR_VALUE_NUMBER) {
        cell->deviation_percent = spec->reduction ? weir_deviation_points(m->lo, p) : weir_deviation_percent(m->lo, p);
        cell->has_deviation = isfinite(cell->deviation_percent); /* infinite if the published number is 0 */
        within = fabs(cell->deviation_percent) * 1e4 <= (double)spec->band_ppm;
        weak = within && is_weak(spec, cell);
    } else {
        within = m->state == p->state;
    }
    cell->verdict = !checked ? WEIR_CELL_SHOWN : weak ? WEIR_CELL_WEAK : within ? WEIR_CELL_WITHIN : WEIR_CELL_OUTSIDE;
}

int weir_cells_make(struct weir_cells *cells, const struct weir_plan *plan, const struct weir_figure *figure,
                    const struct weir_table_spec *spec, const struct weir_measured *measured, struct weir_err *err)
{
    struct fill f = { .cells = cells, .from = { plan, figure, spec, measured } };
    *cells = (struct weir_cells){ .figure = figure, .spec = spec };
    cells->comparable = !spec->peak || plan->measure_ppm >= 1000000;
    cells->cell = weir_tree_arena_take(plan->exp->arena,
                                       (size_t)(plan->point_count + 1) * spec->reading_count * sizeof(*cells->cell));
    f.number = weir_tree_arena_take(plan->exp->arena, (size_t)(plan->point_count + 1) * sizeof(*f.number));
    if (cells->cell == NULL || f.number == NULL)
        return weir_fail_memory(err);
    list_cells(&f);
    find_varying(&f);
    if (keep_numbers(&f, err) != 0)
        return (int)err->code;
    for (uint32_t i = 0; i < cells->count; i++) {
        const struct weir_printed *both = fill_cell(&f, &cells->cell[i]);
        if (both != NULL)
            return weir_fail(err, WEIR_E_CONFLICT, &(struct weir_tok){ .file = both->file, .line = both->line },
                             "name the side of the quotient that the number is of in the column of that axis",
                             "%.40s %.40s: the row fits both sides of the quotient, whose published value is then 1",
                             figure->name, spec->name);
        classify(spec, &cells->cell[i]);
        judge(&f, &cells->cell[i]);
    }
    return 0;
}
