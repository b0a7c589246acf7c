/* test/unit/core/test_rcp_code.c - rates and round trips as packets of RCP carry them. */
#include "test/unit/weir_test.h"
#include "core/rcp_code.h"
#include "core/units.h"

static void a_rate_is_its_stamp_to_a_part_in_2048(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t rate_bps = weir_max_u64(x >> 24 >> (x & 28), WEIR_RCP_RATE_MIN_BPS); /* up to 2^40 */
        uint64_t read_bps = weir_rcp_rate_bps(weir_rcp_stamp(rate_bps));
        assert_true(read_bps <= rate_bps && rate_bps - read_bps <= rate_bps / 2048);
        assert_int_equal(weir_rcp_stamp(read_bps), weir_rcp_stamp(rate_bps));
    }
}

/* So that the largest stamp of a path is its least rate, and none of them is 0. */
static void stamps_fall_as_rates_grow(void **state)
{
    (void)state;
    for (uint32_t stamp = WEIR_RCP_STAMP_MAX; stamp > 1; stamp--) {
        assert_true(weir_rcp_rate_bps(stamp - 1) > weir_rcp_rate_bps(stamp));
        assert_int_equal(weir_rcp_stamp(weir_rcp_rate_bps(stamp)), stamp);
    }
    assert_int_equal(weir_rcp_stamp(0), WEIR_RCP_STAMP_MAX);
    assert_int_equal(weir_rcp_rate_bps(WEIR_RCP_STAMP_MAX), 2048);
    assert_int_equal(weir_rcp_stamp(4095), 65535 - 2047);
    assert_int_equal(weir_rcp_stamp(4096), 65535 - 2048);
    assert_int_equal(weir_rcp_stamp(9500000000), 65535 - (22 << 11) - (2264 - 2048)); /* 2264 * 2^22 = 9.4959e9 */
    assert_int_equal(weir_rcp_rate_bps(weir_rcp_stamp(9500000000)), UINT64_C(2264) << 22);
    assert_true(weir_rcp_stamp(WEIR_RATE_MAX_BPS) > 0);
}

static void a_round_trip_is_exact_to_63_units_and_then_to_a_part_in_64(void **state)
{
    const uint64_t unit_ps = 312500;
    (void)state;
    assert_int_equal(weir_rcp_rtt_code(0, unit_ps), 0);
    assert_int_equal(weir_rcp_rtt_units(0), 0);
    assert_int_equal(weir_rcp_rtt_code(1, unit_ps), 1); /* known, if short */
    for (uint32_t units = 1; units <= WEIR_RCP_RTT_UNITS_MAX; units++) {
        uint32_t read = weir_rcp_rtt_units(weir_rcp_rtt_code(units * unit_ps, unit_ps));
        uint32_t off = read > units ? read - units : units - read;
        assert_true(units < 64 ? off == 0 : 64 * off <= units);
    }
    assert_int_equal(weir_rcp_rtt_units(weir_rcp_rtt_code(40 * unit_ps + unit_ps / 2 - 1, unit_ps)), 40);
    assert_int_equal(weir_rcp_rtt_units(weir_rcp_rtt_code(40 * unit_ps + unit_ps / 2, unit_ps)), 41);
    assert_int_equal(weir_rcp_rtt_units(weir_rcp_rtt_code(127 * unit_ps, unit_ps)), 128); /* the next exponent */
    assert_int_equal(weir_rcp_rtt_code(WEIR_PS_PER_S, unit_ps), 255);
    assert_int_equal(weir_rcp_rtt_units(255), WEIR_RCP_RTT_UNITS_MAX);
}

static void codes_of_round_trips_ascend(void **state)
{
    (void)state;
    for (uint32_t code = 1; code <= 255; code++)
        assert_true(weir_rcp_rtt_units((uint8_t)code) > weir_rcp_rtt_units((uint8_t)(code - 1)));
    assert_int_equal(weir_rcp_rtt_unit_ps(10000000), 312500);
    assert_int_equal(weir_rcp_rtt_unit_ps(31), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_its_stamp_to_a_part_in_2048),
        cmocka_unit_test(stamps_fall_as_rates_grow),
        cmocka_unit_test(a_round_trip_is_exact_to_63_units_and_then_to_a_part_in_64),
        cmocka_unit_test(codes_of_round_trips_ascend),
    };
    return cmocka_run_group_tests_name("core/rcp_code", tests, NULL, NULL);
}
