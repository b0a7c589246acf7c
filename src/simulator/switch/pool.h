/* src/simulator/switch/pool.h - packets of plain switches, and the pool that they are taken from. A packet stays where
 * it is from its first port to its last arrival: pointers to it are passed on. */
#ifndef WEIR_SWITCH_POOL_H
#define WEIR_SWITCH_POOL_H
#include "core/mem.h"
#include "core/pkt.h"
#include "core/telemetry.h"

struct weir_switch_pkt {          /* one cache line */
    struct weir_pkt pkt;          /* arrival_ps: when it joined the port where it waits; on a link it is the caller's */
    uint64_t work_ps;             /* time on the wire of its port's link, at the full rate of that link */
    struct weir_switch_pkt *next; /* behind it, in the list where it is; of a taken packet the caller's */
};
_Static_assert(sizeof(struct weir_switch_pkt) == 64, "one cache line");

/* More about a packet, right behind it, where a feature of the run is coupled. */
struct weir_switch_more {
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX]; /* its records: pkt.hops of them */
    uint64_t own;                                       /* the caller's; 0 in a NOTICE that a switch has made */
    /* Of the first packet of a queue of weighted round robin: the queue's number, its last packet, and the first packet
     * of the next queue. */
    uint64_t queue;
    struct weir_switch_pkt *queue_last, *queue_next;
    struct weir_switch_pkt *flow_next; /* while flows are notified: a packet of the next flow */
    uint32_t in_port;                  /* by which it came to this switch; WEIR_PORT_NONE = made here */
    uint32_t in_class;                 /* class in which it came */
};

struct weir_switch_pool {
    struct weir_mem mem;
    struct weir_switch_pkt *free; /* list, by next */
    size_t stride;                /* bytes from a packet to the next one of a block */
    uint32_t left;                /* packets for which no memory was taken yet */
    bool has_more;
};

/* Sets up a pool of at most `most` packets. Memory for them is taken in blocks, when they are first needed.
 * has_more: each packet has a struct weir_switch_more */
void weir_switch_pool_init(struct weir_switch_pool *pool, const struct weir_mem *mem, uint32_t most, bool has_more);

/* Takes memory for a block of packets. @return false = no memory, or the pool has its most packets */
bool weir_switch_pool_grow(struct weir_switch_pool *pool);

/* Takes a packet, whose contents are undefined. @return NULL = there is none left */
static inline struct weir_switch_pkt *weir_switch_pkt_take(struct weir_switch_pool *pool)
{
    struct weir_switch_pkt *p = pool->free;
    if (WEIR_UNLIKELY(p == NULL)) {
        if (!weir_switch_pool_grow(pool))
            return NULL;
        p = pool->free;
    }
    pool->free = p->next;
    return p;
}

/* Gives a packet back. */
static inline void weir_switch_pkt_give(struct weir_switch_pool *pool, struct weir_switch_pkt *p)
{
    p->next = pool->free;
    pool->free = p;
}

/* Returns what follows a packet of a pool with has_more. */
static inline struct weir_switch_more *weir_switch_more(struct weir_switch_pkt *p)
{
    return (struct weir_switch_more *)(void *)(p + 1);
}

/* Returns the caller's number of a packet of a pool with has_more. */
static inline uint64_t weir_switch_own(const struct weir_switch_pkt *p)
{
    return ((const struct weir_switch_more *)(const void *)(p + 1))->own;
}

struct weir_switch_fifo {                /* packets in a list, by next */
    struct weir_switch_pkt *head, *tail; /* tail is valid only while head is not NULL */
};

/* Appends a packet. */
static inline void weir_switch_fifo_push(struct weir_switch_fifo *fifo, struct weir_switch_pkt *p)
{
    p->next = NULL;
    if (fifo->head == NULL)
        fifo->head = p;
    else
        fifo->tail->next = p;
    fifo->tail = p;
}

/* Takes the first packet of a list that is not empty. */
static inline struct weir_switch_pkt *weir_switch_fifo_pop(struct weir_switch_fifo *fifo)
{
    struct weir_switch_pkt *p = fifo->head;
    WEIR_CHECK(p != NULL);
    fifo->head = p->next;
    return p;
}
#endif
