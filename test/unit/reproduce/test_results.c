/* test/unit/reproduce/test_results.c - points of a sweep in a result file. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/results.h"
#include <sqlite3.h>

static struct weir_plan plan;
static struct weir_store *store;

/* Two flows, 10 and 1: the second has nothing at first, then three times as much as the first. */
static void put_flows(int64_t run)
{
    static const char *const element[] = { "flow 1 (h0 - h1)", "flow 10 (h2 - h1)" };
    static const double value[2][2] = { { 20, 10 }, { 0, 30 } };
    int64_t series;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(weir_store_series(store, run, "flow", "Gbps", element[i], &series, &test_err), 0);
        assert_int_equal(weir_store_points(store,
                                           (const struct weir_store_point[]){ { series, 500000000000, value[i][0] },
                                                                              { series, 1000000000000, value[i][1] } },
                                           2, &test_err),
                         0);
    }
}

/* A run of point us-50: 1 s, the last tenth measured; the queue is 10 before half time and 30 at the end. */
static void put_labelled(const char *label, const char *scenario, const char *status, const char *commit)
{
    const char *id = test_exp.origin.id;
    struct weir_store_run run = { .name = "n",
                                  .label = label,
                                  .started_utc = "2026-01-01T00:00:00Z",
                                  .weir_version = "1",
                                  .commit_id = commit,
                                  .scenario = scenario,
                                  .experiment = id,
                                  .figure = "f",
                                  .point = "us-50",
                                  .threads = 1 };
    struct weir_store_end end = { .status = status,
                                  .digest = "0",
                                  .json = "{\"sim_s\": 1.0, \"measured_s\": 0.1, \"stable\": true, \"a\": {\"b\": 2.5, "
                                          "\"c\": null}, \"d\": \"text\"}",
                                  .sim_s = 1 };
    int64_t at, series;
    assert_int_equal(weir_store_run_begin(store, &run, &at, &test_err), 0);
    assert_int_equal(weir_store_series(store, at, "q", "bytes", NULL, &series, &test_err), 0);
    assert_int_equal(weir_store_points(store,
                                       (const struct weir_store_point[]){ { series, 100000000000, 1 },
                                                                          { series, 450000000000, 10 },
                                                                          { series, 950000000000, 20 },
                                                                          { series, 1000000000000, 40 } },
                                       4, &test_err),
                     0);
    put_flows(at);
    assert_int_equal(weir_store_run_end(store, at, &end, &test_err), 0);
    plan.point[0].run = at;
    plan.point[0].store = store;
}

/* As a sweep does it. */
static void put_run(const char *scenario, const char *status, const char *commit)
{
    put_labelled("us-50", scenario, status, commit);
}

static int begin(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    assert_int_equal(begin_dir(state), 0);
    assert_int_equal(load(AXES "figures:\n  - {name: f, title: F, sweeps: [{who: us, load: all}]}\n"), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    for (uint32_t i = 0; i < plan.point_count; i++)
        plan.point[i].resolved = "a: 1\n";
    return weir_store_open(&store, in_dir("a.db"), NULL, &test_err);
}

static int end(void **state)
{
    weir_store_close(store);
    return end_dir(state);
}

static struct weir_results_found found;

/* @return how many are taken over */
static uint32_t adopt(const char *version, const char *commit)
{
    const struct weir_results_by by = { version, commit };
    assert_int_equal(weir_results_adopt(&plan, store, &by, &found, &test_err), 0);
    return found.same;
}

static void only_the_same_run_is_taken_over(void **state)
{
    (void)state;
    assert_int_equal(adopt("1", "c"), 0);
    put_run("a: 1\n", "failed", "c");
    assert_int_equal(adopt("1", "c"), 0);
    assert_int_equal(found.other, 0); /* nothing is lost with it */
    put_run("a: 2\n", "done", "c");
    assert_int_equal(adopt("1", "c"), 0);
    put_run("a: 1\n", "done", "c");
    assert_int_equal(adopt("1", "d"), 0);
    assert_int_equal(adopt("1", NULL), 0);
    assert_int_equal(plan.point[0].state, WEIR_POINT_PENDING);
    assert_int_equal(adopt("1", "c"), 1);
    assert_int_equal(found.other, 0);
    assert_int_equal(plan.point[0].state, WEIR_POINT_DONE);
    assert_int_equal(plan.point[1].state, WEIR_POINT_PENDING);
}

static void what_would_be_lost_is_counted(void **state)
{
    (void)state;
    plan.point[0].resolved = "run:\n  warmup: 1 ms\n  measure: 1 ms\n";
    put_run("run:\n  warmup: 5 ms\n  measure: 5 ms\n", "done", "c");
    assert_int_equal(adopt("1", "c"), 0);
    assert_int_equal(found.other, 1);
    assert_int_equal(found.differs, WEIR_DIFFERS_LENGTH);
    assert_int_equal(adopt("2", "d"), 0);
    assert_int_equal(found.differs, WEIR_DIFFERS_LENGTH | WEIR_DIFFERS_VERSION | WEIR_DIFFERS_COMMIT);
    plan.point[0].wanted = false; /* is not run, so nothing takes its place */
    assert_int_equal(adopt("1", "c"), 0);
    assert_int_equal(found.other, 0);
    plan.point[0].wanted = true;
    plan.point[0].resolved = "run:\n  warmup: 5 ms\n  measure: 5 ms\n  seed: 2\n";
    assert_int_equal(adopt("1", "c"), 0);
    assert_int_equal(found.differs, WEIR_DIFFERS_SETTINGS);
}

static void what_is_to_be_run_again_is_forgotten(void **state)
{
    (void)state;
    put_run("a: 1\n", "done", "c");
    plan.point[0].wanted = false;
    assert_int_equal(weir_results_forget(&plan, store, &test_err), 0);
    assert_int_equal(adopt("1", "c"), 1);
    plan.point[0].wanted = true;
    plan.point[0].state = WEIR_POINT_PENDING;
    assert_int_equal(weir_results_forget(&plan, store, &test_err), 0);
    assert_int_equal(adopt("1", "c"), 0);
    assert_int_equal(adopt("1", "d"), 0);
    assert_int_equal(found.other, 0);
}

static struct weir_value read_path(int point, const char *path)
{
    return weir_results_read(&plan.point[point], &(struct weir_reading){ .path = path });
}

static struct weir_value read_series(const struct weir_series_spec *spec)
{
    return weir_results_read(&plan.point[0], &(struct weir_reading){ .series = spec });
}

static void numbers_are_read_by_their_path(void **state)
{
    (void)state;
    put_run("a: 1\n", "done", "c");
    assert_true(read_path(0, "a.b").lo == 2.5);
    assert_true(read_path(0, "stable").lo == 1);
    assert_int_equal(read_path(0, "a.c").state, WEIR_VALUE_NONE);
    assert_int_equal(read_path(0, "a.x").state, WEIR_VALUE_NONE);
    assert_int_equal(read_path(0, "d").state, WEIR_VALUE_NONE);
    assert_int_equal(read_path(1, "a.b").state, WEIR_VALUE_NONE);
    assert_true(read_path(0, "growth:q").lo == 3);
    assert_int_equal(read_path(0, "growth:none").state, WEIR_VALUE_NONE);
}

/* 1, 2 and 97 values: the first hundredth ends with bucket 0 .. 10, the first three with 10 .. 30. */
static void quantiles_are_of_a_histogram_of_the_run(void **state)
{
    static const struct weir_store_bucket bucket[] = { { 0, 10, 1 }, { 10, 30, 2 }, { 50, 70, 97 } };
    (void)state;
    put_run("a: 1\n", "done", "c");
    assert_int_equal(weir_store_histogram(store, plan.point[0].run, "h", "bytes", bucket, 3, &test_err), 0);
    assert_true(read_path(0, "quantile:h:0").lo == 5);
    assert_true(read_path(0, "quantile:h:1").lo == 5);
    assert_true(read_path(0, "quantile:h:1.01").lo == 20);
    assert_true(read_path(0, "quantile:h:3").lo == 20);
    assert_true(read_path(0, "quantile:h:3.5").lo == 60);
    assert_true(read_path(0, "quantile:h:100").lo == 60);
    assert_int_equal(read_path(0, "quantile:g:50").state, WEIR_VALUE_NONE);
    assert_int_equal(read_path(1, "quantile:h:50").state, WEIR_VALUE_NONE);
}

/* A newer run of the point, of another commit and under another label, stands beside the one that is taken over. */
static void numbers_are_of_the_run_that_was_taken_over(void **state)
{
    (void)state;
    put_run("a: 1\n", "done", "c");
    put_labelled("else", "a: 1\n", "done", "d");
    assert_int_equal(sqlite3_exec(weir_store_db(store),
                                  "UPDATE run SET json = replace(json, '2.5', '7') WHERE label = 'else';"
                                  "UPDATE point SET value = 7 WHERE series IN (SELECT id FROM series WHERE run = 2)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(adopt("1", "c"), 1);
    assert_int_equal(found.other, 0);
    assert_int_equal(plan.point[0].run, 1);
    assert_true(read_path(0, "a.b").lo == 2.5);
    assert_true(read_path(0, "growth:q").lo == 3);
    assert_true(read_series(&(struct weir_series_spec){ .name = "q", .what = WEIR_SERIES_MEAN }).lo == 30);
}

static void series_are_folded_over_places(void **state)
{
    static const uint64_t all_ps = 1000000000000;
    struct weir_series_spec spec = { .name = "q", .what = WEIR_SERIES_MEAN };
    (void)state;
    put_run("a: 1\n", "done", "c");
    assert_true(read_series(&spec).lo == 30); /* the measured part: from 0.9 s on */
    spec.has_from = true;
    assert_true(read_series(&spec).lo == 17.75);
    spec.name = "flow";
    spec.fold = WEIR_SERIES_FOLD_SUM;
    assert_true(read_series(&spec).lo == 30);
    spec.fold = WEIR_SERIES_FOLD_MIN;
    assert_true(read_series(&spec).lo == 5);
    spec.element = "flow 1"; /* not flow 10 */
    assert_true(read_series(&spec).lo == 15);
    spec.element = "flow 10 (h2 - h1)";
    assert_true(read_series(&spec).lo == 15);
    spec.element = "flow";
    spec.what = WEIR_SERIES_JAIN; /* means of 15 and 15 */
    assert_true(read_series(&spec).lo == 1);
    spec.has_to = true;
    spec.from_ps = all_ps / 2; /* 10 and 30 */
    spec.to_ps = all_ps;
    assert_true(read_series(&spec).lo == 0.8);
    spec.name = "none";
    assert_int_equal(read_series(&spec).state, WEIR_VALUE_NONE);
}

/* The mark is half of the mean of both flows, not of the one that is asked about: 20 * 50 %. */
static void an_equal_share_is_of_all_places(void **state)
{
    struct weir_series_spec spec = { .name = "flow",
                                     .element = "flow 1",
                                     .what = WEIR_SERIES_BELOW,
                                     .of = WEIR_SERIES_OF_FAIR,
                                     .has_from = true,
                                     .share_ppm = 510000 };
    (void)state;
    put_run("a: 1\n", "done", "c");
    assert_true(read_series(&spec).lo == 1000000000000);
    spec.share_ppm = 500000;
    assert_int_equal(read_series(&spec).state, WEIR_VALUE_NONE);
}

/* Makes point 0 a run with a label of its own, whose JSON is `json`. */
static void put_json(const char *label, const char *json)
{
    sqlite3_stmt *stmt;
    put_labelled(label, "a: 1\n", "done", "c");
    assert_int_equal(
        sqlite3_prepare_v2(weir_store_db(store), "UPDATE run SET json = ?1 WHERE id = ?2", -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_bind_text(stmt, 1, json, -1, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_bind_int64(stmt, 2, plan.point[0].run), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    plan.point[0].state = WEIR_POINT_DONE;
}

/* Of all points in turn; a name that is a part of another is a protocol of its own. */
static void laws_are_called_after_their_protocols(void **state)
{
    static const char *const of_law_1[] = { "dctcp", "swift", "tcp", "dctcp", "wif", "swift2", "tcp", "swift" };
    char title[WEIR_LAWS_MAX][WEIR_RESULTS_LAW], json[128], label[8];
    struct weir_point point[8];
    (void)state;
    assert_int_equal(weir_results_laws(&plan, title), 0); /* nothing is done */
    for (size_t i = 0; i < 8; i++) {
        (void)snprintf(json, sizeof(json), "{\"laws\": [{\"protocol\": \"law\"}, {\"protocol\": \"%s\"}]}",
                       of_law_1[i]);
        (void)snprintf(label, sizeof(label), "%zu", i);
        put_json(label, json);
        point[i] = plan.point[0];
    }
    plan.point = point;
    plan.point_count = 8;
    assert_int_equal(weir_results_laws(&plan, title), 2);
    assert_string_equal(title[0], "law 0: law");
    assert_string_equal(title[1], "law 1: dctcp, swift, tcp, wif, swift2");
    point[1].state = WEIR_POINT_PENDING;
    assert_int_equal(weir_results_laws(&plan, title), 2);
    assert_string_equal(title[1], "law 1: dctcp, tcp, wif, swift2, swift");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_same_run_is_taken_over, begin, end),
        cmocka_unit_test_setup_teardown(what_would_be_lost_is_counted, begin, end),
        cmocka_unit_test_setup_teardown(what_is_to_be_run_again_is_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(numbers_are_read_by_their_path, begin, end),
        cmocka_unit_test_setup_teardown(quantiles_are_of_a_histogram_of_the_run, begin, end),
        cmocka_unit_test_setup_teardown(numbers_are_of_the_run_that_was_taken_over, begin, end),
        cmocka_unit_test_setup_teardown(series_are_folded_over_places, begin, end),
        cmocka_unit_test_setup_teardown(an_equal_share_is_of_all_places, begin, end),
        cmocka_unit_test_setup_teardown(laws_are_called_after_their_protocols, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
