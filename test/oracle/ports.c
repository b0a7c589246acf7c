/* test/oracle/ports.c - doc/model.md [arrival], [join], [leave], [loss] and [cables]: queues, buffers, marks, transmissions,
 * losses, cables. */
#include "core/cable.h"
#include "core/feature.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

#define POOL_PKTS 1024u

struct oracle_pkt *oracle_pkt_take(struct oracle *o)
{
    struct oracle_pkt *p = o->free_pkt;
    if (p == NULL) {
        size_t bytes = sizeof(*p) + (o->fabric != NULL ? (sizeof(struct oracle_ext) + 63) / 64 * 64 : 0);
        unsigned char *more = oracle_lend(o, POOL_PKTS * bytes);
        for (uint32_t i = 0; i < POOL_PKTS; i++)
            oracle_pkt_give(o, (struct oracle_pkt *)(void *)(more + i * bytes));
        p = o->free_pkt;
    }
    o->free_pkt = p->next;
    return p;
}

void oracle_pkt_give(struct oracle *o, struct oracle_pkt *p)
{
    p->next = o->free_pkt;
    o->free_pkt = p;
}

void oracle_fifo_push(struct oracle_fifo *fifo, struct oracle_pkt *p)
{
    p->next = NULL;
    if (fifo->head == NULL)
        fifo->head = p;
    else
        fifo->tail->next = p;
    fifo->tail = p;
}

struct oracle_pkt *oracle_fifo_pop(struct oracle_fifo *fifo)
{
    struct oracle_pkt *p = fifo->head;
    fifo->head = p->next;
    return p;
}

/* The features of a node's ports, and their state. */
static void features_init(struct oracle *o, uint32_t node)
{
    const struct weir_model *m = o->model;
    const struct weir_node *n = &o->topo->node[node];
    struct weir_fabric_port *port = oracle_alloc(n->out_count, sizeof(*port));
    struct weir_chain *chain = oracle_alloc(n->out_count, sizeof(*chain));
    for (uint32_t p = 0; p < n->out_count; p++) {
        port[p] = weir_topology_port(o->topo, n->first_out + p);
        port[p].seed = m->seed;
        port[p].has_queue = !port[p].from_host || m->host.params.nic_queue != WEIR_NIC_PULL;
    }
    WEIR_ASSERT(weir_chains_init(chain, &m->features, port, n->out_count,
                                 node >= o->topo->host_count ? &o->waiting_bytes[n->first_out] : NULL, &o->mem));
    for (uint32_t p = 0; p < n->out_count; p++) {
        oracle_check_chain(o, &chain[p], node);
        o->port[n->first_out + p].chain = chain[p];
    }
    free(port);
    free(chain);
}

void oracle_ports_init(struct oracle *o)
{
    o->port = oracle_lend(o, o->topo->link_count * sizeof(*o->port));
    o->used_bytes = oracle_alloc(o->topo->node_count, sizeof(*o->used_bytes));
    o->waiting_bytes = oracle_alloc(o->topo->link_count, sizeof(*o->waiting_bytes));
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_link *link = &o->topo->link[i];
        o->port[i] = (struct oracle_port){
            .clock = weir_tx_clock_of(link->rate_bps),
            .decide_ps = WEIR_NEVER,
            .rate_bps = link->rate_bps,
            .delay_ps = link->delay_ps,
            .link = i,
            .src = link->src,
            .dst = link->dst,
            .up = true,
            .of_switch = link->src >= o->topo->host_count,
        };
    }
    for (uint32_t n = 0; n < o->topo->node_count; n++)
        features_init(o, n);
    oracle_fabric_init(o);
}

void oracle_ports_free(struct oracle *o)
{
    free(o->used_bytes);
    free(o->waiting_bytes);
    oracle_fabric_free(o);
}

/* The last event of the cable that sets a rate says how fast it sends, but never faster than it was built. */
uint64_t oracle_port_wire_ps(const struct oracle *o, const struct oracle_port *port, uint64_t work_ps)
{
    uint64_t bps = port->rate_bps;
    for (uint32_t i = 0; i < o->model->rate_count; i++) {
        const struct weir_rate_step *step = &o->model->rate[i];
        if (step->at_ps <= o->now_ps && (step->cable == port->link || step->cable == o->topo->link[port->link].reverse))
            bps = step->bps;
    }
    return bps < port->rate_bps ? weir_mul_div_u64(work_ps, port->rate_bps, bps) : work_ps;
}

/* When the frame in transmission ends, from now; 0 if there is none. A control frame is no work. */
static uint64_t left_ps(const struct oracle_port *port, uint64_t now_ps)
{
    return port->sending && port->sending_bytes > 0 ? port->busy_until_ps - now_ps : 0;
}

/* What is left of that frame, as work. */
static uint64_t rest_ps(const struct oracle_port *port, uint64_t now_ps)
{
    uint64_t left = left_ps(port, now_ps);
    return left == 0 ? 0 : weir_mul_div_u64(left, port->sending_ps, port->sending_wire_ps);
}

/* b(t): all that waits, and what is left of the packet in transmission; control frames are not part of it. */
static uint64_t port_backlog_ps(const struct oracle_port *port, uint64_t now_ps)
{
    return port->waiting_ps + rest_ps(port, now_ps);
}

__extension__ typedef unsigned __int128 area_ps2;

/* Integrates b(t) from the last change to now: what waits stood still, and of the frame in transmission the triangle that is left has
 * shrunk. A change of either kind syncs first, so nothing else happened in between. */
void oracle_port_sync(struct oracle_port *port, uint64_t now_ps)
{
    uint64_t span_ps = now_ps - port->synced_ps;
    area_ps2 area;
    if (span_ps == 0)
        return;
    area = (area_ps2)port->count.area_hi << 64 | port->count.area_lo;
    area += (area_ps2)span_ps * port->waiting_ps * 2;
    area += (area_ps2)left_ps(port, port->synced_ps) * rest_ps(port, port->synced_ps);
    area -= (area_ps2)left_ps(port, now_ps) * rest_ps(port, now_ps);
    port->synced_ps = now_ps;
    port->count.area_lo = (uint64_t)area;
    port->count.area_hi = (uint64_t)(area >> 64);
}

uint64_t oracle_port_queue_bytes(const struct oracle_port *port, uint64_t now_ps)
{
    uint64_t b_ps = port_backlog_ps(port, now_ps);
    if (port->clock.rem_num == 0)
        return b_ps / port->clock.ps_per_byte;
    return weir_mul_div_u64(b_ps, port->rate_bps, 8 * WEIR_PS_PER_S);
}

uint64_t oracle_switch_queue_bytes(const struct oracle *o, uint32_t node)
{
    const struct weir_node *n = &o->topo->node[node];
    uint64_t sum = 0;
    for (uint32_t p = 0; p < n->out_count; p++)
        sum += oracle_port_queue_bytes(&o->port[n->first_out + p], o->now_ps);
    return sum;
}

uint32_t oracle_port_in(const struct oracle *o, struct oracle_pkt *p)
{
    if (o->fabric == NULL || oracle_ext(p)->in == ORACLE_NO_LINK)
        return WEIR_PORT_NONE;
    return o->topo->link[oracle_ext(p)->in].in_index;
}

static bool has_wrr(const struct oracle *o, const struct oracle_port *port)
{
    return o->fabric != NULL && port->chain.wrr.queue_of != NULL;
}

/* With queues served by weighted round robin all but DATA is first. */
uint32_t oracle_port_class(const struct oracle *o, const struct oracle_port *port, const struct oracle_pkt *p)
{
    if (has_wrr(o, port))
        return p->pkt.kind == WEIR_PKT_DATA;
    return p->pkt.class_id < o->model->classes ? p->pkt.class_id : o->model->classes - 1;
}

/* Accounts are of the class in which it came: that is the class which a pause stops. */
uint32_t oracle_port_in_class(const struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p)
{
    if (o->model->aged_classes == 0 || oracle_ext(p)->in == ORACLE_NO_LINK)
        return oracle_port_class(o, port, p);
    return oracle_ext(p)->in_class;
}

/* Where it waits. */
static void enqueue(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    uint32_t classes = o->model->classes, class_id = p->pkt.class_id < classes ? p->pkt.class_id : classes - 1;
    if (!has_wrr(o, port))
        oracle_fifo_push(&port->queue[class_id], p);
    else if (p->pkt.kind != WEIR_PKT_DATA)
        oracle_fifo_push(&port->queue[0], p);
    else
        oracle_queues_push(o, port, p);
}

static void tap(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control, const struct oracle_why *why)
{
    bool arrived = event == WEIR_PACKET_RECEIVED || event == WEIR_PACKET_REFUSED;
    enum weir_tap where = arrived ? WEIR_TAP_ARRIVED : WEIR_TAP_SENT;
    bool waited = event == WEIR_PACKET_SENT || event == WEIR_PACKET_LOST;
    struct weir_packet_row row = { .at_ps = o->now_ps,
                                   .waited_ps = waited && !is_control ? o->now_ps - pkt->arrival_ps : 0,
                                   .pkt = *pkt,
                                   .link = port->link,
                                   .event = (uint8_t)event,
                                   .is_control = is_control };
    if (o->options->packets == NULL || (o->options->tap[port->link] & where) == 0)
        return;
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

void oracle_tap(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control)
{
    tap(o, port, pkt, event, is_control, &(struct oracle_why){ 0 });
}

void oracle_tap_lost(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt,
                     enum weir_tap_event event, const struct oracle_why *why)
{
    tap(o, port, pkt, event, false, why);
}

void oracle_port_join(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    oracle_port_sync(port, o->now_ps);
    p->pkt.arrival_ps = o->now_ps;
    p->tx_ps = weir_tx_clock_advance(&port->clock, p->pkt.wire_bytes);
    port->waiting_ps += p->tx_ps;
    port->held_bytes += p->pkt.wire_bytes;
    o->used_bytes[port->src] += p->pkt.wire_bytes;
    port->count.bytes += p->pkt.wire_bytes;
    port->count.pkts++;
    o->alive++;
    o->waiting_bytes[port->link] += p->pkt.wire_bytes;
    enqueue(o, port, p);
    if (o->fabric != NULL)
        oracle_fabric_joined(o, port, p);
}

static struct oracle_why port_admits(struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p)
{
    uint32_t in_class = oracle_port_in_class(o, port, p), in = oracle_port_in(o, p);
    const struct weir_admit admit = { .memory_bytes =
                                          port->of_switch ? weir_model_memory_bytes(o->model, port->src) : UINT64_MAX,
                                      .used_bytes = o->used_bytes[port->src],
                                      .held_bytes = port->held_bytes,
                                      .bytes = p->pkt.wire_bytes,
                                      .in_port = in,
                                      .in_class = in_class,
                                      .lossless =
                                          in != WEIR_PORT_NONE && (o->model->features.lossless >> in_class & 1) != 0 };
    return oracle_ask_admit(o, port, &admit);
}

/* Bytes that wait in a class. */
static uint64_t class_bytes(const struct oracle *o, const struct oracle_port *port, uint32_t class_id)
{
    uint64_t bytes = 0;
    if (class_id != ORACLE_WRR)
        for (const struct oracle_pkt *p = port->queue[class_id].head; p != NULL; p = p->next)
            bytes += p->pkt.wire_bytes;
    for (const struct oracle_queue *q = class_id == ORACLE_WRR ? o->fabric[port->link].queue : NULL; q != NULL;
         q = q->next)
        for (const struct oracle_pkt *p = q->fifo.head; p != NULL; p = p->next)
            bytes += p->pkt.wire_bytes;
    return bytes;
}

/* Has the gate room for it, if its class is gated? */
static struct oracle_why gate_admits(const struct oracle *o, const struct oracle_port *port, const struct oracle_pkt *p)
{
    uint32_t class_id = oracle_port_class(o, port, p);
    if (!weir_chain_is_gated(&port->chain, class_id))
        return (struct oracle_why){ 0 };
    return oracle_ask_gate(o, port, class_bytes(o, port, class_id), p->pkt.wire_bytes);
}

/* Drops a packet that does not join. */
static void refuse(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p, const struct oracle_why *why)
{
    oracle_count_drop(o, port, &p->pkt, why);
    oracle_tap_lost(o, port, &p->pkt, WEIR_PACKET_DROPPED, why);
    oracle_pkt_give(o, p);
}

bool oracle_port_discards(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    if (port->discards)
        refuse(o, port, p, &(struct oracle_why){ "cable-events", "down" });
    return port->discards;
}

bool oracle_port_offer(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    uint64_t n = port->offered++;
    struct oracle_why why;
    if (oracle_port_discards(o, port, p))
        return false;
    why = gate_admits(o, port, p);
    if (!oracle_is_why(&why))
        why = port_admits(o, port, p);
    if (oracle_is_why(&why)) {
        refuse(o, port, p, &why);
        return false;
    }
    why = oracle_ask_join(o, port,
                          &(struct weir_join){ .pkt = &p->pkt,
                                               .now_ps = o->now_ps,
                                               .queue_bytes = oracle_port_queue_bytes(port, o->now_ps),
                                               .offered = n,
                                               .in_port = oracle_port_in(o, p),
                                               .class_id = oracle_port_class(o, port, p) });
    oracle_mark(o, port, &p->pkt, &why);
    oracle_port_join(o, port, p);
    if (o->measuring && port->of_switch)
        oracle_note_join(o, port);
    return true;
}

/* The parts of such a packet that features of this run may write. */
static uint32_t writable_parts(const struct oracle *o, uint32_t kind)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < o->model->features.count; i++)
        parts |= weir_extension_parts(o->model->features.on[i].row->extension, kind);
    return parts;
}

/* Hooks write what their rows declare, and nothing else. */
static void check_written(struct oracle *o, const struct weir_pkt *before, const struct weir_pkt *after)
{
    uint32_t parts = writable_parts(o, before->kind);
    struct weir_pkt was = weir_pkt_without(before, parts), is = weir_pkt_without(after, parts);
    if (memcmp(&was, &is, sizeof(was)) != 0)
        o->broken = "a feature wrote a part of a packet that its row does not declare";
}

struct at_switch {
    const struct oracle *o;
    uint32_t node;
};

static uint32_t links_by(const struct weir_forward *f, uint32_t port)
{
    const struct at_switch *at = f->ctx;
    const struct weir_topology *topo = at->o->topo;
    uint32_t next = topo->link[topo->node[at->node].first_out + port].dst;
    return 1 +
           weir_route_links_from(&at->o->routes[at->o->routes_now], topo, next, f->pkt->src, f->pkt->dst, f->pkt->hash);
}

/* Asks where the packet is to go; a deflection is counted at the port of its route. */
static void note_forward(struct oracle *o, const struct oracle_port *route, const struct weir_chain *chain,
                         struct weir_forward *forward)
{
    uint32_t answer = chain->forward.call(&chain->forward.here, forward);
    for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_DEFLECT) != 0; f++) {
        const struct weir_feature *row = o->model->features.on[f].row;
        if (row->on_forward == chain->forward.call)
            oracle_count_fate(o, route, &(struct oracle_why){ row->name, row->rules[answer >> WEIR_RULE_SHIFT].name },
                              WEIR_FATE_DEFLECTED);
    }
}

uint32_t oracle_port_forward(struct oracle *o, const struct oracle_port *in, struct oracle_pkt *p, uint32_t out)
{
    const struct weir_chain *chain = &o->port[o->topo->link[in->link].reverse].chain;
    const struct at_switch at = { .o = o, .node = in->dst };
    struct weir_forward forward = { .pkt = &p->pkt,
                                    .now_ps = o->now_ps,
                                    .in_port = o->topo->link[in->link].in_index,
                                    .out_port = out,
                                    .links = links_by,
                                    .ctx = &at };
    struct weir_pkt before = p->pkt;
    if (!weir_chain_forwards(chain, &p->pkt))
        return out;
    forward.queue_bytes = oracle_port_queue_bytes(&o->port[o->topo->node[in->dst].first_out + out], o->now_ps);
    note_forward(o, &o->port[o->topo->node[in->dst].first_out + out], chain, &forward);
    check_written(o, &before, &p->pkt);
    if (o->model->aged_classes > 0 && p->pkt.class_id > before.class_id)
        o->broken = "a packet rose to a higher virtual lane";
    return forward.out_port;
}

/* Tells the features that a transmission starts. At a switch the packet may get a record. Sets *late_ps to how much later than the link's
 * delay it arrives. */
static struct oracle_why frame_is_lost(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p,
                                       uint64_t *late_ps)
{
    bool room = o->fabric != NULL && port->of_switch && p->pkt.hops < o->model->features.records_max;
    struct weir_start start = { .pkt = &p->pkt,
                                .now_ps = o->now_ps,
                                .joined_ps = p->pkt.arrival_ps,
                                .tx_ps = port->sending_wire_ps,
                                .begun = port->started++,
                                .in_port = oracle_port_in(o, p),
                                .record = room ? &oracle_ext(p)->hop[p->pkt.hops] : NULL };
    struct weir_pkt before = p->pkt;
    struct oracle_why why;
    uint32_t answer = oracle_ask_start(o, port, &start, &why);
    check_written(o, &before, &p->pkt);
    p->pkt.hops = (uint8_t)(p->pkt.hops + ((answer & WEIR_RECORD) != 0));
    *late_ps = start.late_ps;
    return why;
}

/* A packet that waited is dropped: as if it had never come, but for the time that it waited. */
static void drop_waiting(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p, const struct oracle_why *why)
{
    oracle_port_sync(port, o->now_ps);
    port->waiting_ps -= p->tx_ps;
    port->held_bytes -= p->pkt.wire_bytes;
    o->used_bytes[port->src] -= p->pkt.wire_bytes;
    port->count.bytes -= p->pkt.wire_bytes;
    port->count.pkts--;
    oracle_count_drop(o, port, &p->pkt, why);
    o->alive--;
    oracle_tap_lost(o, port, &p->pkt, WEIR_PACKET_DROPPED, why);
    if (o->fabric != NULL)
        oracle_fabric_dropped(o, port, p);
    oracle_pkt_give(o, p);
}

/* Asks the features about the packet that is to leave next. @return false if it was dropped */
static bool ask_features(struct oracle *o, struct oracle_port *port, uint32_t class_id, struct oracle_pkt *p)
{
    bool turns = class_id == ORACLE_WRR;
    struct weir_dequeue dequeue = { .pkt = &p->pkt,
                                    .now_ps = o->now_ps,
                                    .joined_ps = p->pkt.arrival_ps,
                                    .queue_bytes = class_bytes(o, port, class_id),
                                    .in_port = oracle_port_in(o, p),
                                    .class_id = turns ? 1 : class_id };
    struct weir_pkt before = p->pkt;
    struct oracle_why mark, why = oracle_ask_dequeue(o, port, &dequeue, &mark);
    check_written(o, &before, &p->pkt);
    oracle_mark(o, port, &p->pkt, &mark);
    if (oracle_is_why(&why))
        drop_waiting(o, port, p, &why);
    return !oracle_is_why(&why);
}

/* Bit: class, which may not start. */
static uint32_t closed_classes(const struct oracle *o, const struct oracle_port *port)
{
    return o->fabric != NULL ? o->fabric[port->link].closed : 0;
}

/* A packet of the upper of two lanes leaves in the lower one, if its own is closed. */
static void escape(struct oracle *o, struct oracle_port *port, uint32_t class_id, struct oracle_pkt *p)
{
    struct weir_pkt before = p->pkt;
    if (!o->model->escapes || (closed_classes(o, port) >> class_id & 1) == 0)
        return;
    WEIR_ASSERT(class_id == o->model->classes - 1 && p->pkt.stays == 0);
    port->chain.escape.call(&port->chain.escape.here, &p->pkt);
    check_written(o, &before, &p->pkt);
    if (p->pkt.class_id != class_id - 1)
        o->broken = "a packet escaped to another lane than the lower one";
}

bool oracle_port_start(struct oracle *o, struct oracle_port *port, uint32_t class_id)
{
    struct oracle_pkt *p =
        class_id == ORACLE_WRR ? oracle_queues_pop(o, port) : oracle_fifo_pop(&port->queue[class_id]);
    struct oracle_why why;
    uint64_t late_ps;
    escape(o, port, class_id, p);
    o->waiting_bytes[port->link] -= p->pkt.wire_bytes;
    if (port->chain.dequeue_count > 0 && !ask_features(o, port, class_id, p))
        return false;
    if (class_id != ORACLE_WRR && weir_chain_is_gated(&port->chain, class_id))
        weir_chain_gate_passed(&port->chain, p->pkt.wire_bytes, o->now_ps);
    oracle_port_sync(port, o->now_ps);
    port->waiting_ps -= p->tx_ps;
    port->sending_ps = p->tx_ps;
    port->sending_wire_ps = oracle_port_wire_ps(o, port, p->tx_ps);
    port->busy_until_ps = o->now_ps + port->sending_wire_ps;
    port->sending_bytes = p->pkt.wire_bytes;
    port->sending = true;
    oracle_push(o, port->busy_until_ps, port->src, ORACLE_TX_DONE, port->link);
    if (o->fabric != NULL)
        oracle_fabric_starts(o, port, p);
    why = frame_is_lost(o, port, p, &late_ps);
    oracle_tap_lost(o, port, &p->pkt, oracle_is_why(&why) ? WEIR_PACKET_LOST : WEIR_PACKET_SENT, &why);
    if (oracle_is_why(&why)) {
        oracle_count_loss(o, port, &p->pkt, &why);
        o->alive--;
        oracle_pkt_give(o, p);
        return true;
    }
    p->pkt.arrival_ps = port->busy_until_ps + port->delay_ps + late_ps;
    if (p->pkt.arrival_ps < port->last_arrival_ps + port->sending_wire_ps)
        o->broken = "two frames of a link arrive closer together than it carries them";
    port->last_arrival_ps = p->pkt.arrival_ps;
    if (port->flight.head == NULL)
        oracle_push(o, p->pkt.arrival_ps, port->dst, ORACLE_ARRIVE, port->link);
    oracle_fifo_push(&port->flight, p);
    return true;
}

void oracle_port_kick(struct oracle *o, struct oracle_port *port)
{
    if (port->sending || !port->up || (port->waiting_ps == 0 && o->fabric == NULL))
        return;
    if (o->model->classes == 1 && o->fabric == NULL && port->chain.dequeue_count == 0 &&
        port->chain.gate.classes == 0) {
        /* the first to join is the first to go: no need to wait for the rest of this instant */
        (void)oracle_port_start(o, port, 0);
    } else if (port->decide_ps != o->now_ps) {
        port->decide_ps = o->now_ps;
        oracle_push(o, o->now_ps, port->src, ORACLE_DECIDE, port->link);
    }
}

/* Which of two packets of different virtual lanes came to this port first? At one instant by the order of their in-links. */
static bool is_older(const struct oracle *o, struct oracle_pkt *a, struct oracle_pkt *b)
{
    if (a->pkt.arrival_ps != b->pkt.arrival_ps)
        return a->pkt.arrival_ps < b->pkt.arrival_ps;
    return oracle_port_in(o, a) < oracle_port_in(o, b);
}

/* May the head of a lane leave? In its own lane if that is open; else in the lower of two lanes, if that is. */
static bool lane_sends(const struct oracle *o, const struct oracle_port *port, uint32_t closed, uint32_t class_id)
{
    const struct oracle_pkt *head = port->queue[class_id].head;
    if (head == NULL || (closed >> class_id & 1) == 0)
        return head != NULL;
    return o->model->escapes && class_id == o->model->classes - 1 && (closed >> (class_id - 1) & 1) == 0 &&
           head->pkt.stays == 0;
}

/* Of virtual lanes, the last classes, the one that may send and has the oldest head; UINT32_MAX = none. */
static uint32_t oldest_lane(const struct oracle *o, const struct oracle_port *port, uint32_t closed)
{
    uint32_t oldest = UINT32_MAX;
    for (uint32_t c = o->model->classes - o->model->aged_classes; c < o->model->classes; c++) {
        if (!lane_sends(o, port, closed, c))
            continue;
        if (oldest == UINT32_MAX || is_older(o, port->queue[c].head, port->queue[oldest].head))
            oldest = c;
    }
    return oldest;
}

/* When the gate lets the head of a class start; 0 = it is not gated. */
static uint64_t gate_opens_ps(const struct oracle_port *port, uint32_t class_id)
{
    const struct oracle_pkt *head = port->queue[class_id].head;
    if (head == NULL || !weir_chain_is_gated(&port->chain, class_id))
        return 0;
    return weir_chain_gate_opens_ps(&port->chain, head->pkt.wire_bytes);
}

/* Nothing may start: the port decides again when its gate opens. */
static void wait_for_gate(struct oracle *o, const struct oracle_port *port)
{
    uint64_t opens_ps = WEIR_NEVER;
    for (uint32_t c = 0; c < o->model->classes; c++)
        if (port->queue[c].head != NULL && weir_chain_is_gated(&port->chain, c))
            opens_ps = weir_min_u64(opens_ps, gate_opens_ps(port, c));
    if (opens_ps != WEIR_NEVER)
        oracle_push(o, opens_ps, port->src, ORACLE_DECIDE, port->link);
}

/* The class, or ORACLE_WRR, that may send now; UINT32_MAX = none. */
static uint32_t next_class(const struct oracle *o, const struct oracle_port *port)
{
    uint32_t c = 0, strict = o->model->classes - o->model->aged_classes;
    uint32_t closed = closed_classes(o, port);
    while (c < strict && (port->queue[c].head == NULL || (closed >> c & 1) != 0 || gate_opens_ps(port, c) > o->now_ps))
        c++;
    if (c < strict)
        return c;
    if (o->model->aged_classes > 0)
        return oldest_lane(o, port, closed);
    if (!has_wrr(o, port) || o->fabric[port->link].queue == NULL || (closed >> 1 & 1) != 0)
        return UINT32_MAX;
    return ORACLE_WRR;
}

void oracle_port_decide(struct oracle *o, struct oracle_port *port)
{
    uint32_t c;
    port->decide_ps = WEIR_NEVER; /* this was it: what a drop lets go may ask for another at this instant */
    if (port->sending || !port->up || (o->fabric != NULL && oracle_fabric_start_control(o, port)))
        return;
    while ((c = next_class(o, port)) != UINT32_MAX && !oracle_port_start(o, port, c))
        continue;
    if (c == UINT32_MAX)
        wait_for_gate(o, port);
}

void oracle_port_tx_done(struct oracle *o, struct oracle_port *port)
{
    oracle_port_sync(port, o->now_ps);
    if (o->fabric != NULL)
        oracle_fabric_left(o, port);
    port->sending = false;
    port->held_bytes -= port->sending_bytes;
    o->used_bytes[port->src] -= port->sending_bytes;
    oracle_port_kick(o, port);
}

struct oracle_pkt *oracle_port_take_arrival(struct oracle *o, struct oracle_port *port)
{
    struct oracle_pkt *p;
    if (port->flight.head == NULL || port->flight.head->pkt.arrival_ps != o->now_ps)
        return NULL; /* what started since has an event of its own */
    p = oracle_fifo_pop(&port->flight);
    port->arrived++;
    o->alive--;
    oracle_tap(o, port, &p->pkt, WEIR_PACKET_RECEIVED, false);
    if (port->flight.head != NULL)
        oracle_push(o, port->flight.head->pkt.arrival_ps, port->dst, ORACLE_ARRIVE, port->link);
    return p;
}

/* Everything in flight started before now; only a frame whose last bit arrives right now escapes, and it is the first. */
static void port_cut(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fifo whole = port->flight;
    port->flight.head = NULL;
    while (whole.head != NULL) {
        struct oracle_pkt *p = oracle_fifo_pop(&whole);
        if (p->pkt.arrival_ps == o->now_ps) {
            oracle_fifo_push(&port->flight, p);
            continue;
        }
        oracle_count_loss(o, port, &p->pkt, &(struct oracle_why){ "cable-events", "cut" });
        o->alive--;
        oracle_pkt_give(o, p);
    }
}

void oracle_port_event(struct oracle *o, struct oracle_port *port, const struct weir_cable_event *event)
{
    if (!event->up && port->up) {
        port_cut(o, port);
        oracle_fabric_cable_down(o, port);
    }
    port->up = event->up;
    port->discards = !event->up && (port->discards || event->flush);
}

static void flush_one(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    o->waiting_bytes[port->link] -= p->pkt.wire_bytes;
    drop_waiting(o, port, p, &(struct oracle_why){ "cable-events", "flush" });
}

/* Where packets are dropped as they come, some wait only at the instant at which the cable goes down. */
void oracle_port_flush(struct oracle *o, struct oracle_port *port)
{
    if (!port->discards)
        return;
    for (uint32_t c = 0; c < o->model->classes; c++)
        while (port->queue[c].head != NULL)
            flush_one(o, port, oracle_fifo_pop(&port->queue[c]));
    while (o->fabric != NULL && o->fabric[port->link].queue != NULL)
        flush_one(o, port, oracle_queues_pop(o, port));
}

struct waiting {
    uint64_t ps, bytes, pkts;
};

static void add_waiting(struct waiting *sum, const struct oracle_fifo *fifo)
{
    for (const struct oracle_pkt *p = fifo->head; p != NULL; p = p->next) {
        sum->ps += p->tx_ps;
        sum->bytes += p->pkt.wire_bytes;
        sum->pkts++;
    }
}

static const char *port_check(const struct oracle *o, const struct oracle_port *port)
{
    struct waiting sum = { .bytes = port->sending ? port->sending_bytes : 0 };
    uint64_t pkts;
    for (uint32_t c = 0; c < o->model->classes; c++)
        add_waiting(&sum, &port->queue[c]);
    for (const struct oracle_queue *q = o->fabric != NULL ? o->fabric[port->link].queue : NULL; q != NULL; q = q->next)
        add_waiting(&sum, &q->fifo);
    pkts = sum.pkts;
    for (const struct oracle_pkt *p = port->flight.head; p != NULL; p = p->next)
        pkts++;
    if (sum.ps != port->waiting_ps || sum.bytes != port->held_bytes)
        return "a queue does not hold what its counters say";
    if (port->count.pkts != port->arrived + port->count.losses + pkts)
        return "packets were not conserved on a link";
    if (port->sending && port->busy_until_ps < o->now_ps)
        return "a transmission outlasted its end";
    return NULL;
}

const char *oracle_ports_check(const struct oracle *o)
{
    const char *why = NULL;
    uint64_t used = 0, total = 0, alive = 0;
    for (uint32_t i = 0; i < o->topo->link_count && why == NULL; i++) {
        const struct oracle_port *port = &o->port[i];
        why = port_check(o, port);
        total += port->held_bytes;
        alive += port->count.pkts - port->arrived - port->count.losses;
    }
    for (uint32_t n = 0; n < o->topo->node_count; n++)
        used += o->used_bytes[n];
    for (uint32_t h = 0; h < o->topo->host_count && why == NULL; h++)
        why = weir_host_check(o->host[h].host);
    if (why == NULL && used != total)
        return "switches do not hold what their ports hold";
    if (why == NULL)
        why = oracle_fabric_check(o);
    if (why == NULL)
        why = oracle_causes_check(o);
    return why == NULL && alive != o->alive ? "packets came or went unseen" : why;
}
