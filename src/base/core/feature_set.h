/* src/base/core/feature_set.h - the features that are on in a run, as set-up made them. */
#ifndef WEIR_CORE_FEATURE_SET_H
#define WEIR_CORE_FEATURE_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_feature;

struct weir_feature_on { /* one feature of a run */
    const struct weir_feature *row;
    const void *model;
    uint64_t period_ps; /* this field and the next ones are copied from weir_feature_plan */
    uint32_t lanes, other_port_kinds;
    bool skips_joined, late_start, coupled;
    size_t node_bytes;
    const char *warning;
    uint8_t laws; /* as in the plan, but never 0 */
};

struct weir_features {          /* all features of a run, in the order in which their hooks are called */
    struct weir_feature_on *on; /* count entries, room for `room`; memory of set-up */
    uint32_t count, room;
    uint32_t records_max; /* largest weir_feature_plan.records_max of the features */
    uint8_t lossless;     /* all bits of weir_feature_plan.lossless of the features */
};
#endif
