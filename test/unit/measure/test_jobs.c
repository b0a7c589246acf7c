/* test/unit/measure/test_jobs.c - room for what became of jobs. */
#include "test/unit/weir_test.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_begin_as_zeros),
        cmocka_unit_test(zero_jobs_are_allocated_and_null_is_freed),
    };
    return cmocka_run_group_tests_name("measure/jobs", tests, NULL, NULL);
}
