/* test/unit/fabric/test_pfc.c - circles of waiting ports are found, and only they. */
#include "test/unit/weir_test.h"
#include "fabric/pfc.h"

enum { PORTS = 8 };
static bool stuck[PORTS];
static uint32_t cycle[PORTS];

static void a_line_of_waiting_ports_is_no_circle(void **state)
{
    const struct weir_pfc_wait wait[] = { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 3, 2 } };
    (void)state;
    assert_int_equal(weir_pfc_cycle(wait, 0, PORTS, stuck, cycle, PORTS), 0);
    assert_int_equal(weir_pfc_cycle(wait, 4, PORTS, stuck, cycle, PORTS), 0);
    for (int p = 0; p < PORTS; p++)
        assert_false(stuck[p]);
}

static void a_circle_is_told_from_its_lowest_port_on(void **state)
{
    /* 6 -> 2 -> 5 -> 6; 0 and 1 wait for it, 4 waits for a port that is free, 2 for one too */
    const struct weir_pfc_wait wait[] = { { 6, 2 }, { 0, 1 }, { 1, 5 }, { 5, 6 }, { 2, 5 }, { 4, 3 }, { 2, 3 } };
    const bool expected[PORTS] = { true, true, true, false, false, true, true, false };
    (void)state;
    assert_int_equal(weir_pfc_cycle(wait, 7, PORTS, stuck, cycle, PORTS), 3);
    assert_int_equal(cycle[0], 2);
    assert_int_equal(cycle[1], 5);
    assert_int_equal(cycle[2], 6);
    assert_memory_equal(stuck, expected, sizeof(stuck));
    cycle[1] = 77;
    assert_int_equal(weir_pfc_cycle(wait, 7, PORTS, stuck, cycle, 1), 3); /* room for one */
    assert_int_equal(cycle[0], 2);
    assert_int_equal(cycle[1], 77);
}

static void of_two_circles_the_lowest_stuck_port_decides(void **state)
{
    const struct weir_pfc_wait wait[] = { { 1, 2 }, { 2, 1 }, { 3, 4 }, { 4, 3 }, { 0, 4 } };
    (void)state;
    assert_int_equal(weir_pfc_cycle(wait, 5, PORTS, stuck, cycle, PORTS), 2);
    assert_int_equal(cycle[0], 3);
    assert_int_equal(cycle[1], 4);
}

static void a_port_may_wait_for_itself(void **state)
{
    const struct weir_pfc_wait wait[] = { { 7, 7 } };
    (void)state;
    assert_int_equal(weir_pfc_cycle(wait, 1, PORTS, stuck, cycle, PORTS), 1);
    assert_int_equal(cycle[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_waiting_ports_is_no_circle),
        cmocka_unit_test(a_circle_is_told_from_its_lowest_port_on),
        cmocka_unit_test(of_two_circles_the_lowest_stuck_port_decides),
        cmocka_unit_test(a_port_may_wait_for_itself),
    };
    return cmocka_run_group_tests_name("fabric/pfc", tests, NULL, NULL);
}
