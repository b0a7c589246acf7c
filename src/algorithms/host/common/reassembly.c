/* src/algorithms/host/common/reassembly.c - what arrived out of order, for both kinds of host. A connection (or
 * message) has an edge, below which everything is here; what lies beyond is kept in a struct host_gap, which is
 * borrowed while there is any. */
#include "host/common/reassembly.h"
#include "host/common/table.h"

/* Prepares the pool of gaps. bitmaps: 1, or 2 where packets may be held lost, too */
void host_gaps_init(struct weir_host *h, uint32_t bitmaps)
{
    size_t bytes = sizeof(struct host_gap) + sizeof(uint64_t) * bitmaps * h->bitmap_units;
    WEIR_ASSERT(bitmaps == 1 || bitmaps == 2);
    h->gap_bitmaps = (uint8_t)bitmaps;
    h->gaps = (struct host_table){ .stride = (uint32_t)(bytes + 63) & ~63u, .free = HOST_NONE };
}

/* Returns the gap beyond the edge; opens one if there is none. *gap: its index + 1, 0 = none. @return NULL = no
 * memory */
struct host_gap *host_gap_open(struct weir_host *h, uint32_t *gap, uint32_t edge)
{
    uint32_t index;
    if (*gap != 0)
        return host_gap_at(h, *gap);
    struct host_gap *fresh = host_pool_take(h, &h->gaps, 0, &index);
    if (fresh == NULL)
        return NULL;
    fresh->high = edge;
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

/* Notes packet pkt, which lies beyond the edge, within the window. */
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

/* Moves the edge over what is here already; a gap with nothing left in it goes back to the pool. */
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

/* Forgets what was held: its message was aborted. */
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
