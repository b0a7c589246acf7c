/* test/unit/model/test_recovery.c - [run.recovery]: when a rate counts as back, from bins of 10 us filled by hand. */
#include "test/unit/weir_test.h"
#include "core/cable.h"
#include "model/account.h"

enum { BINS = 400, CUT = 150, PER_BIN = 1000 };
static uint64_t arrived[BINS];
static const struct weir_cable_event event[] = { { .at_ps = (uint64_t)CUT * 10000000 + 5 },
                                                 { .at_ps = (uint64_t)CUT * 10000000 + 5, .link = 2 },
                                                 { .at_ps = (uint64_t)300 * 10000000, .up = true } };
static const struct weir_model model = { .event = event, .event_count = 3, .measure_ps = (uint64_t)BINS * 10000000 };
static const struct weir_account account = { .model = &model };

/* Fills the bins: `percent` of the rate from bin `from` on, for `bins` bins. */
static void fill(uint32_t from, uint32_t bins, uint32_t percent)
{
    for (uint32_t k = 0; k + 1 < BINS; k++)
        arrived[k + 1] = arrived[k] + (k >= from && k < from + bins ? PER_BIN * percent / 100 : PER_BIN);
}

static struct weir_result recovery(void)
{
    struct weir_result result = { 0 };
    const struct weir_account_totals totals = { .arrived = arrived,
                                                .arrived_count = BINS,
                                                .end_ps = (uint64_t)BINS * 10000000 };
    weir_account_recovery(&account, &totals, &result);
    return result;
}

static void events_at_one_instant_are_one_failure_and_a_small_dip_is_none(void **state)
{
    struct weir_result r;
    (void)state;
    fill(CUT, 50, 91);
    r = recovery();
    assert_int_equal(r.failures, 1);
    assert_int_equal(r.unrecovered, 0);
    assert_int_equal(r.recovery_ps, 0);
}

/* Nothing for 50 bins: the mean of 10 bins is 90 % again when one of them is still empty. */
static void a_rate_is_back_when_its_mean_is(void **state)
{
    (void)state;
    fill(CUT, 50, 0);
    assert_int_equal(recovery().recovery_ps, (uint64_t)(50 - 1 + 10) * 10000000 - 5);
    fill(CUT + 20, 50, 0); /* a dip that comes late */
    assert_int_equal(recovery().recovery_ps, (uint64_t)(20 + 50 - 1 + 10) * 10000000 - 5);
}

static void a_rate_that_stays_low_is_not_recovered_from(void **state)
{
    (void)state;
    fill(CUT, BINS, 80);
    assert_int_equal(recovery().unrecovered, 1);
    assert_int_equal(recovery().recovery_ps, 0);
}

/* A cable of 100 Gb/s: slow at CUT, slower at 250, and as fast as it was at 300. */
static void a_cable_that_becomes_slower_is_a_failure_and_one_that_heals_is_none(void **state)
{
    static struct weir_link link[2] = { { .rate_bps = 100, .reverse = 1 }, { .rate_bps = 40, .reverse = 0 } };
    static const struct weir_topology topo = { .link = link, .link_count = 2 };
    static struct weir_rate_step rate[] = { { (uint64_t)CUT * 10000000, 50, 0 },
                                            { (uint64_t)250 * 10000000, 30, 0 },
                                            { (uint64_t)300 * 10000000, 100, 0 } };
    struct weir_model slow = { .topo = &topo, .rate = rate, .rate_count = 3, .measure_ps = model.measure_ps };
    const struct weir_account of_slow = { .model = &slow };
    const struct weir_account_totals totals = { .arrived = arrived,
                                                .arrived_count = BINS,
                                                .end_ps = (uint64_t)BINS * 10000000 };
    struct weir_result result = { 0 };
    (void)state;
    fill(CUT, 50, 0);
    assert_true(weir_account_bins(&slow) > 0);
    weir_account_recovery(&of_slow, &totals, &result);
    assert_int_equal(result.failures, 2);
    assert_int_equal(result.recovery_ps, (uint64_t)(50 - 1 + 10) * 10000000);
    rate[0].bps = 100; /* as it was built */
    slow.rate_count = 1;
    assert_int_equal(weir_account_bins(&slow), 0);
}

static void bins_are_kept_where_something_fails(void **state)
{
    static const struct weir_model calm = { .measure_ps = 1000 },
                                   whole = { .event = event, .event_count = 3, .until_done = true };
    static const struct weir_model up = { .event = &event[2], .event_count = 1, .measure_ps = 1000 };
    static const struct weir_model long_run = { .event = event, .event_count = 1, .measure_ps = UINT64_C(1) << 52 };
    (void)state;
    assert_int_equal(weir_account_bins(&calm), 0);
    assert_int_equal(weir_account_bins(&up), 0);
    assert_int_equal(weir_account_bins(&whole), WEIR_RECOVERY_BINS_MAX);
    assert_in_range(weir_account_bins(&long_run), 60000, WEIR_RECOVERY_BINS_MAX);
    assert_int_equal(weir_account_bin_ps(&model), 10000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_one_instant_are_one_failure_and_a_small_dip_is_none),
        cmocka_unit_test(a_rate_is_back_when_its_mean_is),
        cmocka_unit_test(a_rate_that_stays_low_is_not_recovered_from),
        cmocka_unit_test(a_cable_that_becomes_slower_is_a_failure_and_one_that_heals_is_none),
        cmocka_unit_test(bins_are_kept_where_something_fails),
    };
    return cmocka_run_group_tests_name("model/recovery", tests, NULL, NULL);
}
