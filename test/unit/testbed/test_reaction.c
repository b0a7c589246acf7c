/* test/unit/testbed/test_reaction.c - how soon a sender slows down, from times made by hand: a round trip of 400 us, so
 * windows of 200 us, every 12.5 us; a frame of the first sender every 50 us, four in a window. */
#include "test/unit/weir_test.h"
#include "core/units.h"
#include "testbed/reaction.h"
#include <string.h>

#define US WEIR_PS_PER_US
#define RTT (400 * US)
enum { JOIN_US = 10000, STOP_US = 600, AGAIN_US = 4000, END_US = 20000 };

static struct weir_arrivals first, second;
static struct weir_reaction reaction;
static struct weir_err err;

static void add(struct weir_arrivals *a, uint64_t from_us, uint64_t to_us)
{
    for (uint64_t us = from_us; us < to_us; us += 50)
        assert_true(weir_arrivals_add(a, us * US));
}

/* The first sender is silent from 600 us after a join on, until 4 ms after it. */
static int setup(void **state)
{
    (void)state;
    add(&first, 0, JOIN_US + STOP_US);
    add(&first, JOIN_US + AGAIN_US, END_US);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_arrivals_free(&first);
    weir_arrivals_free(&second);
    return 0;
}

static void a_rate_has_fallen_when_the_window_around_it_has_less(void **state)
{
    (void)state;
    add(&second, JOIN_US, JOIN_US + 1000);
    /* 562.5 - 100 is after frame 9 of 0 to 11: two of four are left, 50 %. One step before, three are 75 %. */
    assert_int_equal(weir_reaction(&first, &second, RTT, 75, &reaction, &err), 0);
    assert_int_equal(reaction.after_ps, 562500000);
    assert_int_equal(reaction.joins, 1);
    assert_true(reaction.before_per_ms == 20);
    assert_true(reaction.least_percent == 100);
    assert_int_equal(weir_reaction(&first, &second, RTT, 76, &reaction, &err), 0);
    assert_int_equal(reaction.after_ps, 512500000);
    assert_int_equal(weir_reaction(&first, &second, RTT, 40, &reaction, &err), 0);
    assert_int_equal(reaction.after_ps, 612500000);
}

static void a_frame_after_five_milliseconds_of_silence_is_a_join(void **state)
{
    static const uint64_t gap_ps[] = { WEIR_REACTION_SILENCE_PS - 1, WEIR_REACTION_SILENCE_PS };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        teardown(NULL);
        add(&first, 0, JOIN_US + STOP_US);
        add(&first, JOIN_US + AGAIN_US, 2 * (uint64_t)END_US);
        assert_true(weir_arrivals_add(&second, JOIN_US * US));
        assert_true(weir_arrivals_add(&second, JOIN_US * US + gap_ps[i]));
        (void)weir_reaction(&first, &second, RTT, 75, &reaction, &err);
        assert_int_equal(reaction.joins, 1 + i);
    }
}

static void what_cannot_be_measured_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(weir_reaction(&first, &second, RTT, 75, &reaction, &err), WEIR_E_RUN);
    add(&second, 3950, 4000); /* the first has not sent for 4 ms yet */
    assert_int_equal(weir_reaction(&first, &second, RTT, 75, &reaction, &err), WEIR_E_RUN);
    add(&second, END_US - 8400, END_US - 8350); /* and ends before 21 round trips have passed */
    assert_int_equal(weir_reaction(&first, &second, RTT, 75, &reaction, &err), WEIR_E_RUN);
    teardown(NULL);
    add(&first, 0, END_US);
    add(&second, JOIN_US, JOIN_US + 50);
    assert_int_equal(weir_reaction(&first, &second, RTT, 75, &reaction, &err), WEIR_E_RUN);
    assert_non_null(strstr(err.text, "does not fall below 75 %"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rate_has_fallen_when_the_window_around_it_has_less, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_after_five_milliseconds_of_silence_is_a_join, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_measured_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests_name("testbed/reaction", tests, NULL, NULL);
}
