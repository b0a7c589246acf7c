/* src/simulator/engine/skip_state.c - the state of the whole network, given to be compared and moved (core/state.h).
 * What is left out, and why: doc/skip.md. */
#include "core/feature.h"
#include "engine/skip.h"
#include "state/emit.h"

/* Gives what a port with on_start hooks has besides: numbers of packets, and the states of its features. */
static void state_port(struct weir_state *s, struct sim_port *port)
{
    WEIR_ASSERT(!port->chain.has_control);
    weir_state_sum(s, &port->offered);
    weir_state_sum(s, &port->begun);
    for (uint32_t i = 0; i < port->chain.state_count; i++)
        if (port->chain.state[i].row->state != NULL)
            port->chain.state[i].row->state(&port->chain.state[i].here, s);
}

/* Gives a link, with the packets on it. */
static void state_link(struct sim_engine *e, struct sim_link *link)
{
    struct weir_state *s = &e->skip->state;
    uint64_t pkts = 0;
    WEIR_ASSERT(link->control == NULL);
    weir_state_until(s, &link->free_at_ps);
    if (sim_fifo_is_made(link->write[SIM_LANE_FIRST]))
        for (struct weir_pkt *p = link->read[SIM_LANE_FIRST]; p != link->write[SIM_LANE_FIRST] && !s->differs;
             p = sim_fifo_skip(p, 1), pkts++)
            weir_host_state_pkt(s, p);
    weir_state_value(s, pkts);
    weir_state_sum(s, &link->bytes);
    weir_state_sum128(s, &link->area);
    weir_state_sum(s, &link->marks);
    weir_state_sum(s, &link->drops);
    weir_state_sum(s, &link->losses);
    weir_state_sum(s, &link->unrouted);
    if (link->port != NULL)
        state_port(s, link->port);
}

/* Gives a host. Its timer_ps follows from the host's timers, and only has to stay with them. */
static void state_host(struct sim_engine *e, struct sim_host *host)
{
    struct weir_state *s = &e->skip->state;
    WEIR_ASSERT(host->h != NULL && host->nics == NULL);
    weir_state_time(s, &host->nic_ps);
    weir_host_state(host->h, s);
    if (s->pass == WEIR_STATE_MOVE && host->timer_ps != WEIR_NEVER)
        host->timer_ps += s->periods * s->period_ps;
}

/* Gives the counts of messages: while messages or flows of jobs begin or end, nothing repeats. */
static void state_shard(struct weir_state *s, const struct weir_account_shard *shard)
{
    weir_state_value(s, shard->started);
    weir_state_value(s, shard->delivered);
    weir_state_value(s, shard->lost);
    weir_state_value(s, shard->finished);
    weir_state_value(s, shard->unasked);
    weir_state_value(s, shard->digest);
}

/* Gives the counts of a thread: sums alone. */
static void state_thread(struct sim_engine *e, struct sim_thread *th)
{
    struct weir_state *s = &e->skip->state;
    WEIR_ASSERT(th->lost != NULL && th->decided != NULL);
    weir_state_sum(s, &th->hops);
    weir_state_sum(s, &th->stale);
    weir_state_sum(s, &th->injected);
    weir_state_sum(s, &th->absorbed);
    weir_state_sum(s, &th->ended);
    weir_state_value(s, th->noted);
    for (uint32_t c = 0; c < e->cause_count; c++) {
        weir_state_sum(s, &th->decided[c]);
        for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
            for (uint32_t i = 0; i < WEIR_CLASSES_MAX; i++)
                weir_state_sum(s, &th->lost[c][k][i]);
    }
    state_shard(s, &e->account.shard[th->index]);
}

void weir_sim_skip_state(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    struct weir_state *s = &e->skip->state;
    WEIR_ASSERT(e->skip->probe < topo->host_count);
    if (!e->skip->is_whole) {
        struct sim_host *probe = &e->host[e->skip->probe];
        state_host(e, probe);
        state_link(e, probe->in);
        return;
    }
    for (uint32_t i = 0; i < topo->host_count && !s->differs; i++) /* the probe first: it differs soonest */
        state_host(e, &e->host[(e->skip->probe + i) % topo->host_count]);
    for (uint32_t i = 0; i < topo->link_count && !s->differs; i++)
        state_link(e, &e->link[i]);
    for (uint32_t t = 0; t < e->thread_count && !s->differs; t++)
        state_thread(e, &e->thread[t]);
    for (size_t i = 0; e->fates_at != NULL && i < (size_t)topo->link_count * e->cause_count && !s->differs; i++)
        weir_state_sum(s, &e->fates_at[i]);
}
