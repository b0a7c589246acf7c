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

struct weir_experiment_has {  /* what is in the runs of an experiment */
    const char *const *title; /* of each law */
    uint32_t laws;            /* 0 = runs have one law */
    bool jobs, collectives;   /* collectives: of the jobs, some are operations with a bandwidth */
};

/* Extends the table of the usual numbers, if the experiment has it: puts columns of jobs first, and adds a column for
 * the fairness of laws. Then adds a table for each law. @return 0, or a code with err */
int weir_experiment_extend(struct weir_experiment *exp, const struct weir_experiment_has *has, struct weir_err *err);
#endif
