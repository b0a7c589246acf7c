/* test/unit/reproduce/test_cost.c - how long the runs to come will take, by hand. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/cost.h"

#define HEAD                                                                                                           \
    "title: T\nhop_time: 50 ns\naxes:\n"                                                                               \
    "  - {name: who, scenario: s.yaml, values: [{label: a, protocol: dctcp}, {label: b, protocol: sird}]}\n"

static struct weir_plan plan;
static struct weir_store *store;

static int begin(void **state)
{
    assert_int_equal(begin_dir(state), 0);
    return weir_store_open(&store, in_dir("a.db"), NULL, &test_err);
}

static int end(void **state)
{
    weir_store_close(store);
    return end_dir(state);
}

static void make(const char *text, uint64_t scale_ppm)
{
    struct weir_plan_request request = { .scale_ppm = scale_ppm };
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    assert_int_equal(plan.point_count, 2);
    plan.point[0].hops = 1000000;
    plan.point[1].hops = 3000000;
}

/* A run of DCTCP that took 20 ns a hop, and one too short to count. */
static void put_run(const char *json, double wall_s)
{
    struct weir_store_run run = { .name = "n",
                                  .label = "l",
                                  .started_utc = "2026-01-01T00:00:00Z",
                                  .scenario = "",
                                  .protocol = "dctcp",
                                  .threads = 1 };
    struct weir_store_end done = { .status = "done", .digest = "0", .json = json, .sim_s = 1, .wall_s = wall_s };
    int64_t at;
    assert_int_equal(weir_store_run_begin(store, &run, &at, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, at, &done, &test_err), 0);
}

static void by_hops_at_the_stated_speed(void **state)
{
    struct weir_cost cost;
    (void)state;
    make(HEAD "figures: [{name: f, title: F, sweeps: [{who: all}]}]\n", 1000000);
    cost = weir_cost_estimate(&plan, store);
    assert_true(cost.runs == 2 && cost.hop_runs == 2 && cost.measured_runs == 0 && cost.hops == 4000000);
    assert_int_equal(cost.all_ps, UINT64_C(4000000) * 50000);
    plan.point[0].state = WEIR_POINT_DONE;
    cost = weir_cost_estimate(&plan, store);
    assert_true(cost.runs == 1 && cost.all_ps == UINT64_C(3000000) * 50000);
    plan.point[1].wanted = false;
    assert_int_equal(weir_cost_estimate(&plan, store).runs, 0);
}

static void at_the_speed_of_earlier_runs_of_the_protocol(void **state)
{
    struct weir_cost cost;
    (void)state;
    put_run("{\"packet_hops\": 2000000}", 0.04);
    put_run("{\"packet_hops\": 999999}", 1);
    make(HEAD "figures: [{name: f, title: F, sweeps: [{who: all}]}]\n", 1000000);
    cost = weir_cost_estimate(&plan, store);
    assert_true(cost.hop_runs == 2 && cost.measured_runs == 1);
    assert_int_equal(cost.hop_runs_ps, UINT64_C(1000000) * 20000 + UINT64_C(3000000) * 50000);
}

/* Its runs' time at full length, whatever their hops. --scale shortens those alone whose length the experiment sets. */
static void a_figure_that_states_its_time_counts_by_it(void **state)
{
    struct weir_cost cost;
    (void)state;
    make(HEAD "figures: [{name: f, title: F, run_time: 10 s, sweeps: [{who: all}]}]\n", 500000);
    cost = weir_cost_estimate(&plan, store);
    assert_true(cost.runs == 2 && cost.hop_runs == 0 && cost.hops == 0);
    assert_int_equal(cost.all_ps, UINT64_C(20000000000000));
    plan.point[0].length_us = 5;
    assert_int_equal(weir_cost_estimate(&plan, store).all_ps, UINT64_C(15000000000000));
    test_exp.measured_ppm = 200000; /* of a fifth, and that in full: 0.8 x 0.5 + 0.2 */
    plan.measure_ppm = 1000000;
    assert_int_equal(weir_cost_estimate(&plan, store).all_ps, UINT64_C(16000000000000));
}

static void without_any_time_there_is_no_estimate(void **state)
{
    (void)state;
    put_run("{\"packet_hops\": 2000000}", 0.04);
    make("title: T\naxes:\n  - {name: who, scenario: s.yaml, values: [a, b]}\n"
         "figures: [{name: f, title: F, sweeps: [{who: all}]}]\n",
         1000000);
    assert_int_equal(weir_cost_estimate(&plan, store).all_ps, 0);
}

#define TWO_FIGURES                                                                                                    \
    "figures: [{name: f, title: F, run_time: 10 us, sweeps: [{who: all}]},"                                            \
    " {name: g, title: G, sweeps: [{who: a}]}]\n"

static void make_three(const char *head)
{
    struct weir_plan_request request = { .scale_ppm = 500000, .all_figures = true };
    char text[1024];
    (void)snprintf(text, sizeof(text), "%s" TWO_FIGURES, head);
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    assert_int_equal(plan.point_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        plan.point[i].weight = i == 2 ? 1000 : 10 + 20 * i;
    weir_cost_weigh(&plan);
}

/* Runs of 10 us in the mean, of which one has three times the other's weight, count 5 and 15 us; --scale halves a run
 * whose length the experiment sets. A figure without run_time counts nothing, whatever its weight. */
static void weights_are_comparable_between_figures_with_a_time(void **state)
{
    (void)state;
    make_three("title: T\naxes:\n  - {name: who, scenario: s.yaml, values: [a, b]}\n");
    assert_true(plan.point[0].weight == 6 && plan.point[1].weight == 16 && plan.point[2].weight == 1);
    plan.point[0].length_us = 5;
    weir_cost_weigh(&plan); /* 6 : 16 of 20, the first one halved */
    assert_true(plan.point[0].weight == 3 && plan.point[1].weight == 15);
}

static void weights_stay_where_hops_are_counted(void **state)
{
    (void)state;
    make_three(HEAD);
    assert_true(plan.point[0].weight == 10 && plan.point[1].weight == 30 && plan.point[2].weight == 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_hops_at_the_stated_speed, begin, end),
        cmocka_unit_test_setup_teardown(at_the_speed_of_earlier_runs_of_the_protocol, begin, end),
        cmocka_unit_test_setup_teardown(a_figure_that_states_its_time_counts_by_it, begin, end),
        cmocka_unit_test_setup_teardown(weights_are_comparable_between_figures_with_a_time, begin, end),
        cmocka_unit_test_setup_teardown(weights_stay_where_hops_are_counted, begin, end),
        cmocka_unit_test_setup_teardown(without_any_time_there_is_no_estimate, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
