/* src/simulator/switch/queues.c - doc/model.md [wrr]: ports that serve queues of DATA by weighted round robin. Queues
 * with packets are in a list, the one that is served now at its head. The list links their first packets, and the state
 * of a queue is kept with its first packet. So queues take no memory. */
#include "switch/internal.h"

/* Returns the link to the first packet of a queue; where it is to go if the queue is empty: at the end of the list. */
static struct weir_switch_pkt **find_queue(struct switch_port *port, uint64_t number)
{
    struct weir_switch_pkt **at = &port->served;
    while (*at != NULL && weir_switch_more(*at)->queue != number)
        at = &weir_switch_more(*at)->queue_next;
    return at;
}

void weir_switch_queues_push(struct switch_port *port, struct weir_switch_pkt *p)
{
    uint64_t number = port->chain.wrr.queue_of(&port->chain.wrr.here, &p->pkt);
    struct weir_switch_pkt **at = find_queue(port, number);
    struct weir_switch_more *more = weir_switch_more(p);
    p->next = NULL;
    if (*at != NULL) {
        weir_switch_more(*at)->queue_last->next = p;
        weir_switch_more(*at)->queue_last = p;
        return;
    }
    more->queue = number;
    more->queue_last = p;
    more->queue_next = NULL;
    *at = p;
}

/* Makes the packet behind the first one the first packet of its queue. @return that packet */
static struct weir_switch_pkt *advance(struct weir_switch_pkt *first)
{
    struct weir_switch_pkt *second = first->next;
    const struct weir_switch_more *of = weir_switch_more(first);
    struct weir_switch_more *more = weir_switch_more(second);
    more->queue = of->queue;
    more->queue_last = of->queue_last;
    more->queue_next = of->queue_next;
    return second;
}

/* Moves the queue that is served to the end of the list. */
static void put_last(struct switch_port *port)
{
    struct weir_switch_pkt *first = port->served, **at;
    port->served = weir_switch_more(first)->queue_next;
    weir_switch_more(first)->queue_next = NULL;
    for (at = &port->served; *at != NULL;)
        at = &weir_switch_more(*at)->queue_next;
    *at = first;
}

struct weir_switch_pkt *weir_switch_queues_pop(struct switch_port *port)
{
    struct weir_switch_pkt *p = port->served;
    WEIR_ASSERT(p != NULL);
    if (port->quantum_pkts == 0)
        port->quantum_pkts = port->chain.wrr.quantum_pkts(&port->chain.wrr.here, &p->pkt);
    WEIR_ASSERT(port->quantum_pkts > 0);
    port->quantum_pkts--;
    if (p->next == NULL) { /* the queue is empty, and the rest of its quantum is forgotten */
        port->quantum_pkts = 0;
        port->served = weir_switch_more(p)->queue_next;
        return p;
    }
    port->served = advance(p);
    if (port->quantum_pkts == 0)
        put_last(port);
    return p;
}
