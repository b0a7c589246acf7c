/* src/coupled/visit_coupled.c - all that a switch with coupled ports does in one window. Arrivals are gathered and
 * sorted as at any switch. Then it goes instant after instant: frames that end, control frames that arrive,
 * packets that arrive, timers. Last come the decisions of the ports that any of these touched, by index. */
#include "coupled/internal.h"
#include "port/port_body.h"
#include "port/visit.h"

/* ---- what waits ---- */

/* @return as weir_chain_admits() */
static uint32_t coupled_admits(const struct coupled_run *r, uint32_t p, uint32_t in, uint32_t in_class, uint32_t bytes)
{
    const struct weir_admit admit = { .memory_bytes = r->model->memory_bytes,
                                      .used_bytes = r->sw->used_bytes,
                                      .held_bytes = r->c->port[p].held_bytes,
                                      .bytes = bytes,
                                      .in_port = in,
                                      .in_class = in_class,
                                      .lossless = (r->model->features.lossless >> in_class & 1) != 0 };
    return weir_chain_admits(&r->out[p].port->chain, &admit);
}

SIM_COPIED static inline void coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    if (port->wrr != NULL && entry->class_id == COUPLED_WRR) {
        struct weir_waiting w = { .pkt = entry->pkt, .tx_ps = entry->tx_ps, .in_port = entry->in };
        if (!weir_wrr_put(port->wrr, &w))
            longjmp(r->th->out_of_memory, 1);
    } else {
        struct sim_stepped *q = ring_push(r->th, &port->waiting[entry->class_id], sizeof(*q));
        *q = *entry;
    }
    port->waiting_ps += entry->tx_ps;
    port->waiting_bytes[entry->class_id] += entry->pkt.wire_bytes;
    r->sw->waiting_bytes[p] += entry->pkt.wire_bytes;
    link->waiting_classes |= 1u << entry->class_id;
    link->waiting_pkts++;
}

void weir_sim_coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    coupled_enqueue(r, p, entry);
}

/* What is held of an in-link's class, for the deferred-hook way. */
static uint64_t *coupled_held(const struct coupled_run *r, uint32_t in, uint32_t in_class)
{
    return &r->c->deferred.held[deferred_held_index(&r->c->deferred, deferred_in_index(r, in), in_class)];
}

static inline void coupled_count(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry,
                                 uint64_t backlog_ps, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    uint32_t bytes = entry->pkt.wire_bytes;
    link->bytes += bytes;
    link->free_at_ps = weir_max_u64(link->free_at_ps, now_ps) + entry->tx_ps; /* paused or not: not before then */
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps + entry->tx_ps);
    if (r->c->ends_matter) {
        cp->held_bytes += bytes;
        r->sw->used_bytes += bytes;
        if (r->c->deferred.port != NULL)
            *coupled_held(r, entry->in, entry->in_class) += bytes;
    }
}

/* A packet has joined the port, or has left it: calls the hooks. Each may make a control frame. */
static inline void coupled_notify_joined(const struct coupled_run *r, const struct weir_chain *chain,
                                         const struct weir_joined *joined)
{
    struct weir_chain_control made;
    for (uint32_t i = 0; weir_chain_joined(chain, &i, joined, &made);)
        weir_sim_control_put(r, &made);
}

static inline void coupled_notify_sent(const struct coupled_run *r, const struct weir_chain *chain,
                                       const struct weir_departure *left)
{
    struct weir_chain_control made;
    for (uint32_t i = 0; weir_chain_sent(chain, &i, left, &made);)
        weir_sim_control_put(r, &made);
}

SIM_COPIED static inline void coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry,
                                          uint64_t backlog_ps, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    uint32_t bytes = entry->pkt.wire_bytes;
    entry->pkt.arrival_ps = now_ps;
    entry->tx_ps = weir_tx_clock_advance(&link->port->clock, bytes);
    coupled_count(r, p, entry, backlog_ps, now_ps);
    coupled_enqueue(r, p, entry);
    if (r->c->port[p].wire_ps <= now_ps || r->c->armed_ps[p] == WEIR_NEVER)
        coupled_touch(r->c, p); /* else it is visited when the wire is free */
    coupled_notify_joined(
        r, &link->port->chain,
        &(struct weir_joined){
            .pkt = &entry->pkt, .now_ps = now_ps, .in_port = entry->in, .in_class = entry->in_class });
    if (r->sw->track_sum)
        sim_watch_sum(r->th, r->sw, bytes, now_ps);
}

void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry, uint64_t now_ps)
{
    coupled_put(r, p, entry, sim_counted_backlog_ps(&r->out[p], now_ps), now_ps);
}

/* Port p drops a packet, with its records. */
static __attribute__((noinline)) void coupled_drop(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt,
                                                   uint64_t now_ps, uint32_t cause)
{
    weir_sim_drop(r->th, &r->out[p], pkt, now_ps, cause);
    if (sim_has_records(r->model))
        sim_records_drop(&r->th->records, pkt);
}

static uint32_t coupled_links(const struct weir_forward *f, uint32_t port)
{
    const struct coupled_run *r = f->ctx;
    const struct weir_topology *topo = r->model->topo;
    uint32_t node = topo->link[topo->node[r->sw->node].first_out + port].dst;
    return 1 + weir_route_links_from(r->th->routes, topo, node, f->pkt->src, f->pkt->dst, f->pkt->hash);
}

uint32_t weir_sim_coupled_forward(const struct coupled_run *r, uint32_t p, struct weir_pkt *pkt, uint32_t in,
                                  uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    uint64_t backlog_ps =
        r->c->deferred.active ? sim_fifo_backlog_ps(link, now_ps) : sim_counted_backlog_ps(link, now_ps);
    struct weir_forward f = { .pkt = pkt,
                              .now_ps = now_ps,
                              .queue_bytes = sim_queue_bytes(link, backlog_ps),
                              .in_port = in,
                              .out_port = p,
                              .links = coupled_links,
                              .ctx = r };
    weir_sim_fate(r->th, link, weir_chain_forward(&r->out[in].port->chain, &f));
    return f.out_port;
}

/* Likewise; it may change its virtual lane. */
static __attribute__((noinline)) uint32_t coupled_forward_entry(const struct coupled_run *r, uint32_t p,
                                                                struct sim_stepped *entry, uint64_t now_ps)
{
    p = weir_sim_coupled_forward(r, p, &entry->pkt, entry->in, now_ps);
    entry->class_id = (uint16_t)coupled_class(r, &r->out[p], &entry->pkt);
    return p;
}

/* A packet that came by in-link `in` is to leave by port p. */
static void coupled_join(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t in,
                         uint64_t now_ps)
{
    struct sim_link *link;
    uint64_t backlog_ps;
    uint32_t cause;
    struct sim_stepped entry = { .pkt = *pkt, .in = in };
    if ((weir_chain_arrive(&r->out[in].port->chain, pkt, now_ps) & WEIR_ECHO) != 0)
        entry.pkt.flags |= WEIR_PKT_ECE;
    entry.class_id = entry.in_class = (uint16_t)coupled_class(r, &r->out[p], pkt);
    if (weir_chain_forwards(&r->out[in].port->chain, pkt))
        p = coupled_forward_entry(r, p, &entry, now_ps);
    link = &r->out[p];
    link->port->offered++;
    cause = coupled_admits(r, p, in, entry.in_class, pkt->wire_bytes);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        coupled_drop(r, p, &entry.pkt, now_ps, cause);
        return;
    }
    backlog_ps = sim_counted_backlog_ps(link, now_ps);
    entry.pkt.flags_low =
        port_mark(r->th, link, &entry.pkt, (struct sim_via){ in, entry.class_id }, backlog_ps, now_ps, link->kind);
    coupled_put(r, p, &entry, backlog_ps, now_ps);
}

/* ---- what leaves ---- */

/* Calls the features of the port for the start of the packet in the slot; a record that they write goes with it.
 * @return as weir_chain_start() */
static uint32_t coupled_start_hooks(const struct coupled_run *r, struct sim_link *link, const struct sim_stepped *q,
                                    struct weir_pkt *slot, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    struct weir_telemetry record;
    uint32_t answer;
    struct weir_start start = { .pkt = slot,
                                .now_ps = now_ps,
                                .joined_ps = q->pkt.arrival_ps,
                                .tx_ps = q->tx_ps,
                                .begun = port->begun++,
                                .in_port = q->in,
                                .record = q->pkt.hops < r->model->features.records_max ? &record : NULL };
    answer = weir_chain_start(&port->chain, &start);
    if ((answer & WEIR_RECORD) != 0)
        sim_records_add(&r->th->records, slot, &record);
    return answer;
}

/* The lower lane, where there is one, is for the lower class on either way. */
static inline enum sim_lane coupled_lane(const struct sim_link *link, uint32_t class_id)
{
    return class_id > 0 && link->write[SIM_LANE_LOW] != NULL ? SIM_LANE_LOW : SIM_LANE_FIRST;
}

static void coupled_emit(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    enum sim_lane lane = coupled_lane(link, q->class_id);
    struct weir_pkt *slot = link->write[lane];
    uint32_t cause = WEIR_CAUSE_NONE;
    uint64_t arrival_ps = now_ps + q->tx_ps + link->delay_ps;
    const struct sim_tapped at = { .joined_ps = q->pkt.arrival_ps, .start_ps = now_ps, .tx_ps = q->tx_ps };
    sim_copy_body(slot, &q->pkt);
    if (link->kind.start)
        cause = weir_answer_cause(coupled_start_hooks(r, link, q, slot, now_ps));
    if (cause == WEIR_CAUSE_NONE && link->kind.cable && weir_sim_port_cut(link->port, now_ps, arrival_ps))
        cause = r->th->engine->cut_cause;
    if (WEIR_UNLIKELY(link->kind.tap))
        weir_sim_tap_start(r->th, link, slot, &at, cause);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_lose(r->th, link, slot, now_ps, cause);
        if (sim_has_records(r->model))
            sim_records_drop(&r->th->records, slot);
        return;
    }
    link->write[lane] = sim_fifo_publish(&r->th->pool, slot, arrival_ps);
    if (lane == SIM_LANE_LOW)
        link->undecided = link->write[lane];
}

static void coupled_begin(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    struct coupled_port *cp = &r->c->port[p];
    port->waiting_ps -= q->tx_ps;
    port->area += (sim_area)q->tx_ps * (2 * (now_ps - q->pkt.arrival_ps) + q->tx_ps);
    link->busy_until_ps = cp->wire_ps = now_ps + q->tx_ps;
    coupled_emit(r, p, q, now_ps);
    cp->is_sending = true;
    cp->sending = q->pkt;
    cp->sending_in = q->in;
    cp->sending_class = q->in_class;
    link->waiting_pkts--;
}

/* Memory of a packet that leaves the switch, or is dropped in it. */
static inline void coupled_free(const struct coupled_run *r, uint32_t p, const struct weir_departure *left)
{
    if (!r->c->ends_matter)
        return;
    r->c->port[p].held_bytes -= left->bytes;
    r->sw->used_bytes -= left->bytes;
    if (r->c->deferred.port != NULL)
        *coupled_held(r, left->in_port, left->in_class) -= left->bytes;
}

/* Calls the features for the packet that is to leave next. @return false if it is dropped: gone at once, memory and
 * all */
static bool coupled_dequeue(const struct coupled_run *r, uint32_t p, struct sim_stepped *q, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    uint32_t bytes = q->pkt.wire_bytes;
    const struct weir_departure left = { .now_ps = now_ps, .bytes = bytes, .in_port = q->in, .in_class = q->in_class };
    struct weir_dequeue dequeue = { .now_ps = now_ps,
                                    .queue_bytes = link->port->waiting_bytes[q->class_id] - bytes,
                                    .in_port = q->in,
                                    .class_id = q->class_id };
    uint32_t cause = weir_sim_port_asks_dequeue(r->th, link, &dequeue, &q->pkt, q->tx_ps);
    if (cause == WEIR_CAUSE_NONE)
        return true;
    link->port->waiting_ps -= q->tx_ps;
    link->waiting_pkts--;
    coupled_drop(r, p, &q->pkt, now_ps, cause);
    r->c->dropped = true;
    coupled_free(r, p, &left);
    weir_sim_control_dropped(r, p, &left);
    return false;
}

/* The packet that is served next. @return true if others wait */
static bool coupled_take_wrr(struct weir_wrr *wrr, struct sim_stepped *q)
{
    struct weir_waiting w;
    bool more = weir_wrr_take(wrr, &w);
    *q = (struct sim_stepped){
        .pkt = w.pkt, .tx_ps = w.tx_ps, .in = w.in_port, .class_id = COUPLED_WRR, .in_class = COUPLED_WRR
    };
    return more;
}

/* The next packet of a class starts, or is dropped. @return false = dropped */
static bool coupled_start(const struct coupled_run *r, uint32_t p, uint32_t class_id, uint64_t now_ps)
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

/* At one instant packets join in the order of their in-links. */
uint32_t weir_sim_coupled_oldest(const struct sim_port *port, uint32_t ready)
{
    uint32_t oldest = (uint32_t)__builtin_ctz(ready);
    for (uint32_t left = ready & (ready - 1); left != 0; left &= left - 1) {
        uint32_t class_id = (uint32_t)__builtin_ctz(left);
        const struct sim_stepped *q = ring_at(&port->waiting[class_id], sizeof(*q), 0),
                                 *first = ring_at(&port->waiting[oldest], sizeof(*q), 0);
        if (q->pkt.arrival_ps < first->pkt.arrival_ps ||
            (q->pkt.arrival_ps == first->pkt.arrival_ps && q->in < first->in))
            oldest = class_id;
    }
    return oldest;
}

/* The lowest class that waits and may start does. Virtual lanes are the last classes. @return false = there is none
 * left */
static bool coupled_next(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    for (;;) {
        uint32_t ready = link->waiting_classes & (link->control != NULL ? ~link->control->closed : ~0u);
        uint32_t next;
        if (ready == 0)
            return false;
        next = (uint32_t)__builtin_ctz(ready);
        if ((ready & (ready - 1)) != 0 && next + r->model->aged_classes >= r->model->classes)
            next = weir_sim_coupled_oldest(link->port, ready);
        if (coupled_start(r, p, next, now_ps))
            return true;
    }
}

/* A frame has left: its memory is free. */
static void coupled_end(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_port *cp = &r->c->port[p];
    const struct weir_departure left = {
        .now_ps = now_ps, .bytes = cp->sending.wire_bytes, .in_port = cp->sending_in, .in_class = cp->sending_class
    };
    if (!cp->is_sending)
        return; /* a control frame, or a cable that comes up */
    cp->is_sending = false;
    coupled_free(r, p, &left);
    coupled_notify_sent(r, &r->out[p].port->chain, &left);
}

static void coupled_decide(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
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
            return; /* empty, or paused: a resume will touch the port */
    }
    if (c->ends_matter || cp->control.count > 0 || link->waiting_pkts > 0)
        coupled_arm(c, p, cp->wire_ps);
}

/* ---- one instant ---- */

/* Ports to visit now: what they sent has left. */
static void coupled_ends(const struct coupled_run *r, uint64_t now_ps)
{
    struct sim_coupled *c = r->c;
    while (c->due_ps == now_ps) {
        uint32_t p = c->due[c->due_first].port;
        c->due_count--;
        c->due_first = c->due_count > 0 ? c->due_first + 1 : 0;
        c->due_ps = c->due_count > 0 ? c->due[c->due_first].at_ps : WEIR_NEVER;
        if (c->armed_ps[p] != now_ps)
            continue;
        c->armed_ps[p] = WEIR_NEVER;
        coupled_touch(c, p);
        coupled_end(r, p, now_ps);
    }
}

static void coupled_arrive(const struct coupled_run *r, uint64_t key, uint64_t now_ps)
{
    const struct sim_thread *th = r->th;
    uint32_t i = sim_key_arrival(key);
    coupled_join(r, sim_key_port(key), th->arrived[i], th->arrived_in[i], now_ps);
}

/* Control frames that arrive now, by in-link. @return when the next one does */
static uint64_t coupled_control(const struct coupled_run *r, uint64_t now_ps, struct sim_chunk **drained)
{
    struct sim_link *links = r->th->engine->link;
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < r->sw->in_count; i++) {
        struct sim_link *in = &links[r->sw->in_link[i]];
        while (sim_control_ps(in->control) == now_ps)
            if (weir_sim_control_take(r->th, in, &r->out[i], drained))
                coupled_touch(r->c, i);
        next_ps = weir_min_u64(next_ps, sim_control_ps(in->control));
    }
    return next_ps;
}

static void coupled_decisions(const struct coupled_run *r, uint64_t now_ps)
{
    struct sim_coupled *c = r->c;
    for (uint32_t w = 0; w < c->dirty_count; w++) {
        while (c->dirty[w] != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(c->dirty[w]);
            c->dirty[w] &= c->dirty[w] - 1;
            coupled_decide(r, w * 64 + bit, now_ps);
            if (WEIR_UNLIKELY(c->dropped)) { /* memory came free, and a lower port may have a frame to send */
                c->dropped = false;
                w = 0;
            }
        }
    }
}

/* ---- the window ---- */

/* coupled_gather(), of one way to find ports. */
SIM_COPIED static inline uint32_t gather(const struct coupled_run *r, enum weir_route_way way, uint64_t start_ps,
                                         uint64_t end_ps, struct sim_chunk **drained, uint64_t *next_ps)
{
    struct sim_thread *th = r->th;
    struct coupled_deferred *deferred = &r->c->deferred;
    struct weir_pkt **arrived = th->arrived;
    uint16_t *arrived_in = th->arrived_in;
    uint64_t *key = th->key, next = WEIR_NEVER, n = 0;
    uint32_t *bucket = th->bucket, shift = r->sw->bucket_shift;
    for (uint32_t i = 0; i < r->sw->in_count; i++) {
        struct sim_link *link = &th->engine->link[r->sw->in_link[i]];
        uint64_t sum_bytes = 0, low_bytes = 0;
        sim_gather_prefetch(th->engine->link, r->sw, i);
        for (uint32_t lane = 0; lane < SIM_LANES; lane++) {
            struct weir_pkt *read = link->read[lane];
            uint64_t at_ps;
            for (; (at_ps = sim_arrival(read)) < end_ps; read = sim_fifo_advance(read, drained)) {
                uint32_t port = weir_route_pick(&r->here, way, read->src, read->dst, read->hash);
                uint64_t k = sim_key(at_ps - start_ps, n) | port;
                if (WEIR_UNLIKELY(port == WEIR_ROUTE_PORT_NONE)) {
                    weir_sim_refuse(th, link, read);
                    continue;
                }
                if (WEIR_UNLIKELY(n == th->capacity)) {
                    weir_sim_switch_grow(th, (uint32_t)n);
                    key = th->key, arrived = th->arrived, arrived_in = th->arrived_in;
                }
                sum_bytes += read->wire_bytes;
                low_bytes += read->class_id > 0 ? read->wire_bytes : 0u;
                arrived_in[n] = (uint16_t)i;
                key[n] = k;
                arrived[n++] = read;
                bucket[k >> shift]++;
            }
            link->read[lane] = read;
            next = weir_min_u64(next, at_ps);
        }
        if (!deferred->is_bounded)
            continue;
        deferred->coming[deferred_held_index(deferred, i, 0)] =
            deferred->classes > 1 ? sum_bytes - low_bytes : sum_bytes;
        if (deferred->classes > 1)
            deferred->coming[deferred_held_index(deferred, i, 1)] = low_bytes;
    }
    *next_ps = next;
    return (uint32_t)n;
}

/* Takes what arrives before end, and finds its out-port; as switch_gather() in visit_switch.c.
 * @return how many go on; *next_ps = earliest arrival left behind */
static uint32_t coupled_gather(const struct coupled_run *r, uint64_t start_ps, uint64_t end_ps,
                               struct sim_chunk **drained, uint64_t *next_ps)
{
    enum weir_route_way way = weir_route_way(&r->here);
    if (way == WEIR_ROUTE_BY_HOST)
        return gather(r, WEIR_ROUTE_BY_HOST, start_ps, end_ps, drained, next_ps);
    if (way == WEIR_ROUTE_BY_EDGE)
        return gather(r, WEIR_ROUTE_BY_EDGE, start_ps, end_ps, drained, next_ps);
    return gather(r, way, start_ps, end_ps, drained, next_ps);
}

/* Notifies the other ends. A cable's event where nothing waits and nothing is closed can wait for the next visit:
 * alone it does not make a run go on (doc/model.md [run.measure-all]). @return when this switch has something to
 * do without an arrival */
static uint64_t coupled_finish(const struct coupled_run *r)
{
    struct sim_coupled *c = r->c;
    bool empty = true, open = true;
    uint64_t next_ps = c->due_ps;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        empty = empty && link->waiting_pkts == 0 && link->busy_until_ps <= c->step_ps;
        open = open && link->waiting_pkts == 0 && (link->control == NULL || link->control->closed == 0);
        sim_wake(r->th, link);
        coupled_wake(r->th, link);
    }
    if (!open)
        next_ps = weir_min_u64(next_ps, c->cable_ps);
    return empty ? next_ps : weir_min_u64(next_ps, c->step_ps);
}

/* Of the i-th of n in order of time. */
static inline uint64_t coupled_arrival_ps(const uint64_t *key, uint32_t i, uint32_t n, uint64_t start_ps)
{
    return i < n ? start_ps + (key[i] >> SIM_KEY_TIME_SHIFT) : WEIR_NEVER;
}

/* All instants before end, the step-by-step way. control_ps: when the next control frame arrives. @return when the next
 * after these does */
static uint64_t coupled_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                             uint64_t end_ps, uint64_t control_ps, struct sim_chunk **drained)
{
    struct sim_coupled *c = r->c;
    uint32_t i = 0;
    uint64_t arrival_ps = coupled_arrival_ps(key, i, n, start_ps), now_ps;
    for (;;) {
        now_ps = weir_min_u64(weir_min_u64(arrival_ps, c->due_ps), weir_min_u64(control_ps, c->step_ps));
        now_ps = weir_min_u64(now_ps, c->cable_ps);
        while (r->sw->sample_ps <= now_ps && r->sw->sample_ps < end_ps)
            weir_sim_sample_switch(r->th, r->sw);
        if (now_ps >= end_ps)
            return control_ps;
        if (c->cable_ps == now_ps)
            weir_sim_control_cables(r, now_ps);
        if (c->due_ps == now_ps)
            coupled_ends(r, now_ps);
        if (control_ps == now_ps)
            control_ps = coupled_control(r, now_ps, drained);
        for (; arrival_ps == now_ps; arrival_ps = coupled_arrival_ps(key, i, n, start_ps))
            coupled_arrive(r, key[i++], now_ps);
        if (c->step_ps == now_ps)
            weir_sim_timers_step(r, now_ps);
        coupled_decisions(r, now_ps);
    }
}

uint64_t weir_sim_visit_coupled(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_chunk *drained = NULL;
    struct coupled_run r = { .th = th,
                             .sw = sw,
                             .c = sw->coupled,
                             .model = th->engine->model,
                             .out = &th->engine->link[sw->first_out],
                             .here = weir_route_here(th->routes, sw->node) };
    uint64_t next_ps, control_ps = WEIR_NEVER, due_ps;
    uint32_t n = coupled_gather(&r, start_ps, end_ps, &drained, &next_ps);
    const uint64_t *key = weir_sim_switch_sort(th, sw, n);
    if (r.c->has_control && sim_control_comes(th->engine, sw->node))
        control_ps = coupled_control(&r, 0, &drained); /* nothing arrives at 0 */
    while (sw->sample_ps <= start_ps)                  /* while all is as it was */
        weir_sim_sample_switch(th, sw);
    weir_sim_timers_catch_up(&r, start_ps);
    if (weir_sim_deferred_choose(&r, n, start_ps, end_ps, control_ps)) {
        due_ps = weir_sim_deferred_pass(&r, key, n, start_ps, end_ps);
    } else {
        control_ps = coupled_pass(&r, key, n, start_ps, end_ps, control_ps, &drained);
        due_ps = coupled_finish(&r);
    }
    th->hops += n;
    sim_chunk_give_all(&th->pool, drained);
    return weir_min_u64(weir_min_u64(next_ps, control_ps), due_ps);
}
