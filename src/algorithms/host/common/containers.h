/* src/algorithms/host/common/containers.h - tables, pools, numbers, maps and rings of a host: the records, and how they
 * are read. table.h makes room. */
#ifndef WEIR_HOST_COMMON_CONTAINERS_H
#define WEIR_HOST_COMMON_CONTAINERS_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_NONE UINT32_MAX
#define HOST_COLD __attribute__((noinline)) /* cold path: not inlined, so that the hot caller keeps its registers */
#define HOST_BLOCK_SHIFT 4u                 /* records per block of a table: 16 */

/* Records of one size that never move: block[i >> shift] + stride * (i mod 2^shift). */
struct host_table {
    unsigned char **block;
    uint32_t count, room; /* records handed out; entries of block[] */
    uint32_t stride;      /* bytes per record */
    uint32_t free;        /* HOST_NONE or the record given back last; its first word names the next one */
};

#define HOST_NUMBERS_PAGE 1024u
#define HOST_NUMBERS_PAGES 64u /* the list of pages begins so long, and doubles */

/* host -> index + 1 of its record, in two bytes: what a visit needs of it lies in few lines. Pages where there are
 * any, by number / 1024; most networks need the first alone, which is read without the list. */
struct host_numbers {
    uint16_t *first, **page;
    uint32_t pages; /* entries of page[]: 0, or HOST_NUMBERS_PAGES times a power of two */
};

struct host_slot { /* of struct host_map: tag of the key, and the record's index + 1; 0 = empty */
    uint32_t tag, value;
};

struct host_map { /* open addressing, at most two thirds full; keys are verified in the record */
    struct host_slot *slot;
    uint32_t count, shift; /* 2^(32 - shift) slots */
};

struct host_ring { /* queue of fixed-size entries; capacity is a power of two */
    unsigned char *entry;
    uint32_t head, count, capacity;
};

/* Record `index`, a variable, of a table whose records are of one type, in blocks of 2^HOST_BLOCK_SHIFT: the stride
 * is a constant. */
#define HOST_RECORD(type, table, index)                                                                                \
    ((type *)(void *)(table)->block[(index) >> HOST_BLOCK_SHIFT] + ((index) & ((1u << HOST_BLOCK_SHIFT) - 1)))

/* Returns a record of a table whose stride is known at run time. */
static inline void *host_at(const struct host_table *t, uint32_t shift, uint32_t index)
{
    return t->block[index >> shift] + (size_t)(index & ((1u << shift) - 1)) * t->stride;
}

/* Returns the i-th entry from the front; stride: of the ring's entries, always written as a sizeof. */
static inline void *host_ring_at(const struct host_ring *ring, uint32_t i, uint32_t stride)
{
    return ring->entry + (size_t)((ring->head + i) & (ring->capacity - 1)) * stride;
}

/* Drops the first entry. An empty ring begins anew at its first entry, which is in the cache still. */
static inline void host_ring_drop(struct host_ring *ring)
{
    ring->count--;
    ring->head = (ring->head + 1) & (ring->capacity - 1) & (0u - (uint32_t)(ring->count > 0));
}

/* Returns the record + 1 of a host; 0 = none. */
static inline uint32_t host_number(const struct host_numbers *n, uint32_t id)
{
    const uint16_t *page = n->first;
    if (WEIR_UNLIKELY(id >= HOST_NUMBERS_PAGE))
        page = id / HOST_NUMBERS_PAGE < n->pages ? n->page[id / HOST_NUMBERS_PAGE] : NULL;
    return WEIR_LIKELY(page != NULL) ? page[id % HOST_NUMBERS_PAGE] : 0;
}

/* Tests whether packet a is before packet b. Indices are compared modulo 2^32 by their difference; at most
 * WEIR_HOST_WINDOW_PKTS_MAX of them are in play at once, so that is never ambiguous. */
static inline bool host_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}
#endif
