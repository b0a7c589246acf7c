/* test/unit/coupled/test_due.c - when ports are to be visited again: against a search through all of them. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "coupled/internal.h"
#include <stdlib.h>

enum { PORTS_MAX = 100, STEPS = 20000 };

static struct sim_coupled c;

static void begin(uint32_t ports, uint32_t capacity)
{
    c = (struct sim_coupled){ .armed_ps = calloc(ports, sizeof(uint64_t)),
                              .due = calloc(capacity, sizeof(struct coupled_due)),
                              .due_capacity = capacity };
    assert_true(c.armed_ps != NULL && c.due != NULL);
    coupled_arm_none(&c, ports);
}

static void end(void)
{
    free(c.armed_ps);
    free(c.due);
}

static uint64_t least_ps(uint32_t ports)
{
    uint64_t least = WEIR_NEVER;
    for (uint32_t p = 0; p < ports; p++)
        least = weir_min_u64(least, c.armed_ps[p]);
    return least;
}

/* Takes the first instant as coupled_ends() does. @return how many of its ports are still valid; they are in order */
static uint32_t take(uint64_t now_ps)
{
    uint32_t n = 0, last = 0;
    for (; c.due_count > 0 && c.due[c.due_first].at_ps == now_ps; c.due_count--, c.due_first++) {
        uint32_t p = c.due[c.due_first].port;
        if (c.armed_ps[p] != now_ps)
            continue;
        assert_true(n == 0 || p > last);
        c.armed_ps[p] = WEIR_NEVER;
        last = p;
        n++;
    }
    if (c.due_count == 0)
        c.due_first = 0;
    c.due_ps = c.due_count > 0 ? c.due[c.due_first].at_ps : WEIR_NEVER;
    return n;
}

/* Arms ports at few instants, so that they share them. A port is sometimes armed again before its instant, to a later
 * or an earlier one. */
static void campaign(uint32_t ports, uint32_t capacity, uint64_t seed)
{
    uint64_t now_ps = 0, at = 0, stale = 0, key = weir_rng_key(seed, 0, 0, 0);
    begin(ports, capacity);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t draw = weir_rng_at(key, at++), most;
        uint32_t port = (uint32_t)(draw >> 32) % ports, expected = 0;
        coupled_arm(&c, port, draw % 50 == 0 ? WEIR_NEVER : now_ps + 1 + draw % 97);
        assert_true(c.due_ps <= least_ps(ports));
        if (draw % 3 != 0)
            continue;
        most = c.due_ps;
        if (most == WEIR_NEVER)
            continue;
        now_ps = most;
        for (uint32_t p = 0; p < ports; p++)
            expected += c.armed_ps[p] == now_ps;
        stale += expected == 0;
        assert_int_equal(take(now_ps), expected);
        assert_true(c.due_ps > now_ps);
    }
    assert_true(stale > 0);
    while (c.due_ps != WEIR_NEVER)
        (void)take(c.due_ps);
    assert_int_equal(least_ps(ports), WEIR_NEVER);
    end();
}

static void ports_come_in_order_of_their_instants(void **state)
{
    (void)state;
    campaign(3, 2 * 3 + 4, 1); /* tidied up often */
    campaign(8, 2 * 8 + 32, 2);
    campaign(64, 2 * 64 + 32, 3);
    campaign(PORTS_MAX, PORTS_MAX + 1, 4); /* as small as can be */
}

static void disarming_all_ports_leaves_no_due_instant(void **state)
{
    (void)state;
    begin(2, 8);
    coupled_arm(&c, 1, 10);
    coupled_arm(&c, 0, 10);
    coupled_arm(&c, 1, 10);
    assert_int_equal(c.due_count, 2); /* known already */
    coupled_arm_none(&c, 2);
    assert_int_equal(c.due_ps, WEIR_NEVER);
    coupled_arm(&c, 1, 10);
    assert_int_equal(c.due_ps, 10);
    assert_int_equal(take(10), 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_come_in_order_of_their_instants),
        cmocka_unit_test(disarming_all_ports_leaves_no_due_instant),
    };
    return cmocka_run_group_tests_name("sim/due", tests, NULL, NULL);
}
