/* test/unit/features/test_rcp.c - the rate of a port by exact numbers, and step responses in a port of fluid. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "features/rcp/rcp_core.h"

#define US WEIR_PS_PER_US
#define GBPS UINT64_C(1000000000)
#define TARGET (95 * GBPS / 10)
#define FULL UINT64_C(11875) /* bytes that gamma C = 9.5 Gb/s sends in 10 us */

static struct weir_rcp_port_model model;
static struct weir_rcp_port port;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_rcp_port_model){ .period_ps = 10 * US,
                                          .base_rtt_ps = 10 * US,
                                          .unit_ps = 312500,
                                          .alpha_ppm = 100000,
                                          .beta_ppm = 1000000,
                                          .gamma_ppm = 950000,
                                          .floor_ppm = 10000,
                                          .init_ppm = 1000000 };
    weir_rcp_begin(&model, &port, 10 * GBPS);
    return 0;
}

/* R after a step from rate_bps. */
static uint64_t step(uint64_t rate_bps, uint64_t bytes, uint64_t waiting_bytes)
{
    port.rate_bps = rate_bps;
    port.bytes = bytes;
    weir_rcp_step(&model, &port, waiting_bytes);
    assert_int_equal(port.stamp, weir_rcp_stamp(port.rate_bps));
    return port.rate_bps;
}

/* --- the rate --- */

static void the_first_rate_is_a_share_of_the_link_within_the_limits(void **state)
{
    (void)state;
    assert_int_equal(port.rate_bps, TARGET); /* the whole link is above gamma C */
    assert_int_equal(port.target_bps, TARGET);
    model.init_ppm = 50000;
    weir_rcp_begin(&model, &port, 10 * GBPS);
    assert_int_equal(port.rate_bps, GBPS / 2);
    assert_int_equal(port.stamp, weir_rcp_stamp(GBPS / 2));
    model.init_ppm = 1;
    model.floor_ppm = 1000000; /* one packet per 10 us */
    weir_rcp_begin(&model, &port, 10 * GBPS);
    assert_int_equal(port.rate_bps, 800000000);
}

static void a_port_that_is_full_and_has_no_queue_keeps_its_rate(void **state)
{
    (void)state;
    assert_int_equal(step(TARGET, FULL, 0), TARGET);
    assert_int_equal(step(TARGET / 2, FULL, 0), TARGET / 2);
}

/* alpha = 0.1 as 1677721 / 2^24: 10^9 * 1677721 >> 24. */
static void spare_capacity_raises_it_by_alpha(void **state)
{
    (void)state;
    assert_int_equal(step(GBPS, 0, 0), GBPS + 99999964);
    assert_int_equal(step(GBPS, 2 * FULL / 5, 0), GBPS + 60000002); /* y = 0.4: 1006633 / 2^24 */
    assert_int_equal(step(9 * GBPS, 0, 0), TARGET);                 /* no higher than gamma C */
}

static void excess_and_queue_lower_it(void **state)
{
    (void)state;
    assert_int_equal(step(GBPS, 2 * FULL, 0), GBPS - 99999964);
    assert_int_equal(step(GBPS, FULL, 2375), GBPS - 199999988);     /* q is 0.2 of gamma C d0: 3355443 of 2^24 */
    assert_int_equal(step(GBPS, 2 * FULL, 2375), GBPS - 299999952); /* 0.3: 5033164.6, rounded towards 0 */
}

/* A second flow at the whole rate: y = 2 gamma C, and after a step gamma C T waits: 1 - 0.1 - 1.0 is below 0. */
static void the_first_step_after_a_join_ends_at_the_floor(void **state)
{
    (void)state;
    assert_int_equal(step(TARGET, 2 * FULL, FULL), 8000000); /* 0.01 packets of 8000 bits in 10 us */
    model.floor_ppm = 100000;
    assert_int_equal(step(TARGET, 2 * FULL, FULL), 80000000);
    model.floor_ppm = 0;
    assert_int_equal(step(TARGET, 2 * FULL, FULL), WEIR_RCP_RATE_MIN_BPS);
    model.floor_ppm = 100000000;
    assert_int_equal(step(TARGET, 2 * FULL, FULL), TARGET); /* a floor above gamma C */
    model.floor_ppm = 10000;
    model.alpha_ppm = model.beta_ppm = 400000; /* 1 - 0.4 - 0.4: 13421772 / 2^24 less, two products rounded once */
    assert_int_equal(step(TARGET, 2 * FULL, FULL), TARGET - 7599999547);
}

/* T / d0 scales the step, and the queue counts over d0. */
static void a_shorter_period_takes_smaller_steps(void **state)
{
    (void)state;
    port.d0_ps = 20 * US;
    assert_int_equal(step(GBPS, 0, 0), GBPS + 49999952);        /* 838860 */
    assert_int_equal(step(GBPS, FULL, 2375), GBPS - 49999952);  /* a tenth of gamma C d0, times T / d0 */
    assert_int_equal(step(GBPS, 2 * FULL, 0), GBPS - 49999952); /* y is over T, whatever d0 is */
}

static void any_load_and_queue_leave_it_within_its_limits(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    model.alpha_ppm = model.beta_ppm = 2000000;
    for (int i = 0; i < 100000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        port.rtt_bytes = 1 + (x & 0xffff);
        port.rtt_products = port.rtt_bytes * (1 + (x >> 20) % WEIR_RCP_RTT_UNITS_MAX);
        (void)step(port.rate_bps, x >> (17 + (x & 31)), x >> (19 + (x >> 8 & 31)));
        assert_in_range(port.rate_bps, weir_rcp_floor_bps(&model, &port), TARGET);
        assert_in_range(port.d0_ps, model.unit_ps, WEIR_RCP_RTT_UNITS_MAX * model.unit_ps);
    }
    assert_int_equal(weir_rcp_ratio_q24(UINT64_C(1) << 46, 1, 1000000), WEIR_RCP_RATIO_MAX_Q24);
}

/* --- the average round trip --- */

/* d0 after a step in which DATA with this round trip came. */
static uint64_t average(uint64_t units)
{
    port.rtt_bytes = 1000;
    port.rtt_products = 1000 * units;
    (void)step(port.rate_bps, FULL, 0);
    return port.d0_ps;
}

static void a_longer_round_trip_counts_by_the_period(void **state)
{
    (void)state;
    assert_int_equal(average(48), 15 * US); /* T = d0: at once */
    weir_rcp_begin(&model, &port, 10 * GBPS);
    model.period_ps = 5 * US;
    assert_int_equal(average(48), 12500000); /* half of the way */
    assert_int_equal(average(40), 12500000); /* the same */
}

/* gain (R / C) (rtt / d0) (T / d0). */
static void a_shorter_round_trip_counts_for_less(void **state)
{
    (void)state;
    port.rate_bps = 5 * GBPS;
    assert_int_equal(average(16), 10 * US - 1250000); /* 5 us less, * 1/2 * 1/2 * 1 */
    weir_rcp_begin(&model, &port, 10 * GBPS);
    model.period_ps = 5 * US;
    port.rate_bps = 5 * GBPS;
    assert_int_equal(average(16), 10 * US - 625000);
}

/* d0 fell below T: a step of the average never goes beyond the sample. */
static void the_average_does_not_overshoot(void **state)
{
    (void)state;
    port.d0_ps = 5 * US;
    assert_int_equal(average(32), 10 * US);
    port.d0_ps = 5 * US;
    port.rate_bps = TARGET;
    assert_int_equal(average(15), 4687500); /* 0.95 * 15/16 * 2 of the difference is more than it */
}

static void without_samples_the_average_stays(void **state)
{
    (void)state;
    port.d0_ps = 7 * US;
    (void)step(GBPS, 0, 0);
    assert_int_equal(port.d0_ps, 7 * US);
}

/* --- packets --- */

static void join(uint64_t now_ps, enum weir_pkt_kind kind, uint32_t bytes, uint8_t rtt)
{
    const struct weir_pkt pkt = { .kind = kind, .wire_bytes = WEIR_PKT_BYTES(bytes), .rtt = rtt };
    weir_rcp_join(&model, &port, now_ps, &pkt);
}

static void round_trips_of_data_count_by_bytes(void **state)
{
    (void)state;
    join(1 * US, WEIR_PKT_DATA, 1500, weir_rcp_rtt_code(10 * US, model.unit_ps));
    join(2 * US, WEIR_PKT_DATA, 500, weir_rcp_rtt_code(20 * US, model.unit_ps));
    join(3 * US, WEIR_PKT_DATA, 900, 0); /* its sender knows none yet */
    join(3 * US, WEIR_PKT_ACK, 84, 77);  /* the byte of an ACK is none */
    assert_int_equal(port.bytes, 2984);
    assert_int_equal(port.rtt_bytes, 2000);
    assert_int_equal(port.rtt_products, 1500 * 32 + 500 * 64);
    weir_rcp_step(&model, &port, 0);
    assert_int_equal(port.d0_ps, 12500000); /* the mean of 40 units */
    assert_int_equal(port.bytes + port.bytes_later + port.rtt_bytes + port.rtt_products, 0);
}

/* 800 ns before a step 1000 B fit on the link; at a multiple of T the step is still to come. */
static void a_packet_counts_over_the_time_it_takes(void **state)
{
    (void)state;
    join(39200000, WEIR_PKT_DATA, 1538, 0);
    assert_int_equal(port.bytes, 1000);
    assert_int_equal(port.bytes_later, 538);
    join(40 * US, WEIR_PKT_DATA, 1538, 0);
    assert_int_equal(port.bytes, 1000);
    assert_int_equal(port.bytes_later, 538 + 1538);
    weir_rcp_step(&model, &port, 0);
    assert_int_equal(port.bytes, 2076);
    assert_int_equal(port.bytes_later, 0);
    join(40 * US + 1, WEIR_PKT_DATA, 1538, 0);
    assert_int_equal(port.bytes, 2076 + 1538);
}

static void data_leaves_with_the_least_rate_of_its_ports(void **state)
{
    struct weir_pkt data = { .kind = WEIR_PKT_DATA, .sent_ps = (UINT64_C(1) << 48) - 5 };
    struct weir_pkt ack = { .kind = WEIR_PKT_ACK };
    (void)state;
    weir_rcp_lower(&port, &data);
    assert_int_equal(data.qdelay, weir_rcp_stamp(TARGET));
    (void)step(GBPS, FULL, 0);
    weir_rcp_lower(&port, &data);
    assert_int_equal(data.qdelay, weir_rcp_stamp(GBPS));
    (void)step(2 * GBPS, FULL, 0);
    weir_rcp_lower(&port, &data);
    assert_int_equal(data.qdelay, weir_rcp_stamp(GBPS)); /* an earlier port has less */
    assert_int_equal(data.sent48_ps, (UINT64_C(1) << 48) - 5);
    weir_rcp_lower(&port, &ack);
    assert_int_equal(ack.qdelay, 0);
}

/* --- set-up --- */

static void set_up_is_for_rcp_alone_and_its_period_at_most_a_round_trip(void **state)
{
    struct weir_rcp_port_config cfg = { .alpha_ppm = 1, .beta_ppm = 2, .gamma_ppm = 3, .floor_ppm = 4, .init_ppm = 5 };
    struct weir_fabric_env env = { .base_rtt_ps = 10 * US };
    struct weir_feature_plan plan = { 0 };
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_rcp_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_false(plan.on);
    env.needs = WEIR_NEED_RCP;
    assert_int_equal(weir_rcp_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_true(plan.on && plan.late_start);
    assert_int_equal(plan.offers, WEIR_NEED_RCP);
    assert_int_equal(plan.period_ps, 10 * US);
    assert_int_equal(plan.qdelay_unit_ps, 1);
    assert_int_equal(plan.rtt_unit_ps, 312500);
    assert_int_equal(model.alpha_ppm, 1);
    assert_int_equal(model.beta_ppm, 2);
    assert_int_equal(model.gamma_ppm, 3);
    assert_int_equal(model.floor_ppm, 4);
    assert_int_equal(model.init_ppm, 5);
    assert_int_equal(model.base_rtt_ps, 10 * US);
    cfg.period_ps = 10 * US;
    assert_int_equal(weir_rcp_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    cfg.period_ps++;
    assert_int_equal(weir_rcp_feature.setup(&cfg, &env, &model, &plan, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "period");
    cfg.mode = WEIR_RCP_OFF;
    plan = (struct weir_feature_plan){ 0 };
    assert_int_equal(weir_rcp_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_false(plan.on);
}

static void a_port_of_a_switch_that_breaks_a_rule_is_found(void **state)
{
    const struct weir_here here = { .model = &model, .port = &port, .ports = &port };
    (void)state;
    assert_false(weir_rcp_feature.port_init(&here, &(struct weir_fabric_port){ .from_host = true }));
    assert_true(weir_rcp_feature.port_init(&here, &(struct weir_fabric_port){ .rate_bps = 10 * GBPS }));
    const struct weir_rcp_port sound = port;
    assert_null(weir_rcp_feature.broken(&here, 1));
    port.rate_bps++;
    assert_non_null(weir_rcp_feature.broken(&here, 1));
    port.rate_bps = 1000;
    assert_non_null(weir_rcp_feature.broken(&here, 1));
    port = sound;
    port.d0_ps = model.unit_ps - 1;
    assert_non_null(weir_rcp_feature.broken(&here, 1));
    port = sound;
    port.stamp++;
    assert_non_null(weir_rcp_feature.broken(&here, 1));
}

/* --- step responses --- */

enum { PARTS = 40 }; /* of d0: a step of the fluid */

struct fluid {
    double queue_bits, rate_bps[PARTS + 1]; /* of the last d0: what senders sent at then */
    uint64_t now;                           /* in parts of d0 */
};

/* A part of d0, in which so many flows send at the rate that the port had `delay` parts ago. */
static void flow(struct fluid *f, uint32_t flows, uint32_t delay)
{
    const double part_s = 10e-6 / PARTS;
    for (uint32_t i = PARTS; i > 0; i--)
        f->rate_bps[i] = f->rate_bps[i - 1];
    f->rate_bps[0] = (double)port.rate_bps;
    double in_bits = flows * f->rate_bps[delay] * part_s;
    f->queue_bits += in_bits - 10e9 * part_s;
    f->queue_bits = f->queue_bits < 0 ? 0 : f->queue_bits;
    port.bytes += (uint64_t)(in_bits / 8);
    if (++f->now % (model.period_ps * PARTS / (10 * US)) == 0)
        weir_rcp_step(&model, &port, (uint64_t)(f->queue_bits / 8));
}

/* One flow has gamma C; a second joins. @return round trips until R stays within 5 % of gamma C / 2, in tenths, rounded up */
static uint32_t settles_after(uint32_t alpha_ppm, uint32_t beta_ppm, uint32_t steps, uint32_t delay)
{
    struct fluid f = { 0 };
    uint32_t last = 0;
    (void)setup(NULL);
    model.alpha_ppm = alpha_ppm;
    model.beta_ppm = beta_ppm;
    model.period_ps = 10 * US / steps;
    for (uint32_t i = 0; i < 20 * PARTS; i++)
        flow(&f, 1, delay);
    assert_int_equal(port.rate_bps, TARGET); /* alone */
    for (uint32_t i = 1; i <= 1000 * PARTS; i++) {
        flow(&f, 2, delay);
        if (port.rate_bps < TARGET / 2 * 95 / 100 || port.rate_bps > TARGET / 2 * 105 / 100)
            last = i;
    }
    assert_true(f.queue_bits == 0);
    assert_in_range(port.rate_bps, TARGET / 2 - TARGET / 1000, TARGET / 2 + TARGET / 1000);
    return (last * 10 + PARTS - 1) / PARTS;
}

static void two_flows_come_to_half_of_gamma_c(void **state)
{
    static const struct {
        uint32_t alpha_ppm, beta_ppm, steps, delay, tenths;
    } row[] = {
        { 100000, 1000000, 1, 0, 960 },      { 100000, 1000000, 1, PARTS, 950 }, { 100000, 1000000, 10, 0, 308 },
        { 100000, 1000000, 10, PARTS, 643 }, { 400000, 400000, 1, 0, 90 },       { 400000, 400000, 1, PARTS, 260 },
        { 400000, 400000, 10, 0, 86 },       { 400000, 400000, 10, PARTS, 109 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint32_t tenths = settles_after(row[i].alpha_ppm, row[i].beta_ppm, row[i].steps, row[i].delay);
        print_message("alpha %.1f, beta %.1f, T = d0 / %u, feedback after %u RTT: %.1f RTTs\n", row[i].alpha_ppm / 1e6,
                      row[i].beta_ppm / 1e6, row[i].steps, row[i].delay / PARTS, tenths / 10.0);
        assert_in_range(tenths, row[i].tenths - 2, row[i].tenths + 2); /* doubles are not the same everywhere */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_rate_is_a_share_of_the_link_within_the_limits, setup),
        cmocka_unit_test_setup(a_port_that_is_full_and_has_no_queue_keeps_its_rate, setup),
        cmocka_unit_test_setup(spare_capacity_raises_it_by_alpha, setup),
        cmocka_unit_test_setup(excess_and_queue_lower_it, setup),
        cmocka_unit_test_setup(the_first_step_after_a_join_ends_at_the_floor, setup),
        cmocka_unit_test_setup(a_shorter_period_takes_smaller_steps, setup),
        cmocka_unit_test_setup(any_load_and_queue_leave_it_within_its_limits, setup),
        cmocka_unit_test_setup(a_longer_round_trip_counts_by_the_period, setup),
        cmocka_unit_test_setup(a_shorter_round_trip_counts_for_less, setup),
        cmocka_unit_test_setup(the_average_does_not_overshoot, setup),
        cmocka_unit_test_setup(without_samples_the_average_stays, setup),
        cmocka_unit_test_setup(round_trips_of_data_count_by_bytes, setup),
        cmocka_unit_test_setup(a_packet_counts_over_the_time_it_takes, setup),
        cmocka_unit_test_setup(data_leaves_with_the_least_rate_of_its_ports, setup),
        cmocka_unit_test_setup(set_up_is_for_rcp_alone_and_its_period_at_most_a_round_trip, setup),
        cmocka_unit_test_setup(a_port_of_a_switch_that_breaks_a_rule_is_found, setup),
        cmocka_unit_test_setup(two_flows_come_to_half_of_gamma_c, setup),
    };
    return cmocka_run_group_tests_name("features/rcp", tests, NULL, NULL);
}
