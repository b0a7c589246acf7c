/* src/transport/endpoint/arena.h - address space that is reserved once, and blocks of it. */
#ifndef WEIR_ENDPOINT_ARENA_H
#define WEIR_ENDPOINT_ARENA_H
#include "endpoint/endpoint.h"

#define EP_ARENA_MOST (UINT64_C(1) << 36) /* no arena is larger */

/* Reserves zeroed memory: *bytes, rounded down to a multiple of 64 KiB, which is put there. The kernel gives physical
 * memory only where it is written. @return NULL = none, and *bytes is 0: the kernel refuses, or this process may not
 * have as much address space as it likes */
void *ep_reserve(uint64_t *bytes);

/* Gives back what ep_reserve() returned. base may be NULL. */
void ep_unreserve(void *base, uint64_t bytes);

/* Reserves room for blocks of `bytes` in all, twice as much because blocks lie apart. Without room, and in a program
 * that checks the use of memory, the arena stays empty. */
void ep_arena_open(struct ep_arena *a, uint64_t bytes);

/* Takes a block of at least `bytes` bytes, not cleared, aligned to 64: the one with the lowest address that fits.
 * @return NULL = none fits */
void *ep_arena_take(struct ep_arena *a, uint64_t bytes);

/* Tests whether a block is of the arena. */
bool ep_arena_owns(const struct ep_arena *a, const void *block);

/* Gives a block back. bytes: as it was taken with. */
void ep_arena_give(struct ep_arena *a, void *block, uint64_t bytes);

/* Gives all of the arena back to the kernel, with its blocks. */
void ep_arena_close(struct ep_arena *a);
#endif
