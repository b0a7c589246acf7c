/* test/oracle/looks.c - sections 7 and 8 of doc/model.md: values at the ends of the measured part, maxima, samples, the result. */
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>

enum { CHECK_EVERY = 64 }; /* samples: a check walks every queue */

void oracle_looks_init(struct oracle *o)
{
    struct oracle_counts *c = &o->at_warmup;
    o->tor_samples = oracle_alloc(1, sizeof(*o->tor_samples));
    o->port_samples = oracle_alloc(1, sizeof(*o->port_samples));
    c->port = oracle_alloc(o->topo->link_count, sizeof(*c->port));
    c->acked = oracle_alloc(o->topo->host_count, sizeof(*c->acked));
    c->arrived = oracle_alloc(o->topo->host_count, sizeof(*c->arrived));
    o->next_look_ps = o->model->warmup_ps;
}

void oracle_looks_free(struct oracle *o)
{
    free(o->tor_samples);
    free(o->port_samples);
    free(o->at_warmup.port);
    free(o->at_warmup.acked);
    free(o->at_warmup.arrived);
}

static bool is_first_hop(const struct oracle *o, uint32_t node)
{
    return o->topo->node[node].tier == 1;
}

/* What a port and its switch hold, frames in transmission whole, bounds their queues from above (one byte per port more, where
 * the carry of an odd rate stretched a frame): only what could be a new maximum is summed up. */
void oracle_note_join(struct oracle *o, const struct oracle_port *port)
{
    if (port->held_bytes + 1 > o->port_max_bytes)
        o->port_max_bytes = weir_max_u64(o->port_max_bytes, oracle_port_queue_bytes(port, o->now_ps));
    if (is_first_hop(o, port->src) && o->used_bytes[port->src] + o->topo->node[port->src].out_count > o->tor_max_bytes)
        o->tor_max_bytes = weir_max_u64(o->tor_max_bytes, oracle_switch_queue_bytes(o, port->src));
}

static void begin_measuring(struct oracle *o)
{
    struct oracle_counts *c = &o->at_warmup;
    o->measuring = true;
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        struct oracle_port *port = &o->port[i];
        oracle_port_sync(port, o->now_ps);
        c->port[i] = port->count;
        if (port->of_switch)
            o->port_max_bytes = weir_max_u64(o->port_max_bytes, oracle_port_queue_bytes(port, o->now_ps));
    }
    for (uint32_t e = 0; e < o->topo->edge_count; e++)
        o->tor_max_bytes = weir_max_u64(o->tor_max_bytes, oracle_switch_queue_bytes(o, o->topo->edge_node[e]));
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        c->acked[h] = weir_host_stats(o->host[h].host)->tx_acked_bytes;
        c->arrived[h] = weir_host_stats(o->host[h].host)->rx_new_bytes;
    }
    c->unfinished_bytes = weir_account_unfinished_bytes(&o->account);
}

static void sample(struct oracle *o)
{
    for (uint32_t e = 0; e < o->topo->edge_count; e++)
        weir_histogram_add(o->tor_samples, oracle_switch_queue_bytes(o, o->topo->edge_node[e]));
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        if (o->port[i].of_switch)
            weir_histogram_add(o->port_samples, oracle_port_queue_bytes(&o->port[i], o->now_ps));
    if (o->options->check && o->samples++ % CHECK_EVERY == 0)
        o->broken = oracle_ports_check(o);
}

/* A message is on its way or still to start. */
static bool is_undelivered(const struct oracle *o)
{
    const struct weir_account_shard *shard = o->account.shard;
    return shard->started > shard->delivered || o->sources_left > 0;
}

/* The first look is the start of the measured part. A run without a set end takes no samples once everything is delivered. */
void oracle_look(struct oracle *o)
{
    if (!o->measuring)
        begin_measuring(o);
    if (o->model->until_done && !is_undelivered(o)) {
        o->next_look_ps = WEIR_NEVER;
        return;
    }
    sample(o);
    o->next_look_ps += o->model->sample_ps;
}

static struct weir_port_count count_since(const struct weir_port_count *now, const struct weir_port_count *then)
{
    return (struct weir_port_count){
        .bytes = now->bytes - then->bytes,
        .drops = now->drops - then->drops,
        .losses = now->losses - then->losses,
        .marks = now->marks - then->marks,
        .pkts = now->pkts - then->pkts,
        .area_lo = now->area_lo - then->area_lo,
        .area_hi = now->area_hi - then->area_hi - (now->area_lo < then->area_lo),
    };
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
    sum->refused_pkts += s->refused_pkts;
    sum->marked_pkts += s->marked_pkts;
    sum->connections += s->connections;
    sum->rx_connections += s->rx_connections;
    sum->grown_bytes += s->grown_bytes;
}

/* Differences at the end; the arrays that held the start then hold the measured part. */
void oracle_result(struct oracle *o, struct weir_result *result)
{
    struct oracle_counts *c = &o->at_warmup;
    struct weir_port_count *whole = oracle_alloc(o->topo->link_count, sizeof(*whole));
    struct weir_host_stats stats = { 0 };
    struct weir_account_totals totals;
    if (!o->measuring)
        begin_measuring(o);
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        oracle_port_sync(&o->port[i], o->now_ps);
        whole[i] = o->port[i].count;
        c->port[i] = count_since(&whole[i], &c->port[i]);
    }
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        const struct weir_host_stats *s = weir_host_stats(o->host[h].host);
        add_stats(&stats, s);
        c->acked[h] = s->tx_acked_bytes - c->acked[h];
        c->arrived[h] = s->rx_new_bytes - c->arrived[h];
    }
    totals = (struct weir_account_totals){
        .port = whole,
        .measured = c->port,
        .acked_measured = c->acked,
        .arrived_measured = c->arrived,
        .hosts = &stats,
        .tor_samples = o->tor_samples,
        .port_samples = o->port_samples,
        .tor_max_bytes = o->tor_max_bytes,
        .port_max_bytes = o->port_max_bytes,
        .end_ps = o->end_ps,
        .unfinished_start_bytes = c->unfinished_bytes,
        .unfinished_end_bytes = weir_account_unfinished_bytes(&o->account),
    };
    weir_account_close(&o->account, o->end_ps);
    weir_account_result(&o->account, &totals, result);
    free(whole);
}
