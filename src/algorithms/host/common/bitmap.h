/* src/algorithms/host/common/bitmap.h - bitmaps of packets that grow with what is in flight. Per packet, hence inline.
 * */
#ifndef WEIR_HOST_COMMON_BITMAP_H
#define WEIR_HOST_COMMON_BITMAP_H
#include "host/common/state.h"

#define HOST_BITMAP_UNITS 128u /* most of a bitmap that lies in its record: 8192 packets */

/* Packets of a connection, one bit each, by packet modulo the size. Bits are set only in [edge, edge + size), where
 * edge is the window's lower end; so a bitmap may be smaller than the window. It begins in its record, and grows when
 * a packet further from the edge is to be noted (bitmap.c). */
struct host_bitmap {
    uint64_t *bits; /* in units of 64 packets */
    uint32_t mask;  /* units - 1, which are a power of two */
};

void host_bitmaps_init(struct weir_host *h);
bool host_bitmap_grow(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts);
void host_bitmap_clear(const struct host_bitmap *b);
void host_bitmap_close(struct weir_host *h, struct host_bitmap *b);

/* Begins a bitmap, in a record's own memory. */
static inline struct host_bitmap host_bitmap_open(const struct weir_host *h, uint64_t *own)
{
    return (struct host_bitmap){ own, h->bitmap_units - 1 };
}

/* Tests whether it has bits for so many packets from its edge on. */
static inline bool host_bitmap_holds(const struct host_bitmap *b, uint32_t pkts)
{
    return pkts <= 64 * (b->mask + 1);
}

/* Makes room for packets [edge, edge + pkts), at most a window. @return false = no memory, nothing changed */
static inline bool host_bitmap_room(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts)
{
    return WEIR_LIKELY(host_bitmap_holds(b, pkts)) || host_bitmap_grow(h, b, edge, pkts);
}

/* Reads the bit of a packet, which lies within the size of the edge. */
static inline bool host_bit(const struct host_bitmap *b, uint32_t pkt)
{
    return b->bits[pkt / 64 & b->mask] >> pkt % 64 & 1;
}

static inline void host_bit_flip(struct host_bitmap *b, uint32_t pkt)
{
    b->bits[pkt / 64 & b->mask] ^= UINT64_C(1) << pkt % 64;
}

/* Returns the first packet from pkt on whose bit is set; there is one. */
static inline uint32_t host_bitmap_first(const struct host_bitmap *b, uint32_t pkt)
{
    uint32_t from = pkt;
    while (!host_bit(b, pkt)) {
        pkt = b->bits[pkt / 64 & b->mask] >> pkt % 64 == 0 ? (pkt | 63) + 1 : pkt + 1;
        WEIR_ASSERT(host_bitmap_holds(b, pkt - from + 1));
    }
    return pkt;
}
#endif
