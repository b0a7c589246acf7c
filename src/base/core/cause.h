/* src/base/core/cause.h - causes: the reason for a packet's fate, as a number. A cause is a rule of the switch itself,
 * or a rule of a feature of the run (struct weir_rule). doc/model.md [causes]. Names and counts are in
 * measure/causes.h. */
#ifndef WEIR_CORE_CAUSE_H
#define WEIR_CORE_CAUSE_H
#include <stdint.h>

struct weir_feature;
struct weir_features;

/* The first causes, which belong to no feature. The causes of the run's features follow from number
 * WEIR_CAUSES_OF_WORLD on, in the order of the features. */
enum weir_world_cause {
    WEIR_CAUSE_NONE,     /* no cause: the packet goes on */
    WEIR_CAUSE_MEMORY,   /* switch.memory: the switch has no memory left */
    WEIR_CAUSE_NO_ROUTE, /* switch.no-route */
    WEIR_CAUSES_OF_WORLD
};

/* Returns the number of rules of a feature. */
uint32_t weir_feature_rules(const struct weir_feature *row);

/* Returns the cause number of rule 0 of feature number `feature`, 0 .. features->count. For features->count: returns
 * the number of causes of the run. */
uint32_t weir_features_cause(const struct weir_features *features, uint32_t feature);

/* The first rules of a feature that takes cables down, in the order of its table. */
enum weir_cut_rule {
    WEIR_CUT_FRAME,   /* a frame on the wire is lost */
    WEIR_CUT_FLUSH,   /* a packet that waits is dropped */
    WEIR_CUT_DISCARD, /* a packet that comes while the cable is down is dropped */
    WEIR_CUT_RULES
};

/* Returns the cause of a fate that a failing cable decides; WEIR_CAUSE_NONE = no feature of the run takes cables
 * down. */
uint32_t weir_features_cut(const struct weir_features *features, enum weir_cut_rule rule);
#endif
