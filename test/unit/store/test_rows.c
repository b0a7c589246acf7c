/* test/unit/store/test_rows.c - every table gets what it was told, and gives it up again. */
#include "test/unit/store/store_fixture.h"
#include "core/units.h"

static struct weir_store *store;

static int setup(void **state)
{
    int code = fixture_setup(state);
    store = code == 0 ? open_store(file) : NULL;
    return code;
}

static int teardown(void **state)
{
    weir_store_close(store);
    return fixture_teardown(state);
}

static void a_run_begins_running_and_ends_as_said(void **state)
{
    int64_t run = begin_run(store, "a", NULL);
    (void)state;
    assert_int_equal(run, 1);
    assert_holds(store, "(SELECT name = 'small' AND label = 'a' AND status = 'running' AND seed = 7 AND threads = 2"
                        " AND started_utc = '2026-01-02T03:04:05Z' AND json IS NULL AND experiment IS NULL FROM run)");
    end_run(store, run, "interrupted");
    assert_holds(store, "(SELECT status = 'interrupted' AND digest = '00ff' AND json = '{}' AND sim_s = 0.5 AND"
                        " wall_s = 0.0 FROM run)");
    assert_int_not_equal(weir_store_run_end(store, run, &(struct weir_store_end){ .status = "over" }, &err), 0);
}

static void a_seed_beyond_sqlites_integers_keeps_its_digits(void **state)
{
    struct weir_store_run run = { .name = "a", .label = "a", .started_utc = "", .seed = UINT64_MAX };
    int64_t id;
    (void)state;
    assert_done(weir_store_run_begin(store, &run, &id, &err));
    run.seed = INT64_MAX;
    assert_done(weir_store_run_begin(store, &run, &id, &err));
    assert_holds(store, "(SELECT seed = '18446744073709551615' FROM run WHERE id = 1)");
    assert_holds(store, "(SELECT seed = 9223372036854775807 FROM run WHERE id = 2)");
}

static void messages_keep_all_their_numbers(void **state)
{
    const struct weir_store_message message = { { .id = (UINT64_C(65535) << 40) + 5,
                                                  .src = 65535,
                                                  .dst = 2,
                                                  .item = 15,
                                                  .bytes = UINT64_C(1) << 40,
                                                  .start_ps = 123456789012345,
                                                  .end_ps = 223456789012345,
                                                  .ideal_ps = 11,
                                                  .payload_ps = 12,
                                                  .retransmissions = 4000000000,
                                                  .marks = 6 },
                                                2.5 };
    int64_t run = begin_run(store, "a", NULL);
    (void)state;
    assert_done(weir_store_messages(store, run, &message, 1, &err));
    assert_holds(
        store,
        "(SELECT run = 1 AND id = 65535 << 40 | 5 AND src = 65535 AND dst = 2 AND item = 15 AND"
        " bytes = 1 << 40 AND start_ps = 123456789012345 AND end_ps = 223456789012345 AND"
        " ideal_ps = 11 AND payload_ideal_ps = 12 AND retransmissions = 4000000000 AND marks = 6 AND weight = 2.5"
        " FROM message)");
}

static void keys_of_messages_say_run_and_order(void **state)
{
    int64_t first = begin_run(store, "a", NULL), second = begin_run(store, "b", NULL);
    (void)state;
    add_messages(store, first, 2);
    add_messages(store, second, 1);
    add_messages(store, first, 1);
    assert_holds(store, "(SELECT group_concat(key - (run << 40)) = '0,1,2' FROM (SELECT * FROM message"
                        " WHERE run = 1 ORDER BY key))");
    assert_holds(store, "(SELECT key = 2 << 40 FROM message WHERE run = 2)");
}

static void a_sample_says_what_it_is_of(void **state)
{
    int64_t run = begin_run(store, "a", NULL), all = begin_run(store, "b", NULL);
    (void)state;
    assert_done(weir_store_kept(
        store, run,
        &(struct weir_store_kept){
            .most = 9, .messages = 100, .slowest = 4, .others = 5, .slowest_from_ppm = 1500000, .weight = 19.2 },
        &err));
    assert_done(weir_store_kept(store, all, &(struct weir_store_kept){ .most = 1, .weight = 1 }, &err));
    assert_holds(store, "(SELECT most = 9 AND messages = 100 AND slowest = 4 AND slowest_from = 1.5 AND others = 5 AND"
                        " weight = 19.2 FROM kept WHERE run = 1)");
    assert_holds(store, "(SELECT slowest_from IS NULL FROM kept WHERE run = 2)");
    assert_done(weir_store_run_remove(store, run, &err));
    assert_int_equal(ask(store, "SELECT count(*) FROM kept"), 1);
}

static void points_belong_to_series(void **state)
{
    int64_t run = begin_run(store, "a", NULL), goodput, queue;
    struct weir_store_point point[3];
    (void)state;
    assert_done(weir_store_series(store, run, "goodput", "Gbps", NULL, &goodput, &err));
    assert_done(weir_store_series(store, run, "port_queue", "bytes", "leaf 0 > host 2", &queue, &err));
    point[0] = (struct weir_store_point){ goodput, 1000, 1.5 };
    point[1] = (struct weir_store_point){ queue, 1000, 3000 };
    point[2] = (struct weir_store_point){ goodput, 2000, 2.5 };
    assert_done(weir_store_points(store, point, 3, &err));
    assert_holds(store, "(SELECT sum(value) = 4.0 AND count(*) = 2 FROM point JOIN series ON series = id WHERE"
                        " name = 'goodput' AND unit = 'Gbps' AND place IS NULL)");
    assert_holds(store, "(SELECT value = 3000 FROM point JOIN series ON series = id WHERE place = 'leaf 0 > host 2')");
    assert_done(weir_store_points_clear(store, run, &err));
    assert_int_equal(ask(store, "SELECT count(*) FROM point"), 0);
    assert_int_equal(ask(store, "SELECT count(*) FROM series"), 2);
}

/* Something in every table. */
static int64_t full_run(const char *label, const char *point)
{
    const struct weir_store_bucket bucket[] = { { 1, 1.5, 10 }, { 1.5, 2, 4 } };
    const struct weir_store_size_bin bin = { "ideal", 1000, 1778, 14, 1.25, 1.75 };
    struct weir_job_result job[] = { { .name = "q1", .start_ps = 7, .end_ps = 9, .flows = 2, .ended = 2 },
                                     { .name = "q2", .start_ps = 8, .end_ps = WEIR_NEVER, .flows = 2 } };
    struct weir_coflow_result coflow = { "q1", "all", 7, 8, 9, 2, 2 };
    const struct weir_job_results jobs = { job, &coflow, 2, 1 };
    const struct weir_store_finding finding = { 0, "unfinished", "3 of 16 messages unfinished", NULL,
                                                "{\"messages\": 3}" };
    const struct weir_part_result law = { .class_id = 3,
                                          .messages_started = 9,
                                          .messages_completed = 8,
                                          .goodput_bps = 2500000000,
                                          .timeouts = 4,
                                          .slowdown = { { .count = 8, .p50 = 1250000, .p99 = 9500000 } } };
    const double value = 1.5;
    int64_t run = begin_run(store, label, point), series;
    add_messages(store, run, 3);
    assert_done(weir_store_series(store, run, "goodput", "Gbps", NULL, &series, &err));
    assert_done(weir_store_points(store, &(struct weir_store_point){ series, 1000, 1.5 }, 1, &err));
    assert_done(weir_store_histogram(store, run, "slowdown", "ratio", bucket, 2, &err));
    assert_done(weir_store_by_size(store, run, &bin, &err));
    assert_done(weir_store_metric(store, run, "slowdown.all.p50", &value, &err));
    assert_done(weir_store_metric(store, run, "slowdown.D.p50", NULL, &err));
    assert_done(weir_store_jobs(store, run, &jobs, &err));
    assert_done(weir_store_finding(store, run, &finding, &err));
    assert_done(weir_store_law(store, run, 1, "cubic", &law, &err));
    assert_done(weir_store_class(store, run, &law, &err));
    return run;
}

static void distributions_and_metrics_are_kept(void **state)
{
    (void)state;
    (void)full_run("a", NULL);
    assert_holds(store, "(SELECT sum(count) = 14 AND min(lo) = 1.0 AND max(hi) = 2.0 AND min(unit) = 'ratio'"
                        " FROM histogram WHERE run = 1 AND name = 'slowdown')");
    assert_holds(store, "(SELECT denominator = 'ideal' AND lo_bytes = 1000 AND hi_bytes = 1778 AND count = 14 AND"
                        " p50 = 1.25 AND p99 = 1.75 FROM by_size)");
    assert_holds(store, "(SELECT value = 1.5 FROM metric WHERE name = 'slowdown.all.p50')");
    assert_holds(store, "(SELECT value IS NULL FROM metric WHERE name = 'slowdown.D.p50')");
    assert_holds(store, "(SELECT name = 'q1' AND start_ps = 7 AND end_ps = 9 AND flows = 2 AND ended = 2 FROM job"
                        " WHERE number = 0)");
    assert_holds(store, "(SELECT name = 'q2' AND end_ps IS NULL AND ended = 0 FROM job WHERE number = 1)");
    assert_holds(store, "(SELECT kind = 'unfinished' AND place IS NULL AND json_extract(numbers, '$.messages') = 3 AND"
                        " text LIKE '3 of %' FROM finding)");
    assert_holds(store, "(SELECT number = 1 AND protocol = 'cubic' AND class = 3 AND messages_completed = 8 AND"
                        " goodput_gbps = 2.5 AND timeouts = 4 AND p50 = 1.25 AND p99 = 9.5 FROM law)");
    assert_holds(store, "(SELECT class = 3 AND messages_completed = 8 AND goodput_gbps = 2.5 AND timeouts = 4 AND"
                        " p50 = 1.25 AND p99 = 9.5 FROM class)");
    assert_holds(store, "(SELECT job = 'q1' AND name = 'all' AND end_ps - first_end_ps = 1 FROM coflow)");
}

static void assert_rows_of(int64_t run, int64_t want)
{
    char sql[800];
    (void)snprintf(sql, sizeof(sql),
                   "SELECT (SELECT count(*) FROM message WHERE run = %d) + (SELECT count(*) FROM series WHERE run = %d)"
                   " + (SELECT count(*) FROM point JOIN series ON series = id WHERE run = %d)"
                   " + (SELECT count(*) FROM histogram WHERE run = %d) + (SELECT count(*) FROM by_size WHERE run = %d)"
                   " + (SELECT count(*) FROM metric WHERE run = %d) + (SELECT count(*) FROM run WHERE id = %d)"
                   " + (SELECT count(*) FROM job WHERE run = %d) + (SELECT count(*) FROM coflow WHERE run = %d)"
                   " + (SELECT count(*) FROM finding WHERE run = %d) + (SELECT count(*) FROM law WHERE run = %d)"
                   " + (SELECT count(*) FROM class WHERE run = %d)",
                   (int)run, (int)run, (int)run, (int)run, (int)run, (int)run, (int)run, (int)run, (int)run, (int)run,
                   (int)run, (int)run);
    assert_int_equal(ask(store, sql), want);
}

static void a_removed_run_leaves_nothing_and_takes_nothing_else_along(void **state)
{
    int64_t first = full_run("a", NULL), second = full_run("b", NULL);
    (void)state;
    assert_rows_of(first, 17); /* 3 messages, series, point, 2 buckets, bin, 2 metrics, run, 2 jobs, coflow, finding,
                                  law, class */
    assert_done(weir_store_run_remove(store, first, &err));
    assert_rows_of(first, 0);
    assert_rows_of(second, 17);
    assert_int_equal(ask(store, "SELECT count(*) FROM point"), 1);
}

static void a_done_point_of_a_sweep_takes_the_place_of_earlier_ones(void **state)
{
    int64_t first = full_run("a", "wka-50"), failed = full_run("a", "wka-50"), elsewhere = full_run("a", "wka-60");
    int64_t again, broken;
    (void)state;
    end_run(store, first, "done");
    end_run(store, failed, "failed");
    end_run(store, elsewhere, "done");
    assert_rows_of(first, 17);
    again = full_run("a", "wka-50");
    assert_rows_of(first, 17); /* until the new one is done */
    end_run(store, again, "done");
    assert_rows_of(first, 0);
    assert_rows_of(failed, 0);
    assert_rows_of(again, 17);
    assert_rows_of(elsewhere, 17);
    broken = full_run("a", "wka-50");
    end_run(store, broken, "interrupted"); /* never instead of one that is done */
    assert_rows_of(again, 17);
    assert_rows_of(broken, 17);
}

static void runs_outside_a_sweep_stand_beside_each_other(void **state)
{
    int64_t first = full_run("a", NULL), second = full_run("a", NULL);
    (void)state;
    end_run(store, first, "done");
    end_run(store, second, "done");
    assert_rows_of(first, 17);
    assert_rows_of(second, 17);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_begins_running_and_ends_as_said),
        TEST(a_seed_beyond_sqlites_integers_keeps_its_digits),
        TEST(messages_keep_all_their_numbers),
        TEST(keys_of_messages_say_run_and_order),
        TEST(a_sample_says_what_it_is_of),
        TEST(points_belong_to_series),
        TEST(distributions_and_metrics_are_kept),
        TEST(a_removed_run_leaves_nothing_and_takes_nothing_else_along),
        TEST(a_done_point_of_a_sweep_takes_the_place_of_earlier_ones),
        TEST(runs_outside_a_sweep_stand_beside_each_other),
    };
    return cmocka_run_group_tests_name("store/rows", tests, NULL, NULL);
}
