/* src/simulator/switch/check.c - what a switch holds, and its invariants. */
#include "switch/internal.h"

/* ---- what it holds ---- */

/* Calls a function for each packet that waits at a port. */
static void each_waiting(const struct weir_switch *sw, const struct switch_port *port,
                         void (*call)(void *ctx, struct weir_switch_pkt *p), void *ctx)
{
    for (uint32_t c = 0; c < sw->classes; c++)
        for (struct weir_switch_pkt *p = port->queue[c].head; p != NULL; p = p->next)
            call(ctx, p);
    for (struct weir_switch_pkt *first = port->served; first != NULL; first = weir_switch_more(first)->queue_next)
        for (struct weir_switch_pkt *p = first; p != NULL; p = p->next)
            call(ctx, p);
}

struct each { /* what weir_switch_each() is called with, and the port that it has come to */
    const struct weir_switch *sw;
    const struct switch_port *port;
    void (*call)(void *ctx, const struct weir_switch_held *held);
    void *ctx;
};

/* Reports a packet that waits. */
static void call_waiting(void *ctx, struct weir_switch_pkt *p)
{
    const struct each *e = ctx;
    e->call(e->ctx, &(struct weir_switch_held){ .port = e->port->index,
                                                .in_port = weir_switch_in_port(e->sw, p),
                                                .in_class = weir_switch_in_class(e->sw, e->port, p),
                                                .bytes = p->pkt.wire_bytes,
                                                .joined_ps = p->pkt.arrival_ps,
                                                .work_ps = p->work_ps });
}

void weir_switch_each(const struct weir_switch *sw, void (*call)(void *ctx, const struct weir_switch_held *held),
                      void *ctx)
{
    struct each e = { .sw = sw, .call = call, .ctx = ctx };
    for (uint32_t i = 0; i < sw->ports; i++) {
        const struct switch_port *port = &sw->port[i];
        e.port = port;
        each_waiting(sw, port, call_waiting, &e);
        if (port->sending_bytes > 0)
            call(ctx, &(struct weir_switch_held){ .port = i,
                                                  .in_port = port->sending_in,
                                                  .in_class = port->sending_class,
                                                  .bytes = port->sending_bytes });
    }
}

struct waiting { /* a sum over packets that wait */
    uint64_t ps, bytes, pkts;
};

/* Adds a packet to a sum. */
static void add_waiting(void *ctx, struct weir_switch_pkt *p)
{
    struct waiting *sum = ctx;
    sum->ps += p->work_ps;
    sum->bytes += p->pkt.wire_bytes;
    sum->pkts++;
}

uint64_t weir_switch_waiting_pkts(const struct weir_switch *sw, uint32_t port)
{
    WEIR_ASSERT(port < sw->ports);
    return sw->port[port].waiting_pkts;
}

/* ---- invariants ---- */

/* Returns the bytes that wait at a port, as counted by class. */
static uint64_t bytes_by_class(const struct switch_port *port)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c <= WEIR_CLASSES_MAX; c++)
        sum += port->class_bytes[c];
    return sum;
}

/* Returns what is wrong with the counters of a port. */
static const char *check_port(const struct weir_switch *sw, const struct switch_port *port)
{
    struct waiting sum = { 0 };
    each_waiting(sw, port, add_waiting, &sum);
    if (sum.ps != port->waiting_ps || sum.bytes != sw->waiting_bytes[port->index] || sum.pkts != port->waiting_pkts ||
        sum.bytes != bytes_by_class(port))
        return "a queue does not hold what its counters say";
    if (sum.bytes + port->sending_bytes != port->held_bytes)
        return "a port does not hold what its counters say";
    if (port->sending && port->busy_until_ps < sw->now_ps)
        return "a transmission outlasted its end";
    return NULL;
}

const char *weir_switch_broken(const struct weir_switch *sw)
{
    const char *broken = NULL;
    uint64_t held_bytes = 0;
    for (uint32_t p = 0; p < sw->ports && broken == NULL; p++) {
        broken = check_port(sw, &sw->port[p]);
        held_bytes += sw->port[p].held_bytes;
    }
    if (broken == NULL && held_bytes != sw->used_bytes)
        broken = "a switch does not hold what its ports hold";
    return broken == NULL && sw->of_switch ? weir_chain_broken(&sw->port[0].chain, sw->ports) : broken;
}

/* ---- state ---- */

uint32_t weir_switch_closed(const struct weir_switch *sw, uint32_t port)
{
    WEIR_CHECK(port < sw->ports);
    return sw->port[port].closed;
}

bool weir_switch_is_free(const struct weir_switch *sw, uint32_t port)
{
    const struct switch_port *p = &sw->port[port];
    WEIR_CHECK(port < sw->ports);
    return !p->sending && p->up && (p->has_queue || sw->nic_waits || p->waiting_ps == 0);
}

const struct weir_chain *weir_switch_chain(const struct weir_switch *sw, uint32_t port)
{
    WEIR_CHECK(port < sw->ports);
    return &sw->port[port].chain;
}

bool weir_switch_failed(const struct weir_switch *sw)
{
    return sw->out_of_pkts;
}
