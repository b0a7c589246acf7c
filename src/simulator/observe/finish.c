/* src/simulator/observe/finish.c - the end of a run: checks of invariants, the explanation of a stall, and the counters
 * for the result. */
#include "core/credit_ops.h"
#include "core/feature_counter.h"
#include "observe/observe.h"
#include "coupled/coupled.h"
#include "port/port.h"
#include "state/fate.h"
#include "state/tap.h"
#include <inttypes.h>
#include <stdlib.h>

/* Returns how many packets are in one lane of a link, those that wait for a decision included. Sets *ordered to false
 * if a packet arrives before the end of the run and before the packet in front of it; else leaves *ordered as it is.
 * What starts after the end is never late, and nobody reads it. */
static uint64_t finish_in_flight(const struct sim_link *link, enum sim_lane lane, uint64_t end_ps, bool *ordered)
{
    uint64_t n = 0, last_ps = 0;
    if (link->write[lane] == NULL || !sim_fifo_is_made(link->write[lane]))
        return 0;
    for (struct weir_pkt *slot = link->read[lane]; slot != link->write[lane]; slot = sim_fifo_skip(slot, 1)) {
        *ordered = *ordered && (slot->arrival_ps >= last_ps || slot->arrival_ps >= end_ps);
        last_ps = slot->arrival_ps;
        n++;
    }
    return n;
}

/* Returns how many packets with telemetry records are in a link's FIFOs and in the port that feeds the link. */
static uint64_t finish_with_records(const struct sim_link *link)
{
    uint64_t n = 0;
    for (uint32_t lane = 0; lane < SIM_LANES && link->write[lane] != NULL && sim_fifo_is_made(link->write[lane]);
         lane++)
        for (struct weir_pkt *slot = link->read[lane]; slot != link->write[lane]; slot = sim_fifo_skip(slot, 1))
            n += slot->hops > 0;
    return link->kind.serve == SIM_SERVE_STEPS ? n + weir_sim_coupled_with_records(link) : n;
}

/* Tests whether each block of telemetry records belongs to a packet or is free. @return NULL = yes; else a sentence */
static const char *finish_check_records(const struct sim_engine *e)
{
    uint64_t held = 0, spare = weir_sim_depot_count(e->records_depot), made = 0;
    if (!sim_has_records(e->model))
        return NULL;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++)
        held += finish_with_records(&e->link[i]);
    for (uint32_t t = 0; t < e->thread_count; t++) {
        spare += e->thread[t].records.free_count;
        made += e->thread[t].records.made;
    }
    return held + spare != made ? "telemetry records are not conserved: some are of no packet" : NULL;
}

static const char *finish_check_link(const struct sim_link *link, uint64_t now_ps)
{
    uint64_t busy_ps = weir_max_u64(link->free_at_ps, now_ps);
    if (weir_mul_div_u64(link->bytes, 8 * WEIR_PS_PER_S, link->rate_bps) > busy_ps)
        return "a link carried more than its rate allows";
    return NULL;
}

/* Tests whether credit is outstanding although no event will ever come: by then hosts have found and recovered lost
 * credit. @return NULL = none is outstanding, or events may still come; else a sentence */
static const char *finish_check_credit(const struct sim_engine *e)
{
    struct weir_account_credit sum = { 0 };
    bool quiet = e->end_ps == WEIR_NEVER && e->stopped_ps == WEIR_NEVER;
    uint32_t laws = e->model->host.law != NULL ? e->model->host.law_count : 1;
    if (!quiet || !weir_host_has_credit(&e->model->host))
        return NULL;
    for (uint32_t k = 0; k < laws; k++) {
        const struct weir_host_config *cfg = weir_host_config_of(&e->model->host, k);
        if (cfg->credit != NULL && cfg->credit->loss_ps(cfg->cc_config) == 0)
            return NULL;
    }
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        weir_account_credit_add(&sum, e->host[h].h, 1);
    return sum.outstanding_bytes != 0 || sum.held_bytes != 0 ? "all is quiet, and credit is still out" : NULL;
}

/* Returns a sentence about a rule that the features of some switch find broken; NULL = no rule is broken. */
static const char *finish_check_features(const struct sim_engine *e)
{
    const char *broken = NULL;
    for (uint32_t s = 0; broken == NULL && s < e->model->topo->switch_count; s++) {
        const struct sim_link *link = &e->link[e->sw[s].first_out];
        if (link->port != NULL)
            broken = weir_chain_broken(&link->port->chain, e->sw[s].out_count);
    }
    return broken;
}

const char *weir_sim_check(const struct sim_engine *e, uint64_t now_ps)
{
    uint64_t injected = 0, absorbed = 0, ended = 0, inside = 0, started = 0, delivered = 0, arrived = 0;
    bool ordered = true;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        const char *broken = finish_check_link(link, now_ps);
        if (broken != NULL)
            return broken;
        inside += finish_in_flight(link, SIM_LANE_FIRST, e->end_ps, &ordered);
        inside += finish_in_flight(link, SIM_LANE_LOW, e->end_ps, &ordered);
        inside += link->waiting_pkts;
        ended += link->drops + link->losses + link->unrouted;
    }
    /* coupled switches may exceed it: their NOTICEs need no admission */
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++)
        if (e->sw[s].coupled == NULL && e->sw[s].used_bytes > e->sw[s].memory_bytes)
            return "a switch holds more than its memory";
    for (uint32_t t = 0; t < e->thread_count; t++) {
        injected += e->thread[t].injected;
        absorbed += e->thread[t].absorbed;
        started += e->account.shard[t].started_bytes;
        delivered += e->account.shard[t].delivered_bytes;
    }
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        const char *broken = weir_host_check(e->host[h].h);
        if (broken != NULL)
            return broken;
        arrived += weir_host_stats(e->host[h].h)->rx_new_bytes;
    }
    if (!ordered)
        return "packets on a link overtake each other";
    if (injected != absorbed + ended + inside)
        return "packets are not conserved: sent is not received + dropped + lost + still inside";
    if (arrived < delivered || arrived > started)
        return "bytes are not conserved: new bytes that arrived lie outside delivered .. started";
    const char *broken = weir_sim_fate_check(e);
    broken = broken != NULL ? broken : finish_check_records(e);
    broken = broken != NULL ? broken : finish_check_features(e);
    return broken != NULL ? broken : finish_check_credit(e);
}

static void diagnose_message(const struct sim_engine *e, uint32_t h, const struct weir_host_pending *p, FILE *out)
{
    const struct weir_account_msg *m = weir_account_msg(&e->account.host[h], p->msg);
    struct weir_route_path path;
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, h, from, sizeof(from));
    weir_topology_node_name(e->model->topo, p->dst, to, sizeof(to));
    (void)fprintf(out, "  %s -> %s: %" PRIu64 " bytes, started at %" PRIu64 " ps; ", from, to, m->bytes, m->start_ps);
    if (p->conn == UINT32_MAX)
        (void)fprintf(out, "waits for a connection\n");
    else
        (void)fprintf(out,
                      "%" PRIu64 " packets unacknowledged, %" PRIu64 " not sent yet, %" PRIu32 " timeouts in a row\n",
                      p->unacked_pkts, p->left_pkts, p->timeouts);
    if (!weir_route_path(e->thread[0].routes, e->model->topo, h, p->dst, p->hash, &path))
        (void)fprintf(out, "    no way leads there now: every cable towards it is down\n");
}

static void diagnose_link(const struct sim_engine *e, const struct sim_link *link, FILE *out)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, link->src, from, sizeof(from));
    weir_topology_node_name(e->model->topo, link->dst, to, sizeof(to));
    (void)fprintf(out, "  link from %s to %s: %" PRIu64 " dropped, %" PRIu64 " lost, %" PRIu64 " without a route\n",
                  from, to, link->drops, link->losses, link->unrouted);
}

void weir_sim_diagnose(const struct sim_engine *e, FILE *out)
{
    enum { SHOWN = 10 };
    uint64_t shown = 0, pending = 0;
    (void)fprintf(out, "stalled: nothing new has arrived since " WEIR_US_FORMAT "\n", WEIR_US_NUMBERS(e->last_new_ps));
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        struct weir_host_pending p;
        for (uint64_t cursor = 0; weir_host_next_pending(e->host[h].h, &cursor, &p); pending++)
            if (shown < SHOWN && ++shown > 0)
                diagnose_message(e, h, &p, out);
    }
    (void)fprintf(out, "  %" PRIu64 " messages hang%s\n", pending,
                  pending > shown ? "; the first ones are listed" : "");
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        if (link->drops + link->losses + link->unrouted > 0 && shown++ < UINT64_C(2) * SHOWN)
            diagnose_link(e, link, out);
    }
    weir_sim_coupled_diagnose(e, out);
}

/* Returns the counters of a link and its port over the whole run, and the port's area over the measured part. base:
 * the area at the start of the measured part. measured: the measured part has begun, and areas are kept; else the area
 * is 0. now_ps: the instant up to which the area counts */
static struct weir_port_count finish_count(const struct sim_link *link, sim_area base, bool measured, uint64_t now_ps)
{
    sim_area area = measured ? weir_sim_port_area(link, now_ps) - base : 0;
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
        const struct weir_host_stats *s = weir_host_stats(e->host[h].h);
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

static void finish_maxima(const struct sim_engine *e, struct weir_account_totals *totals)
{
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++) {
        const struct sim_switch *sw = &e->sw[s];
        totals->tor_max_bytes = weir_max_u64(totals->tor_max_bytes, sw->sum_max);
        for (uint32_t p = sw->first_out; p < sw->first_out + sw->out_count; p++)
            totals->port_max_bytes =
                weir_max_u64(totals->port_max_bytes, sim_queue_bytes(&e->link[p], e->link[p].backlog_max_ps));
    }
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

static void finish_memory(const struct sim_engine *e, struct weir_result *result)
{
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        bytes += e->thread[t].pool.made * SIM_CHUNK_BYTES + e->thread[t].records.made * e->thread[t].records.bytes;
        result->state_bytes += e->thread[t].arena.used_bytes;
        result->stale_pkts += e->thread[t].stale;
        result->packet_hops += e->thread[t].hops;
    }
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++)
        weir_sim_coupled_count(&e->sw[s], result);
    result->peak_packets = e->peak_in_flight;
    result->peak_fifo_bytes = bytes;
    result->state_bytes += e->model->topo->link_count * sizeof(struct sim_link);
}

/* Returns the instant up to which a port's queue counts in its area: the end of the run. One case differs: if the
 * run went on until nothing was pending and no packet waits at the port, the result is WEIR_NEVER, since the queue
 * is empty. Packets may still wait there, behind a cable that stays down. */
static uint64_t finish_counted_ps(const struct sim_engine *e, const struct sim_link *link)
{
    bool waits = link->port != NULL && link->waiting_pkts > 0;
    return e->stopped_ps == WEIR_NEVER && !waits ? WEIR_NEVER : finish_end_ps(e);
}

static bool finish_failed(const struct sim_engine *e)
{
    for (uint32_t t = 0; t < e->thread_count; t++)
        if (e->thread[t].failed != 0)
            return true;
    return false;
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
                                          .quarter = e->quarter,
                                          .arrived = e->arrived,
                                          .arrived_count = e->thread[0].bins,
                                          .end_ps = end_ps,
                                          .samples = &e->thread[0].samples,
                                          .unfinished_start_bytes = e->unfinished_start_bytes,
                                          .unfinished_end_bytes = weir_account_unfinished_bytes(&e->account) };
    for (uint32_t t = 1; t < e->thread_count && e->arrived != NULL; t++)
        for (uint32_t k = 0; k < e->thread[0].bins; k++)
            e->arrived[k] += e->arrived[(size_t)t * weir_account_bins(e->model) + k];
    for (uint32_t t = 1; t < e->thread_count; t++)
        weir_account_samples_merge(&e->thread[0].samples, &e->thread[t].samples);
    for (uint32_t i = 0; i < links; i++)
        port[i] = finish_count(&e->link[i], e->base_area[i], e->thread[0].counting, finish_counted_ps(e, &e->link[i]));
    finish_hosts(e, &sum, rates, rates + hosts);
    for (uint32_t t = 1; t < e->thread_count; t++)
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++) {
            law[k].base_new_bytes += e->thread[t].law[k].base_new_bytes;
            law[k].drops += e->thread[t].law[k].drops;
            law[k].data_drops += e->thread[t].law[k].data_drops;
        }
    for (uint32_t h = 0; h < hosts; h++)
        weir_account_law_hosts(e->model, e->host[h].h, law);
    finish_maxima(e, &totals);
    weir_account_result(&e->account, &totals, result);
}

/* Notifies features of the end of the run, if it ends, then allocates result->feature_count and sums up their counters
 * over all ports. Links without a struct sim_port have no features that count. With options->check, checks the state of
 * the features once more. Without memory, sets e->thread[0].failed. */
static void finish_counts(struct sim_engine *e, bool ends, struct weir_result *result)
{
    uint32_t counts = weir_features_counts(&e->model->features, NULL);
    result->feature_count = calloc((size_t)counts + 1, sizeof(*result->feature_count));
    if (result->feature_count == NULL)
        e->thread[0].failed = WEIR_E_MEMORY;
    else
        result->feature_counts = weir_features_counts(&e->model->features, result->feature_count);
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
    /* the state of features as the result reports it */
    if (e->options->check && e->broken == NULL && !finish_failed(e))
        e->broken = finish_check_features(e);
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

void weir_sim_finish_as(struct sim_engine *e, bool ends, struct weir_result *result)
{
    uint32_t links = e->model->topo->link_count, hosts = e->model->topo->host_count;
    struct weir_port_count *port = calloc(links, sizeof(*port));
    uint64_t *rates = calloc(2 * (size_t)hosts, sizeof(*rates));
    if (e->end_ps == WEIR_NEVER && e->stopped_ps == WEIR_NEVER)
        e->stalled =
            e->stalled || weir_account_awaited_bytes(&e->account) > 0 ||
            (e->pause == NULL && weir_account_waits(&e->account)); /* a session may leave programs unfinished */
    if (e->options->check && e->broken == NULL && !finish_failed(e))
        e->broken = weir_sim_check(e, finish_end_ps(e));
    weir_account_close(&e->account, finish_end_ps(e));
    if (e->options->rows != NULL && e->callback_code == 0)
        e->callback_code = weir_account_rows(&e->account, e->options);
    if (e->options->control != NULL && e->callback_code == 0)
        e->callback_code = weir_sim_control_report(e);
    /* stopped_ps is WEIR_NEVER if the run went on until nothing was pending */
    if (e->options->packets != NULL && e->callback_code == 0)
        e->callback_code = weir_sim_tap_report(e, e->stopped_ps);
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
    if (e->options->causes && !weir_sim_fate_result(e, result))
        e->thread[0].failed = WEIR_E_MEMORY;
    result->stalled = e->stalled;
    result->interrupted = e->interrupted;
    if (e->stalled && e->options->diagnosis != NULL)
        weir_sim_diagnose(e, e->options->diagnosis);
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
