/* src/simulator/observe/finish.c - the end of a run: the counters for the result. With ranks, each counts its own
 * nodes, and rank 0 adds up. */
#include "core/feature_counter.h"
#include "observe/observe.h"
#include "coupled/coupled.h"
#include "port/port.h"
#include "program/run.h"
#include "ranks/ranks.h"
#include "state/fate.h"
#include "state/skip.h"
#include "state/tap.h"
#include <stdlib.h>

/* Returns the counters of a link and its port over the whole run. area: of the port, over the measured part */
static struct weir_port_count finish_count(const struct sim_link *link, sim_area area)
{
    WEIR_ASSERT(area >> 127 == 0); /* the area never decreases */
    return (struct weir_port_count){ .bytes = link->bytes,
                                     .drops = link->drops + link->unrouted,
                                     .losses = link->losses,
                                     .marks = link->marks,
                                     .area_lo = (uint64_t)area,
                                     .area_hi = (uint64_t)(area >> 64) };
}

static void finish_hosts(const struct sim_engine *e, struct weir_host_stats *sum, uint64_t *acked, uint64_t *arrived)
{
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        const struct weir_host_stats *s;
        if (!sim_is_mine(e, h))
            continue;
        s = weir_host_stats(e->host[h].h);
        WEIR_ASSERT(s->tx_acked_bytes >= e->host[h].base_acked_bytes);
        WEIR_ASSERT(s->rx_new_bytes >= e->host[h].base_new_bytes);
        acked[h] = s->tx_acked_bytes - e->host[h].base_acked_bytes;
        arrived[h] = s->rx_new_bytes - e->host[h].base_new_bytes;
        sum->retransmissions += s->retransmissions;
        sum->rx_again_pkts += s->rx_again_pkts;
        sum->timeouts += s->timeouts;
        sum->source_marked_pkts += s->source_marked_pkts;
        sum->connections += s->connections;
        sum->grown_bytes += s->grown_bytes;
    }
}

struct longest { /* the longest queue of a port, and the link behind the port */
    uint64_t bytes, link;
};

/* Keeps the longer one of two queues; of equal ones that with the lower link. */
static void merge_longest(void *sum, const void *of, size_t bytes)
{
    struct longest *to = sum;
    const struct longest *from = of;
    WEIR_ASSERT(bytes == sizeof(*to));
    if (from->bytes > to->bytes || (from->bytes == to->bytes && from->link < to->link))
        *to = *from;
}

/* Makes the maxima of queues those of all ranks, at rank 0. */
static void fold_maxima(const struct sim_engine *e, struct longest *port, struct weir_account_totals *totals)
{
    weir_sim_ranks_most(e, &totals->tor_max_bytes, 1);
    weir_sim_ranks_merge(e, port, sizeof(*port), merge_longest);
    totals->port_max_bytes = port->bytes;
    totals->port_max_link = port->link;
}

static void finish_maxima(const struct sim_engine *e, struct weir_account_totals *totals)
{
    struct longest port = { 0, UINT64_MAX };
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++) {
        const struct sim_switch *sw = &e->sw[s];
        totals->tor_max_bytes = weir_max_u64(totals->tor_max_bytes, sw->sum_max);
        for (uint32_t p = sw->first_out; p < sw->first_out + sw->out_count; p++) {
            const struct longest of = { sim_queue_bytes(&e->link[p], e->link[p].backlog_max_ps), p };
            merge_longest(&port, &of, sizeof(of));
        }
    }
    fold_maxima(e, &port, totals);
}

/* Lets all ranks know when the last message was delivered. */
static void fold_end(struct sim_engine *e)
{
    uint64_t last_ps = 0;
    for (uint32_t t = e->first; t < e->first + e->own; t++)
        last_ps = weir_max_u64(last_ps, e->account.shard[t].last_delivery_ps);
    weir_sim_ranks_most(e, &last_ps, 1);
    weir_sim_ranks_share(e, &last_ps, sizeof(last_ps));
    e->account.shard[e->first].last_delivery_ps = last_ps;
}

/* Returns the end of the run: the time at which it stopped, or, if it ran until nothing was pending, the time of its
 * last delivery. */
static uint64_t finish_end_ps(const struct sim_engine *e)
{
    uint64_t last_ps = 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        last_ps = weir_max_u64(last_ps, e->account.shard[t].last_delivery_ps);
    return e->stopped_ps == WEIR_NEVER ? last_ps : e->stopped_ps;
}

/* Adds up what the ranks have counted of themselves. */
static void fold_memory(const struct sim_engine *e, struct weir_result *result)
{
    uint64_t *const of[] = { &result->peak_fifo_bytes, &result->state_bytes, &result->stale_pkts,
                             &result->packet_hops };
    for (uint32_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        weir_sim_ranks_sum(e, of[i], 1);
}

static void finish_memory(const struct sim_engine *e, struct weir_result *result)
{
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        bytes += e->thread[t].pool.made * SIM_CHUNK_BYTES + e->thread[t].records.made * e->thread[t].records.bytes;
        result->state_bytes += e->thread[t].arena.used_bytes;
        result->stale_pkts += e->thread[t].stale;
        result->packet_hops += e->thread[t].hops;
    }
    weir_sim_coupled_count(e, result);
    result->peak_packets = e->peak_in_flight;
    result->peak_fifo_bytes = bytes;
    fold_memory(e, result);
    result->state_bytes += e->model->topo->link_count * sizeof(struct sim_link);
}

static bool finish_failed(const struct sim_engine *e)
{
    for (uint32_t t = 0; t < e->thread_count; t++)
        if (e->thread[t].failed != 0)
            return true;
    return false;
}

/* Returns the area of port i over the measured part; 0 if that has not begun, or areas are not kept. It is 0, too, if a
 * thread without memory has left its window in the middle: there an area may end before it began. */
static sim_area finish_area(const struct sim_engine *e, uint32_t i, uint64_t end_ps)
{
    const struct sim_link *link = &e->link[i];
    if (!sim_lead(e)->counting || finish_failed(e))
        return 0;
    return (e->stopped_ps == WEIR_NEVER ? weir_sim_port_area_of_all(link, end_ps) : weir_sim_port_area(link, end_ps)) -
           e->base_area[i];
}

static void merge_samples(void *sum, const void *of, size_t bytes)
{
    WEIR_ASSERT(bytes == sizeof(struct weir_account_samples));
    weir_account_samples_merge(sum, of);
}

static void merge_stats(void *sum, const void *of, size_t bytes)
{
    WEIR_ASSERT(bytes == sizeof(struct weir_host_stats));
    weir_host_stats_add(sum, of);
}

static void merge_laws(void *sum, const void *of, size_t bytes)
{
    struct weir_account_law_totals *to = sum;
    const struct weir_account_law_totals *from = of;
    WEIR_ASSERT(bytes == WEIR_LAWS_MAX * sizeof(*to));
    for (size_t k = 0; k < bytes / sizeof(*to); k++) {
        weir_host_stats_add(&to[k].hosts, &from[k].hosts);
        to[k].base_new_bytes += from[k].base_new_bytes;
        to[k].drops += from[k].drops;
        to[k].data_drops += from[k].data_drops;
    }
}

/* Makes the totals of this process those of all ranks, at rank 0. A counter of a link is kept by one rank; the others
 * have 0. */
static void fold_totals(struct sim_engine *e, struct weir_port_count *port, uint64_t *rates,
                        struct weir_host_stats *sum)
{
    enum { COUNTS = sizeof(*port) / sizeof(uint64_t) };
    const struct weir_topology *topo = e->model->topo;
    _Static_assert(sizeof(*port) % sizeof(uint64_t) == 0, "counts alone");
    weir_sim_ranks_sum(e, (uint64_t *)(void *)port, (size_t)topo->link_count * COUNTS);
    if (e->arrived != NULL)
        weir_sim_ranks_sum(e, e->arrived, sim_lead(e)->bins);
    weir_sim_ranks_sum(e, rates, 2 * (size_t)topo->host_count);
    weir_sim_ranks_merge(e, &e->thread[0].samples, sizeof(e->thread[0].samples), merge_samples);
    weir_sim_ranks_merge(e, sum, sizeof(*sum), merge_stats);
    weir_sim_ranks_merge(e, e->thread[0].law, sizeof(e->thread[0].law), merge_laws);
}

/* Keeps the longer of two queues that grow. */
static void merge_growth(void *sum, const void *of, size_t bytes)
{
    struct weir_growth *to = sum;
    const struct weir_growth *from = of;
    const uint32_t last = WEIR_QUARTERS - 1;
    WEIR_ASSERT(bytes == sizeof(*to));
    if (from->mean_bytes[last] > to->mean_bytes[last] ||
        (from->grows && from->mean_bytes[last] == to->mean_bytes[last] && from->link < to->link))
        *to = *from;
}

/* Fills result->growth: each rank has the quarters of its own ports, and rank 0 gets the one that counts. */
static void finish_growth(const struct sim_engine *e, const struct weir_account_totals *totals,
                          struct weir_result *result)
{
    weir_sim_ranks_share(e, &result->unfinished.beyond, sizeof(result->unfinished.beyond));
    weir_account_growth(&e->account, totals, result);
    weir_sim_ranks_merge(e, &result->growth, sizeof(result->growth), merge_growth);
    weir_account_grew(result);
}

/* Fills *result from the counters of ports, hosts and threads. port: memory for one entry per link, to which the
 * counters of links are written. rates: memory for two entries per host */
static void finish_totals(struct sim_engine *e, struct weir_port_count *port, uint64_t *rates,
                          struct weir_result *result)
{
    uint32_t links = e->model->topo->link_count, hosts = e->model->topo->host_count;
    uint64_t end_ps = finish_end_ps(e);
    struct weir_host_stats sum = { 0 };
    struct weir_account_law_totals *law = e->thread[0].law;
    struct weir_account_totals totals = { .port = port,
                                          .acked_measured = rates,
                                          .arrived_measured = rates + hosts,
                                          .hosts = &sum,
                                          .law = law,
                                          .arrived = e->arrived,
                                          .arrived_count = sim_lead(e)->bins,
                                          .end_ps = end_ps,
                                          .samples = &e->thread[0].samples,
                                          .unfinished_start_bytes = e->unfinished_start_bytes,
                                          .unfinished_end_bytes = weir_account_unfinished_bytes(&e->account) };
    for (uint32_t t = 1; t < e->thread_count && e->arrived != NULL; t++)
        for (uint32_t k = 0; k < sim_lead(e)->bins; k++)
            e->arrived[k] += e->arrived[(size_t)t * weir_account_bins(e->model) + k];
    for (uint32_t t = 1; t < e->thread_count; t++)
        weir_account_samples_merge(&e->thread[0].samples, &e->thread[t].samples);
    for (uint32_t i = 0; i < links; i++)
        port[i] = finish_count(&e->link[i], finish_area(e, i, end_ps));
    finish_hosts(e, &sum, rates, rates + hosts);
    for (uint32_t t = 1; t < e->thread_count; t++)
        merge_laws(law, e->thread[t].law, sizeof(e->thread[t].law));
    for (uint32_t h = 0; h < hosts; h++)
        if (sim_is_mine(e, h))
            weir_account_law_hosts(e->model, e->host[h].h, law);
    finish_maxima(e, &totals);
    fold_totals(e, port, rates, &sum);
    weir_account_result(&e->account, &totals, result);
    totals.quarter = e->quarter; /* not before: of other ranks there are none */
    finish_growth(e, &totals, result);
}

static void merge_counts(void *sum, const void *of, size_t bytes)
{
    struct weir_feature_count *to = sum;
    const struct weir_feature_count *from = of;
    WEIR_ASSERT(bytes % sizeof(*to) == 0);
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        weir_features_add_count(&to[i], &from[i]);
}

/* Makes the counts by cause of this process those of all ranks, at rank 0. */
static void fold_causes(const struct sim_engine *e, struct weir_causes *causes)
{
    WEIR_ASSERT(causes->count == e->cause_count);
    for (uint32_t c = 0; c < causes->count; c++) {
        struct weir_cause_count *row = &causes->row[c];
        weir_sim_ranks_sum(e, &row->decided, 1);
        weir_sim_ranks_sum(e, &row->pkts[0][0], sizeof(row->pkts) / sizeof(row->pkts[0][0]));
    }
    if (causes->of_link != NULL)
        weir_sim_ranks_sum(e, causes->of_link, (size_t)causes->count * e->model->topo->link_count);
}

/* Fills result->causes, if they are requested. Without memory, sets e->thread[0].failed. */
static void finish_causes(struct sim_engine *e, struct weir_result *result)
{
    if (!e->options->causes)
        return;
    if (e->skip != NULL) {
        result->skipped = e->skip->skipped;
        e->skip->skipped.stretch = NULL;
    }
    if (weir_sim_fate_result(e, result)) {
        fold_causes(e, result->causes);
    } else {
        weir_sim_ranks_fail(e);
        e->thread[0].failed = WEIR_E_MEMORY;
    }
}

/* Notifies features of the end of the run, if it ends, then allocates result->feature_count and sums up their counters
 * over all ports. Links without a struct sim_port have no features that count. With options->check, checks the state of
 * the features once more. Without memory, sets e->thread[0].failed. */
static void finish_counts(struct sim_engine *e, bool ends, struct weir_result *result)
{
    uint32_t counts = weir_features_counts(&e->model->features, NULL);
    result->feature_count = calloc((size_t)counts + 1, sizeof(*result->feature_count));
    if (result->feature_count == NULL) {
        e->thread[0].failed = WEIR_E_MEMORY;
        weir_sim_ranks_fail(e);
    } else {
        result->feature_counts = weir_features_counts(&e->model->features, result->feature_count);
    }
    WEIR_ASSERT(result->feature_counts <= counts);
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        if (e->link[i].port == NULL)
            continue;
        if (ends)
            weir_chain_end(&e->link[i].port->chain, finish_end_ps(e));
        if (result->feature_counts > 0)
            weir_chain_add_counts(&e->link[i].port->chain, i, e->model->topo->link[i].reverse, result->feature_count,
                                  result->feature_counts);
    }
    weir_sim_ranks_merge(e, result->feature_count, result->feature_counts * sizeof(*result->feature_count),
                         merge_counts);
    /* the state of features as the result reports it */
    if (e->options->check && e->broken == NULL && !finish_failed(e))
        e->broken = weir_sim_check_features(e);
}

/* Adds the samples that a session took since the last delivery, if that was not the last one of the run. ends: the run
 * ends here */
static void finish_idle(struct sim_engine *e, bool ends)
{
    uint64_t delivered = 0;
    bool is_last = ends && e->stopped_ps == WEIR_NEVER && weir_account_unfinished_bytes(&e->account) == 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        delivered += e->account.shard[t].delivered;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        if (th->idle == NULL || (is_last && delivered == th->idle_delivered))
            continue;
        weir_account_samples_merge(&th->samples, th->idle);
        th->samples.credit_count += th->idle->credit_count;
    }
}

/* Merges what programs have: struct weir_program_merge.merge. ctx: the engine */
static void merge_of_ranks(const void *ctx, void *value, size_t bytes, void (*add)(void *sum, const void *of, size_t))
{
    weir_sim_ranks_merge(ctx, value, bytes, add);
}

void weir_sim_finish_as(struct sim_engine *e, bool ends, struct weir_result *result)
{
    uint32_t links = e->model->topo->link_count, hosts = e->model->topo->host_count;
    struct weir_port_count *port = calloc(links, sizeof(*port));
    uint64_t *rates = calloc(2 * (size_t)hosts, sizeof(*rates));
    if (port == NULL || rates == NULL)
        weir_sim_ranks_fail(e);
    fold_end(e);
    weir_account_close(&e->account, finish_end_ps(e));
    weir_sim_ranks_gather(e);
    if (e->ranks != NULL && e->account.programs != NULL)
        weir_programs_fold(e->account.programs, &(struct weir_program_merge){ merge_of_ranks, e });
    if (e->end_ps == WEIR_NEVER && e->stopped_ps == WEIR_NEVER)
        e->stalled =
            e->stalled || weir_account_awaited_bytes(&e->account) > 0 ||
            (e->pause == NULL && weir_account_waits(&e->account)); /* a session may leave programs unfinished */
    weir_sim_ranks_agree(e);
    if (e->options->check && e->broken == NULL && !finish_failed(e))
        e->broken = weir_sim_check(e, finish_end_ps(e));
    /* stopped_ps is WEIR_NEVER if the run went on until nothing was pending */
    weir_sim_report(e, e->stopped_ps);
    if (e->options->snapshot != NULL && e->options->snapshot_ps > 0 && !finish_failed(e))
        weir_sim_snapshot_pass(e, finish_end_ps(e), e->stopped_ps);
    finish_idle(e, ends);
    if (!e->interrupted && !finish_failed(e) && e->callback_code == 0 && e->stopped_ps == e->end_ps &&
        weir_account_batch_ps(&e->account) == e->end_ps && e->end_ps != WEIR_NEVER)
        weir_sim_batch(e, e->end_ps);
    if (port != NULL && rates != NULL)
        finish_totals(e, port, rates, result);
    else
        e->thread[0].failed = WEIR_E_MEMORY;
    finish_memory(e, result);
    finish_counts(e, ends, result);
    finish_causes(e, result);
    result->stalled = e->stalled;
    result->interrupted = e->interrupted;
    weir_sim_ranks_profile(e);
    if (e->stalled && (e->options->diagnosis != NULL || e->ranks != NULL))
        weir_sim_explain(e);
    if (e->options->links && port != NULL)
        result->link = port;
    else
        free(port);
    free(rates);
}

void weir_sim_finish(struct sim_engine *e, struct weir_result *result)
{
    weir_sim_finish_as(e, true, result);
}
