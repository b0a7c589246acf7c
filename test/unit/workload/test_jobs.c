/* test/unit/workload/test_jobs.c - jobs put together: stretches, edges from both ends, chains of coflows, starts. */
#include "test/unit/workload/jobs_fixture.h"
#include "core/units.h"
#include <stdio.h>

/* a diamond: a, then b and c, then d; and behind it a job of one flow */
static void make_diamond(void)
{
    fix_job("diamond", WEIR_POLICY_GIVEN);
    fix_flow("a", 10)->start_ps = 7;
    fix_flow("b", 20)->start_ps = 3;
    fix_after(0);
    fix_flow("c", 30);
    fix_after(0);
    fix_flow("d", 40);
    fix_after(1);
    fix_after(2);
    fix_job("single", WEIR_POLICY_GIVEN);
    fix_flow("a", 50)->start_ps = 9;
}

static void edges_are_known_from_both_ends(void **state)
{
    static const uint32_t after[5] = { 0, 1, 1, 2, 0 }, before[5] = { 2, 1, 1, 0, 0 };
    (void)state;
    make_diamond();
    fix_finish();
    assert_int_equal(fix_jobs.edge_count, 8);
    for (uint32_t f = 0; f < 5; f++) {
        assert_int_equal(fix_jobs.flow[f].after_count, after[f]);
        assert_int_equal(fix_jobs.flow[f].before_count, before[f]);
    }
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[0].before_first], 1);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[0].before_first + 1], 2);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[2].before_first], 3);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[3].after_first], 1);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[3].after_first + 1], 2);
}

/* c is the last flow, and both others wait for it. */
static void a_flow_may_wait_for_a_later_one(void **state)
{
    (void)state;
    fix_job("late", WEIR_POLICY_GIVEN);
    fix_flow("a", 10);
    fix_after(2);
    fix_flow("b", 20);
    fix_after(2);
    fix_flow("c", 30);
    fix_finish();
    assert_int_equal(fix_jobs.edge_count, 4);
    assert_int_equal(fix_jobs.flow[2].before_count, 2);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[2].before_first], 0);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[2].before_first + 1], 1);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[0].after_first], 2);
    assert_int_equal(fix_jobs.edge[fix_jobs.flow[1].after_first], 2);
}

static void flows_of_a_job_and_of_a_coflow_are_found(void **state)
{
    (void)state;
    make_diamond();
    fix_finish();
    assert_int_equal(fix_jobs.job[0].first, 0);
    assert_int_equal(fix_jobs.job[0].count, 4);
    assert_int_equal(fix_jobs.job[1].first, 4);
    assert_int_equal(fix_jobs.job[1].count, 1);
    assert_int_equal(fix_jobs.flow[4].job, 1);
    assert_string_equal(fix_jobs.flow_name[3], "d");
    assert_string_equal(fix_jobs.coflow[1].name, "single");
    assert_int_equal(fix_jobs.coflow[0].count, 4);
    uint32_t f = fix_jobs.coflow[0].first;
    for (uint32_t i = 0; i < 4; i++, f = fix_jobs.flow[f].coflow_next)
        assert_int_equal(f, i);
    assert_int_equal(f, UINT32_MAX);
    assert_int_equal(fix_jobs.coflow[1].first, 4);
}

static void a_job_starts_with_its_first_flow(void **state)
{
    (void)state;
    make_diamond();
    fix_finish();
    assert_int_equal(fix_jobs.job[0].start_ps, 7); /* b's 3 count from the end of a */
    assert_int_equal(fix_jobs.job[1].start_ps, 9);
}

static void weights_that_differ_or_change_set_the_flag(void **state)
{
    (void)state;
    make_diamond();
    fix_finish();
    assert_false(weir_jobs_weighted(&fix_jobs));
    fix_jobs.flow[2].weight_q20 = WEIR_WEIGHT_ONE + 1;
    assert_true(weir_jobs_weighted(&fix_jobs));
    weir_jobs_free(&fix_jobs);
    make_diamond();
    assert_int_equal(weir_jobs_add_change(
                         &fix_jobs, &(struct weir_job_change){ .at_ps = 5, .weight_q20 = WEIR_WEIGHT_ONE }, &fix_err),
                     0);
    fix_finish();
    assert_true(weir_jobs_weighted(&fix_jobs));
    assert_int_equal(fix_jobs.flow[4].change_count, 1);
}

static void only_a_policy_that_uses_progress_keeps_the_tick(void **state)
{
    (void)state;
    make_diamond();
    fix_jobs.tick_ps = 100;
    fix_finish();
    assert_int_equal(fix_jobs.tick_ps, 0);
    weir_jobs_free(&fix_jobs);
    make_diamond();
    fix_jobs.tick_ps = 100;
    fix_jobs.job[1].policy = WEIR_POLICY_ALTRUISTIC;
    fix_finish();
    assert_int_equal(fix_jobs.tick_ps, 100);
    assert_true(weir_jobs_weighted(&fix_jobs));
}

/* Enough for several blocks of names and many doublings. */
static void many_flows_keep_their_names_and_edges(void **state)
{
    enum { MANY = 20000 };
    char name[16];
    (void)state;
    fix_job("chain", WEIR_POLICY_CRITICAL_PATH);
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "f%u", i);
        fix_flow(name, i + 1);
        if (i > 0)
            fix_after(i - 1);
    }
    assert_int_equal(weir_jobs_finish(&fix_jobs, HOSTS, NULL, &fix_err), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "f%u", i);
        assert_string_equal(fix_jobs.flow_name[i], name);
        assert_int_equal(fix_jobs.flow[i].weight_q20, (MANY - i) * WEIR_WEIGHT_ONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS_TEST(edges_are_known_from_both_ends),
        JOBS_TEST(a_flow_may_wait_for_a_later_one),
        JOBS_TEST(flows_of_a_job_and_of_a_coflow_are_found),
        JOBS_TEST(a_job_starts_with_its_first_flow),
        JOBS_TEST(weights_that_differ_or_change_set_the_flag),
        JOBS_TEST(only_a_policy_that_uses_progress_keeps_the_tick),
        JOBS_TEST(many_flows_keep_their_names_and_edges),
    };
    return cmocka_run_group_tests_name("workload/jobs", tests, NULL, NULL);
}
