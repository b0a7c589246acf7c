/* test/unit/topology/test_tree.c - spanning trees of small networks, by hand. */
#include "topology/tree.h"
#include "test/unit/refusal.h"
#include "test/unit/topology/graph_fixture.h"

static struct weir_topology topo;
static struct weir_trees trees;
static uint16_t list[WEIR_TREES_MAX];

static void find(void)
{
    struct weir_err err = { 0 };
    build_graph(&topo);
    if (weir_trees_find(&trees, &topo, &err) != 0)
        fail_msg("%s", err.text);
}

static void drop(void)
{
    weir_trees_free(&trees);
    weir_topology_free(&topo);
}

/* The switch to which the port of a switch leads in a tree, on the way to another. */
static uint32_t next(uint32_t tree, uint32_t from, uint32_t to)
{
    weir_trees_aim(&trees, &topo, to);
    assert_true(tree < weir_trees_ports(&trees, to, from, list));
    return topo.link[topo.node[sw(from)].first_out + list[tree]].dst - topo.host_count;
}

static void a_ring_has_a_tree_for_each_switch_and_each_half_at_the_far_side(void **state)
{
    (void)state;
    begin_graph(4, 4);
    for (uint32_t i = 0; i < 4; i++) {
        join(i, sw(i));
        join(sw(i), sw((i + 1) % 4));
    }
    find();
    assert_int_equal(trees.count, 8); /* four roots; the switch opposite has two equal parents */
    assert_int_equal(trees.most, 8);
    /* tree 0: root 0, above 1 and 3; 2 is below 1, its lower port, in tree 1 below 3 */
    assert_int_equal(next(0, 1, 2), 2);
    assert_int_equal(next(0, 3, 2), 0); /* the cable between them is not in the tree: the long way round */
    assert_int_equal(next(0, 0, 2), 1);
    assert_int_equal(next(1, 3, 2), 2);
    assert_int_equal(next(1, 1, 2), 0);
    assert_int_equal(next(1, 2, 1), 3);
    weir_trees_aim(&trees, &topo, 2);
    assert_int_equal(weir_trees_ports(&trees, 2, 2, list), 0); /* the target itself */
    drop();
}

static void parallel_cables_are_of_different_trees(void **state)
{
    uint32_t first;
    (void)state;
    begin_graph(2, 3);
    join(0, sw(0));
    join(1, sw(1));
    for (uint32_t leaf = 0; leaf < 2; leaf++)
        for (uint32_t i = 0; i < 2; i++)
            join(sw(leaf), sw(2));
    find();
    assert_int_equal(trees.count, 2); /* only the spine is of the highest tier */
    weir_trees_aim(&trees, &topo, 1);
    assert_int_equal(weir_trees_ports(&trees, 1, 0, list), 2);
    first = list[0];
    assert_int_equal(list[1], first + 1);
    drop();
}

static void each_part_has_its_own(void **state)
{
    (void)state;
    begin_graph(4, 5);
    for (uint32_t h = 0; h < 4; h++)
        join(h, sw(h));
    for (uint32_t h = 0; h < 4; h++)
        join(sw(h), sw(4));
    build_graph(&topo);
    set_cable(&topo, sw(2), sw(4), false);
    set_cable(&topo, sw(3), sw(4), false);
    {
        struct weir_err err = { 0 };
        assert_int_equal(weir_trees_find(&trees, &topo, &err), 0);
    }
    assert_int_equal(trees.count, 3); /* of 0, 1 and their spine; of 2 alone; of 3 alone */
    assert_int_equal(trees.most, 1);
    weir_trees_aim(&trees, &topo, 1);
    assert_int_equal(weir_trees_ports(&trees, 1, 0, list), 1);
    assert_int_equal(weir_trees_ports(&trees, 1, 2, list), 0);
    drop();
}

/* 65 switches in a row, hosts everywhere: only the one in the middle is within 32 links of all. Of 66 none is. */
static void a_tree_deeper_than_half_the_longest_path_is_left_out(void **state)
{
    (void)state;
    for (uint32_t count = 65; count <= 66; count++) {
        begin_graph(count, count);
        for (uint32_t i = 0; i < count; i++)
            join(i, sw(i));
        for (uint32_t i = 0; i + 1 < count; i++)
            join(sw(i), sw(i + 1));
        find();
        assert_int_equal(trees.count, count == 65);
        if (count == 65)
            assert_int_equal(next(0, 3, 64), 4);
        drop();
    }
}

/* Two switches are each a root, and each parallel cable makes a tree. */
static void too_many_are_refused(void **state)
{
    struct weir_err err = { 0 };
    (void)state;
    for (uint32_t cables = 2047; cables <= 2048; cables++) {
        begin_graph(2, 2);
        join(0, sw(0));
        join(1, sw(1));
        for (uint32_t i = 0; i < cables; i++)
            join(sw(0), sw(1));
        build_graph(&topo);
        assert_int_equal(weir_trees_find(&trees, &topo, &err), cables == 2047 ? 0 : WEIR_E_RANGE);
        assert_int_equal(trees.count, cables == 2047 ? 4094 : 0);
        drop();
    }
    assert_refusal(&err, WEIR_E_RANGE, "", "4095");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_has_a_tree_for_each_switch_and_each_half_at_the_far_side),
        cmocka_unit_test(parallel_cables_are_of_different_trees),
        cmocka_unit_test(each_part_has_its_own),
        cmocka_unit_test(a_tree_deeper_than_half_the_longest_path_is_left_out),
        cmocka_unit_test(too_many_are_refused),
    };
    return cmocka_run_group_tests_name("topology/tree", tests, NULL, NULL);
}
