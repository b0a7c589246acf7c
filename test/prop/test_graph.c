/* test/prop/test_graph.c - random graphs with parallel cables, unlike directions and cables down: numbering, routes against plain
 * relaxation, both directions of a pair on one path where routing is symmetric. */
#include "core/rng.h"
#include "test/unit/topology/graph_fixture.h"
#include "topology/cycle.h"
#include <string.h>

#define UNREACHED UINT64_MAX

static struct weir_rng rng;
static struct weir_topology topo;
static struct weir_routes routes;
static enum weir_route_metric metric;

struct reach { /* of one switch from one target; what a plain relaxation finds */
    uint64_t cost;
    uint32_t links; /* most of any path of that cost */
};
static struct reach reach[GRAPH_NODES_MAX];

static int start(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(20240612, 0, WEIR_RNG_TEST, 0) };
    print_message("seed 20240612\n");
    return 0;
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

/* Few different delays, so that ways of equal delay are common. */
static void join_at_random(uint32_t a, uint32_t b)
{
    static const uint32_t gbps[] = { 10, 25, 40, 100 };
    uint64_t there_ns = UINT64_C(1000) * (1 + below(3));
    uint64_t back_ns = below(3) == 0 ? UINT64_C(1000) * (1 + below(3)) : there_ns;
    uint64_t there = gbps[below(4)], back = below(3) == 0 ? gbps[below(4)] : there;
    if (a < rig.graph.host_count)
        there = 10; /* links from hosts are alike */
    join_unlike(a, b, there, there_ns, back, back_ns);
    for (uint32_t more = b < rig.graph.host_count || a < rig.graph.host_count ? 0 : below(8) / 6; more > 0; more--)
        join_unlike(b, a, back, back_ns, there, there_ns);
}

/* A random tree of switches, or a row of them, and some cables across. One of sixty is a row that is too long for a path from host 0 to
 * host 1, which has 67 links or more. */
static void random_graph(void)
{
    bool is_long = below(60) == 0, row = below(3) == 0 || is_long;
    uint32_t switches = is_long ? 66 + below(3) : 1 + below(below(4) == 0 ? 24 : 10), hosts = 2 + below(20);
    begin_graph(hosts, switches);
    for (uint32_t h = 0; h < hosts; h++)
        join_at_random(h, sw(is_long && h < 2 ? h * (switches - 1) : below(switches)));
    for (uint32_t s = 1; s < switches; s++)
        join_at_random(sw(s), sw(row ? s - 1 : below(s)));
    for (uint32_t more = switches > 1 && !is_long && below(3) != 0 ? below(2 * switches) : 0; more > 0; more--) {
        uint32_t a = below(switches), b = below(switches);
        if (a != b)
            join_at_random(sw(a), sw(b));
    }
    build_graph(&topo);
}

static void cut_some(uint32_t cables)
{
    for (; cables > 0; cables--) {
        struct weir_link *link = &topo.link[below(topo.link_count)];
        if (link->src >= topo.host_count && link->dst >= topo.host_count)
            link->up = topo.link[link->reverse].up = false;
    }
}

static void route_at_random(enum weir_routing routing)
{
    struct weir_err err = { 0 };
    metric = routing == WEIR_ROUTE_TREES ? WEIR_METRIC_HOPS : (enum weir_route_metric)below(2);
    if (weir_routes_build(&routes, &topo, routing, metric, weir_rng_next(&rng), &err) != 0)
        fail_msg("%s", err.text);
}

static void drop(void)
{
    weir_routes_free(&routes);
    weir_topology_free(&topo);
}

static uint64_t cost_of(const struct weir_link *link)
{
    return metric == WEIR_METRIC_DELAY ? link->delay_ps : 1;
}

static bool joins_switches(const struct weir_link *link)
{
    return link->up && link->src >= topo.host_count && link->dst >= topo.host_count;
}

/* Is the link on a shortest path to the target of reach[]? */
static bool is_tight(const struct weir_link *link)
{
    return joins_switches(link) && reach[link->dst].cost != UNREACHED &&
           reach[link->dst].cost + cost_of(link) == reach[link->src].cost;
}

/* Relaxed until nothing changes: costs first, then the most links of the paths that have them. */
static void reach_of(uint32_t target)
{
    bool changed = true;
    for (uint32_t n = 0; n < topo.node_count; n++)
        reach[n] = (struct reach){ n == target ? 0 : UNREACHED, 0 };
    while (changed) {
        changed = false;
        for (uint32_t l = 0; l < topo.link_count; l++) {
            const struct weir_link *link = &topo.link[l];
            if (joins_switches(link) && reach[link->dst].cost != UNREACHED &&
                reach[link->dst].cost + cost_of(link) < reach[link->src].cost) {
                reach[link->src].cost = reach[link->dst].cost + cost_of(link);
                changed = true;
            }
        }
    }
    for (changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < topo.link_count; l++) {
            const struct weir_link *link = &topo.link[l];
            if (is_tight(link) && reach[link->dst].links + 1 > reach[link->src].links) {
                reach[link->src].links = reach[link->dst].links + 1;
                changed = true;
            }
        }
    }
}

static bool in_reach(uint32_t node)
{
    return reach[node].cost != UNREACHED && reach[node].links + 2 <= WEIR_TOPOLOGY_HOPS_MAX;
}

static void numbers_of_nodes_links_and_ports_keep_their_rules(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        random_graph();
        numbering_keeps_its_rules(&topo);
        assert_int_equal(topo.link_count, 2 * rig.graph.cable_count);
        weir_topology_free(&topo);
    }
}

/* A list holds every port on a shortest path, once, and no other. */
static void routes_are_all_the_shortest_paths_and_no_others(void **state)
{
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        random_graph();
        cut_some(trial % 2 == 0 ? 0 : below(6));
        route_at_random((enum weir_routing)below(3));
        for (uint32_t edge = 0; edge < topo.edge_count; edge++) {
            reach_of(topo.edge_node[edge]);
            for (uint32_t node = topo.host_count; node < topo.node_count; node++) {
                uint32_t entry = weir_route_entry(&routes, node - topo.host_count, edge), count = 0;
                for (uint32_t p = 0; p < topo.node[node].out_count; p++) {
                    bool want = in_reach(node) && is_tight(&topo.link[topo.node[node].first_out + p]);
                    assert_int_equal(in_entry(&routes, entry, p), want);
                    count += want;
                }
                assert_int_equal(entry >> WEIR_ROUTE_FIRST_BITS, count);
            }
        }
        drop();
    }
}

static void a_path_costs_what_it_must_and_ends_where_it_should(void **state)
{
    struct weir_route_path path;
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        random_graph();
        cut_some(trial % 2 == 0 ? 0 : below(6));
        route_at_random(below(2) == 0 ? WEIR_ROUTE_ECMP : WEIR_ROUTE_SPRAY);
        for (uint32_t dst = 0; dst < topo.host_count; dst++) {
            reach_of(topo.edge_node[topo.edge_of[dst]]);
            for (uint32_t src = 0; src < topo.host_count; src++) {
                uint32_t edge = topo.edge_node[topo.edge_of[src]];
                uint64_t cost = 0;
                bool found = weir_route_path(&routes, &topo, src, dst, (uint32_t)weir_rng_next(&rng), &path);
                assert_int_equal(found, src != dst && in_reach(edge));
                if (!found)
                    continue;
                assert_int_equal(topo.link[path.link[0]].src, src);
                assert_int_equal(topo.link[path.link[path.count - 1]].dst, dst);
                for (uint32_t i = 1; i + 1 < path.count; i++)
                    cost += cost_of(&topo.link[path.link[i]]);
                assert_true(cost == reach[edge].cost);
            }
        }
        drop();
    }
}

/* By either metric, with directions of unlike delay, and with cables down. */
static void symmetric_routes_and_trees_come_back_the_way_they_went(void **state)
{
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        random_graph();
        cut_some(trial % 2 == 0 ? 0 : below(6));
        route_at_random(below(2) == 0 ? WEIR_ROUTE_SYMMETRIC : WEIR_ROUTE_TREES);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t a = below(topo.host_count), b = below(topo.host_count);
            if (a != b)
                assert_same_way_back(&routes, &topo, a, b, (uint32_t)weir_rng_next(&rng));
        }
        drop();
    }
}

/* From any switch, also one that the path does not touch, a packet comes to its destination. */
static void a_packet_off_its_path_comes_home(void **state)
{
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        random_graph();
        route_at_random(below(2) == 0 ? WEIR_ROUTE_SYMMETRIC : WEIR_ROUTE_TREES);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t src = below(topo.host_count), dst = below(topo.host_count), hash = (uint32_t)weir_rng_next(&rng);
            uint32_t node = sw(below(topo.switch_count)), links = 0, port = 0;
            for (; node >= topo.host_count && src != dst; node = topo.link[topo.node[node].first_out + port].dst) {
                port = weir_route(&routes, node, src, dst, hash);
                if (port == WEIR_ROUTE_PORT_NONE)
                    break;
                assert_true(links++ < 2 * WEIR_TOPOLOGY_HOPS_MAX);
            }
            if (port != WEIR_ROUTE_PORT_NONE && src != dst)
                assert_int_equal(node, dst);
        }
        drop();
    }
}

/* All paths are taken: of a lower pair the choices are those of any flow. */
static void symmetric_routes_use_every_equal_path(void **state)
{
    uint32_t used[4] = { 0 };
    struct weir_route_path path;
    (void)state;
    begin_graph(2, 6);
    join(0, sw(0));
    join(1, sw(5));
    for (uint32_t i = 1; i < 5; i++) {
        join(sw(0), sw(i));
        join(sw(i), sw(5));
    }
    build_graph(&topo);
    metric = WEIR_METRIC_HOPS;
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 1);
    for (uint32_t i = 0; i < 4000; i++) {
        assert_true(weir_route_path(&routes, &topo, 1, 0, (uint32_t)weir_rng_next(&rng), &path));
        used[topo.link[path.link[1]].dst - sw(1)]++;
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(used[i], 850, 1150); /* five deviations of a binomial */
    drop();
}

/* --- the longest --- */

enum { DATA = 1538, ACK = 84 };

struct most {                 /* over all equal paths of a pair, each link by link */
    uint64_t data_ps, ack_ps; /* one way */
    uint64_t there_ps;        /* data along the path and an acknowledgement back along it */
    uint64_t back_ps;         /* the other way round */
    uint32_t links;
};

enum { SOME_LINKS = 512 };
static struct most link_alone[SOME_LINKS]; /* paths of one link each: computed once, added for every path */

static uint64_t frame_ps(uint32_t link, uint32_t bytes)
{
    struct weir_tx_clock clock = weir_tx_clock_of(topo.link[link].rate_bps);
    return weir_tx_clock_advance(&clock, bytes) + topo.link[link].delay_ps;
}

static void measure_links(void)
{
    assert_true(topo.link_count <= SOME_LINKS);
    for (uint32_t link = 0; link < topo.link_count; link++) {
        uint32_t reverse = topo.link[link].reverse;
        link_alone[link] = (struct most){ .data_ps = frame_ps(link, DATA),
                                          .ack_ps = frame_ps(link, ACK),
                                          .there_ps = frame_ps(link, DATA) + frame_ps(reverse, ACK),
                                          .back_ps = frame_ps(link, ACK) + frame_ps(reverse, DATA),
                                          .links = 1 };
    }
}

static struct most with_link(struct most so_far, uint32_t link)
{
    const struct most *alone = &link_alone[link];
    so_far.data_ps += alone->data_ps;
    so_far.ack_ps += alone->ack_ps;
    so_far.there_ps += alone->there_ps;
    so_far.back_ps += alone->back_ps;
    so_far.links += alone->links;
    return so_far;
}

static void keep_most(struct most *a, const struct most *b)
{
    a->data_ps = b->data_ps > a->data_ps ? b->data_ps : a->data_ps;
    a->ack_ps = b->ack_ps > a->ack_ps ? b->ack_ps : a->ack_ps;
    a->there_ps = b->there_ps > a->there_ps ? b->there_ps : a->there_ps;
    a->back_ps = b->back_ps > a->back_ps ? b->back_ps : a->back_ps;
    a->links = b->links > a->links ? b->links : a->links;
}

/* Those of its ports that a packet may take: all, or the tree's. */
static const uint16_t *ports_of(uint32_t entry, uint32_t tree, uint32_t *count)
{
    const uint16_t *port = &routes.port[entry & WEIR_ROUTE_FIRST_MASK];
    *count = entry >> WEIR_ROUTE_FIRST_BITS;
    if (routes.tree_count == 0)
        return port;
    *count = tree < *count;
    return port + tree;
}

/* Follows every port of every list. */
static void walk_all(uint32_t node, uint32_t dst, uint32_t tree, struct most so_far, struct most *most)
{
    uint32_t count, out = topo.node[node].first_out;
    const uint16_t *port;
    if (node == topo.edge_node[topo.edge_of[dst]]) {
        so_far = with_link(so_far, out + topo.host_port[dst]);
        keep_most(most, &so_far);
        return;
    }
    port = ports_of(weir_route_entry(&routes, node - topo.host_count, topo.edge_of[dst]), tree, &count);
    for (uint32_t i = 0; i < count; i++)
        walk_all(topo.link[out + port[i]].dst, dst, tree, with_link(so_far, out + port[i]), most);
}

static uint32_t passes(void)
{
    return routes.tree_count > 0 ? routes.tree_count : 1;
}

enum { SOME_HOSTS = 32 };
static struct most from_edge[SOME_HOSTS][SOME_HOSTS]; /* of edge switch and destination; no links = no path */

/* Walks once for all hosts of an edge switch: each of their paths has the host's own link before. */
static void measure_paths(void)
{
    assert_true(topo.host_count <= SOME_HOSTS);
    measure_links();
    memset(from_edge, 0, sizeof(from_edge));
    for (uint32_t edge = 0; edge < topo.edge_count; edge++)
        for (uint32_t dst = 0; dst < topo.host_count; dst++)
            for (uint32_t tree = 0; tree < passes(); tree++)
                walk_all(topo.edge_node[edge], dst, tree, (struct most){ 0 }, &from_edge[edge][dst]);
}

static struct most most_of(uint32_t src, uint32_t dst)
{
    struct most most = from_edge[topo.edge_of[src]][dst];
    return most.links > 0 ? with_link(most, topo.node[src].first_out) : most;
}

/* Data from a to b, where the pair may share one path. */
static uint64_t round_trip_ps(uint32_t a, uint32_t b, bool shared)
{
    if (routes.tree_count > 0)
        return most_of(a, b).there_ps;
    if (!shared)
        return most_of(a, b).data_ps + most_of(b, a).ack_ps;
    return topo.edge_of[a] > topo.edge_of[b] ? most_of(b, a).back_ps : most_of(a, b).there_ps;
}

static bool every_pair_is_joined(enum weir_routing routing)
{
    uint32_t src, dst;
    if (routing == WEIR_ROUTE_TREES)
        return !weir_route_gap(&routes, &topo, &src, &dst);
    for (dst = 0; dst < topo.host_count; dst++) {
        reach_of(topo.edge_node[topo.edge_of[dst]]);
        for (src = 0; src < topo.host_count; src++)
            if (!in_reach(topo.edge_node[topo.edge_of[src]]))
                return false;
    }
    return true;
}

static void the_base_rtt_and_the_longest_path_are_those_of_all_pairs_by_all_paths(void **state)
{
    uint32_t apart = 0;
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        enum weir_routing routing = (enum weir_routing)below(4);
        uint64_t longest_ps = 0;
        uint32_t links = 2; /* those of two hosts, also where no two are joined */
        random_graph();
        route_at_random(routing);
        measure_paths();
        for (uint32_t a = 0; a < topo.host_count; a++)
            for (uint32_t b = 0; b < topo.host_count; b++) {
                uint64_t rtt_ps = a != b ? round_trip_ps(a, b, routing == WEIR_ROUTE_SYMMETRIC) : 0;
                longest_ps = rtt_ps > longest_ps ? rtt_ps : longest_ps;
                if (a != b && (routing != WEIR_ROUTE_SYMMETRIC || topo.edge_of[a] <= topo.edge_of[b]))
                    links = most_of(a, b).links > links ? most_of(a, b).links : links;
            }
        if (!every_pair_is_joined(routing)) {
            longest_ps = 0;
            apart++;
        }
        assert_true(weir_route_base_rtt_ps(&routes, &topo, DATA, ACK) == longest_ps);
        assert_int_equal(weir_route_links_max(&routes, &topo), links);
        drop();
    }
    assert_in_range(apart, 1, 60); /* rows of many switches */
}

/* --- cycles --- */

enum { FEW_LINKS = 256 };
static bool feeds[FEW_LINKS][FEW_LINKS]; /* does some path go from one link on to the other */

/* Marks every two links in a row of every path from node on, the last one having been `before`. Back: of the packets that return by
 * the same cables too. */
static void mark_feeds(uint32_t node, uint32_t dst, uint32_t tree, uint32_t before, bool back)
{
    uint32_t count, out = topo.node[node].first_out;
    const uint16_t *port;
    if (node == topo.edge_node[topo.edge_of[dst]])
        return;
    port = ports_of(weir_route_entry(&routes, node - topo.host_count, topo.edge_of[dst]), tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = out + port[i];
        if (before != UINT32_MAX)
            feeds[before][link] = true;
        if (before != UINT32_MAX && back)
            feeds[topo.link[link].reverse][topo.link[before].reverse] = true;
        mark_feeds(topo.link[link].dst, dst, tree, link, back);
    }
}

/* Takes away links that feed nothing until nothing changes: what is left is on a cycle, or leads to one. */
static bool has_cycle(void)
{
    static bool gone[FEW_LINKS];
    uint32_t left = topo.link_count;
    bool changed = true;
    memset(gone, 0, sizeof(gone));
    while (changed) {
        changed = false;
        for (uint32_t a = 0; a < topo.link_count; a++) {
            bool stays = gone[a];
            for (uint32_t b = 0; b < topo.link_count && !stays; b++)
                stays = feeds[a][b] && !gone[b];
            if (stays)
                continue;
            gone[a] = changed = true;
            left--;
        }
    }
    return left > 0;
}

static void a_cycle_is_found_where_paths_of_hosts_make_one(void **state)
{
    uint32_t cycle[FEW_LINKS], count, with = 0, without = 0;
    struct weir_err err;
    (void)state;
    for (int trial = 0; trial < 600; trial++) {
        enum weir_routing routing = (enum weir_routing)below(4);
        bool shared = routing == WEIR_ROUTE_SYMMETRIC;
        random_graph();
        cut_some(trial % 2 == 0 ? 0 : below(6));
        route_at_random(routing);
        assert_true(topo.link_count <= FEW_LINKS);
        memset(feeds, 0, sizeof(feeds));
        for (uint32_t a = 0; a < topo.host_count; a++)
            for (uint32_t b = 0; b < topo.host_count; b++)
                for (uint32_t tree = 0; tree < passes() && (!shared || topo.edge_of[a] < topo.edge_of[b]); tree++)
                    mark_feeds(topo.edge_node[topo.edge_of[a]], b, tree, UINT32_MAX, shared);
        assert_int_equal(weir_route_cycle(&routes, &topo, false, cycle, FEW_LINKS, &count, &err), 0);
        assert_int_equal(count > 0, has_cycle());
        for (uint32_t i = 0; i < count; i++)
            assert_true(feeds[cycle[i]][cycle[(i + 1) % count]]);
        with += count > 0;
        without += count == 0;
        drop();
    }
    print_message("%u graphs with a cycle, %u without\n", with, without);
    assert_true(with > 50 && without > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_of_nodes_links_and_ports_keep_their_rules, start),
        cmocka_unit_test_setup(routes_are_all_the_shortest_paths_and_no_others, start),
        cmocka_unit_test_setup(a_path_costs_what_it_must_and_ends_where_it_should, start),
        cmocka_unit_test_setup(symmetric_routes_and_trees_come_back_the_way_they_went, start),
        cmocka_unit_test_setup(a_packet_off_its_path_comes_home, start),
        cmocka_unit_test_setup(symmetric_routes_use_every_equal_path, start),
        cmocka_unit_test_setup(the_base_rtt_and_the_longest_path_are_those_of_all_pairs_by_all_paths, start),
        cmocka_unit_test_setup(a_cycle_is_found_where_paths_of_hosts_make_one, start),
    };
    return cmocka_run_group_tests_name("prop/graph", tests, NULL, NULL);
}
