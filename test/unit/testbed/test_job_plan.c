/* test/unit/testbed/test_job_plan.c - plans of jobs, simulated, against times computed by hand; and what traces say. */
#define _XOPEN_SOURCE 700 /* mkstemp() */
#include "test/unit/weir_test.h"
#include "testbed/job_plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MBPS (100 * 1440.0 / 1514) /* payload that a port of 100 Mb/s carries */

static struct weir_job_plan *plan;
static struct weir_trace *trace;
static struct weir_tree_arena *arena;

static int set_up(void **state)
{
    (void)state;
    plan = calloc(1, sizeof(*plan));
    trace = calloc(1, sizeof(*trace));
    arena = weir_tree_arena_new();
    return plan == NULL || trace == NULL || arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    weir_job_plan_close(plan);
    weir_tree_arena_free(arena);
    free(plan);
    free(trace);
    return 0;
}

/* Opens a plan with these keys of its law. @return its code */
static int open_plan(const char *file, const char *policy, const char *keys)
{
    const struct weir_law_options options = { .text = keys, .port_bps = 100000000 };
    const char *const set[] = { file, policy, NULL };
    struct weir_law_loaded loaded;
    struct weir_err err;
    assert_int_equal(weir_law_keys_read(&options, &loaded, &err), 0);
    return weir_job_plan_open(plan, arena, "soze-testbed", set, &loaded.keys, &err);
}

static void simulate(const char *file, const char *policy, const char *keys)
{
    struct weir_err err;
    assert_int_equal(open_plan(file, policy, keys), 0);
    assert_int_equal(weir_job_plan_simulate(plan, trace, &err), 0);
}

static bool is_near(double value, double wanted, double slack)
{
    return fabs(value - wanted) <= slack;
}

/* f1 of 30 MB shares with f4 of 30 MB; f2 and f3 of 15 MB follow f1. */
static void a_chain_takes_as_long_as_its_shares_say(void **state)
{
    const double mb_s = 8 / MBPS; /* seconds for 1 MB alone */
    (void)state;
    simulate("traffic[0].file=critical-path.yaml", "traffic[0].policy=fair", "soze beta=12.5Mbps");
    assert_true(is_near(weir_trace_job_s(trace, &plan->setup.jobs, 0), 90 * mb_s, 0.02 * 90 * mb_s));
    assert_true(is_near(trace->end_s[3], 60 * mb_s, 0.02 * 60 * mb_s));
    assert_true(trace->start_s[1] >= trace->end_s[0] && trace->start_s[1] < trace->end_s[0] + 0.001);
    assert_true(is_near(weir_trace_mbps(trace, 0, 1, 4), MBPS / 2, 0.02 * MBPS));
    weir_job_plan_close(plan);
    simulate("traffic[0].file=critical-path.yaml", NULL, "soze alpha=187.5Mbps beta=12.5Mbps"); /* 2/3 for f1 */
    assert_true(is_near(weir_trace_job_s(trace, &plan->setup.jobs, 0), 75 * mb_s, 0.02 * 75 * mb_s));
    assert_true(is_near(weir_trace_mbps(trace, 0, 1, 3), MBPS * 2 / 3, 0.02 * MBPS));
}

static void a_job_that_has_not_ended_has_no_end(void **state)
{
    static struct weir_job_flow flow[2];
    static struct weir_job job = { .first = 0, .count = 2, .start_ps = WEIR_PS_PER_S };
    const struct weir_jobs jobs = { .flow = flow, .job = &job, .flow_count = 2, .job_count = 1 };
    (void)state;
    trace->end_s[0] = 3;
    trace->end_s[1] = 5;
    assert_true(is_near(weir_trace_job_s(trace, &jobs, 0), 4, 1e-9)); /* from its own start on */
    trace->end_s[1] = (double)NAN;
    assert_true(isnan(weir_trace_job_s(trace, &jobs, 0)));
}

/* 50 ms a bin: 125,000 B in one are 20 Mb/s. */
static void rates_are_those_between_two_bins(void **state)
{
    static const uint64_t arrived[] = { 125000, 250000, 1000000, 1000000 };
    (void)state;
    memset(trace, 0, sizeof(*trace));
    for (uint32_t i = 0; i < 4; i++)
        trace->bytes[i][2] = arrived[i];
    trace->bins = 4;
    assert_true(is_near(weir_trace_mbps(trace, 2, 0, 0.05), 20, 1e-9));
    assert_true(is_near(weir_trace_mbps(trace, 2, 0, 0.1), 20, 1e-9));
    assert_true(is_near(weir_trace_mbps(trace, 2, 0.1, 0.15), 120, 1e-9));
    assert_true(is_near(weir_trace_mbps(trace, 2, 0.149, 0.2), 60, 1e-9)); /* rounded down to bins */
    assert_true(is_near(weir_trace_mbps(trace, 2, 0.15, 0.2), 0, 1e-9));
    assert_true(isnan(weir_trace_mbps(trace, 2, 0.1, 0.25)));
    assert_true(isnan(weir_trace_mbps(trace, 2, 0.1, 0.1)));
}

static void a_plan_that_cannot_be_is_refused(void **state)
{
    const char *const nowhere[] = { "traffic[0].file=none.yaml", NULL };
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_job_plan_open(plan, arena, "soze-testbed", nowhere, NULL, &err), WEIR_E_FILE);
    weir_job_plan_close(plan); /* nothing to close */
}

/* Opens the plan of a file with a job of so many flows. @return its code */
static int open_flows(int flows)
{
    char path[] = "/tmp/weir-jobs-XXXXXX", setting[64];
    int code, fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    (void)fputs("jobs:\n  - name: j\n    flows:\n", file);
    for (int i = 0; i < flows; i++)
        (void)fprintf(file, "      - {name: f%d, from: 0, to: 1, size: 1 MB}\n", i);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(setting, sizeof(setting), "traffic[0].file=%s", path);
    code = open_plan(setting, NULL, "soze beta=12.5Mbps");
    assert_int_equal(unlink(path), 0);
    return code;
}

/* An open plan has its scenario; one that was refused holds nothing. */
static void a_testbed_runs_16_flows_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(open_flows(1), 0);
    weir_job_plan_close(plan);
    assert_int_equal(open_flows(WEIR_PLAN_FLOWS), 0);
    assert_int_equal(plan->setup.jobs.flow_count, 16);
    assert_ptr_equal(plan->setup.scn, &plan->scn);
    assert_non_null(plan->scn.protocol);
    assert_string_equal(plan->scn.protocol->name, "soze");
    weir_job_plan_close(plan);
    assert_null(plan->scn.protocol);
    assert_int_equal(open_flows(WEIR_PLAN_FLOWS + 1), WEIR_E_RANGE);
    assert_false(plan->is_open);
    assert_null(plan->scn.protocol);
    weir_job_plan_close(plan); /* nothing to close */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_chain_takes_as_long_as_its_shares_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_that_has_not_ended_has_no_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rates_are_those_between_two_bins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_plan_that_cannot_be_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_testbed_runs_16_flows_and_no_more, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("testbed/job_plan", tests, NULL, NULL);
}
