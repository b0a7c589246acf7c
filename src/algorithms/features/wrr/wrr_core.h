/* src/algorithms/features/wrr/wrr_core.h - weighted round robin: the queue that a DATA packet joins, and how many
 * packets that queue may send in a turn. The port itself keeps the order of the queues. Rules: doc/model.md [wrr]. */
#ifndef WEIR_FEATURES_WRR_WRR_CORE_H
#define WEIR_FEATURES_WRR_WRR_CORE_H
#include "core/pkt.h"
#include "features/wrr/wrr.h"

struct weir_pkt;

/* Returns the weight that a packet carries; 1 if it carries none. */
static inline uint32_t weir_wrr_weight(const struct weir_pkt *pkt)
{
    return pkt->weight > 0 ? pkt->weight : 1;
}

/* Returns the group whose weight is nearest to the packet's; the first one if several are equally near. */
static inline uint32_t weir_wrr_group(const struct weir_wrr_model *m, const struct weir_pkt *pkt)
{
    uint32_t weight = weir_wrr_weight(pkt), best = 0, best_off = UINT32_MAX;
    for (uint32_t g = 0; g < m->groups && g < WEIR_GROUPS_MAX; g++) {
        uint32_t of = m->group_weight[g], off = of > weight ? of - weight : weight - of;
        if (off < best_off)
            best = g, best_off = off;
    }
    return best;
}

/* Returns the number of the packet's queue, unique at its port. */
static inline uint64_t weir_wrr_queue(const struct weir_wrr_model *m, const struct weir_pkt *pkt)
{
    return m->kind == WEIR_QUEUE_GROUPS ? weir_wrr_group(m, pkt) : (uint64_t)pkt->src << 32 | pkt->conn;
}

/* Returns how many packets the packet's queue may send in a turn that begins with this packet. */
static inline uint32_t weir_wrr_quantum_pkts(const struct weir_wrr_model *m, const struct weir_pkt *pkt)
{
    return m->kind == WEIR_QUEUE_GROUPS ? m->group_weight[weir_wrr_group(m, pkt)] : weir_wrr_weight(pkt);
}
#endif
