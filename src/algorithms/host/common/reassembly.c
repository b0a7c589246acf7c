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

/* Counts the packets in [edge, end) without a break, from end - 1 downwards, whose bits are `arrived`. */
static uint32_t run_below(const struct host_bitmap *b, uint32_t edge, uint32_t end, bool arrived)
{
    uint32_t at = end;
    while (at != edge) {
        uint32_t last = (at - 1) % 64; /* in its unit */
        uint64_t unit = b->bits[(at - 1) / 64 & b->mask];
        uint64_t others = (arrived ? ~unit : unit) << (63 - last);
        uint32_t run = others == 0 ? last + 1 : (uint32_t)__builtin_clzll(others);
        if (run >= at - edge)
            return end - edge;
        at -= run;
        if (run <= last)
            break;
    }
    return end - at;
}

/* Writes the ranges of packets that have arrived beyond the edge, the highest first. gap: index + 1; 0 = none. @return
 * their number, at most max */
uint32_t host_gap_ranges(const struct weir_host *h, uint32_t gap, uint32_t edge, struct weir_ack_range *out,
                         uint32_t max)
{
    const struct host_gap *g = gap != 0 ? host_gap_at(h, gap) : NULL;
    uint32_t count = 0, end = g != NULL ? g->high : edge;
    WEIR_ASSERT(g == NULL || host_bitmap_holds(&g->got, end - edge));
    while (end != edge && count < max) {
        uint32_t pkts = run_below(&g->got, edge, end, true);
        WEIR_ASSERT(pkts > 0); /* the packet at the end of a range, or below a gap, has arrived */
        end -= pkts;
        out[count++] = (struct weir_ack_range){ end, pkts };
        end -= run_below(&g->got, edge, end, false);
    }
    return count;
}
