/* src/algorithms/features/lanes/lanes.h - virtual lanes of DATA: classes that PFC pauses and accounts separately. They
 * are no priorities: the lane whose first packet has waited longest is served first.
 * Source: Xue et al., "Dart", IEEE/ACM Transactions on Networking 28(1), 2020, section IV: two classes of lanes, for
 * packets that may still be deflected and for the others.
 * Departs from it: by default one lane for each number of tokens left, since the paper's two do not keep order, or can
 * deadlock (doc/deflect.md). */
#ifndef WEIR_FEATURES_LANES_LANES_H
#define WEIR_FEATURES_LANES_LANES_H
#include <stdint.h>

struct weir_feature;

struct weir_lanes_config { /* key of section `fabric` */
    uint32_t lanes;        /* number of virtual lanes, 2 .. WEIR_CLASSES_MAX; 0 = off */
};

extern const struct weir_feature weir_lanes_feature;
#endif
