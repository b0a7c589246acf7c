/* src/algorithms/features/wrr/wrr.h - weighted round robin: ports serve DATA queue by queue, one for each flow or a few
 * for groups of flows.
 * Source: the baseline of Wang and Ng, "Soze", OSDI 2025. Rules: doc/model.md [wrr]. */
#ifndef WEIR_FEATURES_WRR_WRR_H
#define WEIR_FEATURES_WRR_WRR_H
#include <stdint.h>

struct weir_feature;

#define WEIR_GROUPS_MAX 7u

enum weir_queueing {
    WEIR_QUEUE_CLASSES,  /* strict priorities, first come first served within */
    WEIR_QUEUE_PER_FLOW, /* a queue per (src, conn); its weight is the packet's */
    WEIR_QUEUE_GROUPS,   /* `groups` queues; a packet's is that of the nearest weight */
};

struct weir_wrr_config { /* section `fabric.queues` */
    uint32_t kind;       /* enum weir_queueing */
    uint32_t groups;
    char weights[64]; /* groups: "1, 2, 4, 8" */
};

struct weir_wrr_model {
    enum weir_queueing kind;
    uint32_t groups;                       /* 1 .. WEIR_GROUPS_MAX */
    uint8_t group_weight[WEIR_GROUPS_MAX]; /* packets per turn, 1 .. 255 */
};

extern const struct weir_feature weir_wrr_feature;
#endif
