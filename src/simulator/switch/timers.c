/* src/simulator/switch/timers.c - doc/model.md [rocc], [rcp]: timers of features, NOTICEs to the flows at a port. */
#include "core/feature.h"
#include "core/math.h"
#include "switch/internal.h"

/* Sends a NOTICE about the flow of a DATA packet at port `about`, along its route [rocc.route]. */
static void send_notice(struct weir_switch *sw, struct switch_port *about, const struct weir_chain_state *state,
                        const struct weir_pkt *data)
{
    uint32_t out = weir_route_pick(&sw->route, sw->way, data->dst, data->src, data->hash);
    struct weir_switch_pkt *p = weir_switch_pkt_take(sw->pool);
    if (p == NULL) {
        sw->out_of_pkts = true;
        return;
    }
    state->row->notice(&state->here, data, about->link, &p->pkt);
    weir_switch_more(p)->own = 0;
    if (out == WEIR_ROUTE_PORT_NONE) {
        weir_switch_refuse(sw, about, p, WEIR_CAUSE_NO_ROUTE);
        return;
    }
    weir_switch_more(p)->in_port = WEIR_PORT_NONE;
    if (weir_switch_discards(sw, &sw->port[out], p))
        return;
    weir_switch_join(sw, &sw->port[out], p);
    weir_switch_kick(sw, &sw->port[out]);
}

struct flows { /* one packet of each flow, linked by flow_next, in the order of their first packets */
    struct weir_switch_pkt *first, *last;
};

/* Tests whether two packets are of one flow. */
static bool is_same(const struct weir_pkt *a, const struct weir_pkt *b)
{
    return a->src == b->src && a->conn == b->conn;
}

/* Adds a packet to the list if it is the first of its flow there. sending: of a flow that is notified already; NULL =
 * there is none */
static void note_flow(struct flows *flows, struct weir_switch_pkt *p, const struct weir_pkt *sending)
{
    if (p->pkt.kind != WEIR_PKT_DATA || (sending != NULL && is_same(sending, &p->pkt)))
        return;
    for (struct weir_switch_pkt *f = flows->first; f != NULL; f = weir_switch_more(f)->flow_next)
        if (is_same(&f->pkt, &p->pkt))
            return;
    weir_switch_more(p)->flow_next = NULL;
    if (flows->first == NULL)
        flows->first = p;
    else
        weir_switch_more(flows->last)->flow_next = p;
    flows->last = p;
}

/* Sends a NOTICE to each flow with DATA at a port: first that of the packet in transmission, then those that wait,
 * class by class [rocc.step]. */
static void notify_flows(struct weir_switch *sw, struct switch_port *port, const struct weir_chain_state *state)
{
    bool data = port->sending_bytes > 0 && port->sent.kind == WEIR_PKT_DATA;
    const struct weir_pkt *sending = data ? &port->sent : NULL;
    struct flows flows = { NULL, NULL };
    for (uint32_t c = 0; c < sw->classes; c++)
        for (struct weir_switch_pkt *p = port->queue[c].head; p != NULL; p = p->next)
            note_flow(&flows, p, sending);
    if (sending != NULL)
        send_notice(sw, port, state, sending);
    for (struct weir_switch_pkt *f = flows.first; f != NULL; f = weir_switch_more(f)->flow_next)
        send_notice(sw, port, state, &f->pkt);
}

/* Calls the timer of a feature at each port whose cable is up. */
static void tick(struct weir_switch *sw, uint32_t feature)
{
    for (uint32_t i = 0; i < sw->ports; i++) {
        struct switch_port *port = &sw->port[i];
        const struct weir_chain_state *state = weir_chain_find(&port->chain, feature);
        const struct weir_timer timer = { .queue_bytes = weir_switch_queue_bytes(sw, i, sw->now_ps),
                                          .waiting_bytes = sw->waiting_bytes[i] };
        if (state != NULL && port->up && (state->row->on_timer(&state->here, &timer) & WEIR_NOTIFY) != 0)
            notify_flows(sw, port, state);
    }
}

void weir_switch_plan_timers(struct weir_switch *sw)
{
    sw->timer_ps = WEIR_NEVER;
    for (uint32_t f = 0; f < sw->model->features.count; f++)
        sw->timer_ps = weir_min_u64(sw->timer_ps, sw->tick_ps[f]);
}

void weir_switch_tick(struct weir_switch *sw)
{
    for (uint32_t f = 0; f < sw->model->features.count; f++) {
        if (sw->tick_ps[f] != sw->now_ps)
            continue;
        tick(sw, f);
        sw->tick_ps[f] += sw->model->features.on[f].period_ps;
    }
    weir_switch_plan_timers(sw);
}
