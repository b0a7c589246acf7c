/* test/unit/proto/test_limits_delay.c - the decisions of Soze, Swift and TIMELY at their limits. */
#include "test/unit/limit_bench.h"
#include "proto/soze/soze_core.h"
#include "proto/swift/swift_core.h"
#include "proto/timely/timely_core.h"

#define Q32(whole) ((int64_t)(whole) << 32)
#define ONE_Q28 (UINT64_C(1) << 28)

/* --- Soze --- */

static uint64_t soze_most(int at)
{
    return (uint64_t)weir_soze_within(10 + at, 10);
}

static uint64_t soze_least(int at) /* 100 more */
{
    return (uint64_t)(100 + weir_soze_within(-10 + at, 10));
}

/* The age of the error, 100 before, after an ACK of a whole window. */
static uint64_t soze_age(int mean_q24, int error_q24)
{
    struct weir_soze f = { .mean_q24 = mean_q24, .age_q20 = 100 };
    weir_soze_grow_older(&f, INT64_C(256) * error_q24, 1u << 20);
    return f.age_q20;
}

static uint64_t soze_was_low(int at)
{
    return soze_age(at, 5);
}

static uint64_t soze_is_low(int at)
{
    return soze_age(5, at);
}

static uint64_t soze_held_step(int at)
{
    const struct weir_soze_config cfg = { 0 };
    const struct weir_soze f = { .full_rtt_ps = 1000000 };
    return (uint64_t)weir_soze_held_step_q32(&f, &cfg, 1000, limit_off(1000000, at));
}

static uint64_t soze_large_ack(int at) /* of a window of 2^30 B */
{
    return weir_soze_share_q20(UINT64_C(1) << 46, (uint32_t)((1 << 28) + at));
}

static uint64_t soze_one_packet(int at) /* small windows are paced, and a packet larger */
{
    const struct weir_soze_config cfg = { .large_pkts = 4, .pace_ppm = 1000000 };
    struct weir_soze f = { .mss_bytes = 1000, .wire_bytes = 1080, .window_q16 = limit_off(1000, at) << 16 };
    weir_soze_answer(&f, &cfg, 1000000);
    return f.cc.cwnd_bytes;
}

/* The logarithm of the window after a step, which is not below floor. */
static uint64_t soze_moved(int64_t from_q32, int64_t step_q32, int64_t floor_q32)
{
    struct weir_soze f = { .window_q32 = (uint64_t)from_q32, .floor_q32 = floor_q32 };
    weir_soze_move(&f, step_q32, 0);
    return f.window_q32;
}

static uint64_t soze_floor(int at)
{
    return soze_moved(Q32(5), at, Q32(5)) - (uint64_t)Q32(5);
}

static uint64_t soze_window_of_nothing(int at)
{
    return soze_moved(0, at, -Q32(5));
}

static uint64_t soze_cap(int at) /* 1000 B in a round trip of 1000 ps, and a packet of 500 B */
{
    const struct weir_soze_config cfg = { 0 };
    struct weir_soze f = { .line_bps = 8 * WEIR_PS_PER_S, .base_rtt_ps = 1000, .mss_bytes = 500 };
    f.window_q16 = limit_off((UINT64_C(1500) << 16), at);
    weir_soze_cap(&f, &cfg, 0, 1000);
    return f.window_q16 - (UINT64_C(1500) << 16) + 1;
}

static uint64_t soze_is_due(int at)
{
    const struct weir_soze_config cfg = { .update = WEIR_SOZE_PER_RTT };
    struct weir_soze f = { .updated_ps = NOW };
    return weir_soze_due(&f, &cfg, NOW + limit_off(500, at), 500);
}

static uint64_t soze_first_jump(int at) /* from one packet down: not at all */
{
    const struct weir_soze f = { .mss_bytes = 1024, .window_q32 = (uint64_t)Q32(26) };
    return (uint64_t)weir_soze_jump_q32(&f, at);
}

static uint64_t soze_reweighed_to_nothing(int at)
{
    const struct weir_soze_config cfg = { .reweigh = WEIR_SOZE_REWEIGH_SCALE };
    struct weir_soze f = { .window_q32 = 5, .updated_ps = 1, .full_q32 = 5 - at };
    weir_soze_reweigh(&f, &cfg, 1u << 20);
    return f.window_q32;
}

/* --- Swift --- */

static uint64_t swift_rounds_to_fs_max(int at) /* 1 / sqrt(1 packet) is 2^26 */
{
    const struct weir_swift_config cfg = { .fs_max_ppm = 100000000, .fs_min_ppm = 1000 };
    const struct weir_swift s = { .a_ps = UINT64_C(1) << 26, .fs_q26 = (uint32_t)((1 << 26) - at), .range_ps = 1 };
    return weir_swift_scaling_ps(&s, &cfg, ONE_Q28);
}

static uint64_t swift_more_below_a_packet(int at)
{
    return weir_swift_more_q28(limit_off(ONE_Q28, at), 1000000, 1);
}

static uint64_t swift_may_cut(int at)
{
    const struct weir_swift_window w = { .cut_ps = NOW };
    return weir_swift_may_cut(&w, NOW + limit_off(500, at), 500);
}

static uint64_t swift_notes_a_cut(int at)
{
    const struct weir_swift_config cfg = { .max_cwnd_pkts = 9, .hold = WEIR_SWIFT_HOLD_DECREASE };
    struct weir_swift_window w = { .cwnd_q28 = ONE_Q28, .cut_ps = 1 };
    weir_swift_set(&w, &cfg, limit_off(ONE_Q28, at), NOW);
    return w.cut_ps;
}

static uint64_t swift_target(int at) /* 1001 packets: less one of 1001 by a delay of 1001 ps, or more a 1001st of one */
{
    const struct weir_swift_config cfg = {
        .max_cwnd_pkts = 2000, .ai_ppm = 1000000, .beta_ppm = 1000000, .max_mdf_ppm = 500000
    };
    const struct weir_swift_step step = {
        .now_ps = NOW, .delay_ps = limit_off(1000, at), .target_ps = 1000, .pkts = 1
    };
    struct weir_swift_window w = { .cwnd_q28 = 1001 * ONE_Q28 };
    weir_swift_adjust(&w, &cfg, &step);
    return w.cwnd_q28;
}

static uint64_t swift_pace(int at) /* a window below one packet is paced: one of 5 Tbit ps per 1 us */
{
    const struct weir_swift_config cfg = { .max_mdf_ppm = 999000 };
    struct weir_swift s = { .mss_bytes = 1000, .rtt_ps = 1000000, .line_bps = 9000000, .pkt_bits_ps = 5000000000000 };
    s.fabric.cwnd_q28 = limit_off(ONE_Q28, at);
    weir_swift_answer(&s, &cfg);
    return s.cc.rate_bps;
}

/* --- TIMELY --- */

#define LOW UINT64_C(50000)
#define HIGH UINT64_C(90000)
static const struct weir_timely_config timely = { .min_rtt_ps = 400,
                                                  .t_low_ps = LOW,
                                                  .t_high_ps = HIGH,
                                                  .min_rate_bps = 1,
                                                  .a_ppm = 1000000,
                                                  .b_ppm = 1000000,
                                                  .hai_count = 3,
                                                  .hai_factor = 5 };

static struct weir_timely timely_flow(uint64_t prev_rtt_ps, uint32_t count)
{
    return (struct weir_timely){
        .r_bps = 1000000, .line_bps = 9000000, .delta_bps = 10, .prev_rtt_ps = prev_rtt_ps, .count = count
    };
}

static uint64_t timely_gradient(int at) /* 1 of 400 ps */
{
    const struct weir_timely_step s = { .delta_bps = 10, .b_ppm = 1000000 };
    struct weir_timely t = timely_flow(0, 0);
    t.diff_ps = at;
    return weir_timely_band(&t, &timely, &s, false);
}

static uint64_t timely_weight_of_none(int at)
{
    return weir_timely_weight_ppm(-100 + at, 400);
}

static uint64_t timely_weight_of_all(int at)
{
    return weir_timely_weight_ppm(100 + at, 400);
}

static uint64_t timely_counts_to_3(int at)
{
    struct weir_timely t = timely_flow(0, (uint32_t)(3 + at));
    weir_timely_count(&t, &timely, true);
    return t.count;
}

/* The count, 0 before, after a sample that follows another. */
static uint64_t timely_paper(uint64_t prev_rtt_ps, uint64_t rtt_ps)
{
    struct weir_timely t = timely_flow(prev_rtt_ps, 0);
    weir_timely_paper(&t, &timely, rtt_ps);
    return t.count;
}

static uint64_t timely_paper_low(int at)
{
    return timely_paper(HIGH, limit_off(LOW, at));
}

static uint64_t timely_paper_high(int at)
{
    return timely_paper(2 * HIGH, limit_off(HIGH, at));
}

static uint64_t timely_paper_falls(int at)
{
    return timely_paper(LOW + 10, LOW + limit_off(10, at));
}

static uint64_t timely_paper_hai(int at) /* the rate: one step of 10, or five, when 2, 3 and 4 fell in a row */
{
    struct weir_timely t = timely_flow(HIGH, at > 0 ? 4 : (uint32_t)(2 + at));
    weir_timely_paper(&t, &timely, LOW);
    return t.r_bps;
}

/* As weir_timely_paper(): the rate and the count after a sample of HPCC's variant. */
static struct weir_timely timely_hpcc(uint64_t prev_rtt_ps, uint64_t rtt_ps, uint32_t count)
{
    const struct weir_ack ack = { .acked_seq = 1, .next_seq = 9 };
    struct weir_timely t = timely_flow(prev_rtt_ps, count);
    weir_timely_hpcc(&t, &timely, &ack, rtt_ps);
    return t;
}

static uint64_t timely_hpcc_low(int at)
{
    return timely_hpcc(1, limit_off(LOW, at), 0).count;
}

static uint64_t timely_hpcc_high(int at)
{
    return timely_hpcc(2 * HIGH, limit_off(HIGH, at), 0).count;
}

static uint64_t timely_hpcc_falls(int at)
{
    return timely_hpcc(LOW + 10, LOW + limit_off(10, at), 0).count;
}

static uint64_t timely_hpcc_hai(int at)
{
    return timely_hpcc(HIGH, 1000, (uint32_t)(3 + at)).r_bps;
}

static uint64_t timely_erpc_falls(int at)
{
    const struct weir_ack ack = { .now_ps = NOW };
    struct weir_timely t = timely_flow(LOW, 0);
    weir_timely_erpc(&t, &timely, &ack, limit_off(LOW, at));
    return t.count;
}

static uint64_t timely_erpc_hai(int at)
{
    const struct weir_ack ack = { .now_ps = NOW };
    struct weir_timely t = timely_flow(HIGH, at > 0 ? 4 : (uint32_t)(2 + at));
    t.diff_ps = -1;
    weir_timely_erpc(&t, &timely, &ack, LOW);
    return t.r_bps;
}

static const struct limit_row rows[] = {
    LIMIT(soze_most, 9, 10, 10),
    LIMIT(soze_least, 90, 90, 91),
    LIMIT(soze_was_low, 0, 0, 100 + (1 << 20)),
    LIMIT(soze_is_low, 0, 0, 100 + (1 << 20)),
    LIMIT(soze_held_step, 1000, 1000, 999),
    LIMIT(soze_large_ack, (1 << 18) - 1, 1 << 18, 1 << 18),
    LIMIT(soze_one_packet, 1000, 2000, 2001),
    LIMIT(soze_floor, 0, 0, 1),
    LIMIT(soze_window_of_nothing, 0, 0, 1),
    LIMIT(soze_cap, 0, 1, 1),
    LIMIT(soze_is_due, 0, 0, 1),
    LIMIT(soze_first_jump, 0, 0, 1),
    LIMIT(soze_reweighed_to_nothing, 0, 0, 1),
    LIMIT(swift_rounds_to_fs_max, 0, 0, 1),
    LIMIT(swift_more_below_a_packet, 1 << 28, 1 << 28, (1 << 28) - 1),
    LIMIT(swift_may_cut, 0, 1, 1),
    LIMIT(swift_notes_a_cut, NOW, 1, 1),
    LIMIT(swift_target, 1001 * ONE_Q28 + 268167, 1001 * ONE_Q28, 1000 * ONE_Q28),
    LIMIT(swift_pace, 5000000, 9000000, 9000000),
    LIMIT(timely_gradient, 1000010, 1000010, 997500),
    LIMIT(timely_weight_of_none, 0, 0, 5000),
    LIMIT(timely_weight_of_all, 995000, 1000000, 1000000),
    LIMIT(timely_counts_to_3, 3, 3, 4),
    LIMIT(timely_paper_low, 0, 1, 1),
    LIMIT(timely_paper_high, 1, 1, 0),
    LIMIT(timely_paper_falls, 1, 1, 0),
    LIMIT(timely_paper_hai, 1000010, 1000050, 1000050),
    LIMIT(timely_hpcc_low, 1, 0, 0),
    LIMIT(timely_hpcc_high, 1, 1, 0),
    LIMIT(timely_hpcc_falls, 1, 1, 0),
    LIMIT(timely_hpcc_hai, 1000010, 1000050, 1000050),
    LIMIT(timely_erpc_falls, 1, 0, 0),
    LIMIT(timely_erpc_hai, 1000010, 1000050, 1000050),
};

static void answers_change_at_the_limit(void **state)
{
    (void)state;
    limit_rows_hold(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_change_at_the_limit) };
    return cmocka_run_group_tests_name("proto/limits_delay", tests, NULL, NULL);
}
