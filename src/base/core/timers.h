/* src/base/core/timers.h - timers: (time, id) pairs, taken in order, in memory of the caller. Equal times are ordered
 * by id, so the order is total if ids differ.
 *
 * Nearly all timers are set for the same duration from now (an RTO, the check of a silent peer), so each is later than
 * those set before. These are in a queue: setting or taking one touches one cache line, and the lines follow each
 * other. The other timers are in a heap. Both share one array: the heap is at its front, the queue behind it. The queue
 * is moved if the heap reaches it, or if the queue reaches the end of the array. After the move a quarter of the free
 * entries is before the queue, and three quarters are behind it. With a sixteenth of all entries free, moves copy a few
 * entries per timer that is set, on average. */
#ifndef WEIR_CORE_TIMERS_H
#define WEIR_CORE_TIMERS_H
#include "core/heap.h"
#include "core/units.h"

struct weir_timers {
    struct weir_heap heap; /* heap.capacity is the size of the shared array */
    uint32_t first, end;   /* the queue: entries [first, end) of the array */
    uint64_t next_ps;      /* time of the earliest timer; WEIR_NEVER = none */
};

#define WEIR_TIMERS_NONE ((struct weir_timers){ .next_ps = WEIR_NEVER })

/* Returns the capacity that the array must have for `need` timers: a sixteenth more, so that the queue is seldom
 * moved. */
static inline uint32_t weir_timers_room(uint32_t need)
{
    return need + need / 16 + 1;
}

static inline void weir_timers_move(struct weir_timers *t)
{
    struct weir_heap_entry *entry = t->heap.entry;
    uint32_t queued = t->end - t->first, free = t->heap.capacity - t->heap.count - queued;
    uint32_t to = t->heap.count + (free + 3) / 4;
    WEIR_ASSERT(free > 1); /* one on either side */
    for (uint32_t i = 0; i < queued && to <= t->first; i++)
        entry[to + i] = entry[t->first + i];
    for (uint32_t i = queued; i > 0 && to > t->first; i--)
        entry[to + i - 1] = entry[t->first + i - 1];
    t->first = to;
    t->end = to + queued;
}

/* Sets a timer. If the array has weir_timers_room(need) entries, at most `need` timers may be set at the same time. */
static inline void weir_timers_set(struct weir_timers *t, uint64_t at_ps, uint64_t id)
{
    struct weir_heap_entry e = { at_ps, id };
    bool queue = t->first == t->end || !weir_heap_before(&e, &t->heap.entry[t->end - 1]);
    if (WEIR_UNLIKELY(queue ? t->end == t->heap.capacity : t->heap.count == t->first))
        weir_timers_move(t);
    if (WEIR_LIKELY(queue))
        t->heap.entry[t->end++] = e;
    else
        weir_heap_push(&t->heap, at_ps, id);
    t->next_ps = at_ps < t->next_ps ? at_ps : t->next_ps;
}

/* Recomputes next_ps, after an entry was removed. */
static inline void weir_timers_refresh(struct weir_timers *t)
{
    t->next_ps = t->first != t->end ? t->heap.entry[t->first].at_ps : WEIR_NEVER;
    if (t->heap.count > 0 && t->heap.entry[0].at_ps < t->next_ps)
        t->next_ps = t->heap.entry[0].at_ps;
}

/* Removes the earliest timer and returns it. There must be one. */
static inline struct weir_heap_entry weir_timers_take(struct weir_timers *t)
{
    const struct weir_heap_entry *entry = t->heap.entry;
    bool queue = t->first != t->end && (t->heap.count == 0 || weir_heap_before(&entry[t->first], &entry[0]));
    struct weir_heap_entry e = entry[queue ? t->first : 0];
    if (WEIR_LIKELY(queue))
        t->first++;
    else
        weir_heap_pop(&t->heap);
    weir_timers_refresh(t);
    return e;
}

/* Removes all timers for which keep() returns false. */
static inline void weir_timers_keep(struct weir_timers *t, bool (*keep)(void *ctx, const struct weir_heap_entry *e),
                                    void *ctx)
{
    struct weir_heap_entry *entry = t->heap.entry;
    uint32_t heaped = t->heap.count, end = t->first;
    t->heap.count = 0;
    for (uint32_t i = 0; i < heaped; i++) {
        struct weir_heap_entry e = entry[i]; /* read before it is overwritten: the count never passes i */
        if (keep(ctx, &e))
            weir_heap_push(&t->heap, e.at_ps, e.id);
    }
    for (uint32_t i = t->first; i < t->end; i++) {
        if (keep(ctx, &entry[i]))
            entry[end++] = entry[i];
    }
    t->end = end;
    weir_timers_refresh(t);
}
#endif
