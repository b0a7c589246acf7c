/* src/scenario/measure/metrics.h - the numbers of a run's result, a row each. */
#ifndef WEIR_MEASURE_METRICS_H
#define WEIR_MEASURE_METRICS_H
#include "core/metric.h"
#include "measure/result.h"

/* Rows of struct weir_result in the order of the JSON: those of one object stand together. */
extern const struct weir_metric weir_result_metrics[];

/* Returns whether what was offered is a rate at all: a list of endless flows "offers" more than hosts can send. */
static inline bool weir_result_offers_rate(const struct weir_result *res)
{
    return res->measured_ps > 0 && (res->host_rate_bps == 0 || res->offered_bps <= res->host_rate_bps);
}
#endif
