/* src/transport/endpoint/memory.h - blocks of memory within a budget, and memory for the tables of the host. */
#ifndef WEIR_ENDPOINT_MEMORY_H
#define WEIR_ENDPOINT_MEMORY_H
#include "endpoint/endpoint.h"

/* Allocates count * bytes of zeroed memory from the heap, and counts the allocation. The caller frees it. @return NULL
 * = the heap has no more */
void *ep_calloc(struct weir_ep *ep, size_t count, size_t bytes);

/* Makes a budget of `limit` bytes, with an arena for its blocks. */
void ep_pool_open(struct ep_pool *pool, uint64_t limit);

/**
 * Takes a block of at least `bytes` bytes, not cleared, from a budget.
 * @param room  set to the bytes that the block takes of the budget; ep_pool_give() needs this number
 * @return NULL = the budget or the heap has no more
 */
void *ep_pool_take(struct weir_ep *ep, struct ep_pool *pool, size_t bytes, size_t *room);

/* Gives a block back to the budget it was taken from. room: as set by ep_pool_take(). block may be NULL. */
void ep_pool_give(struct ep_pool *pool, void *block, size_t room);

/* Tests whether a block of `bytes` bytes fits into the part of the budget that is not in use. */
bool ep_pool_has(const struct ep_pool *pool, size_t bytes);

/* Returns the bytes that a block of `bytes` bytes takes of the budget. */
size_t ep_pool_block(const struct ep_pool *pool, size_t bytes);

/* Frees the blocks that a budget keeps for reuse, and its arena with all other blocks in it. */
void ep_pool_close(struct ep_pool *pool);

/* Reserves memory for ep_host_grow(), grown_most bytes; none if that cannot be had. */
void ep_host_reserve(struct weir_ep *ep);

/* Returns memory for the host's tables: zeroed, and valid until the endpoint closes. It is aligned to 64 because the
 * host asks for multiples of 64. Limited to grown_most in all, because peers can make the host ask for more. grow() of
 * struct weir_mem; ctx is the endpoint. @return NULL = grown_most is reached, or the heap has no more */
void *ep_host_grow(void *ctx, size_t size);

/* Frees all memory that ep_host_grow() returned. */
void ep_host_free(struct weir_ep *ep);
#endif
