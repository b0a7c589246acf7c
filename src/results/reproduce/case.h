/* src/results/reproduce/case.h - cases of a table: the numbers of its runs, before the mean along axes is taken. A case
 * is given by a value on each axis, as in struct weir_cell. */
#ifndef WEIR_REPRODUCE_CASE_H
#define WEIR_REPRODUCE_CASE_H
#include "reproduce/cell.h"

struct weir_cases { /* of one table */
    const struct weir_plan *plan;
    const struct weir_figure *figure;
    const struct weir_table_spec *spec;
    const struct weir_measured *measured;
};

/* Tests whether the table is about a point. */
bool weir_case_counts(const struct weir_cases *c, const struct weir_point *p);

/* Finds the case that the number of a run belongs to. */
void weir_case_of(const struct weir_cases *c, const struct weir_point *p, uint8_t *value);

/* Tests whether a point is one of the case. */
bool weir_case_has(const struct weir_cases *c, const struct weir_point *p, const uint8_t *value);

/* Measures a case, cell->reading of it: a run's number, the largest or the mean of several. Where the table wants it,
 * the number is divided by the best, or is 100 if numbers are in order. Fills `measured`, and what is known about its
 * runs. */
void weir_case_measure(const struct weir_cases *c, struct weir_cell *cell, const uint8_t *value);

/* Adds the runs of another cell, which the first depends on. */
void weir_cell_add_runs(struct weir_cell *cell, const struct weir_cell *other);
#endif
