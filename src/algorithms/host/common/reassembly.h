/* src/algorithms/host/common/reassembly.h - what arrived out of order, of a connection or of a receiver-driven message.
 * Below its edge all is here; what lies beyond is in a struct host_gap, which is borrowed from a pool while there is
 * any: most never own one. */
#ifndef WEIR_HOST_COMMON_REASSEMBLY_H
#define WEIR_HOST_COMMON_REASSEMBLY_H
#include "host/common/bitmap.h"

struct host_gap {
    uint32_t link;                /* of the pool; 0 while in use */
    uint32_t held_pkts;           /* bits set in got: they arrived */
    uint32_t lost_pkts;           /* bits set in lost; receiver-driven only */
    uint32_t high;                /* one past the highest that arrived */
    struct host_bitmap got, lost; /* lost: to be credited again. With the edge as theirs */
    uint64_t own[];               /* what they begin with, got's first */
};

enum host_arrival { HOST_NEW, HOST_KNOWN, HOST_REFUSED }; /* of a packet: new, a duplicate, dropped */

void host_gaps_init(struct weir_host *h, uint32_t bitmaps);
struct host_gap *host_gap_open(struct weir_host *h, uint32_t *gap, uint32_t edge);
enum host_arrival host_gap_hold(struct weir_host *h, uint32_t *gap, uint32_t edge, uint32_t pkt);
void host_gap_advance(struct weir_host *h, uint32_t *gap, uint32_t *edge);
void host_gap_drop(struct weir_host *h, uint32_t *gap);

/* Returns the record of a gap: index + 1, not 0. */
static inline struct host_gap *host_gap_at(const struct weir_host *h, uint32_t gap)
{
    return host_at(&h->gaps, 0, gap - 1);
}

/* Tests whether packet pkt, not before the edge and within the window, was here before. */
static inline bool host_gap_has(const struct weir_host *h, uint32_t gap, uint32_t edge, uint32_t pkt)
{
    const struct host_gap *g = gap != 0 ? host_gap_at(h, gap) : NULL;
    return g != NULL && host_bitmap_holds(&g->got, pkt - edge + 1) && host_bit(&g->got, pkt);
}

/* Takes packet pkt, not before the edge and within the window. */
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
