/* test/oracle/snapshots.c - doc/model.md [counting] and [run]: values at the ends of the measured part, maxima, samples, the result; and
 * the looks that options ask for. */
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 area_ps2;

enum { CHECK_EVERY = 64 }; /* samples: a check walks every queue */

void oracle_snapshots_init(struct oracle *o)
{
    struct oracle_counts *c = &o->at_warmup;
    o->samples = oracle_alloc(1, sizeof(*o->samples));
    o->at_sample = oracle_alloc(o->topo->link_count, sizeof(*o->at_sample));
    c->port = oracle_alloc(o->topo->link_count, sizeof(*c->port));
    c->acked = oracle_alloc(o->topo->host_count, sizeof(*c->acked));
    c->arrived = oracle_alloc(o->topo->host_count, sizeof(*c->arrived));
    o->next_snapshot_ps = o->model->warmup_ps;
    o->next_quarter_ps = WEIR_NEVER;
    if (weir_account_has_quarters(o->model)) {
        o->quarter = oracle_alloc((size_t)WEIR_QUARTERS * o->topo->link_count, sizeof(*o->quarter));
        o->next_quarter_ps = o->model->warmup_ps;
    }
    o->next_batch_ps = weir_account_batch_ps(&o->account);
    o->at_batch = oracle_alloc(o->topo->link_count, sizeof(*o->at_batch));
    o->next_bin_ps = WEIR_NEVER;
    if (weir_account_bins(o->model) > 0) {
        o->bin = oracle_alloc(weir_account_bins(o->model), sizeof(*o->bin));
        o->bins = 1;
        o->next_bin_ps = weir_account_bin_ps(o->model);
    }
    o->next_tell_ps =
        o->options->snapshot != NULL && o->options->snapshot_ps > 0 ? o->options->snapshot_ps : WEIR_NEVER;
    if (o->options->snapshot_flows && o->model->workload->tag_count > 0)
        o->tell_flow = oracle_alloc(o->model->workload->tag_count, sizeof(*o->tell_flow));
    if (o->topo->host_count > WEIR_SNAPSHOT_HOSTS)
        return;
    o->tell_host = oracle_alloc(o->topo->host_count, sizeof(*o->tell_host));
    o->tell_port_bytes = oracle_alloc(o->topo->link_count, sizeof(*o->tell_port_bytes));
}

void oracle_snapshots_free(struct oracle *o)
{
    free(o->samples);
    free(o->at_sample);
    free(o->at_batch);
    free(o->quarter);
    free(o->bin);
    free(o->tell_host);
    free(o->tell_port_bytes);
    free(o->tell_flow);
    free(o->at_warmup.port);
    free(o->at_warmup.acked);
    free(o->at_warmup.arrived);
}

static bool is_first_hop(const struct oracle *o, uint32_t node)
{
    return o->topo->node[node].tier == 1;
}

/* Of equal queues that of the first link counts. */
static void note_longest(struct oracle *o, uint32_t link)
{
    uint64_t bytes = oracle_queue_bytes(o, link);
    if (bytes > o->port_max_bytes || (bytes == o->port_max_bytes && link < o->port_max_link)) {
        o->port_max_bytes = bytes;
        o->port_max_link = link;
    }
}

/* What a port and its switch hold, frames in transmission whole, bounds their queues from above (one byte per port more, where
 * the carry of an odd rate stretched a frame): only what could be a new maximum is summed up. */
void oracle_note_join(struct oracle *o, const struct oracle_link *link)
{
    const struct weir_switch *sw = link->sw;
    if (o->model->sampled)
        return;
    if (weir_switch_held_bytes(sw, link->port) + 1 > o->port_max_bytes)
        note_longest(o, link->link);
    if (is_first_hop(o, link->src) &&
        weir_switch_used_bytes(sw) + o->topo->node[link->src].out_count > o->tor_max_bytes)
        o->tor_max_bytes = weir_max_u64(o->tor_max_bytes, weir_switch_queues_bytes(sw, o->now_ps));
}

/* What waits at the first-hop switch e, one of topo->edge_node[]. */
static uint64_t edge_bytes(const struct oracle *o, uint32_t e)
{
    return weir_switch_queues_bytes(o->node[o->topo->edge_node[e]].sw, o->now_ps);
}

static void begin_measuring(struct oracle *o)
{
    struct oracle_counts *c = &o->at_warmup;
    o->measuring = true;
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        c->port[i] = *oracle_count(o, i);
        if (o->link[i].of_switch)
            note_longest(o, i);
    }
    for (uint32_t e = 0; e < o->topo->edge_count; e++)
        o->tor_max_bytes = weir_max_u64(o->tor_max_bytes, edge_bytes(o, e));
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        c->acked[h] = weir_host_stats(o->host[h].host)->tx_acked_bytes;
        c->arrived[h] = weir_host_stats(o->host[h].host)->rx_new_bytes;
        weir_account_law_base(o->model, o->host[h].host, c->law);
    }
    c->unfinished_bytes = weir_account_unfinished_bytes(&o->account);
}

/* Counters as they are now, the area since then. */
static struct weir_port_count area_since(const struct weir_port_count *now, const struct weir_port_count *then)
{
    struct weir_port_count part = *now;
    part.area_lo -= then->area_lo;
    part.area_hi -= then->area_hi + (now->area_lo < then->area_lo);
    return part;
}

void oracle_bin(struct oracle *o)
{
    for (uint32_t h = 0; h < o->topo->host_count; h++)
        o->bin[o->bins] += weir_host_stats(o->host[h].host)->rx_new_bytes;
    o->bins++;
    o->next_bin_ps += weir_account_bin_ps(o->model);
    if (o->bins == weir_account_bins(o->model))
        o->next_bin_ps = WEIR_NEVER;
}

/* Ends a batch of the measured part, or begins the first. */
void oracle_batch(struct oracle *o)
{
    uint64_t arrived = 0, queue = 0;
    for (uint32_t h = 0; h < o->topo->host_count; h++)
        arrived += weir_host_stats(o->host[h].host)->rx_new_bytes;
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_port_count *now = oracle_count(o, i);
        struct weir_port_count part = area_since(now, &o->at_batch[i]);
        o->at_batch[i] = *now;
        if (is_first_hop(o, o->topo->link[i].src))
            queue += weir_account_mean_millibytes(&part, o->model->batch_ps, o->topo->link[i].rate_bps);
    }
    queue = o->topo->edge_count > 0 ? queue / o->topo->edge_count : 0;
    if (o->model->sampled) /* before a sample at this instant */
        queue = weir_account_batch_queue(&o->account, o->samples->tor_bytes, o->samples->tor.total);
    o->error = weir_account_batch(&o->account, o->options, arrived, queue);
    o->next_batch_ps = weir_account_batch_ps(&o->account);
}

void oracle_quarter(struct oracle *o)
{
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        o->quarter[(size_t)o->quarters * o->topo->link_count + i] = *oracle_count(o, i);
    o->quarters++;
    o->next_quarter_ps = WEIR_NEVER;
    if (o->quarters < 4)
        o->next_quarter_ps = o->model->warmup_ps + weir_mul_div_u64(o->model->measure_ps, o->quarters, 4);
}

/* Mean queue of every switch port since the last sample, and their sums at first-hop switches. */
static void sample_averages(struct oracle *o)
{
    struct weir_account_samples *s = o->samples;
    for (uint32_t n = o->topo->host_count; n < o->topo->node_count; n++) {
        uint32_t first = o->topo->node[n].first_out;
        uint64_t sum_millibytes = 0;
        for (uint32_t i = first; i < first + o->topo->node[n].out_count; i++) {
            const struct weir_port_count *now = oracle_count(o, i);
            struct weir_port_count part = area_since(now, &o->at_sample[i]);
            uint64_t millibytes;
            o->at_sample[i] = *now;
            if (o->sample_count == 0)
                continue;
            millibytes = weir_account_mean_millibytes(&part, o->model->sample_ps, o->topo->link[i].rate_bps);
            weir_account_average(&s->port_average, &s->port_average_bytes, millibytes, 1);
            sum_millibytes += millibytes;
        }
        if (is_first_hop(o, n) && o->sample_count > 0)
            weir_account_average(&s->tor_average, &s->tor_average_bytes, sum_millibytes, 1);
    }
}

static void sample(struct oracle *o)
{
    struct weir_account_samples *s = o->samples;
    for (uint32_t e = 0; e < o->topo->edge_count; e++) {
        weir_histogram_add(&s->tor, edge_bytes(o, e));
        s->tor_bytes += edge_bytes(o, e);
    }
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        if (o->link[i].of_switch) {
            weir_histogram_add(&s->port, oracle_queue_bytes(o, i));
            s->port_bytes += oracle_queue_bytes(o, i);
        }
    if (o->model->sample_average)
        sample_averages(o);
    if (weir_host_has_credit(&o->model->host) && o->sample_count % WEIR_CREDIT_SAMPLES == 0) {
        o->samples->credit_count++;
        for (uint32_t h = 0; h < o->topo->host_count; h++)
            weir_account_credit_add(&o->samples->credit, o->host[h].host, 1);
    }
    /* A check walks all packets: it waits for as many hops, so that a network that stands still is not walked for ever. */
    if (o->options->check && o->sample_count % CHECK_EVERY == 0 && o->packet_hops - o->hops_checked >= o->alive) {
        o->broken = o->broken != NULL ? o->broken : oracle_check(o);
        o->hops_checked = o->packet_hops;
    }
    o->sample_count++;
}

/* Tests whether a message of the traffic is known to start some day. What waits in an inbox besides is of programs: their messages,
 * which oracle_programs_wait() counts, and timers of ranks that compute, after which no message need follow. */
static bool traffic_is_left(const struct oracle *o)
{
    if (o->inbox == NULL || o->sources_left == 0)
        return o->sources_left > 0;
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        const struct weir_source *source = &o->host[h].source;
        if (source->next_listed < source->end_listed)
            return true;
        for (uint32_t i = 0; i < o->model->workload->item_count; i++)
            if (source->next_ps[i] != WEIR_NEVER)
                return true;
    }
    return false;
}

bool oracle_is_undelivered(const struct oracle *o)
{
    const struct weir_account_shard *shard = o->account.shard;
    return shard->started > shard->delivered + shard->lost || traffic_is_left(o) || oracle_jobs_wait(o) ||
           oracle_programs_wait(o);
}

/* The first look is the start of the measured part. A run without a set end takes no samples once everything is delivered. */
void oracle_snapshot(struct oracle *o)
{
    if (!o->measuring)
        begin_measuring(o);
    if (o->model->until_done && !oracle_is_undelivered(o)) {
        o->next_snapshot_ps = WEIR_NEVER;
        return;
    }
    sample(o);
    o->next_snapshot_ps += o->model->sample_ps;
}

static void tell_hosts(struct oracle *o, struct weir_snapshot *snapshot)
{
    struct weir_account_credit all = { 0 };
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        const struct weir_host_stats *s = weir_host_stats(o->host[h].host);
        struct weir_account_credit own = { 0 };
        snapshot->arrived_bytes += s->rx_new_bytes;
        snapshot->retransmissions += s->retransmissions;
        if (snapshot->has_credit) {
            weir_account_credit_add(&own, o->host[h].host, 1);
            weir_account_credit_add(&all, o->host[h].host, 1);
        }
        if (o->tell_host != NULL)
            o->tell_host[h] = (struct weir_snapshot_host){ s->rx_new_bytes, own.held_bytes };
    }
    snapshot->credit_held_bytes = all.held_bytes;
    snapshot->credit_in_flight_bytes = weir_account_credit_in_flight(&all);
    snapshot->credit_free_bytes = all.free_bytes;
}

void oracle_tell(struct oracle *o, uint64_t at_ps)
{
    struct weir_snapshot snapshot = { .at_ps = at_ps,
                                      .unfinished_bytes = weir_account_unfinished_bytes(&o->account),
                                      .has_credit = weir_host_has_credit(&o->model->host),
                                      .host = o->tell_host,
                                      .port_queue_bytes = o->tell_port_bytes,
                                      .flow = o->tell_flow };
    if (at_ps <= o->notified_ps)
        return;
    o->notified_ps = at_ps;
    tell_hosts(o, &snapshot);
    for (uint32_t i = 0; o->tell_flow != NULL && i < o->model->workload->tag_count; i++)
        weir_account_snapshot(&o->account.flow[i], o->host[o->account.flow[i].src].host, &o->tell_flow[i]);
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_port_count *count = oracle_count(o, i);
        uint64_t bytes = oracle_queue_bytes(o, i);
        snapshot.marks += count->marks;
        snapshot.drops += count->drops + count->losses;
        if (o->link[i].of_switch)
            snapshot.port_queue_max_bytes = weir_max_u64(snapshot.port_queue_max_bytes, bytes);
        if (o->tell_port_bytes != NULL)
            o->tell_port_bytes[i] = bytes;
    }
    for (uint32_t e = 0; e < o->topo->edge_count; e++) {
        uint64_t bytes = edge_bytes(o, e);
        snapshot.tor_queue_sum_bytes += bytes;
        snapshot.tor_queue_max_bytes = weir_max_u64(snapshot.tor_queue_max_bytes, bytes);
    }
    o->error = o->options->snapshot(o->options->snapshot_ctx, &snapshot);
}

void oracle_tell_on(struct oracle *o)
{
    if (o->model->until_done && !oracle_is_undelivered(o)) {
        o->next_tell_ps = WEIR_NEVER;
        return;
    }
    oracle_tell(o, o->now_ps);
    o->next_tell_ps += o->options->snapshot_ps;
}

static void add_stats(struct weir_host_stats *sum, const struct weir_host_stats *s)
{
    sum->tx_data_pkts += s->tx_data_pkts;
    sum->tx_ack_pkts += s->tx_ack_pkts;
    sum->rx_data_pkts += s->rx_data_pkts;
    sum->rx_ack_pkts += s->rx_ack_pkts;
    sum->rx_new_bytes += s->rx_new_bytes;
    sum->tx_acked_bytes += s->tx_acked_bytes;
    sum->tx_done_bytes += s->tx_done_bytes;
    sum->retransmissions += s->retransmissions;
    sum->timeouts += s->timeouts;
    sum->duplicates += s->duplicates;
    sum->rx_again_pkts += s->rx_again_pkts;
    sum->refused_pkts += s->refused_pkts;
    sum->marked_pkts += s->marked_pkts;
    sum->source_marked_pkts += s->source_marked_pkts;
    sum->connections += s->connections;
    sum->rx_connections += s->rx_connections;
    sum->grown_bytes += s->grown_bytes;
}

struct forever { /* what one node still holds */
    struct oracle *o;
    uint32_t first_out; /* its first link */
};

/* [run.measure-all] A packet that waits for ever counts until the end, which is the last delivery: no longer. */
static void take_off(void *ctx, const struct weir_switch_held *held)
{
    const struct forever *f = ctx;
    struct weir_port_count *count = &f->o->at_warmup.port[f->first_out + held->port];
    uint64_t from_ps = weir_max_u64(held->joined_ps, f->o->end_ps);
    area_ps2 late = (area_ps2)held->work_ps * 2 * (f->o->now_ps - from_ps);
    *count =
        area_since(count, &(struct weir_port_count){ .area_lo = (uint64_t)late, .area_hi = (uint64_t)(late >> 64) });
}

/* Differences at the end; the arrays that held the start then hold the measured part, of ports the counters of the whole run. */
void oracle_result(struct oracle *o, struct weir_result *result)
{
    struct oracle_counts *c = &o->at_warmup;
    struct weir_host_stats stats = { 0 };
    struct weir_account_totals totals;
    if (!o->measuring)
        begin_measuring(o);
    if (!o->interrupted && !o->stalled && o->error == 0 && o->end_ps != WEIR_NEVER && o->next_batch_ps == o->end_ps)
        oracle_batch(o);
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        for (uint32_t q = 0; q < o->quarters; q++)
            o->quarter[(size_t)q * o->topo->link_count + i] =
                area_since(&o->quarter[(size_t)q * o->topo->link_count + i], &c->port[i]);
        c->port[i] = area_since(oracle_count(o, i), &c->port[i]);
    }
    for (uint32_t n = 0; n < o->topo->host_count + o->topo->switch_count; n++)
        weir_switch_each(o->node[n].sw, take_off, &(struct forever){ o, o->topo->node[n].first_out });
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        const struct weir_host_stats *s = weir_host_stats(o->host[h].host);
        add_stats(&stats, s);
        c->acked[h] = s->tx_acked_bytes - c->acked[h];
        c->arrived[h] = s->rx_new_bytes - c->arrived[h];
        weir_account_law_hosts(o->model, o->host[h].host, c->law);
    }
    totals = (struct weir_account_totals){
        .port = c->port,
        .acked_measured = c->acked,
        .arrived_measured = c->arrived,
        .hosts = &stats,
        .law = c->law,
        .quarter = o->quarter,
        .arrived = o->bin,
        .arrived_count = o->bins,
        .samples = o->samples,
        .tor_max_bytes = o->tor_max_bytes,
        .port_max_bytes = o->port_max_bytes,
        .port_max_link = o->port_max_link,
        .end_ps = o->end_ps,
        .unfinished_start_bytes = c->unfinished_bytes,
        .unfinished_end_bytes = weir_account_unfinished_bytes(&o->account),
    };
    weir_account_close(&o->account, o->end_ps);
    weir_account_result(&o->account, &totals, result);
}
