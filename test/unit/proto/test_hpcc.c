/* test/unit/proto/test_hpcc.c - drives the core with hand-made records at 100 Gb/s and T = 13 us, where a BDP is 162500 B
 * and a byte lasts 80 ps; then a small network, to see where it settles. */
#include "test/unit/proto/int_bench.h"
#include "test/unit/proto/law_bench.h"
#include "proto/hpcc/hpcc_core.h"

enum { MSS = 1000, BDP = 162500 };
#define RATE UINT64_C(100000000000)
#define T_PS UINT64_C(13000000)

static const struct weir_path path = { .base_rtt_ps = T_PS, .rate_bps = RATE, .bdp_bytes = BDP, .mss_bytes = MSS };
static struct weir_hpcc_config cfg;
static struct weir_hpcc flow;
static struct weir_ack last;
static struct weir_int_hop hop[WEIR_TELEMETRY_HOPS_MAX];

static void begin(void)
{
    assert_null(law_check(weir_hpcc_check, &cfg, &path));
    weir_hpcc_ops.init(&flow.cc, &cfg, &path);
    weir_hpcc_ops.on_start(&flow.cc, &cfg, 77000000000);
    last = (struct weir_ack){ .now_ps = 77000000000, .hop = hop, .hop_count = 1, .path_id = 5 };
    for (uint32_t i = 0; i < WEIR_TELEMETRY_HOPS_MAX; i++)
        hop[i] = (struct weir_int_hop){ .ts_ps = 1000000 * i, .tx_bytes = 5000 * i, .rate_bps = RATE };
}

static int setup(void **state)
{
    (void)state;
    law_use(weir_hpcc_params, &cfg, &weir_hpcc_presets[0]);
    begin();
    return 0;
}

static void ack(uint64_t acked_bytes)
{
    last.acked_seq += acked_bytes;
    last.acked_bytes = (uint32_t)acked_bytes;
    last.next_seq = last.acked_seq + flow.cc.cwnd_bytes; /* a sender that always has data */
    weir_hpcc_ops.on_ack(&flow.cc, &cfg, &last);
}

/* The hop's port sent tx_bytes in dt_ps and holds queue_bytes. */
static void moves(uint32_t i, uint64_t dt_ps, uint64_t tx_bytes, uint32_t queue_bytes)
{
    hop[i].ts_ps += dt_ps;
    hop[i].tx_bytes += tx_bytes;
    hop[i].queue_bytes = queue_bytes;
}

static void a_new_flow_has_a_bdp_and_the_link(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.cwnd_bytes, BDP);
    assert_int_equal(flow.cc.rate_bps, RATE);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
    assert_int_equal(flow.min_bytes, 163); /* 100 Mb/s over 13 us are 162.5 */
    ack(MSS);                              /* nothing to compare with yet */
    assert_int_equal(flow.cc.cwnd_bytes, BDP);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30);
    assert_int_equal(flow.update_seq, MSS + BDP);
    assert_int_equal(flow.hop_count, 1);
}

static void u_is_queue_and_rate_of_the_hop_smoothed_by_its_time(void **state)
{
    (void)state;
    ack(MSS);
    hop[0].queue_bytes = 40000;
    weir_hpcc_store(&flow, &last);
    flow.wc_bytes = 100000;
    moves(0, 6500000, 40625, 32500); /* half the rate for T/2; the lesser queue, 0.2 BDP */
    ack(BDP + 1);
    /* u = 0.2 + 0.5; U = 1 - (1 - 0.7) / 2 = 0.85 */
    assert_int_equal(flow.u_q30, 912680550);
    assert_int_equal(flow.wc_bytes, 100080); /* below eta: one step more */
    assert_int_equal(flow.cc.cwnd_bytes, 100080);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(61587692307)); /* W / T */
    assert_int_equal(flow.stage, 1);
    moves(0, 6500000, 40625, 50000); /* a longer queue now: the one before counts again */
    ack(MSS);
    assert_int_equal(flow.u_q30, 912680550 - (912680550 - 751619276) / 2);
}

static void above_eta_the_window_shrinks_from_the_reference(void **state)
{
    (void)state;
    ack(MSS);
    hop[0].queue_bytes = 90000;
    weir_hpcc_store(&flow, &last);
    moves(0, 2 * T_PS, 2 * BDP, 81250); /* full rate for 2 T, which counts as T; half a BDP waits */
    ack(BDP + 1);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30 / 2 * 3);
    assert_int_equal(flow.cc.cwnd_bytes, 102996); /* 162500 * 0.95 / 1.5 + 80 */
    assert_int_equal(flow.wc_bytes, 102996);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(63382153846));
    assert_int_equal(flow.stage, 0);
    for (int i = 0; i < 3; i++) { /* the same round trip: fast reactions do not add up */
        moves(0, 2 * T_PS, 2 * BDP, 81250);
        ack(MSS);
        assert_int_equal(flow.cc.cwnd_bytes, 65310); /* 102996 * 0.95 / 1.5 + 80 */
        assert_int_equal(flow.wc_bytes, 102996);
    }
    moves(0, 2 * T_PS, BDP, 0); /* it drained: the window comes back within the round trip */
    ack(MSS);
    assert_int_equal(flow.cc.cwnd_bytes, 102996 + 80);
    assert_int_equal(flow.wc_bytes, 102996);
    assert_int_equal(flow.stage, 0); /* stages count round trips */
}

static void five_additive_steps_then_a_multiplicative_one(void **state)
{
    (void)state;
    ack(MSS);
    flow.wc_bytes = 100000;
    for (uint32_t i = 1; i <= 5; i++) {
        moves(0, 20000000, 225000, 0); /* 0.9 of the rate */
        ack(flow.update_seq + 1 - last.acked_seq);
        assert_int_equal(flow.u_q30, 966367641);
        assert_int_equal(flow.wc_bytes, 100000 + 80 * i);
        assert_int_equal(flow.stage, i);
    }
    moves(0, 20000000, 225000, 0);
    ack(flow.update_seq + 1 - last.acked_seq);
    assert_int_equal(flow.wc_bytes, 106057); /* 100400 * 0.95 / 0.9 + 80 */
    assert_int_equal(flow.stage, 0);
    cfg.max_stage = 0; /* the simulator's script: always multiplicative */
    moves(0, 20000000, 225000, 0);
    ack(flow.update_seq + 1 - last.acked_seq);
    assert_int_equal(flow.wc_bytes, 106057 * UINT64_C(1020054732) / 966367641 + 80);
    flow.u_q30 = 0;
    moves(0, 20000000, 0, 0); /* u = 0 chooses no hop, so U stays; a window divided by 0 is the largest */
    ack(flow.update_seq + 1 - last.acked_seq);
    assert_int_equal(flow.u_q30, 0);
    assert_int_equal(flow.wc_bytes, BDP);
}

static void the_reference_is_updated_beyond_its_sequence_only(void **state)
{
    (void)state;
    ack(MSS);
    flow.wc_bytes = 50000;
    moves(0, 20000000, 125000, 0);
    ack(flow.update_seq - last.acked_seq); /* acked up to it, not beyond */
    assert_int_equal(flow.wc_bytes, 50000);
    assert_int_equal(flow.cc.cwnd_bytes, 50080);
    moves(0, 20000000, 125000, 0);
    ack(1);
    assert_int_equal(flow.wc_bytes, 50080);
    assert_int_equal(flow.update_seq, last.next_seq);
}

static void below_one_packet_the_pace_limits_the_rate(void **state)
{
    (void)state;
    ack(MSS);
    hop[0].queue_bytes = UINT32_MAX;
    weir_hpcc_store(&flow, &last);
    moves(0, 2 * T_PS, 2 * BDP, UINT32_MAX); /* 26429.9 BDPs wait: more than U can say */
    ack(BDP + 1);
    assert_int_equal(flow.u_q30, WEIR_HPCC_U_MAX_Q30);
    assert_int_equal(flow.wc_bytes, 163);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.cc.rate_bps, 100307692); /* 163 B in 13 us */
}

static void with_pace_only_the_window_sets_the_pace_and_no_limit(void **state)
{
    (void)state;
    cfg.pace_only = 1;
    begin();
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    assert_int_equal(flow.cc.rate_bps, RATE);
    ack(MSS);
    moves(0, T_PS, BDP, 0); /* a full link: U = 1 */
    ack(MSS);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(95048615384)); /* 154374 + 80 B in 13 us */
    assert_int_equal(flow.wc_bytes, BDP);
    weir_hpcc_answer(&flow, 500); /* less than a packet */
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(307692307));
}

static void the_busiest_hop_and_its_time_count(void **state)
{
    (void)state;
    last.hop_count = 5;
    ack(MSS);
    moves(0, T_PS, BDP / 2, 0);     /* 0.5 */
    moves(1, 5200000, 58500, 0);    /* 0.9, over 0.4 T */
    moves(2, T_PS, BDP * 4 / 5, 0); /* 0.8 */
    moves(3, 0, 0, 500000);         /* the same instant again: says nothing */
    moves(4, 5200000, 58500, 0);    /* a tie: the first one */
    ack(MSS);
    uint64_t u = (UINT64_C(58500) * 80 << 30) / 5200000, step = (WEIR_HPCC_ONE_Q30 - u) * 2 / 5;
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30 - step);
    struct weir_hpcc_seen seen;
    for (uint32_t i = 0; i < 5; i++)
        moves(i, T_PS, i == 3 ? BDP : BDP / 2, 0);
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.hop, 3);
    assert_int_equal(seen.u_q30, WEIR_HPCC_ONE_Q30);
    assert_int_equal(seen.tau_ps, T_PS);
}

/* Records refreshed at a period, at other instants in each switch. */
static void less_busy_hops_are_ignored_while_the_busiest_has_no_new_record(void **state)
{
    struct weir_hpcc_seen seen;
    (void)state;
    last.hop_count = 2;
    for (uint32_t i = 0; i < 2; i++)
        hop[i] = (struct weir_int_hop){ 50000000, 400000, RATE, 0 };
    ack(MSS);
    moves(1, T_PS, BDP, 0); /* 1: the busiest */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.hop, 1);
    moves(0, T_PS, BDP / 2, 0); /* 0.5, and of the other nothing new */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.tau_ps, 0);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30);
    moves(0, T_PS, BDP * 17 / 16, 0); /* more, by less than a frame: now this one is */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.hop, 0);
    assert_in_range(flow.u_q30, WEIR_HPCC_ONE_Q30 / 16 * 17 - 9000,
                    WEIR_HPCC_ONE_Q30 / 16 * 17); /* a byte is 6608 of it */
    moves(0, T_PS, BDP / 4, 0);                   /* 0.25: the busiest with news, whatever the other was */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30 / 4);
    moves(1, T_PS, BDP / 2, 0);
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.hop, 1);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30 / 2);
}

static void an_older_record_measures_nothing(void **state)
{
    struct weir_hpcc_seen seen;
    (void)state;
    hop[0] = (struct weir_int_hop){ 50000000, 400000, RATE, 0 };
    ack(MSS);
    hop[0].ts_ps -= 1000000;
    hop[0].tx_bytes -= 12500;
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.u_q30, 0);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30); /* tau = 0: nothing was learnt */
    moves(0, T_PS, BDP / 2, 0);                      /* but it is what the next one is compared with */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.u_q30, WEIR_HPCC_ONE_Q30 / 2);
}

static void exact_counts_begin_again_at_their_width_too(void **state)
{
    struct weir_hpcc_seen seen;
    (void)state;
    hop[0] = (struct weir_int_hop){ (UINT64_C(1) << 44) - 3000000, (UINT64_C(1) << 48) - 1000, RATE, 0 };
    ack(MSS);
    hop[0] = (struct weir_int_hop){ 10000000, 80250, RATE, 0 }; /* 13 us and 81250 B later */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.u_q30, WEIR_HPCC_ONE_Q30 / 2);
    hop[0].ts_ps += UINT64_C(1) << 43; /* silent for 8.8 s: taken for an older one, once */
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.tau_ps, 0);
    moves(0, T_PS, BDP / 2, 0);
    assert_true(weir_hpcc_measure(&flow, &last, &seen));
    assert_int_equal(seen.u_q30, WEIR_HPCC_ONE_Q30 / 2);
}

static void another_path_is_stored_and_compared_with_next_time(void **state)
{
    (void)state;
    ack(MSS);
    uint64_t update_seq = flow.update_seq;
    last.path_id = 6;
    hop[0] = (struct weir_int_hop){ 90000000, 7000000, RATE / 4, 3000 };
    ack(BDP + 1);
    assert_int_equal(flow.cc.cwnd_bytes, BDP);
    assert_int_equal(flow.update_seq, update_seq);
    assert_int_equal(flow.hop[0].ps_per_byte, 320);
    last.hop_count = 2; /* a longer one */
    ack(MSS);
    assert_int_equal(flow.hop_count, 2);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30);
    moves(0, T_PS, BDP / 8, 0); /* 0.5 at 25 Gb/s */
    moves(1, T_PS, 0, 0);
    ack(MSS);
    assert_int_equal(flow.u_q30, 536857696); /* 20312 B where half the rate would be 20312.5 */
    last.hop_count = 0;
    ack(MSS); /* an ACK without records moves nothing */
    assert_int_equal(flow.hop_count, 2);
}

/* The cable that the flow's packets left by has gone: the switch takes another, as many hops long, and its port has counts of its own. */
static void records_of_two_ports_are_not_compared(void **state)
{
    (void)state;
    hop[0].tx_bytes = 40000000;
    ack(MSS);
    moves(0, 5000000, 31250, 0); /* half of what 5 us hold */
    ack(MSS);
    uint64_t u_q30 = flow.u_q30;
    hop[0].tx_bytes -= 10000000; /* the other has sent less: modulo 2^48 nearly everything */
    moves(0, 5000000, 0, 0);
    ack(MSS);
    assert_int_equal(flow.u_q30, u_q30);
    moves(0, 5000000, 31250, 0);
    ack(MSS);
    assert_true(flow.u_q30 < u_q30); /* what came then is compared with that */
    u_q30 = flow.u_q30;
    moves(0, 5000000, 10000000, 0); /* or more */
    ack(MSS);
    assert_int_equal(flow.u_q30, u_q30);
    moves(0, 5000000, 62500 + 16385, 0); /* more than a frame and what rounding adds */
    ack(MSS);
    assert_int_equal(flow.u_q30, u_q30);
    moves(0, 5000000, 62500 + 16384, 0);
    ack(MSS);
    assert_true(flow.u_q30 > u_q30);
    hop[0].rate_bps = 100000000; /* at 80000 ps a byte 2^48 B are more picoseconds than 64 bits hold */
    moves(0, 5000000, 0, 0);
    ack(MSS);
    u_q30 = flow.u_q30;
    hop[0].tx_bytes -= 1000;
    moves(0, 5000000, 0, 0);
    ack(MSS);
    assert_int_equal(flow.u_q30, u_q30);
    hop[0].rate_bps = RATE;
    moves(0, 5000000, 0, 0);
    ack(MSS);
    u_q30 = flow.u_q30;
    moves(0, 18000000000000, 225000000000, 0); /* 18 s of a full link: the time begins again at 17.6 */
    hop[0].ts_ps &= (UINT64_C(1) << 44) - 1;
    ack(MSS);
    assert_int_equal(flow.u_q30, u_q30);
}

static void quantised_counts_begin_again_at_their_width(void **state)
{
    (void)state;
    uint64_t wrap = UINT64_C(512) << 20; /* 20 bits of 128 B * 4 */
    hop[0] = (struct weir_int_hop){ 5000000000, 1000000, RATE, 0 };
    ack(MSS);
    moves(0, 6500000, 40960, 0);
    ack(MSS);
    uint64_t exact = flow.u_q30;
    cfg.int_format = WEIR_HPCC_QUANTISED;
    begin();
    assert_int_equal(flow.tx_wrap_bytes, wrap);
    hop[0] = (struct weir_int_hop){ (UINT64_C(16777216) - 1000) * 1000, wrap - 20480, RATE, 0 };
    ack(MSS);
    hop[0].ts_ps = 5500 * UINT64_C(1000);
    hop[0].tx_bytes = 20480;
    ack(MSS);
    assert_int_equal(flow.u_q30, exact);
    assert_int_equal(exact, WEIR_HPCC_ONE_Q30 - (WEIR_HPCC_ONE_Q30 - (UINT64_C(40960) * 80 << 30) / 6500000) / 2);
    cfg.int_multi = 1;
    begin();
    assert_int_equal(flow.tx_wrap_bytes, UINT64_C(128) << 20);
}

static void utilisation_is_exact_at_fractional_picoseconds_per_byte(void **state)
{
    (void)state;
    hop[0].rate_bps = UINT64_C(30000000000); /* 266 2/3 ps */
    ack(MSS);
    assert_int_equal(flow.hop[0].ps_per_byte, 0);
    moves(0, T_PS, 24375, 0); /* half the rate */
    ack(MSS);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30 / 2);
    moves(0, WEIR_PS_PER_S, UINT64_C(3750000000), 0); /* a whole second: times beyond 2^34 ps divide as well */
    ack(MSS);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30);
}

static void a_message_begins_as_a_new_flow_unless_restart_is_off(void **state)
{
    (void)state;
    hop[0].queue_bytes = BDP;
    ack(MSS);
    moves(0, 2 * T_PS, 2 * BDP, BDP);
    ack(BDP + 1);
    assert_int_equal(flow.cc.cwnd_bytes, 77267); /* U = 2 */
    weir_hpcc_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, BDP);
    assert_int_equal(flow.cc.rate_bps, RATE);
    assert_int_equal(flow.wc_bytes, BDP);
    assert_int_equal(flow.hop_count, 0);
    assert_int_equal(flow.u_q30, WEIR_HPCC_ONE_Q30);
    cfg.restart = 0;
    ack(MSS);
    moves(0, 2 * T_PS, 2 * BDP, BDP);
    ack(2 * BDP);
    weir_hpcc_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 77267);
}

static void bounds_hold_whatever_arrives(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        last.hop_count = (uint16_t)(x % 97 == 0 ? x >> 61 : last.hop_count);
        last.path_id = (uint16_t)(x % 89 == 0 ? x >> 52 : last.path_id);
        for (uint32_t k = 0; k < last.hop_count; k++)
            moves(k, x >> (24 + x % 40), x >> (30 + x % 31), (uint32_t)(x >> 32));
        ack((uint32_t)x >> 8);
        assert_in_range(flow.cc.cwnd_bytes, MSS, BDP);
        assert_in_range(flow.wc_bytes, 163, BDP);
        assert_in_range(flow.cc.rate_bps, 1, RATE);
        assert_in_range(flow.u_q30, 0, WEIR_HPCC_U_MAX_Q30);
        assert_in_range(flow.stage, 0, 5);
    }
}

/* --- a small network --- */

static struct bench net;
static struct weir_hpcc member[BENCH_FLOWS];

static void connect(uint32_t flows)
{
    net = (struct bench){
        .ops = &weir_hpcc_ops, .config = &cfg, .flows = flows, .now_ps = 77000000, .rtt_ps = BENCH_RTT_PS
    };
    for (uint32_t i = 0; i < flows; i++) {
        weir_hpcc_ops.init(&member[i].cc, &cfg, &path);
        net.flow[i].cc = &member[i].cc;
    }
}

/* Bytes flow i had acknowledged in the next ps. */
static void carried(uint64_t ps, uint64_t *bytes)
{
    uint64_t until_ps = net.now_ps + ps;
    for (uint32_t i = 0; i < net.flows; i++)
        bytes[i] = net.flow[i].acked_bytes;
    bench_run(&net, until_ps);
    for (uint32_t i = 0; i < net.flows; i++)
        bytes[i] = net.flow[i].acked_bytes - bytes[i];
}

static void one_flow_settles_at_eta_without_a_queue(void **state)
{
    uint64_t bytes[1];
    (void)state;
    connect(1);
    carried(WEIR_PS_PER_MS, bytes);
    net.queue_max_bytes = 0;
    carried(WEIR_PS_PER_MS, bytes);
    assert_in_range(bytes[0], 11756250, 11993750); /* 0.95 of 12.5 MB, within 1 % */
    assert_int_equal(net.queue_max_bytes, 0);
    assert_in_range(member[0].u_q30, WEIR_HPCC_ONE_Q30 / 100 * 94, WEIR_HPCC_ONE_Q30 / 100 * 96);
}

static void two_flows_share_evenly(void **state)
{
    uint64_t bytes[2];
    (void)state;
    connect(2);
    carried(WEIR_PS_PER_MS, bytes);
    assert_in_range(net.queue_max_bytes, BDP / 2, BDP + 2000); /* (N - 1) W_init and a packet each */
    net.queue_max_bytes = 0;
    carried(WEIR_PS_PER_MS, bytes);
    assert_in_range(bytes[0] + bytes[1], 11756250, 11993750);
    assert_in_range(bytes[0], bytes[1] / 20 * 19, bytes[1] / 20 * 21);
    assert_in_range(net.queue_max_bytes, 0, 10000);
}

static void quantised_telemetry_gives_the_same_rate(void **state)
{
    uint64_t exact[2], quantised[2];
    (void)state;
    connect(2);
    carried(WEIR_PS_PER_MS, exact);
    carried(20 * WEIR_PS_PER_MS, exact); /* longer than 24 bits of nanoseconds */
    cfg.int_format = WEIR_HPCC_QUANTISED;
    connect(2);
    net.multi = 4;
    carried(WEIR_PS_PER_MS, quantised);
    carried(20 * WEIR_PS_PER_MS, quantised);
    uint64_t sum = exact[0] + exact[1];
    assert_in_range(quantised[0] + quantised[1], sum / 100 * 99, sum / 100 * 101);
}

/* --- keys --- */

static void keys_and_presets_match_the_sources(void **state)
{
    (void)state;
    law_rows_are_sound(weir_hpcc_params, weir_hpcc_presets, sizeof(cfg));
    assert_int_equal(cfg.eta_ppm, 950000);
    assert_int_equal(cfg.max_stage, 5);
    assert_int_equal(cfg.w_ai_bytes, 80);
    law_use(weir_hpcc_params, &cfg, &weir_hpcc_presets[1]);
    assert_string_equal(weir_hpcc_presets[1].name, "ns3");
    assert_int_equal(cfg.max_stage, 0);
    assert_int_equal(cfg.min_rate_bps, 1000000000);
    assert_int_equal(cfg.int_format, WEIR_HPCC_QUANTISED);
    assert_int_equal(weir_hpcc_ops.needs, WEIR_NEED_INT);
}

static void every_common_link_rate_runs_with_the_defaults(void **state)
{
    static const uint64_t gbps[] = { 25, 50, 100, 200, 400 };
    (void)state;
    cfg.int_format = WEIR_HPCC_QUANTISED;
    for (uint32_t i = 0; i < 5; i++) {
        struct weir_path p = { .base_rtt_ps = T_PS, .rate_bps = gbps[i] * UINT64_C(1000000000), .mss_bytes = MSS };
        assert_null(law_check(weir_hpcc_check, &cfg, &p));
        weir_hpcc_ops.init(&flow.cc, &cfg, &p);
        assert_int_equal(flow.cc.cwnd_bytes, gbps[i] * 1625);
        assert_int_equal(flow.tx_wrap_bytes, (UINT64_C(128) << 20) * (gbps[i] / 25));
    }
}

static void invalid_keys_are_refused_by_name(void **state)
{
    struct weir_path p = path;
    (void)state;
    cfg.base_rtt_ps = T_PS - 1;
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "base_rtt is less");
    cfg.base_rtt_ps = 100000 * WEIR_PS_PER_US; /* 1.25 GB at 100 Gb/s */
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "base_rtt: the first window");
    cfg.base_rtt_ps = 0;
    p.base_rtt_ps = 79999; /* 999 B */
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "base_rtt: the first window");
    p.base_rtt_ps = WEIR_PS_PER_S + 1;
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "base_rtt is more");
    p = path;
    cfg.min_rate_bps = RATE + 1;
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "min_rate");
    cfg.min_rate_bps = RATE;
    assert_null(law_check(weir_hpcc_check, &cfg, &p));
    cfg.min_rate_bps = 100000000;
    cfg.int_format = WEIR_HPCC_QUANTISED;
    p.rate_bps = UINT64_C(40000000000);
    law_refused(law_check(weir_hpcc_check, &cfg, &p), "int: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_new_flow_has_a_bdp_and_the_link, setup),
        cmocka_unit_test_setup(u_is_queue_and_rate_of_the_hop_smoothed_by_its_time, setup),
        cmocka_unit_test_setup(above_eta_the_window_shrinks_from_the_reference, setup),
        cmocka_unit_test_setup(five_additive_steps_then_a_multiplicative_one, setup),
        cmocka_unit_test_setup(the_reference_is_updated_beyond_its_sequence_only, setup),
        cmocka_unit_test_setup(below_one_packet_the_pace_limits_the_rate, setup),
        cmocka_unit_test_setup(with_pace_only_the_window_sets_the_pace_and_no_limit, setup),
        cmocka_unit_test_setup(the_busiest_hop_and_its_time_count, setup),
        cmocka_unit_test_setup(less_busy_hops_are_ignored_while_the_busiest_has_no_new_record, setup),
        cmocka_unit_test_setup(an_older_record_measures_nothing, setup),
        cmocka_unit_test_setup(exact_counts_begin_again_at_their_width_too, setup),
        cmocka_unit_test_setup(another_path_is_stored_and_compared_with_next_time, setup),
        cmocka_unit_test_setup(records_of_two_ports_are_not_compared, setup),
        cmocka_unit_test_setup(quantised_counts_begin_again_at_their_width, setup),
        cmocka_unit_test_setup(utilisation_is_exact_at_fractional_picoseconds_per_byte, setup),
        cmocka_unit_test_setup(a_message_begins_as_a_new_flow_unless_restart_is_off, setup),
        cmocka_unit_test_setup(bounds_hold_whatever_arrives, setup),
        cmocka_unit_test_setup(one_flow_settles_at_eta_without_a_queue, setup),
        cmocka_unit_test_setup(two_flows_share_evenly, setup),
        cmocka_unit_test_setup(quantised_telemetry_gives_the_same_rate, setup),
        cmocka_unit_test_setup(keys_and_presets_match_the_sources, setup),
        cmocka_unit_test_setup(every_common_link_rate_runs_with_the_defaults, setup),
        cmocka_unit_test_setup(invalid_keys_are_refused_by_name, setup),
    };
    return cmocka_run_group_tests_name("proto/hpcc", tests, NULL, NULL);
}
