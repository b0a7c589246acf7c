/* src/simulator/coupled/visit_coupled.c - the visit to a coupled switch in one window. Arrivals are gathered and sorted
 * as at any switch. If hooks are not deferred, the switch then goes from instant to instant. The order at one instant:
 * events of cables, ends of transmissions, control frames, arrivals, timers. Last come the decisions of all ports that
 * any of these touched, in order of port. */
#include "coupled/step_leave.h"
#include "state/emit.h"

/* ---- one instant ---- */

/* Visits the ports that are due at now_ps: ends their transmissions, and marks them for a decision. */
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

/* Forwards the packet of a sort key, which arrives at now_ps. */
static void coupled_arrive(const struct coupled_run *r, uint64_t key, uint64_t now_ps)
{
    const struct sim_thread *th = r->th;
    uint32_t i = sim_key_arrival(key);
    coupled_join(r, sim_key_port(key), th->arrived[i], th->arrived_in[i], now_ps);
}

/* Processes the control frames that arrive at now_ps, in the order of in-links. With now_ps 0 it processes none.
 * Chunks of FIFOs that were read go to *drained. @return when the next control frame arrives; WEIR_NEVER = none is
 * known */
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

/* Lets the ports that were touched at this instant decide, in order of port. */
static void coupled_decisions(const struct coupled_run *r, uint64_t now_ps)
{
    struct sim_coupled *c = r->c;
    for (uint32_t w = 0; w < c->dirty_count; w++) {
        while (c->dirty[w] != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(c->dirty[w]);
            c->dirty[w] &= c->dirty[w] - 1;
            coupled_decide(r, w * 64 + bit, now_ps);
            if (WEIR_UNLIKELY(c->dropped)) { /* a drop freed memory, so a lower port may have a control frame to send */
                c->dropped = false;
                w = 0;
            }
        }
    }
}

/* ---- the window ---- */

/* Gathers the arrivals of a window for coupled_gather(). way: a constant in each instance where speed counts */
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
        sim_gather_prefetch(th->engine->link, r->sw, i, r->sw->lanes);
        for (uint32_t lane = 0; lane < r->sw->lanes; lane++) {
            struct weir_pkt *first = sim_link_read(link, lane), *read = first;
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
            if (read != first)
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

/* Takes every packet that arrives before end_ps from the in-links, and finds its out-port, as switch_gather() in
 * visit_switch.c. Packets without a route are dropped. Chunks that were read go to *drained. @return number of packets
 * with a route; *next_ps = the earliest arrival from end_ps on */
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

/* Ends a step-by-step window: wakes the nodes at the other ends of links. An event of a cable wakes the switch only if
 * packets wait or a class is closed. Otherwise it is executed at the next visit: alone it does not prolong a run
 * (doc/model.md [run.measure-all]). @return when the switch has something to do next if no packet arrives */
static uint64_t coupled_finish(const struct coupled_run *r)
{
    struct sim_coupled *c = r->c;
    bool empty = true, open = true;
    uint64_t next_ps = c->due_ps;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        empty = empty && link->waiting_pkts == 0 && link->busy_until_ps <= c->step_ps;
        open = open && link->waiting_pkts == 0 && (link->control == NULL || link->control->closed == 0);
        WEIR_ASSERT((link->waiting_pkts == 0) == (link->waiting_classes == 0));
        sim_wake(r->th, link, r->sw->lanes);
        coupled_wake(r->th, link);
    }
    if (!open)
        next_ps = weir_min_u64(next_ps, c->cable_ps);
    return empty ? next_ps : weir_min_u64(next_ps, c->step_ps);
}

/* Returns when the i-th of the n sorted arrivals comes; WEIR_NEVER = i is not below n. */
static inline uint64_t coupled_arrival_ps(const uint64_t *key, uint32_t i, uint32_t n, uint64_t start_ps)
{
    return i < n ? start_ps + (key[i] >> SIM_KEY_TIME_SHIFT) : WEIR_NEVER;
}

/* Goes through all instants before end_ps, step by step. key: the n arrivals, sorted; control_ps: when the next control
 * frame arrives. @return when the first control frame from end_ps on arrives; WEIR_NEVER = none is known */
static uint64_t coupled_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                             uint64_t end_ps, uint64_t control_ps, struct sim_chunk **drained)
{
    struct sim_coupled *c = r->c;
    uint32_t i = 0;
    uint64_t arrival_ps = coupled_arrival_ps(key, i, n, start_ps), now_ps;
    for (;;) {
        now_ps = weir_min_u64(weir_min_u64(arrival_ps, c->due_ps), weir_min_u64(control_ps, c->step_ps));
        now_ps = weir_min_u64(now_ps, c->cable_ps);
        if (r->sw->sample_ps <= now_ps && r->sw->sample_ps < end_ps)
            weir_sim_sample_switch(r->th, r->sw, weir_min_u64(now_ps, end_ps - 1) + 1);
        if (now_ps >= end_ps)
            break;
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
    WEIR_ASSERT(i == n);
    return control_ps;
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
    const uint64_t *key;
    uint32_t n;
    WEIR_ASSERT(start_ps < end_ps);
    sim_sample_wake(th, sw);
    n = coupled_gather(&r, start_ps, end_ps, &drained, &next_ps);
    key = weir_sim_switch_sort(th, sw, n);
    if (r.c->has_control && sim_control_comes(th->engine, sw->node))
        control_ps = coupled_control(&r, 0, &drained); /* no frame arrives at 0: this only finds the next arrival */
    if (sw->sample_ps <= start_ps)                     /* samples come before all other events of their instant */
        weir_sim_sample_switch(th, sw, start_ps + 1);
    weir_sim_timers_catch_up(&r, start_ps);
    if (weir_sim_deferred_choose(&r, n, start_ps, end_ps, control_ps)) {
        due_ps = weir_sim_deferred_pass(&r, key, n, start_ps, end_ps);
    } else {
        control_ps = coupled_pass(&r, key, n, start_ps, end_ps, control_ps, &drained);
        due_ps = coupled_finish(&r);
    }
    th->hops += n;
    sim_chunk_give_all(&th->pool, drained);
    next_ps = weir_min_u64(weir_min_u64(next_ps, control_ps), due_ps);
    WEIR_ASSERT(next_ps >= end_ps);
    return next_ps;
}
