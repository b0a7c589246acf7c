/* src/simulator/switch/control.c - doc/model.md [control], [pfc]: control frames between the features at the two ends
 * of a cable, and the hooks that make them. A control frame is a packet with its class, its code as flags, and the
 * number of its feature as msg. */
#include "core/feature.h"
#include "switch/internal.h"

/* ---- what hooks make ---- */

/* Appends a control frame to those that wait at the port which the feature names. */
static void send_control(struct weir_switch *sw, const struct weir_chain_control *made)
{
    struct switch_port *port = &sw->port[made->frame.port];
    struct weir_switch_pkt *p = weir_switch_pkt_take(sw->pool);
    WEIR_ASSERT(made->frame.port < sw->ports);
    if (p == NULL) {
        sw->out_of_pkts = true;
        return;
    }
    p->pkt = (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(made->frame.class_id),
                                .flags = made->frame.code,
                                .msg = made->feature };
    weir_switch_fifo_push(&port->control, p);
    port->count.bytes += WEIR_CONTROL_BYTES;
    weir_switch_kick(sw, port);
}

void weir_switch_notify_joined(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    const struct weir_joined joined = { .pkt = &p->pkt,
                                        .now_ps = sw->now_ps,
                                        .in_port = weir_switch_in_port(sw, p),
                                        .in_class = weir_switch_in_class(sw, port, p) };
    for (uint32_t i = 0; sw->of_switch && i < port->chain.joined_count; i++) {
        const struct weir_joined_hook *hook = &port->chain.joined[i];
        struct weir_chain_control made = { .feature = hook->feature };
        uint32_t pause;
        if (weir_switch_ask_joined(hook, &joined, &made.frame, &pause) == 0)
            continue;
        if (pause != WEIR_CAUSE_NONE)
            weir_switch_report_decided(sw, made.frame.port, WEIR_FATE_PAUSED, pause);
        send_control(sw, &made);
    }
}

void weir_switch_note_sending(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    port->sending_in = sw->of_switch ? weir_switch_in_port(sw, p) : WEIR_PORT_NONE;
    port->sending_class = weir_switch_in_class(sw, port, p);
    port->sent = p->pkt;
}

void weir_switch_notify_sent(struct weir_switch *sw, struct switch_port *port)
{
    const struct weir_departure left = {
        .now_ps = sw->now_ps, .bytes = port->sending_bytes, .in_port = port->sending_in, .in_class = port->sending_class
    };
    struct weir_chain_control made;
    for (uint32_t i = 0; sw->of_switch && left.bytes > 0 && weir_chain_sent(&port->chain, &i, &left, &made);)
        send_control(sw, &made);
}

void weir_switch_notify_dropped(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    const struct weir_departure left = { .now_ps = sw->now_ps,
                                         .bytes = p->pkt.wire_bytes,
                                         .in_port = weir_switch_in_port(sw, p),
                                         .in_class = weir_switch_in_class(sw, port, p) };
    struct weir_chain_control made;
    for (uint32_t i = 0; sw->of_switch && weir_chain_dropped(&port->chain, &i, &left, &made);)
        send_control(sw, &made);
}

/* ---- on the wire ---- */

void weir_switch_start_control(struct weir_switch *sw, struct switch_port *port)
{
    struct weir_switch_pkt *p = weir_switch_fifo_pop(&port->control);
    weir_switch_sync(port, sw->now_ps);
    weir_switch_occupy(sw, port, weir_control_frame_ps(port->rate_bps), 0);
    sw->sink->send(
        sw->sink->ctx,
        &(struct weir_switch_sent){
            .pkt = p, .start_ps = sw->now_ps, .end_ps = port->busy_until_ps, .port = port->index, .is_control = true });
}

/* Asks the features of a port anew which classes may not start. */
static void close_classes(struct switch_port *port)
{
    if (port->chain.has_control)
        port->closed = weir_chain_closed(&port->chain);
}

void weir_switch_take_control(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p)
{
    const struct weir_chain_control arrived = {
        .frame = { .port = port->index, .class_id = p->pkt.class_id, .code = (uint8_t)p->pkt.flags },
        .feature = p->pkt.msg,
    };
    weir_chain_control(&port->chain, sw->now_ps, &arrived);
    close_classes(port);
    weir_switch_pkt_give(sw->pool, p);
    weir_switch_kick(sw, port);
}

void weir_switch_cut_control(struct weir_switch *sw, struct switch_port *port)
{
    while (port->control.head != NULL)
        weir_switch_pkt_give(sw->pool, weir_switch_fifo_pop(&port->control));
    weir_chain_cut(&port->chain, sw->now_ps);
    close_classes(port);
}
