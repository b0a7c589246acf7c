/* test/oracle/nics.c - doc/model.md [nics]: transports of a host with several NICs, and which NIC a packet takes. */
#include "core/cable.h"
#include "model/nics.h"
#include "test/oracle/oracle_impl.h"
#include <string.h>

struct oracle_transport {
    struct weir_switch_pkt *held; /* given by the transport, and its NIC was not free; NULL = none */
    uint32_t nic;                 /* of it */
    uint32_t last;                /* NIC of the packet before, plus 1; 0 = none has left */
};

void oracle_nics_init(struct oracle *o, uint32_t host)
{
    WEIR_ASSERT(o->tape == NULL);
    o->host[host].transport = oracle_lend(o, o->model->nics->count[host] * sizeof(struct oracle_transport));
    memset(o->host[host].transport, 0, o->model->nics->count[host] * sizeof(struct oracle_transport));
}

static bool is_pull(const struct oracle *o)
{
    return o->model->host.params.nic_queue == WEIR_NIC_PULL;
}

static uint32_t nic_count(const struct oracle *o, uint32_t host)
{
    return o->topo->node[host].out_count;
}

static struct oracle_link *link_of(const struct oracle *o, uint32_t host, uint32_t nic)
{
    return &o->link[o->topo->node[host].first_out + nic];
}

static bool is_free(const struct oracle *o, uint32_t host, uint32_t nic)
{
    return weir_switch_is_free(o->node[host].sw, nic);
}

static bool is_closed(const struct oracle *o, uint32_t host, uint32_t nic, uint32_t class_id)
{
    return (weir_switch_closed(o->node[host].sw, nic) >> class_id & 1) != 0;
}

bool oracle_nics_free(const struct oracle *o, uint32_t host)
{
    bool any = false;
    for (uint32_t i = 0; i < nic_count(o, host); i++)
        any = any || is_free(o, host, i);
    return any;
}

bool oracle_nics_wait(const struct oracle *o, uint32_t host)
{
    bool any = false;
    for (uint32_t t = 0; t < o->model->nics->count[host]; t++)
        any = any || o->host[host].transport[t].held != NULL || weir_host_nics_ready(o->host[host].host, t);
    return any;
}

void oracle_nics_pause(const struct oracle *o, uint32_t host)
{
    struct weir_host *h = o->host[host].host;
    if (!is_pull(o) || !weir_switch_chain(o->node[host].sw, 0)->has_control)
        return;
    for (uint32_t t = 0; t < o->model->nics->count[host]; t++) {
        uint32_t closed = UINT32_MAX;
        for (uint32_t i = 0; i < nic_count(o, host); i++)
            if (o->model->nics->transport_of[host * WEIR_NICS_MAX + i] == t)
                closed &= weir_switch_closed(o->node[host].sw, i);
        closed = weir_closed_at_host(closed, o->model->classes);
        weir_host_nics_pause(h, t, closed);
    }
}

/* The packet goes by the NIC that comes next after that of the one before; or by_age by that whose last packet is the oldest. */
static uint32_t choose(const struct oracle *o, uint32_t host, const struct oracle_transport *tr, const bool *may,
                       bool by_age)
{
    uint32_t count = nic_count(o, host), best = count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = by_age ? k : (tr->last + k) % count;
        if (may[i] && (best == count || (by_age && link_of(o, host, i)->given_ps < link_of(o, host, best)->given_ps)))
            best = i;
    }
    WEIR_ASSERT(best < count);
    return best;
}

/* Packets of no way take a NIC of their transport: the switch there drops them. */
static void list_ways(const struct oracle *o, uint32_t host, uint32_t t, uint32_t dst, bool *may)
{
    const struct weir_nics *nics = o->model->nics;
    uint32_t ways = weir_nics_ways(nics, &o->routes[o->reroutes_done], host, t, dst);
    for (uint32_t i = 0; i < nic_count(o, host); i++)
        may[i] = ways != 0 ? (ways >> i & 1) != 0 : nics->transport_of[host * WEIR_NICS_MAX + i] == t;
}

/* The next packet of a transport, with its records. NULL = it gives none */
static struct weir_switch_pkt *take(struct oracle *o, uint32_t host, uint32_t t)
{
    struct weir_host *h = o->host[host].host;
    struct weir_switch_pkt *p = oracle_pkt_take(o);
    if (weir_host_nics_tx(h, t, o->now_ps, &p->pkt) == 0) {
        weir_switch_pkt_give(&o->pool, p);
        return NULL;
    }
    if (o->epoch != NULL)
        oracle_write_epoch(o, &p->pkt);
    if (o->coupled)
        weir_switch_more(p)->own = 0;
    if (oracle_has_records(o) && p->pkt.hops > 0)
        memcpy(weir_switch_more(p)->hop, weir_host_tx_hops(h), p->pkt.hops * sizeof(struct weir_telemetry));
    return p;
}

static void give(struct oracle *o, uint32_t host, uint32_t t, uint32_t nic, struct weir_switch_pkt *p)
{
    o->host[host].transport[t].last = nic + 1;
    o->host[host].first = (t + 1) % o->model->nics->count[host];
    link_of(o, host, nic)->given_ps = o->now_ps;
    weir_switch_offer(o->node[host].sw, o->now_ps, nic, p);
}

/* A transport is asked while a NIC is free that it waits for. */
static bool may_ask(const struct oracle *o, uint32_t host, uint32_t t)
{
    uint32_t asked = weir_nics_asked(o->model->nics, &o->routes[o->reroutes_done], host, t);
    bool any = false;
    for (uint32_t i = 0; i < nic_count(o, host); i++)
        any = any || ((asked >> i & 1) != 0 && is_free(o, host, i));
    return any && weir_host_nics_ready(o->host[host].host, t);
}

static bool transmit_held(struct oracle *o, uint32_t host, uint32_t t)
{
    struct oracle_transport *tr = &o->host[host].transport[t];
    struct weir_switch_pkt *p = tr->held;
    if (p == NULL)
        return true;
    if (!is_free(o, host, tr->nic) || is_closed(o, host, tr->nic, p->pkt.class_id))
        return false;
    tr->held = NULL;
    give(o, host, t, tr->nic, p);
    return true;
}

static void transmit_pull(struct oracle *o, uint32_t host, uint32_t t)
{
    struct oracle_transport *tr = &o->host[host].transport[t];
    while (transmit_held(o, host, t) && may_ask(o, host, t)) {
        struct weir_switch_pkt *p = take(o, host, t);
        bool may[WEIR_NICS_MAX], now[WEIR_NICS_MAX], any = false;
        if (p == NULL)
            return;
        list_ways(o, host, t, p->pkt.dst, may);
        for (uint32_t i = 0; i < nic_count(o, host); i++) {
            now[i] = may[i] && is_free(o, host, i) && !is_closed(o, host, i, p->pkt.class_id);
            any = any || now[i];
        }
        tr->nic = choose(o, host, tr, any ? now : may, any && o->model->nics->choice == WEIR_NICS_LEAST_QUEUED);
        tr->last = tr->nic + 1;
        tr->held = p;
    }
}

void oracle_nics_transmit(struct oracle *o, uint32_t host)
{
    uint32_t count = o->model->nics->count[host], first = o->host[host].first;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t t = is_pull(o) ? (first + k) % count : k;
        struct oracle_transport *tr = &o->host[host].transport[t];
        struct weir_switch_pkt *p;
        if (is_pull(o)) {
            transmit_pull(o, host, t);
            continue;
        }
        while (weir_host_nics_ready(o->host[host].host, t) && (p = take(o, host, t)) != NULL) {
            bool may[WEIR_NICS_MAX];
            list_ways(o, host, t, p->pkt.dst, may);
            give(o, host, t, choose(o, host, tr, may, false), p);
        }
    }
}
