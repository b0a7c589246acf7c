/* src/simulator/state/ring.h - operations of struct sim_ring: a growable ring of entries of one size, in the arena of a
 * thread. */
#ifndef WEIR_STATE_RING_H
#define WEIR_STATE_RING_H
#include "state/state.h"

/* Returns entry i of a ring; entry 0 is the oldest, and i must be below ring->count. size: bytes of an entry */
static inline void *ring_at(const struct sim_ring *ring, size_t size, uint32_t i)
{
    return (char *)ring->entry + (size_t)((ring->first + i) & (ring->capacity - 1)) * size;
}

/* Appends an entry, which the caller must write. A full ring is moved to twice the memory, so pointers to entries
 * become invalid. Leaves by longjmp if there is no memory. @return the new entry */
static inline void *ring_push(struct sim_thread *th, struct sim_ring *ring, size_t size)
{
    if (ring->count == ring->capacity) {
        struct sim_ring bigger = { .capacity = ring->capacity == 0 ? 16 : 2 * ring->capacity };
        bigger.entry = weir_arena_take(&th->arena, bigger.capacity * size);
        if (bigger.entry == NULL)
            longjmp(th->out_of_memory, 1);
        WEIR_ASSERT((bigger.capacity & (bigger.capacity - 1)) == 0);
        for (; bigger.count < ring->count; bigger.count++)
            memcpy((char *)bigger.entry + bigger.count * size, ring_at(ring, size, bigger.count), size);
        *ring = bigger;
    }
    return ring_at(ring, size, ring->count++);
}

/* Removes the oldest entry; the ring must not be empty. A ring that becomes empty starts again at the first slot of its
 * memory, which is still in the cache. */
static inline void ring_pop(struct sim_ring *ring)
{
    ring->count--;
    ring->first = (ring->first + 1) & (ring->capacity - 1) & (0u - (uint32_t)(ring->count > 0));
}
#endif
