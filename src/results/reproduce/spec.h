/* src/results/reproduce/spec.h - reads the tables of a figure: the numbers to read from runs, and the published numbers
 * to compare them with. */
#ifndef WEIR_REPRODUCE_SPEC_H
#define WEIR_REPRODUCE_SPEC_H
#include "reproduce/experiment.h"

/* Reads one item of `tables` into *spec. The axes must have been read. @return 0, or a code with err */
int weir_spec_read(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                   struct weir_err *err);

/* Reads the list `tables` into figure->table. The axes must have been read. @return 0, or a code with err */
int weir_spec_tables(struct weir_experiment *exp, const struct weir_tree *list, struct weir_figure *figure,
                     struct weir_err *err);
#endif
