/* test/unit/cli/test_taps.c - where packets are captured, from arguments. */
#include "test/unit/refusal.h"
#include "test/unit/topology/topology_fixture.h"
#include "cli/taps.h"
#include <string.h>

static struct weir_topology topo; /* hosts 0 to 3, leaves 4 and 5, spines 6 and 7 */
static uint8_t tap[64];
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    build_alike(&topo, WEIR_LEAF_SPINE, 4);
    assert_in_range(topo.link_count, 1, sizeof(tap));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static int taps(const char *a, const char *b)
{
    const char *const text[] = { a, b };
    memset(tap, 0, sizeof(tap));
    return weir_taps_set(tap, &topo, text, (a != NULL) + (b != NULL), &err);
}

static void assert_tap(const char *link, uint8_t must)
{
    char name[WEIR_LINK_NAME];
    for (uint32_t i = 0; i < topo.link_count; i++) {
        weir_topology_link_name(&topo, i, name, sizeof(name));
        if (strcmp(name, link) == 0) {
            assert_int_equal(tap[i], must);
            tap[i] = 0;
        }
    }
}

static void assert_no_other(void)
{
    for (uint32_t i = 0; i < topo.link_count; i++)
        assert_int_equal(tap[i], 0);
}

static void a_node_is_all_that_it_sends_and_receives(void **state)
{
    (void)state;
    assert_int_equal(taps("host 3", NULL), 0);
    assert_tap("host 3 > leaf 1", WEIR_TAP_SENT);
    assert_tap("leaf 1 > host 3", WEIR_TAP_ARRIVED);
    assert_no_other();
    assert_int_equal(taps("spine 0", NULL), 0);
    assert_tap("spine 0 > leaf 0", WEIR_TAP_SENT);
    assert_tap("spine 0 > leaf 1", WEIR_TAP_SENT);
    assert_tap("leaf 0 > spine 0", WEIR_TAP_ARRIVED);
    assert_tap("leaf 1 > spine 0", WEIR_TAP_ARRIVED);
    assert_no_other();
}

static void two_nodes_are_what_one_sends_to_the_other(void **state)
{
    (void)state;
    assert_int_equal(taps("leaf 0 > spine 1", NULL), 0);
    assert_tap("leaf 0 > spine 1", WEIR_TAP_SENT);
    assert_no_other();
}

static void lists_and_several_arguments_add_up(void **state)
{
    (void)state;
    assert_int_equal(taps("leaf 0 > spine 1 ,host 0", "  leaf 0 > host 0"), 0);
    assert_tap("leaf 0 > spine 1", WEIR_TAP_SENT);
    assert_tap("host 0 > leaf 0", WEIR_TAP_SENT);
    assert_tap("leaf 0 > host 0", WEIR_TAP_SENT | WEIR_TAP_ARRIVED);
    assert_no_other();
}

static void none_are_all_hosts(void **state)
{
    (void)state;
    assert_int_equal(taps(NULL, NULL), 0);
    for (uint32_t i = 0; i < topo.link_count; i++)
        assert_int_equal(tap[i], topo.link[i].src < 4 ? WEIR_TAP_SENT : topo.link[i].dst < 4 ? WEIR_TAP_ARRIVED : 0);
}

static void what_is_not_there_is_refused(void **state)
{
    static const char *const wrong[] = { "hots 3",
                                         "host 4",
                                         "host",
                                         "leaf 0 > leaf 1",
                                         "host 0 > spine 0",
                                         "leaf 0 - spine 0",
                                         "leaf 0 > spin 1",
                                         "host 0,",
                                         ",",
                                         "an uncommonly long name of nothing at all, too" };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(taps(wrong[i], NULL), WEIR_E_UNKNOWN);
        assert_refusal(&err, WEIR_E_UNKNOWN, NULL, "--pcap-at");
    }
}

/* Names from a file may have commas. */
static void a_name_with_a_comma_is_one_place(void **state)
{
    static char names[8][WEIR_NODE_NAME] = { "a", "a, b", "c", "d", "e", "f", "g", "h" };
    (void)state;
    topo.name = names;
    assert_int_equal(taps("a, b", NULL), 0);
    assert_tap("a, b > e", WEIR_TAP_SENT);
    assert_tap("e > a, b", WEIR_TAP_ARRIVED);
    topo.name = NULL; /* not its own */
    assert_no_other();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_node_is_all_that_it_sends_and_receives, setup, teardown),
        cmocka_unit_test_setup_teardown(two_nodes_are_what_one_sends_to_the_other, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_and_several_arguments_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(none_are_all_hosts, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_name_with_a_comma_is_one_place, setup, teardown),
    };
    return cmocka_run_group_tests_name("cli/taps", tests, NULL, NULL);
}
