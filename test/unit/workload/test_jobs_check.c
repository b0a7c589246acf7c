/* test/unit/workload/test_jobs_check.c - what no run of jobs can start with, each with its code and key. */
#include "test/unit/workload/jobs_fixture.h"
#include "core/units.h"
#include <stdio.h>

static void without_flows_there_is_no_job(void **state)
{
    (void)state;
    fix_refuse(WEIR_E_CONFLICT, 0, "");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_refuse(WEIR_E_CONFLICT, 0, "q");
}

static void hosts_are_those_of_the_topology_and_different(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1);
    fix_flow("g", 1)->dst = 16;
    fix_refuse(WEIR_E_RANGE, 11, "g");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1)->src = 4000000000;
    fix_refuse(WEIR_E_RANGE, 10, "f");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1)->src = 1;
    fix_refuse(WEIR_E_RANGE, 10, "f");
}

static void sizes_and_starts_have_bounds(void **state)
{
    static const uint64_t tib = UINT64_C(1) << 40;
    (void)state;
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", tib)->start_ps = 36000 * WEIR_PS_PER_S;
    fix_finish();
    weir_jobs_free(&fix_jobs);
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 0);
    fix_refuse(WEIR_E_RANGE, 10, "f");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", tib + 1);
    fix_refuse(WEIR_E_RANGE, 10, "f");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1)->start_ps = 36000 * WEIR_PS_PER_S + 1;
    fix_refuse(WEIR_E_RANGE, 10, "f");
}

static void weights_have_bounds(void **state)
{
    static const uint64_t wrong[] = { 0, WEIR_WEIGHT_MIN - 1, WEIR_WEIGHT_MAX + 1, UINT64_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        fix_job("q", WEIR_POLICY_GIVEN);
        fix_flow("f", 1)->weight_q20 = wrong[i];
        fix_refuse(WEIR_E_RANGE, 10, "f");
        fix_job("q", WEIR_POLICY_GIVEN);
        fix_flow("f", 1);
        (void)weir_jobs_add_change(&fix_jobs, &(struct weir_job_change){ .weight_q20 = wrong[i] }, &fix_err);
        fix_refuse(WEIR_E_RANGE, 10, "f");
        fix_job("q", WEIR_POLICY_CONSTANT_SUM);
        fix_flow("f", 1);
        fix_jobs.job[0].sum_q20 = wrong[i];
        fix_refuse(WEIR_E_RANGE, 0, "q");
    }
}

static void changes_are_in_order_and_exclude_a_policy_that_ticks(void **state)
{
    const struct weir_job_change change = { .at_ps = 5, .weight_q20 = WEIR_WEIGHT_ONE };
    (void)state;
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1);
    (void)weir_jobs_add_change(&fix_jobs, &change, &fix_err);
    (void)weir_jobs_add_change(&fix_jobs, &change, &fix_err);
    fix_refuse(WEIR_E_CONFLICT, 10, "f");
    fix_job("q", WEIR_POLICY_EQUAL_PROGRESS);
    fix_jobs.tick_ps = 1;
    fix_flow("f", 1);
    (void)weir_jobs_add_change(&fix_jobs, &change, &fix_err);
    fix_refuse(WEIR_E_CONFLICT, 10, "f");
}

static void a_policy_that_ticks_needs_the_tick(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_ALTRUISTIC);
    fix_flow("f", 1);
    fix_refuse(WEIR_E_CONFLICT, 0, "q");
}

static void a_flow_waits_for_flows_of_its_own_job(void **state)
{
    (void)state;
    fix_job("p", WEIR_POLICY_GIVEN);
    fix_flow("f", 1);
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("g", 1);
    fix_after(0);
    fix_refuse(WEIR_E_UNKNOWN, 11, "g");
    fix_job("p", WEIR_POLICY_GIVEN);
    fix_flow("f", 1);
    fix_after(7);
    fix_refuse(WEIR_E_UNKNOWN, 10, "f");
}

/* a; b after a and d; c after b; d after c; e after d, and in no circle */
static void a_cycle_is_reported_by_its_names(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_CRITICAL_PATH);
    fix_flow("a", 1);
    fix_flow("b", 1);
    fix_after(0);
    fix_after(3);
    fix_flow("c", 1);
    fix_after(1);
    fix_flow("d", 1);
    fix_after(2);
    fix_flow("e", 1);
    fix_after(3);
    fix_refuse(WEIR_E_CONFLICT, 11, "b");
    fix_job("q", WEIR_POLICY_GIVEN);
    fix_flow("f", 1);
    fix_after(0);
    fix_refuse(WEIR_E_CONFLICT, 10, "f");
}

static void a_long_cycle_is_reported_in_part(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_GIVEN);
    for (uint32_t i = 0; i < FLOWS_MAX; i++) {
        char name[80];
        (void)snprintf(name, sizeof(name), "%u-a-name-of-some-length-that-fills-the-message-quite-soon", i);
        fix_flow(name, 1);
        fix_after((i + 1) % FLOWS_MAX);
    }
    assert_int_equal(weir_jobs_finish(&fix_jobs, HOSTS, fix_where, &fix_err), WEIR_E_CONFLICT);
    assert_string_equal(fix_err.text + strlen(fix_err.text) - 3, " ..");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS_TEST(without_flows_there_is_no_job),
        JOBS_TEST(hosts_are_those_of_the_topology_and_different),
        JOBS_TEST(sizes_and_starts_have_bounds),
        JOBS_TEST(weights_have_bounds),
        JOBS_TEST(changes_are_in_order_and_exclude_a_policy_that_ticks),
        JOBS_TEST(a_policy_that_ticks_needs_the_tick),
        JOBS_TEST(a_flow_waits_for_flows_of_its_own_job),
        JOBS_TEST(a_cycle_is_reported_by_its_names),
        JOBS_TEST(a_long_cycle_is_reported_in_part),
    };
    return cmocka_run_group_tests_name("workload/jobs_check", tests, NULL, NULL);
}
