/* src/results/reproduce/experiment_load.h - reads an experiment.yaml: its head and its figures, with all that is in
 * them. */
#ifndef WEIR_REPRODUCE_EXPERIMENT_LOAD_H
#define WEIR_REPRODUCE_EXPERIMENT_LOAD_H
#include "reproduce/experiment.h"

/**
 * Reads an experiment. Figures stand in the file's order.
 * @param name  see weir_origin_find()
 * @return 0, or a code with err (file:line:col); exp then needs no free
 */
int weir_experiment_load(struct weir_experiment *exp, const char *name, struct weir_err *err);

/* Reads an experiment from a file of any name, which also names the experiment: "a/net.yaml" is net. */
int weir_experiment_load_file(struct weir_experiment *exp, const char *path, struct weir_err *err);
#endif
