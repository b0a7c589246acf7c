/* src/algorithms/features/cables/cables.h - cables that go down and come up at given times. The world implements the
 * effect on frames and routes: doc/model.md [cables]. */
#ifndef WEIR_FEATURES_CABLES_CABLES_H
#define WEIR_FEATURES_CABLES_CABLES_H
#include "core/cable.h"
#include "core/err.h"
#include "core/feature_setup.h"
#include "core/param.h"

struct weir_feature;

#define WEIR_CABLE_EVENTS_MAX 64u

enum weir_cable_action { WEIR_CABLE_DOWN, WEIR_CABLE_UP };
enum weir_cable_queue { WEIR_CABLE_FLUSH, WEIR_CABLE_WAIT };

struct weir_cable_keys { /* one item of `fabric.events` */
    uint64_t at_ps;
    uint32_t action;           /* enum weir_cable_action */
    uint32_t queue;            /* enum weir_cable_queue */
    char cable[WEIR_TEXT_MAX]; /* the cable by its two ends: "leaf 0 - spine 1" */
    struct weir_tok where;
};

struct weir_cables_config { /* keys of section `fabric` */
    uint64_t reroute_delay_ps;
    uint32_t count;
    struct weir_cable_keys event[WEIR_CABLE_EVENTS_MAX];
};

struct weir_cables_model {                                /* the cable events of a run */
    struct weir_cable_event event[WEIR_CABLE_EVENTS_MAX]; /* sorted by time, then by link */
};

extern const struct weir_feature weir_cables_feature;
#endif
