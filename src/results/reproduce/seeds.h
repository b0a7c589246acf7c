/* src/results/reproduce/seeds.h - reads `seeds` of an experiment into one more axis, whose values are seeds. */
#ifndef WEIR_REPRODUCE_SEEDS_H
#define WEIR_REPRODUCE_SEEDS_H
#include "reproduce/experiment.h"

#define WEIR_SEED_AXIS "seed" /* name of that axis */

/* Reads key `seeds` of root into a new last axis; adds none if root has no such key. @return 0, or a code with err */
int weir_experiment_seeds(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);
#endif
