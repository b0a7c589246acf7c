/* test/unit/solve/test_acks.c - a star of three hosts with links of 100 Gb/s; acknowledgements are a twentieth of the data. */
#include "test/unit/topology/topology_fixture.h"
#include "solve/acks.h"
#include <math.h>

enum { FLOWS = 3 };
static double rate[FLOWS];
static uint32_t bottleneck[FLOWS];

static void solve(const struct weir_network_flow *flow, uint32_t count, double part)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    struct weir_network_flow turned[FLOWS];
    struct weir_topology topo;
    struct weir_routes routes;
    struct weir_network net, back;
    struct weir_err err = { 0 };
    cfg.hosts = 3;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    for (uint32_t f = 0; f < count; f++) {
        turned[f] = flow[f];
        turned[f].src = flow[f].dst;
        turned[f].dst = flow[f].src;
    }
    assert_int_equal(weir_network_build(&net, &topo, &routes, NULL, false, 1, flow, count, &err), 0);
    assert_int_equal(weir_network_build(&back, &topo, &routes, NULL, false, 1, turned, count, &err), 0);
    if (weir_acks_solve(&net, &back, part, rate, bottleneck, &err) != 0)
        fail_msg("%s", err.text);
    weir_network_free(&net);
    weir_network_free(&back);
    weir_routes_free(&routes);
    weir_topology_free(&topo);
}

static void is_gbps(uint32_t f, double wanted)
{
    if (!(fabs(rate[f] - wanted * 1e9) < 100))
        fail_msg("flow %u: %.9g Gb/s, not %.9g", f, rate[f] * 1e-9, wanted);
}

static void one_way_they_are_in_nobodys_way(void **state)
{
    const struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 1 };
    (void)state;
    solve(&flow, 1, 0.05);
    is_gbps(0, 100);
}

static void both_ways_each_gives_room_to_the_other(void **state)
{
    const struct weir_network_flow flow[2] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 4, .src = 1, .dst = 0 } };
    (void)state;
    solve(flow, 2, 0.05);
    is_gbps(0, 100 / 1.05);
    is_gbps(1, 100 / 1.05);
}

/* Flows 0 and 1 share the link to host 1 with the acknowledgements of flow 2, which shares its way with nothing but theirs:
 * r0 + r1 = 100 - r2 / 20, r2 = 100 - (r0 + r1) / 20. */
static void weights_share_what_is_left(void **state)
{
    const struct weir_network_flow flow[3] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 3, .src = 2, .dst = 1 },
                                               { .weight = 1, .src = 1, .dst = 2 } };
    (void)state;
    solve(flow, 3, 0.05);
    is_gbps(0, 25 / 1.05);
    is_gbps(1, 75 / 1.05);
    is_gbps(2, 100 / 1.05);
}

static void none_is_the_plain_allocation(void **state)
{
    const struct weir_network_flow flow[2] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 4, .src = 2, .dst = 1 } };
    (void)state;
    solve(flow, 2, 0);
    is_gbps(0, 20);
    is_gbps(1, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_they_are_in_nobodys_way),
        cmocka_unit_test(both_ways_each_gives_room_to_the_other),
        cmocka_unit_test(weights_share_what_is_left),
        cmocka_unit_test(none_is_the_plain_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
