/* test/unit/host/test_ranges.c - ranges in ACKs: what a receiver reports, what its sender makes of it, and of reports that are
 * not true. A packet takes 88 ns of the link, an ACK 8 ns, the way 5 us. */
#include "core/rng.h"
#include "pair.h"
#include <string.h>

#define RTO_PS (1000 * PAIR_US)

static struct weir_ack_range range[PAIR_RANGES];

/* DATA of host 0's connection 0 that came to host 1. */
static void arrive(struct pair *p, uint32_t seq)
{
    struct weir_pkt out, pkt = { .src = 0, .dst = 1, .kind = WEIR_PKT_DATA, .seq = seq };
    pkt.ack = host_stream_of(p->host[0])->first_index;
    pkt.payload_bytes = PAIR_MSS;
    weir_host_rx(p->host[1], p->now_ps, &pkt, 1);
    assert_int_equal(weir_host_tx(p->host[1], p->now_ps, &out, 1), 1);
}

/* What an ACK to host 0 reports that leaves now. */
static uint32_t report(const struct pair *p, uint32_t conn, uint32_t max)
{
    struct weir_pkt ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .conn = conn };
    return weir_host_ranges(p->host[1], &ack, range, max);
}

static void expect(uint32_t i, uint32_t first, uint32_t pkts)
{
    assert_int_equal(range[i].first, first);
    assert_int_equal(range[i].pkts, pkts);
}

/* Bitmaps have units of 64 packets: 63 to 65 are of two. */
static void an_ack_reports_what_arrived_out_of_order_the_highest_first(void **state)
{
    static const uint32_t seqs[] = { 0, 2, 3, 5, 65, 63, 64, 70 };
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    assert_int_equal(report(p, 0, PAIR_RANGES), 0); /* nothing ever came */
    for (size_t i = 0; i < sizeof(seqs) / sizeof(seqs[0]); i++)
        arrive(p, seqs[i]);
    assert_int_equal(report(p, 0, PAIR_RANGES), 4);
    expect(0, 70, 1);
    expect(1, 63, 3);
    expect(2, 5, 1);
    expect(3, 2, 2);
    assert_int_equal(report(p, 0, 5), 4);
    assert_int_equal(report(p, 0, 4), 4);
    assert_int_equal(report(p, 0, 3), 3);
    expect(2, 5, 1);
    assert_int_equal(report(p, 0, 0), 0);
    assert_int_equal(report(p, 1, PAIR_RANGES), 0); /* another connection */
    arrive(p, 1);
    assert_int_equal(report(p, 0, PAIR_RANGES), 3); /* 2 and 3 are below the first missing one */
    expect(2, 5, 1);
    arrive(p, 4);
    assert_int_equal(report(p, 0, PAIR_RANGES), 2);
    for (uint32_t seq = 6; seq < 63; seq++)
        arrive(p, seq);
    assert_int_equal(report(p, 0, PAIR_RANGES), 1);
    expect(0, 70, 1);
    for (uint32_t seq = 66; seq < 70; seq++)
        arrive(p, seq);
    assert_int_equal(report(p, 0, PAIR_RANGES), 0);
}

/* Every second packet of 40: fifteen of twenty ranges. */
static void of_many_ranges_the_highest_are_reported(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    for (uint32_t seq = 0; seq <= 40; seq += 2)
        arrive(p, seq);
    assert_int_equal(report(p, 0, PAIR_RANGES), PAIR_RANGES);
    for (uint32_t i = 0; i < PAIR_RANGES; i++)
        expect(i, 40 - 2 * i, 1);
}

/* Packets of a window at random, from any number on, also across 2^32 and in a bitmap that had to grow: ranges are what a list of
 * them has. */
static void ranges_agree_with_a_list(void **state)
{
    static bool here[WEIR_HOST_WINDOW_PKTS_MAX];
    static const uint32_t spans[] = { 70, 300, 9000, 9000 };
    (void)state;
    for (uint32_t run = 0; run < 40; run++) {
        struct pair *p = pair_reset();
        uint32_t base = run % 2 == 0 ? UINT32_MAX - run : (uint32_t)weir_mix_u64(run), span = spans[run % 4];
        p->cfg.params.window_pkts = span > 8192 ? WEIR_HOST_WINDOW_PKTS_MAX : WEIR_HOST_WINDOW_PKTS;
        pair_start(p);
        host_stream_of(p->host[0])->first_index = base;
        memset(here, 0, sizeof(here));
        for (uint32_t i = 1; i < span; i++)
            here[i] = weir_mix_u64(run << 20 | i) % 8 < 1 + run % 7;
        here[span - 1] = true;
        for (uint32_t i = span; i-- > 1;)
            if (here[i])
                arrive(p, base + i);
        uint32_t count = report(p, 0, PAIR_RANGES), seen = 0;
        for (uint32_t i = span; i-- > 1 && seen < count;) {
            if (!here[i])
                continue;
            uint32_t end = i + 1;
            while (here[i - 1])
                i--;
            expect(seen++, base + i, end - i);
        }
        assert_int_equal(seen, count);
        assert_true(count == PAIR_RANGES || span < 100);
    }
}

static uint64_t acked_most; /* most that an ACK acknowledged */
static uint32_t law_acks;   /* of which the law heard */
static struct weir_cc_ops ops;

static void note_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    law_acks++;
    acked_most = weir_max_u64(acked_most, ack->acked_bytes);
    weir_dctcp_ops.on_ack(cc, config, ack);
}

static void check(struct pair *p)
{
    pair_assert_flow(p->host[0], host_flow_at(p->host[0], 0));
}

static struct pair *begin(bool ranges)
{
    struct pair *p = pair_reset();
    ops = weir_dctcp_ops;
    ops.on_ack = note_ack;
    acked_most = law_acks = 0;
    p->cfg.cc = &ops;
    p->dctcp.init_cwnd.bytes = 20 * PAIR_MSS;
    p->after = check;
    p->ranges = ranges;
    return p;
}

/* Of twenty packets the fifth is lost, and the ACKs of all that follow but the last one. */
static enum pair_fate lose_acks(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    if (pkt->kind == WEIR_PKT_DATA)
        return pkt->seq == 4 && !(pkt->flags & WEIR_PKT_RETX) ? PAIR_DROP : PAIR_PASS;
    return pkt->seq > 4 && pkt->seq < 19 ? PAIR_DROP : PAIR_PASS;
}

/* Without ranges the last ACK names packet 19 alone. 4 to 16, which are three or more before it, count as lost then. The window is
 * halved to ten, and 17 and 18 count as in flight: 4 to 11 are sent again, 7 for nothing. The ACK of 4 acknowledges all. */
static void packets_that_a_range_reports_are_not_sent_again(void **state)
{
    (void)state;
    for (uint32_t ranges = 0; ranges < 2; ranges++) {
        struct pair *p = begin(ranges);
        p->fate = lose_acks;
        pair_start(p);
        pair_send(p, 0, 19 * PAIR_MSS + 1); /* the last one is short */
        pair_run(p, 400 * PAIR_US);
        pair_assert_done(p, 1);
        assert_int_equal(weir_host_stats(p->host[0])->retransmissions, ranges ? 1 : 8);
        assert_int_equal(weir_host_stats(p->host[1])->duplicates, ranges ? 0 : 7);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
        assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 19 * PAIR_MSS + 1);
        assert_int_equal(acked_most, ranges ? 14 * PAIR_MSS + 1 : 15 * PAIR_MSS); /* 5 to 19; 4 to 18 */
    }
}

/* Ten packets of which none was acknowledged, the last one with one byte. */
static struct host_flow *ten_sent(struct pair *p)
{
    struct weir_pkt out[10];
    pair_start(p);
    pair_send(p, 0, 9 * PAIR_MSS + 1);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 10), 10);
    return host_flow_at(p->host[0], 0);
}

static void report_to(struct pair *p, uint32_t seq, uint32_t cum, uint32_t first, uint32_t pkts)
{
    struct weir_pkt ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .seq = seq, .ack = cum };
    weir_host_rx_ack(p->host[0], p->now_ps, &ack, NULL, &(struct weir_ack_range){ first, pkts }, 1);
    check(p);
}

/* una is 2: packets 0 and 1 arrived. A range has to begin above una, within what was sent; what of it was not sent is ignored. */
static void what_a_range_cannot_say_is_ignored(void **state)
{
    static const struct {
        uint32_t first, pkts, bytes; /* bytes: newly acknowledged */
    } rows[] = { { 1, 5, 0 },
                 { 2, 1, 0 },
                 { 2, 8, 0 },
                 { 3, 0, 0 },
                 { 3, 1, 1000 },
                 { 3, 6, 6000 },
                 { 3, 7, 6001 },
                 { 3, 8, 6001 },
                 { 3, UINT32_MAX, 6001 },
                 { 3, UINT32_MAX - 2, 6001 },
                 { 9, 1, 1 },
                 { 10, 1, 0 },
                 { 11, 1, 0 },
                 { UINT32_MAX, 8, 0 },
                 { UINT32_MAX, UINT32_MAX, 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pair *p = begin(true);
        const struct host_flow *f = ten_sent(p);
        report_to(p, 1, 2, rows[i].first, rows[i].pkts);
        assert_int_equal(f->una, 2);
        assert_int_equal(acked_most, 2 * PAIR_MSS + rows[i].bytes);
        uint32_t lost = 0; /* what is three packets or more below one that arrived */
        const struct host_board *b = host_board_of(p->host[0], f);
        if (b != NULL)
            lost = b->lost_pkts;
        assert_int_equal(f->inflight_bytes, 7 * PAIR_MSS + 1 - rows[i].bytes - lost * PAIR_MSS);
        if (rows[i].bytes == 0)
            assert_null(b);
    }
}

/* An ACK that contradicts itself: 2 is missing, and it answers 2; all above has arrived. The timer sends 2 again: else nothing of the
 * message would be sent any more, and nothing would end it. */
static void what_an_ack_calls_missing_has_not_arrived(void **state)
{
    struct pair *p = begin(true);
    const struct host_flow *f = ten_sent(p);
    struct weir_pkt out[2];
    (void)state;
    report_to(p, 2, 2, 3, 7);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 8 * PAIR_MSS + 1);
    assert_int_equal(f->una, 2);
    report_to(p, 1, 1, 2, 1);                                         /* late, and false */
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2), 1); /* lost: 9 has arrived */
    assert_int_equal(out[0].seq, 2);
    for (uint32_t i = 0; i < 3; i++) {
        p->now_ps = f->since_ps + (RTO_PS << i);
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2), 1);
        assert_int_equal(out[0].seq, 2);
    }
}

/* Each range counts, and none of them twice. */
static void an_ack_reports_several_ranges(void **state)
{
    static const struct weir_ack_range ranges[] = { { 8, 2 }, { 5, 1 }, { 2, 2 } };
    static const uint64_t bytes[] = { 2 * PAIR_MSS + 1, 3 * PAIR_MSS + 1, 5 * PAIR_MSS + 1 }; /* with packet 0 */
    const struct weir_pkt ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .seq = 0, .ack = 1 };
    (void)state;
    for (uint32_t count = 1; count <= 3; count++) {
        struct pair *p = begin(true);
        (void)ten_sent(p);
        for (uint32_t again = 0; again < 2; again++) {
            weir_host_rx_ack(p->host[0], p->now_ps, &ack, NULL, ranges, count);
            check(p);
            assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, bytes[count - 1]);
        }
    }
}

/* After the time-out one packet goes alone, until an ACK brings something new, be it the last packet's one byte. */
static void only_news_end_the_wait_for_a_packet_alone(void **state)
{
    static const uint32_t news[] = { 4, 9 };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct pair *p = begin(true);
        struct weir_pkt out[10];
        p->cfg.ack_ranges = true;
        ops.on_loss = NULL; /* the window stays */
        (void)ten_sent(p);
        p->now_ps = RTO_PS;
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, NULL, 0), 0);
        report_to(p, 0, 0, 20, 1); /* nothing, before the packet has left */
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 10), 1);
        report_to(p, 0, 0, 20, 1);
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 10), 0);
        assert_int_equal(law_acks, 0);
        report_to(p, 0, 0, news[i], 1);
        assert_int_equal(law_acks, 1);
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 10), 8);
    }
}

/* A peer that reported all from 2 on before it says that it has 1, and then moves its edge over them. Nothing of that is new, but the
 * message is over; also if the timer has run out meanwhile, and one packet would leave alone. */
static void an_edge_that_moves_over_reported_packets_ends_the_message(void **state)
{
    (void)state;
    for (uint32_t tries = 0; tries < 2; tries++) {
        struct pair *p = begin(true);
        p->cfg.ack_ranges = tries;
        const struct host_flow *f = ten_sent(p);
        report_to(p, 0, 1, 2, 8);
        report_to(p, 1, 8, 20, 1);
        assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 9 * PAIR_MSS + 1);
        p->now_ps = f->since_ps + tries * RTO_PS;
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, NULL, 0), 0);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, tries);
        assert_int_equal(p->finishes, 0);
        p->delivered[0] = 1;
        report_to(p, 8, 9, 20, 1); /* all but the last */
        assert_int_equal(f->una, 9);
        assert_int_equal(f->backoff, 0);
        assert_int_equal(p->finishes, 0);
        const struct weir_pkt last = {
            .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .flags = WEIR_PKT_ECE, .seq = 9, .ack = 10
        };
        weir_host_rx_ack(p->host[0], p->now_ps, &last, NULL, &(struct weir_ack_range){ 20, 1 }, 1);
        assert_int_equal(law_acks, 2); /* nothing new for the law, whatever its CE */
        assert_int_equal(p->finishes, 1);
        assert_int_equal(f->board, 0);
        assert_int_equal(f->flags & (HOST_BUSY | HOST_READY), 0);
        assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 9 * PAIR_MSS + 1);
    }
}

/* The same while the window of packets is full, and more wait. */
static void an_edge_that_moves_over_reported_packets_opens_the_window(void **state)
{
    enum { WINDOW = WEIR_HOST_WINDOW_PKTS_MIN };
    struct pair *p = begin(true);
    struct weir_pkt out[2 * WINDOW];
    (void)state;
    p->cfg.params.window_pkts = WINDOW;
    p->dctcp.init_cwnd.bytes = 200 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 0, 200 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2 * WINDOW), WINDOW);
    report_to(p, 0, 1, 2, WINDOW - 2);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2 * WINDOW), 2); /* 1 again, and one more */
    report_to(p, 1, 2, 200, 1);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2 * WINDOW), 1);
    assert_false(weir_host_ready(p->host[0]));
    p->now_ps += PAIR_US;
    report_to(p, WINDOW - 1, WINDOW, 200, 1);
    assert_int_equal(host_flow_at(p->host[0], 0)->since_ps, p->now_ps); /* the timer starts again */
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 2 * WINDOW), WINDOW - 2);
    assert_int_equal(out[0].seq, WINDOW + 2);
    p->now_ps += PAIR_US;
    report_to(p, WINDOW - 1, WINDOW, 200, 1); /* nothing moves */
    assert_int_equal(host_flow_at(p->host[0], 0)->since_ps, p->now_ps - PAIR_US);
}

/* An ACK that a later one has overtaken, and whose ranges are new. */
static void a_late_ack_reports_ranges_too(void **state)
{
    struct pair *p = begin(true);
    const struct host_flow *f = ten_sent(p);
    (void)state;
    report_to(p, 1, 2, 20, 1); /* its range is nothing */
    report_to(p, 0, 1, 4, 2);  /* the packet and all below it are acknowledged; 4 and 5 are not */
    assert_int_equal(f->una, 2);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 4 * PAIR_MSS);
    report_to(p, 0, 1, 4, 2);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 4 * PAIR_MSS);
    report_to(p, 0, 3, 4, 2); /* 2 has arrived */
    assert_int_equal(f->una, 3);
    p->delivered[0] = 1;
    report_to(p, 9, 10, 11, 1); /* all has */
    assert_int_equal(f->una, 10);
    assert_int_equal(p->finishes, 1);
}

/* Hosts of another reliability have no use for ranges: of NewReno's packets none behind una counts as arrived. */
static void only_selective_hosts_read_ranges(void **state)
{
    static const uint32_t others[] = { WEIR_NEWRENO, WEIR_GO_BACK_N };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct pair *p = begin(true);
        p->cfg.params.reliability = others[i];
        const struct host_flow *f = ten_sent(p);
        report_to(p, 1, 2, 4, 3);
        assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 2 * PAIR_MSS);
        assert_int_equal(f->inflight_bytes, 7 * PAIR_MSS + 1);
    }
}

/* What of a window of twenty, and of its ACKs, is lost: of each first copy. */
static uint32_t data_lost, acks_lost, probes_lost;
static uint64_t left_ps[64]; /* when packets were sent again */
static uint32_t left_seq[64], left;

static enum pair_fate lose_masked(struct pair *p, const struct weir_pkt *pkt)
{
    bool again = pkt->flags & WEIR_PKT_RETX;
    if (pkt->kind != WEIR_PKT_DATA)
        return left == 0 && acks_lost >> pkt->seq & 1 ? PAIR_DROP : PAIR_PASS;
    if (!again)
        return data_lost >> pkt->seq & 1 ? PAIR_DROP : PAIR_PASS;
    left_ps[left] = p->now_ps;
    left_seq[left++] = pkt->seq;
    return left <= probes_lost ? PAIR_DROP : PAIR_PASS;
}

/* A law that does not hear of losses, as TIMELY: its window stays at twenty. */
static struct pair *time_out(bool ranges, uint32_t data, uint32_t acks, uint32_t probes)
{
    struct pair *p = begin(ranges);
    ops.on_loss = NULL;
    p->cfg.ack_ranges = ranges;
    data_lost = data, acks_lost = acks, probes_lost = probes, left = 0;
    p->fate = lose_masked;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->retransmissions, left);
    return p;
}

#define ALL 0xfffffu

/* All has arrived, and no ACK came: the ACK of the first packet says so. */
static void a_timeout_sends_one_packet_if_all_has_arrived(void **state)
{
    (void)state;
    struct pair *p = time_out(true, 0, ALL, 0);
    assert_int_equal(left, 1);
    assert_int_equal(left_seq[0], 0);
    assert_int_equal(left_ps[0], RTO_PS);
    assert_int_equal(p->finished_ps[0], RTO_PS + 88000 + 8000 + 10 * PAIR_US);
    p = time_out(false, 0, ALL,
                 0); /* without ranges the window goes again, until that ACK comes: 10.096 us are enough for it */
    assert_int_equal(left, 20);
    assert_int_equal(p->finished_ps[0], RTO_PS + 88000 + 8000 + 10 * PAIR_US);
}

/* 3 and 7 to 19 are lost: after the first packet, whose ACK reports 1, 2 and 4 to 6, these 14 go. */
static void what_the_ack_of_the_first_packet_does_not_report_follows(void **state)
{
    uint64_t ack_ps = RTO_PS + 88000 + 8000 + 10 * PAIR_US;
    (void)state;
    struct pair *p = time_out(true, ALL & ~0x77u, ALL, 0);
    assert_int_equal(left, 15);
    assert_int_equal(left_seq[0], 0);
    assert_int_equal(left_seq[1], 3);
    for (uint32_t i = 2; i < 15; i++)
        assert_int_equal(left_seq[i], 5 + i);
    for (uint32_t i = 1; i < 15; i++)
        assert_int_equal(left_ps[i], ack_ps + (i - 1) * UINT64_C(88000));
    assert_int_equal(weir_host_stats(p->host[1])->duplicates, 1);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    (void)time_out(false, ALL & ~0x77u, ALL, 0);
    assert_int_equal(left, 20);
}

/* A window that is lost as a whole costs a round trip more. */
static void a_lost_window_follows_its_first_packet(void **state)
{
    (void)state;
    struct pair *p = time_out(true, ALL, ALL, 0);
    assert_int_equal(left, 20);
    assert_int_equal(left_ps[0], RTO_PS);
    for (uint32_t i = 1; i < 20; i++)
        assert_int_equal(left_ps[i], RTO_PS + 96000 + 10 * PAIR_US + (i - 1) * UINT64_C(88000));
    assert_int_equal(weir_host_stats(p->host[1])->duplicates, 0);
}

/* The packet that goes alone is lost, too: alone it goes again, after twice the time. */
static void a_lost_probe_is_sent_alone_again(void **state)
{
    (void)state;
    struct pair *p = time_out(true, 0, ALL, 2);
    assert_int_equal(left, 3);
    assert_int_equal(left_ps[0], RTO_PS);
    assert_int_equal(left_ps[1], 3 * RTO_PS);
    assert_int_equal(left_ps[2], 7 * RTO_PS);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ack_reports_what_arrived_out_of_order_the_highest_first),
        cmocka_unit_test(of_many_ranges_the_highest_are_reported),
        cmocka_unit_test(ranges_agree_with_a_list),
        cmocka_unit_test(packets_that_a_range_reports_are_not_sent_again),
        cmocka_unit_test(what_a_range_cannot_say_is_ignored),
        cmocka_unit_test(what_an_ack_calls_missing_has_not_arrived),
        cmocka_unit_test(an_ack_reports_several_ranges),
        cmocka_unit_test(only_news_end_the_wait_for_a_packet_alone),
        cmocka_unit_test(an_edge_that_moves_over_reported_packets_ends_the_message),
        cmocka_unit_test(an_edge_that_moves_over_reported_packets_opens_the_window),
        cmocka_unit_test(a_late_ack_reports_ranges_too),
        cmocka_unit_test(only_selective_hosts_read_ranges),
        cmocka_unit_test(a_timeout_sends_one_packet_if_all_has_arrived),
        cmocka_unit_test(what_the_ack_of_the_first_packet_does_not_report_follows),
        cmocka_unit_test(a_lost_window_follows_its_first_packet),
        cmocka_unit_test(a_lost_probe_is_sent_alone_again),
    };
    return cmocka_run_group_tests_name("host/ranges", tests, NULL, NULL);
}
