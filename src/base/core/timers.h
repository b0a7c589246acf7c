/* src/base/core/timers.h - (time, id) pairs taken in order, in the caller's memory; ties by id, so the order is total.
 *
 * Nearly all timers are set for the same while from now (an RTO, the check of a silent peer), so each comes after
 * those set before it. These are in a queue: setting one and taking one touches a line, and the lines follow each
 * other. The others are in a heap. Both share one array, the heap from its front, the queue somewhere behind.
 * Where one runs into the other or into the end, the queue moves. It then has a quarter of what is free before it
 * and three behind: with a sixteenth to spare that is, over time, a few entries moved for each set. */
#ifndef WEIR_CORE_TIMERS_H
#define WEIR_CORE_TIMERS_H
#include "core/heap.h"
#include "core/units.h"

struct weir_timers {
    struct weir_heap heap; /* its capacity is that of both */
    uint32_t first, end;   /* of the queue */
    uint64_t next_ps;      /* the earliest of all; WEIR_NEVER = none */
};

#define WEIR_TIMERS_NONE ((struct weir_timers){ .next_ps = WEIR_NEVER })

/* Returns for how many entries to give room, so that `need` of them never cost more than they should. */
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

/* Sets a timer. There is room: no more are set than weir_timers_room() was called for. */
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

/* Computes next_ps anew, after an entry has left. */
static inline void weir_timers_refresh(struct weir_timers *t)
{
    t->next_ps = t->first != t->end ? t->heap.entry[t->first].at_ps : WEIR_NEVER;
    if (t->heap.count > 0 && t->heap.entry[0].at_ps < t->next_ps)
        t->next_ps = t->heap.entry[0].at_ps;
}

/* Takes the earliest; there is one. */
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

/* Removes all but those for which keep() returns true. */
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
