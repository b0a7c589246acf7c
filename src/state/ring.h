/* src/state/ring.h - a growable ring of entries of one size, in a thread's arena. */
#ifndef WEIR_SIM_RING_H
#define WEIR_SIM_RING_H
#include "state/state.h"

static inline void *ring_at(const struct sim_ring *ring, size_t size, uint32_t i)
{
    return (char *)ring->entry + (size_t)((ring->first + i) & (ring->capacity - 1)) * size;
}

static inline void *ring_push(struct sim_thread *th, struct sim_ring *ring, size_t size)
{
    if (ring->count == ring->capacity) {
        struct sim_ring bigger = { .capacity = ring->capacity == 0 ? 16 : 2 * ring->capacity };
        bigger.entry = weir_arena_take(&th->arena, bigger.capacity * size);
        if (bigger.entry == NULL)
            longjmp(th->out_of_memory, 1);
        for (; bigger.count < ring->count; bigger.count++)
            memcpy((char *)bigger.entry + bigger.count * size, ring_at(ring, size, bigger.count), size);
        *ring = bigger;
    }
    return ring_at(ring, size, ring->count++);
}

/* An empty ring begins anew at its first entry, which is in the cache still; going round all of it is not. */
static inline void ring_pop(struct sim_ring *ring)
{
    ring->count--;
    ring->first = (ring->first + 1) & (ring->capacity - 1) & (0u - (uint32_t)(ring->count > 0));
}
#endif
