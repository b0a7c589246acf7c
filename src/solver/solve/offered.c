/* src/solver/solve/offered.c - see offered.h. Demands are summed up per pair of first-hop switches. Then, for each
 * first-hop switch as destination, the demands of all sources are spread through the network together. That takes links
 * x first-hop switches steps, not hosts x hosts x paths. Where hosts have several NICs, demands are of pairs of hosts,
 * and are spread from NICs to NICs. */
#include "solve/offered.h"
#include "core/math.h"
#include "solve/demand.h"
#include <stdlib.h>

#define TOO_MUCH_PPM 1001000.0 /* 100.1 %: means of distributions are rounded */
#define PARTS 4u               /* equal parts of the run; a link is reported if it is overloaded in each of them */

#define ALL_PORTS UINT32_MAX

struct spread { /* demands to one target, spread from one layer of switches to the next */
    const struct weir_routes *routes;
    uint32_t tree;          /* spanning tree that the demands take; ALL_PORTS = routing is not by trees */
    double *at;             /* per node: demand that has arrived there and is not spread yet, bit/s; all 0 between
                               calls of spread_to() */
    uint32_t *layer, *next; /* switches of this layer and of the next; up to node_count each */
    uint32_t next_count;
};

/* Adds demand to a link, and to the switch at its end, which joins the next layer. */
static void put(struct offer *o, struct spread *w, uint32_t link, double bps)
{
    uint32_t next = o->topo->link[link].dst;
    o->link[link] += bps;
    if (next < o->topo->host_count)
        return;
    if (w->at[next] <= 0)
        w->next[w->next_count++] = next;
    w->at[next] += bps;
}

/* Spreads the demand at a switch evenly over the ports that lead closer, and adds it to the links and to the nodes of
 * the next layer. Paths of equal delay may have different numbers of links: then a switch is in several layers, with a
 * part of the demand in each. With routing by trees all of the demand takes the port of tree w->tree. The switch
 * to_edge itself spreads nothing. */
static void spread_switch(struct offer *o, struct spread *w, uint32_t node, uint32_t to_edge)
{
    struct weir_route_here here = weir_route_here(w->routes, node);
    uint32_t entry = weir_route_entry(w->routes, node - o->topo->host_count, to_edge);
    uint32_t count = entry >> WEIR_ROUTE_FIRST_BITS, out = o->topo->node[node].first_out;
    bool of_tree = w->tree != ALL_PORTS;
    uint32_t first = of_tree ? w->tree : 0, end = of_tree && w->tree < count ? w->tree + 1 : count;
    double part = w->at[node] / (of_tree || count == 0 ? 1 : count);
    w->at[node] = 0;
    for (uint32_t i = first; i < end && here.own_edge != to_edge; i++)
        put(o, w, out + here.port[(entry & WEIR_ROUTE_FIRST_MASK) + i], part);
}

/* Spreads the demand of a host to another evenly over the NICs that it takes. */
static void spread_host(struct offer *o, struct spread *w, uint32_t src, uint32_t dst, double bps)
{
    uint32_t nics = weir_nics_between(o->nics, src, dst), count = (uint32_t)__builtin_popcount(nics);
    for (; nics != 0; nics &= nics - 1)
        put(o, w, o->topo->node[src].first_out + (uint32_t)__builtin_ctz(nics), bps / count);
}

/* Begins to spread the demand of first-hop switch `from`. */
static void spread_from(const struct offer *o, struct spread *w, uint32_t from, uint32_t to_edge, double bps)
{
    uint32_t node = o->topo->edge_node[from];
    uint32_t ports = weir_route_entry(w->routes, node - o->topo->host_count, to_edge) >> WEIR_ROUTE_FIRST_BITS;
    if (ports == 0)
        return;
    w->next[w->next_count++] = node;
    w->at[node] = w->tree != ALL_PORTS ? bps / ports : bps;
}

/* Spreads the demands from all first-hop switches to the first-hop switch to_edge, or from all hosts to a host. With
 * routing by trees spreads only the part of each demand that takes tree w->tree. */
static void spread_to(struct offer *o, struct spread *w, uint32_t to_edge)
{
    w->next_count = 0;
    for (uint32_t e = 0; e < o->edges; e++) {
        double bps = o->pair[(size_t)to_edge * o->edges + e];
        if (bps > 0 && o->nics != NULL)
            spread_host(o, w, e, to_edge, bps);
        else if (bps > 0)
            spread_from(o, w, e, to_edge, bps);
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
    o->hosts_only = (uint64_t)trees * o->edges * o->topo->switch_count > WEIR_OFFERED_WORK_MAX;
    for (uint32_t e = 0; e < o->edges && !o->hosts_only; e++) {
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

static double ppm_of(const struct weir_offered_links *links, const struct weir_topology *topo, uint32_t link)
{
    return links->bps[link] * 1e6 / (double)topo->link[link].rate_bps;
}

/* Tests whether an overloaded link is the first of its class to its host, of several NICs. */
static bool is_first_to_host(const struct weir_offered_links *links, const struct weir_topology *topo, uint32_t link)
{
    const struct weir_node *host = &topo->node[topo->link[link].dst];
    for (uint32_t i = 0; i < host->in_count; i++) {
        uint32_t other = topo->in_link[host->first_in + i];
        if (other < link && topo->node[topo->link[other].src].tier == topo->node[topo->link[link].src].tier &&
            ppm_of(links, topo, other) > TOO_MUCH_PPM)
            return false;
    }
    return true;
}

/* Adds an overloaded link to the row of its class; a class beyond WEIR_OFFERED_CLASSES_MAX is left out. Must be called
 * in the order of the links, which are sorted by the node that they leave. */
static void note(struct weir_offered *out, const struct weir_offered_links *links, const struct weir_topology *topo,
                 uint32_t link)
{
    const struct weir_link *l = &topo->link[link];
    uint64_t ppm = (uint64_t)ppm_of(links, topo, link);
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
    row->nodes += to_tier == 0 ? is_first_to_host(links, topo, link) : row->last != l->src;
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

/* Sets the loads of a host's cables from those of the host, in proportion to their rates: if all together are
 * overloaded, so is one of them. */
static void fill_host(struct offer *o, uint32_t host)
{
    const struct weir_node *node = &o->topo->node[host];
    double out_bps = 0, in_bps = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        out_bps += (double)o->topo->link[l].rate_bps;
        in_bps += (double)o->topo->link[o->topo->link[l].reverse].rate_bps;
    }
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        const struct weir_link *out = &o->topo->link[l], *in = &o->topo->link[out->reverse];
        if (in->src < o->topo->host_count)
            continue; /* a cable between hosts is of both: the load of neither is known */
        o->link[l] = o->host_out[host] * ((double)out->rate_bps / out_bps);
        o->link[out->reverse] = o->host_in[host] * ((double)in->rate_bps / in_bps);
    }
}

static int find(struct offer *o, struct weir_err *err)
{
    const struct weir_topology *topo = o->topo;
    int code = 0;
    weir_demand_add_all(o);
    if (o->pair != NULL)
        code = spread_all(o, err);
    for (uint32_t h = 0; h < topo->host_count && (o->nics == NULL || o->pair == NULL); h++)
        fill_host(o, h);
    return code;
}

/* Computes the offered load of each link in part number `part`, from 0, of `parts` equal parts of the run. routes: NULL
 * = only the cables of hosts are examined. @return 0, or a code with err */
static int find_part(struct weir_offered_links *out, const struct weir_setup *setup, const struct weir_routes *routes,
                     uint32_t part, uint32_t parts, struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    size_t hosts = topo->host_count, edges = weir_demand_edges(setup);
    uint64_t end_ps = setup->workload.end_ps;
    struct offer o = { .setup = setup,
                       .routes = routes,
                       .topo = topo,
                       .nics = setup->model.nics,
                       .edges = (uint32_t)edges,
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

/* Returns the routes by which demands are spread; NULL = only the cables of hosts are examined, or the run offers no
 * rate. */
static const struct weir_routes *routes_of(const struct weir_setup *setup)
{
    bool too_large = (uint64_t)weir_demand_edges(setup) * setup->topo.link_count > WEIR_OFFERED_WORK_MAX;
    return too_large || setup->model.until_done ? NULL : setup->model.routes;
}

int weir_offered_links(struct weir_offered_links *out, const struct weir_setup *setup, struct weir_err *err)
{
    return find_part(out, setup, routes_of(setup), 0, 1, err);
}

void weir_offered_links_free(struct weir_offered_links *links)
{
    free(links->bps);
    *links = (struct weir_offered_links){ 0 };
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
    struct weir_offered_links links;
    int code = find_overloaded(&links, setup, routes_of(setup), err);
    *out = (struct weir_offered){ .hosts_only = links.hosts_only };
    for (uint32_t l = 0; l < topo->link_count && links.bps != NULL && code == 0; l++)
        if (ppm_of(&links, topo, l) > TOO_MUCH_PPM)
            note(out, &links, topo, l);
    qsort(out->row, out->count, sizeof(out->row[0]), by_worst);
    if (out->count > 0 && !links.listed)
        out->fits_ppm = (uint64_t)((double)setup->workload.offered_bps_per_host / (double)topo->host_link_bps * 1e12 /
                                   (double)out->row[0].worst_ppm);
    weir_offered_links_free(&links);
    return code;
}
