/* src/host/common/bitmap.c - bitmaps of packets that grow with what is in flight. host.window may be 2^18 packets,
 * yet most connections never have so many in flight, and fewer still while packets are out of order. So a bitmap
 * begins in its record, with room for 8192 packets or the window if that is less. It is doubled when a packet further
 * from the edge is to be noted. Memory that is not needed any more is kept by size, for the next bitmap that grows.
 * (As scrap of table.c it would be cut up for smaller needs, and the next large bitmap would take new memory.) */
#include "host/common/bitmap.h"
#include "host/common/table.h"

_Static_assert(64 * HOST_BITMAP_WORDS << HOST_BITMAP_SPARES == WEIR_HOST_WINDOW_PKTS_MAX,
               "the largest bitmap is a window");

/* Sets the size of a bitmap that begins: 8192 packets, or the window if that is less. */
void host_bitmaps_init(struct weir_host *h)
{
    h->bitmap_words = 1;
    while (h->bitmap_words < HOST_BITMAP_WORDS && 64 * h->bitmap_words < h->window_pkts)
        h->bitmap_words *= 2;
    WEIR_ASSERT(64 * h->bitmap_words << HOST_BITMAP_SPARES >= h->window_pkts); /* the largest spare is a window */
}

struct host_spare { /* a bitmap that was outgrown or is not needed any more; but for this it is all 0 */
    struct host_spare *next;
};

/* Returns where spare bitmaps of so many words are kept. */
static struct host_spare **spares_of(struct weir_host *h, uint32_t words)
{
    uint32_t size = 0;
    while (HOST_BITMAP_WORDS << (size + 1) < words)
        size++;
    WEIR_ASSERT(HOST_BITMAP_WORDS << (size + 1) == words);
    WEIR_ASSERT(size < HOST_BITMAP_SPARES);
    return &h->spare[size];
}

/* Takes memory for a bitmap, zeroed. @return NULL = no memory */
static uint64_t *words_take(struct weir_host *h, uint32_t words)
{
    struct host_spare **first = spares_of(h, words), *spare = *first;
    if (spare == NULL)
        return host_grow(h, words * sizeof(uint64_t));
    *first = spare->next;
    spare->next = NULL;
    return (uint64_t *)(void *)spare;
}

/* Keeps the memory of a bitmap, all 0, for another one. What lies in a record stays there. */
static void words_give(struct weir_host *h, uint64_t *word, uint32_t words)
{
    struct host_spare **first, *spare = (struct host_spare *)(void *)word;
    if (words <= HOST_BITMAP_WORDS)
        return;
    for (uint32_t i = 0; i < words; i++)
        WEIR_CHECK(word[i] == 0);
    first = spares_of(h, words);
    spare->next = *first;
    *first = spare;
}

/* Moves the bits of [edge, edge + 64 * words) to a larger bitmap and leaves zeros. The edge's word holds the first of
 * these packets above the edge's bit, and the last of them below. */
static void words_move(uint64_t *from, uint32_t words, uint64_t *to, uint32_t more, uint32_t edge)
{
    uint64_t below = (UINT64_C(1) << edge % 64) - 1;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t at = edge / 64 + i;
        to[at & (more - 1)] = from[at & (words - 1)];
        from[at & (words - 1)] = 0;
    }
    to[(edge / 64 + words) & (more - 1)] = to[edge / 64 & (more - 1)] & below;
    to[edge / 64 & (more - 1)] &= ~below;
}

/* Doubles a bitmap until it holds `pkts` packets from the edge on; the rare half of host_bitmap_room(). */
HOST_COLD bool host_bitmap_grow(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts)
{
    uint32_t words = b->mask + 1, more = 2 * words;
    WEIR_ASSERT(pkts <= h->window_pkts);
    WEIR_ASSERT(pkts > 64 * words);
    while (64 * more < pkts)
        more *= 2;
    uint64_t *to = words_take(h, more);
    if (to == NULL)
        return false;
    words_move(b->word, words, to, more, edge);
    words_give(h, b->word, words);
    *b = (struct host_bitmap){ to, more - 1 };
    return true;
}

void host_bitmap_clear(const struct host_bitmap *b)
{
    for (uint32_t i = 0; i <= b->mask; i++)
        b->word[i] = 0;
}

/* Closes a bitmap in which no bit is set any more: memory outside the record is free for others. */
void host_bitmap_close(struct weir_host *h, struct host_bitmap *b)
{
    words_give(h, b->word, b->mask + 1);
}
