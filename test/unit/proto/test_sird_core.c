/* test/unit/proto/test_sird_core.c - the AIMD loops to the byte, the bucket test and csn, each branch. */
#include "test/unit/proto/sird_bench.h"

/* csn on packets divisible by the first number, CE by the second, 0 = never; computed in double precision. */
struct vector {
    uint32_t csn_every, ce_every, after;
    uint32_t sender_bytes, net_bytes, alpha_millionths;
};

static const struct vector vectors[] = {
    { 1, 0, 1, 100000, 100000, 80000 },     { 1, 0, 65, 96023, 100000, 80000 },
    { 1, 0, 66, 96047, 100000, 153600 },    { 1, 0, 200, 88464, 100000, 283607 },
    { 1, 0, 500, 38408, 100000, 565612 },   { 1, 0, 1000, 10000, 100000, 997530 },
    { 1, 0, 5000, 10913, 100000, 1000000 }, { 2, 10, 66, 97992, 100000, 40615 },
    { 2, 10, 70, 98088, 99654, 40615 },     { 2, 10, 500, 80048, 99276, 243142 },
    { 2, 10, 1000, 26148, 93189, 433870 },  { 2, 10, 2000, 11753, 62500, 503248 },
    { 10, 2, 500, 99276, 80048, 49063 },    { 10, 2, 1000, 93189, 26148, 87680 },
    { 10, 2, 2000, 57426, 10757, 93903 },
};

static void both_loops_follow_the_published_program_to_the_byte(void **state)
{
    const struct weir_sird_aimd_rule rule = {
        .packet_bytes = M, .most_bytes = BDP, .floor_bytes = { 3000, 10000 }, .g_ppm = 80000
    };
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        const struct vector *v = &vectors[i];
        struct weir_sird_aimd a;
        uint64_t alpha;
        weir_sird_aimd_init(&a, &rule);
        for (uint32_t k = 1; k <= v->after; k++)
            weir_sird_aimd(&a, &rule, v->ce_every != 0 && k % v->ce_every == 0,
                           v->csn_every != 0 && k % v->csn_every == 0);
        assert_int_equal(a.bucket_bytes[WEIR_SIRD_SENDER], v->sender_bytes);
        assert_int_equal(a.bucket_bytes[WEIR_SIRD_NET], v->net_bytes);
        alpha = ((uint64_t)a.alpha_q30[WEIR_SIRD_SENDER] * 1000000 + (1u << 29)) >> 30;
        assert_in_range(alpha + 100, v->alpha_millionths, v->alpha_millionths + 200); /* within 1e-4 */
    }
}

static void the_first_packet_refreshes_alpha_and_a_window_the_next_time(void **state)
{
    const struct weir_sird_aimd_rule rule = {
        .packet_bytes = M, .most_bytes = BDP, .floor_bytes = { M, M }, .g_ppm = 500000
    };
    struct weir_sird_aimd a;
    (void)state;
    weir_sird_aimd_init(&a, &rule);
    assert_int_equal(a.step_bytes, 23); /* 1538 * 1538 / 100000 */
    weir_sird_aimd(&a, &rule, true, false);
    assert_int_equal(a.alpha_q30[WEIR_SIRD_NET], 1 << 29);
    for (uint32_t i = 0; i < 64; i++)
        weir_sird_aimd(&a, &rule, false, false);
    assert_int_equal(a.alpha_q30[WEIR_SIRD_NET], 1 << 29);
    weir_sird_aimd(&a, &rule, false, false); /* the 65th since: none of them was marked */
    assert_int_equal(a.alpha_q30[WEIR_SIRD_NET], 1 << 28);
    assert_int_equal(a.least_bytes, BDP);
}

/* 280 * 280 = 78400 bytes, so 0.87 of a byte per packet: the second of a window adds one, as do those up to the seventh, and the ninth.
 * A window of 321 packets adds 321 * 78400 / 90000 = 279.6. */
static void a_bucket_above_a_packet_squared_grows_too(void **state)
{
    const struct weir_sird_aimd_rule rule = {
        .packet_bytes = 280, .most_bytes = BDP, .floor_bytes = { 3000, 10000 }, .g_ppm = 80000
    };
    static const uint32_t want[] = { 90000, 90001, 90002, 90003, 90004, 90005, 90006, 90006, 90007 };
    struct weir_sird_aimd a;
    (void)state;
    weir_sird_aimd_init(&a, &rule);
    a.bucket_bytes[WEIR_SIRD_NET] = a.least_bytes = 90000;
    assert_int_equal(a.step_bytes, 0);
    weir_sird_aimd(&a, &rule, false, false); /* ends the first window */
    assert_int_equal(a.window_end_pkts, 321);
    for (uint32_t i = 0; i < 9; i++) {
        weir_sird_aimd(&a, &rule, false, false);
        assert_int_equal(a.bucket_bytes[WEIR_SIRD_NET], want[i]);
    }
    for (uint32_t i = 9; i < 321; i++)
        weir_sird_aimd(&a, &rule, false, false);
    assert_in_range(a.bucket_bytes[WEIR_SIRD_NET], 90278, 90279);
    assert_int_equal(a.window_pkts, 0);
}

static void buckets_stay_between_floor_and_bdp_whatever_arrives(void **state)
{
    const struct weir_sird_aimd_rule rule = {
        .packet_bytes = M, .most_bytes = BDP, .floor_bytes = { 3000, 10000 }, .g_ppm = 1000000
    };
    struct weir_sird_aimd a;
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    weir_sird_aimd_init(&a, &rule);
    for (uint32_t i = 0; i < 300000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        weir_sird_aimd(&a, &rule, (x >> 8 & i >> 12) & 1, (x >> 9 & i >> 13) & 1);
        assert_in_range(a.bucket_bytes[WEIR_SIRD_NET], 3000, BDP);
        assert_in_range(a.bucket_bytes[WEIR_SIRD_SENDER], 10000, BDP);
        assert_in_range(a.alpha_q30[WEIR_SIRD_NET], 0, 1 << 30);
        assert_in_range(a.window_end_pkts, 1, 65);
    }
}

static void the_paper_never_exceeds_a_bucket_and_ns2_by_one_packet(void **state)
{
    (void)state;
    peer[0].aimd.least_bytes = 50000;
    peer[0].outstanding_bytes = 50000 - M;
    assert_true(weir_sird_admits(&cfg, &host, &peer[0], M));
    peer[0].outstanding_bytes++;
    assert_false(weir_sird_admits(&cfg, &host, &peer[0], M));
    cfg.bucket_test = WEIR_SIRD_NS2;
    assert_true(weir_sird_admits(&cfg, &host, &peer[0], M));
    peer[0].outstanding_bytes = 50000; /* full, not exceeded */
    assert_true(weir_sird_admits(&cfg, &host, &peer[0], M));
    peer[0].outstanding_bytes = 50001;
    assert_false(weir_sird_admits(&cfg, &host, &peer[0], M));
    peer[0].aimd.least_bytes = BDP; /* never more than a BDP */
    peer[0].outstanding_bytes = BDP - M;
    assert_true(weir_sird_admits(&cfg, &host, &peer[0], M));
    peer[0].outstanding_bytes++;
    assert_false(weir_sird_admits(&cfg, &host, &peer[0], M));
}

static void the_paper_marks_scheduled_packets_by_the_credit_before_them(void **state)
{
    (void)state;
    assert_int_equal(cfg.sthr.bytes, 50000);
    host.held_bytes = 49999;
    assert_false(weir_sird_csn(&cfg, &host, true, M));
    host.held_bytes = 50000;
    assert_true(weir_sird_csn(&cfg, &host, true, M));
    assert_false(weir_sird_csn(&cfg, &host, false, 0)); /* unscheduled */
    set("SThr", "infinite");
    host.held_bytes = UINT64_C(1) << 40;
    assert_false(weir_sird_csn(&cfg, &host, true, M));
}

static void ns2_marks_any_packet_by_the_credit_after_it_unless_alone(void **state)
{
    (void)state;
    host.tx_msgs = 2;
    host.held_bytes = 48114 + M;
    assert_false(weir_sird_csn(&cfg, &host, true, M));
    host.held_bytes++;
    assert_true(weir_sird_csn(&cfg, &host, true, M));
    assert_true(weir_sird_csn(&cfg, &host, false, M));
    host.tx_msgs = 1;
    assert_false(weir_sird_csn(&cfg, &host, true, M));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_loops_follow_the_published_program_to_the_byte),
        cmocka_unit_test(the_first_packet_refreshes_alpha_and_a_window_the_next_time),
        cmocka_unit_test(a_bucket_above_a_packet_squared_grows_too),
        cmocka_unit_test(buckets_stay_between_floor_and_bdp_whatever_arrives),
        cmocka_unit_test_setup(the_paper_never_exceeds_a_bucket_and_ns2_by_one_packet, setup_paper),
        cmocka_unit_test_setup(the_paper_marks_scheduled_packets_by_the_credit_before_them, setup_paper),
        cmocka_unit_test_setup(ns2_marks_any_packet_by_the_credit_after_it_unless_alone, setup_ns2),
    };
    return cmocka_run_group_tests_name("proto/sird_core", tests, NULL, NULL);
}
