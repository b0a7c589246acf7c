/* src/transport/endpoint/memory.h - blocks of memory within a budget, and room for the tables of the host. */
#ifndef WEIR_ENDPOINT_MEMORY_H
#define WEIR_ENDPOINT_MEMORY_H
#include "endpoint/endpoint.h"

/* Allocates zeroed memory, and counts that the heap was asked. @return NULL = the heap has no more */
void *ep_calloc(struct weir_ep *ep, size_t count, size_t bytes);

/**
 * Takes a block of at least so many bytes, not cleared.
 * @param room  what it takes of the budget; ep_pool_give() wants it back
 * @return NULL = the budget or the heap has no more
 */
void *ep_pool_take(struct weir_ep *ep, struct ep_pool *pool, size_t bytes, size_t *room);

/* Gives a block back; NULL is allowed. */
void ep_pool_give(struct ep_pool *pool, void *block, size_t room);

/* Tests whether the budget has room for a block of so many bytes. */
bool ep_pool_has(const struct ep_pool *pool, size_t bytes);

/* Gives the blocks that are kept for later back to the heap. */
void ep_pool_clear(struct ep_pool *pool);

/* Serves struct weir_mem's grow(): memory that is zeroed, aligned to 64 and good until the endpoint closes. What
 * peers can make the host ask for has an end. @return NULL = grown_most is reached, or the heap has no more */
void *ep_host_grow(void *ctx, size_t size);

/* Frees all that ep_host_grow() gave. */
void ep_chunks_free(struct weir_ep *ep);
#endif
