/* src/simulator/hooks/wrr.h - the scheduler of ports that serve queues by weighted round robin. A feature decides in
 * which queue a packet waits (weir_feature.queue_of), and how many packets a queue may send before the next queue is
 * served (weir_feature.quantum_pkts). The order is that of [wrr] in doc/model.md. A queue exists while some packet
 * waits in it. Packets, queues and the hash table of queues are in arrays that only grow. */
#ifndef WEIR_HOOKS_WRR_H
#define WEIR_HOOKS_WRR_H
#include "hooks/chain.h"

struct weir_waiting {    /* a packet that waits */
    struct weir_pkt pkt; /* arrival_ps: when it joined */
    uint64_t tx_ps;
    uint32_t in_port;
};

struct wrr_node;
struct weir_wrr { /* the scheduler of one port; only wrr.c reads its fields */
    struct wrr_node *all;
    const struct weir_wrr_hook *hook;
    uint32_t port;
    uint32_t first, last; /* first and last queue of the port's list; the first is served next */
    uint32_t left_pkts;   /* packets that the first queue may still send in this turn; 0 = its turn has not begun */
};

/**
 * Makes the schedulers of all ports of a switch, without packets.
 * @param mem    gives memory for arrays, now and while they grow; copied
 * @param chain  one per port, each with a wrr hook; they must outlive the schedulers
 * @return an array of one scheduler per port; NULL = no memory
 */
struct weir_wrr *weir_wrr_init(const struct weir_mem *mem, const struct weir_chain *const *chain, uint32_t ports);

/* Copies a packet to the end of its queue, and makes the queue if it does not exist. @return false = no memory */
bool weir_wrr_put(struct weir_wrr *wrr, const struct weir_waiting *w);

/* Removes the packet that is served next, and copies it to *out. Some packet must wait. @return true if other
 * packets still wait */
bool weir_wrr_take(struct weir_wrr *wrr, struct weir_waiting *out);

/* Iterates over the waiting packets of a port, in no particular order; the scheduler must not change meanwhile.
 * *cursor: 0 before the first call. @return the next packet; NULL = there are no more */
const struct weir_waiting *weir_wrr_next(const struct weir_wrr *wrr, uint64_t *cursor);
#endif
