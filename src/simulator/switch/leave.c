/* src/simulator/switch/leave.c - doc/model.md [leave], [drop-on-leaving], [loss], [gate], [lanes]: decisions of a port,
 * transmissions. */
#include "core/cable.h"
#include "core/math.h"
#include "switch/internal.h"

/* Returns how long a frame with this much work that starts now is on the wire. The last event of its cable that sets a
 * rate counts [cables.rate]; no link is faster than it was built. */
static uint64_t wire_ps(const struct weir_switch *sw, const struct switch_port *port, uint64_t work_ps)
{
    const struct weir_model *m = sw->model;
    uint64_t bps = port->rate_bps;
    uint32_t cable = m->rate_count > 0 ? weir_topology_cable(m->topo, port->link) : 0;
    for (uint32_t i = 0; i < m->rate_count && m->rate[i].at_ps <= sw->now_ps; i++)
        if (m->rate[i].cable == cable)
            bps = m->rate[i].bps;
    return bps < port->rate_bps ? weir_mul_div_u64(work_ps, port->rate_bps, bps) : work_ps;
}

void weir_switch_occupy(struct weir_switch *sw, struct switch_port *port, uint64_t work_ps, uint32_t bytes)
{
    WEIR_CHECK(!port->sending && port->up);
    port->sending_ps = work_ps;
    port->sending_wire_ps = wire_ps(sw, port, work_ps);
    port->busy_until_ps = sw->now_ps + port->sending_wire_ps;
    port->sending_bytes = bytes;
    port->sending = true;
    weir_heap_push(&sw->ends, port->busy_until_ps, port->index);
}

uint32_t weir_switch_in_class(const struct weir_switch *sw, const struct switch_port *port, struct weir_switch_pkt *p)
{
    if (sw->model->aged_classes == 0 || weir_switch_in_port(sw, p) == WEIR_PORT_NONE)
        return weir_switch_class(sw, port, p);
    return weir_switch_more(p)->in_class;
}

/* ---- the packet that is to leave next ---- */

/* Drops a packet that waited: as if it had never come, but for the time that it waited [drop-on-leaving.drop]. */
static void drop_waiting(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p, uint32_t cause)
{
    weir_switch_sync(port, sw->now_ps);
    port->waiting_ps -= p->work_ps;
    port->held_bytes -= p->pkt.wire_bytes;
    sw->used_bytes -= p->pkt.wire_bytes;
    port->count.bytes -= p->pkt.wire_bytes;
    port->count.pkts--;
    port->count.drops++;
    weir_switch_report_drop(sw, port, p, cause, WEIR_FATE_DROPPED, true);
    if (sw->coupled)
        weir_switch_notify_dropped(sw, port, p);
    weir_switch_pkt_give(sw->pool, p);
}

/* Asks the features about the packet that is to leave next. @return false = it was dropped */
static bool ask_to_leave(struct weir_switch *sw, struct switch_port *port, uint32_t class_id, struct weir_switch_pkt *p)
{
    struct weir_dequeue dequeue = { .pkt = &p->pkt,
                                    .now_ps = sw->now_ps,
                                    .joined_ps = p->pkt.arrival_ps,
                                    .queue_bytes = port->class_bytes[class_id],
                                    .in_port = weir_switch_in_port(sw, p),
                                    .class_id = class_id == SWITCH_WRR ? 1 : class_id };
    struct weir_pkt before = p->pkt;
    uint32_t mark, drop = weir_switch_ask_dequeue(port, &dequeue, &mark);
    weir_switch_report_written(sw, WEIR_SWITCH_DEQUEUE, &before, &p->pkt);
    weir_switch_mark(sw, port, &p->pkt, mark);
    if (drop != WEIR_CAUSE_NONE)
        drop_waiting(sw, port, p, drop);
    return drop == WEIR_CAUSE_NONE;
}

/* Tests whether packets of the upper of two lanes may leave by a port in the lower one. A host's port that pulls has no
 * such hook: what waits in it is the host's queue [lanes.start]. */
static bool may_escape(const struct weir_switch *sw, const struct switch_port *port)
{
    return sw->model->escapes && port->chain.escape.call != NULL;
}

/* Moves a packet of the upper of two lanes into the lower one, if its own is closed [lanes.escape]. */
static void escape(struct weir_switch *sw, struct switch_port *port, uint32_t class_id, struct weir_switch_pkt *p)
{
    struct weir_pkt before = p->pkt;
    if (!may_escape(sw, port) || (port->closed >> class_id & 1) == 0)
        return;
    WEIR_ASSERT(class_id == sw->classes - 1 && p->pkt.stays == 0);
    port->chain.escape.call(&port->chain.escape.here, &p->pkt);
    weir_switch_report_written(sw, WEIR_SWITCH_ESCAPE, &before, &p->pkt);
}

/* ---- transmissions ---- */

/* Notifies the features that a transmission starts; at a switch the packet may get a record. Sets *late_ps.
 * @return why the packet is lost */
static uint32_t ask_start(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p,
                          uint64_t *late_ps)
{
    bool room = sw->coupled && sw->of_switch && p->pkt.hops < sw->hops_max;
    struct weir_start start = { .pkt = &p->pkt,
                                .now_ps = sw->now_ps,
                                .joined_ps = p->pkt.arrival_ps,
                                .tx_ps = port->sending_wire_ps,
                                .begun = port->started,
                                .in_port = weir_switch_in_port(sw, p),
                                .record = room ? &weir_switch_more(p)->hop[p->pkt.hops] : NULL };
    struct weir_pkt before = p->pkt;
    uint32_t answers = 0, cause = weir_switch_ask_start(port, &start, &answers);
    p->pkt.hops = (uint8_t)(p->pkt.hops + ((answers & WEIR_RECORD) != 0));
    weir_switch_report_written(sw, WEIR_SWITCH_START, &before, &p->pkt);
    *late_ps = start.late_ps;
    return cause;
}

/* Passes a packet whose transmission starts to the sink. cause: why it is lost */
static void hand_over(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p, uint64_t late_ps,
                      uint32_t cause)
{
    if (cause == WEIR_CAUSE_NONE) {
        sw->sink->send(sw->sink->ctx, &(struct weir_switch_sent){ .pkt = p,
                                                                  .start_ps = sw->now_ps,
                                                                  .end_ps = port->busy_until_ps,
                                                                  .late_ps = late_ps,
                                                                  .port = port->index });
        return;
    }
    port->count.losses++;
    weir_switch_report_drop(sw, port, p, cause, WEIR_FATE_LOST, true);
    weir_switch_pkt_give(sw->pool, p);
}

/* Starts the transmission of a packet that is out of its queue. */
static void transmit(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    uint64_t late_ps = 0;
    uint32_t cause = WEIR_CAUSE_NONE;
    weir_switch_sync(port, sw->now_ps);
    port->waiting_ps -= p->work_ps;
    weir_switch_occupy(sw, port, p->work_ps, p->pkt.wire_bytes);
    if (sw->coupled)
        weir_switch_note_sending(sw, port, p);
    if (port->chain.start_count > 0)
        cause = ask_start(sw, port, p, &late_ps);
    port->started++;
    hand_over(sw, port, p, late_ps, cause);
}

/* Takes the next packet of a class, or SWITCH_WRR, out of its queue. */
static struct weir_switch_pkt *take_out(struct weir_switch *sw, struct switch_port *port, uint32_t class_id)
{
    struct weir_switch_pkt *p =
        class_id == SWITCH_WRR ? weir_switch_queues_pop(port) : weir_switch_fifo_pop(&port->queue[class_id]);
    WEIR_CHECK(port->class_bytes[class_id] >= p->pkt.wire_bytes && port->waiting_pkts > 0);
    port->class_bytes[class_id] -= p->pkt.wire_bytes;
    port->waiting_pkts--;
    sw->waiting_bytes[port->index] -= p->pkt.wire_bytes;
    return p;
}

/* Starts the next packet of a class, or SWITCH_WRR. @return false = it was dropped instead */
static bool start(struct weir_switch *sw, struct switch_port *port, uint32_t class_id)
{
    struct weir_switch_pkt *p = take_out(sw, port, class_id);
    escape(sw, port, class_id, p);
    if (port->chain.dequeue_count > 0 && !ask_to_leave(sw, port, class_id, p))
        return false;
    if (class_id != SWITCH_WRR && weir_chain_is_gated(&port->chain, class_id))
        weir_chain_gate_passed(&port->chain, p->pkt.wire_bytes, sw->now_ps);
    transmit(sw, port, p);
    return true;
}

void weir_switch_end(struct weir_switch *sw, struct switch_port *port)
{
    WEIR_CHECK(port->sending && port->busy_until_ps == sw->now_ps);
    weir_switch_sync(port, sw->now_ps);
    if (sw->coupled)
        weir_switch_notify_sent(sw, port);
    port->sending = false;
    port->held_bytes -= port->sending_bytes;
    sw->used_bytes -= port->sending_bytes;
    port->sending_bytes = 0;
    weir_switch_kick(sw, port);
}

/* ---- decisions ---- */

void weir_switch_kick(struct weir_switch *sw, struct switch_port *port)
{
    if (port->sending || !port->up || (port->waiting_ps == 0 && port->control.head == NULL))
        return;
    if (port->at_once)
        (void)start(sw, port, 0);
    else
        weir_switch_port_due(sw, port);
}

/* Tests whether packet a came to this port before packet b of another virtual lane. At one instant it did if its
 * in-link is lower [lanes.order]. */
static bool is_older(const struct weir_switch *sw, struct weir_switch_pkt *a, struct weir_switch_pkt *b)
{
    if (a->pkt.arrival_ps != b->pkt.arrival_ps)
        return a->pkt.arrival_ps < b->pkt.arrival_ps;
    return weir_switch_in_port(sw, a) < weir_switch_in_port(sw, b);
}

/* Tests whether the head of a lane may leave: in its own lane if that is open; else in the lower of two lanes, if that
 * is. */
static bool lane_sends(const struct weir_switch *sw, const struct switch_port *port, uint32_t class_id)
{
    const struct weir_switch_pkt *head = port->queue[class_id].head;
    if (head == NULL || (port->closed >> class_id & 1) == 0)
        return head != NULL;
    return may_escape(sw, port) && class_id == sw->classes - 1 && (port->closed >> (class_id - 1) & 1) == 0 &&
           head->pkt.stays == 0;
}

/* Finds the virtual lane that may send and has the oldest head. Lanes are the last classes. @return UINT32_MAX =
 * none */
static uint32_t oldest_lane(const struct weir_switch *sw, const struct switch_port *port)
{
    uint32_t oldest = UINT32_MAX;
    for (uint32_t c = sw->classes - sw->model->aged_classes; c < sw->classes; c++) {
        if (!lane_sends(sw, port, c))
            continue;
        if (oldest == UINT32_MAX || is_older(sw, port->queue[c].head, port->queue[oldest].head))
            oldest = c;
    }
    return oldest;
}

/* Returns when the gate lets the head of a class start; 0 = it is not gated, WEIR_NEVER = the class is empty. */
static uint64_t class_opens_ps(const struct switch_port *port, uint32_t class_id)
{
    const struct weir_switch_pkt *head = port->queue[class_id].head;
    if (head == NULL)
        return WEIR_NEVER;
    if (!weir_chain_is_gated(&port->chain, class_id))
        return 0;
    return weir_chain_gate_opens_ps(&port->chain, head->pkt.wire_bytes);
}

/* Plans the next decision of a port where nothing may start: when its gate opens [gate.opens]. */
static void wait_for_gate(struct weir_switch *sw, const struct switch_port *port)
{
    uint64_t opens_ps = WEIR_NEVER;
    for (uint32_t c = 0; c < sw->classes && port->chain.gate.classes != 0; c++)
        if (weir_chain_is_gated(&port->chain, c))
            opens_ps = weir_min_u64(opens_ps, class_opens_ps(port, c));
    if (opens_ps == WEIR_NEVER)
        return;
    sw->opens_ps[port->index] = opens_ps;
    sw->gate_ps = weir_min_u64(sw->gate_ps, opens_ps);
}

/* Returns the class, or SWITCH_WRR, that may send now; UINT32_MAX = none. */
static uint32_t next_class(const struct weir_switch *sw, const struct switch_port *port)
{
    uint32_t c = 0, strict = sw->classes - sw->model->aged_classes;
    while (c < strict && ((port->closed >> c & 1) != 0 || class_opens_ps(port, c) > sw->now_ps))
        c++;
    if (c < strict)
        return c;
    if (sw->model->aged_classes > 0)
        return oldest_lane(sw, port);
    return port->served == NULL || (port->closed >> 1 & 1) != 0 ? UINT32_MAX : SWITCH_WRR;
}

void weir_switch_decide(struct weir_switch *sw, struct switch_port *port)
{
    uint32_t c;
    if (port->sending || !port->up)
        return;
    if (port->control.head != NULL) {
        weir_switch_start_control(sw, port);
        return;
    }
    while ((c = next_class(sw, port)) != UINT32_MAX && !start(sw, port, c))
        continue;
    if (c == UINT32_MAX)
        wait_for_gate(sw, port);
}

/* ---- cables ---- */

void weir_switch_flush(struct weir_switch *sw, struct switch_port *port)
{
    uint32_t cause = weir_features_cut(&sw->model->features, WEIR_CUT_FLUSH);
    if (!port->discards)
        return;
    for (uint32_t c = 0; c < sw->classes; c++)
        while (port->queue[c].head != NULL)
            drop_waiting(sw, port, take_out(sw, port, c), cause);
    while (port->served != NULL)
        drop_waiting(sw, port, take_out(sw, port, SWITCH_WRR), cause);
}
