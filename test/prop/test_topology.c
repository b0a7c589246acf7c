/* test/prop/test_topology.c - random networks of every kind, with cables down: routes against distances found by plain
 * relaxation, ideal times against packets walked through the links one by one. */
#include "core/rng.h"
#include "test/unit/topology/topology_fixture.h"
#include <string.h>

#define NODES_MAX 400u
#define UNREACHED 1000u

static struct weir_rng rng;
static struct weir_topology topo;
static struct weir_topology_config cfg;
static struct weir_routes routes;

static int start(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(20240611, 0, WEIR_RNG_TEST, 0) };
    print_message("seed 20240611\n");
    return 0;
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static uint64_t any_rate(bool whole)
{
    static const uint64_t gbps[] = { 1, 10, 25, 40, 50, 100, 200, 400, 800 };
    return whole ? gbps[below(9)] * GBPS : WEIR_RATE_MIN_BPS + weir_rng_next(&rng) % (1000 * GBPS);
}

/* Of hosts with one NIC: test_nics has the others. */
static void random_config(void)
{
    do {
        cfg = config_of((enum weir_topology_kind)below(WEIR_GRAPH));
    } while (cfg.kind == WEIR_PLANES || cfg.kind == WEIR_RAIL);
    cfg.racks = 1 + below(6);
    cfg.hosts = cfg.kind == WEIR_LEAF_SPINE ? cfg.racks * (1 + below(4)) : 2 + below(30);
    if (cfg.hosts < 2)
        cfg.hosts = 2;
    cfg.spines = 1 + below(5);
    cfg.k = 2 * (1 + below(3));
    cfg.oversubscription = 1 + below(2);
    cfg.switches = 2 + below(cfg.hosts < 15 ? cfg.hosts - 1 : 14);
    cfg.groups = 2 + below(5);
    cfg.global_links = 1 + below(3);
    cfg.dims = (struct weir_number_list){ { 2 + below(5), 2 + below(4), 2 + below(2) }, 1 + below(3) };
    if (cfg.kind == WEIR_DRAGONFLY) {
        cfg.switches = 2 + below(4);
        cfg.hosts = 1 + below(3);
        while (cfg.switches * cfg.global_links + 1 < cfg.groups)
            cfg.groups--;
    }
    if (cfg.kind == WEIR_TORUS)
        cfg.hosts = 1 + below(3);
    cfg.host_delay_ps = 1 + below(5000000);
    cfg.core_delay_ps = 1 + below(5000000);
}

static bool is_layered(void)
{
    bool layered;
    build(&topo, &cfg);
    layered = topo.layered;
    weir_topology_free(&topo);
    return layered;
}

static void random_network(uint32_t cables_down)
{
    random_config();
    build(&topo, &cfg);
    assert_true(topo.node_count <= NODES_MAX);
    for (uint32_t i = 0; i < cables_down; i++) {
        struct weir_link *link = &topo.link[below(topo.link_count)];
        if (link->src >= topo.host_count && link->dst >= topo.host_count)
            link->up = topo.link[link->reverse].up = false;
    }
    route(&routes, &topo, (enum weir_routing)below(3), weir_rng_next(&rng));
}

static void drop_network(void)
{
    weir_routes_free(&routes);
    weir_topology_free(&topo);
}

/* Links from every switch to a host's switch, switches only on the way: relaxed until nothing changes. */
static void distances_to(uint32_t target, uint32_t *distance)
{
    for (uint32_t n = 0; n < topo.node_count; n++)
        distance[n] = n == target ? 0 : UNREACHED;
    relax(&topo, distance);
}

/* The list of a switch holds every port that leads one link closer, once, and no other. */
static void assert_list(uint32_t node, uint32_t edge, const uint32_t *distance)
{
    uint32_t entry = weir_route_entry(&routes, node - topo.host_count, edge), closer = 0;
    bool in_reach = distance[node] + 2 <= WEIR_TOPOLOGY_HOPS_MAX;
    for (uint32_t p = 0; p < topo.node[node].out_count; p++) {
        const struct weir_link *link = &topo.link[topo.node[node].first_out + p];
        bool want = in_reach && link->up && link->dst >= topo.host_count && distance[link->dst] + 1 == distance[node];
        assert_int_equal(in_entry(&routes, entry, p), want);
        closer += want;
    }
    assert_int_equal(entry >> WEIR_ROUTE_FIRST_BITS, closer);
}

static void routes_are_all_the_shortest_paths_and_no_others(void **state)
{
    static uint32_t distance[NODES_MAX];
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        random_network(trial % 2 == 0 ? 0 : below(20));
        for (uint32_t edge = 0; edge < topo.edge_count; edge++) {
            distances_to(topo.edge_node[edge], distance);
            for (uint32_t node = topo.host_count; node < topo.node_count; node++)
                assert_list(node, edge, distance);
        }
        drop_network();
    }
}

/* From every host to every other: each hop is one closer, so there are no loops; no path only where there is none. */
static void walk_all_pairs(void)
{
    static uint32_t distance[NODES_MAX];
    struct weir_route_path path;
    for (uint32_t dst = 0; dst < topo.host_count; dst++) {
        distances_to(topo.edge_node[topo.edge_of[dst]], distance);
        for (uint32_t src = 0; src < topo.host_count; src++) {
            uint32_t links = distance[topo.edge_node[topo.edge_of[src]]] + 2;
            bool found = weir_route_path(&routes, &topo, src, dst, (uint32_t)weir_rng_next(&rng), &path);
            assert_int_equal(found, src != dst && links <= WEIR_TOPOLOGY_HOPS_MAX);
            if (!found)
                continue;
            assert_int_equal(path.count, links);
            assert_int_equal(topo.link[path.link[0]].src, src);
            assert_int_equal(topo.link[path.link[links - 1]].dst, dst);
            for (uint32_t i = 0; i + 1 < links; i++) {
                assert_int_equal(topo.link[path.link[i]].dst, topo.link[path.link[i + 1]].src);
                assert_int_equal(distance[topo.link[path.link[i]].dst], links - 2 - i);
            }
        }
    }
}

static void every_pair_is_joined_by_a_shortest_path(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        random_network(trial % 2 == 0 ? 0 : below(20));
        walk_all_pairs();
        drop_network();
    }
}

static void paths_have_the_length_of_their_kind(void **state)
{
    struct weir_route_path path;
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        random_network(0);
        for (uint32_t src = 0; src < topo.host_count; src++)
            for (uint32_t dst = 0; dst < topo.host_count; dst++) {
                uint32_t a = topo.edge_of[src], b = topo.edge_of[dst], apart = a > b ? a - b : b - a;
                uint32_t links = 2 + apart;
                if (!topo.layered)
                    continue; /* test_torus and test_dragonfly have their lengths */
                if (cfg.kind == WEIR_LEAF_SPINE)
                    links = a == b ? 2 : 4;
                if (cfg.kind == WEIR_FAT_TREE)
                    links = a == b ? 2 : a / (cfg.k / 2) == b / (cfg.k / 2) ? 4 : 6;
                if (weir_route_path(&routes, &topo, src, dst, (uint32_t)weir_rng_next(&rng), &path))
                    assert_int_equal(path.count, links);
                else
                    assert_int_equal(src, dst);
            }
        drop_network();
    }
}

/* With one cable down too: what is left still goes up and then down, from equal lists at both ends. */
static void symmetric_routes_and_trees_come_back_the_way_they_went(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        random_network((uint32_t)trial % 2);
        weir_routes_free(&routes);
        route(&routes, &topo, below(2) == 0 ? WEIR_ROUTE_SYMMETRIC : WEIR_ROUTE_TREES, weir_rng_next(&rng));
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t a = below(topo.host_count), b = below(topo.host_count);
            if (a != b)
                assert_same_way_back(&routes, &topo, a, b, (uint32_t)weir_rng_next(&rng));
        }
        drop_network();
    }
}

/* The cables of all paths with one hash close no ring and join all hosts. */
static void assert_spanning_tree(uint32_t hash)
{
    static uint32_t part[NODES_MAX];
    static bool used[8 * NODES_MAX];
    struct weir_route_path path;
    assert_true(topo.node_count <= NODES_MAX && topo.link_count <= 8 * NODES_MAX);
    memset(used, 0, sizeof(used));
    for (uint32_t i = 0; i < topo.node_count; i++)
        part[i] = i;
    for (uint32_t pair = 0; pair < topo.host_count * topo.host_count; pair++) {
        uint32_t src = pair / topo.host_count, dst = pair % topo.host_count;
        if (!weir_route_path(&routes, &topo, src, dst, hash, &path))
            continue;
        for (uint32_t i = 0; i < path.count; i++) {
            const struct weir_link *link = &topo.link[path.link[i]];
            uint32_t a = part[link->src], b = part[link->dst];
            if (used[path.link[i]])
                continue;
            used[path.link[i]] = used[link->reverse] = true;
            assert_int_not_equal(a, b); /* else it closes a ring */
            for (uint32_t n = 0; n < topo.node_count; n++)
                part[n] = part[n] == a ? b : part[n];
        }
    }
    for (uint32_t host = 1; host < topo.host_count; host++)
        assert_int_equal(part[host], part[0]);
}

/* Each hash names a spanning tree, which both directions of a connection keep to, and hashes choose among as many trees as there are
 * switches at the top. */
static void of_symmetric_routes_each_hash_is_a_spanning_tree(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        do {
            random_config();
        } while (cfg.kind != WEIR_LEAF_SPINE && cfg.kind != WEIR_FAT_TREE);
        build(&topo, &cfg);
        route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, weir_rng_next(&rng));
        assert_spanning_tree((uint32_t)weir_rng_next(&rng));
        drop_network();
    }
}

/* Of any layered kind. Their paths are shortest ones, and together they use every cable that shortest paths use. */
static void trees_of_a_kind_span_it_by_all_of_its_shortest_paths(void **state)
{
    static uint32_t distance[NODES_MAX];
    static bool used[8 * NODES_MAX];
    struct weir_route_path path;
    struct weir_routes all;
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        do {
            random_config();
        } while (!is_layered());
        build(&topo, &cfg);
        route(&routes, &topo, WEIR_ROUTE_TREES, weir_rng_next(&rng));
        route(&all, &topo, WEIR_ROUTE_ECMP, 1);
        assert_spanning_tree((uint32_t)weir_rng_next(&rng));
        memset(used, 0, sizeof(used));
        for (uint32_t dst = 0; dst < topo.host_count; dst++) {
            distances_to(topo.edge_node[topo.edge_of[dst]], distance);
            for (uint32_t src = 0; src < topo.host_count; src++) {
                for (uint32_t i = 0; i < 8 && src != dst; i++) {
                    assert_true(weir_route_path(&routes, &topo, src, dst, (uint32_t)weir_rng_next(&rng), &path));
                    assert_int_equal(path.count, distance[topo.edge_node[topo.edge_of[src]]] + 2);
                    for (uint32_t l = 0; l < path.count; l++)
                        used[path.link[l]] = true;
                }
            }
        }
        for (uint32_t pair = 0; pair < topo.host_count * topo.host_count && topo.host_count >= 8; pair++) {
            if (!weir_route_path(&all, &topo, pair / topo.host_count, pair % topo.host_count, pair * 2654435761u,
                                 &path))
                continue;
            for (uint32_t l = 0; l < path.count; l++)
                assert_true(used[path.link[l]]);
        }
        weir_routes_free(&all);
        drop_network();
    }
}

/* Walks each packet through the links: a link carries one at a time, in order, and a packet leaves when all of it came.
 * Clocks carry remainders as the simulator's do. */
static uint64_t walked_ps(const struct weir_route_path *path, uint32_t full, uint32_t full_bytes, uint32_t last_bytes)
{
    struct weir_tx_clock clock[WEIR_TOPOLOGY_HOPS_MAX];
    uint64_t free_ps[WEIR_TOPOLOGY_HOPS_MAX] = { 0 }, at_ps = 0;
    for (uint32_t i = 0; i < path->count; i++)
        clock[i] = weir_tx_clock_of(topo.link[path->link[i]].rate_bps);
    for (uint32_t p = 0; p < full + (last_bytes > 0); p++) {
        at_ps = 0;
        for (uint32_t i = 0; i < path->count; i++) {
            uint64_t start_ps = at_ps > free_ps[i] ? at_ps : free_ps[i];
            free_ps[i] = start_ps + weir_tx_clock_advance(&clock[i], p < full ? full_bytes : last_bytes);
            at_ps = free_ps[i] + topo.link[path->link[i]].delay_ps;
        }
    }
    return at_ps;
}

static void random_rates(const struct weir_route_path *path, bool whole)
{
    for (uint32_t i = 0; i < path->count; i++) {
        topo.link[path->link[i]].rate_bps = any_rate(whole);
        topo.link[path->link[i]].delay_ps = 1 + below(2000000);
    }
}

static void ideal_times_are_those_of_packets_walked_one_by_one(void **state)
{
    struct weir_route_path path;
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        bool whole = trial % 3 != 0;
        uint32_t full = below(trial % 10 == 0 ? 400 : 12), full_bytes = 64 + below(9600);
        uint32_t last = full == 0 || below(2) ? 1 + below(full_bytes) : 0;
        uint64_t ideal_ps, want_ps;
        random_network(0);
        if (weir_route_path(&routes, &topo, below(topo.host_count / 2), topo.host_count - 1, 0, &path)) {
            random_rates(&path, whole);
            ideal_ps = weir_route_ideal_ps(&topo, &path, full, full_bytes, last);
            want_ps = walked_ps(&path, full, full_bytes, last);
            assert_true(ideal_ps <= want_ps);
            assert_true(want_ps - ideal_ps <= (whole ? 0 : (uint64_t)(full + (last > 0)) * path.count));
        }
        drop_network();
    }
}

/* All pairs and both directions, packet by packet. Trees of kinds that are not layered have paths of several lengths, of
 * which one hash shows one: prop/graph has those. */
static void the_base_rtt_is_the_longest_of_all_pairs(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        struct weir_route_path out, back;
        uint64_t longest_ps = 0, data = 64 + below(1500);
        random_config();
        cfg.host_link_bps = any_rate(true);
        cfg.core_link_bps = any_rate(true);
        build(&topo, &cfg);
        route(&routes, &topo, (enum weir_routing)below(topo.layered ? 4 : 3), weir_rng_next(&rng));
        for (uint32_t a = 0; a < topo.host_count; a++)
            for (uint32_t b = 0; b < topo.host_count; b++)
                if (weir_route_path(&routes, &topo, a, b, (uint32_t)weir_rng_next(&rng), &out) &&
                    weir_route_path(&routes, &topo, b, a, (uint32_t)weir_rng_next(&rng), &back)) {
                    uint64_t rtt_ps = walked_ps(&out, 1, (uint32_t)data, 0) + walked_ps(&back, 1, 84, 0);
                    longest_ps = rtt_ps > longest_ps ? rtt_ps : longest_ps;
                }
        assert_true(weir_route_base_rtt_ps(&routes, &topo, (uint32_t)data, 84) == longest_ps);
        drop_network();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(routes_are_all_the_shortest_paths_and_no_others, start),
        cmocka_unit_test_setup(every_pair_is_joined_by_a_shortest_path, start),
        cmocka_unit_test_setup(paths_have_the_length_of_their_kind, start),
        cmocka_unit_test_setup(symmetric_routes_and_trees_come_back_the_way_they_went, start),
        cmocka_unit_test_setup(of_symmetric_routes_each_hash_is_a_spanning_tree, start),
        cmocka_unit_test_setup(trees_of_a_kind_span_it_by_all_of_its_shortest_paths, start),
        cmocka_unit_test_setup(ideal_times_are_those_of_packets_walked_one_by_one, start),
        cmocka_unit_test_setup(the_base_rtt_is_the_longest_of_all_pairs, start),
    };
    return cmocka_run_group_tests_name("prop/topology", tests, NULL, NULL);
}
