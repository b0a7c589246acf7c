/* src/results/reproduce/short_form.h - what an experiment may write in a shorter form. Scenario and settings stand once
 * for all points. Without figures there is one of every combination, with a table of the usual numbers. */
#ifndef WEIR_REPRODUCE_SHORT_FORM_H
#define WEIR_REPRODUCE_SHORT_FORM_H
#include "reproduce/experiment.h"

/* Reads `scenario` and `set` at the top of an experiment. */
int weir_experiment_common(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Makes the one figure of an experiment that has none, once its axes are known. */
int weir_experiment_imply(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);
#endif
