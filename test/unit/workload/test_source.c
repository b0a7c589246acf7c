/* test/unit/workload/test_source.c - one host's stream: order, ties, ids, and independence of everything around it. */
#include "test/unit/workload/workload_fixture.h"
#include "core/math.h"
#include <math.h>
#include "workload/plan.h"

enum { TAKEN = 1000 };
static struct weir_source src;
static struct weir_message one[TAKEN], other[TAKEN];

static uint32_t take(uint32_t host, struct weir_message *out, uint32_t most)
{
    uint32_t n = 0;
    for (weir_source_init(&src, &fix_wl, host); n < most && weir_source_next_ps(&src) != WEIR_NEVER; n++) {
        uint64_t next_ps = weir_source_next_ps(&src);
        uint32_t next_dst = weir_source_next_dst(&src);
        weir_source_take(&src, &out[n]);
        assert_int_equal(out[n].start_ps, next_ps);
        assert_int_equal(out[n].dst, next_dst);
    }
    return n;
}

static void gaps_are_those_of_the_draws(void **state)
{
    uint64_t key = weir_rng_key(1, 3, WEIR_RNG_ARRIVAL, 0);
    long double at_ps = 5000;
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000, .start_ps = 5000));
    fix_build();
    assert_int_equal(take(3, one, 100), 100);
    for (uint64_t i = 0; i < 100; i++) { /* nothing below a picosecond is lost from gap to gap */
        at_ps -= 233600 * logl(ldexpl((long double)weir_rng_at(key, i), -64));
        assert_true(fabsl((long double)one[i].start_ps - at_ps) < 1.1L);
        assert_int_equal(one[i].bytes, 1460);
        assert_int_equal(one[i].id, UINT64_C(3) << 40 | i);
        assert_int_equal(one[i].src, 3);
        assert_int_not_equal(one[i].dst, 3);
        assert_in_range(one[i].dst, 0, 143);
    }
}

static void sizes_and_peers_are_those_of_their_own_streams(void **state)
{
    (void)state;
    fix_limits.end_ps = WEIR_PS_PER_S;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 500000));
    fix_build();
    assert_int_equal(take(9, one, TAKEN), TAKEN);
    for (uint64_t i = 0; i < TAKEN; i++) {
        uint32_t peer = weir_rng_below(weir_rng_at(weir_rng_key(1, 9, WEIR_RNG_PEER, 0), i), 143);
        assert_int_equal(one[i].dst, peer < 9 ? peer : peer + 1);
        assert_int_equal(one[i].bytes,
                         weir_cdf_sample(&fix_wl.cdf[0], weir_rng_at(weir_rng_key(1, 9, WEIR_RNG_SIZE, 0), i)));
    }
}

static void a_stream_repeats_and_depends_on_seed_host_and_item_only(void **state)
{
    uint32_t same_host = 0, same_seed = 0;
    (void)state;
    fix_limits.end_ps = WEIR_PS_PER_S;
    fix_add(POISSON(.sizes = "wkb", .load_ppm = 300000));
    fix_build();
    assert_int_equal(take(0, one, TAKEN), TAKEN);
    assert_int_equal(take(0, other, TAKEN), TAKEN);
    assert_memory_equal(one, other, sizeof(one));
    assert_int_equal(take(1, other, TAKEN), TAKEN);
    for (uint32_t i = 0; i < TAKEN; i++)
        same_host += one[i].start_ps == other[i].start_ps || one[i].bytes == other[i].bytes;
    fix_limits.seed = 2;
    fix_build();
    assert_int_equal(take(0, other, TAKEN), TAKEN);
    for (uint32_t i = 0; i < TAKEN; i++)
        same_seed += one[i].start_ps == other[i].start_ps || one[i].bytes == other[i].bytes;
    assert_in_range(same_host, 0, 20);
    assert_in_range(same_seed, 0, 20);
}

/* Hosts 4 to 7 send to 6 to 9, never to themselves; over all hosts that is a quarter of the load in a network of 16. */
static void ranges_say_who_sends_and_to_whom(void **state)
{
    uint32_t to[16] = { 0 };
    (void)state;
    fix_limits.hosts = 16;
    fix_limits.end_ps = WEIR_PS_PER_S;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 400000, .from = "4..7", .to = "6..9"));
    fix_build();
    assert_int_equal(fix_wl.offered_bps_per_host, 10000000000);
    for (uint32_t host = 0; host < 16; host++) {
        uint32_t n = take(host, one, TAKEN);
        assert_int_equal(n, host >= 4 && host < 8 ? TAKEN : 0);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_not_equal(one[i].dst, host);
            to[one[i].dst]++;
        }
    }
    assert_int_equal(to[6] + to[7] + to[8] + to[9], 4 * TAKEN);
    assert_in_range(to[6], 2 * TAKEN / 4 + TAKEN / 3 - 100, 2 * TAKEN / 4 + TAKEN / 3 + 100); /* of 4, 5 and 7 */
    assert_in_range(to[9], 2 * TAKEN / 4 + 2 * TAKEN / 3 - 100, 2 * TAKEN / 4 + 2 * TAKEN / 3 + 100);
    fix_item[0] = POISSON(.sizes = "1460 B", .load_ppm = 400000, .from = "0..3", .to = "15");
    fix_build();
    assert_int_equal(take(2, one, TAKEN), TAKEN);
    for (uint32_t i = 0; i < TAKEN; i++)
        assert_int_equal(one[i].dst, 15);
}

static void every_fourth_host_of_a_range_receives(void **state)
{
    uint32_t to[16] = { 0 };
    (void)state;
    fix_limits.hosts = 16;
    fix_limits.end_ps = WEIR_PS_PER_S;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 400000, .to = "2..13/4")); /* 2, 6, 10 */
    fix_build();
    for (uint32_t host = 0; host < 16; host++) {
        uint32_t n = take(host, one, TAKEN);
        assert_int_equal(n, TAKEN);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_not_equal(one[i].dst, host);
            to[one[i].dst]++;
        }
    }
    assert_int_equal(to[2] + to[6] + to[10], 16 * TAKEN);
    assert_in_range(to[6], 16 * TAKEN / 3 - 200, 16 * TAKEN / 3 + 200);
}

static void ranges_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *from, *to;
        enum weir_err_code code;
    } row[] = {
        { "4..", "", WEIR_E_SYNTAX },      { "..4", "", WEIR_E_SYNTAX },       { "a", "", WEIR_E_SYNTAX },
        { "4..3", "", WEIR_E_SYNTAX },     { "", "1..2..3", WEIR_E_SYNTAX },   { "0..144", "", WEIR_E_RANGE },
        { "", "144", WEIR_E_RANGE },       { "0..9", "9", WEIR_E_CONFLICT },   { "9", "9", WEIR_E_CONFLICT },
        { "", "0..9/0", WEIR_E_SYNTAX },   { "", "0..9/", WEIR_E_SYNTAX },     { "0..9/2", "", WEIR_E_SYNTAX },
        { "", "0..9/145", WEIR_E_SYNTAX }, { "8", "8..9/2", WEIR_E_CONFLICT },
    };
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 400000));
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        (void)snprintf(fix_item[0].from, sizeof(fix_item[0].from), "%s", row[i].from);
        (void)snprintf(fix_item[0].to, sizeof(fix_item[0].to), "%s", row[i].to);
        assert_int_equal(fix_try(), row[i].code);
        assert_int_equal(fix_err.line, 10);
    }
}

static void items_are_merged_by_time(void **state)
{
    uint32_t of_item[3] = { 0 };
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 300000));
    fix_add(PERMUTATION(.start_ps = 100 * WEIR_PS_PER_US));
    fix_add(POISSON(.sizes = "9 KB", .load_ppm = 300000));
    fix_build();
    assert_int_equal(take(7, one, TAKEN), TAKEN);
    for (uint32_t i = 0; i < TAKEN; i++) {
        assert_true(i == 0 || one[i - 1].start_ps <= one[i].start_ps);
        assert_int_equal(one[i].id, UINT64_C(7) << 40 | i);
        assert_int_equal(one[i].bytes, one[i].item == 0 ? 1460 : one[i].item == 1 ? 500000 : 9000);
        of_item[one[i].item]++;
    }
    assert_int_equal(of_item[1], 1);
    assert_in_range(of_item[0], 820, 900); /* 6.16 times as many as of item 2 */
    assert_int_equal(src.started, TAKEN);
}

/* Ties: a listed message goes first; among poisson items the lower number. */
static void ties_go_to_lists_first_and_then_by_item(void **state)
{
    uint64_t gap_mean_fs = UINT64_C(1000) * 1000000;
    struct weir_listed listed[] = { { .start_ps = 0, .bytes = 1, .dst = 1, .item = 2 },
                                    { .bytes = 2, .dst = 1, .item = 2 } };
    uint64_t listed_first[] = { 0, 2, 2 };
    struct weir_traffic_config item[] = { { .stop_ps = WEIR_NEVER },
                                          { .stop_ps = WEIR_NEVER },
                                          { .stop_ps = WEIR_NEVER } };
    struct weir_workload wl = { .hosts = 2,
                                .item_count = 3,
                                .end_ps = WEIR_PS_PER_S,
                                .seed = 1,
                                .item = item,
                                .gap_mean_fs = { gap_mean_fs, gap_mean_fs },
                                .to = { { 0, 2, 1 }, { 0, 2, 1 } },
                                .listed = listed,
                                .listed_first = listed_first };
    static const uint32_t want[] = { 2, 2, 0, 1 };
    (void)state;
    assert_int_equal(weir_cdf_fixed(&wl.cdf[0], 10, &fix_err), 0);
    assert_int_equal(weir_cdf_fixed(&wl.cdf[1], 20, &fix_err), 0);
    weir_source_init(&src, &wl, 0);
    listed[0].start_ps = listed[1].start_ps = src.next_ps[0] = src.next_ps[1] = 12345; /* all at one instant */
    src.head_ps = 12345;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t next_dst = weir_source_next_dst(&src);
        assert_int_equal(weir_source_next_ps(&src), 12345);
        weir_source_take(&src, &one[i]);
        assert_int_equal(one[i].dst, next_dst);
        assert_int_equal(one[i].item, want[i]);
    }
    assert_int_equal(one[0].bytes, 1); /* two of one list: in its order */
    assert_true(weir_source_next_ps(&src) > 12345);
    weir_cdf_free(&wl.cdf[0]);
    weir_cdf_free(&wl.cdf[1]);
}

static void nothing_starts_at_stop_or_at_the_end_of_the_run(void **state)
{
    uint32_t all, n;
    (void)state;
    fix_limits.end_ps = 100 * WEIR_PS_PER_US;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000));
    fix_build();
    all = take(0, one, TAKEN);
    assert_in_range(all, 300, 560);
    assert_true(one[all - 1].start_ps < 100 * WEIR_PS_PER_US);
    assert_int_equal(weir_source_next_ps(&src), WEIR_NEVER);
    fix_item[0].stop_ps = one[200].start_ps; /* the same stream, cut off before message 200 */
    fix_build();
    n = take(0, other, TAKEN);
    assert_int_equal(n, 200);
    assert_memory_equal(one, other, 200 * sizeof(one[0]));
    assert_int_equal(weir_source_count(&fix_wl, 0, 0), 200);
    fix_item[0] = POISSON(.sizes = "1460 B", .load_ppm = 500000, .start_ps = WEIR_PS_PER_S);
    fix_build();
    assert_int_equal(take(0, one, TAKEN), 0);
}

static void a_host_without_messages_is_done_at_once(void **state)
{
    uint32_t senders = 0;
    (void)state;
    fix_add(INCAST(.fan_in = 1, .size.bytes = 1, .period_ps = 700 * WEIR_PS_PER_US));
    fix_build();
    for (uint32_t h = 0; h < 144; h++)
        senders += take(h, one, TAKEN);
    assert_int_equal(senders, 1);
}

#define SOURCE_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)

#define CBR(...)                                                                                                       \
    fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_CBR, .on_ps = WEIR_PS_PER_MS, __VA_ARGS__ })

static void a_constant_rate_has_constant_gaps_from_a_random_time_on(void **state)
{
    uint64_t first_ps = weir_mul_hi_u64(UINT64_C(3333333333), weir_rng_at(weir_rng_key(1, 3, WEIR_RNG_ARRIVAL, 0), 0));
    (void)state;
    fix_add(CBR(.rate_bps = 3000000000, .packet_bytes = 1250, .start_ps = 7000, .from = "3..3", .to = "8..9"));
    fix_build();
    assert_int_equal(take(3, one, 200), 200);
    for (uint64_t i = 0; i < 200; i++) { /* 10000 bits at 3 Gb/s: 3333333.333 ps */
        assert_int_equal(one[i].start_ps, 7000 + (first_ps % 1000 + UINT64_C(3333333333) * i) / 1000 + first_ps / 1000);
        assert_int_equal(one[i].bytes, 1250);
        assert_int_equal(one[i].number, i);
        assert_in_range(one[i].dst, 8, 9);
    }
    assert_int_equal(take(4, one, 200), 0);
    assert_in_range(fix_wl.offered_bps_per_host, 20833300, 20833334); /* of one host of 144 */
}

static void senders_are_off_between_times_that_are_on(void **state)
{
    uint64_t on_ps = 10 * WEIR_PS_PER_US, turn_ps = 35 * WEIR_PS_PER_US, at_ps = 0;
    uint32_t n;
    (void)state;
    fix_add(CBR(.rate_bps = 4000000000, .packet_bytes = 1500, .start_ps = 5000));
    fix_item[0].on_ps = on_ps;
    fix_item[0].off_ps = turn_ps - on_ps;
    fix_build();
    n = take(9, one, TAKEN);
    assert_in_range(n, 94, 97); /* 3 us each, in 10 of 35 us of a millisecond */
    for (uint32_t i = 0; i < n; i++) {
        uint64_t since_ps = one[i].start_ps - 5000;
        assert_in_range(since_ps % turn_ps, 0, on_ps - 1);
        since_ps = since_ps / turn_ps * on_ps + since_ps % turn_ps; /* of the time that is on */
        if (i > 0)
            assert_int_equal(since_ps - at_ps, 3 * WEIR_PS_PER_US);
        at_ps = since_ps;
    }
}

static void constant_rates_that_cannot_be_are_refused(void **state)
{
    static const struct weir_traffic_config bad[] = {
        { .packet_bytes = 100 },
        { .rate_bps = 1000000 },
        { .rate_bps = 100000000000, .packet_bytes = 100 },
        { .rate_bps = 1000, .packet_bytes = 1 << 20 },
        { .rate_bps = 1000000, .packet_bytes = 100, .load_ppm = 5 },
    };
    static const char *const key[] = { "rate", "packet", "total load", "cbr", "load" };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fix_items = 0;
        fix_add(fix_defaults(bad[i]));
        fix_item[0].kind = WEIR_TRAFFIC_CBR;
        fix_item[0].on_ps = WEIR_PS_PER_MS;
        assert_int_not_equal(fix_try(), 0);
        assert_non_null(strstr(fix_err.text, key[i]));
    }
    fix_items = 0;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000, .rate_bps = 1000000));
    assert_int_not_equal(fix_try(), 0);
    assert_non_null(strstr(fix_err.text, "rate"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOURCE_TEST(gaps_are_those_of_the_draws),
        SOURCE_TEST(sizes_and_peers_are_those_of_their_own_streams),
        SOURCE_TEST(a_stream_repeats_and_depends_on_seed_host_and_item_only),
        SOURCE_TEST(ranges_say_who_sends_and_to_whom),
        SOURCE_TEST(every_fourth_host_of_a_range_receives),
        SOURCE_TEST(ranges_that_cannot_be_are_refused),
        SOURCE_TEST(items_are_merged_by_time),
        SOURCE_TEST(ties_go_to_lists_first_and_then_by_item),
        SOURCE_TEST(nothing_starts_at_stop_or_at_the_end_of_the_run),
        SOURCE_TEST(a_host_without_messages_is_done_at_once),
        SOURCE_TEST(a_constant_rate_has_constant_gaps_from_a_random_time_on),
        SOURCE_TEST(senders_are_off_between_times_that_are_on),
        SOURCE_TEST(constant_rates_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests_name("workload/source", tests, NULL, NULL);
}
