/* src/solver/solve/network.c - see network.h. */
#include "solve/network.h"
#include "core/assert.h"
#include "core/math.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(uint32_t flow_count, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the paths of %u flows", flow_count);
}

/* ---- the links of one flow ---- */

static int add_use(struct weir_paths *w, uint32_t link, double share, struct weir_err *err)
{
    if (w->count == w->room) {
        uint32_t room = 2 * w->room + 64; /* uses of one flow: some thousands at most */
        uint32_t *longer = realloc(w->link, room * sizeof(*longer));
        double *shares = longer != NULL ? realloc(w->share, room * sizeof(*shares)) : NULL;
        w->link = longer != NULL ? longer : w->link;
        w->share = shares != NULL ? shares : w->share;
        if (longer == NULL || shares == NULL)
            return weir_fail_memory(err);
        w->room = room;
    }
    w->link[w->count] = link;
    w->share[w->count++] = share;
    return 0;
}

/* Returns the NICs by which a flow leaves its source, as bits; 0 = none leads to its destination. */
static uint32_t nics_of(const struct weir_paths *w, const struct weir_network_flow *flow)
{
    return w->nics != NULL ? weir_nics_ways(w->nics, w->routes, flow->src, flow->transport, flow->dst) : 1;
}

/* Returns the part of a flow on each of its NICs; 0 = it has none. */
static double part_of_nic(uint32_t nics)
{
    return nics != 0 ? 1.0 / (double)__builtin_popcount(nics) : 0;
}

/* Follows the packets of a flow from each of its NICs. Sets *found to whether all of them reach the destination. */
static int walk_path(struct weir_paths *w, const struct weir_network_flow *flow, bool *found, struct weir_err *err)
{
    uint32_t nics = nics_of(w, flow);
    double share = part_of_nic(nics);
    struct weir_route_path path;
    int code = 0;
    *found = nics != 0;
    for (; *found && nics != 0 && code == 0; nics &= nics - 1) {
        *found = weir_route_path_from(w->routes, w->topo, flow->src, (uint32_t)__builtin_ctz(nics), flow->dst,
                                      flow->hash, &path);
        for (uint32_t i = 0; *found && i < path.count && code == 0; i++)
            code = add_use(w, path.link[i], share, err);
    }
    return code;
}

/* Adds a link to the links of the flow, with the part `share` of the flow on it. If the link ends at a switch, adds the
 * part to w->at of the switch, which joins the next layer. If the link ends at a host, sets w->arrived. */
static int spread_link(struct weir_paths *w, uint32_t link, double share, struct weir_err *err)
{
    uint32_t node = w->topo->link[link].dst;
    if (node < w->topo->host_count) {
        w->arrived = true;
        return add_use(w, link, share, err);
    }
    if (w->at[node] <= 0)
        w->next[w->next_count++] = node;
    w->at[node] += share;
    return add_use(w, link, share, err);
}

static int spread_switch(struct weir_paths *w, uint32_t node, uint32_t dst, struct weir_err *err)
{
    struct weir_route_here here = weir_route_here(w->routes, node);
    uint32_t to = weir_route_target(w->routes, dst), out = w->topo->node[node].first_out;
    uint32_t entry = weir_route_entry(w->routes, node - w->topo->host_count, to);
    uint32_t count = entry >> WEIR_ROUTE_FIRST_BITS;
    double share = w->at[node];
    int code = 0;
    w->at[node] = 0;
    if (to == here.own_edge)
        return spread_link(w, out + here.host[dst].port, share, err);
    for (uint32_t i = 0; i < count && code == 0; i++)
        code = spread_link(w, out + here.port[(entry & WEIR_ROUTE_FIRST_MASK) + i], share / count, err);
    return code;
}

/* Spreads a flow from its source, layer by layer. Paths of equal delay may have different numbers of links. Then a
 * switch is in several layers, with a part of the flow in each, and a link has as many uses. Sets *found to whether a
 * path reaches the destination. */
static int walk_spread(struct weir_paths *w, const struct weir_network_flow *flow, bool *found, struct weir_err *err)
{
    uint32_t *swap, nics = nics_of(w, flow);
    double share = part_of_nic(nics);
    int code = 0;
    WEIR_ASSERT(w->at != NULL);
    w->next_count = 0;
    w->arrived = false;
    for (; nics != 0 && code == 0; nics &= nics - 1)
        code = spread_link(w, w->topo->node[flow->src].first_out + (uint32_t)__builtin_ctz(nics), share, err);
    while (code == 0 && w->next_count > 0) {
        swap = w->layer;
        w->layer = w->next;
        w->next = swap;
        w->layer_count = w->next_count;
        w->next_count = 0;
        for (uint32_t i = 0; i < w->layer_count && code == 0; i++)
            code = spread_switch(w, w->layer[i], flow->dst, err);
    }
    *found = w->arrived;
    return code;
}

int weir_paths_init(struct weir_paths *w, const struct weir_topology *topo, const struct weir_routes *routes,
                    const struct weir_nics *nics, bool spray, struct weir_err *err)
{
    size_t nodes = topo->node_count;
    *w = (struct weir_paths){ .topo = topo, .routes = routes, .nics = nics, .spray = spray };
    WEIR_ASSERT((nics != NULL) == weir_topology_has_nics(topo));
    if (!spray)
        return 0;
    w->at = calloc(nodes, sizeof(*w->at));
    w->layer = malloc(nodes * sizeof(*w->layer));
    w->next = malloc(nodes * sizeof(*w->next));
    if (w->at != NULL && w->layer != NULL && w->next != NULL)
        return 0;
    weir_paths_free(w);
    return weir_fail_memory(err);
}

void weir_paths_free(struct weir_paths *w)
{
    free(w->at);
    free(w->layer);
    free(w->next);
    free(w->link);
    free(w->share);
    *w = (struct weir_paths){ 0 };
}

int weir_paths_find(struct weir_paths *w, const struct weir_network_flow *flow, struct weir_err *err)
{
    bool found;
    WEIR_ASSERT(flow->src != flow->dst);
    w->count = 0;
    int code = w->spray ? walk_spread(w, flow, &found, err) : walk_path(w, flow, &found, err);
    if (code == 0 && !found)
        w->count = 0;
    return code;
}

/* ---- all flows ---- */

static int more_uses(struct weir_network *net, uint32_t uses, struct weir_err *err)
{
    uint64_t wanted = weir_max_u64(uses, 2 * (uint64_t)net->use_room + 1024);
    uint32_t room = (uint32_t)weir_min_u64(wanted, WEIR_MAXMIN_USES_MAX), *link;
    double *share;
    if (uses > WEIR_MAXMIN_USES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer flows, or routing by flow instead of spraying",
                         "more than %u links on the paths of all flows together", WEIR_MAXMIN_USES_MAX);
    link = realloc(net->link, room * sizeof(*link));
    if (link == NULL)
        return no_memory(net->flow_count, err);
    net->link = link;
    if (net->share != NULL) {
        share = realloc(net->share, room * sizeof(*share));
        if (share == NULL)
            return no_memory(net->flow_count, err);
        net->share = share;
    }
    net->use_room = room;
    return 0;
}

/* Appends the links of flow f, which w has found, to the network. uses: of the flows before */
static int append_uses(struct weir_network *net, const struct weir_paths *w, uint32_t f, uint32_t uses,
                       struct weir_err *err)
{
    uint32_t end = uses + w->count; /* both below 2^31 */
    int code = end > net->use_room ? more_uses(net, end, err) : 0;
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < w->count; i++)
        net->link[uses + i] = w->link[i];
    for (uint32_t i = 0; i < w->count && net->share != NULL; i++)
        net->share[uses + i] = w->share[i];
    net->cap[f] = w->count > 0 ? INFINITY : 0;
    net->lost_count += w->count == 0;
    net->first[f + 1] = end;
    return 0;
}

static int find_all(struct weir_network *net, struct weir_paths *w, const struct weir_network_flow *flow,
                    struct weir_err *err)
{
    int code = 0;
    for (uint32_t f = 0; f < net->flow_count && code == 0; f++) {
        net->weight[f] = flow[f].weight;
        code = weir_paths_find(w, &flow[f], err);
        if (code == 0)
            code = append_uses(net, w, f, net->first[f], err);
    }
    return code;
}

static bool network_alloc(struct weir_network *net, bool shares)
{
    size_t flows = net->flow_count;
    net->use_room =
        (uint32_t)weir_min_u64(6 * (uint64_t)flows + 64, WEIR_MAXMIN_USES_MAX); /* 6: longest path of a fat-tree */
    net->capacity = malloc((net->link_count + (size_t)1) * sizeof(*net->capacity));
    net->weight = malloc((flows + 1) * sizeof(*net->weight));
    net->cap = malloc((flows + 1) * sizeof(*net->cap));
    net->first = calloc(flows + 1, sizeof(*net->first));
    net->link = malloc(net->use_room * sizeof(*net->link));
    if (shares)
        net->share = malloc(net->use_room * sizeof(*net->share));
    return net->capacity != NULL && net->weight != NULL && net->cap != NULL && net->first != NULL &&
           net->link != NULL && (!shares || net->share != NULL);
}

int weir_network_build(struct weir_network *net, const struct weir_topology *topo, const struct weir_routes *routes,
                       const struct weir_nics *nics, bool spray, double part, const struct weir_network_flow *flow,
                       uint32_t flow_count, struct weir_err *err)
{
    struct weir_paths w;
    *net = (struct weir_network){ .link_count = topo->link_count, .flow_count = flow_count };
    int code = weir_paths_init(&w, topo, routes, nics, spray, err);
    if (code != 0)
        return code;
    if (!network_alloc(net, weir_paths_have_parts(&w))) {
        code = no_memory(flow_count, err);
    } else {
        for (uint32_t l = 0; l < topo->link_count; l++)
            net->capacity[l] = topo->link[l].up ? (double)topo->link[l].rate_bps * part : 0;
        code = find_all(net, &w, flow, err);
    }
    weir_paths_free(&w);
    if (code != 0)
        weir_network_free(net);
    return code;
}

void weir_network_free(struct weir_network *net)
{
    free(net->capacity);
    free(net->weight);
    free(net->cap);
    free(net->share);
    free(net->first);
    free(net->link);
    *net = (struct weir_network){ 0 };
}

struct weir_maxmin_problem weir_network_problem(const struct weir_network *net)
{
    return (struct weir_maxmin_problem){ .link_count = net->link_count,
                                         .flow_count = net->flow_count,
                                         .capacity = net->capacity,
                                         .weight = net->weight,
                                         .cap = net->lost_count > 0 ? net->cap : NULL,
                                         .first = net->first,
                                         .link = net->link,
                                         .share = net->share };
}
