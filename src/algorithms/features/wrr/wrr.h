/* src/algorithms/features/wrr/wrr.h - weighted round robin: ports serve DATA from several queues, one for each flow, or
 * a few for groups of flows.
 * Source: the baseline of Wang and Ng, "Soze", OSDI 2025. Rules: doc/model.md [wrr]. */
#ifndef WEIR_FEATURES_WRR_WRR_H
#define WEIR_FEATURES_WRR_WRR_H
#include <stdint.h>

struct weir_feature;

#define WEIR_GROUPS_MAX 7u

/* Queues of a port. */
enum weir_queueing {
    WEIR_QUEUE_CLASSES,  /* strict priorities, first come first served within a class */
    WEIR_QUEUE_PER_FLOW, /* one queue per (src, conn), with the weight that its packets carry */
    WEIR_QUEUE_GROUPS,   /* `groups` queues; a packet joins the queue whose weight is nearest to its own */
};

struct weir_wrr_config { /* section `fabric.queues` */
    uint32_t kind;       /* enum weir_queueing */
    uint32_t groups;     /* number of queues with WEIR_QUEUE_GROUPS */
    char weights[64];    /* packets per turn of each group: "1, 2, 4, 8" */
};

struct weir_wrr_model { /* parameters of all ports */
    enum weir_queueing kind;
    uint32_t groups;                       /* 1 .. WEIR_GROUPS_MAX */
    uint8_t group_weight[WEIR_GROUPS_MAX]; /* packets per turn, 1 .. 255 */
};

extern const struct weir_feature weir_wrr_feature;
#endif
