/* test/unit/testbed/test_job_run.c - jobs over real TCP between namespaces: every byte arrives, flows wait for others, and
 * nothing is left. Needs root; no number depends on the machine's speed. */
#include "test/unit/weir_test.h"
#include "testbed/job_run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weir_testbed tb;
static struct weir_tree_arena *arena;
static struct weir_trace trace;
static bool up;

static int set_up(void **state)
{
    static const char *const options[] = { "--hosts", "3", "--rate", "unlimited", NULL };
    struct weir_err err;
    (void)state;
    arena = weir_tree_arena_new();
    if (arena == NULL)
        return 1;
    up = geteuid() == 0 && weir_testbed_up(&tb, arena, options, &err) == 0;
    if (!up)
        print_message("skipped: %s\n", geteuid() == 0 ? err.text : "network namespaces need root");
    return 0;
}

static int tear_down(void **state)
{
    char path[64];
    (void)state;
    weir_testbed_down(&tb);
    (void)snprintf(path, sizeof(path), "/run/netns/%s-1", tb.name);
    if (up && access(path, F_OK) == 0)
        return 1;
    weir_tree_arena_free(arena);
    return 0;
}

static struct weir_jobs jobs_of(const struct weir_job_flow *flow, const char *const *name, uint32_t count,
                                const uint32_t *after, uint32_t policy, uint64_t tick_ps)
{
    struct weir_jobs jobs = { .tick_ps = tick_ps };
    struct weir_err err;
    assert_int_equal(weir_jobs_add(&jobs, &(struct weir_job){ .name = "job", .policy = policy }, &err), 0);
    assert_int_equal(weir_jobs_add_coflow(&jobs, "job", &err), 0);
    for (uint32_t f = 0; f < count; f++) {
        assert_int_equal(weir_jobs_add_flow(&jobs, &flow[f], name[f], &err), 0);
        if (after[f] != UINT32_MAX)
            assert_int_equal(weir_jobs_add_after(&jobs, after[f], &err), 0);
        if (policy == WEIR_POLICY_GIVEN)
            assert_int_equal(
                weir_jobs_add_change(&jobs, &(struct weir_job_change){ WEIR_PS_PER_US, 2 * WEIR_WEIGHT_ONE }, &err), 0);
    }
    assert_int_equal(weir_jobs_finish(&jobs, 3, NULL, &err), 0);
    return jobs;
}

/* f2 waits for f1 and 20 ms more, f3 for f2 at once; f4 starts after 10 ms. */
static void flows_wait_and_every_byte_arrives(void **state)
{
    static const struct weir_job_flow flow[] = {
        { .bytes = 3000001, .weight_q20 = WEIR_WEIGHT_ONE, .src = 0, .dst = 1 },
        { .bytes = 1, .weight_q20 = WEIR_WEIGHT_ONE, .src = 1, .dst = 2, .start_ps = 20 * WEIR_PS_PER_US * 1000 },
        { .bytes = 700000, .weight_q20 = WEIR_WEIGHT_ONE, .src = 2, .dst = 0 },
        { .bytes = 50000, .weight_q20 = WEIR_WEIGHT_ONE, .src = 0, .dst = 1, .start_ps = 10 * WEIR_PS_PER_US * 1000 },
    };
    static const char *const name[] = { "f1", "f2", "f3", "f4" };
    static const uint32_t after[] = { UINT32_MAX, 0, 1, UINT32_MAX };
    struct weir_jobs jobs = jobs_of(flow, name, 4, after, WEIR_POLICY_EQUAL_PROGRESS, 1000 * WEIR_PS_PER_US);
    const struct weir_job_run run = { .jobs = &jobs, .cc = "reno", .until_job = UINT32_MAX, .limit_s = 60 };
    struct weir_err err;
    (void)state;
    if (up) {
        assert_int_equal(weir_testbed_run_jobs(&tb, &run, &trace, &err), 0);
        for (uint32_t f = 0; f < 4; f++)
            assert_true(trace.end_s[f] > trace.start_s[f]);
        assert_true(trace.start_s[1] >= trace.end_s[0] + 0.02);
        assert_true(trace.start_s[2] >= trace.end_s[1]);
        assert_true(trace.start_s[3] >= 0.01);
        for (uint32_t i = 1; i < trace.bins; i++)
            assert_true(trace.bytes[i][0] >= trace.bytes[i - 1][0] && trace.bytes[i][0] <= flow[0].bytes);
    }
    weir_jobs_free(&jobs);
}

static void a_law_that_is_not_loaded_and_a_limit_are_errors(void **state)
{
    static const struct weir_job_flow flow[] = {
        { .bytes = UINT64_C(1) << 40, .weight_q20 = WEIR_WEIGHT_ONE, .dst = 1 }
    };
    static const char *const name[] = { "f1" };
    static const uint32_t after[] = { UINT32_MAX };
    struct weir_jobs jobs = jobs_of(flow, name, 1, after, WEIR_POLICY_GIVEN, 0);
    struct weir_job_run run = { .jobs = &jobs, .cc = "weir_none", .until_job = UINT32_MAX, .limit_s = 0 };
    struct weir_err err;
    (void)state;
    if (up) {
        assert_int_equal(weir_testbed_run_jobs(&tb, &run, &trace, &err), WEIR_E_RUN);
        assert_non_null(strstr(err.text, "from host 1 to host 2 with weir_none: "));
        run.cc = "reno";
        assert_int_equal(weir_testbed_run_jobs(&tb, &run, &trace, &err), WEIR_E_RUN);
        assert_string_equal(err.text, "jobs under reno have not ended after 0 s");
    }
    weir_jobs_free(&jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_wait_and_every_byte_arrives),
        cmocka_unit_test(a_law_that_is_not_loaded_and_a_limit_are_errors),
    };
    return cmocka_run_group_tests_name("testbed/job_run", tests, set_up, tear_down);
}
