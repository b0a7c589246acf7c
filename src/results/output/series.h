/* src/results/output/series.h - names and units of the series and histograms of a run in a result file. A series is of
 * the whole network, or of one host, port or flow. */
#ifndef WEIR_OUTPUT_SERIES_H
#define WEIR_OUTPUT_SERIES_H
#include "core/err.h"
#include <stdbool.h>

enum weir_series_of_element { /* series of one element: a host, port or flow */
                              WEIR_SERIES_HOST_GOODPUT,
                              WEIR_SERIES_HOST_CREDIT,
                              WEIR_SERIES_PORT_QUEUE,
                              WEIR_SERIES_FLOW_SENT,
                              WEIR_SERIES_FLOW_GOODPUT,
                              WEIR_SERIES_FLOW_RATE,
                              WEIR_SERIES_FLOW_WINDOW,
                              WEIR_SERIES_OF_ELEMENTS
};

struct weir_series_name {
    const char *name, *unit; /* name: NULL ends a table */
};
extern const struct weir_series_name weir_series_of_element[]; /* by enum weir_series_of_element */
extern const struct weir_series_name weir_histogram_names[];   /* by enum weir_histogram_kind */

enum weir_histogram_kind {
    WEIR_HISTOGRAM_SLOWDOWN,
    WEIR_HISTOGRAM_PAYLOAD,
    WEIR_HISTOGRAM_TOR,
    WEIR_HISTOGRAM_PORT,
    WEIR_HISTOGRAM_KINDS
};

/**
 * Checks that a result file can have a series of this name.
 * @param unit        set to the unit of the series, a constant text; NULL on failure
 * @param of_network  set to true if a run has one series of this name, of the whole network; set to false if it has one
 *                    for each host, port or flow, and on failure
 * @return 0, or WEIR_E_UNKNOWN with err, which suggests similar names
 */
int weir_series_need(const struct weir_tok *name, const char **unit, bool *of_network, struct weir_err *err);

/**
 * Checks that a result file can have a histogram of this name.
 * @param unit  set to the unit of its values, a constant text; NULL on failure
 * @return 0, or WEIR_E_UNKNOWN with err, which suggests similar names
 */
int weir_histogram_need(const struct weir_tok *name, const char **unit, struct weir_err *err);
#endif
