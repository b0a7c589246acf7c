/* src/scenario/measure/counter_parts.h - the numbers that the counters of switch features give. */
#ifndef WEIR_MEASURE_COUNTER_PARTS_H
#define WEIR_MEASURE_COUNTER_PARTS_H
#include "core/feature_counter.h"
#include "core/metric.h"
#include "measure/result.h"

/* Describes one number that a counter of a switch feature gives. A counter of WEIR_COUNT_SUM_PS gives two: the time,
 * and the time as a share of the run. suffix: appended to the name of the counter; NULL = there are no more numbers. */
#define WEIR_COUNTER_PARTS 2u
struct weir_counter_part {
    const char *suffix;
    enum weir_metric_unit unit;
    uint8_t digits;
};
extern const struct weir_counter_part weir_counter_parts[][WEIR_COUNTER_PARTS]; /* by enum weir_count_how */

/**
 * Computes one number of a counter, times 10^digits. Part 0 of a sum is its value. The share is the counted time as a
 * share of the run, averaged over the c->lanes port parts that have the counter. A ratio is the value of the counter
 * before it, divided by its own.
 * @param c     an entry of result->feature_count
 * @param part  0, or 1 for the share
 * @return false = it does not apply, since its divisor is 0
 */
bool weir_counter_value(const struct weir_result *result, const struct weir_feature_count *c, uint32_t part,
                        uint64_t *value);
#endif
