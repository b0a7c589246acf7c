/* src/results/reproduce/spec.h - reads the tables of a figure: what is read off runs, and what it is compared with. */
#ifndef WEIR_REPRODUCE_SPEC_H
#define WEIR_REPRODUCE_SPEC_H
#include "reproduce/experiment.h"

/* Reads one item of a figure's `tables`. */
int weir_spec_read(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                   struct weir_err *err);

/* Reads `tables` of a figure. */
int weir_spec_tables(struct weir_experiment *exp, const struct weir_tree *list, struct weir_figure *figure,
                     struct weir_err *err);
#endif
