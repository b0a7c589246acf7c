/* src/results/output/series.h - names of what a result file has of a run besides numbers: series over time, of the
 * network and of its hosts, ports and flows, and histograms. */
#ifndef WEIR_OUTPUT_SERIES_H
#define WEIR_OUTPUT_SERIES_H
#include "core/err.h"
#include <stdbool.h>

enum weir_series_of_element { /* those of an element: of a host, port or flow */
                              WEIR_SERIES_HOST_GOODPUT,
                              WEIR_SERIES_HOST_CREDIT,
                              WEIR_SERIES_PORT_QUEUE,
                              WEIR_SERIES_FLOW_GOODPUT,
                              WEIR_SERIES_FLOW_RATE,
                              WEIR_SERIES_FLOW_WINDOW,
                              WEIR_SERIES_OF_ELEMENTS
};

struct weir_series_name {
    const char *name, *unit; /* name NULL ends a table */
};
extern const struct weir_series_name weir_series_of_element[]; /* by enum weir_series_of_element */
extern const struct weir_series_name weir_histogram_names[];   /* in the order of enum weir_histogram_kind */

enum weir_histogram_kind {
    WEIR_HISTOGRAM_SLOWDOWN,
    WEIR_HISTOGRAM_PAYLOAD,
    WEIR_HISTOGRAM_TOR,
    WEIR_HISTOGRAM_PORT,
    WEIR_HISTOGRAM_KINDS
};

/**
 * Checks that a result file can have a series, or a histogram, of that name, and gives its unit.
 * @param of_network  set: it is one series of the whole network; else each host, port or flow has one
 * @return 0, or WEIR_E_UNKNOWN with the names most like it
 */
int weir_series_need(const struct weir_tok *name, const char **unit, bool *of_network, struct weir_err *err);
int weir_histogram_need(const struct weir_tok *name, const char **unit, struct weir_err *err);
#endif
