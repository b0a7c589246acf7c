/* test/unit/cli/test_switch_print.c - percentiles of a switch's sojourn times. */
#include "test/unit/weir_test.h"
#include "cli/switch_plan.h"

static struct weir_switch_counts counts;

static void wait_ns(uint64_t ns, uint64_t frames)
{
    counts.bucket[weir_switch_bucket(ns)] += frames;
    counts.sojourn_max_ns = weir_max_u64(counts.sojourn_max_ns, ns);
}

static void without_frames_percentiles_are_0(void **state)
{
    (void)state;
    counts = (struct weir_switch_counts){ 0 };
    assert_int_equal(weir_switch_percentile_ns(&counts, 500), 0);
}

static void a_percentile_is_the_upper_end_of_its_bucket(void **state)
{
    (void)state;
    counts = (struct weir_switch_counts){ 0 };
    wait_ns(1000, 990);
    wait_ns(1000000, 10);
    assert_int_equal(weir_switch_percentile_ns(&counts, 500), 1024);
    assert_int_equal(weir_switch_percentile_ns(&counts, 990), 1024);
    assert_int_equal(weir_switch_percentile_ns(&counts, 991), 1000000); /* no frame waited longer */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_frames_percentiles_are_0),
        cmocka_unit_test(a_percentile_is_the_upper_end_of_its_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
