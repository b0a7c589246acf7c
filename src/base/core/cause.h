/* src/base/core/cause.h - why a packet had its fate, as a number: a rule of the world, or of a feature of the run
 * (struct weir_rule). doc/model.md [causes]. Names and counts: measure/causes.h. */
#ifndef WEIR_CORE_CAUSE_H
#define WEIR_CORE_CAUSE_H
#include <stdint.h>

struct weir_feature;
struct weir_features;

/* Causes of a run by number: those of the world, then the rules of its features, in their order. */
enum weir_world_cause {
    WEIR_CAUSE_NONE,     /* no rule applies: the packet goes on */
    WEIR_CAUSE_MEMORY,   /* switch.memory: the switch has no memory left */
    WEIR_CAUSE_NO_ROUTE, /* switch.no-route */
    WEIR_CAUSES_OF_WORLD
};

/* Counts the rules of a row. */
uint32_t weir_feature_rules(const struct weir_feature *row);

/* Returns the number of the cause that is rule 0 of a feature; of features->count: how many causes a run has. */
uint32_t weir_features_cause(const struct weir_features *features, uint32_t feature);

/* Returns the cause of frames that a cable cuts off; WEIR_CAUSE_NONE = no feature of the run has cables go down. */
uint32_t weir_features_cut(const struct weir_features *features);
#endif
