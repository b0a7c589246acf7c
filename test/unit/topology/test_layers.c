/* test/unit/topology/test_layers.c - routes without a search against those of a search, entry by entry: the same ports in the
 * same order. The search is that by delay, which with equal delays finds the paths of the fewest links. */
#include "core/rng.h"
#include "test/unit/topology/topology_fixture.h"
#include "topology/layers.h"
#include "topology/plan.h"
#include "topology/once.h"
#include <stdlib.h>

static struct weir_topology topo;
static struct weir_routes routes, searched;
static struct weir_rng rng;
static struct weir_cable cable[4096];
static struct weir_plan plan;

static int start(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(60, 0, WEIR_RNG_TEST, 0) };
    print_message("seed 60\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_routes_free(&searched);
    weir_topology_free(&topo);
    return 0;
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static void drop(void)
{
    (void)end(NULL);
}

static void route_both(void)
{
    weir_routes_free(&routes);
    weir_routes_free(&searched);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 7);
    route_by_delay(&searched, &topo);
    assert_null(searched.below);
}

static void assert_same_entries(void)
{
    for (uint32_t s = 0; s < topo.switch_count; s++)
        for (uint32_t e = 0; e < topo.edge_count; e++) {
            uint32_t is = weir_route_entry(&routes, s, e), must = weir_route_entry(&searched, s, e);
            uint32_t count = must >> WEIR_ROUTE_FIRST_BITS;
            assert_int_equal(is >> WEIR_ROUTE_FIRST_BITS, count);
            assert_memory_equal(&routes.port[is & WEIR_ROUTE_FIRST_MASK], &searched.port[must & WEIR_ROUTE_FIRST_MASK],
                                count * sizeof(uint16_t));
        }
}

/* What a packet is told, with either table. */
static void assert_same_ports(void)
{
    struct weir_route_here is, must;
    for (int i = 0; i < 200; i++) {
        uint32_t node = topo.host_count + below(topo.switch_count), dst = below(topo.host_count);
        uint32_t hash = (uint32_t)weir_rng_next(&rng);
        is = weir_route_here(&routes, node), must = weir_route_here(&searched, node);
        must.salt = is.salt;
        assert_int_equal(weir_route_by_edge(&is, dst, hash), weir_route_by_edge(&must, dst, hash));
        assert_int_equal(weir_route_by_table(&is, dst, hash), weir_route_by_table(&must, dst, hash));
    }
}

/* A fat-tree or a leaf-spine, in half of the cases with more hosts than entries by host are made for. */
static void random_kind(void)
{
    static const uint64_t gbps[] = { 10, 25, 100 };
    struct weir_topology_config cfg = config_of(below(3) > 0 ? WEIR_FAT_TREE : WEIR_LEAF_SPINE);
    cfg.pods = 1 + below(9), cfg.edges = 1 + below(7), cfg.aggs = 1 + below(4), cfg.uplinks = 1 + below(4);
    cfg.edge_hosts = 1 + below(5) * below(3);
    cfg.racks = 1 + below(40), cfg.spines = 1 + below(6), cfg.hosts = cfg.racks * (1 + below(14));
    if (cfg.kind == WEIR_FAT_TREE && cfg.pods * cfg.edges * cfg.edge_hosts < 2)
        cfg.edge_hosts = 2;
    if (cfg.hosts < 2)
        cfg.hosts = 2;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < topo.host_count && below(2) == 0; h++) { /* hosts of several rates */
        struct weir_link *up = &topo.link[topo.node[h].first_out];
        up->rate_bps = topo.link[up->reverse].rate_bps = gbps[below(3)] * GBPS;
        up->delay_ps += below(1000) * WEIR_PS_PER_NS;
    }
}

static void assert_same_lengths(void)
{
    size_t pairs = (size_t)topo.edge_count * topo.edge_count;
    uint8_t *is = malloc(pairs), *must = malloc(pairs);
    uint32_t data = 64 + below(1500), ack = 64 + below(60), src, dst;
    assert_true(is != NULL && must != NULL);
    memset(is, 0xee, pairs); /* what is not written differs */
    assert_int_equal(weir_route_links_max(&routes, &topo), weir_route_links_max(&searched, &topo));
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, data, ack),
                     weir_route_base_rtt_ps(&searched, &topo, data, ack));
    weir_route_switches(&routes, &topo, is);
    weir_route_switches(&searched, &topo, must);
    assert_memory_equal(is, must, pairs);
    assert_false(weir_route_gap(&routes, &topo, &src, &dst));
    assert_false(weir_route_gap(&searched, &topo, &src, &dst));
    free(is);
    free(must);
}

static void routes_of_layers_are_those_of_a_search(void **state)
{
    (void)state;
    for (int trial = 0; trial < 150; trial++) {
        random_kind();
        route_both();
        assert_non_null(routes.below);
        assert_same_entries();
        assert_same_ports();
        assert_same_lengths();
        drop();
    }
}

/* A cable between switches goes down in both directions or in one, and comes up again. */
static void without_a_cable_routes_are_searched_for_until_it_is_back(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        uint32_t down = 0;
        random_kind();
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t l = below(topo.link_count);
            if (topo.link[l].src < topo.host_count || topo.link[l].dst < topo.host_count)
                continue;
            topo.link[l].up = false;
            topo.link[topo.link[l].reverse].up = below(3) == 0;
            down++;
        }
        route_both();
        assert_int_equal(routes.below == NULL, down > 0);
        assert_same_entries();
        for (uint32_t l = 0; l < topo.link_count; l++)
            topo.link[l].up = true;
        route_both();
        assert_non_null(routes.below);
        assert_same_entries();
        drop();
    }
}

/* What counts is how switches are joined. */
static void a_host_without_its_cable_does_not_end_the_layers(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        random_kind();
        uint32_t up = topo.node[below(topo.host_count)].first_out;
        topo.link[up].up = topo.link[topo.link[up].reverse].up = false;
        route_both();
        assert_non_null(routes.below);
        assert_same_entries();
        drop();
    }
}

static void lay(uint32_t a, uint32_t b)
{
    assert_true(plan.laid < sizeof(cable) / sizeof(cable[0]));
    cable[plan.laid++] = (struct weir_cable){ a, b, 10 * GBPS, WEIR_PS_PER_US, 10 * GBPS, WEIR_PS_PER_US, 0 };
}

/* Three tiers of switches, each joined to switches of the next, as a rule to all of one group. From time to time a rule is
 * broken: a cable too many, missing or doubled, between the wrong tiers, or a host too high. */
static void random_tiers(void)
{
    uint32_t pods = 1 + below(4), edges = 1 + below(3), aggs = 1 + below(3), cores = aggs * (1 + below(2));
    uint32_t hosts = pods * edges + 1, edge = hosts, agg = edge + pods * edges, core = agg + pods * aggs, broken;
    plan = (struct weir_plan){ .shape = { { hosts, pods * edges, pods * aggs, cores }, 0 }, .cable = cable };
    for (uint32_t h = 0; h + 1 < hosts; h++)
        lay(h, edge + h);
    lay(hosts - 1, below(4) > 0 ? edge : edge + below(pods * edges + pods * aggs + cores));
    for (uint32_t p = 0; p < pods; p++)
        for (uint32_t a = 0; a < aggs; a++) {
            for (uint32_t e = 0; e < edges; e++)
                for (uint32_t n = 1 + (below(8) == 0); n > 0; n--)
                    lay(edge + p * edges + e, agg + p * aggs + a);
            for (uint32_t c = 0; c < cores; c++)
                if (c % aggs == a)
                    lay(agg + p * aggs + a, core + c);
        }
    broken = below(8);
    if (broken == 0) /* one is missing: of two switches, so the last of them may have none left */
        cable[hosts + below(plan.laid - hosts)] = cable[plan.laid - 1], plan.laid--;
    if (broken == 1)
        lay(edge + below(pods * edges), agg + below(pods * aggs));
    if (broken == 2)
        lay(edge + below(pods * edges), core + below(cores));
    if (broken == 3 && cores > 1)
        lay(core, core + 1 + below(cores - 1));
    if (broken == 4)
        lay(agg + below(pods * aggs), core + below(cores));
}

static void networks_that_are_nearly_in_layers_have_the_routes_of_a_search(void **state)
{
    uint32_t layers = 0, others = 0;
    struct weir_err err;
    (void)state;
    for (int trial = 0; trial < 1500; trial++) {
        random_tiers();
        assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
        route_both();
        assert_same_entries();
        if (routes.below != NULL) {
            layers++;
            assert_int_equal(weir_route_links_max(&routes, &topo), weir_route_links_max(&searched, &topo));
        }
        others += routes.below == NULL;
        drop();
    }
    assert_true(layers > 300 && others > 300);
}

/* Two pods with two edge and two aggregation switches each; aggregation switches have cores of their own. */
static void lay_pods(void)
{
    plan = (struct weir_plan){ .shape = { { 4, 4, 4, 2 }, 0 }, .cable = cable };
    for (uint32_t h = 0; h < 4; h++)
        lay(h, 4 + h);
    for (uint32_t e = 0; e < 4; e++)
        for (uint32_t a = 0; a < 2; a++)
            lay(4 + e, 8 + e / 2 * 2 + a);
    for (uint32_t a = 0; a < 4; a++)
        lay(8 + a, 12 + a % 2);
}

static bool has_layers(void)
{
    struct weir_err err;
    bool has;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 7);
    has = routes.below != NULL;
    return has;
}

static void each_rule_of_layers_is_looked_at(void **state)
{
    (void)state;
    lay_pods();
    assert_true(has_layers());
    lay(8, 12); /* parallel cables are no harm */
    assert_true(has_layers());
    lay_pods();
    lay(12, 13); /* rule 1: of one tier */
    assert_false(has_layers());
    lay_pods();
    cable[4 + 2].b = 10; /* rule 2: edge 1 is below both pods' switches, but those of pod 0 are not the same */
    assert_false(has_layers());
    lay_pods();
    plan.laid--; /* rule 3 and 4: core 1 has pod 0 alone */
    assert_false(has_layers());
    lay_pods();
    cable[plan.laid - 1].b = 12; /* rule 4: the same, where the other pod has both cables at core 0 */
    assert_false(has_layers());
}

static void switches_with_equal_sections_share_a_row(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    uint32_t rows = 0;
    (void)state;
    cfg.k = 8;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 7);
    for (uint32_t s = 0; s < topo.switch_count; s++)
        rows = routes.row_of[s] > rows ? routes.row_of[s] : rows;
    /* 32 edges in blocks of 4, a pod: edge switches have one row, aggregation switches one of each pod, cores one */
    assert_int_equal(routes.block_mask, 3);
    assert_int_equal(rows / 8, 1 + 8 + 1 - 1);
    assert_memory_equal(&routes.below[0], &((struct weir_route_range){ 0, 1 }), sizeof(routes.below[0]));
    assert_memory_equal(&routes.below[32 + 4], &((struct weir_route_range){ 4, 8 }), sizeof(routes.below[0]));
    assert_memory_equal(&routes.below[64], &((struct weir_route_range){ 0, 32 }), sizeof(routes.below[0]));
}

static void routes_of_another_seed_share_the_tables(void **state)
{
    struct weir_err err;
    (void)state;
    for (int routing = WEIR_ROUTE_ECMP; routing <= WEIR_ROUTE_TREES; routing++) {
        struct weir_routes built;
        struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
        build(&topo, &cfg);
        route(&routes, &topo, (enum weir_routing)routing, 0);
        route(&built, &topo, (enum weir_routing)routing, 9);
        assert_int_equal(weir_routes_share(&searched, &routes, &topo, (enum weir_routing)routing, 9, &err), 0);
        assert_ptr_equal(searched.entry, routes.entry);
        assert_memory_equal(searched.salt, built.salt, topo.switch_count * sizeof(*built.salt));
        assert_int_equal(searched.nic_salt, built.nic_salt);
        weir_routes_free(&built);
        weir_routes_free(&searched); /* the tables stay */
        assert_true(weir_route(&routes, topo.host_count, 0, 0, 3) == 0);
        drop();
    }
}

static void equal_sequences_are_stored_once(void **state)
{
    struct weir_once once = { 0 };
    uint32_t number[3], first[1000];
    bool is_new;
    (void)state;
    for (uint32_t i = 0; i < 2000; i++) {
        struct weir_once_slot *slot;
        uint32_t count = 1 + i % 1000 % 3;
        number[0] = i % 1000, number[1] = number[2] = 5;
        slot = weir_once_intern(&once, number, count, &is_new);
        assert_non_null(slot);
        assert_int_equal(is_new, i < 1000);
        assert_int_equal(slot->count, count);
        assert_memory_equal(&once.number[slot->first], number, count * sizeof(*number));
        assert_int_equal(slot->value, i < 1000 ? 0 : i - 1000);
        slot->value = i < 1000 ? i : slot->value;
        if (i < 1000)
            first[i] = slot->first;
        else
            assert_int_equal(slot->first, first[i - 1000]);
    }
    assert_int_equal(once.filled, 1000);
    weir_once_free(&once);
    assert_null(once.number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(routes_of_layers_are_those_of_a_search, start, end),
        cmocka_unit_test_setup_teardown(without_a_cable_routes_are_searched_for_until_it_is_back, start, end),
        cmocka_unit_test_setup_teardown(a_host_without_its_cable_does_not_end_the_layers, start, end),
        cmocka_unit_test_setup_teardown(networks_that_are_nearly_in_layers_have_the_routes_of_a_search, start, end),
        cmocka_unit_test_setup_teardown(each_rule_of_layers_is_looked_at, start, end),
        cmocka_unit_test_setup_teardown(switches_with_equal_sections_share_a_row, start, end),
        cmocka_unit_test_setup_teardown(routes_of_another_seed_share_the_tables, start, end),
        cmocka_unit_test(equal_sequences_are_stored_once),
    };
    return cmocka_run_group_tests_name("topology/layers", tests, NULL, NULL);
}
