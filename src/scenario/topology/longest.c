/* src/scenario/topology/longest.c - the costliest of the shortest paths, by number of links or by time. Routes towards
 * one switch have no cycle. So the largest cost of a path from a switch follows from those of its next hops, and is
 * computed once per switch and target. With trees it is computed for each tree separately, since the routes of several
 * trees together may have a cycle. */
#include "core/assert.h"
#include "core/math.h"
#include "topology/ends.h"
#include "topology/levels.h"
#include "topology/nics.h"
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT64_MAX

struct walk { /* the computation for one target, a first-hop switch */
    const struct weir_routes *r;
    const struct weir_topology *topo;
    const uint64_t *cost; /* cost of each link; NULL = every link costs 1 */
    /* switch_count: largest cost of a path from each switch to the target; UNKNOWN = not computed yet */
    uint64_t *worst;
    uint64_t *most; /* edge_count: the same for each first-hop switch, over all trees */
    uint32_t edge;
    uint32_t tree; /* the present tree, if the routes are of trees */
};

static uint32_t entry_of(const struct walk *w, uint32_t sw)
{
    return weir_route_entry(w->r, sw, w->edge);
}

/* Returns the largest cost of a path from a switch to the target. The recursion is as deep as a path has links. In a
 * layered topology equal paths have equal links, so the first one represents all. */
static uint64_t worst_from(struct walk *w, uint32_t sw)
{
    uint32_t entry = entry_of(w, sw), first_out = w->topo->node[w->r->first_switch + sw].first_out;
    uint32_t begin = w->r->tree_count > 0 ? w->tree : 0, end = entry >> WEIR_ROUTE_FIRST_BITS;
    uint64_t worst = 0;
    if (w->worst[sw] != UNKNOWN)
        return w->worst[sw];
    WEIR_ASSERT(begin < end); /* every switch on a path to the target has a port towards it */
    if (w->r->tree_count > 0 || w->topo->layered)
        end = begin + 1;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t link = first_out + w->r->port[(entry & WEIR_ROUTE_FIRST_MASK) + i];
        uint64_t cost = w->cost != NULL ? w->cost[link] : 1;
        worst = weir_max_u64(worst, cost + worst_from(w, w->topo->link[link].dst - w->r->first_switch));
    }
    w->worst[sw] = worst;
    return worst;
}

static void aim(struct walk *w, uint32_t edge, const uint64_t *cost)
{
    w->edge = edge;
    w->cost = cost;
    memset(w->worst, 0xff, w->r->switch_count * sizeof(*w->worst)); /* all UNKNOWN */
    w->worst[w->r->edge_node[edge] - w->r->first_switch] = 0;
}

/* Tests whether the path of one direction between two hosts also gives the other direction. Then only one path is
 * computed. True with TREES, and with SYMMETRIC if the topology is not layered. */
static bool is_shared(const struct weir_routes *r)
{
    return r->step != NULL || r->tree_count > 0;
}

/* Tests whether packets from first-hop switch `from` to `to` follow the tables towards `to`. If both directions share a
 * path, only packets from the lower to the higher index do; the others go back along it. */
static bool uses_tables(const struct weir_routes *r, uint32_t from, uint32_t to)
{
    return from != to && (!is_shared(r) || from < to);
}

/* Sets w->most[from] to the largest cost of a path to the edge-th first-hop switch; 0 = no path, or uses_tables() is
 * false. cost: as walk.cost */
static void most_to(struct walk *w, uint32_t edge, const uint64_t *cost)
{
    uint32_t passes = (uint32_t)weir_max_u64(w->r->tree_count, 1);
    memset(w->most, 0, w->r->edge_count * sizeof(*w->most));
    for (w->tree = 0; w->tree < passes; w->tree++) {
        aim(w, edge, cost);
        for (uint32_t from = 0; from < w->r->edge_count; from++) {
            uint32_t sw = w->r->edge_node[from] - w->r->first_switch;
            if (uses_tables(w->r, from, edge) && w->tree < entry_of(w, sw) >> WEIR_ROUTE_FIRST_BITS)
                w->most[from] = weir_max_u64(w->most[from], worst_from(w, sw));
        }
    }
}

uint32_t weir_route_links_max(const struct weir_routes *r, const struct weir_topology *topo)
{
    struct walk w = { .r = r, .topo = topo };
    bool has_memory;
    uint64_t links = 0;
    if (r->links != NULL)
        return weir_nics_links_max(r, topo);
    if (r->below != NULL)
        return weir_levels_links_max(r, topo);
    w.worst = malloc(r->switch_count * sizeof(*w.worst));
    w.most = malloc(r->edge_count * sizeof(*w.most));
    has_memory = w.worst != NULL && w.most != NULL;
    for (uint32_t to = 0; to < r->edge_count && has_memory; to++) {
        most_to(&w, to, NULL);
        for (uint32_t from = 0; from < r->edge_count; from++)
            links = weir_max_u64(links, w.most[from]);
    }
    free(w.worst);
    free(w.most);
    return has_memory ? (uint32_t)links + 2 : 0; /* 2: the links of the two hosts */
}

/* --- round trips --- */

struct trip {
    const struct weir_routes *r;
    const struct weir_topology *topo;
    uint64_t *out_ps;       /* link_count: time of a data frame on a link on its way to the target */
    uint64_t *back_ps;      /* link_count: time of an acknowledgement on a link on its way to the target */
    uint64_t *middle_ps;    /* [from][to]: round trip between two first-hop switches, without the links of hosts */
    struct weir_ends *ends; /* edge_count: of the hosts of each first-hop switch */
    struct walk walk;
};

static bool alloc_trip(struct trip *t)
{
    size_t edges = t->topo->edge_count;
    t->out_ps = malloc(t->topo->link_count * sizeof(*t->out_ps));
    t->back_ps = malloc(t->topo->link_count * sizeof(*t->back_ps));
    t->middle_ps = calloc(edges * edges, sizeof(*t->middle_ps));
    t->ends = calloc(edges, sizeof(*t->ends));
    t->walk.worst = malloc(t->topo->switch_count * sizeof(*t->walk.worst));
    t->walk.most = malloc(edges * sizeof(*t->walk.most));
    return t->out_ps != NULL && t->back_ps != NULL && t->middle_ps != NULL && t->ends != NULL &&
           t->walk.worst != NULL && t->walk.most != NULL;
}

static void free_trip(struct trip *t)
{
    free(t->out_ps);
    free(t->back_ps);
    free(t->middle_ps);
    free(t->ends);
    free(t->walk.worst);
    free(t->walk.most);
}

/* Sets out_ps and back_ps of each link. If both directions share a path, the cost of a link includes the frame that
 * comes back by the reverse link. */
static void price_links(struct trip *t, uint32_t data_wire_bytes, uint32_t ack_wire_bytes)
{
    for (uint32_t l = 0; l < t->topo->link_count; l++) {
        const struct weir_link *link = &t->topo->link[l], *reverse = &t->topo->link[link->reverse];
        t->out_ps[l] = weir_link_ps(link, data_wire_bytes);
        t->back_ps[l] = weir_link_ps(link, ack_wire_bytes);
        if (is_shared(t->r)) {
            t->out_ps[l] += weir_link_ps(reverse, ack_wire_bytes);
            t->back_ps[l] += weir_link_ps(reverse, data_wire_bytes);
        }
    }
}

/* Adds to middle_ps the largest costs of paths to first-hop switch `to`: of data to it, and of acknowledgements to it.
 * @return false = some pair has no path */
static bool add_paths(struct trip *t, uint32_t to)
{
    uint32_t edges = t->topo->edge_count;
    for (int pass = 0; pass < 2; pass++) {
        most_to(&t->walk, to, pass == 0 ? t->out_ps : t->back_ps);
        for (uint32_t from = 0; from < edges; from++) {
            uint32_t sw = t->r->edge_node[from] - t->r->first_switch;
            if (!uses_tables(t->r, from, to))
                continue;
            if (entry_of(&t->walk, sw) == 0)
                return false;
            t->middle_ps[pass == 0 ? (size_t)from * edges + to : (size_t)to * edges + from] += t->walk.most[from];
        }
    }
    return true;
}

static uint64_t longest_ps(const struct trip *t)
{
    uint32_t edges = t->topo->edge_count;
    uint64_t longest = 0;
    for (uint32_t from = 0; from < edges; from++) {
        longest = weir_max_u64(longest, weir_ends_sum_ps(&t->ends[from]));
        for (uint32_t to = 0; to < edges; to++)
            if (from != to)
                longest = weir_max_u64(longest, t->ends[from].send_ps + t->middle_ps[(size_t)from * edges + to] +
                                                    t->ends[to].receive_ps);
    }
    return longest;
}

uint64_t weir_route_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo, uint32_t data_wire_bytes,
                                uint32_t ack_wire_bytes)
{
    struct trip t = { .r = r, .topo = topo, .walk = { .r = r, .topo = topo } };
    uint64_t rtt_ps = UINT64_MAX;
    bool joined = true;
    if (r->links != NULL)
        return weir_nics_base_rtt_ps(r, topo, data_wire_bytes, ack_wire_bytes);
    if (r->below != NULL && topo->layered)
        return weir_levels_base_rtt_ps(r, topo, data_wire_bytes, ack_wire_bytes);
    if (alloc_trip(&t)) {
        price_links(&t, data_wire_bytes, ack_wire_bytes);
        weir_ends_of_hosts(t.ends, topo, data_wire_bytes, ack_wire_bytes);
        for (uint32_t to = 0; to < topo->edge_count && joined; to++)
            joined = add_paths(&t, to);
        rtt_ps = joined ? longest_ps(&t) : 0;
    }
    free_trip(&t);
    return rtt_ps;
}
