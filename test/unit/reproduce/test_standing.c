/* test/unit/reproduce/test_standing.c - what result files have of each point of a sweep. */
#define _GNU_SOURCE 1 /* flock() */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/standing.h"
#include <fcntl.h>
#include <sys/file.h>

static struct weir_plan plan;
static struct weir_standing standing[8];

static int begin(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    assert_int_equal(begin_dir(state), 0);
    assert_int_equal(load(AXES), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    assert_int_equal(plan.point_count, 4);
    for (uint32_t i = 0; i < plan.point_count; i++) {
        plan.point[i].resolved = "a: 1\n";
        plan.point[i].weight = 10 + i;
    }
    memset(standing, 0, sizeof(standing));
    return 0;
}

/* A run of a point; status NULL = it is not over. */
static void put_run(uint32_t point, const char *scenario, const char *status, const char *reason)
{
    const struct weir_store_run run = { .name = "n",
                                        .label = plan.point[point].name,
                                        .started_utc = "2026-01-01T00:00:00Z",
                                        .weir_version = "1",
                                        .commit_id = "c",
                                        .scenario = scenario,
                                        .experiment = test_exp.origin.id,
                                        .figure = "all",
                                        .point = plan.point[point].name,
                                        .threads = 1 };
    const struct weir_store_end end = { .status = status, .wall_s = 3 };
    struct weir_store *store;
    int64_t id;
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    assert_int_equal(weir_store_run_begin(store, &run, &id, &test_err), 0);
    if (reason != NULL)
        assert_int_equal(weir_store_failure(store, id, reason, &test_err), 0);
    if (status != NULL)
        assert_int_equal(weir_store_run_end(store, id, &end, &test_err), 0);
    weir_store_close(store);
}

static void read_again(void)
{
    static const struct weir_results_by by = { "1", "c" };
    struct weir_store *store;
    assert_int_equal(weir_store_open_read(&store, in_dir("a.db"), NULL, &test_err), 0);
    assert_int_equal(weir_standing_read(&plan, store, &by, standing, &test_err), 0);
    weir_store_close(store);
}

static void each_point_is_as_far_as_its_best_run(void **state)
{
    (void)state;
    put_run(0, "a: 1\n", "done", NULL);
    put_run(1, "a: 1\n", "failed", "it stalled");
    put_run(2, "a: 2\n", "done", NULL);
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_DONE);
    assert_int_equal(standing[1].kind, WEIR_STANDING_FAILED);
    assert_string_equal(standing[1].reason, "it stalled");
    assert_int_equal(standing[2].kind, WEIR_STANDING_OTHER);
    assert_int_equal(standing[3].kind, WEIR_STANDING_MISSING);
    put_run(1, "a: 1\n", "done", NULL);
    put_run(0, "a: 2\n", "failed", "x"); /* another run of a point that is done */
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_DONE);
    assert_int_equal(standing[1].kind, WEIR_STANDING_DONE);
    assert_null(standing[1].reason);
}

static void what_runs_has_a_writer(void **state)
{
    int fd;
    (void)state;
    put_run(0, "a: 1\n", NULL, NULL);
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_ENDED);
    fd = open(in_dir("a.db"), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_RUNNING);
    (void)close(fd);
    memset(standing, 0, sizeof(standing));
    put_run(1, "a: 1\n", "done", NULL); /* the next writer called the first one failed */
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_ENDED);
}

static void the_time_left_goes_by_weight(void **state)
{
    (void)state;
    assert_true(weir_standing_left_s(&plan, standing) < 0);
    put_run(1, "a: 1\n", "done", NULL);
    read_again();
    assert_true(weir_standing_left_s(&plan, standing) == 3.0 / 11 * (10 + 12 + 13));
    put_run(0, "a: 2\n", "done", NULL); /* of other settings: its time says nothing of the points that are left */
    read_again();
    assert_int_equal(standing[0].kind, WEIR_STANDING_OTHER);
    assert_true(weir_standing_left_s(&plan, standing) == 3.0 / 11 * (10 + 12 + 13));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_point_is_as_far_as_its_best_run),
        TEST(what_runs_has_a_writer),
        TEST(the_time_left_goes_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
