/* src/simulator/switch/arrive.c - doc/model.md [arrival], [join]: routes, deflection, memory, marks. */
#include "switch/internal.h"
#include "topology/route.h"

/* ---- joining ---- */

void weir_switch_refuse(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p, uint32_t cause)
{
    WEIR_CHECK(cause != WEIR_CAUSE_NONE);
    port->count.drops++;
    weir_switch_report_drop(sw, port, p, cause, WEIR_FATE_DROPPED, false);
    weir_switch_pkt_give(sw->pool, p);
}

bool weir_switch_discards(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    if (port->discards)
        weir_switch_refuse(sw, port, p, weir_features_cut(&sw->model->features, WEIR_CUT_DISCARD));
    return port->discards;
}

void weir_switch_join(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    uint32_t bytes = p->pkt.wire_bytes, class_id = weir_switch_class(sw, port, p);
    weir_switch_sync(port, sw->now_ps);
    p->pkt.arrival_ps = sw->now_ps;
    p->work_ps = weir_tx_clock_advance(&port->clock, bytes);
    port->waiting_ps += p->work_ps;
    port->held_bytes += bytes;
    port->count.bytes += bytes;
    port->count.pkts++;
    sw->used_bytes += bytes;
    sw->waiting_bytes[port->index] += bytes;
    port->waiting_pkts++;
    if (class_id == 1 && weir_switch_has_wrr(port)) {
        weir_switch_queues_push(port, p);
        class_id = SWITCH_WRR;
    } else {
        weir_switch_fifo_push(&port->queue[class_id], p);
    }
    port->class_bytes[class_id] += bytes;
    if (sw->coupled)
        weir_switch_notify_joined(sw, port, p);
    if (sw->sink->joined != NULL)
        sw->sink->joined(sw->sink->ctx, port->index);
}

/* Asks whether there is memory for a packet. @return why there is none */
static uint32_t ask_memory(const struct weir_switch *sw, const struct switch_port *port, struct weir_switch_pkt *p)
{
    uint32_t in_class = weir_switch_in_class(sw, port, p), in_port = weir_switch_in_port(sw, p);
    bool lossless = in_port != WEIR_PORT_NONE && (sw->model->features.lossless >> in_class & 1) != 0;
    return weir_switch_ask_admit(port, &(struct weir_admit){ .memory_bytes = sw->memory_bytes,
                                                             .used_bytes = sw->used_bytes,
                                                             .held_bytes = port->held_bytes,
                                                             .bytes = p->pkt.wire_bytes,
                                                             .in_port = in_port,
                                                             .in_class = in_class,
                                                             .lossless = lossless });
}

/* Asks whether a packet may join: the gate if its class is gated, then memory. @return why not */
static uint32_t ask_room(const struct weir_switch *sw, const struct switch_port *port, struct weir_switch_pkt *p)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    if (port->chain.gate.classes != 0) {
        uint32_t class_id = weir_switch_class(sw, port, p);
        if (weir_chain_is_gated(&port->chain, class_id))
            cause = weir_switch_ask_gate(port, port->class_bytes[class_id], p->pkt.wire_bytes);
    }
    return cause != WEIR_CAUSE_NONE ? cause : ask_memory(sw, port, p);
}

/* Asks for room and for marks; then the packet joins. @return false = it was dropped */
static bool offer(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    uint64_t n = port->offered++;
    uint32_t cause;
    if (weir_switch_discards(sw, port, p))
        return false;
    cause = ask_room(sw, port, p);
    if (cause != WEIR_CAUSE_NONE) {
        weir_switch_refuse(sw, port, p, cause);
        return false;
    }
    if (port->chain.join_count > 0) {
        uint64_t queue_bytes = weir_switch_queue_bytes(sw, port->index, sw->now_ps);
        cause = weir_switch_ask_join(port, &(struct weir_join){ .pkt = &p->pkt,
                                                                .now_ps = sw->now_ps,
                                                                .queue_bytes = queue_bytes,
                                                                .offered = n,
                                                                .in_port = weir_switch_in_port(sw, p),
                                                                .class_id = weir_switch_class(sw, port, p) });
        weir_switch_mark(sw, port, &p->pkt, cause);
    }
    weir_switch_join(sw, port, p);
    return true;
}

/* ---- where to ---- */

/* Returns the links from here on for a packet that leaves by a port. */
static uint32_t links_by(const struct weir_forward *forward, uint32_t port)
{
    const struct weir_switch *sw = forward->ctx;
    const struct weir_topology *topo = sw->model->topo;
    uint32_t next = topo->link[sw->port[port].link].dst;
    return 1 + weir_route_links_from(sw->routes, topo, next, forward->pkt->src, forward->pkt->dst, forward->pkt->hash);
}

/* Asks the hook that may choose another out-port. A deflection counts at the port of the route [causes.where]. */
static uint32_t ask_forward(struct weir_switch *sw, const struct weir_chain *chain, uint32_t in_port, uint32_t out,
                            struct weir_switch_pkt *p)
{
    struct weir_forward forward = { .pkt = &p->pkt,
                                    .now_ps = sw->now_ps,
                                    .queue_bytes = weir_switch_queue_bytes(sw, out, sw->now_ps),
                                    .in_port = in_port,
                                    .out_port = out,
                                    .links = links_by,
                                    .ctx = sw };
    struct weir_pkt before = p->pkt;
    uint32_t cause = weir_switch_ask_forward(chain, &forward);
    if (cause != WEIR_CAUSE_NONE)
        weir_switch_report_decided(sw, out, WEIR_FATE_DEFLECTED, cause);
    weir_switch_report_written(sw, WEIR_SWITCH_FORWARD, &before, &p->pkt);
    WEIR_CHECK(forward.out_port < sw->ports);
    return forward.out_port;
}

bool weir_switch_arrive(struct weir_switch *sw, uint32_t in_port, struct weir_switch_pkt *p)
{
    const struct weir_chain *back = &sw->port[in_port].chain;
    uint32_t out = weir_route_pick(&sw->route, sw->way, p->pkt.src, p->pkt.dst, p->pkt.hash);
    if (out == WEIR_ROUTE_PORT_NONE)
        return false;
    if (sw->coupled) {
        weir_switch_more(p)->in_port = in_port;
        weir_switch_more(p)->in_class = p->pkt.class_id;
        if ((weir_chain_arrive(back, &p->pkt, sw->now_ps) & WEIR_ECHO) != 0)
            p->pkt.flags |= WEIR_PKT_ECE;
        if (weir_chain_forwards(back, &p->pkt))
            out = ask_forward(sw, back, in_port, out, p);
    }
    if (offer(sw, &sw->port[out], p))
        weir_switch_kick(sw, &sw->port[out]);
    return true;
}

void weir_switch_put(struct weir_switch *sw, uint32_t index, struct weir_switch_pkt *p)
{
    struct switch_port *port = &sw->port[index];
    if (sw->coupled)
        weir_switch_more(p)->in_port = WEIR_PORT_NONE;
    if (port->has_queue) {
        (void)offer(sw, port, p);
    } else {
        WEIR_ASSERT(sw->nic_waits || weir_switch_is_free(sw, index));
        weir_switch_join(sw, port, p);
    }
    weir_switch_kick(sw, port);
}
