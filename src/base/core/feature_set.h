/* src/base/core/feature_set.h - the features of a run, which the set-up has turned on. */
#ifndef WEIR_CORE_FEATURE_SET_H
#define WEIR_CORE_FEATURE_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_feature;

struct weir_feature_on { /* a feature of a run */
    const struct weir_feature *row;
    const void *model;
    uint64_t period_ps; /* of weir_feature_plan, as the next two */
    uint32_t lanes, other_port_kinds;
    bool skips_joined, late_start, coupled;
    size_t node_bytes;
    const char *warning;
};

struct weir_features {          /* of a run, in the order in which their hooks are called */
    struct weir_feature_on *on; /* count of them; the set-up's memory, with room for so many */
    uint32_t count, room;
    uint32_t records_max; /* the largest of all, as in weir_feature_plan */
    uint8_t lossless;     /* those of all */
};
#endif
