/* test/unit/topology/graph_fixture.h - graphs made cable by cable: hosts are called h0, h1, .., switches s0, s1, .. */
#ifndef WEIR_GRAPH_FIXTURE_H
#define WEIR_GRAPH_FIXTURE_H
#include "test/unit/topology/topology_fixture.h"
#include "topology/graph.h"
#include <stdio.h>

enum { GRAPH_NODES_MAX = 2048, GRAPH_CABLES_MAX = 4096 };

struct graph_rig {
    struct weir_graph graph;
    char name[GRAPH_NODES_MAX][WEIR_NODE_NAME];
    struct weir_cable cable[GRAPH_CABLES_MAX];
    struct weir_tok node_at[GRAPH_NODES_MAX], cable_at[GRAPH_CABLES_MAX], all; /* line 1; 100 + node; 1000 + cable */
    struct weir_graph_where where;
};

static struct graph_rig rig;

static inline void begin_graph(uint32_t hosts, uint32_t switches)
{
    rig = (struct graph_rig){ .graph = { .host_count = hosts, .switch_count = switches }, .all = { .line = 1 } };
    rig.graph.name = rig.name;
    rig.graph.cable = rig.cable;
    rig.where = (struct weir_graph_where){ &rig.all, rig.node_at, rig.cable_at };
    assert_true(hosts + switches <= GRAPH_NODES_MAX);
    for (uint32_t n = 0; n < hosts + switches; n++) {
        (void)snprintf(rig.name[n], sizeof(rig.name[n]), "%c%u", n < hosts ? 'h' : 's', n < hosts ? n : n - hosts);
        rig.node_at[n].line = 100 + n;
    }
}

/* The node of the i-th switch. */
static inline uint32_t sw(uint32_t i)
{
    return rig.graph.host_count + i;
}

/* Rates in Gbps, delays in nanoseconds: from a to b, and back. */
static inline void join_unlike(uint32_t a, uint32_t b, uint64_t gbps, uint64_t ns, uint64_t back_gbps, uint64_t back_ns)
{
    uint32_t i = rig.graph.cable_count++;
    assert_true(i < GRAPH_CABLES_MAX);
    rig.cable[i] =
        (struct weir_cable){ a, b, gbps * GBPS, ns * WEIR_PS_PER_NS, back_gbps * GBPS, back_ns * WEIR_PS_PER_NS, 0 };
    rig.cable_at[i].line = 1000 + i;
}

static inline void join(uint32_t a, uint32_t b)
{
    join_unlike(a, b, 10, 1000, 10, 1000);
}

/* Two servers of `each` hosts. A host has a cable of 100 Gb/s and 10 ns to the switch of its server, s0 or s1, and one of
 * 10 Gb/s and 1 us to the leaf of its place in the server, s2, s3, ..; the last switch is a spine that joins the leaves
 * by such cables. NIC 0 is the one to the server's switch. */
static inline void begin_servers(uint32_t each)
{
    begin_graph(2 * each, 3 + each);
    for (uint32_t h = 0; h < 2 * each; h++) {
        join_unlike(h, sw(h / each), 100, 10, 100, 10);
        join(h, sw(2 + h % each));
    }
    for (uint32_t leaf = 0; leaf < each; leaf++)
        join(sw(2 + leaf), sw(2 + each));
}

static inline void build_graph(struct weir_topology *topo)
{
    struct weir_err err = { 0 };
    if (weir_graph_check(&rig.graph, &rig.where, &err) != 0 || weir_graph_build(topo, &rig.graph, &err) != 0)
        fail_msg("%s", err.text);
}
#endif
