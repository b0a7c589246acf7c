/* src/scenario/topology/path.c - the links of a packet's path, and the least time of a message over them. */
#include "core/assert.h"
#include "core/math.h"
#include "topology/levels.h"
#include "topology/nics.h"

uint32_t weir_route_back(const struct weir_routes *r, uint32_t node, uint32_t src, uint32_t dst, uint32_t hash)
{
    uint32_t at = r->edge_node[r->host[dst].edge];
    struct weir_route_here here;
    if (at == node)
        return r->host[dst].port;
    for (uint32_t links = 0; links < WEIR_TOPOLOGY_HOPS_MAX && at >= r->first_switch; links++) {
        const struct weir_route_step *step;
        uint32_t port;
        here = weir_route_here(r, at);
        port = weir_route_by_table(&here, src, hash);
        if (port == WEIR_ROUTE_PORT_NONE)
            break;
        step = &r->step[r->first_step[at - r->first_switch] + port];
        if (step->node == node)
            return step->back;
        at = step->node;
    }
    here = weir_route_here(r, node);
    return weir_route_by_table(&here, dst, hash);
}

bool weir_route_path_from(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t nic,
                          uint32_t dst, uint32_t hash, struct weir_route_path *out)
{
    uint32_t link = topo->node[src].first_out + nic;
    WEIR_ASSERT(src < topo->host_count && nic < topo->node[src].out_count);
    WEIR_ASSERT(dst < topo->host_count);
    out->count = 0;
    if (src == dst)
        return false;
    for (;;) {
        uint32_t node = topo->link[link].dst, port;
        WEIR_ASSERT(out->count < WEIR_TOPOLOGY_HOPS_MAX); /* routes have no longer path */
        out->link[out->count++] = link;
        if (node == dst)
            return true;
        port = weir_route(r, node, src, dst, hash);
        if (port == WEIR_ROUTE_PORT_NONE)
            return false;
        link = topo->node[node].first_out + port;
    }
}

bool weir_route_path(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst,
                     uint32_t hash, struct weir_route_path *out)
{
    uint32_t nics = src == dst ? 1 : weir_route_nics(r, topo, src, dst);
    return nics != 0 && weir_route_path_from(r, topo, src, (uint32_t)__builtin_ctz(nics), dst, hash, out);
}

uint32_t weir_route_links_from(const struct weir_routes *r, const struct weir_topology *topo, uint32_t node,
                               uint32_t src, uint32_t dst, uint32_t hash)
{
    uint32_t links = 0;
    while (node != dst) {
        uint32_t port = weir_route(r, node, src, dst, hash);
        if (port == WEIR_ROUTE_PORT_NONE)
            return 0;
        node = topo->link[topo->node[node].first_out + port].dst;
        links++;
    }
    return links;
}

uint64_t weir_route_path_bps(const struct weir_topology *topo, const struct weir_route_path *path, uint64_t *delay_ps)
{
    uint64_t rate_bps = UINT64_MAX;
    for (uint32_t i = 0; i < path->count; i++) {
        *delay_ps += topo->link[path->link[i]].delay_ps;
        rate_bps = weir_min_u64(rate_bps, topo->link[path->link[i]].rate_bps);
    }
    return rate_bps;
}

static uint64_t add_sat_u64(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mul_sat_u64(uint64_t a, uint64_t b)
{
    return weir_mul_hi_u64(a, b) != 0 ? UINT64_MAX : a * b;
}

/* Computes the time of n equal packets and a last, shorter one. The first of n equal packets needs the sum of its
 * transmissions. Each further packet leaves a link later by one transmission of the slowest link so far. (A packet
 * leaves link i at max(arrival there, predecessor leaving) + tx_i. By induction over packets and links that is
 * sum_{j<=i} tx_j + (n-1) max_{j<=i} tx_j.) The last, shorter packet takes one step of that recurrence per link. A last
 * packet of 0 bytes arrives together with its predecessor. Only the product can exceed 64 bits, so only sums that
 * contain it saturate. */
uint64_t weir_route_ideal_ps(const struct weir_topology *topo, const struct weir_route_path *path,
                             uint64_t full_packets, uint32_t full_wire_bytes, uint32_t last_wire_bytes)
{
    uint64_t first_ps = 0;   /* when the first full packet reaches the next node */
    uint64_t slowest_ps = 0; /* longest transmission of a full packet so far */
    uint64_t last_ps = 0;    /* when the last packet reaches the next node */
    WEIR_ASSERT(full_packets > 0 || last_wire_bytes > 0);
    for (uint32_t i = 0; i < path->count; i++) {
        const struct weir_link *link = &topo->link[path->link[i]];
        uint64_t tx_ps = weir_link_frame_ps(link, full_wire_bytes), free_ps = 0;
        slowest_ps = weir_max_u64(slowest_ps, tx_ps);
        if (full_packets > 0)
            free_ps = add_sat_u64(first_ps + tx_ps, mul_sat_u64(full_packets - 1, slowest_ps));
        last_ps =
            add_sat_u64(weir_max_u64(last_ps, free_ps), weir_link_frame_ps(link, last_wire_bytes) + link->delay_ps);
        first_ps += tx_ps + link->delay_ps;
    }
    return last_ps;
}

/* Returns the lowest host of a first-hop switch. Hosts have the lowest node numbers, so the ports to them come
 * first. */
static uint32_t host_of_edge(const struct weir_topology *topo, uint32_t edge)
{
    return topo->link[topo->node[topo->edge_node[edge]].first_out].dst;
}

bool weir_route_gap(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *src, uint32_t *dst)
{
    if (r->links != NULL)
        return weir_nics_gap(r, topo, src, dst);
    if (r->below != NULL) /* layers join every two first-hop switches */
        return false;
    for (uint32_t from = 0; from < topo->edge_count; from++) {
        uint32_t sw = topo->edge_node[from] - r->first_switch;
        for (uint32_t to = 0; to < topo->edge_count; to++) {
            if (from == to || weir_route_entry(r, sw, to) != 0)
                continue;
            *src = host_of_edge(topo, from);
            *dst = host_of_edge(topo, to);
            return true;
        }
    }
    return false;
}

void weir_route_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out)
{
    struct weir_route_path path;
    if (r->links != NULL) {
        weir_nics_switches(r, topo, out);
        return;
    }
    if (r->below != NULL && weir_levels_switches(r, topo, out)) /* without memory: pair by pair */
        return;
    for (uint32_t from = 0; from < topo->edge_count; from++) {
        uint32_t src = host_of_edge(topo, from);
        for (uint32_t to = 0; to < topo->edge_count; to++) {
            bool leaves = from != to && weir_route_path(r, topo, src, host_of_edge(topo, to), 0, &path);
            *out++ = (uint8_t)(leaves ? path.count - 1 : 1); /* below WEIR_TOPOLOGY_HOPS_MAX, so it fits */
        }
    }
}
