/* src/solver/solve/demand.c - see demand.h. */
#include "solve/demand.h"
#include "core/cc.h"
#include "core/math.h"
#include <string.h>

/* Number of sizes from which the mean size on the wire of a distribution is computed: the middle one of each of DRAWS
 * parts of equal probability. */
#define DRAWS 1024u
/* Senders and receivers of an item. choices: number of receivers from which a sender that does not receive chooses;
 * choices_of_both: that number for a sender that also receives. */
struct sides {
    const struct weir_host_range *from, *to;
    double choices, choices_of_both;
};

static double wire_bytes(const struct weir_framing *f, uint64_t bytes)
{
    uint32_t rest = (uint32_t)(bytes % f->payload_bytes);
    uint64_t full = bytes / f->payload_bytes;
    return (double)full * weir_framing_wire(f, f->payload_bytes) + (rest > 0 ? weir_framing_wire(f, rest) : 0);
}

/* Returns the mean number of bytes on the wire per byte of payload. */
static double wire_part(const struct weir_framing *f, const struct weir_cdf *cdf)
{
    double wire = 0, payload = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t bytes = weir_cdf_sample(cdf, (2 * i + 1) * (UINT64_MAX / (UINT64_C(2) * DRAWS)));
        wire += wire_bytes(f, bytes);
        payload += (double)bytes;
    }
    return wire / payload;
}

static uint32_t edge_of(const struct offer *o, uint32_t host)
{
    return o->nics != NULL ? host : o->topo->edge_of[host];
}

static void add_pair(struct offer *o, uint32_t from_edge, uint32_t to_edge, double bps)
{
    WEIR_ASSERT(from_edge < o->edges && to_edge < o->edges);
    if (o->pair != NULL && from_edge != to_edge)
        o->pair[(size_t)to_edge * o->edges + from_edge] += bps;
}

/* Returns the greatest rate at which a host sends one message to another. */
static double message_bps(const struct offer *o, uint32_t src, uint32_t dst)
{
    const struct weir_link *out = &o->topo->link[o->topo->node[src].first_out];
    double sum_bps = 0, most_bps = 0;
    if (o->nics == NULL)
        return (double)out->rate_bps;
    for (uint32_t nics = weir_nics_between(o->nics, src, dst); nics != 0; nics &= nics - 1) {
        double bps = (double)out[__builtin_ctz(nics)].rate_bps;
        sum_bps += bps;
        most_bps = bps > most_bps ? bps : most_bps;
    }
    return o->nics->choice == WEIR_NICS_RAIL ? most_bps : sum_bps;
}

static bool is_in(const struct weir_host_range *range, uint32_t host)
{
    return weir_host_range_index(range, host) != UINT32_MAX;
}

/* Returns the rate of a host's link as a part of that of the fastest host. */
static double rate_part(const struct offer *o, uint32_t host)
{
    const struct weir_workload *wl = &o->setup->workload;
    return wl->host_bps != NULL ? (double)wl->host_bps[host] / (double)wl->host_rate_bps : 1;
}

/* Adds the demands of a poisson item between first-hop switches. Each sender chooses with equal probability among the
 * receivers other than itself. The demand from switch a to switch b is the sum, over the senders at a, of their rate
 * per receiver, times the number of receivers at b. Replies go the other way. host_bps: of the fastest host.
 * reply_part: bytes of replies per byte of messages, both on the wire */
static void add_between_switches(struct offer *o, const struct sides *s, double host_bps, double reply_part)
{
    uint32_t edges = o->edges;
    memset(o->at_edge, 0, edges * sizeof(*o->at_edge));
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        struct at_edge *e = &o->at_edge[edge_of(o, h)];
        e->senders += is_in(s->from, h) && !is_in(s->to, h) ? rate_part(o, h) : 0;
        e->both += is_in(s->from, h) && is_in(s->to, h) ? rate_part(o, h) : 0;
        e->receivers += is_in(s->to, h);
    }
    for (uint32_t a = 0; a < edges; a++) {
        double each_bps = host_bps * (o->at_edge[a].senders / s->choices + o->at_edge[a].both / s->choices_of_both);
        for (uint32_t b = 0; b < edges && each_bps > 0; b++) {
            add_pair(o, a, b, each_bps * o->at_edge[b].receivers);
            add_pair(o, b, a, each_bps * o->at_edge[b].receivers * reply_part);
        }
    }
}

static void add_item(struct offer *o, uint32_t item)
{
    const struct weir_workload *wl = &o->setup->workload;
    const struct weir_traffic_config *t = &wl->item[item];
    struct sides s = { .from = &wl->from[item], .to = &wl->to[item] };
    uint64_t from_ps = weir_max_u64(t->start_ps, o->from_ps), until_ps = weir_min_u64(t->stop_ps, o->until_ps);
    const struct weir_framing *f = &weir_model_law(&o->setup->model, o->setup->model.law_of_item[item])->framing;
    double host_bps, reply_part, both = 0, senders = 0;
    if (wl->gap_mean_fs[item] == 0 || until_ps <= from_ps)
        return;
    for (uint32_t h = s.from->first; h < s.from->first + s.from->count; h++)
        *(is_in(s.to, h) ? &both : &senders) += rate_part(o, h);
    s.choices = s.to->count;
    s.choices_of_both = s.to->count > 1 ? s.to->count - 1 : 1;
    host_bps = 8 * 1e12 * (double)wl->cdf[item].mean_millibytes / (double)wl->gap_mean_fs[item] *
               wire_part(f, &wl->cdf[item]) * (double)(until_ps - from_ps) / (double)(o->until_ps - o->from_ps);
    reply_part = wire_bytes(f, wl->reply_bytes[item]) /
                 ((double)wl->cdf[item].mean_millibytes / 1000 * wire_part(f, &wl->cdf[item]));
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        double own = is_in(s.from, h) ? rate_part(o, h) : 0;
        double in_bps = host_bps * (senders / s.choices + (both - own) / s.choices_of_both);
        o->host_out[h] += host_bps * own;
        o->host_in[h] += host_bps * own * reply_part;
        if (is_in(s.to, h)) {
            o->host_in[h] += in_bps;
            o->host_out[h] += in_bps * reply_part;
        }
    }
    if (o->pair != NULL)
        add_between_switches(o, &s, host_bps, reply_part);
}

/* Adds a message that is endless: it needs more than the rate of its host for the whole run. It offers the least rate
 * of its law, from its start on; laws without such a rate offer nothing. */
static void add_endless(struct offer *o, uint32_t src, const struct weir_listed *m)
{
    const struct weir_model *model = &o->setup->model;
    const struct weir_host_config *host = weir_model_law(model, model->law_of_item[m->item]);
    uint64_t floor_bps = host->cc != NULL && host->cc->floor_bps != NULL ? host->cc->floor_bps(host->cc_config) : 0;
    uint64_t from_ps = weir_max_u64(m->start_ps, o->from_ps);
    double bps;
    if (floor_bps == 0 || from_ps >= o->until_ps)
        return;
    bps = (double)floor_bps * (double)(o->until_ps - from_ps) / (double)(o->until_ps - o->from_ps);
    o->listed = true;
    o->host_out[src] += bps;
    o->host_in[m->dst] += bps;
    add_pair(o, edge_of(o, src), edge_of(o, m->dst), bps);
}

/* Adds the messages of incasts, permutations and flow lists that start in this part of the run, with their replies. A
 * message that needs more than the rate of its host for the whole run counts as endless. */
static void add_listed(struct offer *o)
{
    const struct weir_workload *wl = &o->setup->workload;
    double run_s = (double)wl->end_ps / (double)WEIR_PS_PER_S;
    double part_s = (double)(o->until_ps - o->from_ps) / (double)WEIR_PS_PER_S;
    for (uint32_t src = 0; src < wl->hosts; src++) {
        for (uint64_t i = wl->listed_first[src]; i < wl->listed_first[src + 1]; i++) {
            const struct weir_listed *m = &wl->listed[i];
            const struct weir_framing *f =
                &weir_model_law(&o->setup->model, o->setup->model.law_of_item[m->item])->framing;
            double bits = 8 * wire_bytes(f, m->bytes), bps = bits / part_s;
            double reply_bits = 8 * wire_bytes(f, wl->reply_bytes[m->item]), reply_bps;
            double up_bps = message_bps(o, src, m->dst);
            if (bits / run_s > up_bps)
                add_endless(o, src, m);
            if (bits / run_s > up_bps || m->start_ps < o->from_ps || m->start_ps >= o->until_ps)
                continue;
            reply_bps = reply_bits / run_s > up_bps ? 0 : reply_bits / part_s;
            o->listed = true;
            o->host_out[src] += bps;
            o->host_in[m->dst] += bps;
            add_pair(o, edge_of(o, src), edge_of(o, m->dst), bps);
            o->host_out[m->dst] += reply_bps;
            o->host_in[src] += reply_bps;
            add_pair(o, edge_of(o, m->dst), edge_of(o, src), reply_bps);
        }
    }
}

void weir_demand_add_all(struct offer *o)
{
    for (uint32_t i = 0; i < o->setup->workload.item_count; i++)
        add_item(o, i);
    add_listed(o);
}
