/* test/unit/watch/test_frame.c - how much of a run a frame shows. */
#include "test/unit/weir_test.h"
#include "watch/frame.h"
#include "workload/jobs.h"

/* A page would drown in more: then none is shown. */
static void frames_show_jobs_up_to_a_limit(void **state)
{
    static const struct {
        uint32_t jobs, flows, shown;
    } row[] = {
        { 0, 0, 0 }, { 1, 1, 1 }, { 256, 256, 256 }, { 257, 257, 0 }, { 7, 8191, 7 }, { 7, 8192, 7 }, { 7, 8193, 0 },
    };
    (void)state;
    assert_int_equal(weir_frames_jobs(NULL), 0);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct weir_jobs jobs = { .job_count = row[i].jobs, .flow_count = row[i].flows };
        assert_int_equal(weir_frames_jobs(&jobs), row[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frames_show_jobs_up_to_a_limit) };
    return cmocka_run_group_tests_name("watch/frame", tests, NULL, NULL);
}
