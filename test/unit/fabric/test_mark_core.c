/* test/unit/fabric/test_mark_core.c - thresholds for ports of other rates. */
#include "test/unit/weir_test.h"
#include "fabric/mark_core.h"

#define GBPS UINT64_C(1000000000)

static void thresholds_grow_with_the_rate_of_the_port(void **state)
{
    struct weir_mark_config cfg = { .kmin_bytes = 100001, .kmax_bytes = 400000, .pmax_ppb = 200000000 }, at;
    (void)state;
    at = weir_mark_scaled(&cfg, 400 * GBPS, 100 * GBPS);
    assert_int_equal(at.kmin_bytes, 400004);
    assert_int_equal(at.kmax_bytes, 1600000);
    assert_int_equal(at.pmax_ppb, 200000000);
    at = weir_mark_scaled(&cfg, 10 * GBPS, 25 * GBPS);
    assert_int_equal(at.kmin_bytes, 40000); /* of 40000.4 */
    assert_int_equal(at.kmax_bytes, 160000);
    at = weir_mark_scaled(&cfg, 400 * GBPS, 0);
    assert_int_equal(at.kmin_bytes, 100001);
    cfg.kmin_bytes = cfg.kmax_bytes = UINT64_MAX; /* marking is off, and stays so */
    at = weir_mark_scaled(&cfg, 10 * GBPS, 25 * GBPS);
    assert_int_equal(at.kmin_bytes, UINT64_MAX);
    assert_false(weir_mark(&at, UINT64_C(1) << 40, 0));
}

/* DCQCN: nothing below Kmin, from there in proportion to Pmax just below Kmax, everything from Kmax on. */
static void the_ramp_marks_in_proportion(void **state)
{
    const struct weir_mark_config cfg = { .kmin_bytes = 100000, .kmax_bytes = 200000, .pmax_ppb = 200000000 };
    const struct {
        uint64_t queue_bytes;
        double share;
    } row[] = { { 99999, 0 },    { 100000, 0 },        { 100500, 0.001 }, { 125000, 0.05 },
                { 150000, 0.1 }, { 199999, 0.199998 }, { 200000, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t edge = (uint64_t)(row[i].share * 4294967296.0), below = edge > 8 ? edge - 8 : 0;
        if (row[i].share > 0)
            assert_true(weir_mark(&cfg, row[i].queue_bytes, below << 32));
        if (row[i].share < 1)
            assert_false(weir_mark(&cfg, row[i].queue_bytes, (edge + 8) << 32));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(thresholds_grow_with_the_rate_of_the_port),
                                        cmocka_unit_test(the_ramp_marks_in_proportion) };
    return cmocka_run_group_tests_name("fabric/mark_core", tests, NULL, NULL);
}
