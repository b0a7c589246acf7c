/* src/simulator/hooks/wrr.h - the scheduler of ports that serve queues by weighted round robin. A feature decides
 * which queue a packet waits in, and how many packets a queue may send before the next one is served
 * (weir_feature.queue_of, .quantum_pkts). The order is that of [wrr] in doc/model.md.
 * A queue exists while something waits in it. Packets, queues and the table that finds them are in arrays that
 * only grow. */
#ifndef WEIR_HOOKS_WRR_H
#define WEIR_HOOKS_WRR_H
#include "hooks/chain.h"

struct weir_waiting {    /* a packet that waits */
    struct weir_pkt pkt; /* arrival_ps: when it joined */
    uint64_t tx_ps;
    uint32_t in_port;
};

struct wrr_node;
struct weir_wrr { /* of one port; opaque but to wrr.c */
    struct wrr_node *all;
    const struct weir_wrr_hook *hook;
    uint32_t port;
    uint32_t first, last; /* of the list of its queues */
    uint32_t left_pkts;   /* packets that the first queue may still send in its turn; 0 = that has not begun */
};

/**
 * Makes the schedulers of all ports of a switch, without packets.
 * @param mem    where arrays come from, now and later
 * @param chain  one per port, each with a wrr hook; must outlive this
 * @return one per port; NULL = no memory
 */
struct weir_wrr *weir_wrr_init(const struct weir_mem *mem, const struct weir_chain *const *chain, uint32_t ports);

/* Puts a packet into its queue. @return false = no memory */
bool weir_wrr_put(struct weir_wrr *wrr, const struct weir_waiting *w);

/* Takes the packet that is served next; there must be one. @return true if others wait */
bool weir_wrr_take(struct weir_wrr *wrr, struct weir_waiting *out);

/* Returns the next of the packets that wait, in no particular order; *cursor begins at 0. @return NULL = there are no
 * more */
const struct weir_waiting *weir_wrr_next(const struct weir_wrr *wrr, uint64_t *cursor);
#endif
