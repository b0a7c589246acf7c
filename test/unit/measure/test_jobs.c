/* test/unit/measure/test_jobs.c - room for what became of jobs. */
#include "test/unit/weir_test.h"
#include "core/units.h"
#include "measure/result.h"

static void results_begin_as_zeros(void **state)
{
    struct weir_job_results *jobs = weir_job_results_new(2, 3);
    (void)state;
    assert_non_null(jobs);
    assert_int_equal(jobs->job_count, 2);
    assert_int_equal(jobs->coflow_count, 3);
    assert_null(jobs->job[1].name);
    assert_int_equal(jobs->coflow[2].flows, 0);
    weir_job_results_free(jobs);
}

static void zero_jobs_are_allocated_and_null_is_freed(void **state)
{
    struct weir_job_results *jobs = weir_job_results_new(0, 0);
    (void)state;
    assert_non_null(jobs);
    weir_job_results_free(jobs);
    weir_job_results_free(NULL);
}

/* 64 MB in 2 ms are 32 GB/s. All-reduce of 8 ranks sends 2 * 7 / 8 of that over each link. */
static void bandwidths_are_those_of_nccl_tests(void **state)
{
    struct weir_job_result job = {
        .start_ps = 1000000000, .end_ps = 3000000000, .bytes = 64000000, .bus_parts = 14, .bus_ranks = 8
    };
    (void)state;
    assert_int_equal(weir_job_algbw(&job), 32000000000);
    assert_int_equal(weir_job_busbw(&job), 56000000000);
    job.bus_parts = 7; /* all-gather, reduce-scatter, all-to-all */
    assert_int_equal(weir_job_busbw(&job), 28000000000);
    job.end_ps = 1001000000000;    /* 1 s */
    job.bytes = UINT64_C(1) << 40; /* the most that there is, by the most ranks */
    job.bus_parts = 2 << 20;
    job.bus_ranks = 1 << 20;
    assert_int_equal(weir_job_algbw(&job), UINT64_C(1) << 40);
    assert_int_equal(weir_job_busbw(&job), UINT64_C(2) << 40);
}

static void a_summary_is_of_what_has_ended(void **state)
{
    struct weir_job_result job[] = {
        { .start_ps = 0, .end_ps = 1000000 },
        { .start_ps = 2000000, .end_ps = 5000000, .bytes = 3000, .bus_parts = 1, .bus_ranks = 2 },
        { .start_ps = 5, .end_ps = WEIR_NEVER, .bytes = 3000, .bus_parts = 1, .bus_ranks = 2 },
        { .start_ps = 5, .end_ps = WEIR_NEVER },
        { .start_ps = 0, .end_ps = 1000000, .bytes = 3000, .bus_parts = 1, .bus_ranks = 2 },
    };
    const struct weir_job_results jobs = { .job = job, .job_count = 5 };
    struct weir_jobs_summary all;
    (void)state;
    assert_true(weir_jobs_summarise(&jobs, &all));
    assert_int_equal(all.jobs, 5);
    assert_int_equal(all.unfinished, 2);
    assert_int_equal(all.completion.count, 3);
    assert_int_equal(all.completion.max, 3000000);
    assert_int_equal(all.completion.p50, 1000000);
    assert_int_equal(all.completion.mean_milli, 1666666666);
    assert_int_equal(all.algbw.count, 2); /* 1 and 3 GB/s; the job has none */
    assert_int_equal(all.algbw.mean_milli, 2000000000000);
    assert_int_equal(all.busbw.min, 500000000);
}

static void what_has_not_ended_has_no_bandwidth(void **state)
{
    struct weir_job_result job = { .start_ps = 5, .end_ps = WEIR_NEVER, .bytes = 1000, .bus_parts = 1, .bus_ranks = 1 };
    (void)state;
    assert_int_equal(weir_job_algbw(&job), 0);
    assert_int_equal(weir_job_busbw(&job), 0);
    job.end_ps = 5;
    assert_int_equal(weir_job_algbw(&job), 0);
    job.bytes = 0; /* a job */
    job.end_ps = 6;
    assert_int_equal(weir_job_busbw(&job), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_begin_as_zeros),
        cmocka_unit_test(zero_jobs_are_allocated_and_null_is_freed),
        cmocka_unit_test(bandwidths_are_those_of_nccl_tests),
        cmocka_unit_test(a_summary_is_of_what_has_ended),
        cmocka_unit_test(what_has_not_ended_has_no_bandwidth),
    };
    return cmocka_run_group_tests_name("measure/jobs", tests, NULL, NULL);
}
