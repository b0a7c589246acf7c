/* test/oracle/hosts.c - doc/model.md [host]: when a host is called, and how its packets reach the link. */
#include "core/cable.h"
#include "core/cc.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

void *oracle_lend(void *ctx, size_t size)
{
    struct oracle *o = ctx;
    struct oracle_block *block = oracle_alloc(1, sizeof(*block));
    block->memory = oracle_alloc(1, size + 64);
    block->next = o->blocks;
    o->blocks = block;
    return (void *)(((uintptr_t)block->memory + 63) & ~(uintptr_t)63);
}

/* An entry for a later time than that stays on the heap, and finds nothing to do. */
void oracle_host_arm_start(struct oracle *o, uint32_t host)
{
    struct oracle_host *oh = &o->host[host];
    uint64_t at_ps = weir_source_next_ps(&oh->source);
    if (at_ps >= oh->start_armed_ps)
        return;
    o->sources_left += oh->start_armed_ps == WEIR_NEVER;
    oh->start_armed_ps = at_ps;
    oracle_push(o, at_ps, host, ORACLE_START, 0);
}

#define REPLY_ITEM_SHIFT 28 /* of the event's index; below: the host that sent the message */

static void asks(void *ctx, uint32_t host, uint32_t to, uint32_t item, uint64_t now_ps)
{
    oracle_push(ctx, now_ps, host, ORACLE_REPLY, item << REPLY_ITEM_SHIFT | to);
}

void oracle_hosts_init(struct oracle *o)
{
    const struct weir_model *m = o->model;
    uint32_t hosts = o->topo->host_count;
    size_t bytes = (weir_host_bytes(&m->host) + 63) / 64 * 64;
    unsigned char *memory;
    o->host = oracle_alloc(hosts, sizeof(*o->host));
    if (m->restart_count > 0)
        o->epoch = oracle_alloc(hosts, 1);
    memory = oracle_lend(o, bytes * hosts);
    for (uint32_t h = 0; h < hosts; h++) {
        struct weir_host_sink sink;
        weir_account_place(&o->account, h, 0);
        o->host[h].sink = weir_account_sink(&o->account, h);
        sink = oracle_edge_sink(o, &o->host[h]);
        o->host[h].host = weir_host_init(memory + h * bytes, &m->host, h, &o->mem, &sink);
        o->host[h].nic = &o->link[o->topo->node[h].first_out];
        o->host[h].in = &o->link[o->topo->link[o->topo->node[h].first_out].reverse];
        o->host[h].transmit_ps = WEIR_NEVER;
        if (m->nics != NULL)
            oracle_nics_init(o, h);
        weir_source_init(&o->host[h].source, m->workload, h);
        o->host[h].start_armed_ps = WEIR_NEVER;
        oracle_host_arm_start(o, h);
    }
    o->account.asks = asks;
    o->account.asks_ctx = o;
}

/* Numbers on the way have 4 bits above 26 that say how often the two ends had restarted. */
static uint32_t epoch_bits(const struct oracle *o, const struct weir_pkt *pkt)
{
    return (o->epoch[pkt->src] + o->epoch[pkt->dst]) % 16u << 26;
}

void oracle_write_epoch(const struct oracle *o, struct weir_pkt *pkt)
{
    pkt->conn = (pkt->conn & ~(15u << 26)) | epoch_bits(o, pkt);
}

static bool is_of_this_epoch(const struct oracle *o, struct weir_pkt *pkt)
{
    uint32_t number = pkt->conn & ((1u << 26) - 1);
    if ((pkt->conn & 15u << 26) != epoch_bits(o, pkt))
        return false;
    pkt->conn = (pkt->conn & 3u << 30) | (number == (1u << 26) - 1 ? WEIR_PKT_NO_CONN : number);
    return true;
}

void oracle_hosts_free(struct oracle *o)
{
    while (o->blocks != NULL) {
        struct oracle_block *block = o->blocks;
        o->blocks = block->next;
        free(block->memory);
        free(block);
    }
    free(o->host);
    free(o->epoch);
}

/* A timer that moved later stays on the heap and finds nothing to do; one that moved earlier gets a new entry. */
static void arm_timer(struct oracle *o, uint32_t host)
{
    struct oracle_host *oh = &o->host[host];
    uint64_t at_ps = weir_max_u64(weir_host_next_ps(oh->host), o->now_ps);
    if (at_ps == WEIR_NEVER || (oh->armed_count > 0 && oh->armed_ps[oh->armed_count - 1] <= at_ps))
        return;
    oracle_push(o, at_ps, host, ORACLE_TIMER, 0);
    if (oh->armed_count < ORACLE_ARMED_MAX) /* else a second entry may be pushed some day: harmless */
        oh->armed_ps[oh->armed_count++] = at_ps;
}

static bool is_pull(const struct oracle *o)
{
    return o->model->host.params.nic_queue == WEIR_NIC_PULL;
}

/* Nothing else will happen to this host at this instant but transmitting. */
static bool is_last_of_instant(const struct oracle *o, const struct oracle_host *oh)
{
    const struct weir_switch_pkt *coming = oh->in->flight.head;
    return (coming == NULL || coming->pkt.arrival_ps > o->now_ps) && weir_host_next_ps(oh->host) > o->now_ps &&
           weir_source_next_ps(&oh->source) > o->now_ps;
}

void oracle_host_wake(struct oracle *o, uint32_t host)
{
    struct oracle_host *oh = &o->host[host];
    bool nic_free = o->model->nics != NULL ? oracle_nics_free(o, host) : weir_switch_is_free(oh->nic->sw, 0);
    bool waits = o->model->nics != NULL ? oracle_nics_wait(o, host) : weir_host_ready(oh->host);
    if (oh->transmit_ps == o->now_ps || (is_pull(o) && !nic_free) || !waits)
        return;
    oh->transmit_ps = o->now_ps;
    if (!o->coupled && o->jobs == NULL && o->model->nics == NULL && !o->model->workload->replies &&
        is_last_of_instant(o, oh)) /* the event would be the next one: spare the heap */
        oracle_host_transmit(o, host);
    else
        oracle_push(o, o->now_ps, host, ORACLE_TRANSMIT, 0);
}

static void restart(struct oracle *o, uint32_t host)
{
    o->epoch[host]++;
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        if (h == host)
            continue;
        weir_host_forget(o->host[host].host, o->now_ps, h);
        weir_host_forget(o->host[h].host, o->now_ps, host);
    }
    weir_account_restart(&o->account, host, o->now_ps);
}

void oracle_hosts_restart(struct oracle *o)
{
    const struct weir_model *m = o->model;
    for (; o->restarts_done < m->restart_count && m->restart[o->restarts_done].at_ps == o->now_ps; o->restarts_done++)
        restart(o, m->restart[o->restarts_done].host);
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        arm_timer(o, h);
        oracle_host_wake(o, h);
    }
}

bool oracle_has_records(const struct oracle *o)
{
    return o->model->features.records_max > 0;
}

void oracle_host_arrive(struct oracle *o, uint32_t host, uint32_t nic, struct weir_switch_pkt *p)
{
    if (o->epoch != NULL && !is_of_this_epoch(o, &p->pkt)) {
        o->stale++;
        return;
    }
    if (o->model->nics != NULL)
        weir_host_nics_arrive(o->host[host].host, nic);
    oracle_edge_rx(o, &o->host[host], &p->pkt, oracle_has_records(o) ? weir_switch_more(p)->hop : NULL);
    arm_timer(o, host);
    oracle_host_wake(o, host);
}

void oracle_host_disarm(struct oracle *o, uint32_t host, uint64_t at_ps)
{
    struct oracle_host *oh = &o->host[host];
    while (oh->armed_count > 0 && oh->armed_ps[oh->armed_count - 1] <= at_ps)
        oh->armed_count--;
    arm_timer(o, host);
}

void oracle_host_timer(struct oracle *o, uint32_t host)
{
    struct weir_host *h = o->host[host].host;
    if (weir_host_next_ps(h) <= o->now_ps) {
        (void)oracle_edge_tx(o, &o->host[host], NULL, 0);
        WEIR_ASSERT(weir_host_next_ps(h) > o->now_ps);
        oracle_host_wake(o, host);
    }
    oracle_host_disarm(o, host, o->now_ps);
}

/* Its law is told its weight where not all are the same. */
static void send_message(struct oracle *o, const struct weir_message *m)
{
    struct oracle_host *oh = &o->host[m->src];
    uint32_t handle;
    o->error = weir_account_start(&o->account.host[m->src], m, &handle);
    if (o->error == 0)
        o->error = oracle_edge_send(o, oh, weir_account_msg(&o->account.host[m->src], handle)->law, m->dst, handle,
                                    weir_message_bytes(o->model->workload, m));
    if (o->error == 0 && o->model->workload->weighted &&
        weir_host_weight(oh->host, o->now_ps, handle, m->weight_q20) == WEIR_E_MEMORY)
        o->error = WEIR_E_MEMORY;
    if (o->error == 0 && o->model->workload->start != NULL && m->tag != 0)
        (void)weir_host_rate(oh->host, o->now_ps, handle, &o->model->workload->start[m->tag - 1]);
}

void oracle_host_start(struct oracle *o, uint32_t host)
{
    struct oracle_host *oh = &o->host[host];
    while (weir_source_next_ps(&oh->source) <= o->now_ps && o->error == 0) {
        struct weir_message m;
        weir_source_take(&oh->source, &m);
        if (m.dst == WEIR_INBOX_TIMER)
            oracle_programs_timer(o, &m);
        else
            send_message(o, &m);
    }
    if (oh->start_armed_ps <= o->now_ps) {
        oh->start_armed_ps = WEIR_NEVER;
        o->sources_left--;
    }
    oracle_host_arm_start(o, host);
    arm_timer(o, host);
    oracle_host_wake(o, host);
}

void oracle_host_send(struct oracle *o, const struct weir_message *m)
{
    send_message(o, m);
    arm_timer(o, m->src);
    oracle_host_wake(o, m->src);
}

void oracle_host_reply(struct oracle *o, uint32_t host, uint32_t index)
{
    uint32_t item = index >> REPLY_ITEM_SHIFT;
    oracle_host_send(o, &(struct weir_message){ .id = (uint64_t)host << 40 | o->host[host].source.started++,
                                                .start_ps = o->now_ps,
                                                .bytes = o->model->workload->reply_bytes[item],
                                                .src = host,
                                                .dst = index & ((1u << REPLY_ITEM_SHIFT) - 1),
                                                .item = item,
                                                .weight_q20 = WEIR_WEIGHT_ONE,
                                                .is_reply = true });
}

void oracle_host_weigh(struct oracle *o, uint32_t host, uint32_t msg, uint64_t weight_q20)
{
    if (weir_host_weight(o->host[host].host, o->now_ps, msg, weight_q20) == WEIR_E_MEMORY)
        o->error = WEIR_E_MEMORY;
    arm_timer(o, host);
    oracle_host_wake(o, host);
}

/* One packet of the host, with the records it answers with. @return false = it has none to give */
static bool take_packet(struct oracle *o, struct oracle_host *oh, struct weir_switch_pkt *p)
{
    const struct weir_telemetry *hop;
    if (oracle_edge_tx(o, oh, &p->pkt, 1) == 0)
        return false;
    if (o->epoch != NULL)
        oracle_write_epoch(o, &p->pkt);
    if (!o->coupled)
        return true;
    weir_switch_more(p)->own = 0; /* links that it took */
    if (!oracle_has_records(o))
        return true;
    hop = weir_host_tx_hops(oh->host);
    WEIR_ASSERT(p->pkt.hops <= WEIR_TELEMETRY_HOPS_MAX);
    if (p->pkt.hops > 0)
        memcpy(weir_switch_more(p)->hop, hop, p->pkt.hops * sizeof(*hop));
    return true;
}

/* nic_queue: pull. The NIC is free, so the packet starts at this instant; nothing is marked or refused. */
static void transmit_one(struct oracle *o, struct oracle_host *oh)
{
    struct weir_switch_pkt *p;
    if (!weir_switch_is_free(oh->nic->sw, 0))
        return;
    p = oracle_pkt_take(o);
    if (take_packet(o, oh, p))
        weir_switch_offer(oh->nic->sw, o->now_ps, 0, p);
    else
        weir_switch_pkt_give(&o->pool, p);
}

static void transmit_all(struct oracle *o, struct oracle_host *oh)
{
    struct weir_switch_pkt *p = oracle_pkt_take(o);
    while (take_packet(o, oh, p)) {
        weir_switch_offer(oh->nic->sw, o->now_ps, 0, p);
        p = oracle_pkt_take(o);
    }
    weir_switch_pkt_give(&o->pool, p);
}

void oracle_host_transmit(struct oracle *o, uint32_t host)
{
    if (o->model->nics != NULL)
        oracle_nics_transmit(o, host);
    else if (is_pull(o))
        transmit_one(o, &o->host[host]);
    else
        transmit_all(o, &o->host[host]);
    oracle_arm(o, host);
    arm_timer(o, host);
}
