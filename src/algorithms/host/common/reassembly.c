/* src/algorithms/host/common/reassembly.c - packets that arrived out of order, for both halves. A connection (or
 * message) has an edge, below which everything has arrived. Packets beyond the edge are noted in a struct host_gap,
 * which is taken from a pool while there are such packets. */
#include "host/common/reassembly.h"
#include "host/common/table.h"

/* Prepares the pool of gaps. bitmaps: 1 = arrived packets only; 2 = also packets recorded as lost */
void host_gaps_init(struct weir_host *h, uint32_t bitmaps)
{
    size_t bytes = sizeof(struct host_gap) + sizeof(uint64_t) * bitmaps * h->bitmap_units;
    WEIR_ASSERT(bitmaps == 1 || bitmaps == 2);
    h->gap_bitmaps = (uint8_t)bitmaps;
    h->gaps = (struct host_table){ .stride = (uint32_t)(bytes + 63) & ~63u, .free = HOST_NONE };
}

/* Returns the gap beyond the edge, and opens one if *gap is 0. *gap: index + 1 of the gap, set if one is opened.
 * @return NULL = no memory */
struct host_gap *host_gap_open(struct weir_host *h, uint32_t *gap, uint32_t edge)
{
    uint32_t index;
    if (*gap != 0)
        return host_gap_at(h, *gap);
    struct host_gap *fresh = host_pool_take(h, &h->gaps, 0, &index);
    if (fresh == NULL)
        return NULL;
    fresh->high = fresh->judged = edge;
    fresh->got = host_bitmap_open(h, fresh->own);
    if (h->gap_bitmaps > 1)
        fresh->lost = host_bitmap_open(h, fresh->own + h->bitmap_units);
    *gap = index + 1;
    return fresh;
}

static void gap_close(struct weir_host *h, uint32_t *gap, struct host_gap *g)
{
    WEIR_ASSERT(g->held_pkts == 0);
    WEIR_ASSERT(g->lost_pkts == 0);
    host_bitmap_close(h, &g->got);
    if (h->gap_bitmaps > 1)
        host_bitmap_close(h, &g->lost);
    host_pool_give(&h->gaps, g, *gap - 1);
    *gap = 0;
}

/* Records the arrival of packet pkt, in (edge, edge + window). *gap: index + 1 of the gap, 0 = none; opened if needed.
 * @return HOST_NEW; HOST_KNOWN = a duplicate; HOST_REFUSED = no memory to note the packet */
enum host_arrival host_gap_hold(struct weir_host *h, uint32_t *gap, uint32_t edge, uint32_t pkt)
{
    struct host_gap *g = host_gap_open(h, gap, edge);
    WEIR_ASSERT(pkt - edge < h->window_pkts);
    if (g == NULL || !host_bitmap_room(h, &g->got, edge, pkt - edge + 1))
        return HOST_REFUSED;
    if (host_bit(&g->got, pkt))
        return HOST_KNOWN;
    host_bit_flip(&g->got, pkt);
    g->held_pkts++;
    if (host_before(g->high, pkt + 1))
        g->high = pkt + 1;
    return HOST_NEW;
}

/* Moves *edge over packets that have arrived, and gives the gap back to the pool if no bit is left in it. */
void host_gap_advance(struct weir_host *h, uint32_t *gap, uint32_t *edge)
{
    struct host_gap *g = host_gap_at(h, *gap);
    WEIR_CHECK(*gap <= h->gaps.count);
    WEIR_CHECK(host_before(*edge, g->high) || g->held_pkts == 0);
    while (g->held_pkts > 0 && host_bit(&g->got, *edge)) {
        host_bit_flip(&g->got, *edge);
        g->held_pkts--;
        ++*edge;
    }
    if (g->held_pkts + g->lost_pkts == 0)
        gap_close(h, gap, g);
}

/* Closes the gap of a message that ended before all had arrived, and clears its bits. *gap: index + 1; 0 = none */
void host_gap_drop(struct weir_host *h, uint32_t *gap)
{
    if (*gap == 0)
        return;
    struct host_gap *g = host_gap_at(h, *gap);
    host_bitmap_clear(&g->got);
    if (h->gap_bitmaps > 1)
        host_bitmap_clear(&g->lost);
    g->held_pkts = g->lost_pkts = 0;
    gap_close(h, gap, g);
}
