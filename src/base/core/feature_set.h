/* src/base/core/feature_set.h - the features that are on in a run, as set-up made them. */
#ifndef WEIR_CORE_FEATURE_SET_H
#define WEIR_CORE_FEATURE_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_feature;

/* A feature as it is at some switches, where fabric.switches gives it other keys than the run has. */
struct weir_feature_variant {
    const void *model;
    size_t node_bytes; /* as in weir_feature_on */
    uint32_t offers;   /* needs of protocols that the feature meets there: enum weir_need */
    bool on;           /* false = off: no hook is called */
};

struct weir_feature_on { /* one feature of a run */
    const struct weir_feature *row;
    const void *model;
    uint64_t period_ps; /* this field and the next ones are copied from weir_feature_plan */
    uint32_t lanes, other_port_kinds;
    bool skips_joined, late_start, coupled;
    size_t node_bytes;
    const char *warning;
    uint8_t laws; /* as in the plan, but never 0 */
    /* The variants, and the index into them of each node; NULL = the feature is the same everywhere. Memory of set-up.
     * Variant 0 is of hosts, and of switches of which fabric.switches says nothing. */
    const struct weir_feature_variant *variant;
    const uint16_t *variant_of;
    uint32_t offers; /* as in the plan; with variants those of any */
};

/* Returns the feature as it is at a node. */
static inline struct weir_feature_variant weir_feature_at(const struct weir_feature_on *on, uint32_t node)
{
    if (on->variant_of != NULL)
        return on->variant[on->variant_of[node]];
    return (struct weir_feature_variant){
        .model = on->model, .node_bytes = on->node_bytes, .offers = on->offers, .on = true
    };
}

struct weir_features {          /* all features of a run, in the order in which their hooks are called */
    struct weir_feature_on *on; /* count entries, room for `room`; memory of set-up */
    uint32_t count, room;
    uint32_t records_max; /* largest weir_feature_plan.records_max of the features */
    uint8_t lossless;     /* all bits of weir_feature_plan.lossless of the features */
};
#endif
