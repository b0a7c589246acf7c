/* test/unit/proto/test_fncc.c - what FNCC adds to HPCC, at 100 Gb/s and T = 13 us (a BDP is 162500 B). */
#include "core/data.h"
#include "test/unit/proto/int_bench.h"
#include "test/unit/proto/law_bench.h"
#include "proto/fncc/fncc_core.h"

enum { MSS = 1000, BDP = 162500 };
#define RATE UINT64_C(100000000000)
#define T_PS UINT64_C(13000000)

static const struct weir_path path = { .base_rtt_ps = T_PS, .rate_bps = RATE, .bdp_bytes = BDP, .mss_bytes = MSS };
static struct weir_fncc_config cfg;
static struct weir_fncc flow;
static struct weir_ack last;
static struct weir_int_hop hop[WEIR_TELEMETRY_HOPS_MAX];

/* Three hops, records seen once; the next ACK is of the same round trip. */
static int setup(void **state)
{
    (void)state;
    law_use(weir_fncc_params, &cfg, &weir_fncc_presets[0]);
    assert_null(law_check(weir_fncc_check, &cfg, &path));
    weir_fncc_ops.init(&flow.hpcc.cc, &cfg, &path);
    weir_fncc_ops.on_start(&flow.hpcc.cc, &cfg, 77000000000);
    last = (struct weir_ack){ .now_ps = 77000000000, .hop = hop, .hop_count = 3, .share_count = 4, .next_seq = 100000 };
    for (uint32_t i = 0; i < 3; i++)
        hop[i] = (struct weir_int_hop){ .ts_ps = 1000000, .rate_bps = RATE, .queue_bytes = BDP };
    weir_fncc_ops.on_ack(&flow.hpcc.cc, &cfg, &last);
    return 0;
}

/* One ACK after 2 T: one hop is full and has half a BDP waiting (U = 1.5), the others are half used. */
static void ack(uint32_t busy, uint64_t acked_seq)
{
    for (uint32_t i = 0; i < 3; i++) {
        hop[i].ts_ps += 2 * T_PS;
        hop[i].tx_bytes += i == busy ? 2 * BDP : BDP;
        hop[i].queue_bytes = i == busy ? BDP / 2 : 0;
    }
    last.acked_seq = acked_seq;
    last.next_seq = acked_seq + BDP;
    weir_fncc_ops.on_ack(&flow.hpcc.cc, &cfg, &last);
}

static void a_busy_last_hop_gives_every_flow_its_share(void **state)
{
    (void)state;
    ack(0, 1000);
    assert_int_equal(flow.hpcc.wc_bytes, 36562);      /* 162500 * 0.9 / 4 */
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 23235); /* then HPCC's step: * 0.95 / 1.5 + 80 */
    assert_int_equal(flow.hpcc.cc.rate_bps, UINT64_C(14298461538));
    assert_int_equal(flow.hpcc.stage, 0);
    ack(0, 2000); /* the same again: from the share, not from the window */
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 23235);
    ack(0, 100001); /* a new round trip: the step is kept */
    assert_int_equal(flow.hpcc.wc_bytes, 23235);
    assert_int_equal(flow.hpcc.update_seq, 100001 + BDP);
}

static void congestion_at_other_hops_is_left_to_hpcc(void **state)
{
    (void)state;
    for (uint32_t busy = 1; busy < 3; busy++) {
        (void)setup(state);
        ack(busy, 1000);
        assert_int_equal(flow.hpcc.wc_bytes, BDP);
        assert_int_equal(flow.hpcc.cc.cwnd_bytes, 102996); /* 162500 * 0.95 / 1.5 + 80 */
    }
}

static void without_n_or_with_lhcs_off_it_is_hpcc(void **state)
{
    (void)state;
    last.share_count = 0;
    ack(0, 1000);
    assert_int_equal(flow.hpcc.wc_bytes, BDP);
    last.share_count = 4;
    cfg.lhcs = 0;
    ack(0, 2000);
    assert_int_equal(flow.hpcc.wc_bytes, BDP);
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 102996);
}

static void lhcs_acts_above_alpha_only(void **state)
{
    struct weir_hpcc_seen seen = { .u_q30 = 1127428915, .tau_ps = T_PS, .hop = 0 }; /* 1.05 * 2^30 */
    (void)state;
    assert_false(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP));
    seen.u_q30++;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP));
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
}

static void the_share_is_of_the_last_link_within_the_bounds(void **state)
{
    const struct weir_hpcc_seen seen = { .u_q30 = 2 * WEIR_HPCC_ONE_Q30, .hop = 0 };
    (void)state;
    hop[0].rate_bps = RATE / 4;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP));
    assert_int_equal(flow.hpcc.wc_bytes, 9140); /* 40625 * 0.9 / 4 */
    last.share_count = UINT16_MAX;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP));
    assert_int_equal(flow.hpcc.wc_bytes, 163); /* 100 Mb/s */
    last.share_count = 1;
    hop[0].rate_bps = 4 * RATE;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP));
    assert_int_equal(flow.hpcc.wc_bytes, BDP);
}

static void direct_takes_the_share_as_the_window(void **state)
{
    (void)state;
    cfg.lhcs_direct = 1;
    ack(0, 1000);
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 36562);
    assert_int_equal(flow.hpcc.cc.rate_bps, UINT64_C(22499692307));
    assert_int_equal(flow.hpcc.update_seq, 100000);
    ack(0, 100001);
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 36562);
    assert_int_equal(flow.hpcc.update_seq, 100001 + BDP);
    ack(1, 100002);                                   /* congestion elsewhere: HPCC's step from there */
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 34813); /* its queue was 0 before: U = 1, 36562 * 0.95 + 80 */
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
}

/* Until what was sent when it acted is acknowledged: 1000 + BDP. */
static void once_it_waits_for_a_round_trip(void **state)
{
    (void)state;
    cfg.lhcs_once = 1;
    ack(0, 1000);
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
    assert_int_equal(flow.lhcs_seq, 1000 + BDP);
    last.share_count = 8;
    ack(0, 1000 + BDP);                          /* HPCC's step alone, of a new round trip: U stays 1.5 */
    assert_int_equal(flow.hpcc.wc_bytes, 23235); /* 36562 * 0.95 / 1.5 + 80 */
    ack(0, 1001 + BDP);
    assert_int_equal(flow.hpcc.wc_bytes, 18281); /* 162500 * 0.9 / 8 */
    cfg.lhcs_once = 0;
    last.share_count = 4;
    ack(0, 1002 + BDP);
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
}

/* 0 = it never acted: then it acts on the first packet of all, too. */
static void once_it_acts_on_the_first_packet(void **state)
{
    static const struct {
        uint32_t acted_seq, acked_seq;
        bool acts;
    } row[] = { { 0, 0, true }, { 1, 0, false }, { 1, 1, false }, { 1, 2, true }, { 2, 2, false }, { 2, 3, true } };
    const struct weir_hpcc_seen seen = { .u_q30 = 2 * WEIR_HPCC_ONE_Q30, .hop = 0 };
    (void)state;
    cfg.lhcs_once = 1;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        flow.lhcs_seq = row[i].acted_seq;
        last.acked_seq = row[i].acked_seq;
        assert_int_equal(weir_fncc_last_hop(&flow, &cfg, &seen, &last, BDP), row[i].acts);
    }
}

static void lower_only_never_raises_a_window(void **state)
{
    (void)state;
    cfg.lhcs_lower_only = 1;
    ack(0, 1000);
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
    last.share_count = 3;
    ack(0, 2000); /* 48750 would be more; HPCC's step from what it had */
    assert_int_equal(flow.hpcc.wc_bytes, 36562);
    assert_int_equal(flow.hpcc.cc.cwnd_bytes, 23235);
    last.share_count = 5;
    ack(0, 3000);
    assert_int_equal(flow.hpcc.wc_bytes, 29250);
}

/* 162500 * 0.05 = 8125 B: alpha - 1 BDPs. The lesser of the two queues counts. */
static void needs_queue_acts_while_the_queue_alone_is_above_alpha(void **state)
{
    static const struct {
        uint32_t queue_bytes, last_queue_bytes;
        bool acts;
    } rows[] = {
        { 8124, 8124, false }, { 8125, 8125, false },    { 8126, 8126, true },       { 8126, 8125, false },
        { 8125, 8126, false }, { 0, UINT32_MAX, false }, { UINT32_MAX, 8126, true }, { 0, 0, false },
    };
    const struct weir_hpcc_seen seen = { .u_q30 = 2 * WEIR_HPCC_ONE_Q30, .hop = 0 };
    (void)state;
    for (uint32_t on = 0; on < 2; on++) {
        cfg.lhcs_needs_queue = on;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            flow.hpcc.wc_bytes = BDP;
            hop[0].queue_bytes = rows[i].queue_bytes;
            assert_int_equal(weir_fncc_last_hop(&flow, &cfg, &seen, &last, rows[i].last_queue_bytes),
                             !on || rows[i].acts);
            assert_int_equal(flow.hpcc.wc_bytes, !on || rows[i].acts ? 36562 : BDP);
        }
    }
}

static void needs_queue_takes_alpha_and_the_rate_of_the_last_link(void **state)
{
    const struct weir_hpcc_seen seen = { .u_q30 = 20 * WEIR_HPCC_ONE_Q30, .hop = 0 };
    (void)state;
    cfg.lhcs_needs_queue = 1;
    cfg.alpha_ppm = 1000000; /* any queue */
    hop[0].queue_bytes = 0;
    assert_false(weir_fncc_last_hop(&flow, &cfg, &seen, &last, 0));
    hop[0].queue_bytes = 1;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, 1));
    cfg.alpha_ppm = 10000000; /* nine BDPs of a link of 25 Gb/s: 9 * 40625 */
    hop[0].rate_bps = RATE / 4;
    hop[0].queue_bytes = 365625;
    assert_false(weir_fncc_last_hop(&flow, &cfg, &seen, &last, 365625));
    hop[0].queue_bytes = 365626;
    assert_true(weir_fncc_last_hop(&flow, &cfg, &seen, &last, 365626));
}

/* Two records 130 ns apart of a flow at 94.6 % of the link: 1538 B leave, and units of 512 B show 1536 or 2048 B. */
static void a_rounded_record_of_an_idle_queue_raises_no_window_with_needs_queue(void **state)
{
    (void)state;
    for (uint32_t on = 0; on < 2; on++) {
        (void)setup(state);
        cfg.lhcs_needs_queue = on;
        last.share_count = 1;
        hop[0].queue_bytes = 0; /* of the record before; U uses the lesser one */
        hop[0].ts_ps += T_PS;
        for (uint32_t i = 1; i < 3; i++)
            hop[i] = hop[0];
        weir_fncc_ops.on_ack(&flow.hpcc.cc, &cfg, &last); /* nothing sent: U = 0 */
        flow.hpcc.wc_bytes = 50000;
        for (uint32_t i = 0; i < 3; i++) {
            hop[i].ts_ps += 130000;
            hop[i].tx_bytes += i == 0 ? 2048 : 1536; /* u = 2048 * 80 / 130000 = 1.26, or 0.945 */
        }
        weir_fncc_ops.on_ack(&flow.hpcc.cc, &cfg, &last);
        assert_int_equal(flow.hpcc.wc_bytes, on ? 50000 : 146250); /* 162500 * 0.9 */
    }
}

static void the_receiver_counts_active_or_established_connections(void **state)
{
    struct weir_echo echo = { .share_count = 3, .conn_count = 40, .recent_count = 2 };
    const struct weir_data data = { .flags = WEIR_DATA_PAYLOAD };
    (void)state;
    weir_fncc_ops.rx_data(NULL, &cfg, &data, &echo);
    assert_int_equal(echo.share_count, 3);
    cfg.lhcs_recent = 1;
    weir_fncc_ops.rx_data(NULL, &cfg, &data, &echo);
    assert_int_equal(echo.share_count, 2);
    cfg.n_counts = WEIR_FNCC_ESTABLISHED;
    weir_fncc_ops.rx_data(NULL, &cfg, &data, &echo);
    assert_int_equal(echo.share_count, 40);
    assert_false(echo.ce);
}

/* --- a small network: one port, the last hop --- */

static struct bench net;
static struct weir_fncc member[BENCH_FLOWS];

static void connect(uint32_t flows, bool at_ack)
{
    net = (struct bench){ .ops = &weir_fncc_ops,
                          .config = &cfg,
                          .flows = flows,
                          .share_count = flows,
                          .now_ps = 77000000,
                          .rtt_ps = BENCH_RTT_PS,
                          .at_ack = at_ack };
    for (uint32_t i = 0; i < flows; i++) {
        weir_fncc_ops.init(&member[i].hpcc.cc, &cfg, &path);
        net.flow[i].cc = &member[i].hpcc.cc;
    }
}

static void incast_windows_are_the_share_and_the_queue_drains(void **state)
{
    uint64_t share = BDP / 10 * 9 / 8 + 80;
    (void)state;
    connect(8, true);
    bench_run(&net, net.now_ps + 60 * WEIR_PS_PER_US);
    for (uint32_t i = 0; i < 8; i++)
        assert_in_range(member[i].hpcc.cc.cwnd_bytes, MSS, share);
    bench_run(&net, net.now_ps + WEIR_PS_PER_MS);
    net.queue_max_bytes = 0;
    uint64_t acked = net.acked;
    bench_run(&net, net.now_ps + WEIR_PS_PER_MS);
    assert_in_range(net.queue_max_bytes, 0, 20000);
    assert_in_range((net.acked - acked) * MSS, 11750000, 12000000); /* 0.95 of 12.5 MB */
}

static void telemetry_in_data_and_in_acks_settles_at_the_same_rates(void **state)
{
    uint64_t acked[2];
    (void)state;
    cfg.lhcs = 0;
    for (uint32_t i = 0; i < 2; i++) {
        connect(2, i == 1);
        bench_run(&net, net.now_ps + WEIR_PS_PER_MS);
        acked[i] = net.acked;
        bench_run(&net, net.now_ps + WEIR_PS_PER_MS);
        acked[i] = net.acked - acked[i];
    }
    assert_in_range(acked[0], acked[1] / 100 * 99, acked[1] / 100 * 101);
}

static void keys_and_presets_match_the_sources(void **state)
{
    (void)state;
    law_rows_are_sound(weir_fncc_params, weir_fncc_presets, sizeof(cfg));
    assert_int_equal(cfg.hpcc.eta_ppm, 950000);
    assert_int_equal(cfg.hpcc.max_stage, 5);
    assert_int_equal(cfg.alpha_ppm, 1050000);
    assert_int_equal(cfg.beta_ppm, 900000);
    assert_int_equal(cfg.lhcs, 1);
    assert_int_equal(cfg.lhcs_direct, 0);
    assert_int_equal(cfg.lhcs_needs_queue, 0);
    law_use(weir_fncc_params, &cfg, &weir_fncc_presets[1]);
    assert_int_equal(cfg.lhcs, 0);
    cfg.lhcs_recent = 1;
    cfg.n_counts = WEIR_FNCC_ESTABLISHED;
    law_refused(law_check(weir_fncc_check, &cfg, &path), "lhcs_recent");
    cfg.lhcs_recent = 0;
    cfg.hpcc.min_rate_bps = RATE + 1;
    law_refused(law_check(weir_fncc_check, &cfg, &path), "min_rate");
    assert_int_equal(weir_fncc_ops.needs, WEIR_NEED_ACK_INT | WEIR_NEED_RECENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_busy_last_hop_gives_every_flow_its_share, setup),
        cmocka_unit_test_setup(congestion_at_other_hops_is_left_to_hpcc, setup),
        cmocka_unit_test_setup(without_n_or_with_lhcs_off_it_is_hpcc, setup),
        cmocka_unit_test_setup(lhcs_acts_above_alpha_only, setup),
        cmocka_unit_test_setup(the_share_is_of_the_last_link_within_the_bounds, setup),
        cmocka_unit_test_setup(direct_takes_the_share_as_the_window, setup),
        cmocka_unit_test_setup(once_it_waits_for_a_round_trip, setup),
        cmocka_unit_test_setup(once_it_acts_on_the_first_packet, setup),
        cmocka_unit_test_setup(lower_only_never_raises_a_window, setup),
        cmocka_unit_test_setup(needs_queue_acts_while_the_queue_alone_is_above_alpha, setup),
        cmocka_unit_test_setup(needs_queue_takes_alpha_and_the_rate_of_the_last_link, setup),
        cmocka_unit_test_setup(a_rounded_record_of_an_idle_queue_raises_no_window_with_needs_queue, setup),
        cmocka_unit_test_setup(the_receiver_counts_active_or_established_connections, setup),
        cmocka_unit_test_setup(incast_windows_are_the_share_and_the_queue_drains, setup),
        cmocka_unit_test_setup(telemetry_in_data_and_in_acks_settles_at_the_same_rates, setup),
        cmocka_unit_test_setup(keys_and_presets_match_the_sources, setup),
    };
    return cmocka_run_group_tests_name("proto/fncc", tests, NULL, NULL);
}
