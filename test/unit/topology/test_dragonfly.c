/* test/unit/topology/test_dragonfly.c - which switches of a dragonfly are joined, and how the ports of groups are used. */
#include "test/unit/topology/topology_fixture.h"

static struct weir_topology topo;
static struct weir_topology_config cfg;

static void make(uint32_t groups, uint32_t switches, uint32_t hosts, uint32_t global_links)
{
    weir_topology_free(&topo);
    cfg = config_of(WEIR_DRAGONFLY);
    cfg.groups = groups, cfg.switches = switches, cfg.hosts = hosts, cfg.global_links = global_links;
    build(&topo, &cfg);
    numbering_keeps_its_rules(&topo);
}

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

/* Returns the number of cables between two switches, counted from switch 0. */
static uint32_t between(uint32_t a, uint32_t b)
{
    const struct weir_node *node = &topo.node[topo.host_count + a];
    uint32_t count = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        count += topo.link[l].dst == topo.host_count + b;
    return count;
}

static uint32_t between_groups(uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < cfg.switches; s++)
        for (uint32_t t = 0; t < cfg.switches; t++)
            count += between(a * cfg.switches + s, b * cfg.switches + t);
    return count;
}

static void assert_groups_are_complete(void)
{
    for (uint32_t s = 0; s < topo.switch_count; s++)
        for (uint32_t t = 0; t < topo.switch_count; t++)
            if (s / cfg.switches == t / cfg.switches)
                assert_int_equal(between(s, t), s != t);
}

/* The example of Kim et al.: h = p = 2, a = 4, g = 9, 72 hosts. Group 0's ports 0 .. 7 lead to groups 1 .. 8, so switch
 * 0 to groups 1 and 2, switch 3 to groups 7 and 8. Of group 8 the ports lead to groups 0 .. 7. */
static void largest_dragonfly_has_one_cable_between_groups_in_consecutive_order(void **state)
{
    (void)state;
    make(9, 4, 2, 2);
    assert_int_equal(topo.host_count, 72);
    assert_int_equal(topo.switch_count, 36);
    assert_int_equal(topo.link_count, 2 * (72 + 9 * 6 + 9 * 8 / 2));
    assert_groups_are_complete();
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = 0; b < 9; b++)
            if (a != b)
                assert_int_equal(between_groups(a, b), 1);
    for (uint32_t s = 0; s < 36; s++)
        assert_int_equal(topo.node[72 + s].out_count, 2 + 3 + 2);
    assert_int_equal(between(0, 4), 1);       /* port 0 of group 0, port 0 of group 1 */
    assert_int_equal(between(0, 8), 1);       /* port 1 of group 0, port 0 of group 2 */
    assert_int_equal(between(3, 32), 1);      /* port 7 of group 0, port 0 of group 8 */
    assert_int_equal(between(4 + 0, 8), 1);   /* port 1 of group 1 is to group 2, whose port 1 is to group 1 */
    assert_int_equal(between(28 + 3, 35), 1); /* port 7 of group 7, port 7 of group 8 */
    assert_int_equal(topo.link[topo.node[7].first_out].dst, 72 + 3); /* hosts 6 and 7 are at switch 3 */
}

/* 2 switches of 4 global links, 3 groups: 8 ports, 4 rounds of 2. So 4 cables between each two groups. */
static void fewer_groups_have_as_many_cables_more(void **state)
{
    (void)state;
    make(3, 2, 1, 4);
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t b = 0; b < 3; b++)
            if (a != b)
                assert_int_equal(between_groups(a, b), 4);
    for (uint32_t s = 0; s < 6; s++)
        assert_int_equal(topo.node[6 + s].out_count, 1 + 1 + 4);
}

/* Ports of a group that complete rounds leave: 2 of 6 with 5 groups, 1 of 4 with 4 groups, 1 of 5 with 5 groups. The
 * first have one more cable to the groups at distance 1. Of the second groups 0 and 2, 1 and 3 have one more. The third
 * stay without. */
static void ports_left_over_join_near_groups(void **state)
{
    (void)state;
    make(5, 3, 1, 2);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_equal(between_groups(a, b), a - b == 1 || a - b == 4 ? 2 : 1);
    for (uint32_t s = 0; s < 15; s++)
        assert_int_equal(topo.node[15 + s].out_count, 1 + 2 + 2);
    make(4, 4, 1, 1);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_equal(between_groups(a, b), a - b == 2 ? 2 : 1);
    make(5, 5, 1, 1);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_equal(between_groups(a, b), 1);
    assert_int_equal(topo.node[25 + 4].out_count, 1 + 4); /* the fifth port of group 0 has no cable */
}

/* Every pair of groups, whatever the numbers, and as many cables as the shape says: the room asserts that. */
static void every_two_groups_are_joined_in_all_small_dragonflies(void **state)
{
    (void)state;
    for (uint32_t groups = 2; groups <= 9; groups++)
        for (uint32_t switches = 1; switches <= 4; switches++)
            for (uint32_t links = 1; links <= 4; links++) {
                if (switches * links + 1 < groups)
                    continue;
                make(groups, switches, 1, links);
                assert_groups_are_complete();
                for (uint32_t a = 0; a < groups; a++)
                    for (uint32_t b = 0; b < a; b++)
                        assert_in_range(between_groups(a, b), switches * links / (groups - 1),
                                        switches * links / (groups - 1) + 1);
                for (uint32_t s = 0; s < topo.switch_count; s++)
                    assert_true(topo.node[topo.host_count + s].out_count <= 1 + switches - 1 + links);
            }
}

/* From a switch to the one with the cable, to the other group, within it: 3 links, and 2 of hosts. */
static void paths_have_at_most_three_links_between_switches(void **state)
{
    struct weir_routes routes;
    (void)state;
    make(9, 4, 2, 2);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
    assert_int_equal(weir_route_links_max(&routes, &topo), 5);
    assert_false(topo.layered);
    weir_routes_free(&routes);
}

static int code_of(uint32_t groups, uint32_t switches, uint32_t hosts, uint32_t global_links)
{
    struct weir_topology_config bad = config_of(WEIR_DRAGONFLY);
    bad.groups = groups, bad.switches = switches, bad.hosts = hosts, bad.global_links = global_links;
    return refusal_code(&bad, "");
}

static void a_dragonfly_that_cannot_be_built_is_refused(void **state)
{
    (void)state;
    assert_int_equal(code_of(1, 4, 1, 2), WEIR_E_RANGE);
    assert_int_equal(code_of(9, 0, 1, 2), WEIR_E_RANGE);
    assert_int_equal(code_of(9, 4, 1, 0), WEIR_E_RANGE);
    assert_int_equal(code_of(9, 4, 0, 2), WEIR_E_CONFLICT);
    assert_int_equal(code_of(8, 4, 1, 2), 0);
    assert_int_equal(code_of(9, 4, 1, 2), 0);
    assert_int_equal(code_of(10, 4, 1, 2), WEIR_E_CONFLICT); /* 8 cables of a group, 9 other groups */
    assert_int_equal(code_of(2, 1024, 1, 1025), WEIR_E_RANGE);
    assert_int_equal(code_of(2, 1025, 1, 1), WEIR_E_RANGE);
    assert_int_equal(code_of(1024, 64, 1, 16), WEIR_E_CONFLICT); /* 65536 switches */
    assert_int_equal(code_of(2, 1024, 513, 1), WEIR_E_CONFLICT); /* 1050624 hosts */
    assert_int_equal(code_of(2, 1024, 1, 1024), 0);              /* 2048 + 1047552 + 1048576 cables */
    assert_int_equal(code_of(8, 1024, 1, 1024), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 2, 65535 - 2 + 1, 1), WEIR_E_CONFLICT); /* one port to the group, one global */
    assert_int_equal(code_of(2, 2, 65535 - 2, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(largest_dragonfly_has_one_cable_between_groups_in_consecutive_order, teardown),
        cmocka_unit_test_teardown(fewer_groups_have_as_many_cables_more, teardown),
        cmocka_unit_test_teardown(ports_left_over_join_near_groups, teardown),
        cmocka_unit_test_teardown(every_two_groups_are_joined_in_all_small_dragonflies, teardown),
        cmocka_unit_test_teardown(paths_have_at_most_three_links_between_switches, teardown),
        cmocka_unit_test(a_dragonfly_that_cannot_be_built_is_refused),
    };
    return cmocka_run_group_tests_name("topology/dragonfly", tests, NULL, NULL);
}
