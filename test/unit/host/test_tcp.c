/* test/unit/host/test_tcp.c - the handshake, and ECE until CWR: RFC 3168. */
#include "pair.h"

enum { WINDOW = 10 };
#define SYN_TRIP_PS (PAIR_ACK * 80 + 5 * PAIR_US) /* of a packet without payload, one way */

static uint32_t ece_acks;

static void init_window(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config;
    *cc =
        (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WINDOW * path->mss_bytes };
}

static void count_ece(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    assert_int_equal((ack->flags & WEIR_ACK_ECE) != 0, ack->marked_bytes > 0);
    ece_acks += (ack->flags & WEIR_ACK_ECE) != 0;
}

/* A law whose window is ten packets. */
static const struct weir_cc_ops window_ops = { .name = "window",
                                               .state_bytes = sizeof(struct weir_cc),
                                               .needs = WEIR_MAY_ECN,
                                               .init = init_window,
                                               .on_ack = count_ece };

static struct pair *tcp_reset(enum weir_host_ecn ecn, bool handshake)
{
    struct pair *p = pair_reset();
    ece_acks = 0;
    p->cfg.cc = &window_ops;
    p->cfg.params.ecn = ecn;
    p->cfg.params.handshake = handshake;
    return p;
}

/* Marks the packets whose bits fate_value has. */
static enum pair_fate mark(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq < 64 && p->fate_value >> pkt->seq & 1 && pkt->flags & WEIR_PKT_ECT)
        ((struct weir_pkt *)pkt)->flags |= WEIR_PKT_CE;
    return PAIR_PASS;
}

/* Packets of host 0 with CWR, as bits. */
static uint64_t with_cwr(const struct pair *p)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < p->logged; i++)
        if (p->log[i].kind == WEIR_PKT_DATA && p->log[i].flags & WEIR_PKT_CWR)
            bits |= UINT64_C(1) << p->log[i].seq;
    return bits;
}

/* Packet 3 is marked. Its ACK lets packet 13 go, which is the first to have CWR, and the first whose ACK has no ECE. */
static void ece_is_repeated_until_cwr_comes(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, false);
    (void)state;
    p->fate = mark;
    p->fate_value = 1u << 3;
    pair_start(p);
    pair_send(p, 0, 40 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(ece_acks, 10);
    assert_int_equal(with_cwr(p), 1u << 13);
}

/* Packets 3 and 5 of one window are answered by one CWR; 13 comes with CWR and a new mark, whose ACK asks for the next: all before it are
 * acknowledged by the ACK of 13 itself, which lets 23 go. */
static void one_window_has_one_cwr(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, false);
    (void)state;
    p->fate = mark;
    p->fate_value = 1u << 3 | 1u << 5 | 1u << 13;
    pair_start(p);
    pair_send(p, 0, 40 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(ece_acks, 20);
    assert_int_equal(with_cwr(p), 1u << 13 | 1u << 23);
}

static void without_rfc3168_an_ack_reports_its_own_packet(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC8257, true); /* a handshake, so that the law is given WEIR_ACK_ECE */
    (void)state;
    p->cfg.cc = &window_ops;
    p->fate = mark;
    p->fate_value = 1u << 3;
    pair_start(p);
    pair_send(p, 0, 40 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(ece_acks, 1);
    assert_int_equal(with_cwr(p), 0);
}

/* Two per ACK: the mark of packet 4 is reported by the ACK of 4 and 5, and ends with that of the packet with CWR. */
static void a_delayed_ack_has_the_latest_state(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, false);
    (void)state;
    p->cfg.params.ack_every = 2;
    p->fate = mark;
    p->fate_value = 1u << 4;
    pair_start(p);
    pair_send(p, 0, 40 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(with_cwr(p), 1u << 14);
    assert_int_equal(ece_acks, 5); /* of packets 5, 7, 9, 11, 13; that of 15 covers 14 */
}

static uint64_t marked_bytes;

static void sum_marked(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    marked_bytes += ack->marked_bytes;
    weir_dctcp_ops.on_ack(cc, config, ack);
}

/* Marks so many packets in turn, and as many not. */
static enum pair_fate mark_runs(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq / p->fate_value % 2 == 1)
        ((struct weir_pkt *)pkt)->flags |= WEIR_PKT_CE;
    return PAIR_PASS;
}

/* DCTCP, two packets per ACK: a change of CE is answered at once, so no ACK mixes marked packets and others. */
static void delayed_acks_report_alternating_marks_exactly(void **state)
{
    struct weir_cc_ops ops = weir_dctcp_ops;
    (void)state;
    ops.on_ack = sum_marked;
    for (uint64_t run = 1; run <= 5; run++) {
        struct pair *p = pair_reset();
        uint64_t marked = 0;
        marked_bytes = 0;
        p->cfg.cc = &ops;
        p->cfg.params.ack_every = 2;
        p->fate = mark_runs;
        p->fate_value = run;
        for (uint64_t pkt = 0; pkt < 101; pkt++)
            marked += pkt / run % 2;
        pair_start(p);
        pair_send(p, 0, 101 * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        assert_int_equal(p->marks[0], marked);
        assert_int_equal(marked_bytes, marked * PAIR_MSS);
    }
}

static enum pair_fate drop_first_seven(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    return pkt->kind == WEIR_PKT_DATA && pkt->seq == 7 && !(pkt->flags & WEIR_PKT_RETX) ? PAIR_DROP : PAIR_PASS;
}

static void what_is_sent_again_cannot_be_marked(void **state)
{
    (void)state;
    for (uint32_t ecn = WEIR_ECN_RFC8257; ecn <= WEIR_ECN_OFF; ecn++) {
        struct pair *p = tcp_reset((enum weir_host_ecn)ecn, false);
        uint32_t again = 0;
        if (ecn == WEIR_ECN_RFC8257)
            p->cfg.cc = &weir_dctcp_ops; /* needs marks; RFC 8257 does not speak of retransmissions */
        p->fate = drop_first_seven;
        pair_start(p);
        pair_send(p, 0, 20 * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        for (uint32_t i = 0; i < p->logged; i++) {
            bool is_again = p->log[i].flags & WEIR_PKT_RETX;
            bool ect = ecn == WEIR_ECN_RFC8257 || (ecn == WEIR_ECN_RFC3168 && !is_again);
            assert_int_equal((p->log[i].flags & WEIR_PKT_ECT) != 0, ect);
            again += is_again;
        }
        assert_int_equal(again, 1);
    }
}

static void the_handshake_takes_a_round_trip_once(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->logged, 2);
    assert_int_equal(p->log[0].kind, WEIR_PKT_SYN);
    assert_int_equal(p->log[0].flags, WEIR_PKT_ECE | WEIR_PKT_CWR);
    assert_int_equal(p->log[1].sent_ps, 2 * SYN_TRIP_PS);
    assert_int_equal(p->log[1].flags, WEIR_PKT_ECT | WEIR_PKT_END);
    assert_int_equal(p->delivered_ps[0], 2 * SYN_TRIP_PS + PAIR_WIRE * 80 + 5 * PAIR_US);
    uint64_t later_ps = p->now_ps;
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->logged, 3);
    assert_int_equal(p->log[2].sent_ps, later_ps);
}

static void the_handshake_gives_the_first_round_trip_sample(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    (void)state;
    pair_start(p);
    p->now_ps = PAIR_US; /* a stamp of 0 is none */
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, PAIR_US + 2 * SYN_TRIP_PS + 1);
    assert_int_equal(host_flow_at(p->host[0], 0)->srtt_8, 8 * (2 * SYN_TRIP_PS >> HOST_RTT_SHIFT));
}

static enum pair_fate drop_opening(struct pair *p, const struct weir_pkt *pkt)
{
    bool hit = pkt->kind == WEIR_PKT_SYN || pkt->kind == WEIR_PKT_SYN_ACK;
    if (!hit || p->fate_value == 0)
        return PAIR_PASS;
    p->fate_value--;
    return PAIR_DROP;
}

/* One SYN and one SYN-ACK are lost: the third SYN leaves after 1 ms + 2 ms, and gives no sample. */
static void a_lost_handshake_is_repeated_by_the_timer(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    (void)state;
    p->fate = drop_opening;
    p->fate_value = 2;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, 3000 * PAIR_US + 2 * SYN_TRIP_PS + 1);
    assert_int_equal(p->log[3].kind, WEIR_PKT_DATA);
    assert_int_equal(p->log[3].sent_ps, 3000 * PAIR_US + 2 * SYN_TRIP_PS);
    assert_int_equal(host_flow_at(p->host[0], 0)->srtt_8, 0);
    assert_int_equal(host_flow_at(p->host[0], 0)->backoff, 0);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->retransmitted, 0);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 2);
}

static enum pair_fate answer_without_ece(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    if (pkt->kind == WEIR_PKT_SYN_ACK)
        ((struct weir_pkt *)pkt)->flags &= ~(uint32_t)WEIR_PKT_ECE & 0x1ff;
    return PAIR_PASS;
}

static void packets_have_no_ect_if_either_end_does_no_ecn(void **state)
{
    (void)state;
    for (int peer = 0; peer < 2; peer++) {
        struct pair *p = tcp_reset(peer ? WEIR_ECN_RFC3168 : WEIR_ECN_OFF, true);
        p->fate = peer ? answer_without_ece : NULL;
        pair_start(p);
        pair_send(p, 0, PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        assert_int_equal(p->log[0].flags, peer ? WEIR_PKT_ECE | WEIR_PKT_CWR : 0);
        assert_int_equal(p->log[1].flags, WEIR_PKT_END);
    }
}

/* Each message opens a connection of its own while none is idle; what is cancelled before leaves the connection to others. */
static void a_message_cancelled_in_the_handshake_sends_nothing(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_cancel(p, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[0], 0);
    assert_int_equal(p->delivered[1], 1);
    assert_int_equal(p->logged, 3);
    assert_int_equal(weir_host_stats(p->host[0])->connections, 2);
    pair_send(p, 2, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->logged, 4); /* on an open one */
}

static void a_forgotten_host_is_greeted_again(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, 2 * SYN_TRIP_PS); /* its SYN is not answered yet */
    pair_forget(p, 1);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_forget(p, 2);
    pair_send(p, 2, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1] + p->delivered[2], 2);
    assert_int_equal(weir_host_stats(p->host[0])->connections, 1);
    assert_int_equal(p->logged, 5);
    assert_int_equal(p->log[1].kind, WEIR_PKT_SYN);
    assert_int_equal(p->log[3].kind, WEIR_PKT_SYN);
}

static void an_answer_to_no_syn_is_a_duplicate(void **state)
{
    struct pair *p = tcp_reset(WEIR_ECN_RFC3168, true);
    struct weir_pkt syn_ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_SYN_ACK };
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    weir_host_rx(p->host[0], p->now_ps, &syn_ack, 1);
    assert_int_equal(weir_host_stats(p->host[0])->duplicates, 1);
    syn_ack.conn = 7;
    weir_host_rx(p->host[0], p->now_ps, &syn_ack, 1);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ece_is_repeated_until_cwr_comes),
        cmocka_unit_test(one_window_has_one_cwr),
        cmocka_unit_test(without_rfc3168_an_ack_reports_its_own_packet),
        cmocka_unit_test(a_delayed_ack_has_the_latest_state),
        cmocka_unit_test(delayed_acks_report_alternating_marks_exactly),
        cmocka_unit_test(what_is_sent_again_cannot_be_marked),
        cmocka_unit_test(the_handshake_takes_a_round_trip_once),
        cmocka_unit_test(the_handshake_gives_the_first_round_trip_sample),
        cmocka_unit_test(a_lost_handshake_is_repeated_by_the_timer),
        cmocka_unit_test(packets_have_no_ect_if_either_end_does_no_ecn),
        cmocka_unit_test(a_message_cancelled_in_the_handshake_sends_nothing),
        cmocka_unit_test(a_forgotten_host_is_greeted_again),
        cmocka_unit_test(an_answer_to_no_syn_is_a_duplicate),
    };
    return cmocka_run_group_tests_name("tcp", tests, NULL, NULL);
}
