/* src/simulator/coupled/coupled_control.c - control frames of features, as PFC's pauses, at the switch that sends them.
 * A frame waits at a port, leaves before packets, and is lost if the cable goes down. The receiving end is in
 * port/control.c. */
#include "coupled/step_leave.h"
#include "state/fate.h"
#include "state/tap.h"

void weir_sim_control_put(const struct coupled_run *r, const struct weir_chain_control *made)
{
    struct coupled_port *cp = &r->c->port[made->frame.port];
    struct sim_link *link = &r->out[made->frame.port];
    WEIR_ASSERT(made->frame.port < r->sw->out_count);
    weir_sim_fate(r->th, link, made->cause);
    link->bytes += WEIR_CONTROL_BYTES;
    link->free_at_ps += cp->frame_ps + 1; /* 1: frame_ps was rounded down */
    *(struct weir_chain_control *)ring_push(r->th, &cp->control, sizeof(*made)) = *made;
    coupled_touch(r->c, made->frame.port);
}

void weir_sim_control_dropped(const struct coupled_run *r, uint32_t p, const struct weir_departure *left)
{
    struct weir_chain_control made;
    uint32_t i = 0;
    while (weir_chain_dropped(&r->out[p].port->chain, &i, left, &made))
        weir_sim_control_put(r, &made);
}

void weir_sim_control_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    struct sim_control *control = link->control;
    struct weir_chain_control made = *(const struct weir_chain_control *)ring_at(&cp->control, sizeof(made), 0);
    struct weir_pkt *frame = sim_control_slot(&r->th->pool, control);
    uint64_t frame_ps = link->kind.cable ? weir_sim_port_duration_ps(link, now_ps, cp->frame_ps) : cp->frame_ps;
    uint64_t arrival_ps = now_ps + frame_ps + link->delay_ps;
    bool lost;
    WEIR_ASSERT(cp->control.count > 0);
    WEIR_ASSERT(cp->wire_ps <= now_ps);
    ring_pop(&cp->control);
    cp->wire_ps = now_ps + frame_ps;
    lost = link->kind.cable && weir_sim_port_cut(link->port, now_ps, arrival_ps + 1);
    frame->class_id = WEIR_PKT_CLASS(made.frame.class_id);
    frame->flags = made.frame.code;
    frame->msg = made.feature;
    if (link->kind.tap)
        weir_sim_tap_control(r->th, link, frame, now_ps, arrival_ps, lost);
    if (lost)
        return; /* also if the frame would arrive at the instant at which the cable goes down */
    control->write = sim_fifo_publish(&r->th->pool, frame, arrival_ps);
    __atomic_fetch_add(&r->th->engine->control_count[link->dst].sent, 1, __ATOMIC_RELAXED);
}

/* Drops the packets that wait at port p, class by class, in order; queues of weighted round robin in the order of
 * service. Queues the control frames that the drops cause. */
static void control_flush(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    while (link->waiting_classes != 0) {
        struct sim_stepped q;
        coupled_take(r, p, (uint32_t)__builtin_ctz(link->waiting_classes), &q);
        link->port->area += (sim_area)q.tx_ps * 2 * (now_ps - q.pkt.arrival_ps);
        link->bytes -= q.pkt.wire_bytes;
        coupled_drop_waiting(r, p, &q, now_ps, r->th->engine->flush_cause);
    }
    WEIR_ASSERT(link->waiting_pkts == 0 && link->port->waiting_ps == 0);
}

/* Drops packets once the cables of all ports have gone down, so no drop makes a control frame for one of them. At a
 * port that discards what comes, packets wait at one instant alone: that at which its cable goes down. */
void weir_sim_control_cables(const struct coupled_run *r, uint64_t now_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct coupled_port *cp = &r->c->port[p];
        uint64_t at_ps = weir_sim_control_cable_ps(r->out[p].port, cp->events_done);
        if (at_ps == now_ps) {
            if (weir_sim_control_cable_down(r->out[p].port, &cp->events_done, now_ps) && r->c->has_control) {
                weir_sim_control_cut(&r->out[p], now_ps);
                cp->control.count = 0;
            }
            coupled_touch(r->c, p);
            at_ps = weir_sim_control_cable_ps(r->out[p].port, cp->events_done);
        }
        next_ps = weir_min_u64(next_ps, at_ps);
    }
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        if (r->out[p].waiting_pkts > 0 && r->out[p].kind.cable && weir_sim_port_discards(r->out[p].port, now_ps))
            control_flush(r, p, now_ps);
    WEIR_ASSERT(next_ps > now_ps);
    r->c->cable_ps = next_ps;
}

void weir_sim_coupled_cable(struct sim_switch *sw, uint64_t at_ps)
{
    WEIR_ASSERT(at_ps < WEIR_NEVER);
    sw->coupled->cable_ps = weir_min_u64(sw->coupled->cable_ps, at_ps);
}
