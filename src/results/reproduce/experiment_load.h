/* src/results/reproduce/experiment_load.h - reads an experiment.yaml: title and settings, axes, and figures with their
 * sweeps and tables. */
#ifndef WEIR_REPRODUCE_EXPERIMENT_LOAD_H
#define WEIR_REPRODUCE_EXPERIMENT_LOAD_H
#include "reproduce/experiment.h"

/**
 * Reads an experiment; the figures keep the order of the file. The caller frees *exp by weir_experiment_free().
 * @param name  as for weir_origin_find(); has to live as long as exp
 * @return 0, or a code with err (file:line:col); exp then needs no free
 */
int weir_experiment_load(struct weir_experiment *exp, const char *name, struct weir_err *err);

/* Reads an experiment from a file of any name. The id is the name without the ending: "a/net.yaml" is net. path has to
 * live as long as exp. @return as weir_experiment_load() */
int weir_experiment_load_file(struct weir_experiment *exp, const char *path, struct weir_err *err);
#endif
