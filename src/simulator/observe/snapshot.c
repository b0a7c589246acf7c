/* src/simulator/observe/snapshot.c - samples and snapshots of a run in progress. Each thread takes samples of its own
 * nodes and keeps them. Snapshots are of the whole network, and are passed on at once.
 * A sample of queues concerns one switch. Where possible the switch takes it during its visit, between the packets that
 * join before and those that join later, so that no window ends for a sample. This is not possible if a port has class
 * FIFOs (SIM_SERVE_QUEUE) or a cable goes down: the queue is then not known during a visit. If one port of the network
 * is such, all threads meet for each sample.
 * All threads also meet for each sample in a run until all is delivered. No sample may follow the last delivery, and
 * its time is not known in the middle of a window. */
#include "observe/observe.h"
#include "port/port.h"
#include "ranks/ranks.h"
#include "state/fate.h"
#include <stdlib.h>
#include <string.h>

void weir_sim_sample_rest(struct sim_thread *th, uint64_t end_ps)
{
    uint32_t hosts = th->engine->model->topo->host_count;
    for (uint32_t i = 0; i < th->node_count; i++)
        if (th->node[i] >= hosts && th->engine->sw[th->node[i] - hosts].sample_ps < end_ps)
            weir_sim_sample_switch(th, &th->engine->sw[th->node[i] - hosts], end_ps);
}

uint64_t weir_sim_sample_every(const struct sim_engine *e)
{
    if (!e->samples_apart)
        return e->model->sample_ps;
    return weir_host_has_credit(&e->model->host) ? WEIR_CREDIT_SAMPLES * e->model->sample_ps : WEIR_NEVER;
}

/* Returns how many of the next `count` samples of a thread are samples of credit, too. */
static uint64_t sample_credits(const struct sim_thread *th, uint64_t count)
{
    uint64_t next = th->sample_count;
    if (!weir_host_has_credit(&th->engine->model->host))
        return 0;
    if (th->engine->samples_apart)
        return count;
    return (next + count + WEIR_CREDIT_SAMPLES - 1) / WEIR_CREDIT_SAMPLES -
           (next + WEIR_CREDIT_SAMPLES - 1) / WEIR_CREDIT_SAMPLES;
}

void weir_sim_sample(struct sim_thread *th, uint64_t now_ps, uint64_t count)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count;
    uint64_t credits = sample_credits(th, count);
    if (!e->samples_apart)
        weir_sim_sample_switches(th, now_ps, count);
    for (uint32_t i = 0; credits > 0 && i < th->node_count && th->node[i] < hosts; i++)
        weir_account_credit_add(&th->into->credit, e->host[th->node[i]].h, credits);
    th->into->credit_count += credits;
    th->sample_count += count;
}

void weir_sim_sample_idle(struct sim_thread *th, uint64_t now_ps, uint64_t count, uint64_t delivered)
{
    WEIR_ASSERT(th->is_idle && th->into == &th->samples);
    if (th->idle == NULL && (th->idle = calloc(1, sizeof(*th->idle))) == NULL) {
        th->failed = WEIR_E_MEMORY;
        return;
    }
    if (delivered != th->idle_delivered) /* they were followed by a delivery */
        weir_account_samples_move(&th->samples, th->idle);
    th->idle_delivered = delivered;
    th->into = th->idle;
    weir_sim_sample(th, now_ps, count);
    th->into = &th->samples;
}

bool weir_sim_snapshot_init(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t flows = e->model->workload->tag_count;
    if (e->options->snapshot == NULL)
        return true;
    if ((e->snapshot_lost = calloc(e->cause_count, sizeof(*e->snapshot_lost))) == NULL)
        return false;
    if (e->options->snapshot_flows && flows > 0 &&
        (e->snapshot_flow = calloc(flows, sizeof(*e->snapshot_flow))) == NULL)
        return false;
    if ((topo->host_count <= WEIR_SNAPSHOT_HOSTS || e->options->snapshot_ports) &&
        (e->snapshot_port_bytes = calloc(topo->link_count, sizeof(*e->snapshot_port_bytes))) == NULL)
        return false;
    if (topo->host_count > WEIR_SNAPSHOT_HOSTS)
        return true;
    e->snapshot_host = calloc(topo->host_count, sizeof(*e->snapshot_host));
    return e->snapshot_host != NULL;
}

/* Takes the progress of flows from the rank of their senders. */
static void merge_flows(void *sum, const void *of, size_t bytes)
{
    struct weir_snapshot_flow *to = sum;
    const struct weir_snapshot_flow *from = of;
    WEIR_ASSERT(bytes % sizeof(*to) == 0);
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        if (from[i].state != 0)
            to[i] = from[i];
}

/* Adds up the credit of all ranks. */
static void fold_credit(const struct sim_engine *e, struct weir_account_credit *credit)
{
    uint64_t sum[3] = { (uint64_t)credit->outstanding_bytes, credit->held_bytes, credit->free_bytes };
    weir_sim_ranks_sum(e, sum, 3);
    *credit = (struct weir_account_credit){ (int64_t)sum[0], sum[1], sum[2] };
}

/* Makes a snapshot of a rank's nodes one of all nodes, at rank 0. */
static void fold(const struct sim_engine *e, struct weir_snapshot *snapshot)
{
    const struct weir_topology *topo = e->model->topo;
    uint64_t sum[] = { snapshot->arrived_bytes, snapshot->retransmissions, snapshot->marks, snapshot->drops,
                       snapshot->tor_queue_sum_bytes };
    uint64_t most[] = { snapshot->port_queue_max_bytes, snapshot->tor_queue_max_bytes };
    weir_sim_ranks_sum(e, sum, sizeof(sum) / sizeof(sum[0]));
    weir_sim_ranks_most(e, most, sizeof(most) / sizeof(most[0]));
    snapshot->arrived_bytes = sum[0];
    snapshot->retransmissions = sum[1];
    snapshot->marks = sum[2];
    snapshot->drops = sum[3];
    snapshot->tor_queue_sum_bytes = sum[4];
    snapshot->port_queue_max_bytes = most[0];
    snapshot->tor_queue_max_bytes = most[1];
    weir_sim_ranks_sum(e, e->snapshot_lost, e->cause_count);
    if (e->snapshot_host != NULL)
        weir_sim_ranks_sum(e, (uint64_t *)(void *)e->snapshot_host,
                           topo->host_count * sizeof(*e->snapshot_host) / sizeof(uint64_t));
    if (e->snapshot_port_bytes != NULL)
        weir_sim_ranks_sum(e, e->snapshot_port_bytes, topo->link_count);
    if (e->snapshot_flow != NULL)
        weir_sim_ranks_merge(e, e->snapshot_flow, e->model->workload->tag_count * sizeof(*e->snapshot_flow),
                             merge_flows);
}

static void add_hosts(const struct sim_engine *e, struct weir_snapshot *snapshot)
{
    struct weir_account_credit credit = { 0 };
    if (e->snapshot_host != NULL) /* of hosts of other ranks it has what they had at the last snapshot */
        memset(e->snapshot_host, 0, e->model->topo->host_count * sizeof(*e->snapshot_host));
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        const struct weir_host_stats *s;
        uint64_t held_before = credit.held_bytes;
        if (!sim_is_mine(e, h))
            continue;
        s = weir_host_stats(e->host[h].h);
        snapshot->arrived_bytes += s->rx_new_bytes;
        snapshot->retransmissions += s->retransmissions;
        if (snapshot->has_credit)
            weir_account_credit_add(&credit, e->host[h].h, 1);
        if (e->snapshot_host != NULL)
            e->snapshot_host[h] = (struct weir_snapshot_host){ .arrived_bytes = s->rx_new_bytes,
                                                               .credit_held_bytes = credit.held_bytes - held_before };
    }
    fold_credit(e, &credit);
    snapshot->credit_held_bytes = credit.held_bytes;
    snapshot->credit_in_flight_bytes = weir_account_credit_in_flight(&credit);
    snapshot->credit_free_bytes = credit.free_bytes;
}

/* Adds the counters of all links and the queues of ports at queues_ps to *snapshot. NICs that do not pull have queues,
 * too. These are reported by port, and are in no sum or maximum. */
static void add_links(const struct sim_engine *e, uint64_t queues_ps, struct weir_snapshot *snapshot)
{
    const struct weir_topology *topo = e->model->topo;
    for (uint32_t n = 0; n < topo->node_count; n++) {
        const struct weir_node *node = &topo->node[n];
        uint64_t sum_bytes = 0;
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            const struct sim_link *link = &e->link[l];
            uint64_t bytes = sim_is_mine(e, n) ? sim_queue_bytes(link, weir_sim_port_backlog_ps(link, queues_ps)) : 0;
            snapshot->marks += link->marks;
            snapshot->drops += link->drops + link->unrouted + link->losses;
            sum_bytes += bytes;
            if (n >= topo->host_count)
                snapshot->port_queue_max_bytes = weir_max_u64(snapshot->port_queue_max_bytes, bytes);
            if (e->snapshot_port_bytes != NULL)
                e->snapshot_port_bytes[l] = bytes;
        }
        if (n < topo->host_count || node->tier != 1)
            continue;
        snapshot->tor_queue_sum_bytes += sum_bytes;
        snapshot->tor_queue_max_bytes = weir_max_u64(snapshot->tor_queue_max_bytes, sum_bytes);
    }
}

static void add_flows(const struct sim_engine *e)
{
    for (uint32_t i = 0; e->snapshot_flow != NULL && i < e->model->workload->tag_count; i++) {
        const struct weir_account_flow *flow = &e->account.flow[i];
        const struct weir_account_flow none = { .state = 0 };
        bool mine = flow->state != 0 && sim_is_mine(e, flow->src);
        weir_account_snapshot(mine ? flow : &none, e->host[flow->src].h, &e->snapshot_flow[i]);
    }
}

void weir_sim_snapshot_pass(struct sim_engine *e, uint64_t now_ps, uint64_t queues_ps)
{
    weir_sim_ranks_counts(e);
    struct weir_snapshot snapshot = { .at_ps = now_ps,
                                      .unfinished_bytes = weir_account_unfinished_bytes(&e->account),
                                      .has_credit = weir_host_has_credit(&e->model->host),
                                      .host = e->snapshot_host,
                                      .port_queue_bytes = e->snapshot_port_bytes,
                                      .lost_by_cause = e->snapshot_lost,
                                      .flow = e->snapshot_flow };
    if (e->callback_code != 0 || e->broken != NULL || now_ps <= e->last_snapshot_ps)
        return;
    WEIR_ASSERT(queues_ps >= now_ps);
    e->last_snapshot_ps = now_ps;
    add_hosts(e, &snapshot);
    add_links(e, queues_ps, &snapshot);
    add_flows(e);
    weir_sim_fate_sums(e, e->snapshot_lost);
    fold(e, &snapshot);
    if (sim_is_first(e))
        e->callback_code = e->options->snapshot(e->options->snapshot_ctx, &snapshot);
    weir_sim_ranks_agree(e);
}
