/* test/unit/host/test_rx_state.c - receiver halves of laws: state per connection, what ACKs echo, and notices. */
#include "pair.h"
#include "core/credit.h"
#include "proto/dcqcn/dcqcn.h"

struct half { /* the law's state at the receiver: counts what it was told */
    uint32_t pkts, known, marked, fresh_bytes;
};

static struct weir_cc_ops ops;
static struct weir_echo echoes[64];
static struct weir_notice notices[64];
static uint16_t shares[64];
static uint32_t told, heard, acked, speak_every;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 100 * PAIR_MSS };
}

static void law_rx_data(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo)
{
    struct half *half = rx;
    (void)config;
    assert_true(data->flags & WEIR_DATA_PAYLOAD);
    assert_int_equal(data->wire_bytes, PAIR_WIRE);
    half->pkts++;
    half->known += (data->flags & WEIR_DATA_KNOWN) != 0;
    half->marked += (data->flags & WEIR_DATA_CE) != 0;
    half->fresh_bytes += data->payload_bytes;
    echoes[told++ % 64] = *echo;
    echo->share_count = (uint16_t)(100 + half->pkts);
    echo->ce = half->pkts % 2 == 0;
}

static bool law_rx_notice(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    struct half *half = rx;
    (void)config;
    if (speak_every == 0 || half->pkts < speak_every)
        return false;
    half->pkts -= speak_every;
    *out = (struct weir_notice){ .now_ps = now_ps, .value = UINT64_C(0x123456789abcdef), .kind = 7, .source = 99 };
    return true;
}

static void law_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)cc, (void)config;
    notices[heard++] = *notice;
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    assert_int_equal(ack->marked_bytes > 0, acked % 2 == 1);
    shares[acked++] = ack->share_count;
}

static struct pair *law_reset(void)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law",
                                .state_bytes = sizeof(struct weir_cc),
                                .init = law_init,
                                .on_notice = law_on_notice,
                                .rx_data = law_rx_data,
                                .rx_notice = law_rx_notice,
                                .rx_flow_bytes = sizeof(struct half) };
    told = heard = acked = speak_every = 0;
    p->cfg.cc = &ops;
    return p;
}

static struct half *half_of(const struct pair *p, uint32_t index)
{
    return (struct half *)((unsigned char *)host_rx_state_at(p->host[1], index) +
                           host_stream_of(p->host[1])->rx_state_law_offset);
}

static void the_law_decides_what_an_ack_echoes(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    ops.on_ack = law_on_ack;
    pair_start(p);
    pair_send(p, 0, 8 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(acked, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(shares[i], 101 + i);
}

static void mark_and_repeat(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p, (void)hop;
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq < 3)
        pkt->flags |= WEIR_PKT_CE;
}

static enum pair_fate all_twice(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    return pkt->kind == WEIR_PKT_DATA ? PAIR_TWICE : PAIR_PASS;
}

static void each_connection_has_its_own_state(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    p->stamp = mark_and_repeat;
    p->fate = all_twice;
    pair_start(p);
    pair_send(p, 0, 5 * PAIR_MSS);
    pair_send(p, 1, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t pkts = i == 0 ? 5 : 2;
        assert_int_equal(half_of(p, i)->pkts, 2 * pkts);
        assert_int_equal(half_of(p, i)->known, pkts);
        assert_int_equal(half_of(p, i)->marked, i == 0 ? 6 : 4);
        assert_int_equal(half_of(p, i)->fresh_bytes, pkts * PAIR_MSS);
    }
}

/* DATA of several connections by hand. @return what the law was offered as share_count */
static uint32_t data(struct pair *p, uint32_t conn, uint32_t seq, uint32_t first, uint8_t flags)
{
    struct weir_pkt pkt = { .conn = conn,
                            .msg = conn,
                            .seq = seq,
                            .ack = first,
                            .src = 0,
                            .dst = 1,
                            .wire_bytes = PAIR_WIRE,
                            .payload_bytes = PAIR_MSS,
                            .kind = WEIR_PKT_DATA,
                            .flags = flags };
    weir_host_rx(p->host[1], p->now_ps, &pkt, 1);
    return echoes[told - 1].share_count;
}

static void connections_within_a_message_share_the_receiver(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    assert_int_equal(data(p, 0, 0, 0, 0), 1);
    assert_int_equal(data(p, 1, 1, 0, 0), 2); /* its first packet is late: it has begun all the same */
    assert_int_equal(data(p, 2, 0, 0, WEIR_PKT_END), 3);
    assert_int_equal(data(p, 0, 1, 0, 0), 2);
    assert_int_equal(data(p, 1, 0, 0, 0), 2);
    assert_int_equal(data(p, 2, 0, 0, WEIR_PKT_END), 3); /* a copy: it counts itself */
    assert_int_equal(data(p, 2, 1, 1, 0), 3);
    assert_int_equal(data(p, 0, 2, 0, WEIR_PKT_END), 3); /* the last packet still belongs to the message */
    assert_int_equal(data(p, 2, 2, 1, 0), 2);
    assert_int_equal(echoes[told - 1].conn_count, 3);
    assert_int_equal(echoes[0].conn_count, 1);
    assert_int_equal(host_stream_of(p->host[1])->rx_active, 2);
}

/* Periods of a base round trip: each begins with the first packet after the one before. */
static void connections_that_sent_of_late_are_counted(void **state)
{
    static const struct {
        uint32_t conn, at_rtts_q1, recent; /* half round trips */
    } row[] = {
        { 0, 0, 1 }, { 1, 1, 2 }, { 0, 1, 2 },              /* a packet more of 0 counts once */
        { 2, 2, 2 },                                        /* a new period: 0 and 1 were in the one before */
        { 0, 3, 2 }, { 1, 3, 3 }, { 1, 4, 3 }, { 1, 7, 1 }, /* 3.5: one period lies between */
        { 1, 9, 1 },                                        /* 4.5: right after it */
    };
    struct pair *p = law_reset();
    uint32_t seq[3] = { 0 };
    (void)state;
    ops.needs = WEIR_NEED_RECENT;
    pair_start(p);
    p->now_ps = 1000;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        p->now_ps = 1000 + row[i].at_rtts_q1 * p->cfg.path.base_rtt_ps / 2;
        (void)data(p, row[i].conn, seq[row[i].conn]++, 0, 0);
        assert_int_equal(echoes[told - 1].recent_count, row[i].recent);
    }
}

static void a_notice_reaches_the_law_of_the_sender(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt pkt;
    (void)state;
    speak_every = 4;
    p->cfg.params.ack_class = 3;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, 10 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(heard, 2);
    /* packets 4 and 8 of the second connection: it is message 1 whose packets leave from 88 ns on */
    assert_int_equal(notices[0].now_ps, 5 * 88000 + 5 * PAIR_US + 8000 + 5 * PAIR_US);
    assert_int_equal(notices[1].now_ps, 9 * 88000 + 5 * PAIR_US + 8000 + 5 * PAIR_US);
    assert_int_equal(notices[0].value, UINT64_C(0x123456789abcdef));
    assert_int_equal(notices[0].kind, 7);
    assert_int_equal(notices[0].source, 99);
    assert_int_equal(weir_host_stats(p->host[1])->tx_notice_pkts, 2);
    assert_int_equal(weir_host_stats(p->host[0])->rx_notice_pkts, 2);
    speak_every = 1;
    (void)data(p, 5, 0, 0, WEIR_PKT_CE); /* a notice and an ACK: the notice is of the highest class and goes first */
    weir_host_pause(p->host[1], 1u << 0);
    assert_int_equal(weir_host_tx(p->host[1], p->now_ps, &pkt, 1), 1);
    assert_int_equal(pkt.kind, WEIR_PKT_ACK);
    assert_false(weir_host_ready(p->host[1]));
    weir_host_pause(p->host[1], 1u << 3);
    assert_true(weir_host_ready(p->host[1]));
    assert_int_equal(weir_host_tx(p->host[1], p->now_ps, &pkt, 1), 1);
    assert_int_equal(pkt.kind, WEIR_PKT_NOTICE);
    assert_int_equal(pkt.class_id, 0);
    assert_int_equal(pkt.wire_bytes, PAIR_ACK);
    assert_int_equal(pkt.conn, 5);
    weir_host_pause(p->host[1], 0);
    assert_false(weir_host_ready(p->host[1]));
}

static void stale_and_foreign_notices_are_ignored(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt notice = { .value = 1, .src = 1, .dst = 0, .kind = WEIR_PKT_NOTICE };
    (void)state;
    pair_start(p);
    weir_host_rx(p->host[0], p->now_ps, &notice, 1); /* no connection at all */
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    pair_send(p, 0, PAIR_MSS);
    weir_host_rx(p->host[0], p->now_ps, &notice, 1);
    assert_int_equal(heard, 1);
    notice.src = 7; /* of a flow to somebody else */
    weir_host_rx(p->host[0], p->now_ps, &notice, 1);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 2);
    pair_run(p, WEIR_NEVER);
    notice.src = 1; /* the message is over */
    weir_host_rx(p->host[0], p->now_ps, &notice, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(weir_host_stats(p->host[0])->rx_notice_pkts, 2);
}

static void mark_all(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p, (void)hop;
    pkt->flags |= pkt->kind == WEIR_PKT_DATA ? WEIR_PKT_CE : 0;
}

static uint64_t cnp_ps[64];
static uint32_t cnps;

static enum pair_fate note_cnp(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_NOTICE)
        cnp_ps[cnps++] = p->now_ps;
    return PAIR_PASS;
}

/* DCQCN's notification point: at once, then at the end of every interval in which a mark came, by timer. */
static void a_half_is_asked_when_it_wanted(void **state)
{
    struct pair *p = pair_reset();
    struct weir_dcqcn_config dcqcn = { .cnp_interval_ps = 50 * PAIR_US, .variant = WEIR_DCQCN_PAPER };
    (void)state;
    cnps = 0;
    ops = weir_dcqcn_ops;
    ops.init = law_init;
    ops.state_bytes = sizeof(struct weir_cc);
    ops.on_ack = NULL, ops.on_notice = NULL, ops.on_timer = NULL, ops.on_sent = NULL, ops.on_start = NULL;
    ops.on_loss = NULL;
    p->cfg.cc = &ops;
    p->cfg.cc_config = &dcqcn;
    p->stamp = mark_all;
    p->fate = note_cnp;
    pair_start(p);
    pair_send(p, 0, 100 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    uint64_t first_ps = 88000 + 5 * PAIR_US;
    assert_int_equal(cnps, 2); /* all arrived within 9 us */
    assert_int_equal(cnp_ps[0], first_ps);
    assert_int_equal(cnp_ps[1], first_ps + 50 * PAIR_US);
    assert_int_equal(host_stream_of(p->host[1])->law_entries, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_decides_what_an_ack_echoes),
        cmocka_unit_test(each_connection_has_its_own_state),
        cmocka_unit_test(connections_within_a_message_share_the_receiver),
        cmocka_unit_test(connections_that_sent_of_late_are_counted),
        cmocka_unit_test(a_notice_reaches_the_law_of_the_sender),
        cmocka_unit_test(stale_and_foreign_notices_are_ignored),
        cmocka_unit_test(a_half_is_asked_when_it_wanted),
    };
    return cmocka_run_group_tests_name("host/rx_state", tests, NULL, NULL);
}
