/* src/scenario/measure/counter_parts.c - see counter_parts.h. */
#include "measure/counter_parts.h"
#include "core/math.h"

const struct weir_counter_part weir_counter_parts[][WEIR_COUNTER_PARTS] = {
    [WEIR_COUNT_SUM] = { { "", WEIR_METRIC_COUNT, 0 } },
    [WEIR_COUNT_SUM_PS] = { { "_s", WEIR_METRIC_SECONDS, 12 }, { "_share", WEIR_METRIC_RATIO, 9 } },
    [WEIR_COUNT_MOST_PS] = { { "_s", WEIR_METRIC_SECONDS, 12 } },
    [WEIR_COUNT_RATIO] = { { "", WEIR_METRIC_RATIO, 9 } },
};

bool weir_counter_value(const struct weir_result *result, const struct weir_feature_count *c, uint32_t part,
                        uint64_t *value)
{
    bool is_ratio = c->counter->how == WEIR_COUNT_RATIO;
    uint64_t whole = is_ratio ? c->value : result->sim_ps * (c->lanes > 0);
    WEIR_ASSERT(part < WEIR_COUNTER_PARTS && weir_counter_parts[c->counter->how][part].suffix != NULL);
    *value = c->value;
    if (!is_ratio && part == 0)
        return true;
    if (whole == 0)
        return false;
    *value = is_ratio ? weir_mul_div_u64(c[-1].value, 1000000000, whole)
                      : weir_mul_div_u64(c->value, 1000000000, whole) / c->lanes;
    return true;
}
