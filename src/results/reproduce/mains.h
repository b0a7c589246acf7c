/* src/results/reproduce/mains.h - checks that every printed number counts once: it has one main reading. */
#ifndef WEIR_REPRODUCE_MAINS_H
#define WEIR_REPRODUCE_MAINS_H
#include "reproduce/cells.h"

/**
 * Checks the tables of an experiment: each id of a printed number or order has exactly one cell that is its main
 * reading. Ids whose value is `none` need none.
 * @param cells  count tables with published numbers, from all figures of the experiment
 * @return 0, or WEIR_E_CONFLICT with err, which names the row of the published file
 */
int weir_mains_check(const struct weir_plan *plan, const struct weir_cells *const *cells, uint32_t count,
                     struct weir_err *err);

/* Checks the same of an experiment that was loaded, without any runs. Returns 0, or a code with err. */
int weir_mains_of(struct weir_experiment *exp, struct weir_err *err);
#endif
