/* test/oracle/network.c - nodes as plain switches (src/simulator/switch), the links between them with what is on the wire, and when a
 * node is called. doc/model.md [order], [cables], [counting.link]. */
#include "core/cable.h"
#include "core/feature.h"
#include "features/pfc/pfc.h"
#include "test/oracle/oracle_impl.h"

struct weir_switch_pkt *oracle_pkt_take(struct oracle *o)
{
    struct weir_switch_pkt *p = weir_switch_pkt_take(&o->pool);
    WEIR_ASSERT(p != NULL);
    return p;
}

/* ---- what switches say ---- */

static struct oracle_link *link_of(const struct oracle_node *n, uint32_t port)
{
    return &n->o->link[n->o->topo->node[n->node].first_out + port];
}

static void take_sent(void *ctx, const struct weir_switch_sent *sent)
{
    const struct oracle_node *n = ctx;
    struct oracle *o = n->o;
    struct oracle_link *link = link_of(n, sent->port);
    struct weir_switch_fifo *wire = sent->is_control ? &link->control : &link->flight;
    uint64_t wire_ps = sent->end_ps - sent->start_ps;
    oracle_tap(o, link, &sent->pkt->pkt, WEIR_PACKET_SENT, sent->is_control);
    sent->pkt->pkt.arrival_ps = sent->end_ps + link->delay_ps + sent->late_ps;
    if (sent->start_ps != o->now_ps)
        o->broken = "a transmission did not start at its instant";
    if (!sent->is_control && sent->pkt->pkt.arrival_ps < link->last_arrival_ps + wire_ps)
        o->broken = "two frames of a link arrive closer together than it carries them";
    if (!sent->is_control)
        link->last_arrival_ps = sent->pkt->pkt.arrival_ps;
    if (wire->head == NULL || sent->is_control)
        oracle_push(o, sent->pkt->pkt.arrival_ps, link->dst, sent->is_control ? ORACLE_CONTROL : ORACLE_ARRIVE,
                    link->link);
    weir_switch_fifo_push(wire, sent->pkt);
}

static void take_drop(void *ctx, const struct weir_switch_drop *drop)
{
    const struct oracle_node *n = ctx;
    struct oracle *o = n->o;
    const struct oracle_link *link = link_of(n, drop->port);
    const struct weir_pkt *pkt = &drop->pkt->pkt;
    struct oracle_why why = oracle_why_of(o, link, drop->cause, pkt->wire_bytes);
    o->alive -= drop->had_joined;
    oracle_tap_lost(o, link, pkt, drop->fate == WEIR_FATE_LOST ? WEIR_PACKET_LOST : WEIR_PACKET_DROPPED, &why);
    oracle_count_gone(o, link, pkt, &why, drop->fate);
}

static void take_fate(void *ctx, uint32_t port, enum weir_fate fate, uint32_t cause)
{
    const struct oracle_node *n = ctx;
    struct oracle_why why = oracle_why_of(n->o, link_of(n, port), cause, 0);
    oracle_count_fate(n->o, link_of(n, port), &why, fate);
}

static void take_joined(void *ctx, uint32_t port)
{
    const struct oracle_node *n = ctx;
    n->o->alive++;
    if (n->o->measuring && n->node >= n->o->topo->host_count)
        oracle_note_join(n->o, link_of(n, port));
}

static void take_written(void *ctx, enum weir_switch_hook hook, const struct weir_pkt *before,
                         const struct weir_pkt *after)
{
    const struct oracle_node *n = ctx;
    oracle_check_written(n->o, hook, before, after);
}

/* ---- set-up ---- */

static void link_init(struct oracle *o, uint32_t i)
{
    const struct weir_link *link = &o->topo->link[i];
    o->link[i] = (struct oracle_link){ .sw = o->node[link->src].sw,
                                       .port = i - o->topo->node[link->src].first_out,
                                       .link = i,
                                       .src = link->src,
                                       .dst = link->dst,
                                       .delay_ps = link->delay_ps,
                                       .of_switch = link->src >= o->topo->host_count,
                                       .up = true };
}

static void node_init(struct oracle *o, uint32_t node)
{
    struct oracle_node *n = &o->node[node];
    *n = (struct oracle_node){ .o = o, .armed_ps = WEIR_NEVER, .tick_ps = WEIR_NEVER, .node = node };
    n->sink = (struct weir_switch_sink){ .send = take_sent,
                                         .drop = take_drop,
                                         .decided = take_fate,
                                         .joined = take_joined,
                                         .written = take_written,
                                         .ctx = n };
    n->sw = weir_switch_init(&(struct weir_switch_config){
        .model = o->model, .node = node, .pool = &o->pool, .sink = &n->sink, .mem = &o->mem });
    WEIR_ASSERT(n->sw != NULL);
    if (node >= o->topo->host_count)
        weir_switch_set_routes(n->sw, &o->routes[0]);
    for (uint32_t p = 0; p < o->topo->node[node].out_count; p++)
        oracle_check_chain(o, weir_switch_chain(n->sw, p), node);
}

/* Puts the next time of a node's timers on the heap, where it stays for ever: not counted as something to do. */
static void arm_tick(struct oracle *o, struct oracle_node *n)
{
    uint64_t at_ps = weir_switch_timer_ps(n->sw);
    if (at_ps == n->tick_ps)
        return;
    n->tick_ps = at_ps;
    oracle_push(o, at_ps, n->node, ORACLE_TICK, 0);
}

void oracle_network_init(struct oracle *o)
{
    o->coupled = weir_switch_needs_more(o->model);
    weir_switch_pool_init(&o->pool, &o->mem, UINT32_MAX, o->coupled);
    o->node = oracle_lend(o, o->topo->node_count * sizeof(*o->node));
    o->link = oracle_lend(o, o->topo->link_count * sizeof(*o->link));
    for (uint32_t n = 0; n < o->topo->node_count; n++)
        node_init(o, n);
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        link_init(o, i);
    for (uint32_t n = 0; n < o->topo->node_count; n++) {
        arm_tick(o, &o->node[n]);
        o->ticks += o->node[n].tick_ps != WEIR_NEVER;
    }
}

/* ---- when ---- */

void oracle_arm(struct oracle *o, uint32_t node)
{
    struct oracle_node *n = &o->node[node];
    uint64_t at_ps;
    if (node == o->open)
        return;
    at_ps = weir_switch_work_ps(n->sw);
    if (at_ps >= n->armed_ps)
        return;
    n->armed_ps = at_ps;
    oracle_push(o, at_ps, node, ORACLE_NODE, 0);
}

void oracle_node_finish(struct oracle *o)
{
    struct oracle_node *n = &o->node[o->open];
    if (weir_switch_next_ps(n->sw) <= o->now_ps)
        weir_switch_run(n->sw, o->now_ps);
    if (o->coupled && weir_switch_failed(n->sw))
        o->broken = "a switch had no packet for a control frame or a NOTICE";
    o->open = ORACLE_NO_NODE;
    oracle_arm(o, n->node);
    if (n->tick_ps != WEIR_NEVER)
        arm_tick(o, n);
}

/* ---- arrivals ---- */

/* Where shortest paths go up and then down a deflection makes the way two links longer at most, and costs a token. */
static void check_links(struct oracle *o, struct weir_switch_pkt *p)
{
    const struct weir_pkt *pkt = &p->pkt;
    uint32_t tokens = weir_host_config_of(&o->model->host, weir_pkt_law(pkt))->tokens, least;
    if (tokens == 0 || !o->topo->layered || o->model->event_count > 0 || pkt->kind != WEIR_PKT_DATA)
        return;
    least = weir_route_links_from(&o->routes[0], o->topo, o->topo->link[o->topo->node[pkt->src].first_out].dst,
                                  pkt->src, pkt->dst, pkt->hash);
    if (weir_switch_more(p)->own > 1 + least + 2 * (tokens - pkt->tokens))
        o->broken = "a deflected packet took more than two links for a token";
}

static void no_route(struct oracle *o, const struct oracle_link *in, struct weir_switch_pkt *p)
{
    const struct oracle_why why = { "switch", "no-route" };
    weir_switch_charge(in->sw, in->port, WEIR_FATE_DROPPED);
    oracle_count_gone(o, in, &p->pkt, &why, WEIR_FATE_DROPPED);
    oracle_tap_lost(o, in, &p->pkt, WEIR_PACKET_REFUSED, &why);
    weir_switch_pkt_give(&o->pool, p);
}

void oracle_link_arrives(struct oracle *o, struct oracle_link *in)
{
    struct weir_switch_pkt *p = in->flight.head;
    if (p == NULL || p->pkt.arrival_ps != o->now_ps)
        return; /* had been cut off; what started since has an event of its own */
    (void)weir_switch_fifo_pop(&in->flight);
    in->arrived++;
    o->alive--;
    o->packet_hops++;
    oracle_tap(o, in, &p->pkt, WEIR_PACKET_RECEIVED, false);
    if (in->flight.head != NULL)
        oracle_push(o, in->flight.head->pkt.arrival_ps, in->dst, ORACLE_ARRIVE, in->link);
    if (o->coupled)
        weir_switch_more(p)->own++;
    if (in->dst < o->topo->host_count) {
        check_links(o, p);
        oracle_host_arrive(o, in->dst, o->topo->link[in->link].in_index, p);
        weir_switch_pkt_give(&o->pool, p);
        return;
    }
    if (!weir_switch_rx(o->node[in->dst].sw, o->now_ps, o->topo->link[in->link].in_index, p))
        no_route(o, in, p);
}

/* A host that feeds its NIC packet by packet obeys pauses itself. */
static void pause_host(const struct oracle *o, uint32_t host)
{
    const struct weir_switch *nic = o->node[host].sw;
    if (o->model->nics != NULL)
        oracle_nics_pause(o, host);
    else if (o->model->host.params.nic_queue == WEIR_NIC_PULL && weir_switch_chain(nic, 0)->has_control)
        weir_host_pause(o->host[host].host, weir_closed_at_host(weir_switch_closed(nic, 0), o->model->classes));
}

void oracle_link_control(struct oracle *o, struct oracle_link *in)
{
    struct weir_switch *sw = o->node[in->dst].sw;
    uint32_t port = o->topo->link[in->link].in_index, before = weir_switch_closed(sw, port), feature;
    struct weir_switch_pkt *p = in->control.head;
    if (p == NULL || p->pkt.arrival_ps != o->now_ps)
        return; /* had been cut off */
    (void)weir_switch_fifo_pop(&in->control);
    oracle_tap(o, in, &p->pkt, WEIR_PACKET_RECEIVED, true);
    feature = p->pkt.msg;
    weir_switch_control(sw, o->now_ps, port, p);
    if (o->model->features.on[feature].row == &weir_pfc_feature && weir_switch_closed(sw, port) == before)
        o->broken = "pause and resume did not alternate";
    if (in->dst < o->topo->host_count) {
        pause_host(o, in->dst);
        oracle_host_wake(o, in->dst);
    }
}

/* ---- cables ---- */

/* Everything in flight started before now; only a frame whose last bit arrives right now escapes, and it is the first. */
static void cut(struct oracle *o, struct oracle_link *link)
{
    struct weir_switch_fifo whole = link->flight;
    link->flight.head = NULL;
    while (whole.head != NULL) {
        struct weir_switch_pkt *p = weir_switch_fifo_pop(&whole);
        if (p->pkt.arrival_ps == o->now_ps) {
            weir_switch_fifo_push(&link->flight, p);
            continue;
        }
        weir_switch_charge(link->sw, link->port, WEIR_FATE_LOST);
        oracle_count_gone(o, link, &p->pkt, &(struct oracle_why){ "cable-events", "cut" }, WEIR_FATE_LOST);
        o->alive--;
        weir_switch_pkt_give(&o->pool, p);
    }
    while (link->control.head != NULL)
        weir_switch_pkt_give(&o->pool, weir_switch_fifo_pop(&link->control));
}

void oracle_link_event(struct oracle *o, struct oracle_link *link, const struct weir_cable_event *event)
{
    bool goes_down = !event->up && link->up;
    if (goes_down)
        cut(o, link);
    link->up = event->up;
    weir_switch_cable(link->sw, o->now_ps, link->port, event->up, event->flush);
    if (goes_down && !link->of_switch)
        pause_host(o, link->src);
    oracle_arm(o, link->src);
    if (o->model->nics != NULL && !link->of_switch) /* its transports may have other ways now */
        oracle_host_wake(o, link->src);
}

/* ---- counts and taps ---- */

const struct weir_port_count *oracle_count(const struct oracle *o, uint32_t link)
{
    return weir_switch_count(o->link[link].sw, o->link[link].port, o->now_ps);
}

uint64_t oracle_queue_bytes(const struct oracle *o, uint32_t link)
{
    return weir_switch_queue_bytes(o->link[link].sw, o->link[link].port, o->now_ps);
}

static void tap(const struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control, const struct oracle_why *why)
{
    bool arrived = event == WEIR_PACKET_RECEIVED || event == WEIR_PACKET_REFUSED;
    enum weir_tap where = arrived ? WEIR_TAP_ARRIVED : WEIR_TAP_SENT;
    bool waited = event == WEIR_PACKET_SENT || event == WEIR_PACKET_LOST;
    struct weir_packet_row row;
    if (o->options->packets == NULL || (o->options->tap[link->link] & where) == 0)
        return;
    row = (struct weir_packet_row){ .at_ps = o->now_ps,
                                    .waited_ps = waited && !is_control ? o->now_ps - pkt->arrival_ps : 0,
                                    .pkt = *pkt,
                                    .link = link->link,
                                    .event = (uint8_t)event,
                                    .is_control = is_control };
    if (is_control)
        row.pkt = (struct weir_pkt){ .class_id = pkt->class_id, .flags = pkt->flags, .wire_bytes = WEIR_CONTROL_BYTES };
    row.pkt.arrival_ps = 0;
    row.cause = oracle_number_of(o, why);
    if ((weir_host_needs(&o->model->host) & WEIR_NEED_NO_ACKS) != 0)
        row.pkt.msg = 0; /* see struct weir_packet_row */
    if (o->epoch != NULL && !is_control) {
        uint32_t number = row.pkt.conn & ((1u << 26) - 1);
        row.pkt.conn = (row.pkt.conn & 3u << 30) | (number == (1u << 26) - 1 ? WEIR_PKT_NO_CONN : number);
    }
    (void)o->options->packets(o->options->packets_ctx, &row, 1);
}

void oracle_tap(const struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control)
{
    tap(o, link, pkt, event, is_control, &(struct oracle_why){ 0 });
}

void oracle_tap_lost(const struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                     enum weir_tap_event event, const struct oracle_why *why)
{
    tap(o, link, pkt, event, false, why);
}
