/* src/simulator/observe/check.c - the invariants of a run: what must hold of all nodes between two windows. With ranks,
 * each checks its own nodes, and rank 0 what concerns the whole network. */
#include "core/credit_ops.h"
#include "observe/observe.h"
#include "coupled/coupled.h"
#include "ranks/ranks.h"
#include "state/fate.h"

/* Returns how many packets are in one lane of a link, those that wait for a decision included. Sets *ordered to false
 * if a packet arrives before the end of the run and before the packet in front of it; else leaves *ordered as it is.
 * What starts after the end is never late, and nobody reads it. */
static uint64_t check_in_flight(const struct sim_link *link, enum sim_lane lane, uint64_t end_ps, bool *ordered)
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
static uint64_t check_with_records(const struct sim_link *link)
{
    uint64_t n = 0;
    for (uint32_t lane = 0; lane < SIM_LANES && link->write[lane] != NULL && sim_fifo_is_made(link->write[lane]);
         lane++)
        for (struct weir_pkt *slot = link->read[lane]; slot != link->write[lane]; slot = sim_fifo_skip(slot, 1))
            n += slot->hops > 0;
    return link->kind.serve == SIM_SERVE_STEPS ? n + weir_sim_coupled_with_records(link) : n;
}

/* Tests whether each block of telemetry records belongs to a packet or is free. @return NULL = yes; else a sentence */
static const char *check_records(const struct sim_engine *e)
{
    uint64_t held = 0, spare = weir_sim_depot_count(e->records_depot), made = 0;
    if (!sim_has_records(e->model))
        return NULL;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++)
        held += check_with_records(&e->link[i]);
    for (uint32_t t = 0; t < e->thread_count; t++) {
        spare += e->thread[t].records.free_count;
        made += e->thread[t].records.made;
    }
    return held + spare != made ? "telemetry records are not conserved: some are of no packet" : NULL;
}

/* Tests whether the link was busy for as long as its bytes take. At a fractional rate a frame that is dropped while it
 * waits takes its carry with it, which may be up to a picosecond. @return NULL = yes; else a sentence */
static const char *check_link(const struct sim_link *link, uint64_t now_ps)
{
    uint64_t busy_ps = weir_max_u64(link->free_at_ps, now_ps) + (link->kind.fraction ? link->drops : 0);
    if (weir_mul_div_u64(link->bytes, 8 * WEIR_PS_PER_S, link->rate_bps) > busy_ps)
        return "a link carried more than its rate allows";
    return NULL;
}

/* Tests whether credit is outstanding although no event will ever come: by then hosts have found and recovered lost
 * credit. @return NULL = none is outstanding, or events may still come; else a sentence */
static const char *check_credit(const struct sim_engine *e)
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
        if (sim_is_mine(e, h))
            weir_account_credit_add(&sum, e->host[h].h, 1);
    return sum.outstanding_bytes != 0 || sum.held_bytes != 0 ? "all is quiet, and credit is still out" : NULL;
}

const char *weir_sim_check_features(const struct sim_engine *e)
{
    const char *broken = NULL;
    for (uint32_t s = 0; broken == NULL && s < e->model->topo->switch_count; s++) {
        const struct sim_link *link = &e->link[e->sw[s].first_out];
        if (sim_is_mine(e, e->sw[s].node) && link->port != NULL)
            broken = weir_chain_broken(&link->port->chain, e->sw[s].out_count);
    }
    return broken;
}

/* Returns a sentence about a rule that holds of every link, switch and host by itself, and is broken at one of this
 * process. *inside: gets the packets in its links and ports; *ended: those that ended there; *arrived: bytes that have
 * arrived at its hosts for the first time. */
static const char *check_nodes(const struct sim_engine *e, uint64_t now_ps, uint64_t *inside, uint64_t *ended,
                               uint64_t *arrived)
{
    bool ordered = true;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        const char *broken = sim_is_mine(e, e->model->topo->link[i].src) ? check_link(link, now_ps) : NULL;
        if (broken != NULL)
            return broken;
        *inside += check_in_flight(link, SIM_LANE_FIRST, e->end_ps, &ordered);
        *inside += check_in_flight(link, SIM_LANE_LOW, e->end_ps, &ordered);
        *inside += link->waiting_pkts;
        *ended += link->drops + link->losses + link->unrouted;
    }
    /* coupled switches may exceed it: their NOTICEs need no admission */
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++)
        if (e->sw[s].coupled == NULL && e->sw[s].used_bytes > e->sw[s].memory_bytes)
            return "a switch holds more than its memory";
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        const char *broken = sim_is_mine(e, h) ? weir_host_check(e->host[h].h) : NULL;
        if (broken != NULL)
            return broken;
        *arrived += sim_is_mine(e, h) ? weir_host_stats(e->host[h].h)->rx_new_bytes : 0;
    }
    return ordered ? NULL : "packets on a link overtake each other";
}

const char *weir_sim_check(const struct sim_engine *e, uint64_t now_ps)
{
    enum { INSIDE, ENDED, ARRIVED, INJECTED, ABSORBED, STARTED, DELIVERED, SUMS };
    uint64_t sum[SUMS] = { 0 };
    const char *broken = check_nodes(e, now_ps, &sum[INSIDE], &sum[ENDED], &sum[ARRIVED]);
    for (uint32_t t = e->first; t < e->first + e->own; t++) {
        sum[INJECTED] += e->thread[t].injected;
        sum[ABSORBED] += e->thread[t].absorbed;
        sum[STARTED] += e->account.shard[t].started_bytes;
        sum[DELIVERED] += e->account.shard[t].delivered_bytes;
    }
    broken = broken != NULL ? broken : weir_sim_fate_check(e);
    broken = broken != NULL ? broken : check_records(e);
    broken = broken != NULL ? broken : weir_sim_check_features(e);
    broken = broken != NULL ? broken : check_credit(e);
    broken = weir_sim_ranks_first(e, broken);
    weir_sim_ranks_sum(e, sum, SUMS);
    if (broken != NULL || !sim_is_first(e))
        return broken;
    if (sum[INJECTED] != sum[ABSORBED] + sum[ENDED] + sum[INSIDE])
        return "packets are not conserved: sent is not received + dropped + lost + still inside";
    if (sum[ARRIVED] < sum[DELIVERED] || sum[ARRIVED] > sum[STARTED])
        return "bytes are not conserved: new bytes that arrived lie outside delivered .. started";
    return NULL;
}
