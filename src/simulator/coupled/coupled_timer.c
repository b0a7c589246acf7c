/* src/simulator/coupled/coupled_timer.c - timers of features, as RoCC's controllers. In every period of a feature,
 * each port that has the feature makes a step. A step may send a NOTICE to each flow that has DATA in the port. */
#include "core/feature.h"
#include "coupled/internal.h"
#include "state/fate.h"

struct coupled_flow { /* an entry of the hash table of flows that got a NOTICE; valid if `round` is the present round */
    uint32_t conn, round;
    uint32_t src;
};

/* Empties the table of flows by beginning a new round, and makes room for `flows` flows at a load of one half at
 * most. */
static void timer_begin_flows(const struct coupled_run *r, uint32_t flows)
{
    struct sim_coupled *c = r->c;
    if (2 * flows + 2 > c->flow_capacity) {
        c->flow_capacity = 64;
        while (c->flow_capacity < 2 * flows + 2)
            c->flow_capacity *= 2;
        c->flow = weir_arena_take(&r->th->arena, c->flow_capacity * sizeof(*c->flow)); /* zeroed */
        if (c->flow == NULL)
            longjmp(r->th->out_of_memory, 1);
        c->flow_round = 0;
    }
    WEIR_ASSERT((c->flow_capacity & (c->flow_capacity - 1)) == 0);
    c->flow_round++;
}

/* Adds the flow of a packet, (src, conn), to the table. @return true = the flow is new; false = the table had it
 * already */
static bool timer_is_new(struct sim_coupled *c, const struct weir_pkt *pkt)
{
    uint64_t i = weir_mix_u64((uint64_t)pkt->src << 32 | pkt->conn);
    for (;; i++) {
        struct coupled_flow *f = &c->flow[i & (c->flow_capacity - 1)];
        if (f->round != c->flow_round) {
            *f = (struct coupled_flow){ .conn = pkt->conn, .src = pkt->src, .round = c->flow_round };
            return true;
        }
        if (f->conn == pkt->conn && f->src == pkt->src)
            return false;
    }
}

/* Sends a NOTICE to the flow of a packet in port p, if the packet is DATA and the flow got none in this round. A NOTICE
 * without a route, or to a port whose cable is down by an event that flushes, is dropped and counted. */
static void timer_notify(const struct coupled_run *r, uint32_t p, const struct weir_chain_state *state,
                         const struct weir_pkt *data, uint64_t now_ps)
{
    struct sim_stepped notice = { .in = SIM_NO_IN };
    uint32_t out;
    if (data->kind != WEIR_PKT_DATA || !timer_is_new(r->c, data))
        return;
    out = weir_route_pick(&r->here, weir_route_way(&r->here), data->dst, data->src, data->hash);
    state->row->notice(&state->here, data, r->sw->first_out + p, &notice.pkt);
    r->th->injected++;
    if (out == WEIR_ROUTE_PORT_NONE) {
        weir_sim_drop(r->th, &r->out[p], &notice.pkt, now_ps, WEIR_CAUSE_NO_ROUTE);
        return;
    }
    if (r->out[out].kind.cable && weir_sim_port_discards(r->out[out].port, now_ps)) {
        weir_sim_drop(r->th, &r->out[out], &notice.pkt, now_ps, r->th->engine->discard_cause);
        return;
    }
    notice.class_id = notice.in_class = (uint16_t)coupled_class(r, &r->out[out], &notice.pkt);
    WEIR_ASSERT(notice.pkt.wire_bytes <= state->row->notice_bytes);
    if (r->c->deferred.active)
        weir_sim_deferred_put(r, out, &notice.pkt, now_ps);
    else
        weir_sim_coupled_put(r, out, &notice, now_ps);
}

/* Sends NOTICEs to all flows with DATA in port p, step by step: first for the packet in transmission, then class after
 * class. A NOTICE may join a class that is scanned. So the numbers of packets are read before, and each packet is
 * copied, since the ring may move. */
static void timer_notify_all(const struct coupled_run *r, uint32_t p, const struct weir_chain_state *state,
                             uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    const struct coupled_port *cp = &r->c->port[p];
    uint32_t count[WEIR_CLASSES_MAX];
    struct weir_pkt pkt;
    timer_begin_flows(r, link->waiting_pkts + 1);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        count[c] = link->port->waiting[c].count;
    if (cp->is_sending)
        timer_notify(r, p, state, &cp->sending, now_ps);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
        for (uint32_t i = 0; i < count[c]; i++) {
            pkt = ((const struct sim_stepped *)ring_at(&link->port->waiting[c], sizeof(struct sim_stepped), i))->pkt;
            timer_notify(r, p, state, &pkt, now_ps);
        }
    }
}

/* Sends the NOTICEs of timer_notify_all() in the same order, with deferred hooks. The packet in transmission is the
 * last decided one of the lower lane if that is still in the port, else the first one of the first lane. */
static void timer_notify_deferred(const struct coupled_run *r, uint32_t p, const struct weir_chain_state *state,
                                  uint64_t now_ps)
{
    const struct deferred_port *port = &r->c->deferred.port[p];
    const struct sim_link *link = &r->out[p];
    uint32_t first = port->inside[SIM_LANE_FIRST], low = port->count;
    struct weir_pkt *slot = sim_fifo_back(link->write[SIM_LANE_FIRST], first);
    timer_begin_flows(r, first + low + port->inside[SIM_LANE_LOW]);
    if (port->inside[SIM_LANE_LOW] > 0)
        timer_notify(r, p, state, sim_fifo_back(link->undecided, 1), now_ps);
    for (; first > 0; first--, slot = sim_fifo_skip(slot, 1))
        timer_notify(r, p, state, slot, now_ps);
    for (slot = link->undecided; low > 0; low--, slot = sim_fifo_skip(slot, 1))
        timer_notify(r, p, state, slot, now_ps);
}

/* Makes one step of a feature at every port that has the feature and whose cable is up. */
static void timer_step(const struct coupled_run *r, uint32_t feature, uint64_t now_ps)
{
    if (r->c->deferred.active)
        weir_sim_deferred_count(r, now_ps);
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        const struct weir_chain_state *state = weir_chain_find(&link->port->chain, feature);
        const struct weir_timer timer = { .queue_bytes = sim_queue_bytes(link, weir_sim_port_backlog_ps(link, now_ps)),
                                          .waiting_bytes = r->sw->waiting_bytes[p] };
        if (state == NULL || (link->kind.cable && weir_sim_port_up_ps(link->port, now_ps) != now_ps))
            continue;
        if ((state->row->on_timer(&state->here, &timer) & WEIR_NOTIFY) == 0)
            continue;
        if (r->c->deferred.active)
            timer_notify_deferred(r, p, state, now_ps);
        else
            timer_notify_all(r, p, state, now_ps);
    }
}

/* Returns the earliest next_ps of all timers; WEIR_NEVER = there are no timers. */
static uint64_t timer_next_ps(const struct sim_coupled *c)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < c->timer_count; i++)
        next_ps = weir_min_u64(next_ps, c->timer[i].next_ps);
    return next_ps;
}

void weir_sim_timers_step(const struct coupled_run *r, uint64_t now_ps)
{
    for (uint32_t i = 0; i < r->c->timer_count; i++) {
        struct coupled_timer *timer = &r->c->timer[i];
        if (timer->next_ps != now_ps)
            continue;
        timer_step(r, timer->feature, now_ps);
        timer->next_ps += timer->period_ps;
    }
    r->c->step_ps = timer_next_ps(r->c);
    WEIR_ASSERT(r->c->step_ps > now_ps);
}

/* Makes `steps` steps at a port with an empty queue. Answers of on_timer are ignored, since no flow is in the port. A
 * step depends on its state and the queue alone: once a step changes nothing, the rest are left out. before: room for a
 * copy of the state */
static void timer_sleep(const struct weir_chain_state *state, const struct sim_link *link,
                        const struct coupled_timer *timer, uint64_t steps, unsigned char *before)
{
    static const struct weir_timer empty = { .queue_bytes = 0 };
    uint32_t bytes = state->row->port_bytes;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t at_ps = timer->next_ps + i * timer->period_ps;
        if (link->kind.cable && weir_sim_port_up_ps(link->port, at_ps) != at_ps)
            continue;
        memcpy(before, state->here.port, bytes);
        (void)state->row->on_timer(&state->here, &empty);
        if (memcmp(before, state->here.port, bytes) == 0)
            return;
    }
}

void weir_sim_timers_catch_up(const struct coupled_run *r, uint64_t now_ps)
{
    for (uint32_t i = 0; i < r->c->timer_count; i++) {
        struct coupled_timer *timer = &r->c->timer[i];
        uint64_t steps;
        if (timer->next_ps >= now_ps)
            continue;
        steps = (now_ps - 1 - timer->next_ps) / timer->period_ps + 1;
        for (uint32_t p = 0; p < r->sw->out_count; p++) {
            const struct weir_chain_state *state = weir_chain_find(&r->out[p].port->chain, timer->feature);
            if (state != NULL)
                timer_sleep(state, &r->out[p], timer, steps, r->c->timer_state);
        }
        timer->next_ps += steps * timer->period_ps;
        WEIR_ASSERT(timer->next_ps >= now_ps);
    }
    r->c->step_ps = timer_next_ps(r->c);
}
