/* src/simulator/port/visit_nics.c - simulates one host with several NICs in one window. One plain loop for all kinds of
 * NICs: what visit_host.c does for one NIC, with a choice among NICs (doc/model.md [nics]). */
#include "core/assert.h"
#include "core/math.h"
#include "model/nics.h"
#include "port/visit_host.h"
#include "state/emit.h"
#include "state/nics.h"
#include <string.h>

struct visit {
    struct sim_thread *th;
    struct sim_host *host;
    struct sim_nics *n;
    uint64_t now_ps;
    struct sim_chunk *drained;
    uint32_t received;
    uint32_t last; /* the transport that sent last */
};

static uint32_t self_of(const struct visit *v)
{
    return v->n->out[0].src;
}

static uint32_t closed_of(const struct sim_link *nic)
{
    return nic->control != NULL ? nic->control->closed : 0;
}

/* ---- what arrives ---- */

/* Returns when the first packet of a lane of a NIC arrives. */
static uint64_t lane_ps(const struct sim_nics *n, uint32_t nic, enum sim_lane lane)
{
    return sim_arrival(sim_link_read(n->in[nic], lane));
}

static uint64_t next_arrival_ps(const struct sim_nics *n)
{
    uint64_t at_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < n->count; i++)
        for (enum sim_lane lane = SIM_LANE_FIRST; lane < SIM_LANES; lane++)
            at_ps = weir_min_u64(at_ps, lane_ps(n, i, lane));
    return at_ps;
}

static void receive(struct visit *v, uint32_t nic, enum sim_lane lane)
{
    struct weir_pkt *pkt = sim_link_read(v->n->in[nic], lane);
    struct sim_thread *th = v->th;
    struct sim_records *records = NULL;
    bool has_records = sim_has_records(th->engine->model) && pkt->hops > 0;
    v->n->in[nic]->read[lane] = sim_fifo_advance(pkt, &v->drained);
    v->received++;
    if (has_records)
        records = sim_records_detach(pkt);
    if (v->host->epoch != NULL &&
        !weir_pkt_take_epoch(pkt, (uint32_t)v->host->epoch[pkt->src] + v->host->epoch[pkt->dst])) {
        th->stale++;
    } else {
        weir_host_nics_arrive(v->host->h, nic);
        if (has_records)
            (void)weir_host_rx_hops(v->host->h, v->now_ps, pkt, records->record, NULL);
        else
            (void)weir_host_rx_free(v->host->h, v->now_ps, pkt, NULL);
    }
    if (has_records)
        sim_records_give(&th->records, records);
}

static void receive_all(struct visit *v)
{
    for (uint32_t i = 0; i < v->n->count; i++)
        for (enum sim_lane lane = SIM_LANE_FIRST; lane < SIM_LANES; lane++)
            if (lane_ps(v->n, i, lane) == v->now_ps)
                receive(v, i, lane);
}

/* ---- control frames ---- */

/* Pauses the classes that are closed at all NICs of a transport. */
static void pause_transports(struct visit *v)
{
    const struct weir_model *m = v->th->engine->model;
    for (uint32_t t = 0; t < v->n->transports; t++) {
        uint32_t own = m->nics->own[(size_t)self_of(v) * m->nics->transports + t], closed = UINT32_MAX;
        for (; own != 0; own &= own - 1)
            closed &= closed_of(&v->n->out[__builtin_ctz(own)]);
        weir_host_nics_pause(v->host->h, t, weir_closed_at_host(closed, m->classes));
    }
}

static uint64_t control_all(struct visit *v)
{
    uint64_t next_ps = WEIR_NEVER;
    bool changed = false;
    for (uint32_t i = 0; i < v->n->count; i++)
        next_ps = weir_min_u64(next_ps, host_nic_control(v->th, &v->n->out[i], v->n->in[i], &v->n->events_done[i],
                                                         v->now_ps, &v->drained, &changed));
    if (changed)
        pause_transports(v);
    return next_ps;
}

/* ---- what leaves ---- */

/* Returns when a pulling NIC can begin a packet, now or later. */
static uint64_t free_ps(const struct visit *v, const struct sim_link *nic)
{
    uint64_t at_ps = weir_max_u64(nic->free_at_ps, v->now_ps);
    return nic->kind.cable ? weir_sim_port_up_ps(nic->port, at_ps) : at_ps;
}

static uint32_t free_nics(const struct visit *v)
{
    uint32_t nics = 0;
    for (uint32_t i = 0; i < v->n->count; i++)
        nics |= (uint32_t)(free_ps(v, &v->n->out[i]) == v->now_ps) << i;
    return nics;
}

/* Returns the NICs at which a class is open. */
static uint32_t open_nics(const struct visit *v, uint32_t class_id)
{
    uint32_t nics = 0;
    for (uint32_t i = 0; i < v->n->count; i++)
        nics |= (~closed_of(&v->n->out[i]) >> class_id & 1) << i;
    return nics;
}

/* Returns one of some NICs: the next one, round robin; or with least-queued, if all are free, the one whose last
 * packet began first, of equals the lowest. */
static uint32_t choose(const struct visit *v, struct sim_transport *tr, uint32_t nics, bool are_free)
{
    WEIR_ASSERT(nics != 0 && nics >> v->n->count == 0);
    uint32_t later = nics & ~((1u << tr->next) - 1), nic = (uint32_t)__builtin_ctz(later != 0 ? later : nics);
    if (are_free && v->th->engine->model->nics->choice == WEIR_NICS_LEAST_QUEUED) {
        nic = (uint32_t)__builtin_ctz(nics);
        for (uint32_t i = nic + 1; nics >> i != 0; i++)
            if ((nics >> i & 1) != 0 && v->n->began_ps[i] < v->n->began_ps[nic])
                nic = i;
    }
    WEIR_ASSERT(nic < WEIR_NICS_MAX);
    tr->next = nic + 1 < v->n->count ? nic + 1 : 0;
    return nic;
}

/* Returns the NICs by which the packet that a transport holds may leave by the routes of now. Without a way it leaves
 * by one of its own, and the next switch drops it. */
static uint32_t ways_of(const struct visit *v, uint32_t t)
{
    const struct weir_nics *nics = v->th->engine->model->nics;
    uint32_t ways = weir_nics_ways(nics, v->th->routes, self_of(v), t, v->n->transport[t].held.dst);
    return ways != 0 ? ways : nics->own[(size_t)self_of(v) * nics->transports + t];
}

/* Takes a transport's next packet. @return false = it has none */
static bool take(struct visit *v, uint32_t t)
{
    struct sim_transport *tr = &v->n->transport[t];
    if (weir_host_nics_tx(v->host->h, t, v->now_ps, &tr->held) == 0)
        return false;
    if (v->host->epoch != NULL)
        host_put_epoch(v->host, &tr->held);
    if (sim_has_records(v->th->engine->model) && tr->held.hops > 0)
        memcpy(tr->hop, weir_host_tx_hops(v->host->h), tr->held.hops * sizeof(tr->hop[0]));
    return true;
}

/* Gives the packet that a transport holds to a NIC. */
static void give(struct visit *v, struct sim_transport *tr, uint32_t nic)
{
    struct sim_link *out = &v->n->out[nic];
    WEIR_ASSERT(nic < v->n->count);
    struct weir_pkt *slot = out->write[SIM_LANE_FIRST];
    uint32_t hops = sim_has_records(v->th->engine->model) ? tr->held.hops : 0;
    v->th->injected++;
    v->n->began_ps[nic] = v->now_ps;
    (void)sim_port_put(v->th, out, NULL, &tr->held, v->now_ps, false);
    if (hops > 0 && out->write[SIM_LANE_FIRST] != slot) { /* the packet was not lost */
        struct sim_records *records = sim_records_take(&v->th->records);
        memcpy(records->record, tr->hop, hops * sizeof(tr->hop[0]));
        sim_records_attach(slot, records, hops);
    }
    tr->holds = false;
}

/* Serves one transport at pulling NICs. *nics: those that are free. @return true = it waits for a NIC */
static bool serve(struct visit *v, uint32_t t, uint32_t *nics)
{
    struct sim_transport *tr = &v->n->transport[t];
    const struct weir_nics *all = v->th->engine->model->nics;
    for (;;) {
        uint32_t ways, can;
        if (tr->holds) {
            can = 1u << tr->nic & *nics & open_nics(v, tr->held.class_id);
            if (can == 0)
                return true;
        } else {
            if (!weir_host_nics_ready(v->host->h, t))
                return false;
            if ((weir_nics_asked(all, v->th->routes, self_of(v), t) & *nics) == 0)
                return true;
            if (!take(v, t))
                return false;
            ways = ways_of(v, t);
            can = ways & *nics & open_nics(v, tr->held.class_id);
            tr->nic = choose(v, tr, can != 0 ? can : ways, can != 0);
            tr->holds = true;
            if (can == 0)
                return true;
        }
        WEIR_ASSERT((*nics >> tr->nic & 1) != 0);
        *nics &= ~(1u << tr->nic);
        give(v, tr, tr->nic);
        v->last = t;
    }
}

/* Returns when something next happens to a NIC that is not free now, or to its cable: then routes may change, too. */
static uint64_t next_change_ps(const struct visit *v, const struct sim_link *nic)
{
    uint64_t at_ps = free_ps(v, nic);
    if (at_ps <= v->now_ps)
        at_ps = WEIR_NEVER;
    for (uint32_t i = 0; nic->kind.cable && i < nic->port->event_count; i++)
        if (nic->port->event[i].at_ps > v->now_ps)
            return weir_min_u64(at_ps, nic->port->event[i].at_ps);
    return at_ps;
}

/* Serves all transports at pulling NICs. @return when NICs have to be served next; WEIR_NEVER = nothing waits */
static uint64_t pull(struct visit *v)
{
    uint32_t nics = free_nics(v);
    bool waits = false;
    uint64_t next_ps = WEIR_NEVER;
    WEIR_ASSERT(v->n->transports > 0);
    v->last = v->n->next + v->n->transports - 1; /* none has sent yet */
    for (uint32_t i = 0, first = v->n->next; i < v->n->transports; i++)
        waits |= serve(v, (first + i) % v->n->transports, &nics);
    v->n->next = (v->last + 1) % v->n->transports;
    if (!waits)
        return WEIR_NEVER;
    for (uint32_t i = 0; i < v->n->count; i++)
        next_ps = weir_min_u64(next_ps, next_change_ps(v, &v->n->out[i]));
    return next_ps;
}

/* Gives all packets to the queues of NICs. */
static void push(struct visit *v)
{
    for (uint32_t t = 0; t < v->n->transports; t++)
        while (weir_host_nics_ready(v->host->h, t) && take(v, t))
            give(v, &v->n->transport[t], choose(v, &v->n->transport[t], ways_of(v, t), false));
}

/* ---- the visit ---- */

static uint64_t decide(struct visit *v, uint64_t end_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < v->n->count; i++) {
        struct sim_link *nic = &v->n->out[i];
        next_ps = weir_min_u64(next_ps, nic->waiting_pkts > 0 ? sim_port_decide(v->th, nic, end_ps) : WEIR_NEVER);
        sim_wake(v->th, nic, 1);
    }
    return next_ps;
}

/* Executes all that is due at one instant, in the order of the model; arrivals in the order of NICs. */
static void instant(struct visit *v, uint64_t end_ps)
{
    struct sim_host *host = v->host;
    receive_all(v);
    if (weir_host_next_ps(host->h) <= v->now_ps)
        (void)weir_host_tx(host->h, v->now_ps, NULL, 0);
    if (weir_source_next_ps(&host->source) == v->now_ps)
        host_start(v->th, host, v->now_ps, end_ps);
    if (host->jobs != NULL && sim_jobs_next_ps(host->jobs) == v->now_ps)
        weir_sim_jobs_step(v->th, host, v->now_ps);
    if (host->pull)
        host->nic_ps = pull(v);
    else
        push(v);
    host->timer_ps = weir_host_next_ps(host->h);
    /* a due time not after now means a paced packet that waits for a NIC: nic_ps covers it */
    host->timer_ps = weir_pick_u64(host->timer_ps <= v->now_ps, WEIR_NEVER, host->timer_ps);
}

uint64_t weir_sim_visit_nics(struct sim_thread *th, struct sim_host *host, uint64_t end_ps)
{
    struct visit v = { .th = th, .host = host, .n = host->nics };
    WEIR_ASSERT(v.n->count >= 1 && v.n->transports >= 1);
    uint64_t control_ps = control_all(&v); /* gets the time: none is at 0 */
    if (host->jobs != NULL)
        weir_sim_jobs_collect(th->engine->jobs, host->jobs);
    for (;;) {
        v.now_ps = weir_min_u64(weir_min_u64(next_arrival_ps(v.n), host->timer_ps),
                                weir_min_u64(weir_source_next_ps(&host->source), host->nic_ps));
        v.now_ps = weir_min_u64(v.now_ps, control_ps);
        if (host->jobs != NULL)
            v.now_ps = weir_min_u64(v.now_ps, sim_jobs_next_ps(host->jobs));
        if (v.now_ps >= end_ps)
            break;
        if (control_ps == v.now_ps)
            control_ps = control_all(&v);
        instant(&v, end_ps);
    }
    th->hops += v.received;
    th->absorbed += v.received;
    sim_chunk_give_all(&th->pool, v.drained);
    return weir_min_u64(v.now_ps, decide(&v, end_ps));
}
