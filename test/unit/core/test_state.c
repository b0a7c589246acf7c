/* test/unit/core/test_state.c - fields of a state: which of them must be equal, how each kind is moved on, and how many periods it
 * allows. */
#include "test/unit/weir_test.h"
#include "core/state.h"

#define US UINT64_C(1000000) /* ps */
#define TIMES ((UINT64_C(1) << 48) - 1)

static uint64_t values[8], sums[8];
static struct weir_state s;

static bool no_room(struct weir_state_list *list)
{
    (void)list;
    return false;
}

static int setup(void **state)
{
    (void)state;
    s = (struct weir_state){ .grow = no_room, .value = { .at = values, .room = 8 }, .sum = { .at = sums, .room = 8 } };
    return 0;
}

/* One pass over one field at now. MOVE: by 3 periods of 10 us. @return TEST: the state is back */
#define PASS(kind, now, call)                                                                                          \
    (weir_state_begin(&s, (kind), (now)), s.periods = (kind) == WEIR_STATE_MOVE ? 3 : s.periods,                       \
     s.period_ps = 10 * US, (call), (kind) == WEIR_STATE_TEST && weir_state_is_equal(&s))
#define KEEP(now, call) ((void)PASS(WEIR_STATE_KEEP, now, call))
#define BACK(now, call) PASS(WEIR_STATE_TEST, now, call)
#define MOVE(now, call) ((void)PASS(WEIR_STATE_MOVE, now, call))

static void a_value_must_be_equal_and_all_must_be_given(void **state)
{
    (void)state;
    KEEP(1, weir_state_value(&s, 7));
    assert_true(BACK(2, weir_state_value(&s, 7)));
    assert_false(BACK(2, weir_state_value(&s, 6)));
    assert_false(BACK(2, weir_state_value(&s, 8)));
    assert_false(BACK(2, (void)0));
    assert_false(BACK(2, (weir_state_value(&s, 7), weir_state_value(&s, 7))));
    assert_false(BACK(2, (weir_state_value(&s, 7), weir_state_sum(&s, &(uint64_t){ 0 }))));
    assert_false(BACK(2, (weir_state_value(&s, 7), weir_state_unready(&s, "it is not ready"))));
    assert_true(BACK(2, weir_state_value(&s, 7)));
}

static void a_sum_goes_on_by_the_same_amount(void **state)
{
    uint64_t sum = 100;
    uint32_t narrow = UINT32_MAX - 1;
    weir_state_wide wide = (weir_state_wide)5 << 70;
    (void)state;
    KEEP(1, (weir_state_sum(&s, &sum), weir_state_sum32(&s, &narrow), weir_state_sum128(&s, &wide)));
    sum += 7, narrow += 2, wide += (weir_state_wide)1 << 66;
    assert_true(BACK(2, (weir_state_sum(&s, &sum), weir_state_sum32(&s, &narrow), weir_state_sum128(&s, &wide))));
    MOVE(2, (weir_state_sum(&s, &sum), weir_state_sum32(&s, &narrow), weir_state_sum128(&s, &wide)));
    assert_int_equal(sum, 128);
    assert_int_equal(narrow, 6);
    assert_true(wide == ((weir_state_wide)5 << 70) + ((weir_state_wide)4 << 66));
}

static void a_time_is_relative_to_now(void **state)
{
    uint64_t at_ps = 5 * US;
    (void)state;
    KEEP(20 * US, weir_state_time(&s, &at_ps));
    at_ps = 15 * US;
    assert_true(BACK(30 * US, weir_state_time(&s, &at_ps)));
    assert_false(BACK(30 * US - 1, weir_state_time(&s, &at_ps)));
    assert_false(BACK(30 * US + 1, weir_state_time(&s, &at_ps)));
    MOVE(30 * US, weir_state_time(&s, &at_ps));
    assert_int_equal(at_ps, 45 * US);
    at_ps = WEIR_NEVER;
    assert_false(BACK(30 * US, weir_state_time(&s, &at_ps)));
    KEEP(30 * US, weir_state_time(&s, &at_ps));
    assert_true(BACK(40 * US, weir_state_time(&s, &at_ps)));
    MOVE(40 * US, weir_state_time(&s, &at_ps));
    assert_int_equal(at_ps, WEIR_NEVER);
}

static void a_past_time_of_the_second_kind_does_not_matter(void **state)
{
    uint64_t at_ps = 20 * US - 5;
    (void)state;
    KEEP(20 * US, weir_state_until(&s, &at_ps));
    assert_true(BACK(30 * US, weir_state_until(&s, &at_ps)));
    at_ps = 30 * US;
    assert_true(BACK(30 * US, weir_state_until(&s, &at_ps)));
    at_ps = 30 * US + 1;
    assert_false(BACK(30 * US, weir_state_until(&s, &at_ps)));
    KEEP(30 * US, weir_state_until(&s, &at_ps));
    at_ps += 10 * US;
    assert_true(BACK(40 * US, weir_state_until(&s, &at_ps)));
    assert_false(BACK(40 * US - 1, weir_state_until(&s, &at_ps)));
    MOVE(40 * US, weir_state_until(&s, &at_ps));
    assert_int_equal(at_ps, 70 * US + 1);
}

static void a_last_use_may_be_as_long_ago_or_as_it_was(void **state)
{
    uint64_t at_ps = 5 * US;
    (void)state;
    KEEP(20 * US, weir_state_used(&s, &at_ps));
    assert_true(BACK(33 * US, weir_state_used(&s, &at_ps)));
    MOVE(33 * US, weir_state_used(&s, &at_ps));
    assert_int_equal(at_ps, 5 * US);
    at_ps = 15 * US;
    assert_true(BACK(30 * US, weir_state_used(&s, &at_ps)));
    assert_false(BACK(30 * US + 1, weir_state_used(&s, &at_ps)));
    assert_false(BACK(30 * US - 1, weir_state_used(&s, &at_ps)));
    MOVE(30 * US, weir_state_used(&s, &at_ps));
    assert_int_equal(at_ps, 45 * US);
}

static void a_stamp_is_a_time_and_maybe_a_delay(void **state)
{
    uint64_t stamp = 5 * US;
    (void)state;
    KEEP(20 * US, weir_state_stamp(&s, &stamp));
    stamp = 15 * US;
    assert_true(BACK(30 * US, weir_state_stamp(&s, &stamp)));
    assert_false(BACK(30 * US + 1, weir_state_stamp(&s, &stamp)));
    MOVE(30 * US, weir_state_stamp(&s, &stamp));
    assert_int_equal(stamp, 45 * US);
    stamp = 0; /* no sample: not as one sent now */
    KEEP(0, weir_state_stamp(&s, &stamp));
    assert_true(BACK(10 * US, weir_state_stamp(&s, &stamp)));
    stamp = 10 * US;
    assert_false(BACK(10 * US, weir_state_stamp(&s, &stamp)));
    s.has_delays = true;
    stamp = UINT64_C(77) << 48 | 5 * US;
    KEEP(TIMES + 1 + 20 * US, weir_state_stamp(&s, &stamp));
    stamp = UINT64_C(77) << 48 | 15 * US;
    assert_true(BACK(TIMES + 1 + 30 * US, weir_state_stamp(&s, &stamp)));
    assert_false(BACK(TIMES + 1 + 30 * US - 1, weir_state_stamp(&s, &stamp)));
    stamp = UINT64_C(78) << 48 | 15 * US;
    assert_false(BACK(TIMES + 1 + 30 * US, weir_state_stamp(&s, &stamp)));
    stamp = UINT64_C(77) << 48 | 15 * US;
    MOVE(TIMES + 1 + 30 * US, weir_state_stamp(&s, &stamp));
    assert_int_equal(stamp, UINT64_C(77) << 48 | 45 * US);
}

/* A time of 0 means that there is none, so it must not be met by counting on. */
static void a_stamp_that_starts_again_ends_the_periods(void **state)
{
    uint64_t stamp = UINT64_C(1) << 48 | (TIMES - 40 * US);
    (void)state;
    s.has_delays = true;
    KEEP(TIMES - 38 * US, weir_state_stamp(&s, &stamp));
    stamp += 10 * US;
    assert_true(BACK(TIMES - 28 * US, weir_state_stamp(&s, &stamp)));
    assert_int_equal(s.periods, 3); /* the stamp would be TIMES then */
    stamp = UINT64_C(1) << 48 | (TIMES - 40 * US + 1);
    KEEP(TIMES - 38 * US + 1, weir_state_stamp(&s, &stamp));
    stamp += 10 * US;
    assert_true(BACK(TIMES - 28 * US + 1, weir_state_stamp(&s, &stamp)));
    assert_int_equal(s.periods, 2);
    KEEP(TIMES, weir_state_stamp(&s, &stamp)); /* one that stays where it is does not */
    (void)BACK(TIMES + 10 * US, weir_state_stamp(&s, &stamp));
    assert_int_equal(s.periods, UINT64_MAX);
}

static void numbers_are_relative_to_what_is_acknowledged(void **state)
{
    uint32_t seq = UINT32_MAX;
    (void)state;
    KEEP(1, weir_state_seq(&s, &seq, UINT32_MAX - 3));
    seq = 4;
    assert_true(BACK(2, weir_state_seq(&s, &seq, 1)));
    assert_false(BACK(2, weir_state_seq(&s, &seq, 2)));
    assert_false(BACK(2, weir_state_seq(&s, &seq, 0)));
    MOVE(2, weir_state_seq(&s, &seq, 1));
    assert_int_equal(seq, 19);
}

/* 64 packets are never skipped. @return periods allowed if so many were left, and so many are now */
static uint64_t allowed(uint64_t was, uint64_t left)
{
    KEEP(1, weir_state_left(&s, was));
    assert_true(BACK(2, weir_state_left(&s, left)));
    return s.periods;
}

static void what_is_left_ends_the_periods(void **state)
{
    (void)state;
    assert_int_equal(allowed(1000, 990), 92);
    assert_int_equal(allowed(84, 74), 1);
    assert_int_equal(allowed(83, 73), 0);
    assert_int_equal(allowed(74, 64), 0);
    assert_int_equal(allowed(10, 20), 0); /* another message */
    assert_int_equal(allowed(10, 10), UINT64_MAX);
    KEEP(1, (weir_state_left(&s, 1000), weir_state_left(&s, 500)));
    assert_true(BACK(2, (weir_state_left(&s, 990), weir_state_left(&s, 494))));
    assert_int_equal(s.periods, 71); /* the least of them */
}

static void times_may_be_left_out(void **state)
{
    uint64_t at_ps = 5 * US;
    (void)state;
    s.without_times = true;
    KEEP(20 * US, weir_state_time(&s, &at_ps));
    assert_true(BACK(31 * US, weir_state_time(&s, &at_ps)));
}

static void a_list_without_room_is_no_memory(void **state)
{
    (void)state;
    s.value.room = 1;
    KEEP(1, weir_state_value(&s, 1));
    assert_false(s.out_of_memory);
    KEEP(1, (weir_state_value(&s, 1), weir_state_value(&s, 2)));
    assert_true(s.out_of_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_value_must_be_equal_and_all_must_be_given, setup),
        cmocka_unit_test_setup(a_sum_goes_on_by_the_same_amount, setup),
        cmocka_unit_test_setup(a_time_is_relative_to_now, setup),
        cmocka_unit_test_setup(a_past_time_of_the_second_kind_does_not_matter, setup),
        cmocka_unit_test_setup(a_last_use_may_be_as_long_ago_or_as_it_was, setup),
        cmocka_unit_test_setup(a_stamp_is_a_time_and_maybe_a_delay, setup),
        cmocka_unit_test_setup(a_stamp_that_starts_again_ends_the_periods, setup),
        cmocka_unit_test_setup(numbers_are_relative_to_what_is_acknowledged, setup),
        cmocka_unit_test_setup(what_is_left_ends_the_periods, setup),
        cmocka_unit_test_setup(times_may_be_left_out, setup),
        cmocka_unit_test_setup(a_list_without_room_is_no_memory, setup),
    };
    return cmocka_run_group_tests_name("core/state", tests, NULL, NULL);
}
