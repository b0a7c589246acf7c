/* test/unit/reproduce/test_each.c - what is read off jobs and coflows: as a table says it, and from a result file. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/results.h"
#include "core/units.h"

#define TABLE(fields)                                                                                                  \
    AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: 50}],\n     tables: [{name: t, title: T, "       \
         "" fields "}]}\n"
#define VALUE(fields) TABLE("value: {" fields "}")

static struct weir_plan plan;
static struct weir_store *store;

static const struct weir_each_spec *spec_of(const char *text)
{
    assert_int_equal(load(text), 0);
    assert_null(test_exp.figure[0].table[0].reading[0].path);
    assert_null(test_exp.figure[0].table[0].reading[0].series);
    return test_exp.figure[0].table[0].reading[0].each;
}

static void as_a_table_says_it(void **state)
{
    const struct weir_each_spec *spec = spec_of(VALUE("each: jobs"));
    (void)state;
    assert_int_equal(spec->of, WEIR_EACH_JOBS);
    assert_int_equal(spec->what, WEIR_EACH_COMPLETION);
    assert_int_equal(spec->fold, WEIR_EACH_MEAN);
    assert_null(spec->name);
    spec = spec_of(VALUE("each: coflows, read: spread-share, fold: max, name: shuffle, divide: 10, digits: 4"));
    assert_int_equal(spec->of, WEIR_EACH_COFLOWS);
    assert_int_equal(spec->what, WEIR_EACH_SPREAD_SHARE);
    assert_int_equal(spec->fold, WEIR_EACH_MAX);
    assert_string_equal(spec->name, "shuffle");
    assert_int_equal(test_exp.figure[0].table[0].reading[0].divide, 10);
    assert_int_equal(test_exp.figure[0].table[0].reading[0].digits, 4);
}

static void refusals(void **state)
{
    static const struct refusal bad[] = {
        { VALUE("each: flows"), WEIR_E_UNKNOWN, 7, "each" },
        { VALUE("each: jobs, read: slowdown"), WEIR_E_UNKNOWN, 7, "read" },
        { VALUE("each: jobs, fold: sum"), WEIR_E_UNKNOWN, 7, "fold" },
        { VALUE("each: jobs, place: q1"), WEIR_E_UNKNOWN, 7, "place" },
        { VALUE("each: jobs, read: spread"), WEIR_E_CONFLICT, 7, "read" },
        { VALUE("each: jobs, fold: less"), WEIR_E_CONFLICT, 7, "fold" },
        { TABLE("value: {each: jobs}, reduction_to: {who: us}"), WEIR_E_CONFLICT, 7, "reduction_to" },
    };
    (void)state;
    REFUSED(bad, load);
}

/* Jobs a and b took `a` and `b` ps, both from 100 on; so did their coflows, the first flow of each 10 ps less. b may not have ended. */
static void put_run(int point, uint64_t a, uint64_t b)
{
    struct weir_store_run run = { .name = "n",
                                  .label = plan.point[point].name,
                                  .started_utc = "2026-01-01T00:00:00Z",
                                  .weir_version = "1",
                                  .commit_id = "c",
                                  .scenario = "a: 1\n",
                                  .experiment = test_exp.origin.id,
                                  .figure = "f",
                                  .point = plan.point[point].name,
                                  .threads = 1 };
    struct weir_store_end end = { .status = "done", .digest = "0", .json = "{\"stable\": true}", .sim_s = 1 };
    struct weir_job_result job[] = {
        { .name = "a", .start_ps = 100, .end_ps = 100 + a, .flows = 2, .ended = 2 },
        { .name = "b", .start_ps = 100, .end_ps = b == WEIR_NEVER ? b : 100 + b, .flows = 2, .ended = 2 }
    };
    struct weir_coflow_result coflow[] = { { "a", "a", 100, 90 + a, 100 + a, 2, 2 },
                                           { "b", "b", 100, 100, job[1].end_ps, 2, 2 } };
    struct weir_job_results jobs = { job, coflow, 2, 2 };
    int64_t at;
    coflow[1].first_end_ps = b == WEIR_NEVER ? b : 90 + b;
    assert_int_equal(weir_store_run_begin(store, &run, &at, &test_err), 0);
    assert_int_equal(weir_store_jobs(store, at, &jobs, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, at, &end, &test_err), 0);
    plan.point[point].state = WEIR_POINT_DONE;
    plan.point[point].run = at;
    plan.point[point].store = store;
}

/* Two runs: us with jobs of 200 and 400 ps, them with 100 and 500. */
static int begin(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    assert_int_equal(begin_dir(state), 0);
    assert_int_equal(load(AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: 50}]}\n"), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    assert_int_equal(plan.point_count, 2);
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_run(0, 200, 400);
    put_run(1, 100, 500);
    return 0;
}

static int end(void **state)
{
    weir_store_close(store);
    return end_dir(state);
}

static double number(struct weir_each_spec spec)
{
    struct weir_value v = weir_results_read(&plan.point[0], &(struct weir_reading){ .each = &spec });
    assert_int_equal(v.state, WEIR_VALUE_NUMBER);
    return v.lo;
}

static void numbers_of_one_run(void **state)
{
    (void)state;
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_JOBS }) == 300);
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_JOBS, .fold = WEIR_EACH_MIN }) == 200);
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_JOBS, .fold = WEIR_EACH_MAX }) == 400);
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_JOBS, .name = "b" }) == 400);
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_JOBS, .name = "b", .what = WEIR_EACH_END }) == 500);
    assert_true(number((struct weir_each_spec){ .of = WEIR_EACH_COFLOWS, .what = WEIR_EACH_SPREAD }) == 10);
    assert_true(number((struct weir_each_spec){
                    .of = WEIR_EACH_COFLOWS, .what = WEIR_EACH_SPREAD_SHARE, .name = "a" }) == 0.05);
}

static double quotient(enum weir_each_fold fold)
{
    const struct weir_each_spec spec = { .of = WEIR_EACH_JOBS, .fold = fold };
    struct weir_value v = weir_results_compare(&plan.point[0], &plan.point[1], &(struct weir_reading){ .each = &spec });
    assert_int_equal(v.state, WEIR_VALUE_NUMBER);
    return v.lo;
}

/* 200 / 100 and 400 / 500: not 300 / 300. */
static void each_is_divided_by_its_like(void **state)
{
    (void)state;
    assert_true(quotient(WEIR_EACH_MEAN) == 1.4);
    assert_true(quotient(WEIR_EACH_MIN) == 0.8);
    assert_true(quotient(WEIR_EACH_MAX) == 2);
    assert_true(quotient(WEIR_EACH_LESS) == 0.5);
}

static void a_mean_without_one_of_them_is_none(void **state)
{
    const struct weir_each_spec all = { .of = WEIR_EACH_JOBS }, one = { .of = WEIR_EACH_JOBS, .name = "a" },
                                none = { .of = WEIR_EACH_JOBS, .name = "c" };
    struct weir_reading reading = { .each = &all };
    (void)state;
    put_run(1, 100, WEIR_NEVER);
    assert_int_equal(weir_results_read(&plan.point[1], &reading).state, WEIR_VALUE_NONE);
    assert_int_equal(weir_results_compare(&plan.point[0], &plan.point[1], &reading).state, WEIR_VALUE_NONE);
    reading.each = &one;
    assert_true(weir_results_read(&plan.point[1], &reading).lo == 100);
    reading.each = &none;
    assert_int_equal(weir_results_read(&plan.point[1], &reading).state, WEIR_VALUE_NONE);
}

/* The cell is the quotient already; nothing else is divided. */
static void a_table_of_quotients(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    struct weir_cells cells;
    (void)state;
    put("p.csv", "metric,who,value\nm,US,1.5\n");
    assert_int_equal(load(TABLE("value: {each: jobs}, relative_to: {who: them}, published: {file: p.csv, metric: m}, "
                                "band: 10%")),
                     0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    plan.point[0].run = 1; /* as begin() put them */
    plan.point[1].run = 2;
    plan.point[0].store = plan.point[1].store = store;
    plan.point[0].state = plan.point[1].state = WEIR_POINT_DONE;
    assert_int_equal(
        weir_cells_make(&cells, &plan, plan.figure[0], &plan.figure[0]->table[0], &weir_results_measured, &test_err),
        0);
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 1.4 && cells.cell[0].published.lo == 1.5);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    assert_int_equal(cells.cell[0].runs_done, 2);
    plan.point[1].state = WEIR_POINT_PENDING;
    assert_int_equal(
        weir_cells_make(&cells, &plan, plan.figure[0], &plan.figure[0]->table[0], &weir_results_measured, &test_err),
        0);
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_a_table_says_it, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(refusals, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(numbers_of_one_run, begin, end),
        cmocka_unit_test_setup_teardown(each_is_divided_by_its_like, begin, end),
        cmocka_unit_test_setup_teardown(a_mean_without_one_of_them_is_none, begin, end),
        cmocka_unit_test_setup_teardown(a_table_of_quotients, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
