/* src/solver/solve/offered.c - see offered.h. Demands are summed up per pair of first-hop switches. Then, for each
 * first-hop switch as destination, the demands of all sources are spread through the network together. That takes links
 * x first-hop switches steps, not hosts x hosts x paths. */
#include "solve/offered.h"
#include "core/cc.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

/* Number of sizes from which the mean size on the wire of a distribution is computed: the middle one of each of DRAWS
 * parts of equal probability. */
#define DRAWS 1024u
#define TOO_MUCH_PPM 1001000.0 /* 100.1 %: means of distributions are rounded */
#define PARTS 4u               /* equal parts of the run; a link is reported if it is overloaded in each of them */

struct at_edge {    /* hosts of one traffic item at one first-hop switch; those that send count as their rate_part() */
    double senders; /* hosts that send and do not receive */
    double both;    /* hosts that send and receive */
    uint32_t receivers; /* hosts that receive, whether they send or not */
};

/* Senders and receivers of an item. choices: number of receivers from which a sender that does not receive chooses;
 * choices_of_both: that number for a sender that also receives. */
struct sides {
    const struct weir_host_range *from, *to;
    double choices, choices_of_both;
};

#define ALL_PORTS UINT32_MAX

struct spread { /* demands to one first-hop switch, spread from one layer of switches to the next */
    const struct weir_routes *routes;
    uint32_t tree;          /* spanning tree that the demands take; ALL_PORTS = routing is not by trees */
    double *at;             /* per node: demand that has arrived there and is not spread yet, bit/s; all 0 between
                               calls of spread_to() */
    uint32_t *layer, *next; /* switches of this layer and of the next; up to node_count each */
    uint32_t next_count;
};

struct offer { /* state while the offered load of a part of the run is computed */
    const struct weir_setup *setup;
    const struct weir_routes *routes; /* NULL = only cables of hosts are examined */
    uint64_t from_ps, until_ps;       /* the part of the run */
    const struct weir_topology *topo;
    double *host_out, *host_in; /* load of each host's cable out and in, bit/s on the wire */
    double *pair;               /* [to][from] demand between first-hop switches, bit/s; NULL if routes is NULL */
    double *link;               /* load of each link, bit/s */
    struct at_edge *at_edge;    /* of the item that is being added, per first-hop switch */
    bool listed;                /* a list of messages offers load */
    bool hosts_only;            /* links between switches are left out: too many trees */
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

static void add_pair(struct offer *o, uint32_t from_edge, uint32_t to_edge, double bps)
{
    if (o->pair != NULL && from_edge != to_edge)
        o->pair[(size_t)to_edge * o->topo->edge_count + from_edge] += bps;
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
    uint32_t edges = o->topo->edge_count;
    memset(o->at_edge, 0, edges * sizeof(*o->at_edge));
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        struct at_edge *e = &o->at_edge[o->topo->edge_of[h]];
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
    add_pair(o, o->topo->edge_of[src], o->topo->edge_of[m->dst], bps);
}

/* Adds the messages of incasts, permutations and flow lists that start in this part of the run, with their replies. A
 * message that needs more than the rate of its host for the whole run counts as endless. */
static void add_listed(struct offer *o)
{
    const struct weir_workload *wl = &o->setup->workload;
    double run_s = (double)wl->end_ps / (double)WEIR_PS_PER_S;
    double part_s = (double)(o->until_ps - o->from_ps) / (double)WEIR_PS_PER_S;
    for (uint32_t src = 0; src < wl->hosts; src++) {
        const struct weir_link *up = &o->topo->link[o->topo->node[src].first_out];
        for (uint64_t i = wl->listed_first[src]; i < wl->listed_first[src + 1]; i++) {
            const struct weir_listed *m = &wl->listed[i];
            const struct weir_framing *f =
                &weir_model_law(&o->setup->model, o->setup->model.law_of_item[m->item])->framing;
            double bits = 8 * wire_bytes(f, m->bytes), bps = bits / part_s;
            double reply_bits = 8 * wire_bytes(f, wl->reply_bytes[m->item]), reply_bps;
            if (bits / run_s > (double)up->rate_bps)
                add_endless(o, src, m);
            if (bits / run_s > (double)up->rate_bps || m->start_ps < o->from_ps || m->start_ps >= o->until_ps)
                continue;
            reply_bps = reply_bits / run_s > (double)up->rate_bps ? 0 : reply_bits / part_s;
            o->listed = true;
            o->host_out[src] += bps;
            o->host_in[m->dst] += bps;
            add_pair(o, o->topo->edge_of[src], o->topo->edge_of[m->dst], bps);
            o->host_out[m->dst] += reply_bps;
            o->host_in[src] += reply_bps;
            add_pair(o, o->topo->edge_of[m->dst], o->topo->edge_of[src], reply_bps);
        }
    }
}

/* Spreads the demand at a switch evenly over the ports that lead closer, and adds it to the links and to the nodes of
 * the next layer. Paths of equal delay may have different numbers of links: then a switch is in several layers, with a
 * part of the demand in each. With routing by trees all of the demand takes the port of tree w->tree. The switch
 * to_edge itself spreads nothing. */
static void spread_switch(struct offer *o, struct spread *w, uint32_t node, uint32_t to_edge)
{
    struct weir_route_here here = weir_route_here(w->routes, node);
    uint32_t entry = here.row[to_edge], count = entry >> WEIR_ROUTE_FIRST_BITS, out = o->topo->node[node].first_out;
    bool of_tree = w->tree != ALL_PORTS;
    uint32_t first = of_tree ? w->tree : 0, end = of_tree && w->tree < count ? w->tree + 1 : count;
    double part = w->at[node] / (of_tree || count == 0 ? 1 : count);
    w->at[node] = 0;
    for (uint32_t i = first; i < end && here.own_edge != to_edge; i++) {
        uint32_t link = out + here.port[(entry & WEIR_ROUTE_FIRST_MASK) + i], next = o->topo->link[link].dst;
        o->link[link] += part;
        if (w->at[next] <= 0)
            w->next[w->next_count++] = next;
        w->at[next] += part;
    }
}

/* Spreads the demands from all first-hop switches to the first-hop switch to_edge. With routing by trees spreads only
 * the part of each demand that takes tree w->tree. */
static void spread_to(struct offer *o, struct spread *w, uint32_t to_edge)
{
    w->next_count = 0;
    for (uint32_t e = 0; e < o->topo->edge_count; e++) {
        uint32_t node = o->topo->edge_node[e];
        uint32_t ports = weir_route_here(w->routes, node).row[to_edge] >> WEIR_ROUTE_FIRST_BITS;
        double bps = o->pair[(size_t)to_edge * o->topo->edge_count + e];
        if (bps > 0 && ports > 0) {
            w->next[w->next_count++] = node;
            w->at[node] = w->tree != ALL_PORTS ? bps / ports : bps;
        }
    }
    while (w->next_count > 0) {
        uint32_t *swap = w->layer, count = w->next_count;
        w->layer = w->next;
        w->next = swap;
        w->next_count = 0;
        for (uint32_t i = 0; i < count; i++)
            spread_switch(o, w, w->layer[i], to_edge);
    }
}

static void spread_over(struct offer *o, struct spread *w)
{
    uint32_t trees = w->routes->tree_count;
    o->hosts_only = (uint64_t)trees * o->topo->edge_count * o->topo->switch_count > WEIR_OFFERED_WORK_MAX;
    for (uint32_t e = 0; e < o->topo->edge_count && !o->hosts_only; e++) {
        w->tree = trees > 0 ? 0 : ALL_PORTS;
        do
            spread_to(o, w, e);
        while (trees > 0 && ++w->tree < trees);
    }
}

static int spread_all(struct offer *o, struct weir_err *err)
{
    size_t nodes = o->topo->node_count;
    struct spread w = { .routes = o->routes,
                        .at = calloc(nodes, sizeof(*w.at)),
                        .layer = malloc(nodes * sizeof(*w.layer)),
                        .next = malloc(nodes * sizeof(*w.next)) };
    bool has_memory = w.at != NULL && w.layer != NULL && w.next != NULL;
    if (has_memory)
        spread_over(o, &w);
    free(w.at);
    free(w.layer);
    free(w.next);
    return has_memory ? 0 : weir_fail_memory(err);
}

/* Adds an overloaded link to the row of its class; a class beyond WEIR_OFFERED_CLASSES_MAX is left out. Must be called
 * in the order of the links, which are sorted by the node that they leave. */
static void note(struct weir_offered *out, const struct weir_topology *topo, uint32_t link, uint64_t ppm)
{
    const struct weir_link *l = &topo->link[link];
    uint32_t from_tier = topo->node[l->src].tier, to_tier = topo->node[l->dst].tier, i = 0;
    struct weir_offered_class *row;
    while (i < out->count && (out->row[i].from_tier != from_tier || out->row[i].to_tier != to_tier))
        i++;
    if (i == WEIR_OFFERED_CLASSES_MAX)
        return;
    row = &out->row[i];
    if (i == out->count) {
        *row = (struct weir_offered_class){ .from_tier = from_tier, .to_tier = to_tier, .last = UINT32_MAX };
        out->count++;
    }
    row->links++;
    row->nodes += to_tier == 0 || row->last != l->src;
    row->last = l->src;
    if (ppm > row->worst_ppm) {
        row->worst_ppm = ppm;
        row->worst = link;
    }
}

static int by_worst(const void *a, const void *b)
{
    const struct weir_offered_class *x = a, *y = b;
    if (x->worst_ppm != y->worst_ppm)
        return x->worst_ppm > y->worst_ppm ? -1 : 1;
    return (x->worst > y->worst) - (x->worst < y->worst);
}

static int find(struct offer *o, struct weir_err *err)
{
    const struct weir_topology *topo = o->topo;
    int code = 0;
    for (uint32_t i = 0; i < o->setup->workload.item_count; i++)
        add_item(o, i);
    add_listed(o);
    if (o->pair != NULL)
        code = spread_all(o, err);
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t up = topo->node[h].first_out;
        o->link[up] = o->host_out[h];
        o->link[topo->link[up].reverse] = o->host_in[h];
    }
    return code;
}

/* Computes the offered load of each link in part number `part`, from 0, of `parts` equal parts of the run. routes: NULL
 * = only the cables of hosts are examined. @return 0, or a code with err */
static int find_part(struct weir_offered_links *out, const struct weir_setup *setup, const struct weir_routes *routes,
                     uint32_t part, uint32_t parts, struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    size_t hosts = topo->host_count, edges = topo->edge_count;
    uint64_t end_ps = setup->workload.end_ps;
    struct offer o = { .setup = setup,
                       .routes = routes,
                       .topo = topo,
                       .from_ps = weir_mul_div_u64(end_ps, part, parts),
                       .until_ps = weir_mul_div_u64(end_ps, part + 1, parts) };
    int code;
    *out = (struct weir_offered_links){ .hosts_only = routes == NULL };
    if (setup->model.until_done)
        return 0;
    o.host_out = calloc(2 * hosts, sizeof(*o.host_out));
    o.host_in = o.host_out != NULL ? o.host_out + hosts : NULL;
    o.at_edge = calloc(edges, sizeof(*o.at_edge));
    o.link = calloc(topo->link_count, sizeof(*o.link));
    o.pair = out->hosts_only ? NULL : calloc(edges * edges, sizeof(*o.pair));
    if (o.host_out == NULL || o.at_edge == NULL || o.link == NULL || (o.pair == NULL && !out->hosts_only))
        code = weir_fail_memory(err);
    else
        code = find(&o, err);
    free(o.host_out);
    free(o.at_edge);
    free(o.pair);
    out->bps = o.link;
    out->listed = o.listed;
    out->hosts_only = out->hosts_only || o.hosts_only;
    if (code != 0)
        weir_offered_links_free(out);
    return code;
}

/* Builds the routes into *memory, which the caller frees in any case. Sets *out to `memory`; or to NULL if only the
 * cables of hosts are examined, or the run offers no rate. @return 0, or a code with err */
static int build_routes(const struct weir_setup *setup, struct weir_routes *memory, const struct weir_routes **out,
                        struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    bool too_large = (uint64_t)topo->edge_count * topo->link_count > WEIR_OFFERED_WORK_MAX;
    *memory = (struct weir_routes){ 0 };
    *out = too_large || setup->model.until_done ? NULL : memory;
    return *out == NULL ? 0 : weir_routes_build(memory, topo, setup->model.routing, setup->model.metric, 0, err);
}

int weir_offered_links(struct weir_offered_links *out, const struct weir_setup *setup, struct weir_err *err)
{
    const struct weir_routes *routes;
    struct weir_routes memory;
    int code = build_routes(setup, &memory, &routes, err);
    *out = (struct weir_offered_links){ 0 };
    if (code == 0)
        code = find_part(out, setup, routes, 0, 1, err);
    weir_routes_free(&memory);
    return code;
}

void weir_offered_links_free(struct weir_offered_links *links)
{
    free(links->bps);
    *links = (struct weir_offered_links){ 0 };
}

static double ppm_of(const struct weir_offered_links *links, const struct weir_topology *topo, uint32_t link)
{
    return links->bps[link] * 1e6 / (double)topo->link[link].rate_bps;
}

static bool has_overload(const struct weir_offered_links *links, const struct weir_topology *topo)
{
    for (uint32_t l = 0; l < topo->link_count && links->bps != NULL; l++)
        if (ppm_of(links, topo, l) > TOO_MUCH_PPM)
            return true;
    return false;
}

/* Sets the load of a link to 0 unless the link is overloaded in every part of the run. An overload in some parts only
 * is a burst, whose queue drains. @return 0, or a code with err */
static int keep_lasting(struct weir_offered_links *links, const struct weir_setup *setup,
                        const struct weir_routes *routes, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < PARTS && code == 0; i++) {
        struct weir_offered_links part;
        code = find_part(&part, setup, routes, i, PARTS, err);
        for (uint32_t l = 0; l < setup->topo.link_count && code == 0; l++)
            if (part.bps[l] <= (double)setup->topo.link[l].rate_bps)
                links->bps[l] = 0;
        weir_offered_links_free(&part);
    }
    return code;
}

static int find_overloaded(struct weir_offered_links *links, const struct weir_setup *setup,
                           const struct weir_routes *routes, struct weir_err *err)
{
    int code = find_part(links, setup, routes, 0, 1, err);
    return code == 0 && has_overload(links, &setup->topo) ? keep_lasting(links, setup, routes, err) : code;
}

int weir_offered_find(struct weir_offered *out, const struct weir_setup *setup, struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    const struct weir_routes *routes;
    struct weir_offered_links links = { 0 };
    struct weir_routes memory;
    int code = build_routes(setup, &memory, &routes, err);
    if (code == 0)
        code = find_overloaded(&links, setup, routes, err);
    weir_routes_free(&memory);
    *out = (struct weir_offered){ .hosts_only = links.hosts_only };
    for (uint32_t l = 0; l < topo->link_count && links.bps != NULL && code == 0; l++) {
        double ppm = ppm_of(&links, topo, l);
        if (ppm > TOO_MUCH_PPM)
            note(out, topo, l, (uint64_t)ppm);
    }
    qsort(out->row, out->count, sizeof(out->row[0]), by_worst);
    if (out->count > 0 && !links.listed)
        out->fits_ppm = (uint64_t)((double)setup->workload.offered_bps_per_host / (double)topo->host_link_bps * 1e12 /
                                   (double)out->row[0].worst_ppm);
    weir_offered_links_free(&links);
    return code;
}
