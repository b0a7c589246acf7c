/* test/unit/model/test_nics.c - which transport two hosts use, and by which NICs a packet may leave, on networks that are read off. */
#include "test/unit/setup/file_fixture.h"
#include "model/nics.h"

#define RUN "protocol: dctcp\ntraffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: all}\n"
/* a and b have three NICs: two to one switch and one to another, c one. */
#define NETWORK                                                                                                        \
    "defaults: {rate: 100 Gbps, delay: 1 us}\nhosts: [a, b, c]\nswitches: [s0, s1]\ncables:\n"                         \
    "  - {a: a, b: s0}\n  - {a: a, b: s0, rate: 40 Gbps}\n  - {a: a, b: s1, rate: 10 Gbps}\n"                          \
    "  - {a: b, b: s0}\n  - {a: b, b: s1}\n  - {a: c, b: s1}\n"

static const struct weir_nics *nics_of(const char *host)
{
    char text[512];
    file_set(NETWORK);
    (void)snprintf(text, sizeof(text), "topology: {kind: file, file: %u}\nhost: {nics: %s}\n" RUN,
                   (unsigned)fileno(file), host);
    parse("/dev/fd/a.yaml", text);
    return is_accepted()->nics;
}

/* Routes where the NICs of host a that are no bit of `up` are down; the caller frees them. */
static struct weir_routes routes_with(uint32_t up)
{
    static struct weir_link link[32];
    struct weir_topology topo = setup.topo;
    struct weir_routes routes;
    assert_in_range(topo.link_count, 1, 32);
    for (uint32_t l = 0; l < topo.link_count; l++)
        link[l] = topo.link[l];
    for (uint32_t i = 0; i < 3; i++)
        link[i].up = link[link[i].reverse].up = (up >> i & 1) != 0;
    topo.link = link;
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err), 0);
    return routes;
}

static void nics_that_lead_to_the_same_hosts_share_a_transport(void **state)
{
    const struct weir_nics *n = nics_of("spray");
    (void)state;
    assert_int_equal(weir_nics_most_bps(n), UINT64_C(200000000000)); /* of b; a has 150 */
    assert_int_equal(weir_route_nics(&n->routes, n->topo, 0, 1), 7); /* all three of a lead to b */
    assert_int_equal(weir_route_nics(&n->routes, n->topo, 0, 2), 4); /* NIC 2 alone to c */
    assert_int_equal(weir_route_nics(&n->routes, n->topo, 1, 0), 3);
    assert_int_equal(n->transports, 1);
    assert_int_equal(n->count[0], 1);
    assert_int_equal(n->own[0], 7);
    assert_int_equal(n->link[0].up_bps, UINT64_C(150000000000)); /* 100 + 40 + 10 */
    assert_int_equal(n->host_bps[1], UINT64_C(200000000000));
    assert_int_equal(weir_nics_of_pair(n, 0, 1), 0);
}

static void each_nic_has_a_transport_of_its_own(void **state)
{
    const struct weir_nics *n = nics_of("flow-hash");
    uint32_t t;
    (void)state;
    assert_int_equal(n->transports, 3);
    assert_int_equal(n->count[0], 3);
    assert_int_equal(n->count[1], 2);
    assert_int_equal(n->count[2], 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(n->own[i], 1u << i);
    t = weir_nics_of_pair(n, 0, 1);
    assert_in_range(t, 0, 2);
    assert_int_equal(weir_nics_of_pair(n, 0, 2), 2);
    assert_int_equal(weir_nics_of_pair(n, 2, 0), 0);
    assert_int_equal(n->link[2 * 3 + 0].up_bps, UINT64_C(10000000000));
    assert_int_equal(n->link[2 * 3 + 1].up_bps, UINT64_C(100000000000)); /* b has no NIC 2: that of its first one */
}

static void ways_of_packets_when_cables_are_down(void **state)
{
    const struct weir_nics *n = nics_of("flow-hash");
    struct weir_routes all = routes_with(7), some = routes_with(6), one = routes_with(2), none = routes_with(0);
    (void)state;
    assert_int_equal(weir_nics_ways(n, &all, 0, 0, 1), 1);
    assert_int_equal(weir_nics_ways(n, &all, 0, 1, 1), 2);
    assert_int_equal(weir_nics_ways(n, &all, 0, 0, 2), 4); /* not by NIC 0: by the one that leads there */
    assert_int_equal(weir_nics_ways(n, &some, 0, 0, 1), 6);
    assert_int_equal(weir_nics_ways(n, &one, 0, 2, 1), 2);
    assert_int_equal(weir_nics_ways(n, &one, 0, 2, 2), 0);  /* s0 has no cable to c or s1 */
    assert_int_equal(weir_nics_ways(n, &none, 0, 0, 1), 1); /* none is up: all count */
    assert_int_equal(weir_nics_asked(n, &all, 0, 0), 1);
    assert_int_equal(weir_nics_asked(n, &some, 0, 0), 6);
    assert_int_equal(weir_nics_asked(n, &some, 0, 1), 2);
    assert_int_equal(weir_nics_asked(n, &none, 0, 1), 2);
    weir_routes_free(&all);
    weir_routes_free(&some);
    weir_routes_free(&one);
    weir_routes_free(&none);
}

/* 1538 B take 123.04 ns at 100 Gb/s, 307.6 at 40 and 1230.4 at 10; the way 2 us. Ten full packets over three NICs: one has four, or the
 * fourth is short. */
static void the_least_time_of_a_message(void **state)
{
    static const struct weir_framing plain = { 1460, 54, 24, 84, 84 };
    const struct weir_nics *n = nics_of("spray");
    uint64_t ideal_ps, payload_ps;
    (void)state;
    weir_nics_ideal(n, &plain, 0, 1, 14600, &ideal_ps, &payload_ps);
    assert_int_equal(ideal_ps, 5 * 123040 + 2000000);
    weir_nics_ideal(n, &plain, 0, 1, 3 * 1460 + 1, &ideal_ps,
                    &payload_ps); /* one has two: a full one and a short one */
    assert_int_equal(ideal_ps, 2 * 123040 + 84 * 80 + 2000000);
    weir_nics_ideal(n, &plain, 0, 1, 4 * 1460 + 1, &ideal_ps, &payload_ps); /* two have two, so one has two full ones */
    assert_int_equal(ideal_ps, 3 * 123040 + 2000000);
    weir_nics_ideal(n, &plain, 0, 2, 14600, &ideal_ps, &payload_ps); /* by NIC 2 alone, then at 100 Gb/s */
    assert_int_equal(ideal_ps, 10 * 1230400 + 123040 + 2000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nics_that_lead_to_the_same_hosts_share_a_transport, begin_file, end_file),
        cmocka_unit_test_setup_teardown(each_nic_has_a_transport_of_its_own, begin_file, end_file),
        cmocka_unit_test_setup_teardown(ways_of_packets_when_cables_are_down, begin_file, end_file),
        cmocka_unit_test_setup_teardown(the_least_time_of_a_message, begin_file, end_file),
    };
    return cmocka_run_group_tests_name("model/nics", tests, NULL, NULL);
}
