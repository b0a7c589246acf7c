/* test/unit/solve/test_deadlock.c - which cyclic buffer dependency of a scenario is found, and after which cable event. */
#include "core/cable.h"
#include "test/unit/setup/setup_fixture.h"
#include "solve/deadlock.h"

static struct weir_deadlock found;

static void find(const char *fabric)
{
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, core_link: 100 Gbps}\n"
                   "protocol: timely\nfabric:\n%s"
                   "traffic: [{kind: permutation, size: 1460 B}]\nrun: {warmup: 0 us, measure: 1 ms}\n",
                   fabric);
    parse("a.yaml", text);
    (void)is_accepted();
    assert_int_equal(weir_deadlock_find(&setup, &found, &err), 0);
}

#define PFC "  pfc: {kind: static, xoff: 20 KB}\n"
/* With both cables gone leaves 0 and 1 reach each other down and up again. */
#define LOST                                                                                                           \
    "  events:\n"                                                                                                      \
    "    - {time: 1 us, cable: \"leaf 0 - spine 1\", state: down}\n"                                                   \
    "    - {time: 3 us, cable: \"leaf 1 - spine 0\", state: down}\n"

static void routes_up_and_down_have_no_cycle(void **state)
{
    (void)state;
    find(PFC);
    assert_int_equal(found.count, 0);
    assert_null(found.event);
}

static void the_event_that_makes_a_cycle_is_named(void **state)
{
    (void)state;
    find(PFC LOST);
    assert_int_equal(found.count, 4);
    assert_int_equal(found.event->at_ps, 3000000);
    for (uint32_t i = 0; i < found.count; i++) { /* each begins where the one before it ends */
        const struct weir_link *link = &setup.topo.link[found.link[i]];
        assert_int_equal(link->dst, setup.topo.link[found.link[(i + 1) % found.count]].src);
        assert_true(link->up); /* the setup's own cables are as they were */
    }
}

static void without_pfc_nothing_is_searched(void **state)
{
    (void)state;
    find("  buffer: 1 MB\n" LOST);
    assert_int_equal(found.count, 0);
}

/* Hosts at opposite switches of a ring have a cable to each other. When it goes down they send half way round the ring:
 * h0 and h2 by s1 and s3, so that no cycle comes of it until h1 and h3 send by s0 and s2. */
static void a_cable_between_hosts_that_goes_down_makes_a_cycle(void **state)
{
    (void)state;
    parse("a.yaml", "topology: {kind: file, file: test/unit/solve/ring.yaml}\nprotocol: timely\n"
                    "fabric:\n" PFC "  events:\n    - {time: 2 us, cable: \"h0 - h2\", state: down}\n"
                    "    - {time: 4 us, cable: \"h1 - h3\", state: down}\n"
                    "traffic: [{kind: permutation, size: 1460 B}]\nrun: {warmup: 0 us, measure: 1 ms}\n");
    (void)is_accepted();
    assert_int_equal(weir_deadlock_find(&setup, &found, &err), 0);
    assert_int_equal(found.count, 4);
    assert_int_equal(found.event->at_ps, 4000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(routes_up_and_down_have_no_cycle, end),
        cmocka_unit_test_teardown(the_event_that_makes_a_cycle_is_named, end),
        cmocka_unit_test_teardown(without_pfc_nothing_is_searched, end),
        cmocka_unit_test_teardown(a_cable_between_hosts_that_goes_down_makes_a_cycle, end),
    };
    return cmocka_run_group_tests_name("solve/deadlock", tests, NULL, NULL);
}
