/* src/solver/solve/compare_metrics.c - the metrics of struct weir_compared (run.compare), one row each. doc/allocate.md
 * explains them and how they are computed. */
#include "solve/compare.h"

#define ROW(key, field, ...)                                                                                           \
    {                                                                                                                  \
        .name = "allocation." key, .offset = (uint32_t)offsetof(struct weir_compared, field),                          \
        .source = "doc/allocate.md", .title = __VA_ARGS__                                                              \
    }
#define COUNT(key, field, ...) ROW(key, field, __VA_ARGS__, .type = WEIR_METRIC_U32)
#define RATIO(key, field, ...) ROW(key, field, __VA_ARGS__, .type = WEIR_METRIC_REAL, .unit = WEIR_METRIC_RATIO)
#define TIME(key, field, ...) ROW(key, field, __VA_ARGS__, .type = WEIR_METRIC_REAL, .unit = WEIR_METRIC_SECONDS)
#define LEAST .better = WEIR_METRIC_LEAST
#define GREATEST .better = WEIR_METRIC_GREATEST

const struct weir_metric weir_compared_metrics[] = {
    COUNT("flows", flows, "flows active at the end"),
    COUNT("within_3_percent", within, "flows within 3 % of their shares", GREATEST),
    RATIO("error_p50", error_p50, "median distance from the share", .text = "over flows, as a part of the share",
          LEAST),
    RATIO("error_p99", error_p99, "p99 of the distance from the share", LEAST),
    RATIO("error_max", error_max, "largest distance from the share", LEAST),
    COUNT("bottlenecks", links, "links that are some flow's bottleneck"),
    RATIO("utilisation_min", utilisation_min, "least utilisation of a bottleneck", GREATEST),
    RATIO("utilisation_mean", utilisation_mean, "mean utilisation of the bottlenecks", GREATEST),
    TIME("since_s", since_s, "last change, start or end of a flow"),
    TIME("window_s", window_s, "longest part of the run that a rate is the mean over"),
    TIME("look_s", snapshot_s, "time between two snapshots of the flows"),
    TIME("rtt_s", rtt_s, "round trip with the queues there were", .text = "bytes in flight over rate"),
    COUNT("moved", moved, "flows whose share changed at the last change"),
    COUNT("settled", settled, "flows that moved and settled", GREATEST),
    COUNT("unsettled", unsettled, "flows that moved and have not settled", LEAST),
    TIME("settle_s_p50", settle_p50_s, "median time to settle", LEAST),
    TIME("settle_s_p99", settle_p99_s, "p99 of the time to settle", LEAST),
    TIME("settle_s_together", together_s, "time until all that moved had settled, as one", LEAST),
    RATIO("settle_rtts_p50", settle_p50_rtts, "median time to settle, in round trips", LEAST),
    RATIO("settle_rtts_p99", settle_p99_rtts, "p99 of the time to settle, in round trips", LEAST),
    RATIO("settle_rtts_together", together_rtts, "time until all had settled, in round trips", LEAST),
    TIME("solve_s", solve_s, "time of the solver", .of_machine = true),
    { .name = NULL },
};
