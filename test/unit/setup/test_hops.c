/* test/unit/setup/test_hops.c - packet-hops of a run, counted by hand. */
#include "test/unit/setup/setup_fixture.h"

#define STAR "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\nframing: {payload: 1000 B}\n"
#define LEAVES                                                                                                         \
    "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_link: 10 Gbps}\nframing: {payload: 1000 B}\n"
#define RUN "run: {warmup: 1 ms, measure: 3 ms}\n"

static uint64_t hops(const char *text)
{
    parse("a.yaml", text);
    (void)is_accepted();
    return weir_setup_packet_hops(&setup);
}

/* Three messages of 2 packets, each with an ACK, over 2 links. */
static void lists_are_counted_message_by_message(void **state)
{
    (void)state;
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1001 B}]\n" RUN), 3 * 2 * 2 * 2);
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1000 B}]\n" RUN), 3 * 1 * 2 * 2);
    /* and a reply of a packet with its ACK */
    assert_int_equal(hops(STAR "host: {reply_bytes: 4}\ntraffic: [{kind: permutation, size: 1001 B}]\n" RUN),
                     3 * (2 * 2 + 2) * 2);
    /* or one of two packets that is a message of its own */
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1001 B, reply: 1001 B}]\n" RUN),
                     3 * (2 + 2) * 2 * 2);
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1 KB, reply: 4 B, start: 4 ms}]\n" RUN), 0);
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1 KB, reply: 1 GB, start: 1 ms}]\n" RUN),
                     UINT64_C(3) * (1 + 3750) * 2 * 2);
    /* what starts when the run has ended does not count; a flow without end has 3 ms of 10 Gbps: 3750 packets */
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1 KB, start: 4 ms}]\n" RUN), 0);
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 1 GB, start: 1 ms}]\n" RUN),
                     UINT64_C(3) * 3750 * 2 * 2);
    assert_int_equal(hops(STAR "traffic: [{kind: permutation, size: 10 KB}]\nrun: {warmup: 0 us, measure: all}\n"),
                     3 * 10 * 2 * 2);
}

/* 4 hosts at 1 Gb/s for 4 ms are 500 KB each: 200 messages of 2500 B in 3 packets, over 4 links. */
static void random_traffic_counts_by_its_means(void **state)
{
    (void)state;
    assert_int_equal(hops(LEAVES "traffic: [{kind: poisson, sizes: 2500 B, load: 10%}]\n" RUN),
                     4 * 200 * 3 * 2 * UINT64_C(4));
    assert_int_equal(hops(LEAVES "traffic: [{kind: poisson, sizes: 2500 B, load: 10%, reply: 4 B}]\n" RUN),
                     4 * 200 * (3 + 1) * 2 * UINT64_C(4));
    /* three of the 4 ms */
    assert_int_equal(hops(LEAVES "traffic: [{kind: poisson, sizes: 2500 B, load: 10%, start: 1 ms}]\n" RUN),
                     4 * 150 * 3 * 2 * UINT64_C(4));
    assert_int_equal(hops(LEAVES "traffic: [{kind: poisson, sizes: 2500 B, load: 10%, from: 0..1}]\n" RUN),
                     2 * 200 * 3 * 2 * UINT64_C(4));
}

/* A ring of three: each host sends four parts of a third, 2 packets each. */
static void programs_count_by_their_mean_size(void **state)
{
    (void)state;
    assert_int_equal(hops(STAR "traffic: [{kind: collective, bytes: 6000 B}]\nrun: {warmup: 0 us, measure: all}\n"),
                     3 * 4 * 2 * 2 * 2);
}

/* The web-search distribution: 2.48 MB in packets of 1000 B; half a packet of each message is not full. */
static void a_heavy_tail_counts_as_it_should(void **state)
{
    uint64_t by_mean = UINT64_C(4) * 500000 / 1000 * 2 * 4; /* 500 KB a host, in full packets */
    (void)state;
    assert_in_range(
        hops(LEAVES "traffic: [{kind: poisson, sizes: wkc, load: 90%}]\nrun: {warmup: 0 us, measure: 100 ms}\n"),
        by_mean * 225 / 100 * 98, by_mean * 225 / 100 * 102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lists_are_counted_message_by_message, end),
        cmocka_unit_test_teardown(random_traffic_counts_by_its_means, end),
        cmocka_unit_test_teardown(programs_count_by_their_mean_size, end),
        cmocka_unit_test_teardown(a_heavy_tail_counts_as_it_should, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
