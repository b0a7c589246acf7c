/* test/unit/host/test_params.c - the keys of section `host`: every default lies in its range, and says where it comes
 * from. */
#include "test/unit/weir_test.h"
#include "core/host_params.h"
#include "core/units.h"
#include <string.h>

static const struct weir_param *row_of(const char *key)
{
    for (const struct weir_param *row = weir_host_param_rows; row->key != NULL; row++) {
        if (strcmp(row->key, key) == 0)
            return row;
    }
    fail_msg("no key %s", key);
    return NULL;
}

static void every_row_has_a_hint_and_a_default_in_range(void **state)
{
    uint32_t rows = 0;
    (void)state;
    for (const struct weir_param *row = weir_host_param_rows; row->key != NULL; row++, rows++) {
        assert_true(strlen(row->hint) > 20);
        assert_true(row->offset < sizeof(struct weir_host_params));
        if (row->kind != WEIR_KIND_CHOICE && (row->keyword == NULL || row->fallback != row->keyword->value))
            assert_in_range(row->fallback, row->min, row->max);
    }
    assert_int_equal(rows, 22);
}

static void defaults_are_the_documented_ones(void **state)
{
    (void)state;
    assert_int_equal(row_of("connections")->fallback, 40);
    assert_int_equal(row_of("window")->fallback, 8192);
    assert_int_equal(row_of("window")->min, 64);
    assert_int_equal(row_of("window")->max, 262144);
    assert_int_equal(row_of("reply_bytes")->fallback, 0);
    assert_int_equal(row_of("ack_every")->fallback, 1);
    assert_int_equal(row_of("ack_delay")->fallback, 6 * WEIR_PS_PER_US);
    assert_int_equal(row_of("reorder")->fallback, 0);
    assert_int_equal(row_of("rto_min")->fallback, 0); /* auto, see below */
    assert_int_equal(row_of("rto_init")->fallback, 0);
    assert_int_equal(row_of("rto_max")->fallback, WEIR_PS_PER_S);
    assert_int_equal(row_of("nic_queue")->fallback, WEIR_NIC_PULL);
    assert_int_equal(row_of("nics")->fallback, WEIR_NICS_FLOW_HASH);
    assert_int_equal(row_of("nic_schedule")->fallback, WEIR_NIC_ROUND_ROBIN);
    assert_int_equal(row_of("nic_rate")->fallback, 1000000);
    assert_int_equal(row_of("nic_rate")->max, 1000000); /* no NIC is faster than its line */
    assert_int_equal(row_of("data_class")->fallback, 1);
    assert_int_equal(row_of("ack_class")->fallback, 0);
    assert_int_equal(row_of("reliability")->fallback, WEIR_SELECTIVE);
    assert_int_equal(row_of("ecn")->fallback, WEIR_ECN_RFC8257);
    assert_int_equal(row_of("handshake")->fallback, 0);
    assert_int_equal(row_of("mark")->fallback, 0);
    assert_int_equal(row_of("nack_interval")->fallback, 500 * WEIR_PS_PER_US);
}

/* In us: what a scenario sets, 0 = nothing; then what is used where packets are dropped, and where they are paused. */
static void timers_that_nothing_sets_follow_the_fabric_and_the_others(void **state)
{
    enum { MS = 1000 };
    static const struct {
        uint64_t min, init, max, lossy_min, lossy_init, lossless_min, lossless_init;
    } row[] = {
        { 0, 0, 1000 * MS, 1 * MS, 5 * MS, 100 * MS, 100 * MS },
        { 200, 300, 1000 * MS, 200, 300, 200, 300 },
        { 200 * MS, 1000 * MS, 60000 * MS, 200 * MS, 1000 * MS, 200 * MS, 1000 * MS },
        { 2 * MS, 0, 1000 * MS, 2 * MS, 5 * MS, 2 * MS, 100 * MS },
        { 200 * MS, 0, 1000 * MS, 200 * MS, 200 * MS, 200 * MS, 200 * MS },
        { 0, 500, 1000 * MS, 500, 500, 500, 500 },
        { 0, 20 * MS, 1000 * MS, 1 * MS, 20 * MS, 20 * MS, 20 * MS },
        { 0, 0, 20 * MS, 1 * MS, 5 * MS, 20 * MS, 20 * MS },
        { 0, 0, 500, 500, 500, 500, 500 },
        { 2 * MS, 0, 1 * MS, 2 * MS, 1 * MS, 2 * MS, 1 * MS }, /* set-up refuses it */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        for (int lossless = 0; lossless < 2; lossless++) {
            struct weir_host_params p = { .rto_min_ps = row[i].min * WEIR_PS_PER_US,
                                          .rto_init_ps = row[i].init * WEIR_PS_PER_US,
                                          .rto_max_ps = row[i].max * WEIR_PS_PER_US };
            weir_host_settle_timers(&p, lossless != 0);
            assert_int_equal(p.rto_min_ps, (lossless ? row[i].lossless_min : row[i].lossy_min) * WEIR_PS_PER_US);
            assert_int_equal(p.rto_init_ps, (lossless ? row[i].lossless_init : row[i].lossy_init) * WEIR_PS_PER_US);
            assert_int_equal(p.rto_max_ps, row[i].max * WEIR_PS_PER_US);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_hint_and_a_default_in_range),
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(timers_that_nothing_sets_follow_the_fabric_and_the_others),
    };
    return cmocka_run_group_tests_name("host/params", tests, NULL, NULL);
}
