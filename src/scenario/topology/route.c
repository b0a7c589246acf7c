/* src/scenario/topology/route.c - builds the tables behind weir_route(). By hops: a breadth-first search backwards from
 * every first-hop switch. By delay: Dijkstra's algorithm. With trees: the ports of spanning trees.
 * Port lists are interned, so that equal lists are stored once. A fat-tree of k = 32 has 655360 entries but 33
 * different lists. So the lists that a packet needs stay in the cache. (A list for each entry would be 8 million
 * ports.) */
#include "topology/route.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/math.h"
#include "topology/tree.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PORTS_MAX (1u << WEIR_ROUTE_FIRST_BITS)
#define COUNT_MAX (UINT32_MAX >> WEIR_ROUTE_FIRST_BITS)
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
    uint16_t *list; /* the ports of one switch towards one target */
    uint32_t *slot; /* open hash table of the entries whose lists are stored; 0 = free */
    uint32_t slot_mask;
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
    r->entry = calloc((size_t)r->switch_count * r->edge_count, sizeof(*r->entry));
    r->port = malloc(PORTS_MAX * sizeof(*r->port));
    r->salt = calloc(r->switch_count, sizeof(*r->salt));
    r->own_edge = malloc(r->switch_count * sizeof(*r->own_edge));
    r->host = calloc(host_count, sizeof(*r->host));
    if (weir_topology_has_nics(topo) && (r->entry == NULL || !alloc_nics(r, topo)))
        return false;
    if (r->links == NULL && host_count <= WEIR_ROUTE_BY_HOST_MAX)
        r->by_host = calloc((size_t)r->switch_count * host_count, sizeof(*r->by_host));
    if (r->port != NULL)
        r->port[r->port_len++] = WEIR_ROUTE_PORT_NONE;
    return r->entry != NULL && r->port != NULL && r->salt != NULL && r->own_edge != NULL && r->host != NULL &&
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

static bool alloc_work(struct route_work *w, enum weir_route_metric metric)
{
    const struct weir_topology *topo = w->topo;
    /* the port to each host may be a list of its own */
    size_t hosts = w->routes->by_host != NULL ? topo->host_count : 0;
    size_t lists_max = (size_t)topo->switch_count * w->routes->edge_count + hosts, slots = 2;
    /* a stored list has at least one port, so the table is at most half full */
    while (slots < 2 * lists_max && slots < 2 * (size_t)PORTS_MAX)
        slots *= 2;
    w->slot_mask = (uint32_t)(slots - 1);
    w->first = calloc(topo->switch_count + (size_t)1, sizeof(*w->first));
    w->hop = calloc(topo->link_count, sizeof(*w->hop));
    w->distance = calloc(topo->switch_count, sizeof(*w->distance));
    w->queue = calloc(topo->switch_count, sizeof(*w->queue));
    w->list = calloc(WEIR_PORTS_MAX, sizeof(*w->list));
    w->slot = calloc(slots, sizeof(*w->slot));
    return w->first != NULL && w->hop != NULL && w->distance != NULL && w->queue != NULL && w->list != NULL &&
           w->slot != NULL && (metric == WEIR_METRIC_HOPS || alloc_delays(w));
}

static void free_work(struct route_work *w)
{
    free(w->first);
    free(w->hop);
    free(w->distance);
    free(w->queue);
    free(w->list);
    free(w->slot);
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

/* Writes the ports of sw on paths of least delay to w->list, in ascending order. @return number of ports */
static uint32_t closer_by_delay(const struct route_work *w, uint32_t sw)
{
    uint32_t count = 0;
    if (w->distance[sw] > LINKS_MAX)
        return 0;
    for (uint32_t i = w->first[sw]; i < w->first[sw + 1]; i++) {
        uint64_t rest_ps = w->distance_ps[w->hop[i].peer];
        if (w->hop[i].out_up && rest_ps != UINT64_MAX && rest_ps + w->delay[i].out_ps == w->distance_ps[sw])
            w->list[count++] = w->hop[i].port;
    }
    return count;
}

/* Writes the ports of sw that lead closer to the target to w->list, in ascending order. @return number of ports */
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
            w->list[count++] = w->hop[i].port;
    return count;
}

static uint32_t hash_list(const struct route_work *w, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ w->list[i]) * UINT32_C(0x9e3779b1); /* odd and near 2^32 / golden ratio: Knuth's multiplier */
    return weir_mix_u32(hash);
}

static bool is_stored(const struct route_work *w, uint32_t entry, uint32_t count)
{
    return entry >> WEIR_ROUTE_FIRST_BITS == count &&
           memcmp(&w->routes->port[entry & WEIR_ROUTE_FIRST_MASK], w->list, count * sizeof(*w->list)) == 0;
}

/* Sets *entry to the entry of the list in w->list, which is stored if it is new. count: ports in the list, above 0.
 * @return 0, or WEIR_E_RANGE with err if there is no room */
static int intern_list(struct route_work *w, uint32_t count, uint32_t *entry, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    uint32_t slot = hash_list(w, count) & w->slot_mask;
    for (; w->slot[slot] != 0; slot = (slot + 1) & w->slot_mask)
        if (is_stored(w, w->slot[slot], count)) {
            *entry = w->slot[slot];
            return 0;
        }
    if (count > PORTS_MAX - r->port_len)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer switches, or a more regular network",
                         "the equal paths of this network differ so much that they need more than %u list entries",
                         PORTS_MAX);
    memcpy(&r->port[r->port_len], w->list, count * sizeof(*w->list));
    w->slot[slot] = r->port_len | count << WEIR_ROUTE_FIRST_BITS;
    r->port_len += count;
    *entry = w->slot[slot];
    return 0;
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

/* Sets *entry to the entry of the `count` ports in w->list, above 0. @return 0, or WEIR_E_RANGE with err */
static int intern_ports(struct route_work *w, uint32_t count, uint32_t *entry, struct weir_err *err)
{
    if (count > COUNT_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer spines or parallel cables",
                         "%" PRIu32 " equal paths at one switch: at most %u", count, COUNT_MAX);
    return intern_list(w, count, entry, err);
}

/* Fills the entries of all switches towards the edge-th first-hop switch. @return 0, or WEIR_E_RANGE with err */
static int fill_edge(struct route_work *w, uint32_t edge, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    uint32_t target = r->edge_node[edge] - r->first_switch;
    aim(w, target);
    for (uint32_t sw = 0; sw < r->switch_count; sw++) {
        uint32_t count = w->of_trees ? weir_trees_ports(&w->trees, target, sw, w->list) : closer_ports(w, sw);
        uint32_t entry = 0;
        int code = count > 0 ? intern_ports(w, count, &entry, err) : 0;
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
            *entry = r->entry[(size_t)sw * r->edge_count + r->host[h].edge];
            if (r->host[h].edge != r->own_edge[sw])
                continue;
            w->list[0] = r->host[h].port;
            code = intern_list(w, 1, entry, err);
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

/* Writes the ports of a switch to its host to w->list, in ascending order. @return number of ports */
static uint32_t ports_to(const struct route_work *w, uint32_t sw, uint32_t host)
{
    const struct weir_topology *topo = w->topo;
    const struct weir_node *node = &topo->node[host];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->out_count; i++) {
        const struct weir_link *link = &topo->link[node->first_out + i];
        if (link->dst == sw + topo->host_count && (w->routes->nics[host] >> i & 1) != 0)
            w->list[count++] = (uint16_t)link->in_index;
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
        code = count == 0 ? 0 : intern_ports(w, count, &r->entry[at], err);
        r->links[(size_t)host * r->switch_count + sw] = count == 0 ? 0 : w->distance[sw] + 1;
    }
    return code;
}

/* Sets the salt of each switch. SYMMETRIC in a layered topology: one salt per tier. (The last argument, 1, keeps keys
 * of tiers apart from those of switches.) The reverse direction then makes the same choices: going up, tier by tier,
 * from the same lists. Going down there is only one way. TREES: one salt for all switches, so that they choose the same
 * tree. */
static void fill_salts(struct weir_routes *r, const struct weir_topology *topo, enum weir_routing routing,
                       uint64_t seed)
{
    for (uint32_t sw = 0; sw < r->switch_count; sw++) {
        uint64_t key = weir_rng_key(seed, sw, WEIR_RNG_SWITCH_SALT, 0);
        if (routing == WEIR_ROUTE_SYMMETRIC && topo->layered)
            key = weir_rng_key(seed, topo->node[r->first_switch + sw].tier, WEIR_RNG_SWITCH_SALT, 1);
        else if (routing == WEIR_ROUTE_TREES)
            key = weir_rng_key(seed, 0, WEIR_RNG_SWITCH_SALT, 2);
        r->salt[sw] = (uint32_t)(key >> 32);
    }
}

static int fill_all(struct route_work *w, struct weir_err *err)
{
    struct weir_routes *r = w->routes;
    uint16_t *fitted;
    int code = w->of_trees ? weir_trees_find(&w->trees, w->topo, err) : 0;
    r->tree_count = w->trees.most;
    gather_hops(w);
    for (uint32_t edge = 0; edge < r->edge_count && code == 0; edge++)
        code = r->links != NULL ? fill_host(w, edge, err) : fill_edge(w, edge, err);
    if (code == 0 && r->by_host != NULL && r->links == NULL)
        code = fill_hosts(w, err);
    fitted = realloc(r->port, r->port_len * sizeof(*r->port));
    if (fitted != NULL) /* else the larger block is kept */
        r->port = fitted;
    return code;
}

int weir_routes_build(struct weir_routes *routes, const struct weir_topology *topo, enum weir_routing routing,
                      enum weir_route_metric metric, uint64_t seed, struct weir_err *err)
{
    struct route_work w = { .topo = topo, .routes = routes, .of_trees = routing == WEIR_ROUTE_TREES };
    int code;
    *routes = (struct weir_routes){ .edge_count = topo->edge_count,
                                    .switch_count = topo->switch_count,
                                    .first_switch = topo->host_count,
                                    .edge_node = topo->edge_node,
                                    .nic_salt = (uint32_t)(weir_rng_key(seed, 0, WEIR_RNG_SWITCH_SALT, 3) >> 32) };
    if (weir_topology_has_nics(topo)) {
        WEIR_ASSERT(metric == WEIR_METRIC_HOPS && routing != WEIR_ROUTE_TREES);
        routes->edge_count = topo->host_count;
        routes->edge_node = NULL;
    }
    if ((uint64_t)topo->switch_count * routes->edge_count > WEIR_ROUTE_ENTRIES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer racks with more hosts each",
                         "%" PRIu32 " switches with routes to %" PRIu32 " %s: more than %u entries", topo->switch_count,
                         routes->edge_count, routes->edge_node == NULL ? "hosts" : "racks", WEIR_ROUTE_ENTRIES_MAX);
    if (!alloc_routes(routes, topo) || !alloc_work(&w, metric) ||
        (routing == WEIR_ROUTE_SYMMETRIC && !topo->layered && !alloc_steps(routes, topo))) {
        code = weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for routes");
    } else {
        fill_salts(routes, topo, routing, seed);
        for (uint32_t h = 0; h < topo->host_count; h++)
            routes->host[h] = (struct weir_route_host){ .edge = topo->edge_of[h], .port = topo->host_port[h] };
        memset(routes->own_edge, 0xff, routes->switch_count * sizeof(*routes->own_edge)); /* all UINT32_MAX */
        if (routes->nics != NULL)
            find_nics(routes, topo);
        for (uint32_t edge = 0; edge < routes->edge_count && routes->nics == NULL; edge++)
            routes->own_edge[routes->edge_node[edge] - routes->first_switch] = edge;
        code = fill_all(&w, err);
    }
    free_work(&w);
    if (code != 0)
        weir_routes_free(routes);
    return code;
}

void weir_routes_free(struct weir_routes *routes)
{
    if (routes->by_host != routes->entry)
        free(routes->by_host);
    free(routes->entry);
    free(routes->links);
    free(routes->nics);
    free(routes->port);
    free(routes->salt);
    free(routes->own_edge);
    free(routes->host);
    free(routes->step);
    free(routes->first_step);
    *routes = (struct weir_routes){ 0 };
}
