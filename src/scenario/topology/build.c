/* src/scenario/topology/build.c - builds the tables behind weir_route(). By hops: without a search where the network is
 * in layers (layers.h), else by a breadth-first search backwards from every first-hop switch. By delay: Dijkstra's
 * algorithm. With trees: the ports of spanning trees. */
#include "topology/route.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/math.h"
#include "topology/layers.h"
#include "topology/salt.h"
#include "topology/tree.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_WAY UINT8_MAX
#define LINKS_MAX (WEIR_TOPOLOGY_HOPS_MAX - 2u) /* links between the first-hop switches of two hosts */
_Static_assert(WEIR_TOPOLOGY_HOPS_MAX < NO_WAY, "distances are 8 bits");

struct hop {       /* a cable between two switches, seen from one of them */
    uint32_t peer; /* the switch at the other end, counted from the first switch */
    uint16_t port;
    bool out_up, in_up;
};

struct hop_delay { /* the delays of a hop in both directions */
    uint64_t out_ps, in_ps;
};

struct route_work {
    const struct weir_topology *topo;
    struct weir_routes *routes;
    /* switch_count + 1: index of each switch's first hop; cables of hosts are no hops, so no host can be transit */
    uint32_t *first;
    struct hop *hop;
    /* switch_count: links to the target; by delay, the most links of any path of least delay; NO_WAY = no way */
    uint8_t *distance;
    uint32_t *queue;
    struct hop_delay *delay; /* the delays of each hop; like the next two, only if routes are by delay */
    uint64_t *distance_ps;   /* switch_count: least delay to the target; UINT64_MAX = no way */
    struct weir_heap heap;
    struct weir_trees trees; /* used only if of_trees */
    bool of_trees;
    struct weir_lists lists;
};

/* Makes r->step and r->first_step, which weir_route_back() reads. The links from hosts have the lowest numbers, one per
 * host. @return false = no memory */
static bool alloc_steps(struct weir_routes *r, const struct weir_topology *topo)
{
    uint32_t hosts = topo->host_count;
    r->step = calloc(topo->link_count - hosts, sizeof(*r->step));
    r->first_step = calloc(topo->switch_count, sizeof(*r->first_step));
    if (r->step == NULL || r->first_step == NULL)
        return false;
    for (uint32_t l = hosts; l < topo->link_count; l++)
        r->step[l - hosts] = (struct weir_route_step){ topo->link[l].dst, topo->link[l].in_index };
    for (uint32_t sw = 0; sw < topo->switch_count; sw++)
        r->first_step[sw] = topo->node[hosts + sw].first_out - hosts;
    return true;
}

/* Makes a table of all entries, for a search: each switch has a row, which is one block. @return false = no memory */
static bool alloc_table(struct weir_routes *r)
{
    r->entry = calloc((size_t)r->switch_count * r->edge_count, sizeof(*r->entry));
    r->row = calloc(r->switch_count, sizeof(*r->row));
    r->block_shift = 31; /* every target is in block 0 */
    r->block_mask = (1u << 31) - 1;
    for (uint32_t sw = 0; sw < r->switch_count && r->row != NULL; sw++) {
        r->row_of[sw] = sw;
        r->row[sw] = sw * r->edge_count; /* at most WEIR_ROUTE_ENTRIES_MAX */
    }
    return r->entry != NULL && r->row != NULL;
}

/* Makes what only hosts with several NICs need. @return false = no memory */
static bool alloc_nics(struct weir_routes *r, const struct weir_topology *topo)
{
    r->by_host = r->entry;
    r->links = calloc((size_t)r->switch_count * topo->host_count, sizeof(*r->links));
    r->nics = calloc(topo->host_count, sizeof(*r->nics));
    return r->links != NULL && r->nics != NULL;
}

static bool alloc_routes(struct weir_routes *r, const struct weir_topology *topo)
{
    uint32_t host_count = topo->host_count;
    r->row_of = calloc(r->switch_count, sizeof(*r->row_of));
    r->salt = calloc(r->switch_count, sizeof(*r->salt));
    r->own_edge = malloc(r->switch_count * sizeof(*r->own_edge));
    r->host = calloc(host_count, sizeof(*r->host));
    if (r->below == NULL && (r->row_of == NULL || !alloc_table(r)))
        return false;
    if (weir_topology_has_nics(topo) && !alloc_nics(r, topo))
        return false;
    if (r->links == NULL && host_count <= WEIR_ROUTE_BY_HOST_MAX)
        r->by_host = calloc((size_t)r->switch_count * host_count, sizeof(*r->by_host));
    return r->row_of != NULL && r->salt != NULL && r->own_edge != NULL && r->host != NULL &&
           (r->by_host != NULL || host_count > WEIR_ROUTE_BY_HOST_MAX);
}

static bool alloc_delays(struct route_work *w)
{
    w->heap.capacity =
        w->topo->link_count + 1; /* the target is pushed once, and any other switch at most once per hop */
    w->heap.entry = malloc(w->heap.capacity * sizeof(*w->heap.entry));
    w->delay = calloc(w->topo->link_count, sizeof(*w->delay));
    w->distance_ps = calloc(w->topo->switch_count, sizeof(*w->distance_ps));
    return w->heap.entry != NULL && w->delay != NULL && w->distance_ps != NULL;
}

static bool alloc_search(struct route_work *w, enum weir_route_metric metric)
{
    const struct weir_topology *topo = w->topo;
    w->first = calloc(topo->switch_count + (size_t)1, sizeof(*w->first));
    w->hop = calloc(topo->link_count, sizeof(*w->hop));
    w->distance = calloc(topo->switch_count, sizeof(*w->distance));
    w->queue = calloc(topo->switch_count, sizeof(*w->queue));
    return w->first != NULL && w->hop != NULL && w->distance != NULL && w->queue != NULL &&
           (metric == WEIR_METRIC_HOPS || alloc_delays(w));
}

static bool alloc_work(struct route_work *w, enum weir_route_metric metric)
{
    /* the port to each host may be a list of its own */
    size_t hosts = w->routes->by_host != NULL ? w->topo->host_count : 0;
    return weir_lists_init(&w->lists, w->routes, (size_t)w->topo->switch_count * w->routes->edge_count + hosts) &&
           (w->routes->below != NULL || alloc_search(w, metric));
}

static void free_work(struct route_work *w)
{
    free(w->first);
    free(w->hop);
    free(w->distance);
    free(w->queue);
    weir_lists_free(&w->lists);
    free(w->heap.entry);
    free(w->delay);
    free(w->distance_ps);
    weir_trees_free(&w->trees);
}

/* Collects the cables between switches in a compact array, which the search reads once per first-hop switch. */
static void gather_hops(struct route_work *w)
{
    const struct weir_topology *topo = w->topo;
    uint32_t count = 0;
    for (uint32_t sw = 0; sw < topo->switch_count; sw++) {
        const struct weir_node *node = &topo->node[topo->host_count + sw];
        w->first[sw] = count;
        for (uint32_t p = 0; p < node->out_count; p++) {
            const struct weir_link *link = &topo->link[node->first_out + p], *back = &topo->link[link->reverse];
            if (link->dst < topo->host_count)
                continue;
            if (w->delay != NULL)
                w->delay[count] = (struct hop_delay){ link->delay_ps, back->delay_ps };
            w->hop[count++] = (struct hop){ link->dst - topo->host_count, (uint16_t)p, link->up, back->up };
        }
    }
    w->first[topo->switch_count] = count;
}

/* Sets the distance of all switches to the nearest of the `tail` switches in the queue, whose distance is 0. That of
 * all others must be NO_WAY. */
static void spread(struct route_work *w, uint32_t tail)
{
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t sw = w->queue[head];
        uint8_t next = (uint8_t)(w->distance[sw] + 1);
        if (next > LINKS_MAX)
            break;
        for (uint32_t i = w->first[sw]; i < w->first[sw + 1]; i++) {
            const struct hop *hop = &w->hop[i];
            if (!hop->in_up || w->distance[hop->peer] != NO_WAY)
                continue;
            w->distance[hop->peer] = next;
            w->queue[tail++] = hop->peer;
        }
    }
}

static void search_by_hops(struct route_work *w, uint32_t target)
{
    memset(w->distance, NO_WAY, w->topo->switch_count);
    w->distance[target] = 0;
    w->queue[0] = target;
    spread(w, 1);
}

/* Updates the distance of the peer of hop i by the path through switch sw. A smaller delay replaces the peer's; with an
 * equal delay the larger number of links is kept. */
static void relax(struct route_work *w, uint32_t sw, uint32_t i)
{
    uint32_t peer = w->hop[i].peer;
    uint64_t distance_ps = w->distance_ps[sw] + w->delay[i].in_ps; /* 2^22 links of 2^40 ps fit */
    uint8_t links = (uint8_t)weir_min_u64(w->distance[sw] + 1u, NO_WAY - 1);
    if (distance_ps > w->distance_ps[peer])
        return;
    if (distance_ps == w->distance_ps[peer]) {
        w->distance[peer] = (uint8_t)weir_max_u64(w->distance[peer], links);
        return;
    }
    w->distance_ps[peer] = distance_ps;
    w->distance[peer] = links;
    weir_heap_push(&w->heap, distance_ps, peer);
}

/* Computes distance_ps and distance of every switch by Dijkstra's algorithm. Every delay is above 0. So when a switch
 * comes from the heap, its delay is final, and so is the largest number of links of the paths that have this delay. */
static void search_by_delay(struct route_work *w, uint32_t target)
{
    memset(w->distance, NO_WAY, w->topo->switch_count);
    memset(w->distance_ps, 0xff, w->topo->switch_count * sizeof(*w->distance_ps)); /* all UINT64_MAX */
    w->distance[target] = 0;
    w->distance_ps[target] = 0;
    weir_heap_push(&w->heap, 0, target);
    while (w->heap.count > 0) {
        uint64_t distance_ps = w->heap.entry[0].at_ps;
        uint32_t sw = (uint32_t)w->heap.entry[0].id;
        weir_heap_pop(&w->heap);
        if (distance_ps != w->distance_ps[sw])
            continue; /* the switch was pushed again, with a smaller delay */
        for (uint32_t i = w->first[sw]; i < w->first[sw + 1]; i++)
            if (w->hop[i].in_up)
                relax(w, sw, i);
    }
}

/* Writes the ports of sw on paths of least delay to w->lists.list, in ascending order. @return number of ports */
static uint32_t closer_by_delay(const struct route_work *w, uint32_t sw)
{
    uint32_t count = 0;
    if (w->distance[sw] > LINKS_MAX)
        return 0;
    for (uint32_t i = w->first[sw]; i < w->first[sw + 1]; i++) {
        uint64_t rest_ps = w->distance_ps[w->hop[i].peer];
        if (w->hop[i].out_up && rest_ps != UINT64_MAX && rest_ps + w->delay[i].out_ps == w->distance_ps[sw])
            w->lists.list[count++] = w->hop[i].port;
    }
    return count;
}

/* Writes the ports of sw that lead closer to the target to w->lists.list, in ascending order. @return number of
 * ports */
static uint32_t closer_ports(const struct route_work *w, uint32_t sw)
{
    /* at the target this wraps around, and no switch has that distance */
    uint32_t count = 0, want = w->distance[sw] - 1u;
    if (w->delay != NULL)
        return closer_by_delay(w, sw);
    if (w->distance[sw] == NO_WAY)
        return 0;
    for (uint32_t i = w->first[sw]; i < w->first[sw + 1]; i++)
        if (w->hop[i].out_up && w->distance[w->hop[i].peer] == want)
            w->lists.list[count++] = w->hop[i].port;
    return count;
}

static void aim(struct route_work *w, uint32_t target)
{
    if (w->of_trees)
        weir_trees_aim(&w->trees, w->topo, target);
    else if (w->delay != NULL)
        search_by_delay(w, target);
    else
        search_by_hops(w, target);
}

/* Fills the entries of all switches towards the edge-th first-hop switch. @return 0, or WEIR_E_RANGE with err */
static int fill_edge(struct route_work *w, uint32_t edge, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    uint32_t target = r->edge_node[edge] - r->first_switch;
    aim(w, target);
    for (uint32_t sw = 0; sw < r->switch_count; sw++) {
        uint32_t count = w->of_trees ? weir_trees_ports(&w->trees, target, sw, w->lists.list) : closer_ports(w, sw);
        uint32_t entry = 0;
        int code = weir_lists_intern(&w->lists, count, &entry, err);
        if (code != 0)
            return code;
        r->entry[(size_t)sw * r->edge_count + edge] = entry;
    }
    return 0;
}

/* Fills by_host: the entries of all switches towards all hosts, also towards a switch's own hosts. @return 0, or
 * WEIR_E_RANGE with err */
static int fill_hosts(struct route_work *w, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    uint32_t hosts = r->first_switch;
    int code = 0;
    for (uint32_t sw = 0; sw < r->switch_count; sw++) {
        for (uint32_t h = 0; h < hosts && code == 0; h++) {
            uint32_t *entry = &r->by_host[(size_t)sw * hosts + h];
            *entry = weir_route_entry(r, sw, r->host[h].edge);
            if (r->host[h].edge != r->own_edge[sw])
                continue;
            w->lists.list[0] = r->host[h].port;
            code = weir_lists_intern(&w->lists, 1, entry, err);
        }
    }
    return code;
}

/* --- hosts with several NICs --- */

/* Sets r->nics: the NICs of each host whose cable is up in both directions; all if none is. */
static void find_nics(struct weir_routes *r, const struct weir_topology *topo)
{
    for (uint32_t h = 0; h < topo->host_count; h++) {
        const struct weir_node *node = &topo->node[h];
        uint32_t up = 0;
        for (uint32_t i = 0; i < node->out_count; i++) {
            const struct weir_link *out = &topo->link[node->first_out + i];
            up |= (uint32_t)(out->up && topo->link[out->reverse].up) << i;
        }
        r->nics[h] = (uint16_t)(up != 0 ? up : (1u << node->out_count) - 1);
    }
}

/* Sets the distance of all switches to the nearest switch of a host. */
static void search_host(struct route_work *w, uint32_t host)
{
    const struct weir_topology *topo = w->topo;
    const struct weir_node *node = &topo->node[host];
    uint32_t tail = 0;
    memset(w->distance, NO_WAY, topo->switch_count);
    for (uint32_t i = 0; i < node->out_count; i++) {
        uint32_t to = topo->link[node->first_out + i].dst;
        if ((w->routes->nics[host] >> i & 1) == 0 || to < topo->host_count || w->distance[to - topo->host_count] == 0)
            continue;
        w->distance[to - topo->host_count] = 0;
        w->queue[tail++] = to - topo->host_count;
    }
    spread(w, tail);
}

/* Writes the ports of a switch to its host to w->lists.list, in ascending order. @return number of ports */
static uint32_t ports_to(const struct route_work *w, uint32_t sw, uint32_t host)
{
    const struct weir_topology *topo = w->topo;
    const struct weir_node *node = &topo->node[host];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->out_count; i++) {
        const struct weir_link *link = &topo->link[node->first_out + i];
        if (link->dst == sw + topo->host_count && (w->routes->nics[host] >> i & 1) != 0)
            w->lists.list[count++] = (uint16_t)link->in_index;
    }
    WEIR_ASSERT(count > 0);
    return count;
}

/* Fills the entries of all switches towards a host. @return 0, or WEIR_E_RANGE with err */
static int fill_host(struct route_work *w, uint32_t host, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    int code = 0;
    search_host(w, host);
    for (uint32_t sw = 0; sw < r->switch_count && code == 0; sw++) {
        size_t at = (size_t)sw * r->edge_count + host;
        uint32_t count;
        if (w->distance[sw] == NO_WAY)
            continue;
        count = w->distance[sw] == 0 ? ports_to(w, sw, host) : closer_ports(w, sw);
        code = weir_lists_intern(&w->lists, count, &r->entry[at], err);
        r->links[(size_t)host * r->switch_count + sw] = count == 0 ? 0 : w->distance[sw] + 1;
    }
    return code;
}

/* Fills the entries by a search. @return 0, or a code with err */
static int search_all(struct route_work *w, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    int code = w->of_trees ? weir_trees_find(&w->trees, w->topo, err) : 0;
    r->tree_count = w->trees.most;
    gather_hops(w);
    for (uint32_t edge = 0; edge < r->edge_count && code == 0; edge++)
        code = r->links != NULL ? fill_host(w, edge, err) : fill_edge(w, edge, err);
    return code;
}

static int fill_all(struct route_work *w, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    int code = r->below != NULL ? weir_layers_fill(&w->lists, w->topo, err) : search_all(w, err);
    return code == 0 && r->by_host != NULL && r->links == NULL ? fill_hosts(w, err) : code;
}

/* Fills what does not depend on the way: salts, and where hosts and first-hop switches are. */
static void fill_ends(struct weir_routes *r, const struct weir_topology *topo, enum weir_routing routing, uint64_t seed)
{
    weir_salts_fill(r, topo, routing, seed);
    for (uint32_t h = 0; h < topo->host_count; h++)
        r->host[h] = (struct weir_route_host){ .edge = topo->edge_of[h], .port = topo->host_port[h] };
    memset(r->own_edge, 0xff, r->switch_count * sizeof(*r->own_edge)); /* all UINT32_MAX */
    if (r->nics != NULL)
        find_nics(r, topo);
    for (uint32_t edge = 0; edge < r->edge_count && r->nics == NULL; edge++)
        r->own_edge[r->edge_node[edge] - r->first_switch] = edge;
}

/* Finds out whether routes follow from layers. If not, refuses a search of too many entries. @return 0, or with err
 * WEIR_E_MEMORY or WEIR_E_RANGE */
static int choose_way(struct weir_routes *r, const struct weir_topology *topo, bool may_have_layers,
                      struct weir_err *err)
{
    int code = may_have_layers ? weir_layers_find(r, topo, err) : 0;
    if (code != 0 || r->below != NULL || (uint64_t)topo->switch_count * r->edge_count <= WEIR_ROUTE_ENTRIES_MAX)
        return code;
    return weir_fail(err, WEIR_E_RANGE, NULL, "fewer racks with more hosts each",
                     "%" PRIu32 " switches with routes to %" PRIu32 " %s: more than %u entries", topo->switch_count,
                     r->edge_count, r->edge_node == NULL ? "hosts" : "racks", WEIR_ROUTE_ENTRIES_MAX);
}

int weir_routes_build(struct weir_routes *routes, const struct weir_topology *topo, enum weir_routing routing,
                      enum weir_route_metric metric, uint64_t seed, struct weir_err *err)
{
    struct route_work w = { .topo = topo, .routes = routes, .of_trees = routing == WEIR_ROUTE_TREES };
    bool has_nics = weir_topology_has_nics(topo);
    int code;
    *routes = (struct weir_routes){ .edge_count = topo->edge_count,
                                    .switch_count = topo->switch_count,
                                    .first_switch = topo->host_count,
                                    .edge_node = topo->edge_node };
    if (has_nics) {
        WEIR_ASSERT(metric == WEIR_METRIC_HOPS && routing != WEIR_ROUTE_TREES);
        routes->edge_count = topo->host_count;
        routes->edge_node = NULL;
    }
    code = choose_way(routes, topo, metric == WEIR_METRIC_HOPS && !w.of_trees && !has_nics, err);
    if (code != 0)
        return code;
    if (!alloc_routes(routes, topo) || !alloc_work(&w, metric) ||
        (routing == WEIR_ROUTE_SYMMETRIC && !topo->layered && !alloc_steps(routes, topo))) {
        code = weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for routes");
    } else {
        fill_ends(routes, topo, routing, seed);
        code = fill_all(&w, err);
    }
    free_work(&w);
    if (code != 0)
        weir_routes_free(routes);
    return code;
}
