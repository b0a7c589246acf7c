/* test/unit/topology/topology_fixture.h - small networks to ask questions about. */
#ifndef WEIR_TOPOLOGY_FIXTURE_H
#define WEIR_TOPOLOGY_FIXTURE_H
#include "core/units.h"
#include "test/unit/weir_test.h"
#include "topology/route.h"
#include "topology/topology.h"
#include <string.h>

#define GBPS UINT64_C(1000000000)

/* The network of SIRD's evaluation, said as another kind where a test wants one. */
static inline struct weir_topology_config config_of(enum weir_topology_kind kind)
{
    return (struct weir_topology_config){
        .kind = kind,
        .hosts = 144,
        .racks = 9,
        .spines = 4,
        .k = 4,
        .oversubscription = 1,
        .switches = 3,
        .groups = 4,
        .global_links = 1,
        .dims = { { 4, 4 }, 2 },
        .planes = 2,
        .servers = 4,
        .gpus = 8,
        .server_link_bps = 2400 * GBPS,
        .server_delay_ps = 25 * WEIR_PS_PER_NS,
        .host_link_bps = 100 * GBPS,
        .core_link_bps = 400 * GBPS,
        .host_delay_ps = 1250 * WEIR_PS_PER_NS,
        .core_delay_ps = 500 * WEIR_PS_PER_NS,
        .bdp = { .bytes = UINT64_MAX },
    };
}

/* The fat-tree of Dart's evaluation: 16 pods of 4 edge and 4 aggregation switches, 16 hosts at each edge switch. */
static inline struct weir_topology_config darts_fat_tree(void)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    cfg.pods = 16;
    cfg.edges = cfg.aggs = cfg.uplinks = 4;
    cfg.edge_hosts = 16;
    return cfg;
}

static inline void build(struct weir_topology *topo, const struct weir_topology_config *cfg)
{
    struct weir_err err = { 0 };
    if (weir_topology_build(topo, cfg, NULL, &err) != 0)
        fail_msg("%s", err.text);
}

/* A star, or a leaf-spine of two racks and two spines: every link 100 Gb/s and 1 us. */
static inline void build_alike(struct weir_topology *topo, enum weir_topology_kind kind, uint32_t hosts)
{
    struct weir_topology_config cfg = config_of(kind);
    cfg.hosts = hosts;
    cfg.racks = cfg.spines = 2;
    cfg.core_link_bps = cfg.host_link_bps;
    cfg.host_delay_ps = cfg.core_delay_ps = WEIR_PS_PER_US;
    build(topo, &cfg);
}

static inline void route(struct weir_routes *routes, const struct weir_topology *topo, enum weir_routing routing,
                         uint64_t seed)
{
    struct weir_err err = { 0 };
    if (weir_routes_build(routes, topo, routing, WEIR_METRIC_HOPS, seed, &err) != 0)
        fail_msg("%s", err.text);
}

static inline void route_by_delay(struct weir_routes *routes, const struct weir_topology *topo)
{
    struct weir_err err = { 0 };
    if (weir_routes_build(routes, topo, WEIR_ROUTE_ECMP, WEIR_METRIC_DELAY, 1, &err) != 0)
        fail_msg("%s", err.text);
}

/* The link from one node to another; they have one. */
static inline uint32_t link_between(const struct weir_topology *topo, uint32_t src, uint32_t dst)
{
    for (uint32_t p = 0; p < topo->node[src].out_count; p++)
        if (topo->link[topo->node[src].first_out + p].dst == dst)
            return topo->node[src].first_out + p;
    fail_msg("no link from %u to %u", src, dst);
    return UINT32_MAX;
}

static inline void set_cable(struct weir_topology *topo, uint32_t a, uint32_t b, bool up)
{
    uint32_t link = link_between(topo, a, b);
    topo->link[link].up = up;
    topo->link[topo->link[link].reverse].up = up;
}

/* What topology.h says of links, ports and in-links. */
static inline void numbering_keeps_its_rules(const struct weir_topology *t)
{
    for (uint32_t l = 0; l < t->link_count; l++) {
        const struct weir_link *a = &t->link[l];
        const struct weir_node *dst = &t->node[a->dst];
        assert_in_range(l, t->node[a->src].first_out, t->node[a->src].first_out + t->node[a->src].out_count - 1);
        if (l + 1 < t->link_count)
            assert_true(a->src < a[1].src || (a->src == a[1].src && a->dst <= a[1].dst));
        assert_int_equal(t->link[a->reverse].reverse, l);
        assert_int_equal(t->link[a->reverse].src, a->dst);
        assert_int_equal(t->link[a->reverse].dst, a->src);
        assert_true(a->in_index < dst->in_count);
        assert_int_equal(t->in_link[dst->first_in + a->in_index], l);
        assert_int_equal(dst->first_out + a->in_index, a->reverse);
        if (a->in_index > 0)
            assert_true(t->link[t->in_link[dst->first_in + a->in_index - 1]].src <= a->src);
    }
    for (uint32_t h = 0; h < t->host_count; h++) {
        const struct weir_node *edge = &t->node[t->edge_node[t->edge_of[h]]];
        assert_int_equal(t->link[edge->first_out + t->host_port[h]].dst, h);
    }
}

/* Is the port in this list of equal ones? */
static inline bool in_entry(const struct weir_routes *r, uint32_t entry, uint32_t port)
{
    for (uint32_t i = 0; i < entry >> WEIR_ROUTE_FIRST_BITS; i++)
        if (r->port[(entry & WEIR_ROUTE_FIRST_MASK) + i] == port)
            return true;
    return false;
}

/* One path takes the cables of the other, in reverse. */
static inline void assert_reversed(const struct weir_topology *topo, const struct weir_route_path *there,
                                   const struct weir_route_path *back)
{
    assert_int_equal(there->count, back->count);
    for (uint32_t i = 0; i < there->count; i++)
        assert_int_equal(topo->link[there->link[i]].reverse, back->link[there->count - 1 - i]);
}

/* Packets from b to a take the cables of those from a to b, in reverse; or there is no path either way. */
static inline void assert_same_way_back(const struct weir_routes *r, const struct weir_topology *topo, uint32_t a,
                                        uint32_t b, uint32_t hash)
{
    struct weir_route_path there, back;
    bool joined = weir_route_path(r, topo, a, b, hash, &there);
    assert_int_equal(weir_route_path(r, topo, b, a, hash, &back), joined);
    if (joined)
        assert_reversed(topo, &there, &back);
}

static inline void assert_name(const struct weir_topology *topo, uint32_t node, const char *want)
{
    char name[WEIR_NODE_NAME];
    weir_topology_node_name(topo, node, name, sizeof(name));
    assert_string_equal(name, want);
    assert_int_equal(weir_topology_find_node(topo, want), node);
}

/* What building a network comes to; a refusal says `key`. */
static inline int refusal_code(const struct weir_topology_config *cfg, const char *key)
{
    struct weir_topology none;
    struct weir_err err = { 0 };
    int code = weir_topology_build(&none, cfg, NULL, &err);
    if (code != 0 && strstr(err.text, key) == NULL)
        fail_msg("%s", err.text);
    weir_topology_free(&none);
    return code;
}

/* Lowers distances until each switch is one link further than its nearest neighbour at most. Hosts do not forward. */
static inline void relax(const struct weir_topology *topo, uint32_t *distance)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t l = 0; l < topo->link_count; l++) {
            const struct weir_link *link = &topo->link[l];
            if (link->up && link->src >= topo->host_count && link->dst >= topo->host_count &&
                distance[link->dst] + 1 < distance[link->src]) {
                distance[link->src] = distance[link->dst] + 1;
                changed = true;
            }
        }
    }
}
#endif
