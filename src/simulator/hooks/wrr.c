/* src/simulator/hooks/wrr.c - see wrr.h. The queues of all ports of a switch are in one hash table, by port and number.
 * Each port has a list of its queues, in the order in which they are served. */
#include "hooks/wrr.h"
#include "core/assert.h"
#include "core/rng.h"
#include <string.h>

#define WRR_NONE UINT32_MAX

struct wrr_waiting { /* a packet that waits; or a free entry, of which only next is valid */
    struct weir_waiting w;
    uint32_t next;
};

struct wrr_queue {   /* a queue; or a free entry, of which only next is valid */
    uint64_t number; /* from the hook queue_of; unique at its port */
    uint32_t port;
    uint32_t first, last; /* its oldest and newest packet, as indices of waiting[]; packets are linked by next */
    uint32_t next;        /* the queue behind this one in the list of its port; WRR_NONE = none */
};

struct wrr_node { /* the state that all ports of a switch share */
    struct weir_mem mem;
    struct wrr_waiting *waiting;
    struct wrr_queue *queue;
    uint32_t *slot; /* hash table with open addressing, twice as large as queue[]: 1 + index of a queue; 0 = empty */
    uint32_t waiting_capacity, waiting_free;
    uint32_t queue_capacity, queue_free;
};

struct weir_wrr *weir_wrr_init(const struct weir_mem *mem, const struct weir_chain *const *chain, uint32_t ports)
{
    struct wrr_node *all = mem->grow(mem->ctx, sizeof(*all));
    struct weir_wrr *wrr = mem->grow(mem->ctx, ports * sizeof(*wrr));
    if (all == NULL || wrr == NULL)
        return NULL;
    *all = (struct wrr_node){ .mem = *mem, .waiting_free = WRR_NONE, .queue_free = WRR_NONE };
    for (uint32_t p = 0; p < ports; p++)
        wrr[p] =
            (struct weir_wrr){ .all = all, .hook = &chain[p]->wrr, .port = p, .first = WRR_NONE, .last = WRR_NONE };
    return wrr;
}

/* ---- room ---- */

/* Takes a free entry of waiting[]; doubles the array if there is none. @return its index; WRR_NONE = no memory */
static uint32_t wrr_waiting_take(struct wrr_node *all)
{
    uint32_t old = all->waiting_capacity, i = all->waiting_free;
    if (i == WRR_NONE) {
        uint32_t capacity = old == 0 ? 64 : 2 * old;
        struct wrr_waiting *bigger = all->mem.grow(all->mem.ctx, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return WRR_NONE;
        if (old > 0)
            memcpy(bigger, all->waiting, old * sizeof(*bigger));
        for (uint32_t k = old; k < capacity; k++)
            bigger[k].next = k + 1 < capacity ? k + 1 : WRR_NONE;
        all->waiting = bigger;
        all->waiting_capacity = capacity;
        i = old;
    }
    all->waiting_free = all->waiting[i].next;
    return i;
}

/* Returns the index in slot[] where the search for a queue begins. */
static uint32_t wrr_home(const struct wrr_node *all, uint32_t port, uint64_t number)
{
    return (uint32_t)weir_mix_u64(number ^ (uint64_t)port << 48) & (2 * all->queue_capacity - 1);
}

/* Returns the index after `slot` in slot[], which is a ring. */
static uint32_t wrr_after(const struct wrr_node *all, uint32_t slot)
{
    return (slot + 1) & (2 * all->queue_capacity - 1);
}

/* Returns the index in slot[] of a queue, or of the empty slot where it would be inserted: at least half of the slots
 * are empty. queue_capacity must be above 0. */
static uint32_t wrr_find(const struct wrr_node *all, uint32_t port, uint64_t number)
{
    uint32_t at = wrr_home(all, port, number);
    for (; all->slot[at] != 0; at = wrr_after(all, at)) {
        const struct wrr_queue *q = &all->queue[all->slot[at] - 1];
        if (q->number == number && q->port == port)
            break;
    }
    return at;
}

/* Doubles queue[], all entries of which must be in use, and makes a hash table for it. The old arrays stay in the
 * arena. @return false = no memory */
static bool wrr_grow(struct wrr_node *all)
{
    uint32_t old = all->queue_capacity, capacity = old == 0 ? 16 : 2 * old;
    struct wrr_queue *bigger = all->mem.grow(all->mem.ctx, capacity * sizeof(*bigger));
    uint32_t *slot = all->mem.grow(all->mem.ctx, (size_t)2 * capacity * sizeof(*slot));
    WEIR_ASSERT(all->queue_free == WRR_NONE);
    if (bigger == NULL || slot == NULL)
        return false;
    if (old > 0)
        memcpy(bigger, all->queue, old * sizeof(*bigger));
    for (uint32_t k = old; k < capacity; k++)
        bigger[k].next = k + 1 < capacity ? k + 1 : WRR_NONE;
    all->queue = bigger;
    all->slot = slot;
    all->queue_free = old;
    all->queue_capacity = capacity;
    for (uint32_t k = 0; k < old; k++)
        slot[wrr_find(all, bigger[k].port, bigger[k].number)] = k + 1;
    return true;
}

/* Removes a queue from the hash table. Later entries of the probe sequence move into the hole, so that no search ends
 * too early. */
static void wrr_forget(struct wrr_node *all, uint32_t port, uint64_t number)
{
    uint32_t mask = 2 * all->queue_capacity - 1, hole = wrr_find(all, port, number);
    WEIR_ASSERT(all->slot[hole] != 0);
    for (uint32_t at = wrr_after(all, hole); all->slot[at] != 0; at = wrr_after(all, at)) {
        const struct wrr_queue *q = &all->queue[all->slot[at] - 1];
        uint32_t home = wrr_home(all, q->port, q->number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* a search for it begins behind the hole */
        all->slot[hole] = all->slot[at];
        hole = at;
    }
    all->slot[hole] = 0;
}

/* ---- wrr ---- */

/* Makes an empty queue at the end of its port's list. @return NULL = no memory */
static struct wrr_queue *wrr_open(struct weir_wrr *wrr, uint64_t number)
{
    struct wrr_node *all = wrr->all;
    uint32_t i;
    if (all->queue_free == WRR_NONE && !wrr_grow(all))
        return NULL;
    i = all->queue_free;
    WEIR_ASSERT(i < all->queue_capacity);
    all->queue_free = all->queue[i].next;
    all->queue[i] = (struct wrr_queue){
        .number = number, .port = wrr->port, .first = WRR_NONE, .last = WRR_NONE, .next = WRR_NONE
    };
    all->slot[wrr_find(all, wrr->port, number)] = i + 1;
    if (wrr->first == WRR_NONE)
        wrr->first = i;
    else
        all->queue[wrr->last].next = i;
    wrr->last = i;
    return &all->queue[i];
}

bool weir_wrr_put(struct weir_wrr *wrr, const struct weir_waiting *w)
{
    struct wrr_node *all = wrr->all;
    uint64_t number = wrr->hook->queue_of(&wrr->hook->here, &w->pkt);
    uint32_t i = wrr_waiting_take(all), found = all->queue_capacity > 0 ? wrr_find(all, wrr->port, number) : 0;
    bool exists = all->queue_capacity > 0 && all->slot[found] != 0;
    struct wrr_queue *q = exists ? &all->queue[all->slot[found] - 1] : wrr_open(wrr, number);
    if (i == WRR_NONE || q == NULL)
        return false;
    all->waiting[i] = (struct wrr_waiting){ .w = *w, .next = WRR_NONE };
    if (q->first == WRR_NONE)
        q->first = i;
    else
        all->waiting[q->last].next = i;
    q->last = i;
    return true;
}

/* Ends the turn of the first queue of a port's list: moves it to the end of the list, or removes it if it is empty. */
static void wrr_next_queue(struct weir_wrr *wrr)
{
    struct wrr_node *all = wrr->all;
    uint32_t i = wrr->first;
    struct wrr_queue *q = &all->queue[i];
    bool empty = q->first == WRR_NONE;
    wrr->left_pkts = 0;
    if (!empty && i == wrr->last)
        return;
    wrr->first = q->next;
    if (wrr->first == WRR_NONE)
        wrr->last = WRR_NONE;
    if (empty) {
        wrr_forget(all, q->port, q->number);
        q->next = all->queue_free;
        all->queue_free = i;
        return;
    }
    q->next = WRR_NONE;
    all->queue[wrr->last].next = i;
    wrr->last = i;
}

bool weir_wrr_take(struct weir_wrr *wrr, struct weir_waiting *out)
{
    struct wrr_node *all = wrr->all;
    struct wrr_queue *q = &all->queue[wrr->first];
    uint32_t i = q->first;
    struct wrr_waiting *e = &all->waiting[i];
    if (wrr->left_pkts == 0) /* the turn of this queue begins */
        wrr->left_pkts = wrr->hook->quantum_pkts(&wrr->hook->here, &e->w.pkt);
    WEIR_ASSERT(wrr->left_pkts > 0);
    wrr->left_pkts--;
    *out = e->w;
    q->first = e->next;
    e->next = all->waiting_free;
    all->waiting_free = i;
    if (wrr->left_pkts == 0 || q->first == WRR_NONE)
        wrr_next_queue(wrr);
    return wrr->first != WRR_NONE;
}

/* Keeps the position in *cursor: 0 at the beginning; then queue << 32 | (1 + entry) of the next packet; UINT64_MAX at
 * the end. */
const struct weir_waiting *weir_wrr_next(const struct weir_wrr *wrr, uint64_t *cursor)
{
    const struct wrr_node *all = wrr->all;
    uint32_t queue, entry, next_entry, next_queue;
    if (*cursor == 0)
        *cursor = wrr->first == WRR_NONE ? UINT64_MAX
                                         : (uint64_t)wrr->first << 32 | (all->queue[wrr->first].first + UINT64_C(1));
    if (*cursor == UINT64_MAX)
        return NULL;
    queue = (uint32_t)(*cursor >> 32);
    entry = (uint32_t)*cursor - 1; /* + 1 above: so no later cursor is 0 */
    next_entry = all->waiting[entry].next;
    next_queue = all->queue[queue].next;
    if (next_entry != WRR_NONE)
        *cursor = (uint64_t)queue << 32 | (next_entry + UINT64_C(1));
    else if (next_queue != WRR_NONE)
        *cursor = (uint64_t)next_queue << 32 | (all->queue[next_queue].first + UINT64_C(1));
    else
        *cursor = UINT64_MAX;
    return &all->waiting[entry].w;
}
