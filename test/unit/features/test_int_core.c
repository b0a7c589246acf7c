/* test/unit/features/test_int_core.c - what a port remembers of itself, live and at a period, and how its records are
 * rounded. */
#include "test/unit/weir_test.h"
#include "features/int/int_core.h"

static const struct weir_telemetry_rates rates = { .bps = { 25000000000, 100000000000, 400000000000 }, .count = 3 };
static struct weir_int_model model;
static struct weir_int_port port;
static uint64_t waiting_bytes;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_int_model){ .rates = rates, .into_acks = true, .multi = 4 };
    port = (struct weir_int_port){ .rate_id = 1 };
    waiting_bytes = 0;
    return 0;
}

static void join(uint64_t now_ps, uint32_t bytes)
{
    weir_int_refresh(&port, model.period_ps, now_ps, waiting_bytes);
    waiting_bytes += bytes;
}

static void leave(uint64_t now_ps, uint32_t bytes)
{
    weir_int_refresh(&port, model.period_ps, now_ps, waiting_bytes);
    waiting_bytes -= bytes;
}

static void expect(uint64_t now_ps, uint64_t ts_ps, uint64_t tx_bytes, uint32_t queue_bytes)
{
    struct weir_telemetry t = model.period_ps > 0 ? weir_int_table_record(&model, &port, now_ps, waiting_bytes)
                                                  : weir_int_record(&model, &port, now_ps, waiting_bytes);
    struct weir_int_hop hop = weir_telemetry_unpack(&t, &rates);
    assert_int_equal(hop.ts_ps, ts_ps);
    assert_int_equal(hop.tx_bytes, tx_bytes);
    assert_int_equal(hop.queue_bytes, queue_bytes);
    assert_int_equal(hop.rate_bps, UINT64_C(100000000000));
}

static void rate_codes_are_found_by_value(void **state)
{
    (void)state;
    assert_int_equal(weir_int_rate_id(&rates, UINT64_C(25000000000)), 0);
    assert_int_equal(weir_int_rate_id(&rates, UINT64_C(400000000000)), 2);
    assert_int_equal(weir_int_rate_id(&rates, UINT64_C(200000000000)), 3);
}

static void a_record_counts_the_sent_part_of_a_packet_in_transmission(void **state)
{
    (void)state;
    join(100, 1538);
    join(200, 84);
    expect(200, 200, 0, 1622);
    leave(300, 1538);
    expect(300, 300, 0, 84);
    weir_int_sent(&port, 300, 1538, 1000);
    expect(300, 300, 0, 84);
    expect(800, 800, 769, 84); /* half of it */
    expect(801, 801, 771, 84); /* 499 * 1538 / 1000 = 767.46 are not */
    expect(1300, 1300, 1538, 84);
}

static void a_table_holds_values_before_any_event_of_its_period(void **state)
{
    (void)state;
    model.period_ps = 1000;
    join(999, 10);
    expect(999, 0, 0, 0);
    join(1000, 20); /* at the multiple itself: not in the table */
    expect(1000, 1000, 0, 10);
    leave(1500, 10);
    weir_int_sent(&port, 1500, 10, 100);
    expect(1999, 1000, 0, 10);
    expect(2000, 2000, 10, 20);
    leave(2900, 20);
    weir_int_sent(&port, 2900, 20, 200);
    expect(3050, 3000, 20, 0); /* half of it had gone at 3000 */
    expect(7700, 7000, 30, 0); /* nothing changed since: as good as new */
    join(9001, 5);
    expect(9001, 9000, 30, 0);
}

static void quantised_values_are_whole_units_that_wrap(void **state)
{
    static const struct {
        uint64_t at_ps, tx, queue, ts_is, tx_is;
        uint32_t queue_is;
    } rows[] = {
        { 999, 511, 319, 0, 0, 0 },
        { 1000, 512, 320, 1000, 512, 320 },
        { 123456789, 1538, 1538, 123456000, 1536, 1280 },
        { (UINT64_C(1000) << 24) - 1, (UINT64_C(512) << 20) - 1, UINT64_C(320) * 65535, 16777215000, 536870400,
          20971200 },
        { UINT64_C(1000) << 24, UINT64_C(512) << 20, UINT64_C(320) * 65536, 0, 0, 20971200 },
    };
    (void)state;
    model.quantised = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        port.sent_bytes = rows[i].tx;
        waiting_bytes = rows[i].queue;
        expect(rows[i].at_ps, rows[i].ts_is, rows[i].tx_is, rows[i].queue_is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rate_codes_are_found_by_value, setup),
        cmocka_unit_test_setup(a_record_counts_the_sent_part_of_a_packet_in_transmission, setup),
        cmocka_unit_test_setup(a_table_holds_values_before_any_event_of_its_period, setup),
        cmocka_unit_test_setup(quantised_values_are_whole_units_that_wrap, setup),
    };
    return cmocka_run_group_tests_name("features/int_core", tests, NULL, NULL);
}
