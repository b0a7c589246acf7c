/* src/results/reproduce/short_form.h - reads the short form of an experiment. `scenario` and `set` at the top are for
 * all points. Without `figures` there is one figure of every combination, with the tables at the top, or else a table
 * of the usual numbers. */
#ifndef WEIR_REPRODUCE_SHORT_FORM_H
#define WEIR_REPRODUCE_SHORT_FORM_H
#include "reproduce/experiment.h"

/* Reads `scenario` and `set` at the top of an experiment into exp. @return 0, or a code with err */
int weir_experiment_common(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Makes the only figure of an experiment without `figures`. The axes must have been read. @return 0, or a code with
 * err */
int weir_experiment_imply(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Adds a table for each law of runs with several, if the experiment has the table of the usual numbers. That table gets
 * a column for the fairness of laws. title: of each law, count of them. @return 0, or a code with err */
int weir_experiment_add_laws(struct weir_experiment *exp, const char *const *title, uint32_t count,
                             struct weir_err *err);
#endif
