/* src/switch/turns.c - see turns.h. A table of the queues of all ports finds one by port and number, a list at each port holds them in the
 * order of their turns. */
#include "switch/turns.h"
#include "core/assert.h"
#include "core/rng.h"
#include <string.h>

#define TURNS_NONE UINT32_MAX

struct turns_waiting { /* a packet; or a free entry, of which only next holds */
    struct weir_waiting w;
    uint32_t next;
};

struct turns_queue { /* or a free place, of which only next holds */
    uint64_t number; /* at its port */
    uint32_t port;
    uint32_t first, last; /* of its packets, chained by next */
    uint32_t next;        /* whose turn follows */
};

struct turns_node { /* of a switch */
    struct weir_mem mem;
    struct turns_waiting *waiting;
    struct turns_queue *queue;
    uint32_t *slot; /* table with open addressing, twice as large as queue[]: 1 + index of a queue; 0 = empty */
    uint32_t waiting_capacity, waiting_free;
    uint32_t queue_capacity, queue_free;
};

struct weir_turns *weir_turns_init(const struct weir_mem *mem, const struct weir_chain *const *chain, uint32_t ports)
{
    struct turns_node *all = mem->grow(mem->ctx, sizeof(*all));
    struct weir_turns *turns = mem->grow(mem->ctx, ports * sizeof(*turns));
    if (all == NULL || turns == NULL)
        return NULL;
    *all = (struct turns_node){ .mem = *mem, .waiting_free = TURNS_NONE, .queue_free = TURNS_NONE };
    for (uint32_t p = 0; p < ports; p++)
        turns[p] = (struct weir_turns){
            .all = all, .hook = &chain[p]->turn, .port = p, .first = TURNS_NONE, .last = TURNS_NONE
        };
    return turns;
}

/* ---- room ---- */

/* A free entry for a packet. @return TURNS_NONE = no memory */
static uint32_t turns_waiting_take(struct turns_node *all)
{
    uint32_t old = all->waiting_capacity, i = all->waiting_free;
    if (i == TURNS_NONE) {
        uint32_t capacity = old == 0 ? 64 : 2 * old;
        struct turns_waiting *bigger = all->mem.grow(all->mem.ctx, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return TURNS_NONE;
        if (old > 0)
            memcpy(bigger, all->waiting, old * sizeof(*bigger));
        for (uint32_t k = old; k < capacity; k++)
            bigger[k].next = k + 1 < capacity ? k + 1 : TURNS_NONE;
        all->waiting = bigger;
        all->waiting_capacity = capacity;
        i = old;
    }
    all->waiting_free = all->waiting[i].next;
    return i;
}

/* Where the table begins to look for a queue. */
static uint32_t turns_home(const struct turns_node *all, uint32_t port, uint64_t number)
{
    return (uint32_t)weir_mix_u64(number ^ (uint64_t)port << 48) & (2 * all->queue_capacity - 1);
}

static uint32_t turns_after(const struct turns_node *all, uint32_t slot)
{
    return (slot + 1) & (2 * all->queue_capacity - 1);
}

/* The slot of this queue, or the empty one where it belongs. There is one: half of the table is. */
static uint32_t turns_find(const struct turns_node *all, uint32_t port, uint64_t number)
{
    uint32_t at = turns_home(all, port, number);
    for (; all->slot[at] != 0; at = turns_after(all, at)) {
        const struct turns_queue *q = &all->queue[all->slot[at] - 1];
        if (q->number == number && q->port == port)
            break;
    }
    return at;
}

/* Twice the queues, and a table for them. Only when none is free: all are in use. @return false = no memory */
static bool turns_grow(struct turns_node *all)
{
    uint32_t old = all->queue_capacity, capacity = old == 0 ? 16 : 2 * old;
    struct turns_queue *bigger = all->mem.grow(all->mem.ctx, capacity * sizeof(*bigger));
    uint32_t *slot = all->mem.grow(all->mem.ctx, (size_t)2 * capacity * sizeof(*slot));
    if (bigger == NULL || slot == NULL)
        return false;
    if (old > 0)
        memcpy(bigger, all->queue, old * sizeof(*bigger));
    for (uint32_t k = old; k < capacity; k++)
        bigger[k].next = k + 1 < capacity ? k + 1 : TURNS_NONE;
    all->queue = bigger;
    all->slot = slot;
    all->queue_free = old;
    all->queue_capacity = capacity;
    for (uint32_t k = 0; k < old; k++)
        slot[turns_find(all, bigger[k].port, bigger[k].number)] = k + 1;
    return true;
}

/* Takes a queue out of the table: what lies behind it and could lie in its place moves there. */
static void turns_forget(struct turns_node *all, uint32_t port, uint64_t number)
{
    uint32_t mask = 2 * all->queue_capacity - 1, hole = turns_find(all, port, number);
    for (uint32_t at = turns_after(all, hole); all->slot[at] != 0; at = turns_after(all, at)) {
        const struct turns_queue *q = &all->queue[all->slot[at] - 1];
        uint32_t home = turns_home(all, q->port, q->number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home lies behind the hole */
        all->slot[hole] = all->slot[at];
        hole = at;
    }
    all->slot[hole] = 0;
}

/* ---- turns ---- */

/* A new queue, at the end of its port's list. @return NULL = no memory */
static struct turns_queue *turns_open(struct weir_turns *turns, uint64_t number)
{
    struct turns_node *all = turns->all;
    uint32_t i;
    if (all->queue_free == TURNS_NONE && !turns_grow(all))
        return NULL;
    i = all->queue_free;
    all->queue_free = all->queue[i].next;
    all->queue[i] = (struct turns_queue){
        .number = number, .port = turns->port, .first = TURNS_NONE, .last = TURNS_NONE, .next = TURNS_NONE
    };
    all->slot[turns_find(all, turns->port, number)] = i + 1;
    if (turns->first == TURNS_NONE)
        turns->first = i;
    else
        all->queue[turns->last].next = i;
    turns->last = i;
    return &all->queue[i];
}

bool weir_turns_put(struct weir_turns *turns, const struct weir_waiting *w)
{
    struct turns_node *all = turns->all;
    uint64_t number = turns->hook->queue_of(&turns->hook->here, &w->pkt);
    uint32_t i = turns_waiting_take(all), found = all->queue_capacity > 0 ? turns_find(all, turns->port, number) : 0;
    bool exists = all->queue_capacity > 0 && all->slot[found] != 0;
    struct turns_queue *q = exists ? &all->queue[all->slot[found] - 1] : turns_open(turns, number);
    if (i == TURNS_NONE || q == NULL)
        return false;
    all->waiting[i] = (struct turns_waiting){ .w = *w, .next = TURNS_NONE };
    if (q->first == TURNS_NONE)
        q->first = i;
    else
        all->waiting[q->last].next = i;
    q->last = i;
    return true;
}

/* The queue whose turn it was leaves the head of the list: for its end, or for good. */
static void turns_next_turn(struct weir_turns *turns)
{
    struct turns_node *all = turns->all;
    uint32_t i = turns->first;
    struct turns_queue *q = &all->queue[i];
    bool empty = q->first == TURNS_NONE;
    turns->left_pkts = 0;
    if (!empty && i == turns->last)
        return;
    turns->first = q->next;
    if (turns->first == TURNS_NONE)
        turns->last = TURNS_NONE;
    if (empty) {
        turns_forget(all, q->port, q->number);
        q->next = all->queue_free;
        all->queue_free = i;
        return;
    }
    q->next = TURNS_NONE;
    all->queue[turns->last].next = i;
    turns->last = i;
}

bool weir_turns_take(struct weir_turns *turns, struct weir_waiting *out)
{
    struct turns_node *all = turns->all;
    struct turns_queue *q = &all->queue[turns->first];
    uint32_t i = q->first;
    struct turns_waiting *e = &all->waiting[i];
    if (turns->left_pkts == 0) /* its turn begins */
        turns->left_pkts = turns->hook->turn_pkts(&turns->hook->here, &e->w.pkt);
    turns->left_pkts--;
    *out = e->w;
    q->first = e->next;
    e->next = all->waiting_free;
    all->waiting_free = i;
    if (turns->left_pkts == 0 || q->first == TURNS_NONE)
        turns_next_turn(turns);
    return turns->first != TURNS_NONE;
}

/* Cursor: 0 = at the beginning, else queue << 32 | entry, of the packet that comes next; UINT64_MAX = the end. */
const struct weir_waiting *weir_turns_next(const struct weir_turns *turns, uint64_t *cursor)
{
    const struct turns_node *all = turns->all;
    uint32_t queue, entry, next_entry, next_queue;
    if (*cursor == 0)
        *cursor = turns->first == TURNS_NONE
                      ? UINT64_MAX
                      : (uint64_t)turns->first << 32 | (all->queue[turns->first].first + UINT64_C(1));
    if (*cursor == UINT64_MAX)
        return NULL;
    queue = (uint32_t)(*cursor >> 32);
    entry = (uint32_t)*cursor - 1; /* numbers from 1, so that no cursor is 0 by chance */
    next_entry = all->waiting[entry].next;
    next_queue = all->queue[queue].next;
    if (next_entry != TURNS_NONE)
        *cursor = (uint64_t)queue << 32 | (next_entry + UINT64_C(1));
    else if (next_queue != TURNS_NONE)
        *cursor = (uint64_t)next_queue << 32 | (all->queue[next_queue].first + UINT64_C(1));
    else
        *cursor = UINT64_MAX;
    return &all->waiting[entry].w;
}
