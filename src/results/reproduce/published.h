/* src/results/reproduce/published.h - the published numbers of a paper, from CSV files. Columns are `metric`, `value`,
 * and one for each axis that distinguishes rows: an empty field there stands for every value of the axis. `reading`
 * distinguishes the values of one table. `id` names the printed number, so that it counts once however many rows and
 * tables it is in; `kind` says whether the paper printed it. `unit` and `source` are for people; Weir ignores them. */
#ifndef WEIR_REPRODUCE_PUBLISHED_H
#define WEIR_REPRODUCE_PUBLISHED_H
#include "reproduce/experiment.h"

enum weir_value_state {
    WEIR_VALUE_NUMBER,
    WEIR_VALUE_UNSTABLE, /* published as "unstable", or measured to be so */
    WEIR_VALUE_NONE,     /* nothing was published, or it does not apply; or the run has no such number: no message of
                            that size */
    WEIR_VALUE_MISSING,  /* of measured numbers only: the run is not done */
};

struct weir_value {
    enum weir_value_state state;
    double lo, hi; /* equal; or the ends of a range, "696..747" */
};

enum weir_number_kind {
    WEIR_NUMBER_PRINTED, /* a number, or a bound as a range, that the paper prints */
    WEIR_NUMBER_ORDER,   /* an order that the paper states: 100 = it holds, 0 = it does not */
    WEIR_NUMBER_DERIVED, /* computed by us from the paper's equations: checks the model, not the paper's numbers */
};

struct weir_printed { /* a row of a file of published numbers */
    struct weir_value value;
    const char *id; /* NULL = the file has no ids */
    enum weir_number_kind kind;
    const char *file;
    uint32_t line;
};

/**
 * Reads a CSV file of the experiment into memory of the experiment. The axes must have been read.
 * @param file  name of the file, and the position where the file is named
 * @return 0, or a code with err
 */
int weir_published_read(const struct weir_published **published, const struct weir_experiment *exp,
                        const struct weir_tok *file, struct weir_err *err);

/* Checks that the file has a row whose metric is metric->text. Returns 0, or WEIR_E_UNKNOWN with err. */
int weir_published_metric(const struct weir_published *published, const struct weir_tok *metric, struct weir_err *err);

/**
 * Finds the first row that fits.
 * @param reading  label of the reading, "" if the table has one reading
 * @param value    value on every axis, as in struct weir_point. WEIR_AXIS_NONE fits only rows with an empty field there
 * @return NULL = no row fits
 */
const struct weir_printed *weir_published_find(const struct weir_published *published,
                                               const struct weir_experiment *exp, const char *metric,
                                               const char *reading, const uint8_t *value);

/* Returns row i of the file, in its order; NULL = the file has no more rows. */
const struct weir_printed *weir_published_row(const struct weir_published *published, uint32_t i);
#endif
