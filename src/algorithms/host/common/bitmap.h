/* src/algorithms/host/common/bitmap.h - bitmaps of packets that grow with the packets in flight. The functions used per
 * packet are inline. */
#ifndef WEIR_HOST_COMMON_BITMAP_H
#define WEIR_HOST_COMMON_BITMAP_H
#include "host/common/state.h"

#define HOST_BITMAP_UNITS 128u /* largest bitmap stored in its owner's record, in units of 64 packets: 8192 packets */

/* Packets of a connection or a receiver-driven message, one bit each. The bit of a packet has the index: packet number
 * modulo the size. Bits are set only in [edge, edge + size), where edge is the first packet that is missing or not
 * acknowledged; so a bitmap may be smaller than the window. Its initial memory is in the owner's record. It grows
 * when a packet further from the edge must be noted (bitmap.c). */
struct host_bitmap {
    uint64_t *bits; /* array of units of 64 packets */
    uint32_t mask;  /* number of units - 1; the number of units is a power of two */
};

void host_bitmaps_init(struct weir_host *h);
bool host_bitmap_grow(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts);
void host_bitmap_clear(const struct host_bitmap *b);
void host_bitmap_close(struct weir_host *h, struct host_bitmap *b);

/* Returns a new bitmap of h->bitmap_units units. own: its memory, zeroed, in the owner's record */
static inline struct host_bitmap host_bitmap_open(const struct weir_host *h, uint64_t *own)
{
    return (struct host_bitmap){ own, h->bitmap_units - 1 };
}

/* Tests whether the bitmap has bits for `pkts` packets from its edge on. */
static inline bool host_bitmap_holds(const struct host_bitmap *b, uint32_t pkts)
{
    return pkts <= 64 * (b->mask + 1);
}

/* Makes room for packets [edge, edge + pkts), at most a window. @return false = no memory, and nothing has changed */
static inline bool host_bitmap_room(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts)
{
    return WEIR_LIKELY(host_bitmap_holds(b, pkts)) || host_bitmap_grow(h, b, edge, pkts);
}

/* Returns the bit of packet pkt, which must lie in [edge, edge + size). */
static inline bool host_bit(const struct host_bitmap *b, uint32_t pkt)
{
    return b->bits[pkt / 64 & b->mask] >> pkt % 64 & 1;
}

static inline void host_bit_flip(struct host_bitmap *b, uint32_t pkt)
{
    b->bits[pkt / 64 & b->mask] ^= UINT64_C(1) << pkt % 64;
}

/* Returns the first packet at or after pkt whose bit is set; there must be one within the bitmap. */
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
