/* test/unit/bpf/test_switch_hist.c - buckets of sojourn times: they have no gap, and are as narrow as they say. */
#include "test/unit/weir_test.h"
#include "bpf/switch_hist.h"

static void a_time_lies_between_its_bucket_and_the_next(void **state)
{
    (void)state;
    for (uint64_t ns = 0; ns < UINT64_C(500000000000); ns += ns / 7 + 1) {
        uint32_t bucket = weir_switch_bucket(ns);
        assert_true(bucket + 1 < WEIR_SWITCH_BUCKETS);
        assert_true(weir_switch_bucket_ns(bucket) <= ns);
        assert_true(ns < weir_switch_bucket_ns(bucket + 1));
    }
}

static void a_bucket_is_at_most_a_sixteenth_of_its_beginning_wide(void **state)
{
    (void)state;
    for (uint32_t b = 0; b + 1 < WEIR_SWITCH_BUCKETS; b++) {
        uint64_t first = weir_switch_bucket_ns(b), width = weir_switch_bucket_ns(b + 1) - first;
        assert_int_equal(weir_switch_bucket(first), b);
        assert_true(width == 1 || width * 16 <= first);
    }
}

static void a_longer_time_than_the_last_bucket_s_belongs_to_it(void **state)
{
    (void)state;
    assert_int_equal(weir_switch_bucket(UINT64_MAX), WEIR_SWITCH_BUCKETS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_lies_between_its_bucket_and_the_next),
        cmocka_unit_test(a_bucket_is_at_most_a_sixteenth_of_its_beginning_wide),
        cmocka_unit_test(a_longer_time_than_the_last_bucket_s_belongs_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
