/* test/unit/reproduce/test_comparison_read.c - the numbers of a run as a result file has them, and when they are in doubt. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/comparison_read.h"
#include "reproduce/results_jobs.h"
#include "store/store.h"
#include <math.h>

static struct weir_store *store;
static struct weir_point point;
static struct weir_comparison usual;
static struct weir_comparison_run run;

static int begin(void **state)
{
    int code = begin_dir(state);
    if (code == 0)
        code = weir_store_open(&store, in_dir("a.db"), NULL, &test_err);
    point = (struct weir_point){ .state = WEIR_POINT_DONE, .store = store };
    return code;
}

static int end(void **state)
{
    weir_store_close(store);
    return end_dir(state);
}

static void take(const char *json)
{
    const struct weir_store_run row = {
        .name = "n", .label = "n", .started_utc = "2026-01-01T00:00:00Z", .threads = 1
    };
    const struct weir_store_end done = { .status = "done", .digest = "0", .json = json, .sim_s = 1 };
    assert_int_equal(weir_store_run_begin(store, &row, &point.run, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, point.run, &done, &test_err), 0);
    weir_comparison_usual(&usual);
    weir_comparison_read(&point, &usual, &run);
}

static double value(const char *name)
{
    uint32_t m = 0;
    while (strcmp(usual.metric[m].name, name) != 0)
        m++;
    return run.value[m];
}

#define MESSAGES(started, completed, measured)                                                                         \
    "\"messages_started\": " started ", \"messages_completed\": " completed ", \"messages_measured\": " measured ", "  \
    "\"slowdown\": {\"all\": {\"count\": " measured ", \"p50\": 1.5, \"p99\": 2.5}, \"A\": null}"
#define SOME MESSAGES("1000", "995", "900")

static void numbers_are_read_by_their_paths(void **state)
{
    (void)state;
    take("{\"stable\": true, " SOME ", \"drops\": 100, \"features\": {\"credit-gate\": {\"dropped\": 98}},"
         " \"tor_queue_bytes\": {\"p99\": 1500, \"max\": 2500}}");
    assert_true(run.is_done);
    assert_string_equal(run.doubt, "");
    assert_true(value("slowdown.all.p50") == 1.5 && value("slowdown.all.p99") == 2.5);
    assert_true(value("drops") == 2); /* credit is no data */
    assert_true(value("tor_queue_bytes.max") == 2500);
    assert_true(value("unfinished.messages") == 5);
    assert_true(isnan(value("slowdown.A.p99")) && isnan(value("features.pfc.pause_frames")) &&
                isnan(value("goodput_gbps")));
    take("{\"stable\": true, " SOME ", \"drops\": 100}");
    assert_true(value("drops") == 100);
}

static void what_is_not_done_has_no_numbers(void **state)
{
    (void)state;
    point.state = WEIR_POINT_FAILED;
    take("{\"stable\": true, " SOME "}");
    assert_false(run.is_done);
}

static void an_unstable_run_is_in_doubt_for_its_own_reason(void **state)
{
    (void)state;
    take("{\"stable\": false, \"unstable_why\": \"queues grew\", " SOME "}");
    assert_string_equal(run.doubt, "queues grew");
    take("{\"stable\": false, " SOME "}");
    assert_string_equal(run.doubt, "unstable");
}

/* A run that says more than stable or not. */
static void a_verdict_counts_over_stable(void **state)
{
    (void)state;
    take("{\"stable\": true, \"verdict\": \"short\", \"findings\": [{\"text\": \"measure longer\"}], " SOME "}");
    assert_string_equal(run.doubt, "measure longer");
    take("{\"stable\": false, \"verdict\": \"so_far\", \"findings\": [{\"text\": \"5 messages left\"}], " SOME "}");
    assert_string_equal(run.doubt, "");
    take("{\"stable\": true, \"verdict\": \"stable\", \"findings\": [], " SOME "}");
    assert_string_equal(run.doubt, "");
    take("{\"verdict\": \"stalled\", " SOME "}");
    assert_string_equal(run.doubt, "stalled");
}

/* Slowdown lacks them: 10 of 1000 may be all that is beyond its 99th percentile. */
static void more_unfinished_messages_than_a_hundredth_are_a_doubt(void **state)
{
    (void)state;
    take("{\"stable\": true, " MESSAGES("1000", "990", "990") "}");
    assert_string_equal(run.doubt, "");
    take("{\"stable\": true, " MESSAGES("1000", "989", "989") "}");
    assert_non_null(strstr(run.doubt, "11 of 1000 messages had not ended"));
    /* .. unless the run says of all of them that they are not slower */
    take("{\"verdict\": \"so_far\", \"findings\": [{\"kind\": \"left_out\"}, {\"kind\": \"unfinished\", \"slowest\": "
         "null}], " MESSAGES("1000", "989", "989") "}");
    assert_string_equal(run.doubt, "");
    take("{\"verdict\": \"so_far\", \"findings\": [{\"kind\": \"left_out\"}, {\"kind\": \"unfinished\", \"slowest\": "
         "20.5}], " MESSAGES("1000", "989", "989") "}");
    assert_non_null(strstr(run.doubt, "11 of 1000"));
    take("{\"stable\": true, " MESSAGES("1000", "1000", "0") "}");
    assert_non_null(strstr(run.doubt, "no message"));
    take("{\"stable\": true}");
    assert_non_null(strstr(run.doubt, "no message"));
}

static void jobs_that_had_not_ended_are_a_doubt(void **state)
{
    (void)state;
    take("{\"stable\": true, \"job_completion_us\": {\"count\": 5, \"unfinished\": 0}, " SOME "}");
    assert_string_equal(run.doubt, "");
    take("{\"stable\": true, \"job_completion_us\": {\"count\": 5, \"unfinished\": 2}, " SOME "}");
    assert_string_equal(run.doubt, "2 of 7 jobs had not ended");
    take("{\"stable\": true, \"job_completion_us\": null, " SOME "}");
    assert_string_equal(run.doubt, "");
}

static void jobs_are_read_with_their_bandwidths(void **state)
{
    struct weir_results_jobs jobs;
    (void)state;
    take("{\"jobs\": [{\"name\": \"q\", \"completion_s\": 0.001}, {\"name\": \"ring#1\", \"completion_s\": 0.002, "
         "\"algbw_gbytes_s\": 1.5, \"busbw_gbytes_s\": 2.5}, {\"name\": \"late\", \"completion_s\": null}]}");
    assert_int_equal(weir_results_jobs_read(&jobs, &point, &test_err), 0);
    assert_int_equal(jobs.count, 3);
    assert_string_equal(jobs.job[1].name, "ring#1");
    assert_true(jobs.job[0].completion_us == 1000 && isnan(jobs.job[0].busbw_gbytes_s));
    assert_true(jobs.job[1].algbw_gbytes_s == 1.5 && jobs.job[1].busbw_gbytes_s == 2.5);
    assert_true(isnan(jobs.job[2].completion_us));
    weir_results_jobs_free(&jobs);
    take("{\"jobs\": null}");
    assert_int_equal(weir_results_jobs_read(&jobs, &point, &test_err), 0);
    assert_int_equal(jobs.count, 0);
}

static void a_run_says_whether_its_statistics_are_sampled(void **state)
{
    (void)state;
    take("{\"stable\": true, " SOME "}"); /* an older Weir */
    assert_false(run.is_sampled);
    take("{\"stable\": true, \"statistics\": \"exact\", " SOME "}");
    assert_false(run.is_sampled);
    take("{\"stable\": true, \"statistics\": \"sampled\", \"tor_queue_bytes\": {\"max\": null}, " SOME "}");
    assert_true(run.is_sampled);
    assert_true(isnan(value("tor_queue_bytes.max")));
}

static void the_fullest_port_and_link_are_read_if_the_run_names_them(void **state)
{
    (void)state;
    take("{\"stable\": true, " SOME "}"); /* an older Weir */
    assert_string_equal(run.fullest[WEIR_FULLEST_PORT], "");
    assert_string_equal(run.fullest[WEIR_FULLEST_LINK], "");
    take("{\"stable\": true, \"fullest_port\": \"a > b\", \"port_queue_bytes\": {\"max\": 1500}, \"fullest_link\": "
         "\"c > d\", \"link_share_max\": 0.75, " SOME "}");
    assert_string_equal(run.fullest[WEIR_FULLEST_PORT], "a > b");
    assert_string_equal(run.fullest[WEIR_FULLEST_LINK], "c > d");
    assert_true(run.fullest_value[WEIR_FULLEST_PORT] == 1500 && run.fullest_value[WEIR_FULLEST_LINK] == 0.75);
    take("{\"stable\": true, \"fullest_port\": null, \"fullest_link\": null, " SOME "}"); /* nothing queued */
    assert_string_equal(run.fullest[WEIR_FULLEST_PORT], "");
    assert_true(isnan(run.fullest_value[WEIR_FULLEST_LINK]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_read_by_their_paths),
        TEST(what_is_not_done_has_no_numbers),
        TEST(an_unstable_run_is_in_doubt_for_its_own_reason),
        TEST(a_verdict_counts_over_stable),
        TEST(more_unfinished_messages_than_a_hundredth_are_a_doubt),
        TEST(jobs_that_had_not_ended_are_a_doubt),
        TEST(jobs_are_read_with_their_bandwidths),
        TEST(a_run_says_whether_its_statistics_are_sampled),
        TEST(the_fullest_port_and_link_are_read_if_the_run_names_them),
    };
    return cmocka_run_group_tests_name("reproduce/comparison_read", tests, NULL, NULL);
}
