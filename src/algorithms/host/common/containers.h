/* src/algorithms/host/common/containers.h - tables, pools, numbers, maps and rings of a host: their structs, and inline
 * functions that read them. table.h declares the functions that make them grow. */
#ifndef WEIR_HOST_COMMON_CONTAINERS_H
#define WEIR_HOST_COMMON_CONTAINERS_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_NONE UINT32_MAX
#define HOST_COLD __attribute__((noinline)) /* cold path: not inlined, so that the hot caller keeps its registers */
#define HOST_BLOCK_SHIFT 4u                 /* records per block of a table: 16 */

/* Table of records of one size that never move. Record i lies at block[i >> shift] + stride * (i mod 2^shift). */
struct host_table {
    unsigned char **block;
    uint32_t count, room; /* count: records, both in use and given back; room: entries of block[] */
    uint32_t stride;      /* bytes per record */
    uint32_t free;        /* pool: first free record, whose first word has the index of the next; or HOST_NONE */
};

#define HOST_NUMBERS_PAGE 1024u
#define HOST_NUMBERS_PAGES 64u /* initial entries of the list of pages, which is doubled */

/* Map from a host's number to the index + 1 of its record. An entry has two bytes, so that few cache lines are read.
 * The map is split into pages of HOST_NUMBERS_PAGE hosts, allocated when used. Most networks need only the first page,
 * which is read without the list of pages. */
struct host_numbers {
    uint16_t *first, **page;
    uint32_t pages; /* entries of page[]: 0, or HOST_NUMBERS_PAGES times a power of two */
};

struct host_slot { /* slot of struct host_map: tag of the key, and index + 1 of the record; value 0 = empty */
    uint32_t tag, value;
};

struct host_map { /* hash map with open addressing, at most two thirds full; the caller compares keys in the records */
    struct host_slot *slot;
    uint32_t count, shift; /* 2^(32 - shift) slots */
};

struct host_ring { /* queue of fixed-size entries in a circular array; capacity is a power of two, or 0 */
    unsigned char *entry;
    uint32_t head, count, capacity;
};

/* Address of record `index` of a table whose records have the given type, in blocks of 2^HOST_BLOCK_SHIFT records. The
 * stride is a constant, sizeof(type). The macro evaluates index twice, so index must have no side effects. */
#define HOST_RECORD(type, table, index)                                                                                \
    ((type *)(void *)(table)->block[(index) >> HOST_BLOCK_SHIFT] + ((index) & ((1u << HOST_BLOCK_SHIFT) - 1)))

/* Returns the address of record `index` of a table whose stride is known at run time only. A block has 2^shift
 * records. */
static inline void *host_at(const struct host_table *t, uint32_t shift, uint32_t index)
{
    return t->block[index >> shift] + (size_t)(index & ((1u << shift) - 1)) * t->stride;
}

/* Returns entry i of a ring, counted from the front, from 0. stride: size of an entry, always passed as a sizeof */
static inline void *host_ring_at(const struct host_ring *ring, uint32_t i, uint32_t stride)
{
    return ring->entry + (size_t)((ring->head + i) & (ring->capacity - 1)) * stride;
}

/* Removes the first entry. A ring that becomes empty restarts at the front of its array, which is still in the
 * cache. */
static inline void host_ring_drop(struct host_ring *ring)
{
    ring->count--;
    ring->head = (ring->head + 1) & (ring->capacity - 1) & (0u - (uint32_t)(ring->count > 0));
}

/* Returns index + 1 of the record of host id; 0 = it has none. */
static inline uint32_t host_number(const struct host_numbers *n, uint32_t id)
{
    const uint16_t *page = n->first;
    if (WEIR_UNLIKELY(id >= HOST_NUMBERS_PAGE))
        page = id / HOST_NUMBERS_PAGE < n->pages ? n->page[id / HOST_NUMBERS_PAGE] : NULL;
    return WEIR_LIKELY(page != NULL) ? page[id % HOST_NUMBERS_PAGE] : 0;
}

/* Tests whether packet a comes before packet b. Packet numbers are modulo 2^32; the sign of their difference decides.
 * At most WEIR_HOST_WINDOW_PKTS_MAX of them are in use at once, so the result is never ambiguous. */
static inline bool host_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}
#endif
