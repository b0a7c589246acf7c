/* test/unit/engine/test_window.c - when a run begins to measure, samples, watches for a stall, is interrupted and ends.
 * One message of one frame each way on a star: joins the switch at 3230400, has left it at 4460800, arrives at 6460800;
 * its answer joins at 8528000. */
#include "test/unit/sim_fixture.h"

static const struct weir_result *run_stopped_by(const volatile int *stop, const char *text)
{
    fix_options.stop = stop;
    return fix_run(text);
}

/* The measured part begins while 460800 ps of the frame are unsent: 576 B. Then the queue is empty but for an answer of
 * 84 B. */
static void the_measured_part_begins_in_the_middle_of_a_frame(void **state)
{
    uint64_t area = UINT64_C(460800) * 460800 + UINT64_C(67200) * 67200;
    const struct weir_result *r;
    (void)state;
    r = fix_run(STAR("2") PERM("1460 B") "run: {warmup: 4 us, measure: 6 us}\n");
    assert_int_equal(r->sim_ps, 10000000);
    assert_int_equal(r->measured_ps, 6000000);
    assert_int_equal(r->port_queue.max_bytes, 576);
    assert_int_equal(r->tor_queue.max_bytes, 1152);
    assert_int_equal(r->port_queue.mean_millibytes, area * 500 / 6000000 / 800);
    assert_int_equal(r->goodput_bps, UINT64_C(2920) * 8 * 1000000 / 6 / 2); /* both arrive in it */
    assert_int_equal(r->offered_bps, 0);                                    /* but started before */
    assert_int_equal(r->messages_measured, 2);
}

/* A message that ends just when the measured part begins is in it; one that would end with the run is not. */
static void the_measured_part_has_its_first_instant_and_not_its_last(void **state)
{
    struct weir_model *model;
    (void)state;
    model = fix_model(STAR("2") PERM("1460 B") "run: {warmup: 1 us, measure: 1 us}\n");
    model->warmup_ps = 6460800;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(fix_result.messages_measured, 2);
    model->warmup_ps = 6460801;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(fix_result.messages_measured, 0);
    assert_int_equal(fix_result.messages_completed, 2);
    model->warmup_ps = 0;
    model->measure_ps = 6460800;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(fix_result.messages_completed, 0);
    assert_int_equal(fix_result.packet_hops, 2);
    model->measure_ps = 6460801;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(fix_result.messages_completed, 2);
}

/* Samples at 4, 4.2 and 4.4 us find 576, 326 and 76 B per port: 3 of 30 values (4 .. 10 us) are above 0, the largest is
 * p99. */
static void queues_are_sampled_from_the_warm_up_on(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = fix_run(STAR("2") PERM("1460 B") "run: {warmup: 4 us, measure: 6 us, sample: 200 ns}\n");
    assert_int_equal(r->port_queue.p99_bytes, 576);
    assert_int_equal(r->tor_queue.p99_bytes, 1152);
    r = NULL;
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
    r = fix_run(STAR("2") PERM("1460 B") "run: {warmup: 4460801 ps, measure: 3 us, sample: 200 ns}\n");
    assert_int_equal(r->port_queue.p99_bytes, 0);
    assert_int_equal(r->port_queue.max_bytes, 0);
}

static void measure_all_ends_with_the_last_delivery(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = fix_run(STAR("2") "traffic: [{kind: permutation, size: 1460 B, start: 50 us}]\n" RUN_ALL);
    assert_int_equal(r->sim_ps, 56460800);
    assert_int_equal(r->measured_ps, 56460800);
    assert_int_equal(r->packet_hops, 8); /* the answers are waited for all the same */
    assert_int_equal(r->messages_measured, 2);
}

/* Ticks are a millisecond apart and skipped while nothing happens: a message that starts 200 ms into the run and takes
 * 4 ms is not one that has hung since the beginning. */
static void an_idle_beginning_is_no_stall(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = fix_run("topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 2 ms}\n"
                "traffic: [{kind: permutation, size: 1460 B, start: 200 ms}]\n" RUN_ALL);
    assert_false(r->stalled);
    assert_int_equal(r->messages_completed, 2);
    assert_int_equal(r->sim_ps, UINT64_C(204000000000) + 2 * FULL_PS);
}

static void no_delivery_for_the_stall_time_is_a_stall(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = fix_run(STAR("2") "fabric: {loss: 100%}\nhost: {rto_min: 100 us, rto_init: 100 us, rto_max: 100 us}\n" PERM(
        "1460 B") "run: {warmup: 0 us, measure: all, stall: 3 ms}\n");
    assert_true(r->stalled);
    assert_int_equal(r->messages_completed, 0);
    assert_int_equal(r->sim_ps / WEIR_PS_PER_MS, 3); /* looked at every millisecond */
    assert_int_equal(r->timeouts, 2 * 29); /* at 100 us .. 2.9 ms; the tick of 3 ms comes before what happens then */
}

static void a_stop_before_the_first_window_leaves_an_empty_result(void **state)
{
    static const volatile int stop = 2;
    const struct weir_result *r;
    (void)state;
    r = run_stopped_by(&stop, STAR("2") PERM("1 KB") RUN_ALL);
    assert_true(r->interrupted);
    assert_int_equal(r->sim_ps, 0);
    assert_int_equal(r->messages_started, 0);
    assert_int_equal(r->packet_hops, 0);
}

struct notified {
    volatile int stop;
    uint32_t times;
    struct weir_progress last;
};

static void notified(void *ctx, const struct weir_progress *p)
{
    struct notified *t = ctx;
    t->times++;
    t->last = *p;
    t->stop = 15;
}

/* Progress is reported about every million packet-hops or four thousand windows; the run then ends with its present window, and the result has
 * what was done. */
static void a_stop_ends_a_run_early_with_what_was_done(void **state)
{
    struct notified t = { 0 };
    const struct weir_result *r;
    (void)state;
    fix_options.check = false;
    fix_options.threads = 2;
    fix_options.progress = notified;
    fix_options.progress_ctx = &t;
    r = run_stopped_by(&t.stop, STAR("16") "traffic: [{kind: poisson, sizes: 100 KB, load: 60%}]\n"
                                           "run: {warmup: 1 ms, measure: 100 s, sample: 1 ms}\n");
    assert_int_equal(t.times, 1);
    assert_true(r->interrupted);
    assert_false(r->stalled);
    assert_true(t.last.packet_hops > 1 << 16);
    assert_int_equal(t.last.end_ps, 100001 * WEIR_PS_PER_MS);
    assert_true(r->sim_ps >= t.last.now_ps && r->sim_ps < WEIR_PS_PER_S);
    assert_true(r->packet_hops >= t.last.packet_hops);
    assert_true(t.last.messages_started >= t.last.messages_completed && t.last.messages_completed > 0);
    assert_int_equal(r->measured_ps, r->sim_ps - WEIR_PS_PER_MS);
}

/* Two rounds of one frame each way, the second after gap, and a third until the end: one value per port and interval. */
static void assert_samples(const char *run, uint64_t intervals)
{
    char text[512];
    const struct weir_result *r;
    (void)snprintf(text, sizeof(text),
                   STAR("2") "traffic: [{kind: permutation, size: 1460 B}, {kind: permutation, size: 1460 B, start: "
                             "9000 s}]\n%s\n",
                   run);
    fix_options.detail = true;
    r = fix_run(text);
    assert_int_equal(r->messages_completed, 4);
    assert_int_equal(r->detail->port_queue.total, 2 * intervals);
    assert_int_equal(r->detail->tor_queue.total, intervals);
    assert_int_equal(r->detail->port_queue.max, 576); /* of 4 us after each start */
    assert_int_equal(r->detail->port_queue.count[0], 2 * (intervals - 2));
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
}

/* One by one these samples would take hours. */
static void samples_of_hours_of_idleness_are_a_number(void **state)
{
    (void)state;
    assert_samples("run: {warmup: 0 us, measure: 9001 s, sample: 1 us}", UINT64_C(9001000000));
    assert_samples("run: {warmup: 0 us, measure: all, sample: 1 us}", UINT64_C(9000000007)); /* 0, .., 9000 s + 6 us */
}

/* With averages every switch is sampled port by port. Without them a switch without queues is a number until its next
 * visit: the samples are the same, bucket by bucket, for each number of threads. */
static void quiet_switches_have_the_samples_of_all_others(void **state)
{
    static struct weir_detail whole;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 10 "
                       "Gbps}\nprotocol: dctcp\ntraffic: [{kind: poisson, sizes: 20 KB, load: 20%%, stop: 2 ms}]\n"
                       "run: {warmup: 0 us, measure: all, sample: 3 us, sample_average: %s}\n",
                       i == 0 ? "true" : "false");
        fix_options.detail = true;
        fix_options.threads = i == 2 ? 2 : 1;
        (void)fix_run(text);
        if (i == 0)
            whole = *fix_result.detail;
        assert_true(fix_result.detail->port_queue.max > 20000 && fix_result.messages_completed > 100);
        assert_memory_equal(&fix_result.detail->port_queue, &whole.port_queue, sizeof(whole.port_queue));
        assert_memory_equal(&fix_result.detail->tor_queue, &whole.tor_queue, sizeof(whole.tor_queue));
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

/* The samples are those of an exact run, and so is all else but what is computed from them. */
static void sampled_statistics_change_nothing_else(void **state)
{
    static struct weir_detail whole;
    struct weir_result exact = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        char text[512];
        const struct weir_result *r;
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 10 "
                       "Gbps}\nprotocol: dctcp\ntraffic: [{kind: poisson, sizes: 20 KB, load: 40%%}]\n"
                       "run: {warmup: 100 us, measure: 2 ms, sample: 3 us, statistics: %s}\n",
                       i == 0 ? "exact" : "sampled");
        fix_options.detail = fix_options.links = true;
        fix_options.threads = 1 + i / 2;
        r = fix_run(text);
        if (i == 0) {
            whole = *r->detail;
            exact = *r;
        }
        assert_true(r->digest == exact.digest && r->jain_ppm == exact.jain_ppm);
        assert_memory_equal(&r->detail->tor_queue, &whole.tor_queue, sizeof(whole.tor_queue));
        assert_int_equal(r->tor_queue.p99_bytes, exact.tor_queue.p99_bytes);
        assert_int_equal(r->tor_queue.sampled_max_bytes, whole.tor_queue.max);
        assert_int_equal(r->port_queue.sampled_max_bytes, whole.port_queue.max);
        assert_true(exact.tor_queue.max_bytes > whole.tor_queue.max);
        assert_int_equal(r->sampled, i > 0);
        assert_int_equal(r->tor_queue.max_bytes, i > 0 ? 0 : exact.tor_queue.max_bytes);
        assert_int_equal(r->link[9].area_lo != 0, i == 0);
        assert_int_equal(r->link[9].bytes > 0, true);
        assert_in_range(r->tor_queue.mean_millibytes, exact.tor_queue.mean_millibytes / 100 * 95,
                        exact.tor_queue.mean_millibytes / 100 * 105);
        assert_true(r->intervals.has_means && r->intervals.queue_millibytes > 0);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

struct idle_watch {
    volatile int stop;
    uint32_t snapshots, reports;
    uint64_t stop_at_ps, last_ps, reported_ps;
};

static int watch(void *ctx, const struct weir_snapshot *snapshot)
{
    struct idle_watch *w = ctx;
    w->snapshots += w->stop != 0;
    w->last_ps = snapshot->at_ps;
    if (snapshot->at_ps >= w->stop_at_ps)
        w->stop = 15;
    return 0;
}

static void watch_progress(void *ctx, const struct weir_progress *p)
{
    struct idle_watch *w = ctx;
    w->reports++;
    w->reported_ps = p->now_ps;
    assert_true(p->now_ps >= w->last_ps || p->end_ps == p->now_ps);
}

/* Snapshots of a network that is idle for five hours: few of them come before the stop flag is read again, and the
 * result is of what was done until then. Progress is reported all the while. */
static void a_stop_ends_an_idle_stretch_within_a_few_boundaries(void **state)
{
    static const char *const runs[] = { "run: {warmup: 0 us, measure: all, sample: 1 us}\n",
                                        "run: {warmup: 0 us, measure: 17000 s, sample: 1 us}\n" };
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct idle_watch w = { .stop_at_ps = 5000 * WEIR_PS_PER_US };
        char text[512];
        const struct weir_result *r;
        (void)snprintf(text, sizeof(text),
                       STAR("2") "traffic: [{kind: permutation, size: 1460 B}, {kind: permutation, size: 1 KB, start: "
                                 "16000 s}]\n%s",
                       runs[i % 2]);
        fix_options.threads = 1 + i / 2;
        fix_options.check = false;
        fix_options.snapshot = watch;
        fix_options.snapshot_ctx = &w;
        fix_options.snapshot_ps = WEIR_PS_PER_US;
        fix_options.progress = watch_progress;
        fix_options.progress_ctx = &w;
        r = run_stopped_by(&w.stop, text);
        assert_true(r->interrupted);
        assert_in_range(w.snapshots, 0, 32);
        assert_in_range(r->sim_ps, w.stop_at_ps, w.last_ps + WEIR_PS_PER_US);
        assert_int_equal(r->messages_completed, 2);
        assert_true(w.reports > 0 && w.reported_ps <= w.last_ps);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

/* Two messages are lost with host 0 at 3 us, the two of 1 ms are delivered. */
static void progress_does_not_count_lost_messages_as_completed(void **state)
{
    struct notified t = { 0 };
    struct idle_watch w = { .stop_at_ps = 5 * WEIR_PS_PER_MS };
    (void)state;
    fix_options.snapshot = watch;
    fix_options.snapshot_ctx = &w;
    fix_options.snapshot_ps = WEIR_PS_PER_US;
    fix_options.progress = notified;
    fix_options.progress_ctx = &t;
    (void)run_stopped_by(&w.stop, STAR("2") "fabric: {events: [{time: 3 us, host: host 0, state: restart}]}\n"
                                            "traffic: [{kind: permutation, size: 1 MB}, {kind: permutation, size: 1 "
                                            "KB, start: 1 ms}]\nrun: {warmup: 0 us, measure: 10 ms}\n");
    assert_true(t.times > 0);
    assert_int_equal(t.last.messages_started, 4);
    assert_int_equal(t.last.messages_completed, 2);
    assert_int_equal(t.last.messages_lost, 2);
}

/* Two requests are lost with host 0 at 3 us, so that two of the six messages never start: the last delivery is of those
 * of 1 ms. No sample comes after it, although ACKs are on their way. */
static void replies_to_lost_messages_are_not_waited_for(void **state)
{
    const struct weir_result *r;
    (void)state;
    fix_options.detail = true;
    r = fix_run(STAR("2") "fabric: {events: [{time: 3 us, host: host 0, state: restart}]}\n"
                          "traffic: [{kind: permutation, size: 1 MB, reply: 1 KB}, {kind: permutation, size: 1 KB, "
                          "start: 1 ms}]\nrun: {warmup: 0 us, measure: all, sample: 1 us}\n");
    assert_int_equal(r->messages_started, 4);
    assert_int_equal(r->messages_lost, 2);
    assert_int_equal(r->sim_ps, WEIR_PS_PER_MS + 2 * (DELAY_PS + 1078 * 800)); /* a frame of 1078 B, twice */
    assert_int_equal(r->detail->tor_queue.total, r->sim_ps / WEIR_PS_PER_US + 1);
}

#define WINDOW_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WINDOW_TEST(the_measured_part_begins_in_the_middle_of_a_frame),
        WINDOW_TEST(the_measured_part_has_its_first_instant_and_not_its_last),
        WINDOW_TEST(queues_are_sampled_from_the_warm_up_on),
        WINDOW_TEST(measure_all_ends_with_the_last_delivery),
        WINDOW_TEST(an_idle_beginning_is_no_stall),
        WINDOW_TEST(no_delivery_for_the_stall_time_is_a_stall),
        WINDOW_TEST(a_stop_before_the_first_window_leaves_an_empty_result),
        WINDOW_TEST(a_stop_ends_a_run_early_with_what_was_done),
        WINDOW_TEST(samples_of_hours_of_idleness_are_a_number),
        WINDOW_TEST(quiet_switches_have_the_samples_of_all_others),
        WINDOW_TEST(sampled_statistics_change_nothing_else),
        WINDOW_TEST(a_stop_ends_an_idle_stretch_within_a_few_boundaries),
        WINDOW_TEST(progress_does_not_count_lost_messages_as_completed),
        WINDOW_TEST(replies_to_lost_messages_are_not_waited_for),
    };
    return cmocka_run_group_tests_name("sim/window", tests, NULL, NULL);
}
