/* test/prop/test_nics.c - random planes and rails, with cables down: the NICs that lead from a host to another, and the lengths of paths,
 * against plain relaxation; with all cables up symmetric paths take the same cables back. */
#include "core/rng.h"
#include "test/unit/topology/topology_fixture.h"

#define NODES_MAX 200u
#define UNREACHED 1000u

static struct weir_rng rng;
static struct weir_topology topo;
static struct weir_routes routes;

static int start(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(20250127, 0, WEIR_RNG_TEST, 0) };
    print_message("seed 20250127\n");
    return 0;
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static void random_network(uint32_t cables_down, enum weir_routing routing)
{
    struct weir_topology_config cfg = config_of(below(2) == 0 ? WEIR_PLANES : WEIR_RAIL);
    cfg.racks = 1 + below(4);
    cfg.hosts = cfg.racks * (2 + below(4));
    cfg.planes = 2 + below(4);
    cfg.servers = 1 + below(4);
    cfg.gpus = 2 * (1 + below(4));
    cfg.rails = below(3) == 0 ? 0 : below(2) == 0 ? cfg.gpus / 2 : 1;
    cfg.spines = below(4) + (cfg.racks > 1 || cfg.rails != 1);
    build(&topo, &cfg);
    assert_true(topo.node_count <= NODES_MAX);
    for (uint32_t i = 0; i < cables_down; i++) {
        struct weir_link *link = &topo.link[below(topo.link_count)];
        link->up = topo.link[link->reverse].up = false;
    }
    route(&routes, &topo, routing, weir_rng_next(&rng));
}

static void drop_network(void)
{
    weir_routes_free(&routes);
    weir_topology_free(&topo);
}

/* A host whose cables are all down keeps its NICs: packets wait for it. */
static bool is_usable(uint32_t host, uint32_t link)
{
    const struct weir_node *node = &topo.node[host];
    bool any = false;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        any = any || topo.link[l].up;
    return topo.link[link].up || !any;
}

/* Links from every switch to a host, by switches only: relaxed until nothing changes. */
static void distances_to(uint32_t host, uint32_t *distance)
{
    const struct weir_node *node = &topo.node[host];
    for (uint32_t n = 0; n < topo.node_count; n++)
        distance[n] = UNREACHED;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        if (is_usable(host, l))
            distance[topo.link[l].dst] = 1;
    relax(&topo, distance);
}

static void assert_pair(uint32_t src, uint32_t dst, const uint32_t *distance)
{
    const struct weir_node *node = &topo.node[src];
    uint32_t nearest = UNREACHED, want = 0;
    for (uint32_t i = 0; i < node->out_count; i++) {
        uint32_t links = 1 + distance[topo.link[node->first_out + i].dst];
        if (!is_usable(src, node->first_out + i) || links > nearest || links > UNREACHED)
            continue;
        want = links < nearest ? 1u << i : want | 1u << i;
        nearest = links;
    }
    assert_int_equal(weir_route_nics(&routes, &topo, src, dst), want);
    for (uint32_t i = 0; i < node->out_count; i++) {
        struct weir_route_path path;
        if ((want >> i & 1) == 0)
            continue;
        assert_true(weir_route_path_from(&routes, &topo, src, i, dst, (uint32_t)weir_rng_next(&rng), &path));
        assert_int_equal(path.count, nearest);
        for (uint32_t l = 1; l < path.count; l++)
            assert_int_equal(topo.link[path.link[l]].src, topo.link[path.link[l - 1]].dst);
    }
}

static void the_nearest_nics_lead_there_by_shortest_paths(void **state)
{
    static uint32_t distance[NODES_MAX];
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        random_network(trial % 2 == 0 ? 0 : below(12), (enum weir_routing)below(3));
        for (uint32_t dst = 0; dst < topo.host_count; dst++) {
            distances_to(dst, distance);
            for (uint32_t src = 0; src < topo.host_count; src++)
                if (src != dst)
                    assert_pair(src, dst, distance);
        }
        drop_network();
    }
}

/* Each host chooses by the same hash, so both take the same NICs, and then the same cables. */
static void symmetric_paths_come_back_the_way_they_went(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        random_network(0, WEIR_ROUTE_SYMMETRIC);
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t a = below(topo.host_count), b = below(topo.host_count), hash = (uint32_t)weir_rng_next(&rng), nic;
            struct weir_route_path there, back;
            if (a == b)
                continue;
            nic = weir_route_nic_by(&routes, weir_route_nics(&routes, &topo, a, b), hash);
            assert_true(weir_route_path_from(&routes, &topo, a, nic, b, hash, &there));
            nic = weir_route_nic_by(&routes, weir_route_nics(&routes, &topo, b, a), hash);
            assert_true(weir_route_path_from(&routes, &topo, b, nic, a, hash, &back));
            assert_reversed(&topo, &there, &back);
        }
        drop_network();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_nearest_nics_lead_there_by_shortest_paths, start),
        cmocka_unit_test_setup(symmetric_paths_come_back_the_way_they_went, start),
    };
    return cmocka_run_group_tests_name("prop/nics", tests, NULL, NULL);
}
