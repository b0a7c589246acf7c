/* src/algorithms/host/common/reassembly.h - packets that arrived out of order, of a connection or of a receiver-driven
 * message. Each has an edge, below which all packets have arrived. Packets beyond the edge are noted in a struct
 * host_gap, taken from a pool only while there are such packets: most connections never need one. */
#ifndef WEIR_HOST_COMMON_REASSEMBLY_H
#define WEIR_HOST_COMMON_REASSEMBLY_H
#include "host/common/bitmap.h"

struct host_gap {                 /* packets beyond the edge of a connection or message */
    uint32_t link;                /* used by the pool; 0 while in use */
    uint32_t held_pkts;           /* bits set in got: packets that arrived */
    uint32_t lost_pkts;           /* bits set in lost; receiver-driven only, else 0 */
    uint32_t high;                /* one past the highest packet that arrived */
    uint32_t judged;              /* receiver-driven only: below it, each missing packet was recorded as lost once */
    struct host_bitmap got, lost; /* got: packets that arrived; lost: to be credited again */
    uint64_t own[];               /* initial memory of got, then of lost */
};

/* The result of an arrival: NEW = first copy of the packet, KNOWN = a duplicate, REFUSED = the packet is dropped. */
enum host_arrival { HOST_NEW, HOST_KNOWN, HOST_REFUSED };

void host_gaps_init(struct weir_host *h, uint32_t bitmaps);
struct host_gap *host_gap_open(struct weir_host *h, uint32_t *gap, uint32_t edge);
enum host_arrival host_gap_hold(struct weir_host *h, uint32_t *gap, uint32_t edge, uint32_t pkt);
void host_gap_advance(struct weir_host *h, uint32_t *gap, uint32_t *edge);
void host_gap_drop(struct weir_host *h, uint32_t *gap);
uint32_t host_gap_ranges(const struct weir_host *h, uint32_t gap, uint32_t edge, struct weir_ack_range *out,
                         uint32_t max);

/* Returns the struct host_gap numbered gap, which is its index + 1 and not 0. */
static inline struct host_gap *host_gap_at(const struct weir_host *h, uint32_t gap)
{
    return host_at(&h->gaps, 0, gap - 1);
}

/* Tests whether packet pkt arrived before. pkt: in [edge, edge + window). gap: index + 1, 0 = none */
static inline bool host_gap_has(const struct weir_host *h, uint32_t gap, uint32_t edge, uint32_t pkt)
{
    const struct host_gap *g = gap != 0 ? host_gap_at(h, gap) : NULL;
    return g != NULL && host_bitmap_holds(&g->got, pkt - edge + 1) && host_bit(&g->got, pkt);
}

/* Records the arrival of packet pkt, in [*edge, *edge + window), and moves *edge over all packets that have arrived.
 * *gap: index + 1 of the gap beyond *edge, 0 = none; may be opened or closed. @return HOST_NEW; HOST_KNOWN = a
 * duplicate; HOST_REFUSED = no memory to note the packet */
static inline enum host_arrival host_arrive(struct weir_host *h, uint32_t *gap, uint32_t *edge, uint32_t pkt)
{
    if (pkt != *edge)
        return host_gap_hold(h, gap, *edge, pkt);
    ++*edge;
    if (*gap != 0)
        host_gap_advance(h, gap, edge);
    return HOST_NEW;
}
#endif
