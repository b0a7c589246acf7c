/* src/scenario/measure/metrics.h - the metrics of a run: a row for each number of struct weir_result, and of struct
 * weir_part_result. */
#ifndef WEIR_MEASURE_METRICS_H
#define WEIR_MEASURE_METRICS_H
#include "core/metric.h"
#include "measure/result.h"

/* Rows about struct weir_result, in the order of the JSON; the rows of one JSON object are contiguous. The last row has
 * a NULL name. */
extern const struct weir_metric weir_result_metrics[];
/* The same about struct weir_part_result. */
extern const struct weir_metric weir_part_metrics[];

/* Names of units, by enum weir_metric_unit: "bytes", "Gbps". */
extern const char *const weir_metric_unit_names[WEIR_METRIC_UNITS];

/* Tests whether the offered load of a run may be reported as a rate: there is a measured part, and hosts can send that
 * much (host_rate_bps 0 = not tested). A list of endless flows offers more than hosts can send. */
static inline bool weir_result_offers_rate(const struct weir_result *res)
{
    return res->measured_ps > 0 && (res->host_rate_bps == 0 || res->offered_bps <= res->host_rate_bps);
}
#endif
