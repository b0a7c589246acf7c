/* src/simulator/port/parts.c - parts of the port body that all kinds of ports share, and parts that only rare packets
 * need; the rest is port_body.h. A plain port knows the departure of a packet when the packet joins. At other ports a
 * packet may wait for a decision that later arrivals influence. Such packets wait in class FIFOs, and a decision is
 * made once all arrivals before it are known. */
#include "port/port_body.h"
#include "hooks/wrr.h"

uint64_t weir_sim_port_up_ps(const struct sim_port *port, uint64_t at_ps)
{
    bool up = true;
    for (uint32_t i = 0; i < port->event_count; i++) {
        if (port->event[i].at_ps > at_ps && up)
            return at_ps;
        at_ps = up ? at_ps : weir_max_u64(at_ps, port->event[i].at_ps);
        up = port->event[i].up;
    }
    return up ? at_ps : WEIR_NEVER;
}

bool weir_sim_port_cut(const struct sim_port *port, uint64_t start_ps, uint64_t arrival_ps)
{
    for (uint32_t i = 0; i < port->event_count; i++)
        if (!port->event[i].up && port->event[i].at_ps > start_ps && port->event[i].at_ps < arrival_ps)
            return true;
    return false;
}

uint64_t weir_sim_port_duration_ps(const struct sim_link *link, uint64_t start_ps, uint64_t work_ps)
{
    const struct sim_port *port = link->port;
    uint64_t bps = link->rate_bps;
    for (uint32_t i = 0; i < port->rate_count && port->rate[i].at_ps <= start_ps; i++)
        bps = port->rate[i].bps;
    if (bps >= link->rate_bps) /* a direction that was built slower than the other keeps its rate */
        return work_ps;
    WEIR_ASSERT(bps >= WEIR_RATE_MIN_BPS);
    return weir_mul_div_u64(work_ps, link->rate_bps, bps); /* fits: 2^17 bits take 2^37 ps at the least rate */
}

uint64_t weir_sim_port_wire_ps(struct sim_link *link, uint64_t start_ps, uint64_t work_ps)
{
    link->port->frame_ps = work_ps;
    return link->port->frame_wire_ps = weir_sim_port_duration_ps(link, start_ps, work_ps);
}

uint64_t weir_sim_port_pull_ps(struct sim_link *link, uint64_t start_ps, uint64_t work_ps, bool measuring)
{
    uint64_t wire_ps = weir_sim_port_wire_ps(link, start_ps, work_ps);
    WEIR_ASSERT(wire_ps >= work_ps);
    link->free_at_ps = start_ps + wire_ps;
    if (measuring)
        link->area += (sim_area)work_ps * (wire_ps - work_ps);
    return wire_ps;
}

bool weir_sim_port_discards(const struct sim_port *port, uint64_t at_ps)
{
    bool up = true, discards = false;
    for (uint32_t i = 0; i < port->event_count && port->event[i].at_ps <= at_ps; i++) {
        up = port->event[i].up;
        discards = !up && (discards || port->event[i].flush);
    }
    return discards;
}

uint64_t weir_sim_port_flush_ps(const struct sim_port *port)
{
    WEIR_ASSERT(port->events_done <= port->event_count);
    for (uint32_t i = port->events_done; i < port->event_count; i++)
        if (!port->event[i].up && port->event[i].flush)
            return port->event[i].at_ps;
    return WEIR_NEVER;
}

/* Counts the events of the port's cable up to and including now_ps as executed. */
static void port_pass(struct sim_port *port, uint64_t now_ps)
{
    while (port->events_done < port->event_count && port->event[port->events_done].at_ps <= now_ps)
        port->events_done++;
}

/* Drops a packet that waits at a port with class FIFOs, and frees its memory. */
static void port_flush_one(struct sim_thread *th, struct sim_link *link, const struct sim_queued *q, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count, bytes = q->pkt.wire_bytes;
    WEIR_ASSERT(q->pkt.arrival_ps <= now_ps);
    WEIR_ASSERT(!link->kind.memory || link->port->held_bytes >= bytes);
    link->port->area += (sim_area)q->tx_ps * 2 * (now_ps - q->pkt.arrival_ps);
    link->bytes -= bytes;
    if (link->kind.memory) {
        link->port->held_bytes -= bytes;
        if (link->src >= hosts)
            e->sw[link->src - hosts].used_bytes -= bytes;
    }
    weir_sim_drop(th, link, &q->pkt, now_ps, e->flush_cause);
}

void weir_sim_port_flush(struct sim_thread *th, struct sim_link *link, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    WEIR_ASSERT(link->kind.serve == SIM_SERVE_QUEUE && link->kind.cable);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        for (; port->waiting[c].count > 0; ring_pop(&port->waiting[c]))
            port_flush_one(th, link, ring_at(&port->waiting[c], sizeof(struct sim_queued), 0), now_ps);
    memset(port->waiting_bytes, 0, sizeof(port->waiting_bytes));
    port->waiting_ps = 0;
    link->waiting_pkts = link->waiting_classes = 0;
    port->gate_next_ps = WEIR_NEVER;
    port_pass(port, now_ps);
}

void weir_sim_port_pass_events(struct sim_thread *th, struct sim_link *link, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    if (link->waiting_pkts > 0)
        (void)sim_port_decide(th, link, now_ps);
    if (link->waiting_pkts > 0 && weir_sim_port_flush_ps(port) <= now_ps)
        weir_sim_port_flush(th, link, now_ps);
    port_pass(port, now_ps);
}

void weir_sim_switch_pass_events(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps)
{
    struct sim_link *link = &th->engine->link[sw->first_out], *end = link + sw->out_count;
    for (; sw->cables && link < end; link++)
        if (link->kind.serve == SIM_SERVE_QUEUE && link->kind.cable)
            weir_sim_port_pass_events(th, link, now_ps);
}

uint64_t weir_sim_port_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    uint64_t left_ps;
    if (sim_kind_is_counted(link->kind))
        return sim_counted_backlog_ps(link, now_ps);
    left_ps = sim_fifo_backlog_ps(link, now_ps);
    return link->kind.cable ? sim_port_rest_ps(link->port, left_ps) : left_ps;
}

/* Returns the part of A(now) that is due to packets that wait for weighted round robin. See weir_sim_port_area(). */
static sim_area wrr_area(const struct weir_wrr *wrr, uint64_t now_ps)
{
    const struct weir_waiting *w;
    uint64_t cursor = 0;
    sim_area area = 0;
    while ((w = weir_wrr_next(wrr, &cursor)) != NULL)
        if (w->pkt.arrival_ps < now_ps)
            area += (sim_area)w->tx_ps * 2 * (now_ps - w->pkt.arrival_ps);
    return area;
}

/* Returns the part of A(now) that is due to the packets of a class FIFO. entry_bytes: size of an entry, which is a
 * struct sim_queued or begins like one */
static sim_area ring_area(const struct sim_ring *ring, size_t entry_bytes, uint64_t now_ps)
{
    sim_area area = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct sim_queued *q = ring_at(ring, entry_bytes, i);
        if (q->pkt.arrival_ps < now_ps)
            area += (sim_area)q->tx_ps * 2 * (now_ps - q->pkt.arrival_ps);
    }
    return area;
}

/* Returns the part of A(now) that is due to all packets that wait at a port with class FIFOs. */
static sim_area waiting_area(const struct sim_link *link, uint64_t now_ps)
{
    const struct sim_port *port = link->port;
    bool steps = link->kind.serve == SIM_SERVE_STEPS;
    size_t entry_bytes = steps ? sizeof(struct sim_stepped) : sizeof(struct sim_queued);
    sim_area area = port->wrr != NULL ? wrr_area(port->wrr, now_ps) : 0;
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        area += ring_area(&port->waiting[c], entry_bytes, now_ps);
    return area;
}

sim_area weir_sim_port_area(const struct sim_link *link, uint64_t now_ps)
{
    const struct sim_port *port = link->port;
    uint64_t left;
    if (!sim_kind_is_counted(link->kind)) {
        left = sim_fifo_backlog_ps(link, now_ps);
        return link->area - (sim_area)left * (link->kind.cable ? sim_port_rest_ps(port, left) : left);
    }
    left = link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0;
    return port->area - (sim_area)left * sim_port_rest_ps(port, left) + waiting_area(link, now_ps);
}

sim_area weir_sim_port_area_of_all(const struct sim_link *link, uint64_t end_ps)
{
    return sim_kind_is_counted(link->kind) ? link->port->area + waiting_area(link, end_ps) : link->area;
}

/* Subtracts the memory of frames that ended at now_ps or before from the sums of the port and the switch. Makes the
 * port's decisions before now_ps first, since one of these may have started such a frame. sw: NULL at a host */
static void port_settle(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    if (link->kind.serve == SIM_SERVE_QUEUE && link->kind.cable)
        weir_sim_port_pass_events(th, link, now_ps);
    (void)sim_port_decide(th, link, now_ps);
    while (port->held.count > 0) {
        const struct sim_held *oldest = ring_at(&port->held, sizeof(*oldest), 0);
        if (oldest->end_ps > now_ps)
            break;
        port->held_bytes -= oldest->bytes;
        if (sw != NULL)
            sw->used_bytes -= oldest->bytes;
        ring_pop(&port->held);
    }
}

/* Asks the admit hooks, then the memory limit, with the present sums of held memory. @return as weir_chain_admits() */
static uint32_t port_ask(const struct sim_link *link, const struct sim_switch *sw, const struct weir_pkt *pkt)
{
    const struct sim_port *port = link->port;
    return weir_chain_admits(&port->chain,
                             &(struct weir_admit){ .memory_bytes = sw != NULL ? sw->memory_bytes : UINT64_MAX,
                                                   .used_bytes = sw != NULL ? sw->used_bytes : port->held_bytes,
                                                   .held_bytes = port->held_bytes,
                                                   .bytes = pkt->wire_bytes,
                                                   .in_port = WEIR_PORT_NONE,
                                                   .in_class = sim_port_class(port, pkt) });
}

/* Asks with upper bounds of the memory held first: a packet that is admitted with these is also admitted with the
 * exact sums. Computes the exact sums and asks again only if the packet is refused with the bounds. */
uint32_t weir_sim_port_admits(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                              const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint32_t cause = port_ask(link, sw, pkt);
    if (cause != WEIR_CAUSE_NONE) {
        uint64_t bound_bytes = sw != NULL ? sw->used_bytes : link->port->held_bytes;
        for (uint32_t i = 0; sw != NULL && i < sw->out_count; i++)
            port_settle(th, &th->engine->link[sw->first_out + i], sw, now_ps);
        if (sw == NULL)
            port_settle(th, link, NULL, now_ps);
        WEIR_ASSERT((sw != NULL ? sw->used_bytes : link->port->held_bytes) <= bound_bytes); /* none wrapped below 0 */
        WEIR_ASSERT(sw == NULL || link->port->held_bytes <= sw->used_bytes);
        cause = port_ask(link, sw, pkt);
    }
    if (cause == WEIR_CAUSE_NONE) {
        link->port->held_bytes += pkt->wire_bytes;
        if (sw != NULL)
            sw->used_bytes += pkt->wire_bytes;
    }
    return cause;
}

void weir_sim_port_hold(struct sim_thread *th, struct sim_link *link, uint64_t end_ps, uint32_t bytes)
{
    *(struct sim_held *)ring_push(th, &link->port->held, sizeof(struct sim_held)) =
        (struct sim_held){ .end_ps = end_ps, .bytes = bytes };
}

struct weir_pkt *weir_sim_port_enqueue(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                       uint64_t now_ps, uint64_t tx_ps)
{
    struct sim_port *port = link->port;
    uint32_t class_id = sim_port_class(port, pkt);
    struct sim_queued *q = ring_push(th, &port->waiting[class_id], sizeof(*q));
    link->waiting_classes |= 1u << class_id;
    q->pkt = *pkt;
    q->pkt.arrival_ps = now_ps;
    q->tx_ps = tx_ps;
    port->waiting_ps += tx_ps;
    port->waiting_bytes[class_id] += pkt->wire_bytes;
    link->waiting_pkts++;
    return &q->pkt;
}

uint32_t weir_sim_port_asks_join(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                 struct sim_via via, uint64_t backlog_ps, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    struct weir_join join = { .pkt = pkt,
                              .now_ps = now_ps,
                              .queue_bytes = sim_queue_bytes(link, backlog_ps),
                              .offered = port->offered - 1,
                              .in_port = via.in_port,
                              .class_id = via.class_id };
    uint32_t cause = weir_chain_join(&port->chain, &join);
    return cause != WEIR_CAUSE_NONE ? weir_sim_mark(th, link, pkt, now_ps, cause) : 0;
}

uint32_t weir_sim_port_asks_dequeue(struct sim_thread *th, struct sim_link *link, struct weir_dequeue *dequeue,
                                    struct weir_pkt *pkt, uint64_t tx_ps)
{
    struct weir_dequeued cause;
    dequeue->pkt = pkt;
    dequeue->joined_ps = pkt->arrival_ps;
    cause = weir_chain_dequeue(&link->port->chain, dequeue);
    if (cause.mark != WEIR_CAUSE_NONE && weir_sim_mark(th, link, pkt, dequeue->now_ps, cause.mark)) {
        pkt->flags |= WEIR_PKT_CE;
        link->marks++;
    }
    if (cause.drop != WEIR_CAUSE_NONE) {
        link->port->area += (sim_area)tx_ps * 2 * (dequeue->now_ps - pkt->arrival_ps);
        link->bytes -= pkt->wire_bytes;
    }
    return cause.drop;
}

bool weir_sim_port_dequeue(struct sim_thread *th, struct sim_link *link, uint32_t class_id, struct sim_queued *q,
                           uint64_t now_ps)
{
    struct weir_dequeue dequeue = { .now_ps = now_ps,
                                    .queue_bytes = link->port->waiting_bytes[class_id],
                                    .in_port = WEIR_PORT_NONE,
                                    .class_id = class_id };
    uint32_t cause = weir_sim_port_asks_dequeue(th, link, &dequeue, &q->pkt, q->tx_ps);
    if (cause == WEIR_CAUSE_NONE)
        return true;
    if (link->kind.memory)
        weir_sim_port_hold(th, link, now_ps, q->pkt.wire_bytes);
    weir_sim_drop(th, link, &q->pkt, now_ps, cause);
    return false;
}

uint64_t weir_sim_switch_queue_bytes(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps)
{
    struct sim_link *link = &th->engine->link[sw->first_out], *end = link + sw->out_count;
    uint64_t sum = 0;
    for (; sw->by_time && link < end; link++)
        sum += sim_fifo_backlog_ps(link, now_ps) / link->ps_per_byte;
    for (; sw->counted && link < end; link++) {
        if (link->waiting_pkts > 0)
            (void)sim_port_decide(th, link, now_ps);
        if (!sim_counted_is_idle(link, now_ps))
            sum += sim_queue_bytes(link, sim_counted_backlog_ps(link, now_ps));
    }
    for (; link < end; link++) {
        if (link->kind.serve == SIM_SERVE_QUEUE && sim_kind_is_counted(link->kind) && link->waiting_pkts > 0)
            (void)sim_port_decide(th, link, now_ps);
        sum += sim_queue_bytes(link, weir_sim_port_backlog_ps(link, now_ps));
    }
    return sum;
}
