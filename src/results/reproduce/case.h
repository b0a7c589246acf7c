/* src/results/reproduce/case.h - cases of a table. A case is one number, measured from one run or several. A cell has
 * the number of one case, or the mean, the median or the largest of several cases. A case has a value on each axis, as
 * struct weir_cell has. */
#ifndef WEIR_REPRODUCE_CASE_H
#define WEIR_REPRODUCE_CASE_H
#include "reproduce/cell.h"

struct weir_cases { /* a table, and the sources of the numbers of the cases */
    const struct weir_plan *plan;
    const struct weir_figure *figure;
    const struct weir_table_spec *spec;
    const struct weir_measured *measured;
};

/* Tests whether the table has a case of point p. The points of relative_of and reduction_of have none: each case is
 * divided by, or subtracted from, the number of one of them. */
bool weir_case_counts(const struct weir_cases *c, const struct weir_point *p);

/* Fills value[], WEIR_AXES_MAX items, with the case that point p belongs to: the values of p, and WEIR_AXIS_NONE on the
 * axes of `over`, `average` and `order`. */
void weir_case_of(const struct weir_cases *c, const struct weir_point *p, uint8_t *value);

/* Tests whether the table uses point p, and p belongs to the case value[]. If value[] has a value on the axis of
 * `order`, p must have the same one there. */
bool weir_case_has(const struct weir_cases *c, const struct weir_point *p, const uint8_t *value);

/* Measures reading cell->reading for the case value[]: the number of a run, or the largest number or the mean of
 * several runs. Divides by the best number if the table has `best`; sets 100 or 0 if the table has `order`. Sets
 * cell->measured and the fields about the runs. */
void weir_case_measure(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value);

/* Adds the run counts of `other` to those of `cell`, whose number depends on `other`. Copies other->not_built if
 * cell->not_built is NULL. */
void weir_cell_add_runs(struct weir_cell *cell, const struct weir_cell *other);
#endif
