/* test/oracle/queues.c - doc/model.md [wrr]: ports that serve queues in turn. Each port has a list of the queues in which
 * something waits, the one whose turn it is first; looked through from its head for every packet. */
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>

void oracle_queues_push(struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p)
{
    uint64_t number = port->chain.wrr.queue_of(&port->chain.wrr.here, &p->pkt);
    struct oracle_queue **at = &o->fabric[port->link].queue;
    while (*at != NULL && (*at)->number != number)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = oracle_alloc(1, sizeof(**at));
        (*at)->number = number;
    }
    oracle_fifo_push(&(*at)->fifo, p);
}

/* The queue at the head of the list leaves it. */
static struct oracle_queue *take_off(struct oracle_fabric *f)
{
    struct oracle_queue *q = f->queue;
    f->queue = q->next;
    q->next = NULL;
    return q;
}

static void put_last(struct oracle_fabric *f, struct oracle_queue *q)
{
    struct oracle_queue **at = &f->queue;
    while (*at != NULL)
        at = &(*at)->next;
    *at = q;
}

struct oracle_pkt *oracle_queues_pop(struct oracle *o, const struct oracle_port *port)
{
    struct oracle_fabric *f = &o->fabric[port->link];
    struct oracle_queue *q = f->queue;
    struct oracle_pkt *p;
    if (!f->turn_begun) {
        f->turn_begun = true;
        f->quantum_pkts = port->chain.wrr.quantum_pkts(&port->chain.wrr.here, &q->fifo.head->pkt);
    }
    p = oracle_fifo_pop(&q->fifo);
    f->quantum_pkts--;
    if (q->fifo.head == NULL) {
        f->turn_begun = false;
        free(take_off(f));
    } else if (f->quantum_pkts == 0) {
        f->turn_begun = false;
        put_last(f, take_off(f));
    }
    return p;
}

void oracle_queues_free(struct oracle *o)
{
    for (uint32_t i = 0; o->fabric != NULL && i < o->topo->link_count; i++) {
        while (o->fabric[i].queue != NULL) {
            struct oracle_queue *q = o->fabric[i].queue;
            o->fabric[i].queue = q->next;
            free(q);
        }
    }
}
