/* src/simulator/switch/network.h - a network of plain switches and NICs with the cables between them, without I/O and
 * without a clock. What hosts send goes in at their NICs, with the time at which it came; what arrives at a host comes
 * out, with the time of its last bit. doc/softswitch.md.
 *
 * Cables carry a packet for their delay and no longer. A host's cable is modelled whole: what its host sends waits in
 * its NIC, at the rate of the cable. Cables do not fail. */
#ifndef WEIR_SWITCH_NETWORK_H
#define WEIR_SWITCH_NETWORK_H
#include "switch/switch.h"

struct weir_network;

/* Receives what comes of a network. No function of it may call the network. link: number of the link of the topology
 * that the port feeds */
struct weir_network_sink {
    /* A packet's last bit has reached its host, at pkt.arrival_ps. The packet is the sink's from now on. */
    void (*deliver)(void *ctx, uint32_t host, struct weir_switch_pkt *pkt);
    /* Is notified of a packet that is dropped or lost, before it goes back to its pool. A packet without a route counts
     * at the link by which it came, and had not joined it. */
    void (*drop)(void *ctx, uint32_t link, const struct weir_switch_drop *drop);
    /* Is notified of a fate of WEIR_FATE_MARKED .. WEIR_FATE_PAUSED. NULL = not needed */
    void (*decided)(void *ctx, uint32_t link, enum weir_fate fate, uint32_t cause);
    /* Is notified of each transmission that starts. NULL = not needed */
    void (*sent)(void *ctx, uint32_t link, const struct weir_switch_sent *sent);
    /* Is notified after a packet has joined a port. NULL = not needed */
    void (*joined)(void *ctx, uint32_t link, uint64_t now_ps);
    void *ctx;
};

struct weir_network_config {
    const struct weir_model *model;       /* without cable events; outlives the network */
    const struct weir_routes *routes;     /* outlive the network */
    struct weir_switch_pool *pool;        /* its packets have struct weir_switch_more */
    const struct weir_network_sink *sink; /* outlives the network */
    const struct weir_mem *mem;           /* used at init alone */
};

/* Makes a network that is empty at time 0. @return NULL = no memory */
struct weir_network *weir_network_init(const struct weir_network_config *cfg);

/* Takes a packet that a host sends: it arrives at the host's NIC now. Packets of one instant arrive after all that the
 * network does at that instant but decisions, in the order of the calls. now_ps: later than that of any
 * weir_network_run() before */
void weir_network_send(struct weir_network *net, uint64_t now_ps, uint32_t host, struct weir_switch_pkt *p);

/* Takes a control frame that a host sends: it arrives at the host's first switch now, by the host's cable. The NIC of
 * the network sends none itself. p: class, code and feature, as in struct weir_control. now_ps: as of
 * weir_network_send() */
void weir_network_control(struct weir_network *net, uint64_t now_ps, uint32_t host, struct weir_switch_pkt *p);

/* Handles all that happens up to now_ps. The next call must be at a later time. */
void weir_network_run(struct weir_network *net, uint64_t now_ps);

/* Returns when something happens next; WEIR_NEVER = the network is empty, and no feature has a timer. */
uint64_t weir_network_next_ps(const struct weir_network *net);

/* Returns a node as a plain switch, for its counts and queues: a switch, or a host's NIC. */
struct weir_switch *weir_network_node(const struct weir_network *net, uint32_t node);

/* Checks the invariants of all nodes. @return a sentence about one that does not hold; NULL = all hold */
const char *weir_network_broken(const struct weir_network *net);
#endif
