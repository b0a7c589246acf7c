/* src/transport/endpoint/spray.c - see spray.h.
 *
 * The host draws a path for each packet, as with sprayed packets of the simulator: weir_pkt.hash. A system call sends
 * from one port, and costs more than a packet. So a batch has one draw of a port for each RUN_PKTS of its packets. Each
 * packet takes one of these draws at random, and those of one port pass through the kernel as one run. With a draw for
 * each packet, a batch would cost as many system calls as it has packets. Packets overtake each other within a batch.
 *
 * A peer takes packets from our further ports once it knows the connection. The end that has sent READY is connected
 * before the other one is, and its packets may overtake READY. So packets leave from the first port until the first
 * packet of a message came from the peer. */
#include "endpoint/spray.h"
#include <string.h>

#define RUN_PKTS 8u
#define DRAWS_MOST ((WEIR_NET_BATCH + RUN_PKTS - 1) / RUN_PKTS)

/* Returns the port that a packet leaves from. draw: one of the batch's */
static uint8_t port_of(const struct weir_ep *ep, const struct weir_pkt *pkt, uint32_t draw)
{
    const struct weir_peer *p = &ep->peers[pkt->dst - 1];
    if (p->counts.packets_received <= p->spray_above)
        return 0;
    return (uint8_t)weir_rng_below((uint64_t)draw << 32, ep->opts.spray_ports);
}

/* Chooses the ports of the packets of txq. The draws are the paths of the first of them. Which one a packet takes
 * depends on the low bits of its own path, the port on the high ones. */
static void choose(const struct weir_ep *ep, uint8_t port[WEIR_NET_BATCH])
{
    uint32_t draws = (ep->txq_count + RUN_PKTS - 1) / RUN_PKTS;
    WEIR_ASSERT(draws <= DRAWS_MOST);
    for (uint32_t i = 0; i < ep->txq_count; i++)
        port[i] = port_of(ep, &ep->txq[i], ep->txq[ep->txq[i].hash % draws].hash);
}

void ep_spray_sort(struct weir_ep *ep)
{
    struct weir_pkt pkt[WEIR_NET_BATCH];
    uint8_t port[WEIR_NET_BATCH], slot[WEIR_NET_BATCH];
    uint32_t at[WEIR_NET_PORTS_MAX + 1] = { 0 }; /* by port: where its next packet goes */
    WEIR_ASSERT(ep->opts.spray_ports <= WEIR_NET_PORTS_MAX && ep->txq_count <= WEIR_NET_BATCH);
    choose(ep, port);
    for (uint32_t i = 0; i < ep->txq_count; i++)
        at[port[i] + 1]++;
    for (uint32_t i = 1; i < ep->opts.spray_ports; i++)
        at[i] += at[i - 1];
    memcpy(pkt, ep->txq, ep->txq_count * sizeof(pkt[0]));
    memcpy(slot, ep->tx_slot, ep->txq_count);
    for (uint32_t i = 0; i < ep->txq_count; i++) {
        uint32_t to = at[port[i]]++;
        ep->txq[to] = pkt[i];
        ep->tx_slot[to] = slot[i]; /* of a packet that is sealed already */
        ep->tx_port[to] = port[i];
    }
}

bool ep_spray_stop(struct weir_peer *p)
{
    bool did = p->spray_above != UINT64_MAX;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    p->spray_above = UINT64_MAX;
    return did;
}
