/* test/unit/features/test_ecn.c - the ramp, thresholds for ports of other rates, and what a port's hook answers. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "features/ecn/ecn.h"

#define GBPS UINT64_C(1000000000)

static void thresholds_grow_with_the_rate_of_the_port(void **state)
{
    struct weir_ecn_ramp cfg = { .kmin_bytes = 100001, .kmax_bytes = 400000, .pmax_ppb = 200000000 }, at;
    (void)state;
    at = weir_ecn_scaled(&cfg, 400 * GBPS, 100 * GBPS);
    assert_int_equal(at.kmin_bytes, 400004);
    assert_int_equal(at.kmax_bytes, 1600000);
    assert_int_equal(at.pmax_ppb, 200000000);
    at = weir_ecn_scaled(&cfg, 10 * GBPS, 25 * GBPS);
    assert_int_equal(at.kmin_bytes, 40000); /* of 40000.4 */
    assert_int_equal(at.kmax_bytes, 160000);
    at = weir_ecn_scaled(&cfg, 400 * GBPS, 0);
    assert_int_equal(at.kmin_bytes, 100001);
    cfg.kmin_bytes = cfg.kmax_bytes = UINT64_MAX; /* marking is off, and stays so */
    at = weir_ecn_scaled(&cfg, 10 * GBPS, 25 * GBPS);
    assert_int_equal(at.kmin_bytes, UINT64_MAX);
    assert_false(weir_ecn_marks(&at, UINT64_C(1) << 40, 0));
}

/* DCQCN: nothing below Kmin, from there in proportion to Pmax just below Kmax, everything from Kmax on. */
static void the_ramp_marks_in_proportion(void **state)
{
    const struct weir_ecn_ramp cfg = { .kmin_bytes = 100000, .kmax_bytes = 200000, .pmax_ppb = 200000000 };
    const struct {
        uint64_t queue_bytes;
        double share;
    } row[] = { { 99999, 0 },    { 100000, 0 },        { 100500, 0.001 }, { 125000, 0.05 },
                { 150000, 0.1 }, { 199999, 0.199998 }, { 200000, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t edge = (uint64_t)(row[i].share * 4294967296.0), below = edge > 8 ? edge - 8 : 0;
        if (row[i].share > 0)
            assert_true(weir_ecn_marks(&cfg, row[i].queue_bytes, below << 32));
        if (row[i].share < 1)
            assert_false(weir_ecn_marks(&cfg, row[i].queue_bytes, (edge + 8) << 32));
    }
}

static const struct weir_fabric_port leaf = { .rate_bps = 100 * GBPS, .link = 7, .seed = 1, .has_queue = true };

/* The feature at one port, by its row. */
static uint32_t joins(const struct weir_ecn_model *model, uint8_t flags, uint64_t queue_bytes, uint64_t offered)
{
    struct weir_ecn_port state;
    const struct weir_here here = { .model = model, .port = &state };
    const struct weir_pkt pkt = { .flags = flags };
    assert_true(weir_ecn_feature.port_init(&here, &leaf));
    return weir_ecn_feature.on_join(&here,
                                    &(struct weir_join){ .pkt = &pkt, .queue_bytes = queue_bytes, .offered = offered });
}

static void the_queue_a_packet_finds_decides_its_mark(void **state)
{
    const struct weir_ecn_model m = { .ramp = { .kmin_bytes = 5000, .kmax_bytes = 5000 } };
    (void)state;
    assert_int_equal(joins(&m, WEIR_PKT_ECT, 4999, 0), 0);
    assert_int_equal(joins(&m, WEIR_PKT_ECT, 5000, 0), WEIR_MARK | WEIR_RULE(0));
    assert_int_equal(joins(&m, 0, 5000, 0), 0); /* an ACK has no ECT: never marked */
}

static void a_ramp_draws_by_link_and_count_of_packets_offered(void **state)
{
    const struct weir_ecn_model m = { .ramp = { .kmin_bytes = 0, .kmax_bytes = 10000, .pmax_ppb = 1000000000 } };
    uint64_t key = weir_rng_key(1, 7, WEIR_RNG_LINK_MARK, 0);
    (void)state;
    for (uint64_t n = 0; n < 100; n++)
        assert_int_equal(joins(&m, WEIR_PKT_ECT, 5000, n),
                         weir_ecn_marks(&m.ramp, 5000, weir_rng_at(key, n)) ? WEIR_MARK | WEIR_RULE(1) : 0);
}

static void ports_without_a_queue_or_outside_the_core_do_not_mark(void **state)
{
    const struct weir_ecn_model all = { .where = WEIR_ECN_ALL }, core = { .where = WEIR_ECN_CORE };
    struct weir_fabric_port port = leaf;
    struct weir_ecn_port p;
    (void)state;
    assert_true(weir_ecn_feature.port_init(&(struct weir_here){ .model = &core, .port = &p }, &port));
    port.to_host = true;
    assert_false(weir_ecn_feature.port_init(&(struct weir_here){ .model = &core, .port = &p }, &port));
    assert_true(weir_ecn_feature.port_init(&(struct weir_here){ .model = &all, .port = &p }, &port));
    port.has_queue = false;
    assert_false(weir_ecn_feature.port_init(&(struct weir_here){ .model = &all, .port = &p }, &port));
}

static void a_ramp_of_no_width_is_a_threshold(void **state)
{
    struct weir_ecn_port p = { .ramp = { .kmin_bytes = 7000, .kmax_bytes = 7000 } };
    uint64_t bytes = 0;
    (void)state;
    assert_true(weir_ecn_feature.join_threshold(&(struct weir_here){ .port = &p }, &bytes));
    assert_int_equal(bytes, 7000);
    p.ramp.kmax_bytes++;
    assert_false(weir_ecn_feature.join_threshold(&(struct weir_here){ .port = &p }, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(thresholds_grow_with_the_rate_of_the_port),
                                        cmocka_unit_test(the_ramp_marks_in_proportion),
                                        cmocka_unit_test(the_queue_a_packet_finds_decides_its_mark),
                                        cmocka_unit_test(a_ramp_draws_by_link_and_count_of_packets_offered),
                                        cmocka_unit_test(ports_without_a_queue_or_outside_the_core_do_not_mark),
                                        cmocka_unit_test(a_ramp_of_no_width_is_a_threshold) };
    return cmocka_run_group_tests_name("features/ecn", tests, NULL, NULL);
}
