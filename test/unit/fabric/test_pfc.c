/* test/unit/fabric/test_pfc.c - when PFC has nothing to do but keep accounts, by hand-computed numbers; and the accounts after that. */
#include "test/unit/weir_test.h"
#include "fabric/pfc/pfc_core.h"
#include <string.h>

enum { PORTS = 2, CLASSES = 2 };

static struct weir_pfc_model model;
static struct weir_pfc_pool pool;
static union {
    unsigned char bytes[PORTS][(sizeof(struct weir_pfc_port) + 15) / 16 * 16];
    struct weir_pfc_port first;
} ports;
static struct weir_here here;
static uint64_t bytes[PORTS * CLASSES];
static const struct weir_held held = { .bytes = bytes, .ports = PORTS, .classes = CLASSES };

static struct weir_pfc_port *port(uint32_t i)
{
    return weir_port_state(&here, i, sizeof(struct weir_pfc_port));
}

static int setup(void **state)
{
    (void)state;
    memset(&ports, 0, sizeof(ports));
    memset(bytes, 0, sizeof(bytes));
    model = (struct weir_pfc_model){ .is_static = true, .lossless = 2, .xoff_bytes = 1000, .xon_bytes = 500 };
    pool = (struct weir_pfc_pool){ .size_bytes = 8000, .begun = true };
    here = (struct weir_here){ .model = &model, .node = &pool, .port = &ports, .ports = &ports };
    return 0;
}

static bool is_idle(uint64_t first, uint64_t second)
{
    bytes[0 * CLASSES + 1] = first;
    bytes[1 * CLASSES + 1] = second;
    return weir_pfc_feature.is_idle(&here, &held);
}

static void fixed_thresholds_are_each_account_s_own(void **state)
{
    (void)state;
    assert_true(is_idle(1000, 1000));
    assert_false(is_idle(1001, 0));
    assert_false(is_idle(0, 1001));
    bytes[0] = 5000; /* of class 0, which is not lossless */
    assert_true(is_idle(1000, 1000));
}

/* 8000 B to share, half of what is free each, 100 B reserved: with 1100 B in the other account, x above the reserve is below half of 7000 - x up
 * to 2333. */
static void a_share_of_what_is_free_is_least_when_all_hold_their_most(void **state)
{
    (void)state;
    model.is_static = false;
    model.reserve_bytes = 100;
    port(0)->in.shift = port(1)->in.shift = 1;
    assert_true(is_idle(100 + 2333 - 1, 1100));
    assert_false(is_idle(100 + 2333, 1100));
    assert_true(is_idle(100 + 2333, 1100 - 1));
    assert_true(is_idle(50, 100));        /* the reserve takes nothing of it */
    assert_int_equal(pool.used_bytes, 0); /* it was only asked */
}

static void what_is_paused_or_in_the_headroom_is_not_idle(void **state)
{
    (void)state;
    port(1)->account[1].paused = true;
    assert_false(is_idle(0, 0));
    port(1)->account[1].paused = false;
    assert_true(is_idle(0, 0));
    port(0)->account[1].headroom_bytes = 1;
    assert_false(is_idle(0, 0));
    port(0)->account[1].headroom_bytes = 0;
    port(0)->account[0].paused = true; /* of a class that is not lossless: nobody looks at it */
    assert_true(is_idle(0, 0));
}

static void accounts_are_what_is_held(void **state)
{
    (void)state;
    model.is_static = false;
    model.reserve_bytes = 100;
    bytes[0] = 7;
    bytes[1] = 350;
    bytes[3] = 90;
    weir_pfc_feature.set_held(&here, &held);
    assert_int_equal(port(0)->account[0].bytes, 0);
    assert_int_equal(port(0)->account[1].bytes, 350);
    assert_int_equal(port(1)->account[1].bytes, 90);
    assert_int_equal(pool.used_bytes, 250);
}

/* Classes beyond those of ports have nothing, whatever the model says. */
static void classes_that_ports_do_not_have_are_left_out(void **state)
{
    (void)state;
    model.lossless = 0xff;
    assert_true(is_idle(1000, 1000));
    weir_pfc_feature.set_held(&here, &held);
    assert_int_equal(port(0)->account[2].bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(fixed_thresholds_are_each_account_s_own, setup),
        cmocka_unit_test_setup(a_share_of_what_is_free_is_least_when_all_hold_their_most, setup),
        cmocka_unit_test_setup(what_is_paused_or_in_the_headroom_is_not_idle, setup),
        cmocka_unit_test_setup(accounts_are_what_is_held, setup),
        cmocka_unit_test_setup(classes_that_ports_do_not_have_are_left_out, setup),
    };
    return cmocka_run_group_tests_name("fabric/pfc", tests, NULL, NULL);
}
