/* test/unit/observe/test_snapshot.c - samples and snapshots at instants worked out by hand. One message of one frame each
 * way on a star: joins the switch at 3230400, has left it at 4460800, arrives at 6460800; its answer of 84 B joins at
 * 8528000, has left at 8595200, arrives at 10595200. */
#include "test/unit/sim_fixture.h"

enum { KEPT = 64 };

static struct {
    struct weir_snapshot snapshot[KEPT];
    struct weir_snapshot_host host[KEPT][2];
    struct weir_snapshot_flow flow[KEPT][2];
    uint64_t port_bytes[KEPT][4];
    uint32_t count, refuse_at;
} notified;

static int keep(void *ctx, const struct weir_snapshot *snapshot)
{
    uint32_t i = notified.count++;
    (void)ctx;
    assert_true(i < KEPT);
    notified.snapshot[i] = *snapshot;
    if (snapshot->host != NULL) {
        memcpy(notified.host[i], snapshot->host, sizeof(notified.host[i]));
        memcpy(notified.port_bytes[i], snapshot->port_queue_bytes, sizeof(notified.port_bytes[i]));
    }
    if (snapshot->flow != NULL)
        memcpy(notified.flow[i], snapshot->flow, sizeof(notified.flow[i]));
    return notified.refuse_at == i + 1 ? WEIR_E_FILE : 0;
}

static int begin(void **state)
{
    memset(&notified, 0, sizeof(notified));
    (void)fix_begin(state);
    fix_options.snapshot = keep;
    return 0;
}

#define TO_20_US "run: {warmup: 0 us, measure: 20 us}\n"

static void snapshots_come_at_multiples_and_at_the_end(void **state)
{
    static const uint64_t at_us[] = { 6, 12, 18, 20 };
    (void)state;
    fix_options.snapshot_ps = 6000000;
    (void)fix_run(STAR("2") PERM("1460 B") TO_20_US);
    assert_int_equal(notified.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(notified.snapshot[i].at_ps, at_us[i] * 1000000);
}

static void a_snapshot_at_the_end_is_passed_once(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 10000000;
    (void)fix_run(STAR("2") PERM("1460 B") TO_20_US);
    assert_int_equal(notified.count, 2);
    assert_int_equal(notified.snapshot[1].at_ps, 20000000);
}

/* At 4 us 460800 ps of each frame are unsent, 576 B; at 8 us both have arrived; links: host 0, host 1, to host 0, to
 * host 1. */
static void a_snapshot_has_queues_and_arrived_bytes(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 4000000;
    (void)fix_run(STAR("2") PERM("1460 B") TO_20_US);
    assert_int_equal(notified.snapshot[0].unfinished_bytes, 2920);
    assert_int_equal(notified.snapshot[0].arrived_bytes, 0);
    assert_int_equal(notified.snapshot[0].tor_queue_sum_bytes, 1152);
    assert_int_equal(notified.snapshot[0].tor_queue_max_bytes, 1152);
    assert_int_equal(notified.snapshot[0].port_queue_max_bytes, 576);
    assert_int_equal(notified.port_bytes[0][0], 0);
    assert_int_equal(notified.port_bytes[0][2], 576);
    assert_int_equal(notified.port_bytes[0][3], 576);
    assert_false(notified.snapshot[0].has_credit);
    assert_int_equal(notified.snapshot[1].unfinished_bytes, 0);
    assert_int_equal(notified.snapshot[1].arrived_bytes, 2920);
    assert_int_equal(notified.host[1][0].arrived_bytes, 1460);
    assert_int_equal(notified.host[1][1].arrived_bytes, 1460);
    assert_int_equal(notified.snapshot[1].port_queue_max_bytes, 0);
}

/* Events at 3230400 or at 6460800 are not in a snapshot at that instant: the frame's last picosecond is the one
 * before. */
static void a_snapshot_comes_before_anything_at_its_instant(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 3230400;
    (void)fix_run(STAR("2") PERM("1460 B") TO_20_US);
    assert_int_equal(notified.snapshot[0].port_queue_max_bytes, 0);
    assert_int_equal(notified.snapshot[1].at_ps, 6460800);
    assert_int_equal(notified.snapshot[1].arrived_bytes, 0);
    assert_int_equal(notified.snapshot[2].arrived_bytes, 2920);
}

/* The end of such a run is its last delivery, at which nothing is left; there is no snapshot after it, though answers
 * are under way. */
static void snapshots_go_on_until_all_is_delivered(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 3000000;
    (void)fix_run(STAR("2") PERM("1460 B") RUN_ALL);
    assert_int_equal(notified.count, 3);
    assert_int_equal(notified.snapshot[1].at_ps, 6000000);
    assert_int_equal(notified.snapshot[2].at_ps, 6460800);
    assert_int_equal(notified.snapshot[2].arrived_bytes, 2920);
    assert_int_equal(notified.snapshot[2].unfinished_bytes, 0);
    assert_int_equal(notified.snapshot[2].port_queue_max_bytes, 0);
}

/* Every frame is lost, those sent again too. Drops and losses of all links are one number. */
static void losses_and_retransmissions_are_counted(void **state)
{
    const struct weir_result *r;
    (void)state;
    fix_options.snapshot_ps = 1000000000;
    r = fix_run(STAR("2") "fabric: {loss: 100%}\nhost: {rto_min: 100 us, rto_init: 100 us, rto_max: 100 us}\n" PERM(
        "1460 B") "run: {warmup: 0 us, measure: 3 ms}\n");
    assert_int_equal(notified.count, 3);
    assert_int_equal(notified.snapshot[0].drops, 20); /* at 0, 100 .. 900 us, two hosts */
    assert_int_equal(notified.snapshot[0].retransmissions, 18);
    assert_int_equal(notified.snapshot[2].drops, r->losses);
    assert_int_equal(notified.snapshot[2].unfinished_bytes, 2920);
}

static void snapshots_of_many_hosts_hold_sums_only(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 4000000;
    (void)fix_run(STAR("17") PERM("1460 B") TO_20_US);
    assert_null(notified.snapshot[0].host);
    assert_null(notified.snapshot[0].port_queue_bytes);
    assert_int_equal(notified.snapshot[0].tor_queue_sum_bytes, 17 * 576);
}

/* A list that the test makes up: host 0 sends 2 packets at once, host 1 one at 7 us. */
static void run_two_flows(void)
{
    static struct weir_listed listed[] = {
        { .bytes = 2920, .dst = 1, .tag = 1, .weight_q20 = UINT64_C(1) << 20 },
        { .start_ps = 7000000, .bytes = 1460, .dst = 0, .tag = 2, .weight_q20 = UINT64_C(1) << 20 },
    };
    struct weir_workload *wl = &fix_setup.workload;
    struct weir_listed *before;
    fix_options.snapshot_flows = true;
    fix_model(STAR("2") PERM("1460 B") TO_20_US)->host.track = true;
    before = wl->listed;
    wl->listed = listed;
    wl->tag_count = 2;
    assert_int_equal(wl->listed_first[2], 2);
    assert_int_equal(fix_run_model(), 0);
    wl->listed = before;
}

/* The first packet's answer is back at 10595200, the second's at 11825600; the other flow's packet answers from
 * 13460800 on. */
static void snapshots_hold_flows(void **state)
{
    const struct weir_snapshot_flow *f = notified.flow[0];
    (void)state;
    fix_options.snapshot_ps = 11000000;
    run_two_flows();
    assert_int_equal(notified.count, 2);
    assert_int_equal(f[0].state, 1);
    assert_int_equal(f[0].now.sent_bytes, 2920);
    assert_int_equal(f[0].now.acked_bytes, 1460);
    assert_true(f[0].now.cwnd_bytes >= 2920);
    assert_true(f[0].now.rate_bps == WEIR_RATE_OPEN); /* DCTCP has a window alone */
    assert_int_equal(f[1].state, 1);
    assert_int_equal(f[1].now.sent_bytes, 1460);
    assert_int_equal(f[1].now.acked_bytes, 0);
    f = notified.flow[1]; /* at 20 us */
    assert_int_equal(f[0].state, 2);
    assert_int_equal(f[0].now.acked_bytes, 2920);
    assert_int_equal(f[0].now.cwnd_bytes, 0);
    assert_int_equal(f[1].state, 2);
}

static void a_flow_that_has_not_begun_is_all_zeros(void **state)
{
    const struct weir_snapshot_flow none = { 0 };
    (void)state;
    fix_options.snapshot_ps = 7000000; /* looks come before anything at their instant */
    run_two_flows();
    assert_int_equal(notified.flow[0][1].state, 0);
    assert_memory_equal(&notified.flow[0][1].now, &none.now, sizeof(none.now));
}

static void snapshots_hold_flows_only_on_request(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 4000000;
    (void)fix_run(STAR("2") PERM("1460 B") TO_20_US);
    assert_null(notified.snapshot[0].flow);
}

static void assert_same_snapshot(const struct weir_snapshot *a, const struct weir_snapshot *b)
{
    assert_int_equal(a->at_ps, b->at_ps);
    assert_int_equal(a->arrived_bytes, b->arrived_bytes);
    assert_int_equal(a->marks, b->marks);
    assert_int_equal(a->drops, b->drops);
    assert_int_equal(a->retransmissions, b->retransmissions);
    assert_int_equal(a->unfinished_bytes, b->unfinished_bytes);
    assert_int_equal(a->tor_queue_sum_bytes, b->tor_queue_sum_bytes);
    assert_int_equal(a->tor_queue_max_bytes, b->tor_queue_max_bytes);
    assert_int_equal(a->port_queue_max_bytes, b->port_queue_max_bytes);
    assert_int_equal(a->has_credit, b->has_credit);
    assert_int_equal(a->credit_held_bytes, b->credit_held_bytes);
    assert_int_equal(a->credit_in_flight_bytes, b->credit_in_flight_bytes);
    assert_int_equal(a->credit_free_bytes, b->credit_free_bytes);
}

/* Snapshots at any instants leave every digest as it is, and do not depend on the number of threads. */
static void snapshots_change_no_digest_and_threads_change_no_snapshot(void **state)
{
    static const char *const text = "topology: {kind: leaf-spine, hosts: 6, racks: 3, spines: 2}\n"
                                    "traffic: [{kind: poisson, sizes: 10 KB, load: 70%}]\n"
                                    "run: {warmup: 100 us, measure: 300 us}\n";
    struct weir_snapshot first[KEPT];
    uint64_t digest;
    (void)state;
    digest = fix_run(text)->digest; /* no snapshot_ps: no looks */
    assert_int_equal(notified.count, 0);
    fix_options.snapshot_ps = 7777777;
    for (fix_options.threads = 1; fix_options.threads <= 3; fix_options.threads++) {
        notified.count = 0;
        assert_int_equal(fix_run_model(), 0);
        assert_int_equal(fix_result.digest, digest);
        assert_int_equal(notified.count, 52);
        if (fix_options.threads == 1)
            memcpy(first, notified.snapshot, sizeof(first));
        for (uint32_t i = 0; i < notified.count; i++)
            assert_same_snapshot(&notified.snapshot[i], &first[i]);
    }
}

static void a_refused_snapshot_ends_the_run(void **state)
{
    (void)state;
    fix_options.snapshot_ps = 4000000;
    notified.refuse_at = 2;
    (void)fix_model(STAR("2") PERM("1460 B") TO_20_US);
    assert_int_equal(fix_run_model(), WEIR_E_FILE);
    assert_int_equal(notified.count, 2);
    assert_true(fix_result.sim_ps < 20000000);
}

/* Mean of each interval of 2 us per port, from areas: in [2, 4) us the frame is there from 3230400 on, A = 1230400^2 -
 * 460800^2; in [4, 6) A = 460800^2; the answer in [8, 10) A = 67200^2. Over 2 * 2 us and 800 ps a byte: 406.73, 66.36
 * and 1.41 B. */
static void averages_of_an_interval_are_exact(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = fix_run(STAR("2") PERM("1460 B") "run: {warmup: 2 us, measure: 10 us, sample: 2 us, sample_average: yes}\n");
    assert_true(r->has_sampled);
    assert_int_equal(r->port_queue_sampled.max_bytes, 407);
    assert_int_equal(r->tor_queue_sampled.max_bytes, 813); /* 813.47: rounded after the sum */
    assert_int_equal(r->port_queue_sampled.mean_millibytes,
                     2 * (407 + 66 + 1) * 1000 / 8); /* four intervals, two ports */
    assert_int_equal(r->tor_queue_sampled.mean_millibytes, (813 + 133 + 3) * 1000 / 4);
    assert_int_equal(r->port_queue.p99_bytes, 576); /* what is found at an instant stays what it is */
}

static void averages_exist_only_on_request_and_after_an_interval(void **state)
{
    (void)state;
    assert_false(fix_run(STAR("2") PERM("1460 B") TO_20_US)->has_sampled);
    (void)fix_end(NULL);
    (void)begin(NULL);
    assert_false(fix_run(STAR("2") PERM("1460 B") "run: {warmup: 2 us, measure: 2 us, sample: 2 us, sample_average: "
                                                  "yes}\n")
                     ->has_sampled);
}

#define LOOK_TEST(f) cmocka_unit_test_setup_teardown(f, begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOK_TEST(snapshots_come_at_multiples_and_at_the_end),
        LOOK_TEST(a_snapshot_at_the_end_is_passed_once),
        LOOK_TEST(a_snapshot_has_queues_and_arrived_bytes),
        LOOK_TEST(a_snapshot_comes_before_anything_at_its_instant),
        LOOK_TEST(snapshots_go_on_until_all_is_delivered),
        LOOK_TEST(losses_and_retransmissions_are_counted),
        LOOK_TEST(snapshots_of_many_hosts_hold_sums_only),
        LOOK_TEST(snapshots_hold_flows),
        LOOK_TEST(a_flow_that_has_not_begun_is_all_zeros),
        LOOK_TEST(snapshots_hold_flows_only_on_request),
        LOOK_TEST(snapshots_change_no_digest_and_threads_change_no_snapshot),
        LOOK_TEST(a_refused_snapshot_ends_the_run),
        LOOK_TEST(averages_of_an_interval_are_exact),
        LOOK_TEST(averages_exist_only_on_request_and_after_an_interval),
    };
    return cmocka_run_group_tests_name("sim/snapshot", tests, NULL, NULL);
}
