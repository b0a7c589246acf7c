/* src/transport/endpoint/memory.c - blocks of memory within a budget, and memory for the tables of the host.
 *
 * Blocks have four size classes per doubling, so above 64 bytes at most a fifth of a block is unused. A block that is
 * given back is kept in the list of its class. So an endpoint whose load is steady asks the heap for nothing. If the
 * budget is full of kept blocks and another size is needed, kept blocks are freed. */
#include "endpoint/memory.h"
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536u
#define SMALLEST 64u

struct ep_chunk { /* a chunk of memory for the host; the usable bytes begin 64 bytes after its address */
    struct ep_chunk *next;
};

void *ep_calloc(struct weir_ep *ep, size_t count, size_t bytes)
{
    ep->stats.allocations++;
    return calloc(count, bytes);
}

/* Returns the smallest class whose blocks have at least `bytes` bytes. Where 2^e <= bytes - 1 < 2^(e + 1), the two bits
 * of bytes - 1 below its top bit choose among the four classes of this doubling. */
static uint32_t class_of(size_t bytes)
{
    if (bytes <= SMALLEST)
        return 0;
    uint32_t e = 63 - (uint32_t)__builtin_clzll(bytes - 1);
    return (e - 6) * 4 + (uint32_t)((bytes - 1) >> (e - 2) & 3) + 1;
}

static size_t class_bytes(uint32_t c)
{
    if (c == 0)
        return SMALLEST;
    return (size_t)(5 + (c - 1) % 4) << ((c - 1) / 4 + 4);
}

/* Returns the size of a block for `bytes` bytes: the size of its class, to which *c is set. If the class is larger than
 * the whole budget, returns `bytes` and sets *c to EP_CLASSES. */
static size_t block_bytes(const struct ep_pool *pool, size_t bytes, uint32_t *c)
{
    *c = class_of(bytes);
    if (*c < EP_CLASSES && class_bytes(*c) <= pool->limit)
        return class_bytes(*c);
    *c = EP_CLASSES;
    return bytes;
}

bool ep_pool_has(const struct ep_pool *pool, size_t bytes)
{
    uint32_t c;
    return bytes <= pool->limit && pool->used + block_bytes(pool, bytes, &c) <= pool->limit;
}

size_t ep_pool_block(const struct ep_pool *pool, size_t bytes)
{
    uint32_t c;
    return block_bytes(pool, bytes, &c);
}

static void *pop(struct ep_pool *pool, uint32_t c)
{
    void *block = pool->free[c];
    if (block == NULL)
        return NULL;
    memcpy(&pool->free[c], block, sizeof(void *));
    WEIR_ASSERT(pool->kept >= class_bytes(c));
    pool->kept -= class_bytes(c);
    return block;
}

/* Frees kept blocks, the largest first, until `bytes` more fit into the budget or no block is kept. */
static void make_room(struct ep_pool *pool, size_t bytes)
{
    for (uint32_t c = EP_CLASSES; c > 0; c--) {
        while (pool->used + pool->kept + bytes > pool->limit && pool->free[c - 1] != NULL)
            free(pop(pool, c - 1));
    }
}

void *ep_pool_take(struct weir_ep *ep, struct ep_pool *pool, size_t bytes, size_t *room)
{
    uint32_t c;
    void *block;
    if (!ep_pool_has(pool, bytes))
        return NULL;
    *room = block_bytes(pool, bytes, &c);
    block = c < EP_CLASSES ? pop(pool, c) : NULL;
    if (block == NULL) {
        make_room(pool, *room);
        ep->stats.allocations++;
        block = malloc(*room);
    }
    if (block != NULL)
        pool->used += *room;
    WEIR_ASSERT(pool->used <= pool->limit);
    return block;
}

void ep_pool_give(struct ep_pool *pool, void *block, size_t room)
{
    uint32_t c = class_of(room);
    if (block == NULL)
        return;
    WEIR_ASSERT(pool->used >= room);
    pool->used -= room;
    if (c >= EP_CLASSES || class_bytes(c) != room) {
        free(block);
        return;
    }
    memcpy(block, &pool->free[c], sizeof(void *));
    pool->free[c] = block;
    pool->kept += room;
}

void ep_pool_clear(struct ep_pool *pool)
{
    for (uint32_t c = 0; c < EP_CLASSES; c++) {
        while (pool->free[c] != NULL)
            free(pop(pool, c));
    }
}

void *ep_host_grow(void *ctx, size_t size)
{
    struct weir_ep *ep = ctx;
    size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    struct ep_chunk *chunk;
    if (size > ep->chunk_left) {
        if (ep->grown_bytes + bytes > ep->grown_most)
            return NULL;
        ep->stats.allocations++;
        chunk = aligned_alloc(64, bytes + 64);
        if (chunk == NULL)
            return NULL;
        memset(chunk, 0, bytes + 64);
        chunk->next = ep->chunks;
        ep->chunks = chunk;
        ep->chunk_left = bytes;
        ep->chunk_next = (unsigned char *)chunk + 64;
        ep->grown_bytes += bytes;
    }
    WEIR_ASSERT(ep->grown_bytes <= ep->grown_most);
    ep->chunk_left -= size;
    ep->chunk_next += size;
    return ep->chunk_next - size;
}

void ep_chunks_free(struct weir_ep *ep)
{
    while (ep->chunks != NULL) {
        struct ep_chunk *chunk = ep->chunks;
        ep->chunks = chunk->next;
        free(chunk);
    }
}
