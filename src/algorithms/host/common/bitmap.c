/* src/algorithms/host/common/bitmap.c - bitmaps of packets that grow with the packets in flight. host.window may be
 * 2^18 packets, yet most connections never have so many in flight. So a bitmap begins in its owner's record, with room
 * for 8192 packets, or for the window if the window is smaller. It is doubled when a packet further from the edge has
 * to be noted. Bitmaps that are not needed any more are kept in lists by size, for the next bitmap that grows. table.c
 * would cut them up for smaller requests, and the next large bitmap would take new memory. */
#include "host/common/bitmap.h"
#include "host/common/table.h"

_Static_assert(64 * HOST_BITMAP_UNITS << HOST_BITMAP_SPARES == WEIR_HOST_WINDOW_PKTS_MAX,
               "the largest bitmap is a window");

/* Sets h->bitmap_units, the size of a new bitmap: the window in packets, rounded up to a power of two, but at most 8192
 * packets. */
void host_bitmaps_init(struct weir_host *h)
{
    h->bitmap_units = 1;
    while (h->bitmap_units < HOST_BITMAP_UNITS && 64 * h->bitmap_units < h->window_pkts)
        h->bitmap_units *= 2;
    WEIR_ASSERT(64 * h->bitmap_units << HOST_BITMAP_SPARES >= h->window_pkts); /* the largest spare is a window */
}

struct host_spare { /* an unused bitmap outside its owner's record; all bits but this pointer are 0 */
    struct host_spare *next;
};

/* Returns the head of the list of unused bitmaps with `units` units. */
static struct host_spare **spares_of(struct weir_host *h, uint32_t units)
{
    uint32_t size = 0;
    while (HOST_BITMAP_UNITS << (size + 1) < units)
        size++;
    WEIR_ASSERT(HOST_BITMAP_UNITS << (size + 1) == units);
    WEIR_ASSERT(size < HOST_BITMAP_SPARES);
    return &h->spare[size];
}

/* Takes zeroed memory for a bitmap of `units` units. @return NULL = no memory */
static uint64_t *units_take(struct weir_host *h, uint32_t units)
{
    struct host_spare **first = spares_of(h, units), *spare = *first;
    if (spare == NULL)
        return host_grow(h, units * sizeof(uint64_t));
    *first = spare->next;
    spare->next = NULL;
    return (uint64_t *)(void *)spare;
}

/* Keeps the memory of a bitmap, in which all bits are 0, for later use. Does nothing if the memory is in the owner's
 * record. */
static void units_give(struct weir_host *h, uint64_t *bits, uint32_t units)
{
    struct host_spare **first, *spare = (struct host_spare *)(void *)bits;
    if (units <= HOST_BITMAP_UNITS)
        return;
    for (uint32_t i = 0; i < units; i++)
        WEIR_CHECK(bits[i] == 0);
    first = spares_of(h, units);
    spare->next = *first;
    *first = spare;
}

/* Moves the bits of packets [edge, edge + 64 * units) to a larger bitmap of `more` units, and clears the old bitmap. A
 * bitmap is circular, and edge may lie within a unit. That unit of the old bitmap then holds the first packets in its
 * upper bits and the last packets in its lower bits. The lower bits go to another unit of the new bitmap. */
static void units_move(uint64_t *from, uint32_t units, uint64_t *to, uint32_t more, uint32_t edge)
{
    uint64_t below = (UINT64_C(1) << edge % 64) - 1;
    for (uint32_t i = 0; i < units; i++) {
        uint32_t at = edge / 64 + i;
        to[at & (more - 1)] = from[at & (units - 1)];
        from[at & (units - 1)] = 0;
    }
    to[(edge / 64 + units) & (more - 1)] = to[edge / 64 & (more - 1)] & below;
    to[edge / 64 & (more - 1)] &= ~below;
}

/* Doubles a bitmap until it holds `pkts` packets from the edge on, at most a window; the general path of
 * host_bitmap_room(). @return false = no memory, and nothing has changed */
HOST_COLD bool host_bitmap_grow(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts)
{
    uint32_t units = b->mask + 1, more = 2 * units;
    WEIR_ASSERT(pkts <= h->window_pkts);
    WEIR_ASSERT(pkts > 64 * units);
    while (64 * more < pkts)
        more *= 2;
    uint64_t *to = units_take(h, more);
    if (to == NULL)
        return false;
    units_move(b->bits, units, to, more, edge);
    units_give(h, b->bits, units);
    *b = (struct host_bitmap){ to, more - 1 };
    return true;
}

void host_bitmap_clear(const struct host_bitmap *b)
{
    for (uint32_t i = 0; i <= b->mask; i++)
        b->bits[i] = 0;
}

/* Closes a bitmap in which no bit is set: keeps its memory, if it is outside the owner's record, for other bitmaps. */
void host_bitmap_close(struct weir_host *h, struct host_bitmap *b)
{
    units_give(h, b->bits, b->mask + 1);
}
