/* src/fabric/wrr/wrr_core.h - weighted round robin: which of a port's queues DATA waits in, and how many packets that queue may send in
 * its turn. The list that the port keeps determines the next queue. Rules: doc/model.md [wrr]. */
#ifndef WEIR_FABRIC_WRR_WRR_CORE_H
#define WEIR_FABRIC_WRR_WRR_CORE_H
#include "fabric/wrr/wrr.h"

/* A packet without weight has 1. */
static inline uint32_t weir_wrr_weight(const struct weir_pkt *pkt)
{
    return pkt->weight > 0 ? pkt->weight : 1;
}

/* The group whose weight is nearest to the packet's; of several the first. */
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

/* A number for the queue, unique at its port. */
static inline uint64_t weir_wrr_queue(const struct weir_wrr_model *m, const struct weir_pkt *pkt)
{
    return m->kind == WEIR_QUEUE_GROUPS ? weir_wrr_group(m, pkt) : (uint64_t)pkt->src << 32 | pkt->conn;
}

/* Packets of a turn that begins with this one. */
static inline uint32_t weir_wrr_quantum_pkts(const struct weir_wrr_model *m, const struct weir_pkt *pkt)
{
    return m->kind == WEIR_QUEUE_GROUPS ? m->group_weight[weir_wrr_group(m, pkt)] : weir_wrr_weight(pkt);
}
#endif
