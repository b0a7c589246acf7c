/* test/unit/features/test_pfc.c - when PFC has nothing to do but keep accounts, by hand-computed numbers; and the
 * accounts after that. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "features/pfc/pfc_core.h"
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
static struct weir_held held = { .bytes = bytes, .ports = PORTS, .classes = CLASSES };

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
    held.sum_bytes = 0;
    for (uint32_t i = 0; i < PORTS * CLASSES; i++)
        held.sum_bytes += bytes[i];
    return weir_pfc_feature.is_idle(&here, &held);
}

static void idle_is_judged_per_account_with_static_thresholds(void **state)
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
static void idle_is_judged_by_the_least_dynamic_threshold(void **state)
{
    (void)state;
    model.is_static = false;
    model.reserve_bytes = 100;
    port(0)->in.shift = port(1)->in.shift = pool.shift = 1;
    assert_true(is_idle(100 + 2333 - 1, 1100));
    assert_false(is_idle(100 + 2333, 1100));
    assert_true(is_idle(100 + 2333, 1100 - 1));
    assert_true(is_idle(50, 100));        /* the reserve takes nothing of it */
    assert_int_equal(pool.used_bytes, 0); /* it was only asked */
    port(0)->in.shift = 0; /* its threshold is twice that of the other, by which all are judged at first */
    assert_true(is_idle(100 + 2333, 1100 - 1));
    assert_true(is_idle(100 + 2400, 1100 - 200));
    assert_false(is_idle(1100 - 200, 100 + 2400));
}

/* 8000 B to share, an eighth of what is free each. A packet of 1000 B fits that threshold, one of 1001 B does not, though more is reserved. */
static void it_is_not_idle_where_a_packet_would_be_refused(void **state)
{
    (void)state;
    model.is_static = false;
    model.reserve_bytes = 1100;
    pool.shift = port(0)->in.shift = port(1)->in.shift = 3;
    model.mtu_bytes = 1000;
    assert_true(is_idle(1100, 0));
    model.mtu_bytes = 1001;
    assert_false(is_idle(1100, 0));
    assert_true(is_idle(0, 0));
    port(0)->in.headroom_bytes = 1001; /* takes it */
    assert_true(is_idle(1100, 0));
    assert_false(is_idle(0, 1100));
}

static void join(uint64_t now_ps, uint32_t expected)
{
    const struct weir_pkt pkt = { .wire_bytes = 1000 };
    const struct weir_joined j = { .pkt = &pkt, .now_ps = now_ps, .in_port = 1, .in_class = 1 };
    struct weir_control made;
    assert_int_equal(weir_pfc_feature.on_joined(&here, &j, &made), expected);
}

static void leave(uint64_t now_ps, uint32_t expected)
{
    const struct weir_departure l = { .now_ps = now_ps, .bytes = 1000, .in_port = 1, .in_class = 1 };
    struct weir_control made;
    assert_int_equal(weir_pfc_feature.on_sent(&here, &l, &made), expected);
}

static void a_paused_account_is_not_idle(void **state)
{
    (void)state;
    port(1)->in.headroom_bytes = 1000;
    join(0, 0);
    assert_true(is_idle(0, 0));
    join(0, WEIR_CONTROL | WEIR_PAUSE | WEIR_RULE(1)); /* 2000 B are above xoff */
    assert_int_equal(pool.paused, 1);
    assert_false(is_idle(0, 0));
    leave(1, 0);
    assert_false(is_idle(0, 0));
    leave(1, WEIR_CONTROL); /* nothing is below xon */
    assert_int_equal(pool.paused, 0);
    assert_true(is_idle(0, 0));
    join(2, 0);
    join(2, WEIR_CONTROL | WEIR_PAUSE | WEIR_RULE(1));
    here.port = port(1);
    weir_pfc_feature.on_cut(&here, 3);
    assert_int_equal(pool.paused, 0);
    assert_true(is_idle(0, 0));
}

static void an_account_in_its_headroom_is_not_idle(void **state)
{
    (void)state;
    model.is_static = false;
    pool.size_bytes = 900; /* the threshold is 900 B */
    port(1)->in.headroom_bytes = 5000;
    join(0, WEIR_CONTROL | WEIR_PAUSE | WEIR_RULE(1));
    assert_int_equal(pool.headroom_bytes, 1000);
    pool.paused = 0; /* the other reason */
    assert_false(is_idle(0, 0));
    pool.paused = 1;
    leave(1, WEIR_CONTROL);
    assert_int_equal(pool.headroom_bytes, 0);
    assert_true(is_idle(0, 0));
}

static void set_held_sets_the_accounts(void **state)
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
        cmocka_unit_test_setup(idle_is_judged_per_account_with_static_thresholds, setup),
        cmocka_unit_test_setup(idle_is_judged_by_the_least_dynamic_threshold, setup),
        cmocka_unit_test_setup(it_is_not_idle_where_a_packet_would_be_refused, setup),
        cmocka_unit_test_setup(a_paused_account_is_not_idle, setup),
        cmocka_unit_test_setup(an_account_in_its_headroom_is_not_idle, setup),
        cmocka_unit_test_setup(set_held_sets_the_accounts, setup),
        cmocka_unit_test_setup(classes_that_ports_do_not_have_are_left_out, setup),
    };
    return cmocka_run_group_tests_name("features/pfc", tests, NULL, NULL);
}
