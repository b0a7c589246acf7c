/* src/simulator/coupled/step_leave.h - step by step: how a port decides, and how a packet leaves a port. Included by
 * visit_coupled.c, into whose loop these functions are inlined. */
#ifndef WEIR_COUPLED_STEP_LEAVE_H
#define WEIR_COUPLED_STEP_LEAVE_H
#include "coupled/step_join.h"

/* Calls the on_start hooks of a port for the packet in `slot`, and adds the telemetry record that they write to that
 * packet. q: the packet as it waited; at: of this start, with late_ps to be set. @return as weir_chain_start() */
static inline uint32_t coupled_start_hooks(const struct coupled_run *r, struct sim_link *link,
                                           const struct sim_stepped *q, struct weir_pkt *slot, struct sim_tapped *at)
{
    struct sim_port *port = link->port;
    struct weir_telemetry record;
    uint32_t answer;
    struct weir_start start = { .pkt = slot,
                                .now_ps = at->start_ps,
                                .joined_ps = at->joined_ps,
                                .tx_ps = at->tx_ps,
                                .begun = port->begun++,
                                .in_port = q->in,
                                .record = q->pkt.hops < r->model->features.records_max ? &record : NULL };
    answer = weir_chain_start(&port->chain, &start);
    at->late_ps = start.late_ps;
    if ((answer & WEIR_RECORD) != 0)
        sim_records_add(&r->th->records, slot, &record);
    return answer;
}

/* Returns the lane in which packets of a class leave. A link with a lower lane uses it for classes above 0, as with
 * deferred hooks. */
static inline enum sim_lane coupled_lane(const struct sim_link *link, uint32_t class_id)
{
    return class_id > 0 && link->write[SIM_LANE_LOW] != NULL ? SIM_LANE_LOW : SIM_LANE_FIRST;
}

/* Puts a packet that starts at now_ps, and is on the wire for wire_ps, into the FIFO of port p's link. If a hook or a
 * cable that goes down loses the packet, counts the loss instead. */
static inline void coupled_emit(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q, uint64_t now_ps,
                                uint64_t wire_ps)
{
    struct sim_link *link = &r->out[p];
    enum sim_lane lane = coupled_lane(link, q->class_id);
    struct weir_pkt *slot = link->write[lane];
    uint32_t cause = WEIR_CAUSE_NONE;
    uint64_t arrival_ps;
    struct sim_tapped at = { .joined_ps = q->pkt.arrival_ps, .start_ps = now_ps, .tx_ps = wire_ps };
    sim_copy_body(slot, &q->pkt);
    if (link->kind.start)
        cause = weir_answer_cause(coupled_start_hooks(r, link, q, slot, &at));
    arrival_ps = now_ps + wire_ps + link->delay_ps + at.late_ps;
    if (cause == WEIR_CAUSE_NONE && link->kind.cable && weir_sim_port_cut(link->port, now_ps, arrival_ps))
        cause = r->th->engine->cut_cause;
    if (WEIR_UNLIKELY(link->kind.tap))
        weir_sim_tap_start(r->th, link, slot, &at, cause);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_lose(r->th, link, slot, cause);
        if (sim_has_records(r->model))
            sim_records_drop(&r->th->records, slot);
        return;
    }
    link->write[lane] = sim_fifo_publish(&r->th->pool, slot, arrival_ps);
    if (lane == SIM_LANE_LOW)
        link->undecided = link->write[lane];
}

/* Starts the transmission of a packet at port p at now_ps, and updates waiting_ps and waiting_pkts. The caller
 * removes the packet from its queue, and updates waiting_bytes and waiting_classes. */
static inline void coupled_begin(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    struct coupled_port *cp = &r->c->port[p];
    uint64_t wire_ps = link->kind.cable ? weir_sim_port_wire_ps(link, now_ps, q->tx_ps) : q->tx_ps;
    port->waiting_ps -= q->tx_ps;
    port->area += (sim_area)q->tx_ps * (2 * (now_ps - q->pkt.arrival_ps) + wire_ps);
    link->busy_until_ps = cp->wire_ps = now_ps + wire_ps;
    coupled_emit(r, p, q, now_ps, wire_ps);
    cp->is_sending = true;
    cp->sending = q->pkt;
    cp->sending_in = q->in;
    cp->sending_class = q->in_class;
    link->waiting_pkts--;
}

/* Subtracts a packet that leaves the switch, or is dropped on leaving, from the accounts of held bytes. Does nothing
 * unless ends_matter. */
static inline void coupled_free(const struct coupled_run *r, uint32_t p, const struct weir_departure *left)
{
    if (!r->c->ends_matter)
        return;
    r->c->port[p].held_bytes -= left->bytes;
    r->sw->used_bytes -= left->bytes;
    if (r->c->deferred.port != NULL)
        *coupled_held(r, left->in_port, left->in_class) -= left->bytes;
}

/* Drops a packet that was waiting at port p, and frees its memory. The caller removes it from its queue, and updates
 * the counts by class. */
static inline void coupled_drop_waiting(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q,
                                        uint64_t now_ps, uint32_t cause)
{
    struct sim_link *link = &r->out[p];
    const struct weir_departure left = {
        .now_ps = now_ps, .bytes = q->pkt.wire_bytes, .in_port = q->in, .in_class = q->in_class
    };
    link->port->waiting_ps -= q->tx_ps;
    link->waiting_pkts--;
    weir_sim_coupled_drop(r, p, &q->pkt, now_ps, cause);
    coupled_free(r, p, &left);
    weir_sim_control_dropped(r, p, &left);
}

/* Calls on_dequeue for the next packet of port p. @return true = the packet may leave; false = it was dropped, and its
 * memory is free */
static inline bool coupled_dequeue(const struct coupled_run *r, uint32_t p, struct sim_stepped *q, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct weir_dequeue dequeue = { .now_ps = now_ps,
                                    .queue_bytes = link->port->waiting_bytes[q->class_id] - q->pkt.wire_bytes,
                                    .in_port = q->in,
                                    .class_id = q->class_id };
    uint32_t cause = weir_sim_port_asks_dequeue(r->th, link, &dequeue, &q->pkt, q->tx_ps);
    if (cause == WEIR_CAUSE_NONE)
        return true;
    r->c->dropped = true;
    coupled_drop_waiting(r, p, q, now_ps, cause);
    return false;
}

/* Removes the packet that weighted round robin serves next, and writes it to *q. @return true = other packets wait */
static inline bool coupled_take_wrr(struct weir_wrr *wrr, struct sim_stepped *q)
{
    struct weir_waiting w;
    bool more = weir_wrr_take(wrr, &w);
    *q = (struct sim_stepped){
        .pkt = w.pkt, .tx_ps = w.tx_ps, .in = w.in_port, .class_id = COUPLED_WRR, .in_class = COUPLED_WRR
    };
    return more;
}

/* Removes the next packet of a class of port p from its queue into *q, and updates the counts by class. The class must
 * not be empty. */
static inline void coupled_take(const struct coupled_run *r, uint32_t p, uint32_t class_id, struct sim_stepped *q)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    struct sim_ring *ring = &port->waiting[class_id];
    bool more;
    if (port->wrr != NULL && class_id == COUPLED_WRR) {
        more = coupled_take_wrr(port->wrr, q);
    } else {
        *q = *(const struct sim_stepped *)ring_at(ring, sizeof(*q), 0);
        ring_pop(ring);
        more = ring->count > 0;
    }
    port->waiting_bytes[class_id] -= q->pkt.wire_bytes;
    r->sw->waiting_bytes[p] -= q->pkt.wire_bytes;
    link->waiting_classes &= ~((uint32_t)!more << class_id);
}

/* Removes the next packet of a class of port p from its queue, and starts or drops it. The class must not be empty. If
 * it is closed, the packet leaves in the lower lane.
 * @return true = it started; false = on_dequeue dropped it */
static inline bool coupled_start(const struct coupled_run *r, uint32_t p, uint32_t class_id, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    struct sim_ring *ring = &port->waiting[class_id];
    bool is_wrr = port->wrr != NULL && class_id == COUPLED_WRR, more, starts;
    struct sim_stepped next, *q = is_wrr ? &next : ring_at(ring, sizeof(*q), 0);
    if (is_wrr)
        more = coupled_take_wrr(port->wrr, q);
    else
        more = ring->count > 1;
    if (WEIR_UNLIKELY(r->model->escapes) && (coupled_closed(link) >> class_id & 1) != 0)
        weir_chain_escape(&port->chain, &q->pkt);
    r->sw->waiting_bytes[p] -= q->pkt.wire_bytes;
    starts = !link->kind.dequeue || coupled_dequeue(r, p, q, now_ps);
    port->waiting_bytes[class_id] -= q->pkt.wire_bytes;
    if (starts)
        coupled_begin(r, p, q, now_ps);
    if (!is_wrr)
        ring_pop(ring);
    link->waiting_classes &= ~((uint32_t)!more << class_id);
    return starts;
}

/* Starts the next packet of port p. Its class is the lowest number of all classes that are open and not empty.
 * Virtual lanes, the last classes, count as one class: their oldest packet is next. With escapes the first packet of a
 * closed upper lane counts among those of the lower one. If on_dequeue drops a packet, goes on with the next one.
 * @return false = no packet could start */
static inline bool coupled_next(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    for (;;) {
        uint32_t ready = link->waiting_classes & ~coupled_closed(link), next;
        if (WEIR_UNLIKELY(r->model->escapes))
            ready |= weir_sim_coupled_escaping(r, link);
        if (ready == 0)
            return false;
        next = (uint32_t)__builtin_ctz(ready);
        if ((ready & (ready - 1)) != 0 && next + r->model->aged_classes >= r->model->classes)
            next = weir_sim_coupled_oldest(link->port, ready);
        if (coupled_start(r, p, next, now_ps))
            return true;
    }
}

/* Calls on_sent for a packet whose transmission has ended, and queues the control frames that the hooks make. */
static inline void coupled_notify_sent(const struct coupled_run *r, const struct weir_chain *chain,
                                       const struct weir_departure *left)
{
    struct weir_chain_control made;
    for (uint32_t i = 0; weir_chain_sent(chain, &i, left, &made);)
        weir_sim_control_put(r, &made);
}

/* Ends the transmission of port p at now_ps: frees the memory of its packet and calls on_sent. Does nothing if no
 * packet is in transmission. */
static inline void coupled_end(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_port *cp = &r->c->port[p];
    const struct weir_departure left = {
        .now_ps = now_ps, .bytes = cp->sending.wire_bytes, .in_port = cp->sending_in, .in_class = cp->sending_class
    };
    if (!cp->is_sending)
        return; /* the port was visited for a control frame, or for a cable that comes up */
    cp->is_sending = false;
    coupled_free(r, p, &left);
    coupled_notify_sent(r, &r->out[p].port->chain, &left);
}

/* Lets port p decide at now_ps if its wire is free and its cable up: a control frame goes first, else a packet
 * starts. Sets when the port is visited again, if that is known and necessary. */
static inline void coupled_decide(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    struct sim_coupled *c = r->c;
    if (cp->control.count == 0 && link->waiting_classes == 0)
        return;
    if (cp->wire_ps <= now_ps && link->kind.cable) {
        uint64_t up_ps = weir_sim_port_up_ps(link->port, now_ps);
        if (up_ps > now_ps) {
            coupled_arm(c, p, up_ps);
            return;
        }
    }
    if (cp->wire_ps <= now_ps) {
        if (cp->control.count > 0)
            weir_sim_control_send(r, p, now_ps);
        else if (!coupled_next(r, p, now_ps))
            return; /* no open class has packets; a resume will touch the port */
    }
    if (c->ends_matter || cp->control.count > 0 || link->waiting_pkts > 0)
        coupled_arm(c, p, cp->wire_ps);
}
#endif
