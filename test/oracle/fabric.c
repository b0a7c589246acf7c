/* test/oracle/fabric.c - doc/model.md [control], [pfc], [telemetry], [rocc]: control frames between the features of two ports, timers,
 * NOTICEs. */
#include "core/feature.h"
#include "features/pfc/pfc.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

static struct oracle_fabric *fabric_of(const struct oracle *o, const struct oracle_port *port)
{
    return &o->fabric[port->link];
}

void oracle_fabric_init(struct oracle *o)
{
    const struct weir_features *features = &o->model->features;
    if (!weir_features_are_coupled(features))
        return;
    o->fabric = oracle_alloc(o->topo->link_count, sizeof(*o->fabric));
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        o->fabric[i].sending_in = ORACLE_NO_LINK;
    for (uint32_t f = 0; f < features->count; f++)
        for (uint32_t n = o->topo->host_count; n < o->topo->node_count && features->on[f].row->on_timer != NULL;
             n++, o->ticks++)
            oracle_push(o, features->on[f].period_ps, n, ORACLE_TICK, f);
}

void oracle_fabric_free(struct oracle *o)
{
    oracle_queues_free(o);
    free(o->fabric);
}

/* --- what hooks make --- */

/* A control frame waits at the port that the feature names. */
static void send_control(struct oracle *o, uint32_t node, const struct weir_chain_control *made)
{
    struct oracle_port *port = &o->port[o->topo->node[node].first_out + made->frame.port];
    struct oracle_pkt *p = oracle_pkt_take(o);
    p->pkt = (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(made->frame.class_id),
                                .flags = made->frame.code,
                                .msg = made->feature };
    oracle_fifo_push(&fabric_of(o, port)->control.waiting, p);
    port->count.bytes += WEIR_CONTROL_BYTES;
    oracle_port_kick(o, port);
}

/* Counts a pause at the port that sends it. */
static void count_pause(struct oracle *o, uint32_t node, const struct weir_control *frame,
                        const struct weir_feature *row, uint32_t answer)
{
    const struct oracle_why why = { row->name, row->rules[answer >> WEIR_RULE_SHIFT].name };
    oracle_count_fate(o, &o->port[o->topo->node[node].first_out + frame->port], &why, WEIR_FATE_PAUSED);
}

void oracle_fabric_joined(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    const struct weir_joined joined = { .pkt = &p->pkt,
                                        .now_ps = o->now_ps,
                                        .in_port = oracle_port_in(o, p),
                                        .in_class = oracle_port_in_class(o, port, p) };
    for (uint32_t i = 0; port->of_switch && i < port->chain.joined_count; i++) {
        const struct weir_joined_hook *hook = &port->chain.joined[i];
        struct weir_chain_control made = { .feature = hook->feature };
        uint32_t answer = hook->call(&hook->here, &joined, &made.frame);
        const struct weir_feature *row = o->model->features.on[hook->feature].row;
        if ((answer & WEIR_CONTROL) == 0)
            continue;
        if ((answer & WEIR_PAUSE) != 0)
            count_pause(o, port->src, &made.frame, row, answer);
        send_control(o, port->src, &made);
    }
}

void oracle_fabric_left(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f = fabric_of(o, port);
    const struct weir_departure left = { .now_ps = o->now_ps,
                                         .bytes = port->sending_bytes,
                                         .in_port = f->sending_in == ORACLE_NO_LINK
                                                        ? WEIR_PORT_NONE
                                                        : o->topo->link[f->sending_in].in_index,
                                         .in_class = f->sending_class };
    struct weir_chain_control made;
    f->sending_in = ORACLE_NO_LINK;
    f->sending_data = false;
    for (uint32_t i = 0; port->of_switch && left.bytes > 0 && weir_chain_sent(&port->chain, &i, &left, &made);)
        send_control(o, port->src, &made);
}

void oracle_fabric_dropped(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    const struct weir_departure left = { .now_ps = o->now_ps,
                                         .bytes = p->pkt.wire_bytes,
                                         .in_port = oracle_port_in(o, p),
                                         .in_class = oracle_port_in_class(o, port, p) };
    struct weir_chain_control made;
    for (uint32_t i = 0; port->of_switch && weir_chain_dropped(&port->chain, &i, &left, &made);)
        send_control(o, port->src, &made);
}

void oracle_fabric_starts(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    struct oracle_fabric *f = fabric_of(o, port);
    f->sending_in = port->of_switch ? oracle_ext(p)->in : ORACLE_NO_LINK;
    f->sending_class = oracle_port_in_class(o, port, p);
    f->sending_data = p->pkt.kind == WEIR_PKT_DATA;
    f->sending = p->pkt;
}

/* --- control frames on the wire, and what they do --- */

bool oracle_fabric_start_control(struct oracle *o, struct oracle_port *port)
{
    struct oracle_control *c = &fabric_of(o, port)->control;
    struct oracle_pkt *p = c->waiting.head;
    if (p == NULL)
        return false;
    (void)oracle_fifo_pop(&c->waiting);
    oracle_port_sync(port, o->now_ps);
    port->sending = true;
    port->sending_bytes = 0; /* not part of b(t), nor of what the switch holds */
    port->busy_until_ps = o->now_ps + oracle_port_wire_ps(o, port, weir_control_frame_ps(port->rate_bps));
    oracle_push(o, port->busy_until_ps, port->src, ORACLE_TX_DONE, port->link);
    oracle_tap(o, port, &p->pkt, WEIR_PACKET_SENT, true);
    p->pkt.arrival_ps = port->busy_until_ps + port->delay_ps;
    oracle_push(o, p->pkt.arrival_ps, port->dst, ORACLE_CONTROL, port->link);
    oracle_fifo_push(&c->flight, p);
    return true;
}

/* The features of the port say anew what may not start; a host that feeds its NIC packet by packet obeys itself. */
static void close_classes(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f = fabric_of(o, port);
    if (!port->chain.has_control)
        return;
    f->closed = weir_chain_closed(&port->chain);
    if (!port->of_switch && o->model->host.params.nic_queue == WEIR_NIC_PULL)
        weir_host_pause(o->host[port->src].host, weir_closed_at_host(f->closed, o->model->classes));
}

void oracle_fabric_control_arrives(struct oracle *o, const struct oracle_port *in)
{
    struct oracle_control *c = &fabric_of(o, in)->control;
    struct oracle_port *port = &o->port[o->topo->link[in->link].reverse];
    struct oracle_pkt *p = c->flight.head;
    uint32_t before = fabric_of(o, port)->closed;
    struct weir_chain_control taken;
    if (p == NULL || p->pkt.arrival_ps != o->now_ps)
        return; /* had been cut off */
    (void)oracle_fifo_pop(&c->flight);
    oracle_tap(o, in, &p->pkt, WEIR_PACKET_RECEIVED, true);
    taken = (struct weir_chain_control){
        .frame = { .port = port->link - o->topo->node[port->src].first_out,
                   .class_id = p->pkt.class_id,
                   .code = (uint8_t)p->pkt.flags },
        .feature = p->pkt.msg,
    };
    weir_chain_control(&port->chain, o->now_ps, &taken);
    close_classes(o, port);
    if (o->model->features.on[taken.feature].row == &weir_pfc_feature && fabric_of(o, port)->closed == before)
        o->broken = "pause and resume did not alternate";
    oracle_pkt_give(o, p);
    if (!port->of_switch)
        oracle_host_wake(o, port->src);
    oracle_port_kick(o, port);
}

static void discard(struct oracle *o, struct oracle_fifo *fifo)
{
    while (fifo->head != NULL)
        oracle_pkt_give(o, oracle_fifo_pop(fifo));
}

void oracle_fabric_cable_down(struct oracle *o, struct oracle_port *port)
{
    if (o->fabric == NULL)
        return;
    discard(o, &fabric_of(o, port)->control.waiting);
    discard(o, &fabric_of(o, port)->control.flight);
    weir_chain_cut(&port->chain, o->now_ps);
    close_classes(o, port);
}

/* --- timers --- */

/* A flow's packet is at the port that speaks. */
static void send_notice(struct oracle *o, struct oracle_port *about, const struct weir_chain_state *state,
                        const struct weir_pkt *data)
{
    uint32_t out = weir_route(&o->routes[o->routes_now], about->src, data->dst, data->src, data->hash);
    struct oracle_port *port;
    struct oracle_pkt *p = oracle_pkt_take(o);
    state->row->notice(&state->here, data, about->link, &p->pkt);
    if (out == WEIR_ROUTE_PORT_NONE) {
        const struct oracle_why why = { "switch", "no-route" };
        oracle_count_drop(o, about, &p->pkt, &why);
        oracle_tap_lost(o, about, &p->pkt, WEIR_PACKET_DROPPED, &why);
        oracle_pkt_give(o, p);
        return;
    }
    port = &o->port[o->topo->node[about->src].first_out + out];
    oracle_ext(p)->in = ORACLE_NO_LINK;
    if (oracle_port_discards(o, port, p))
        return;
    oracle_port_join(o, port, p);
    if (o->measuring)
        oracle_note_join(o, port);
    oracle_port_kick(o, port);
}

struct flows { /* each once, in order of its first packet */
    struct weir_pkt *pkt;
    uint32_t count, capacity;
};

static void note_flow(struct flows *flows, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA)
        return;
    for (uint32_t i = 0; i < flows->count; i++)
        if (flows->pkt[i].src == pkt->src && flows->pkt[i].conn == pkt->conn)
            return;
    if (flows->count == flows->capacity) {
        flows->capacity = 2 * flows->capacity + 16;
        flows->pkt = realloc(flows->pkt, flows->capacity * sizeof(*flows->pkt));
        WEIR_ASSERT(flows->pkt != NULL);
    }
    flows->pkt[flows->count++] = *pkt;
}

static void notify_flows(struct oracle *o, struct oracle_port *port, const struct weir_chain_state *state)
{
    const struct oracle_fabric *f = fabric_of(o, port);
    struct flows flows = { NULL, 0, 0 };
    if (f->sending_data)
        note_flow(&flows, &f->sending);
    for (uint32_t c = 0; c < o->model->classes; c++)
        for (const struct oracle_pkt *p = port->queue[c].head; p != NULL; p = p->next)
            note_flow(&flows, &p->pkt);
    for (uint32_t i = 0; i < flows.count; i++)
        send_notice(o, port, state, &flows.pkt[i]);
    free(flows.pkt);
}

void oracle_fabric_tick(struct oracle *o, uint32_t node, uint32_t feature)
{
    const struct weir_node *n = &o->topo->node[node];
    for (uint32_t i = n->first_out; i < n->first_out + n->out_count; i++) {
        struct oracle_port *port = &o->port[i];
        const struct weir_chain_state *state = weir_chain_find(&port->chain, feature);
        const struct weir_timer timer = { .queue_bytes = oracle_port_queue_bytes(port, o->now_ps),
                                          .waiting_bytes = o->waiting_bytes[i] };
        if (state != NULL && port->up && (state->row->on_timer(&state->here, &timer) & WEIR_NOTIFY) != 0)
            notify_flows(o, port, state);
    }
    oracle_push(o, o->now_ps + o->model->features.on[feature].period_ps, node, ORACLE_TICK, feature);
}

/* --- the end --- */

void oracle_fabric_result(struct oracle *o, struct weir_result *result)
{
    uint32_t counts = weir_features_counts(&o->model->features, NULL);
    result->feature_count = calloc((size_t)counts + 1, sizeof(*result->feature_count));
    WEIR_ASSERT(result->feature_count != NULL);
    result->feature_counts = weir_features_counts(&o->model->features, result->feature_count);
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        weir_chain_end(&o->port[i].chain, o->end_ps);
        weir_chain_add_counts(&o->port[i].chain, i, o->topo->link[i].reverse, result->feature_count,
                              result->feature_counts);
    }
}

/* --- PFC's accounts --- */

/* Index of what came by a link in a class; classes that are not lossless have none. */
static uint64_t *held_of(const struct oracle *o, uint64_t *held, uint32_t in, uint32_t class_id)
{
    static uint64_t none;
    bool counted = in != ORACLE_NO_LINK && (o->model->features.lossless >> class_id & 1) != 0;
    return counted ? &held[in * WEIR_CLASSES_MAX + class_id] : &none;
}

static void add_fifo(const struct oracle *o, const struct oracle_port *port, const struct oracle_fifo *fifo,
                     uint64_t *held)
{
    for (struct oracle_pkt *p = fifo->head; p != NULL; p = p->next)
        *held_of(o, held, oracle_ext(p)->in, oracle_port_in_class(o, port, p)) += p->pkt.wire_bytes;
}

static bool accounts_hold(const struct oracle *o, uint32_t pfc, const uint64_t *held)
{
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_chain_state *state = weir_chain_find(&o->port[o->topo->link[i].reverse].chain, pfc);
        const struct weir_pfc_port *port = state->here.port;
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            if (port->account[c].bytes + port->account[c].headroom_bytes != held[i * WEIR_CLASSES_MAX + c])
                return false;
    }
    return true;
}

/* Of each switch, by its first port. */
static const char *features_check(const struct oracle *o)
{
    const char *broken = NULL;
    for (uint32_t n = o->topo->host_count; broken == NULL && n < o->topo->node_count; n++)
        broken = weir_chain_broken(&o->port[o->topo->node[n].first_out].chain, o->topo->node[n].out_count);
    return broken;
}

const char *oracle_fabric_check(const struct oracle *o)
{
    const struct weir_features *features = &o->model->features;
    uint64_t *held;
    uint32_t pfc = 0;
    bool hold;
    while (pfc < features->count && features->on[pfc].row != &weir_pfc_feature)
        pfc++;
    if (pfc == features->count)
        return features_check(o);
    held = oracle_alloc((size_t)o->topo->link_count * WEIR_CLASSES_MAX, sizeof(*held));
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct oracle_port *port = &o->port[i];
        if (!port->of_switch)
            continue;
        for (uint32_t c = 0; c < o->model->classes; c++)
            add_fifo(o, port, &port->queue[c], held);
        for (const struct oracle_queue *q = o->fabric[i].queue; q != NULL; q = q->next)
            add_fifo(o, port, &q->fifo, held);
        *held_of(o, held, o->fabric[i].sending_in, o->fabric[i].sending_class) += port->sending_bytes;
    }
    hold = accounts_hold(o, pfc, held);
    free(held);
    return hold ? features_check(o) : "PFC accounts do not hold what lies in the switch";
}
