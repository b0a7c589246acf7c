/* src/results/reproduce/spec_choice.h - reads which points a table uses, and how their numbers along an axis become
 * one. */
#ifndef WEIR_REPRODUCE_SPEC_CHOICE_H
#define WEIR_REPRODUCE_SPEC_CHOICE_H
#include "reproduce/experiment.h"

/* Tests whether the numbers of a table are quotients of numbers of several runs, or reductions. */
bool weir_spec_is_quotient(const struct weir_table_spec *spec);

/* Reads `where`, `over`, `average`, `relative_to`, `reduction_to`, `relative_of`, `reduction_of`, `best`, `order`,
 * `mean`, `median`, `most` and `unstable` into *spec. @return 0, or a code with err */
int weir_spec_choice(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                     struct weir_err *err);
#endif
