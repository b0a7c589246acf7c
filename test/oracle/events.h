/* test/oracle/events.h - the oracle's heap of events: 16 bytes each, ordered by (time, node, kind, index).
 * A 4-ary min-heap as core/heap.h has one, with the two things that make it bearable at two events per packet-hop: an entry is one
 * 128-bit number, so that the least of four children is found without branches, and the first push after a take goes where the
 * taken entry was. */
#ifndef WEIR_TEST_EVENTS_H
#define WEIR_TEST_EVENTS_H
#include "core/assert.h"
#include "core/math.h"
#include <stdbool.h>
#include <stdint.h>

/* Order of events at one node at one instant. What a plain switch does by itself (ends of transmissions, decisions) is in its own order:
 * an entry on the heap only says when. Cable events and looks at the queues come before all of these, outside the heap. */
enum oracle_kind {
    ORACLE_NODE,     /* its switch, or the NIC of a host, has something to do */
    ORACLE_CONTROL,  /* a control frame; index: link */
    ORACLE_ARRIVE,   /* index: link, whose order is that of the in-links */
    ORACLE_TICK,     /* of features of the switch */
    ORACLE_TIMER,    /* of the host */
    ORACLE_START,    /* messages */
    ORACLE_REPLY,    /* to a message that has just arrived; index: item, and to whom */
    ORACLE_RELEASE,  /* a flow of a job starts; index: flow, also of the next two */
    ORACLE_CHANGE,   /* of its weight, at a time known before the run */
    ORACLE_TOLD,     /* its weight as a tick set it */
    ORACLE_TRANSMIT, /* the host is asked for packets */
};
#define ORACLE_KIND_SHIFT 32 /* below: index */
#define ORACLE_NODE_SHIFT 36

__extension__ typedef unsigned __int128 oracle_event; /* time << 64 | node << 36 | kind << 32 | index */
#define ORACLE_NO_EVENT (~(oracle_event)0)

struct oracle_heap {
    oracle_event *entry; /* capacity + 4; what lies beyond count is ORACLE_NO_EVENT */
    void *memory;
    uint32_t count, capacity;
    bool hole; /* entry[0] has been taken and not yet replaced */
};

void oracle_heap_grow(struct oracle_heap *heap);

static inline uint64_t oracle_event_ps(oracle_event e)
{
    return (uint64_t)(e >> 64);
}

static inline uint32_t oracle_event_node(oracle_event e)
{
    return (uint32_t)((uint64_t)e >> ORACLE_NODE_SHIFT);
}

static inline enum oracle_kind oracle_event_kind(oracle_event e)
{
    return (enum oracle_kind)((uint64_t)e >> ORACLE_KIND_SHIFT & ((1u << (ORACLE_NODE_SHIFT - ORACLE_KIND_SHIFT)) - 1));
}

static inline uint32_t oracle_event_index(oracle_event e)
{
    return (uint32_t)e;
}

static inline uint32_t oracle_least_by_id(const oracle_event *c)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < 4; i++)
        least = c[i] < c[least] ? i : least;
    return least;
}

/* Which of four comes first: arithmetic, where a branch would be guessed wrong every second time. Equal times are rare. */
static inline uint32_t oracle_least(const oracle_event *c)
{
    uint64_t t[4] = { oracle_event_ps(c[0]), oracle_event_ps(c[1]), oracle_event_ps(c[2]), oracle_event_ps(c[3]) };
    uint32_t ab = t[1] < t[0], cd = t[3] < t[2], second;
    uint64_t t_ab = weir_min_u64(t[0], t[1]), t_cd = weir_min_u64(t[2], t[3]);
    if (WEIR_UNLIKELY(t[0] == t[1] || t[2] == t[3] || t_ab == t_cd))
        return oracle_least_by_id(c);
    second = t_cd < t_ab;
    return ab + second * (2 + cd - ab);
}

/* Puts e where the root was. */
static inline void oracle_heap_sift(struct oracle_heap *heap, oracle_event e)
{
    oracle_event *entry = heap->entry;
    uint32_t i = 0;
    for (uint32_t child = 1; child < heap->count; child = 4 * i + 1) {
        uint32_t least = child + oracle_least(&entry[child]);
        if (e < entry[least])
            break;
        entry[i] = entry[least];
        i = least;
    }
    entry[i] = e;
}

/* After a take: nothing came to fill the hole. */
static inline void oracle_heap_close(struct oracle_heap *heap)
{
    oracle_event last = heap->entry[--heap->count];
    heap->entry[heap->count] = ORACLE_NO_EVENT;
    heap->hole = false;
    if (heap->count > 0)
        oracle_heap_sift(heap, last);
}

static inline void oracle_heap_push(struct oracle_heap *heap, oracle_event e)
{
    uint32_t i = heap->count;
    if (heap->hole) {
        heap->hole = false;
        oracle_heap_sift(heap, e);
        return;
    }
    if (i == heap->capacity)
        oracle_heap_grow(heap);
    heap->count++;
    while (i > 0 && e < heap->entry[(i - 1) / 4]) {
        heap->entry[i] = heap->entry[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    heap->entry[i] = e;
}
#endif
