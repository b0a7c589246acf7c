/* src/results/reproduce/seeds.h - `seeds` of an experiment: one more axis, whose values are seeds. */
#ifndef WEIR_REPRODUCE_SEEDS_H
#define WEIR_REPRODUCE_SEEDS_H
#include "reproduce/experiment.h"

#define WEIR_SEED_AXIS "seed" /* the axis's name */

/* Reads `seeds` into an axis behind the others; adds none if there are no `seeds`. */
int weir_experiment_seeds(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);
#endif
