/* test/unit/workload/test_jobs_policy.c - each policy's weights, computed by hand. */
#include "test/unit/workload/jobs_fixture.h"
#include "core/units.h"

#define ONE WEIR_WEIGHT_ONE
static struct weir_job_progress now[FLOWS_MAX];
static uint64_t weight_q20[FLOWS_MAX];

/* Ready to tick: every flow with the weight of its start, and nothing known of it. */
static void begin(void)
{
    fix_jobs.tick_ps = 1000;
    fix_finish();
    for (uint32_t f = 0; f < fix_jobs.flow_count; f++) {
        now[f] = (struct weir_job_progress){ .left_bytes = fix_jobs.flow[f].bytes };
        weight_q20[f] = fix_jobs.flow[f].weight_q20;
    }
}

static void is_at(uint32_t f, uint64_t left_bytes, uint64_t rate_bps)
{
    now[f] = (struct weir_job_progress){ .left_bytes = left_bytes, .rate_bps = rate_bps, .active = left_bytes > 0 };
}

static void tick(void)
{
    weir_jobs_tick(&fix_jobs, now, weight_q20);
}

/* a -> b -> d and c -> d, e alone: 3 2 2 1 1 */
static void fix_distances(uint32_t policy)
{
    fix_job("q", policy);
    fix_flow("a", 1);
    fix_flow("b", 1);
    fix_after(0);
    fix_flow("c", 1)->weight_q20 = ONE / 2; /* its own weight is a factor */
    fix_flow("d", 1);
    fix_after(1);
    fix_after(2);
    fix_flow("e", 1);
    fix_finish();
}

static void critical_path_counts_flows_to_the_end(void **state)
{
    (void)state;
    fix_distances(WEIR_POLICY_CRITICAL_PATH);
    assert_int_equal(fix_jobs.flow[0].weight_q20, 3 * ONE);
    assert_int_equal(fix_jobs.flow[1].weight_q20, 2 * ONE);
    assert_int_equal(fix_jobs.flow[2].weight_q20, 1 * ONE);
    assert_int_equal(fix_jobs.flow[3].weight_q20, 1 * ONE);
    assert_int_equal(fix_jobs.flow[4].weight_q20, 1 * ONE);
}

/* Only the distance is squared, not the flow's own weight. */
static void critical_path_squared_squares_the_distance(void **state)
{
    (void)state;
    fix_distances(WEIR_POLICY_CRITICAL_PATH_SQUARED);
    assert_int_equal(fix_jobs.flow[0].weight_q20, 9 * ONE);
    assert_int_equal(fix_jobs.flow[1].weight_q20, 4 * ONE);
    assert_int_equal(fix_jobs.flow[2].weight_q20, 2 * ONE);
    assert_int_equal(fix_jobs.flow[3].weight_q20, 1 * ONE);
    assert_int_equal(fix_jobs.flow[4].weight_q20, 1 * ONE);
}

static void equal_finish_weighs_by_size(void **state)
{
    (void)state;
    fix_job("other", WEIR_POLICY_GIVEN); /* smaller, and of no concern */
    fix_flow("z", 1);
    fix_job("q", WEIR_POLICY_EQUAL_FINISH);
    fix_flow("a", 3000);
    fix_flow("b", 10000);
    fix_flow("c", 6000);
    fix_finish();
    assert_int_equal(fix_jobs.flow[0].weight_q20, ONE);
    assert_int_equal(fix_jobs.flow[1].weight_q20, ONE);
    assert_int_equal(fix_jobs.flow[2].weight_q20, 3495253); /* 10 / 3, rounded down */
    assert_int_equal(fix_jobs.flow[3].weight_q20, 2 * ONE);
}

static void shortest_flow_weighs_against_size(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_SHORTEST_FLOW);
    fix_flow("a", 7000);
    fix_flow("b", 700);
    fix_flow("c", 2800);
    fix_finish();
    assert_int_equal(fix_jobs.flow[0].weight_q20, ONE);
    assert_int_equal(fix_jobs.flow[1].weight_q20, 10 * ONE);
    assert_int_equal(fix_jobs.flow[2].weight_q20, ONE * 5 / 2);
}

static void weights_of_policies_stay_in_their_range(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_EQUAL_FINISH);
    fix_flow("a", 1);
    fix_flow("b", UINT64_C(1) << 40)->weight_q20 = WEIR_WEIGHT_MAX;
    fix_finish();
    assert_int_equal(fix_jobs.flow[1].weight_q20, WEIR_WEIGHT_MAX);
    weir_jobs_free(&fix_jobs);
    fix_job("q", WEIR_POLICY_CONSTANT_SUM);
    fix_flow("a", 1)->weight_q20 = WEIR_WEIGHT_MIN;
    fix_flow("b", 1)->weight_q20 = WEIR_WEIGHT_MAX;
    begin();
    assert_int_equal(fix_jobs.flow[0].weight_q20, WEIR_WEIGHT_MIN);
    is_at(0, 1, 1), is_at(1, 1, 1);
    tick();
    assert_int_equal(weight_q20[0], WEIR_WEIGHT_MIN);
}

/* 1 and 3 are active and share 2; then 3 and 4, when c follows a; then c alone has it all */
static void constant_sum_is_shared_by_the_active(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_CONSTANT_SUM);
    fix_jobs.job[0].sum_q20 = 2 * ONE;
    fix_flow("a", 100)->weight_q20 = ONE;
    fix_flow("b", 100)->weight_q20 = 3 * ONE;
    fix_flow("c", 100)->weight_q20 = 4 * ONE;
    fix_after(0);
    begin();
    assert_int_equal(weight_q20[0], ONE / 2);
    assert_int_equal(weight_q20[1], 3 * ONE / 2);
    assert_int_equal(weight_q20[2], 2 * ONE);
    is_at(0, 100, 1), is_at(1, 100, 1);
    tick();
    assert_int_equal(weight_q20[0], ONE / 2);
    assert_int_equal(weight_q20[1], 3 * ONE / 2);
    is_at(0, 0, 0), is_at(2, 100, 1);
    tick();
    assert_int_equal(weight_q20[0], ONE / 2); /* ended: left as it was */
    assert_int_equal(weight_q20[1], 898779);  /* 2 * 3 / 7 */
    assert_int_equal(weight_q20[2], 1198372); /* 2 * 4 / 7 */
    is_at(1, 0, 0);
    tick();
    assert_int_equal(weight_q20[2], 2 * ONE);
}

static void fair_is_one_for_all(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_FAIR);
    fix_flow("a", 1)->weight_q20 = 7 * ONE;
    fix_flow("b", 9);
    fix_finish();
    assert_int_equal(fix_jobs.flow[0].weight_q20, ONE);
    assert_int_equal(fix_jobs.flow[1].weight_q20, ONE);
}

/* a needs 1 ms more, b 3 ms, c 40 ms, d says nothing */
static void equal_progress_raises_those_behind(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_EQUAL_PROGRESS);
    fix_flow("a", 1000000);
    fix_flow("b", 1000000);
    fix_flow("c", 1000000)->weight_q20 = 2 * ONE;
    fix_flow("d", 1000000);
    begin();
    is_at(0, 125000, 1000000000);
    is_at(1, 375000, 1000000000);
    is_at(2, 500000, 100000000);
    is_at(3, 1000000, 0);
    tick();
    assert_int_equal(weight_q20[0], ONE);
    assert_int_equal(weight_q20[1], 3 * ONE);
    assert_int_equal(weight_q20[2], 32 * ONE); /* 40 times 2, but 16 times its own is the most */
    assert_int_equal(weight_q20[3], ONE);
    is_at(0, 0, 0); /* b is the first now, with 2 ms */
    is_at(1, 250000, 1000000000);
    is_at(3, 500000, 1000000000);
    tick(); /* needs: b 3 times 1, d 1 times 2, so d has its own now; c as before the most */
    assert_int_equal(weight_q20[1], ONE + ONE / 2);
    assert_int_equal(weight_q20[2], 32 * ONE);
    assert_int_equal(weight_q20[3], ONE);
}

static void equal_progress_lowers_excess_weights(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_EQUAL_PROGRESS);
    fix_flow("a", 1000000);
    fix_flow("b", 1000000);
    begin();
    is_at(0, 500000, 1000000000); /* 4 ms */
    is_at(1, 500000, 250000000);  /* 16 ms */
    tick();
    assert_int_equal(weight_q20[1], 4 * ONE);
    is_at(1, 500000, 2000000000); /* 2 ms: half of that will do */
    tick();
    assert_int_equal(weight_q20[0], ONE);
    assert_int_equal(weight_q20[1], 2 * ONE);
    for (int i = 0; i < 1000; i++) { /* noise that favours now one, now the other raises neither for good */
        is_at(i % 2, 500000, 1000000000);
        is_at(1 - i % 2, 500000, 1050000000);
        tick();
    }
    assert_int_equal(weight_q20[0], ONE);
    assert_in_range(weight_q20[1], 2 * ONE - ONE / 100, 2 * ONE + ONE / 100);
    is_at(0, 0, 0); /* alone, it needs no more than its own */
    tick();
    assert_int_equal(weight_q20[1], ONE);
}

static void coflows_of_a_job_are_independent(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_EQUAL_PROGRESS);
    fix_flow("a", 1000);
    assert_int_equal(weir_jobs_add_coflow(&fix_jobs, "late", &fix_err), 0);
    fix_flow("b", 1000);
    begin();
    is_at(0, 1000, 1000000), is_at(1, 1000, 1000);
    tick();
    assert_int_equal(weight_q20[0], ONE);
    assert_int_equal(weight_q20[1], ONE);
}

/* f1 needs 28 ms, f2 14 ms: f2 may take half of what it has; then less again; and more when it falls behind */
static void altruistic_flows_yield_unneeded_bandwidth(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_ALTRUISTIC);
    fix_flow("f1", 28000000);
    fix_flow("f2", 7000000);
    begin();
    is_at(0, 28000000, 8000000000);
    is_at(1, 7000000, 4000000000);
    tick();
    assert_int_equal(weight_q20[0], ONE);
    assert_int_equal(weight_q20[1], ONE / 2);
    is_at(0, 24000000, 8000000000); /* 24 ms */
    is_at(1, 4500000, 2000000000);  /* 18 ms */
    tick();
    assert_int_equal(weight_q20[1], ONE * 3 / 8);
    is_at(0, 8000000, 8000000000); /* 8 ms */
    is_at(1, 2000000, 1000000000); /* 16 ms */
    tick();
    assert_int_equal(weight_q20[1], ONE * 3 / 4);
    is_at(1, 2000000, 100000000); /* 160 ms: no more than its own weight, whatever it takes */
    tick();
    assert_int_equal(weight_q20[1], ONE);
    assert_int_equal(weight_q20[0], ONE);
}

static void the_last_altruistic_flow_regains_its_weight(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_ALTRUISTIC);
    fix_flow("a", 1000);
    fix_flow("b", 1000);
    fix_flow("c", 1000);
    begin();
    weight_q20[1] = weight_q20[2] = ONE / 4;
    is_at(1, 1000, 1000);
    is_at(2, 1000, 500); /* a has ended; c would end last */
    tick();
    assert_int_equal(weight_q20[1], ONE / 4);
    assert_int_equal(weight_q20[2], ONE);
    is_at(2, 1000, 0); /* the one that counts says nothing: no change */
    tick();
    assert_int_equal(weight_q20[1], ONE / 4);
    is_at(1, 0, 0), is_at(2, 0, 0); /* nobody is left */
    tick();
    assert_int_equal(weight_q20[2], ONE);
}

static void policies_without_ticks_leave_weights_alone(void **state)
{
    (void)state;
    fix_job("q", WEIR_POLICY_CRITICAL_PATH);
    fix_flow("a", 1000);
    fix_flow("b", 1000);
    begin();
    is_at(0, 1000, 1000), is_at(1, 10, 1000);
    tick();
    assert_int_equal(weight_q20[0], ONE);
    assert_int_equal(weight_q20[1], ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS_TEST(critical_path_counts_flows_to_the_end),
        JOBS_TEST(critical_path_squared_squares_the_distance),
        JOBS_TEST(equal_finish_weighs_by_size),
        JOBS_TEST(shortest_flow_weighs_against_size),
        JOBS_TEST(weights_of_policies_stay_in_their_range),
        JOBS_TEST(fair_is_one_for_all),
        JOBS_TEST(constant_sum_is_shared_by_the_active),
        JOBS_TEST(equal_progress_raises_those_behind),
        JOBS_TEST(equal_progress_lowers_excess_weights),
        JOBS_TEST(coflows_of_a_job_are_independent),
        JOBS_TEST(altruistic_flows_yield_unneeded_bandwidth),
        JOBS_TEST(the_last_altruistic_flow_regains_its_weight),
        JOBS_TEST(policies_without_ticks_leave_weights_alone),
    };
    return cmocka_run_group_tests_name("workload/jobs_policy", tests, NULL, NULL);
}
