/* src/transport/endpoint/memory.c - blocks of memory within a budget, and memory for the tables of the host.
 *
 * Blocks have four size classes per doubling, so above 64 bytes at most a fifth of a block is unused. A block that is
 * given back is kept in the list of its class. If the budget is full of kept blocks and another size is needed, kept
 * blocks are freed.
 *
 * Blocks are of the budget's arena. So an endpoint asks the heap for nothing after it was opened, however its load
 * changes. The heap has what does not fit between other blocks of the arena. */
#include "endpoint/memory.h"
#include "endpoint/arena.h"
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

void ep_pool_open(struct ep_pool *pool, uint64_t limit)
{
    *pool = (struct ep_pool){ .limit = limit };
    ep_arena_open(&pool->arena, limit);
}

static void free_block(struct ep_pool *pool, void *block, size_t room)
{
    if (ep_arena_owns(&pool->arena, block))
        ep_arena_give(&pool->arena, block, room);
    else
        free(block);
}

/* Frees kept blocks, the largest first, until used and kept ones are at most `most` bytes or no block is kept. */
static void free_kept(struct ep_pool *pool, uint64_t most)
{
    for (uint32_t c = EP_CLASSES; c > 0; c--) {
        while (pool->used + pool->kept > most && pool->free[c - 1] != NULL)
            free_block(pool, pop(pool, c - 1), class_bytes(c - 1));
    }
}

/* Returns a new block. It is of the heap if the arena has no place for it even without kept blocks. */
static void *new_block(struct weir_ep *ep, struct ep_pool *pool, size_t room)
{
    void *block;
    free_kept(pool, pool->limit - room);
    block = ep_arena_take(&pool->arena, room);
    if (block == NULL && pool->kept > 0 && pool->arena.bytes > 0) {
        free_kept(pool, 0);
        block = ep_arena_take(&pool->arena, room);
    }
    if (block != NULL)
        return block;
    ep->stats.allocations++;
    return malloc(room);
}

void *ep_pool_take(struct weir_ep *ep, struct ep_pool *pool, size_t bytes, size_t *room)
{
    uint32_t c;
    void *block;
    if (!ep_pool_has(pool, bytes))
        return NULL;
    *room = block_bytes(pool, bytes, &c);
    block = c < EP_CLASSES ? pop(pool, c) : NULL;
    if (block == NULL)
        block = new_block(ep, pool, *room);
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
        free_block(pool, block, room);
        return;
    }
    memcpy(block, &pool->free[c], sizeof(void *));
    pool->free[c] = block;
    pool->kept += room;
}

void ep_pool_close(struct ep_pool *pool)
{
    free_kept(pool, 0);
    ep_arena_close(&pool->arena);
}

void ep_host_reserve(struct weir_ep *ep)
{
    WEIR_ASSERT(ep->reserved == NULL && ep->chunks == NULL);
    ep->reserved_bytes = weir_min_u64(ep->grown_most, EP_ARENA_MOST);
    ep->reserved = ep->chunk_next = ep_reserve(&ep->reserved_bytes);
    ep->chunk_left = ep->reserved_bytes;
}

/* Takes memory for the host from the heap, for want of reserved memory. */
static bool more_chunks(struct weir_ep *ep, size_t size)
{
    size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    struct ep_chunk *chunk;
    ep->stats.allocations++;
    chunk = aligned_alloc(64, bytes + 64);
    if (chunk == NULL)
        return false;
    memset(chunk, 0, bytes + 64);
    chunk->next = ep->chunks;
    ep->chunks = chunk;
    ep->chunk_left = bytes;
    ep->chunk_next = (unsigned char *)chunk + 64;
    return true;
}

void *ep_host_grow(void *ctx, size_t size)
{
    struct weir_ep *ep = ctx;
    WEIR_ASSERT(size % 64 == 0 && ep->grown_bytes <= ep->grown_most);
    if (ep->grown_bytes + size > ep->grown_most)
        return NULL;
    if (size > ep->chunk_left && !more_chunks(ep, size))
        return NULL;
    ep->grown_bytes += size;
    ep->chunk_left -= size;
    ep->chunk_next += size;
    return ep->chunk_next - size;
}

void ep_host_free(struct weir_ep *ep)
{
    ep_unreserve(ep->reserved, ep->reserved_bytes);
    while (ep->chunks != NULL) {
        struct ep_chunk *chunk = ep->chunks;
        ep->chunks = chunk->next;
        free(chunk);
    }
}
