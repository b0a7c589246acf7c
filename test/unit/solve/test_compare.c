/* test/unit/solve/test_compare.c - what a comparison refuses, what flows are told to begin at, and what comes of looks made by hand. */
#include "core/cc.h"
#include "test/unit/refusal.h"
#include "test/unit/setup/setup_fixture.h"
#include "solve/compare.h"
#include <math.h>

#define STAR "topology: {kind: star, hosts: 3, host_link: 100 Gbps}\n"
#define PAIRS "traffic:\n  - {kind: pairs, count: 2, size: 1 GB}\n"
#define COMPARE "run: {warmup: 0 us, measure: 4 ms, compare: allocation}\n"
#define START "run: {warmup: 0 us, measure: 4 ms, start: allocation}\n"

static struct weir_compare compare;

static void open_text(const char *text)
{
    parse("s.yaml", text);
    (void)is_accepted();
}

static void close_all(void)
{
    weir_compare_free(&compare);
    tear_down();
}

static void refuses(const char *text, const char *key)
{
    open_text(text);
    assert_int_equal(weir_compare_init(&compare, &setup, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, NULL, key);
    close_all();
}

static void what_cannot_be_compared_is_refused(void **state)
{
    (void)state;
    refuses(STAR PAIRS START, "run.start");
    refuses(STAR "protocol: sird\n" PAIRS COMPARE, "run.compare");
    refuses(STAR "protocol: soze\n" PAIRS "run: {measure: all, compare: allocation}\n", "run.compare");
    refuses(STAR "protocol: soze\ntraffic:\n  - {kind: permutation, size: 1 GB}\n" COMPARE, "run.compare");
    refuses(STAR "protocol: soze\ntraffic:\n  - {kind: permutation, size: 1 GB}\n" START, "run.start");
}

static void nothing_is_done_unless_asked_for(void **state)
{
    (void)state;
    open_text(STAR PAIRS "run: {measure: 4 ms}\n");
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    assert_int_equal(compare.snapshot_ps, 0);
    assert_null(setup.workload.start);
    assert_false(setup.model.host.track);
    close_all();
}

/* One flow has the whole link less what nothing sends back: 100 Gb/s on the wire. */
static void a_flow_alone_begins_at_its_links_rate(void **state)
{
    (void)state;
    open_text(STAR "protocol: soze\ntraffic:\n  - {kind: pairs, count: 1, size: 1 GB}\n" START);
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    assert_in_range(setup.workload.start[0].rate_bps, 99999999990, 100000000010);
    assert_in_range(setup.workload.start[0].level_bps, 99999999990, 100000000010);
    assert_int_equal(setup.workload.start[0].full_links, 1); /* of its two links the first is the one that holds it */
    assert_true(setup.model.host.track);
    close_all();
}

static struct weir_snapshot_flow flow;

static void snapshot_with(uint64_t at_ps, uint64_t acked_bytes, uint64_t inflight_bytes)
{
    struct weir_snapshot snapshot = { .at_ps = at_ps, .flow = &flow };
    flow = (struct weir_snapshot_flow){
        .state = 1, .now = { .sent_bytes = acked_bytes + inflight_bytes, .acked_bytes = acked_bytes }
    };
    assert_int_equal(weir_compare_snapshot(&compare, &snapshot), 0);
}

static void look_at(uint64_t at_ps, uint64_t acked_bytes)
{
    snapshot_with(at_ps, acked_bytes, 125000);
}

/* Alone at 100 Gb/s, of which 1460 of 1538 bytes are payload: 11866 bytes per microsecond. It gets 99 % of that. */
static void rates_are_means_over_the_window(void **state)
{
    (void)state;
    struct weir_compared out;
    double payload = 12500.0 * 1460 / 1538;
    open_text(STAR "protocol: soze\ntraffic:\n  - {kind: pairs, count: 1, size: 1 TB}\n" COMPARE);
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    assert_int_equal(compare.snapshot_ps, setup.base_rtt_ps);
    for (uint64_t i = 1; i * compare.snapshot_ps <= 4 * WEIR_PS_PER_MS; i++)
        look_at(i * compare.snapshot_ps, (uint64_t)(0.99 * payload * (double)(i * compare.snapshot_ps) / 1e6));
    assert_int_equal(weir_compare_finish(&compare, &out, &err), 0);
    assert_int_equal(out.flows, 1);
    assert_int_equal(out.within, 1);
    assert_true(fabs(out.error_max - 0.01) < 1e-4);
    assert_int_equal(out.links, 1);
    assert_true(fabs(out.utilisation_min - 0.99) < 1e-4);
    assert_true(fabs(out.rtt_s - 125000 / (0.99 * payload) * 1e-6) < 1e-9); /* in flight over rate */
    assert_int_equal(out.settled, 1);
    assert_int_equal(out.miss_count, 0);
    close_all();
}

/* 8 Tb/s for 6 ms are 5.7 GB of payload: more than 32 bits count. */
static void a_round_trip_is_known_however_much_arrived(void **state)
{
    (void)state;
    struct weir_compared out;
    double payload = 1e6 * 1460 / 1538;
    open_text("topology: {kind: star, hosts: 3, host_link: 8 Tbps}\nprotocol: soze\n"
              "traffic:\n  - {kind: pairs, count: 1, size: 1 TB}\n"
              "run: {warmup: 0 us, measure: 6 ms, compare: allocation}\n");
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    for (uint64_t i = 1; i * compare.snapshot_ps <= 6 * WEIR_PS_PER_MS; i++)
        snapshot_with(i * compare.snapshot_ps, (uint64_t)(payload * (double)(i * compare.snapshot_ps) / 1e6), 10000000);
    assert_int_equal(weir_compare_finish(&compare, &out, &err), 0);
    assert_int_equal(out.within, 1);
    assert_true(fabs(out.rtt_s - 10000000 / payload * 1e-6) < 1e-9);
    close_all();
}

/* The cable goes down at 1 ms and routes learn of it 1 ms later: what was before is another network. */
static void a_cable_that_goes_down_is_a_change(void **state)
{
    (void)state;
    open_text("topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2}\nprotocol: soze\n"
              "fabric:\n  reroute_delay: 1 ms\n  events:\n    - {time: 1 ms, cable: leaf 0 - spine 0, state: down}\n"
              "    - {time: 3500 us, cable: leaf 0 - spine 0, state: up}\n" PAIRS COMPARE);
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    assert_true(compare.changed_ps == 2 * WEIR_PS_PER_MS); /* the other one is known of when the run has ended */
    assert_true(compare.known_ps == 2 * WEIR_PS_PER_MS);
    close_all();
}

/* 400 packets of 1460 B at 118.66 B/us take 4.92 ms: more than 1 ms and than 50 round trips of 25 us. It comes to its share after 7 of
 * 12 ms, so 5 ms are full; with windows of 1 ms nothing of what was before 11 ms would count, with 6 ms, the half, a sixth would lack. */
static void a_slow_flows_rate_is_a_mean_over_more_time(void **state)
{
    (void)state;
    struct weir_compared out;
    open_text("topology: {kind: star, hosts: 3, host_link: 1 Gbps}\nprotocol: soze\n"
              "traffic:\n  - {kind: pairs, count: 1, size: 1 TB}\n"
              "run: {warmup: 0 us, measure: 12 ms, compare: allocation}\n");
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    for (uint64_t i = 1; i * compare.snapshot_ps <= 12 * WEIR_PS_PER_MS; i++) {
        uint64_t at_ps = i * compare.snapshot_ps, late_ps = at_ps < 7 * WEIR_PS_PER_MS ? 0 : at_ps - 7 * WEIR_PS_PER_MS;
        snapshot_with(at_ps, (uint64_t)(125.0 * 1460 / 1538 * (double)late_ps / 1e6), 1250);
    }
    assert_int_equal(weir_compare_finish(&compare, &out, &err), 0);
    assert_true(out.window_s > 4.92e-3 && out.window_s < 4.92e-3 + 2 * out.snapshot_s);
    assert_int_equal(out.within, 1);
    close_all();
}

static void a_flow_that_gets_too_little_is_told(void **state)
{
    (void)state;
    struct weir_compared out;
    open_text(STAR "protocol: soze\ntraffic:\n  - {kind: pairs, count: 1, size: 1 TB}\n" COMPARE);
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    for (uint64_t i = 1; i * compare.snapshot_ps <= 4 * WEIR_PS_PER_MS; i++)
        look_at(i * compare.snapshot_ps, 5933 * i * compare.snapshot_ps / 1000000); /* half */
    assert_int_equal(weir_compare_finish(&compare, &out, &err), 0);
    assert_int_equal(out.within, 0);
    assert_int_equal(out.miss_count, 1);
    assert_int_equal(out.miss[0].flow, 0);
    assert_true(fabs(out.miss[0].got_bps / out.miss[0].share_bps - 0.5) < 1e-3);
    assert_int_equal(out.settled, 0);
    assert_int_equal(out.unsettled, 1);
    close_all();
}

enum { MOVED = 4, LOOKS = 1000 };

/* Four flows of equal shares get nothing until snapshot 40, 60, 80, 100, and then their shares. Five round trips of 1.95 intervals are spans of ten,
 * so a mean that begins j intervals before the step lacks j (j + 1) / 2 of 100 parts: at most 5 % with j = 2. It is 20 intervals long, and its middle
 * is the time: (step + 8) intervals. Of the four together the last flow may lack 20 %, so j = 5: (100 + 5) intervals. */
static void times_to_settle_are_those_of_a_step(void **state)
{
    static const uint64_t step[MOVED] = { 80, 40, 100, 60 };
    struct weir_snapshot_flow each[MOVED] = { 0 };
    struct weir_shares shares = { 0 };
    struct weir_compared out;
    double sum = 0, interval_s;
    (void)state;
    open_text("topology: {kind: star, hosts: 64, host_link: 100 Gbps}\nprotocol: soze\n"
              "traffic:\n  - {kind: pairs, count: 4, size: 1 TB}\n"
              "run: {warmup: 0 us, measure: 50 ms, compare: allocation}\n");
    assert_int_equal(weir_compare_init(&compare, &setup, &err), 0);
    assert_int_equal(compare.flows, MOVED);
    assert_int_equal(weir_shares_find(&shares, &setup, WEIR_NEVER, NULL, &err), 0);
    interval_s = (double)compare.snapshot_ps / 1e12;
    for (uint32_t i = 0; i < MOVED; i++) {
        assert_true(fabs(shares.solution.rate[i] / shares.solution.rate[0] - 1) < 1e-9);
        sum += shares.solution.rate[0] * (double)(LOOKS - step[i]) / LOOKS;
    }
    for (uint64_t n = 0; n <= LOOKS; n++) {
        struct weir_snapshot snapshot = { .at_ps = n * compare.snapshot_ps, .flow = each };
        for (uint32_t i = 0; i < MOVED; i++) {
            uint64_t acked =
                n < step[i] ? 0 : (uint64_t)(shares.solution.rate[0] / 8 * (double)(n - step[i]) * interval_s);
            each[i].state = 1;
            each[i].now.acked_bytes = acked;
            each[i].now.sent_bytes = acked + (uint64_t)(1.95 * interval_s * sum / 8 / MOVED);
        }
        assert_int_equal(weir_compare_snapshot(&compare, &snapshot), 0);
    }
    assert_int_equal(weir_compare_finish(&compare, &out, &err), 0);
    assert_int_equal(out.moved, MOVED);
    assert_int_equal(out.settled, MOVED);
    assert_int_equal(out.unsettled, 0);
    assert_true(fabs(out.rtt_s / interval_s - 1.95) < 1e-4);
    assert_true(fabs(out.settle_p50_s / interval_s - 68) < 1e-9); /* the second of four */
    assert_true(fabs(out.settle_p99_s / interval_s - 108) < 1e-9);
    assert_true(fabs(out.together_s / interval_s - 105) < 1e-9);
    assert_true(fabs(out.settle_p50_rtts - 68 / 1.95) < 1e-2);
    assert_true(fabs(out.settle_p99_rtts - 108 / 1.95) < 1e-2);
    assert_true(fabs(out.together_rtts - 105 / 1.95) < 1e-2);
    assert_int_equal(out.within, MOVED);
    weir_shares_free(&shares);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(nothing_is_done_unless_asked_for),
        cmocka_unit_test(a_flow_alone_begins_at_its_links_rate),
        cmocka_unit_test(rates_are_means_over_the_window),
        cmocka_unit_test(a_round_trip_is_known_however_much_arrived),
        cmocka_unit_test(a_cable_that_goes_down_is_a_change),
        cmocka_unit_test(a_slow_flows_rate_is_a_mean_over_more_time),
        cmocka_unit_test(a_flow_that_gets_too_little_is_told),
        cmocka_unit_test(times_to_settle_are_those_of_a_step),
    };
    return cmocka_run_group_tests_name("solve/compare", tests, NULL, NULL);
}
