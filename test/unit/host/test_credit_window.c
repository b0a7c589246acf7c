/* test/unit/host/test_credit_window.c - the BDP of a receiver found by trial, and round trips with their time-outs, by
 * numbers computed by hand. */
#include "test/unit/weir_test.h"
#include "test/unit/host/internals.h"

#define MS WEIR_PS_PER_MS

static struct credit_window w;
static uint64_t now_ps;

static int setup(void **state)
{
    (void)state;
    now_ps = 77 * MS;
    credit_window_init(&w, 100000, 1000000);
    (void)credit_window_sample(&w, now_ps, MS, true); /* begins the first epoch */
    return 0;
}

/* One epoch of 20 ms in which so many bytes arrived. @return whether the BDP changed */
static bool epoch(uint32_t bytes, bool full)
{
    credit_window_arrived(&w, bytes);
    now_ps += 20 * MS;
    return credit_window_sample(&w, now_ps, MS, full);
}

static void a_round_trip_follows_rfc_6298(void **state)
{
    struct credit_rtt e = { 0 };
    (void)state;
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 10 * MS); /* before the first */
    credit_rtt_sample(&e, 0, 80 * MS);
    assert_int_equal(e.srtt_ps, 80 * MS);
    assert_int_equal(e.rttvar_ps, 40 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 240 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 241 * MS), 241 * MS);
    credit_rtt_sample(&e, 0, 160 * MS);
    assert_int_equal(e.rttvar_ps, 50 * MS); /* 3/4 * 40 + 1/4 * |80 - 160| */
    assert_int_equal(e.srtt_ps, 90 * MS);   /* 7/8 * 80 + 1/8 * 160 */
    credit_rtt_sample(&e, 0, 0);
    assert_int_equal(e.rttvar_ps, 60 * MS);   /* 3/4 * 50 + 1/4 * 90 */
    assert_int_equal(e.srtt_ps, 78750000000); /* 7/8 * 90 ms; 0 counts as 1 ps */
}

static void each_expiry_doubles_up_to_a_second_until_a_sample(void **state)
{
    struct credit_rtt e = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 10 * MS << i);
        credit_rtt_expired(&e);
    }
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 160 * MS);
    credit_rtt_expired(&e); /* a fifth counts no more */
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 160 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 63 * MS), 1000 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 3000 * MS), 3000 * MS); /* what the user wants is never cut */
    credit_rtt_sample(&e, 0, MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 10 * MS);
}

static void a_timeout_that_was_too_short_is_raised_for_256_times_itself(void **state)
{
    struct credit_rtt e = { 0 };
    (void)state;
    credit_rtt_expired(&e);
    credit_rtt_raise(&e, 0, 50 * MS);
    assert_int_equal(e.backoff, 0);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 150 * MS);
    credit_rtt_raise(&e, 0, 49 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 150 * MS);
    credit_rtt_sample(&e, 256 * 150 * MS, MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 150 * MS);
    credit_rtt_sample(&e, 256 * 150 * MS + 1, MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 75 * MS);
    credit_rtt_sample(&e, 40000 * MS, 18 * MS); /* 2 * 18 is less than half of 75 */
    assert_int_equal(e.raised_at_ps, 256 * 150 * MS + 1);
    credit_rtt_sample(&e, 50000 * MS, 19 * MS); /* such round trips are still seen */
    assert_int_equal(e.raised_at_ps, 50000 * MS);
    assert_int_equal(e.raised_ps, 75 * MS);
    credit_rtt_sample(&e, 50000 * MS, 50 * MS);
    assert_int_equal(e.raised_ps, 100 * MS);
    credit_rtt_raise(&e, 0, 334 * MS);
    assert_int_equal(credit_rtt_timeout_ps(&e, 10 * MS), 1000 * MS);
}

static void twice_the_credit_is_kept_for_a_quarter_more(void **state)
{
    (void)state;
    assert_true(epoch(80000, true)); /* 4 MB/s with 100 KB; the first trial */
    assert_int_equal(w.bdp_bytes, 200000);
    assert_true(epoch(100000, true)); /* a quarter more: kept, and on */
    assert_int_equal(w.bdp_bytes, 400000);
    assert_true(epoch(124990, true)); /* a quarter of 100000 would be 125000 */
    assert_int_equal(w.bdp_bytes, 200000);
    assert_true(w.less_next);
}

static void less_is_kept_if_as_much_arrives(void **state)
{
    (void)state;
    w.bdp_bytes = 800000;
    w.less_next = true;
    assert_true(epoch(160000, true));
    assert_int_equal(w.bdp_bytes, 400000);
    assert_true(epoch(150000, true)); /* 1/16 less */
    assert_int_equal(w.bdp_bytes, 200000);
    assert_true(epoch(140000, true)); /* 150000 less 1/16 is 140625 */
    assert_int_equal(w.bdp_bytes, 400000);
    assert_false(w.less_next);
}

/* A trial of more failed, less was impossible, and more is kept now: the next trial is of more. */
static void more_that_is_kept_is_followed_by_more(void **state)
{
    (void)state;
    w.less_next = true;
    assert_true(epoch(80000, true)); /* the BDP is the least: the trial is of more */
    assert_int_equal(w.bdp_bytes, 200000);
    assert_true(epoch(100000, true));
    assert_int_equal(w.bdp_bytes, 400000);
    assert_int_equal(w.trial, CREDIT_TRIAL_MORE);
}

static void a_trial_that_fails_is_repeated_ever_later(void **state)
{
    (void)state;
    w.most_bytes = 200000;
    for (uint32_t waits = 1; waits <= 64; waits *= 2) {
        w.less_next = false;
        assert_int_equal(w.wait, waits);
        for (uint32_t i = 1; i < waits; i++)
            assert_false(epoch(80000, true));
        assert_true(epoch(80000, true)); /* begins */
        assert_true(epoch(80000, true)); /* ends */
        assert_int_equal(w.bdp_bytes, 100000);
    }
    assert_int_equal(w.wait, 64);
}

static void the_bdp_keeps_its_bounds(void **state)
{
    (void)state;
    for (uint32_t bytes = 100000; bytes < 6000000; bytes *= 2)
        (void)epoch(bytes, true);
    assert_int_equal(w.bdp_bytes, 1000000);
    w.less_next = true;
    for (int i = 0; i < 200; i++) {
        (void)epoch(100000, true);
        assert_in_range(w.bdp_bytes, 100000, 1000000);
    }
    assert_int_equal(w.bdp_bytes, 100000);
}

static void an_epoch_of_unused_credit_says_nothing(void **state)
{
    (void)state;
    assert_false(epoch(80000, false));
    assert_true(epoch(80000, true));
    assert_false(epoch(10, false)); /* the trial is judged by the next epoch */
    assert_int_equal(w.bdp_bytes, 200000);
    assert_true(epoch(100000, true));
    assert_int_equal(w.bdp_bytes, 400000);
}

static void an_epoch_lasts_20_ms_and_eight_round_trips(void **state)
{
    (void)state;
    credit_window_arrived(&w, 80000);
    assert_false(credit_window_sample(&w, now_ps + 20 * MS - 1, MS, true));
    assert_false(credit_window_sample(&w, now_ps + 24 * MS - 1, 3 * MS, true));
    assert_true(credit_window_sample(&w, now_ps + 24 * MS, 3 * MS, true));
}

static void a_loss_halves_it_or_ends_the_trial_once_per_epoch(void **state)
{
    (void)state;
    assert_true(epoch(80000, true));
    w.lost = true;
    assert_true(credit_window_sample(&w, now_ps + 1, MS, true)); /* at once */
    assert_int_equal(w.bdp_bytes, 100000);                       /* not what the trial was of */
    assert_int_equal(w.wait, 64);
    assert_false(epoch(160000, true)); /* says nothing: of two credits */
    w.bdp_bytes = 600000;
    w.lost = true;
    assert_true(credit_window_sample(&w, now_ps + 1, MS, true));
    w.lost = true;
    assert_false(credit_window_sample(&w, now_ps + 2, MS, true));
    assert_int_equal(w.bdp_bytes, 300000);
    assert_false(epoch(160000, true));
    w.lost = true;
    assert_true(credit_window_sample(&w, now_ps + 1, MS, true)); /* the next epoch */
    assert_int_equal(w.bdp_bytes, 150000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_trip_follows_rfc_6298),
        cmocka_unit_test(each_expiry_doubles_up_to_a_second_until_a_sample),
        cmocka_unit_test(a_timeout_that_was_too_short_is_raised_for_256_times_itself),
        cmocka_unit_test_setup(twice_the_credit_is_kept_for_a_quarter_more, setup),
        cmocka_unit_test_setup(more_that_is_kept_is_followed_by_more, setup),
        cmocka_unit_test_setup(less_is_kept_if_as_much_arrives, setup),
        cmocka_unit_test_setup(a_trial_that_fails_is_repeated_ever_later, setup),
        cmocka_unit_test_setup(the_bdp_keeps_its_bounds, setup),
        cmocka_unit_test_setup(an_epoch_of_unused_credit_says_nothing, setup),
        cmocka_unit_test_setup(an_epoch_lasts_20_ms_and_eight_round_trips, setup),
        cmocka_unit_test_setup(a_loss_halves_it_or_ends_the_trial_once_per_epoch, setup),
    };
    return cmocka_run_group_tests_name("host/credit_window", tests, NULL, NULL);
}
