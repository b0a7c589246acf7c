/* src/results/reproduce/published.h - the paper's numbers: CSV files with the columns metric, value, and one for each
 * axis that distinguishes rows. (An empty field stands for every value of the axis.) `reading` is for values of one
 * table; `unit` and `source` are for people. */
#ifndef WEIR_REPRODUCE_PUBLISHED_H
#define WEIR_REPRODUCE_PUBLISHED_H
#include "reproduce/experiment.h"

enum weir_value_state {
    WEIR_VALUE_NUMBER,
    WEIR_VALUE_UNSTABLE, /* printed as "unstable", or measured to be so */
    WEIR_VALUE_NONE,     /* nothing published; or nothing to measure: no message of that size */
    WEIR_VALUE_MISSING,  /* measured only: the run is not there */
};

struct weir_value {
    enum weir_value_state state;
    double lo, hi; /* equal, or a range: "696..747" */
};

/* Reads a file of the experiment, once its axes are known. Its memory is the experiment's.
 * @param file  its name, and where it was named
 * @return 0, or a code with err */
int weir_published_read(const struct weir_published **published, const struct weir_experiment *exp,
                        const struct weir_tok *file, struct weir_err *err);

/* Checks that the file has a row of this metric. Returns 0, or WEIR_E_UNKNOWN with err. */
int weir_published_metric(const struct weir_published *published, const struct weir_tok *metric, struct weir_err *err);

/**
 * Finds a number.
 * @param reading  label of what was measured, "" if the table has one value
 * @param value  the value on every axis, as in struct weir_point; an axis the table takes the largest over is
 * WEIR_AXIS_NONE
 * @return state NONE if the file has no row for it
 */
struct weir_value weir_published_find(const struct weir_published *published, const struct weir_experiment *exp,
                                      const char *metric, const char *reading, const uint8_t *value);
#endif
