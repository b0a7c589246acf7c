/* src/sim/coupled_wrr.c - queues in turn: where DATA waits at the ports of a switch that serve flows or groups by weighted round
 * robin. A queue exists while something waits in it: a table of those of all ports finds it by port and number, a list at each port
 * holds them in order of their turns. Packets, queues and table lie in arrays of the switch that only grow. */
#include "sim/coupled.h"

#define WRR_NONE UINT32_MAX

struct wrr_waiting { /* a packet; or a free place, of which only next holds */
    struct weir_pkt pkt;
    uint64_t tx_ps;
    uint32_t in, next;
};
_Static_assert(sizeof(struct wrr_waiting) == 64, "one line");

struct wrr_queue {   /* or a free place, of which only next holds */
    uint64_t number; /* at its port */
    uint32_t port;
    uint32_t first, last; /* of its packets, chained by next */
    uint32_t next;        /* whose turn follows */
};

struct coupled_wrr { /* of a switch */
    const struct weir_wrr_model *model;
    struct wrr_waiting *waiting;
    struct wrr_queue *queue;
    uint32_t *slot; /* table with open addressing, twice as large as queue[]: 1 + index of a queue; 0 = empty */
    uint32_t waiting_capacity, waiting_free;
    uint32_t queue_capacity, queue_free;
};

static void *wrr_take(struct sim_thread *th, size_t size)
{
    void *memory = weir_arena_take(&th->arena, size); /* zeroed */
    if (memory == NULL)
        longjmp(th->out_of_memory, 1);
    return memory;
}

struct coupled_turns *weir_sim_wrr_init(struct weir_arena *arena, const struct weir_wrr_model *model, uint32_t ports)
{
    struct coupled_wrr *all = weir_arena_take(arena, sizeof(*all));
    struct coupled_turns *turns = weir_arena_take(arena, ports * sizeof(*turns));
    if (all == NULL || turns == NULL)
        return NULL;
    *all = (struct coupled_wrr){ .model = model, .waiting_free = WRR_NONE, .queue_free = WRR_NONE };
    for (uint32_t p = 0; p < ports; p++)
        turns[p] = (struct coupled_turns){ .all = all, .port = p, .first = WRR_NONE, .last = WRR_NONE };
    return turns;
}

/* ---- room ---- */

static uint32_t wrr_waiting_take(struct sim_thread *th, struct coupled_wrr *all)
{
    uint32_t old = all->waiting_capacity, i = all->waiting_free;
    if (i == WRR_NONE) {
        uint32_t capacity = old == 0 ? 64 : 2 * old;
        struct wrr_waiting *bigger = wrr_take(th, capacity * sizeof(*bigger));
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

/* Where the table begins to look for a queue. */
static uint32_t wrr_home(const struct coupled_wrr *all, uint32_t port, uint64_t number)
{
    return (uint32_t)weir_mix_u64(number ^ (uint64_t)port << 48) & (2 * all->queue_capacity - 1);
}

static uint32_t wrr_after(const struct coupled_wrr *all, uint32_t slot)
{
    return (slot + 1) & (2 * all->queue_capacity - 1);
}

/* The slot of this queue, or the empty one where it belongs. There is one: half of the table is. */
static uint32_t wrr_find(const struct coupled_wrr *all, uint32_t port, uint64_t number)
{
    uint32_t at = wrr_home(all, port, number);
    for (; all->slot[at] != 0; at = wrr_after(all, at)) {
        const struct wrr_queue *q = &all->queue[all->slot[at] - 1];
        if (q->number == number && q->port == port)
            break;
    }
    return at;
}

/* Twice the queues, and a table for them. Only when none is free: all are in use. */
static void wrr_grow(struct sim_thread *th, struct coupled_wrr *all)
{
    uint32_t old = all->queue_capacity, capacity = old == 0 ? 16 : 2 * old;
    struct wrr_queue *bigger = wrr_take(th, capacity * sizeof(*bigger));
    uint32_t *slot = wrr_take(th, (size_t)2 * capacity * sizeof(*slot));
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
}

/* Takes a queue out of the table: what lies behind it and could lie in its place moves there. */
static void wrr_forget(struct coupled_wrr *all, uint32_t port, uint64_t number)
{
    uint32_t mask = 2 * all->queue_capacity - 1, hole = wrr_find(all, port, number);
    for (uint32_t at = wrr_after(all, hole); all->slot[at] != 0; at = wrr_after(all, at)) {
        const struct wrr_queue *q = &all->queue[all->slot[at] - 1];
        uint32_t home = wrr_home(all, q->port, q->number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home lies behind the hole */
        all->slot[hole] = all->slot[at];
        hole = at;
    }
    all->slot[hole] = 0;
}

/* ---- turns ---- */

/* A new queue, at the end of its port's list. */
static struct wrr_queue *wrr_open(struct sim_thread *th, struct coupled_turns *turns, uint64_t number)
{
    struct coupled_wrr *all = turns->all;
    uint32_t i;
    if (all->queue_free == WRR_NONE)
        wrr_grow(th, all);
    i = all->queue_free;
    all->queue_free = all->queue[i].next;
    all->queue[i] = (struct wrr_queue){
        .number = number, .port = turns->port, .first = WRR_NONE, .last = WRR_NONE, .next = WRR_NONE
    };
    all->slot[wrr_find(all, turns->port, number)] = i + 1;
    if (turns->first == WRR_NONE)
        turns->first = i;
    else
        all->queue[turns->last].next = i;
    turns->last = i;
    return &all->queue[i];
}

void weir_sim_wrr_put(struct sim_thread *th, struct coupled_turns *turns, const struct coupled_queued *entry)
{
    struct coupled_wrr *all = turns->all;
    uint64_t number = weir_wrr_queue(all->model, &entry->pkt);
    uint32_t i = wrr_waiting_take(th, all), found = all->queue_capacity > 0 ? wrr_find(all, turns->port, number) : 0;
    bool exists = all->queue_capacity > 0 && all->slot[found] != 0;
    struct wrr_queue *q = exists ? &all->queue[all->slot[found] - 1] : wrr_open(th, turns, number);
    all->waiting[i] =
        (struct wrr_waiting){ .pkt = entry->pkt, .tx_ps = entry->tx_ps, .in = entry->in, .next = WRR_NONE };
    if (q->first == WRR_NONE)
        q->first = i;
    else
        all->waiting[q->last].next = i;
    q->last = i;
}

/* The queue whose turn it was leaves the head of the list: for its end, or for good. */
static void wrr_next_turn(struct coupled_turns *turns)
{
    struct coupled_wrr *all = turns->all;
    uint32_t i = turns->first;
    struct wrr_queue *q = &all->queue[i];
    bool empty = q->first == WRR_NONE;
    turns->left_pkts = 0;
    if (!empty && i == turns->last)
        return;
    turns->first = q->next;
    if (turns->first == WRR_NONE)
        turns->last = WRR_NONE;
    if (empty) {
        wrr_forget(all, q->port, q->number);
        q->next = all->queue_free;
        all->queue_free = i;
        return;
    }
    q->next = WRR_NONE;
    all->queue[turns->last].next = i;
    turns->last = i;
}

bool weir_sim_wrr_take(struct coupled_turns *turns, struct coupled_queued *out)
{
    struct coupled_wrr *all = turns->all;
    struct wrr_queue *q = &all->queue[turns->first];
    uint32_t i = q->first;
    struct wrr_waiting *w = &all->waiting[i];
    if (turns->left_pkts == 0) /* its turn begins */
        turns->left_pkts = weir_wrr_turn_pkts(all->model, &w->pkt);
    turns->left_pkts--;
    *out = (struct coupled_queued){ .pkt = w->pkt, .tx_ps = w->tx_ps, .in = w->in, .class_id = COUPLED_TURNS };
    q->first = w->next;
    w->next = all->waiting_free;
    all->waiting_free = i;
    if (turns->left_pkts == 0 || q->first == WRR_NONE)
        wrr_next_turn(turns);
    return turns->first != WRR_NONE;
}

sim_area weir_sim_wrr_area(const struct coupled_turns *turns, uint64_t now_ps)
{
    const struct coupled_wrr *all = turns->all;
    sim_area area = 0;
    for (uint32_t i = turns->first; i != WRR_NONE; i = all->queue[i].next) {
        for (uint32_t k = all->queue[i].first; k != WRR_NONE; k = all->waiting[k].next) {
            const struct wrr_waiting *w = &all->waiting[k];
            if (w->pkt.arrival_ps < now_ps)
                area += (sim_area)w->tx_ps * 2 * (now_ps - w->pkt.arrival_ps);
        }
    }
    return area;
}
