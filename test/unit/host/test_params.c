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
    assert_int_equal(rows, 19);
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
    assert_int_equal(row_of("rto_min")->fallback, WEIR_PS_PER_MS);
    assert_int_equal(row_of("rto_init")->fallback, 5 * WEIR_PS_PER_MS);
    assert_int_equal(row_of("rto_max")->fallback, WEIR_PS_PER_S);
    assert_int_equal(row_of("nic_queue")->fallback, WEIR_NIC_PULL);
    assert_int_equal(row_of("data_class")->fallback, 1);
    assert_int_equal(row_of("ack_class")->fallback, 0);
    assert_int_equal(row_of("reliability")->fallback, WEIR_SELECTIVE);
    assert_int_equal(row_of("ecn")->fallback, WEIR_ECN_RFC8257);
    assert_int_equal(row_of("handshake")->fallback, 0);
    assert_int_equal(row_of("mark")->fallback, 0);
    assert_int_equal(row_of("nack_interval")->fallback, 500 * WEIR_PS_PER_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_hint_and_a_default_in_range),
        cmocka_unit_test(defaults_are_the_documented_ones),
    };
    return cmocka_run_group_tests_name("host/params", tests, NULL, NULL);
}
