/* test/unit/proto/test_homa.c - drives the protocol by hand: packets of 1000 bytes of payload, 1080 on the wire, at 10 Gb/s. */
#include "core/credit_ops.h"
#include "test/unit/proto/law_bench.h"
#include "proto/homa/homa.h"

enum { MSS = 1000, WIRE = 1080, MSGS = 9 };
#define PACKET_PS (WIRE * UINT64_C(800))

static struct weir_homa_config cfg;
static struct weir_homa_host host;
static struct weir_homa_tx tx[MSGS];
static struct weir_homa_rx rx[MSGS];
static struct weir_homa_peer peer[MSGS];
static const struct weir_credit_ops *const homa = &weir_homa_ops;
static const struct weir_limits limits = {
    .path = { .base_rtt_ps = 8000000, .rate_bps = 10000000000, .bdp_bytes = 3240, .mss_bytes = MSS },
    .framing = { MSS, 60, 20, 84, 84 },
    .ps_per_kbyte = 800000,
};

static void start(void)
{
    memset(&host, 0xff, sizeof(host));
    memset(tx, 0, sizeof(tx));
    memset(rx, 0, sizeof(rx));
    memset(peer, 0xff, sizeof(peer));
    homa->init(&cfg, &host, &limits);
    for (int i = 0; i < MSGS; i++)
        homa->peer_init(&cfg, &host, &peer[i]);
}

/* Two unscheduled packets, three on their way; two granted senders; levels 0 to 2 and 3 to 7. */
static int setup(void **state)
{
    (void)state;
    cfg = (struct weir_homa_config){ .cutoffs = { { 1000, 3000 }, 2 },
                                     .unsched = { .bytes = 2000 },
                                     .window = { .bytes = 3 * WIRE },
                                     .cutoff_cap = { .bytes = 10000 },
                                     .loss_ps = 5 * WEIR_PS_PER_MS,
                                     .priorities = 8,
                                     .unsched_levels = 3,
                                     .overcommit = 2,
                                     .grant_pkts = 1,
                                     .cutoff_grants = 1 };
    start();
    return 0;
}

/* --- levels --- */

static void unscheduled_levels_follow_what_is_left(void **state)
{
    static const uint64_t left[] = { 1, 1000, 1001, 3000, 3001, UINT64_C(1) << 48 };
    static const uint8_t want[] = { 0, 0, 1, 1, 2, 2 };
    (void)state;
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
        assert_int_equal(weir_homa_unsched_level(&cfg, left[i]), want[i]);
    cfg.unsched_levels = 1;
    cfg.cutoffs.count = 0;
    assert_int_equal(weir_homa_unsched_level(&cfg, 3001), 0);
}

static void few_granted_senders_use_the_lowest_levels(void **state)
{
    (void)state;
    assert_int_equal(weir_homa_grant_level(&cfg, 0, 1), 7);
    assert_int_equal(weir_homa_grant_level(&cfg, 0, 2), 6);
    assert_int_equal(weir_homa_grant_level(&cfg, 1, 2), 7);
    for (uint32_t rank = 0; rank < 7; rank++)
        assert_int_equal(weir_homa_grant_level(&cfg, rank, 7), 1 + rank);
}

/* --- sender --- */

static struct weir_homa_tx *message(uint32_t i, uint64_t bytes)
{
    tx[i].msg = (struct weir_tx_msg){
        .left_bytes = bytes, .pkts = (uint32_t)((bytes + MSS - 1) / MSS), .next_wire_bytes = WIRE, .order = i
    };
    homa->tx_message(&cfg, &host, &peer[i], &tx[i], 0);
    return &tx[i];
}

/* The message whose packet leaves, and 10 times its level; MSGS = none may. */
static uint32_t send(void)
{
    struct weir_send out;
    bool ready = homa->tx_ready(&host);
    assert_int_equal(homa->tx_next(&cfg, &host, 0, &out), ready);
    if (!ready)
        return MSGS;
    struct weir_homa_tx *m = out.tx;
    assert_ptr_equal(out.peer, &peer[m - tx]);
    m->msg.left_bytes -= m->msg.left_bytes < MSS ? m->msg.left_bytes : MSS;
    if (m->msg.again_pkts > 0)
        m->msg.again_pkts--;
    else
        m->msg.next++;
    if (m->msg.again_pkts == 0 && m->msg.next == m->msg.pkts)
        m->msg.next_wire_bytes = 0;
    homa->tx_sent(&cfg, &host, out.peer, m);
    return (uint32_t)(m - tx) + 10 * out.class_id;
}

static void credit(uint32_t i, uint32_t first, uint32_t pkts, uint8_t level, uint32_t sequence)
{
    homa->tx_credit(&cfg, &host, &peer[i], &tx[i],
                    &(struct weir_credit){ .first_pkt = first, .pkts = pkts, .class_id = level, .sequence = sequence });
}

static void grant(uint32_t i, uint32_t pkt, uint8_t level)
{
    credit(i, pkt, 1, level, WEIR_HOMA_GRANT);
}

static void a_message_goes_unscheduled_up_to_whole_packets(void **state)
{
    static const uint64_t bytes[] = { 1, 1000, 1001, 2000, 2001, 9000 }, unsched[] = { 1, 1, 2, 2, 2, 2 };
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(message(i, bytes[i])->msg.unsched_pkts, unsched[i]);
    cfg.unsched.bytes = 2999; /* all of one that is as long, else two packets */
    assert_int_equal(message(6, 2999)->msg.unsched_pkts, 3);
    assert_int_equal(message(7, 3000)->msg.unsched_pkts, 2);
    cfg.unsched.bytes = 0;
    assert_int_equal(message(8, 1)->msg.unsched_pkts, 0);
}

static void levels_of_unscheduled_packets_rise_as_the_message_is_sent(void **state)
{
    (void)state;
    cfg.unsched.bytes = 4000;
    (void)message(0, 4000);
    assert_int_equal(send(), 20);
    assert_int_equal(send(), 10);
    assert_int_equal(send(), 10);
    assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
}

static void the_message_with_least_left_goes_first(void **state)
{
    (void)state;
    (void)message(0, 4000);
    (void)message(1, 2000);
    (void)message(2, 2000);
    assert_int_equal(send() % 10, 1);
    assert_int_equal(send() % 10, 1);
    assert_int_equal(send() % 10, 2); /* of the same size: the older one */
    (void)message(3, 500);
    assert_int_equal(send() % 10, 3);
    assert_int_equal(send() % 10, 2);
    assert_int_equal(send() % 10, 0);
    assert_int_equal(send() % 10, 0);
    assert_int_equal(send(), MSGS); /* and waits for grants */
}

static void of_equal_messages_the_unscheduled_one_goes_first(void **state)
{
    (void)state;
    (void)message(0, 4000);
    (void)send(), (void)send();
    (void)message(1, 2000);
    grant(0, 2, 7);
    assert_int_equal(send() % 10, 1);
}

static void messages_may_take_turns(void **state)
{
    static const uint32_t want[] = { 0, 1, 2, 0, 2, MSGS % 10 };
    (void)state;
    cfg.sender_policy = WEIR_HOMA_ROUND_ROBIN;
    (void)message(0, 2000);
    (void)message(1, 1);
    (void)message(2, 2000);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        assert_int_equal(send() % 10, want[i]);
}

/* Each grant is for one packet and has a level of its own. */
static void granted_packets_have_the_levels_of_their_grants(void **state)
{
    (void)state;
    (void)message(0, 9000);
    (void)send(), (void)send();
    grant(0, 2, 7);
    assert_int_equal(send(), 70);
    grant(0, 3, 7);
    grant(0, 4, 4);
    grant(0, 5, 6);
    assert_int_equal(send(), 40);
    assert_int_equal(send(), 60);
    assert_int_equal(send(), 70);
    assert_int_equal(send(), MSGS);
}

static void a_grant_makes_up_for_lost_ones_and_counts_once(void **state)
{
    (void)state;
    (void)message(0, 9000);
    (void)send(), (void)send();
    grant(0, 3, 5); /* that of packet 2 was lost */
    assert_int_equal(send(), 50);
    grant(0, 3, 5);
    grant(0, 2, 6); /* or was late */
    assert_int_equal(send(), 50);
    assert_int_equal(send(), MSGS);
    credit(0, 8, UINT32_MAX, 7, WEIR_HOMA_GRANT); /* not beyond the message */
    for (int i = 0; i < 5; i++)
        assert_int_equal(send(), 70);
    assert_int_equal(send(), MSGS);
    homa->tx_credit(&cfg, &host, &peer[0], NULL, &(struct weir_credit){ .pkts = 1 }); /* it is over */
}

static void grants_beyond_the_window_are_not_believed(void **state)
{
    (void)state;
    (void)message(0, 20000000);
    (void)send(), (void)send();
    credit(0, 2, WEIR_CREDIT_WINDOW_PKTS + 1, 7, WEIR_HOMA_GRANT);
    assert_int_equal(send(), MSGS);
    credit(0, 2, WEIR_CREDIT_WINDOW_PKTS, 7, WEIR_HOMA_GRANT);
    assert_int_equal(send(), 70);
    assert_int_equal(tx[0].level_pkts[7], WEIR_CREDIT_WINDOW_PKTS - 1);
}

static void what_is_asked_for_again_goes_with_the_level_of_the_request(void **state)
{
    (void)state;
    (void)message(0, 2000);
    (void)send(), (void)send();
    assert_int_equal(send(), MSGS);
    credit(0, 0, 2, 5, WEIR_HOMA_RESEND);
    assert_int_equal(host.head.controls, 0);
    assert_int_equal(send(), MSGS); /* until the host says what goes again */
    tx[0].msg.again_pkts = 2;
    tx[0].msg.left_bytes = 2000;
    tx[0].msg.next_wire_bytes = WIRE;
    homa->tx_again(&cfg, &host, &peer[0], &tx[0]);
    assert_int_equal(send(), 50);
    assert_int_equal(send(), 50);
    assert_int_equal(send(), MSGS);
}

/* Shorter ones come first at this sender. */
static void a_message_that_was_not_sent_yet_answers_busy(void **state)
{
    struct weir_own_pkt out = { .kind = 9 };
    (void)state;
    (void)message(0, 9000);
    grant(0, 2, 7);
    credit(0, 0, 2, 5, WEIR_HOMA_RESEND);
    assert_int_equal(host.head.controls, 1);
    credit(0, 0, 2, 5, WEIR_HOMA_RESEND); /* once is enough until it has left */
    assert_int_equal(host.head.controls, 1);
    homa->control_next(&cfg, &host, &out);
    assert_int_equal(host.head.controls, 0);
    assert_int_equal(out.kind, WEIR_HOMA_BUSY);
    assert_ptr_equal(out.tx, &tx[0]);
    assert_ptr_equal(out.peer, &peer[0]);
    assert_null(out.rx);
    (void)send();
    credit(0, 0, 2, 5, WEIR_HOMA_RESEND); /* part of it was */
    assert_int_equal(host.head.controls, 0);
    credit(0, 1, 1, 5, WEIR_HOMA_GRANT); /* no request */
    assert_int_equal(host.head.controls, 0);
}

/* A request for packets whose grant was lost grants them. */
static void a_request_for_unsent_packets_is_a_grant(void **state)
{
    (void)state;
    (void)message(0, 9000);
    (void)send(), (void)send();
    credit(0, 2, 3, 6, WEIR_HOMA_RESEND);
    assert_int_equal(host.head.controls, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(send(), 60);
    assert_int_equal(send(), MSGS);
}

static void a_message_that_is_over_sends_no_more(void **state)
{
    (void)state;
    (void)message(0, 2000);
    (void)message(1, 4000);
    homa->tx_done(&cfg, &host, &peer[0], &tx[0]);
    homa->tx_done(&cfg, &host, &peer[0], &tx[0]);
    assert_int_equal(send() % 10, 1);
    homa->tx_done(&cfg, &host, &peer[1], &tx[1]);
    assert_int_equal(send(), MSGS);
}

/* Levels 1 and 2 are paused: of three messages one may go. */
static void paused_levels_wait_and_others_do_not(void **state)
{
    (void)state;
    (void)message(0, 3000);
    (void)message(1, 2000);
    (void)message(2, 9000);
    (void)message(3, 1000);
    homa->tx_pause(&cfg, &host, 0x06);
    homa->tx_resume(&cfg, &host, &peer[0]);
    assert_int_equal(send(), 3);
    assert_int_equal(send(), MSGS);
    (void)message(4, 1000);
    assert_int_equal(send(), 4);
    homa->tx_done(&cfg, &host, &peer[2], &tx[2]); /* while it is held */
    homa->tx_pause(&cfg, &host, 0x04);
    assert_int_equal(send(), 11);
    homa->tx_pause(&cfg, &host, 0x02);
    assert_int_equal(send(), 1); /* its second packet is of level 0 */
    assert_int_equal(send(), MSGS);
    homa->tx_pause(&cfg, &host, 0);
    assert_int_equal(send(), 10);
    assert_int_equal(send(), 10);
    grant(0, 2, 3);
    homa->tx_pause(&cfg, &host, 0x08);
    assert_int_equal(send(), MSGS);
    grant(0, 2, 3); /* changes nothing of a message that is held */
    assert_int_equal(send(), MSGS);
    homa->tx_pause(&cfg, &host, 0);
    assert_int_equal(send(), 30);
    assert_int_equal(send(), MSGS);
}

/* --- receiver --- */

/* The first packet about a message of sender from: its announcement. */
static void announced(uint32_t i, uint32_t from, uint32_t pkts)
{
    uint32_t unsched = pkts < 2 ? pkts : 2;
    rx[i].msg = (struct weir_rx_msg){ .left_bytes = pkts * UINT64_C(1000),
                                      .ungranted_bytes = (pkts - unsched) * UINT64_C(1000),
                                      .pkts = pkts,
                                      .unsched_pkts = unsched,
                                      .unsched_wire_bytes = unsched * WIRE,
                                      .grant_wire_bytes = pkts > unsched ? WIRE : 0,
                                      .order = i,
                                      .granted = unsched };
    homa->rx_message(&cfg, &host, &peer[from], &rx[i], 0);
}

/* A packet of it arrives. */
static void data(uint32_t i, uint32_t from)
{
    rx[i].msg.left_bytes -= MSS;
    rx[i].msg.cum++;
    assert_true(
        homa->rx_packet(&cfg, &host, &peer[from], &rx[i],
                        &(struct weir_data){ .payload_bytes = MSS, .wire_bytes = WIRE, .flags = WEIR_DATA_PAYLOAD }));
}

static struct weir_grant last;

/* What is granted at an instant: 10 times the level, and the message; MSGS = nothing. */
static uint32_t granted_at(uint64_t now_ps)
{
    while (homa->rx_next_ps(&cfg, &host, now_ps) <= now_ps) {
        if (!homa->rx_next(&cfg, &host, now_ps, &last))
            continue;
        struct weir_homa_rx *m = last.rx;
        uint32_t pkts = last.pkts < m->msg.pkts - m->msg.granted ? last.pkts : m->msg.pkts - m->msg.granted;
        if (last.sequence == WEIR_HOMA_RESEND) { /* as if one packet was lost */
            pkts = 1;
            m->msg.ungranted_bytes -= MSS;
        } else {
            m->msg.granted += pkts;
            m->msg.ungranted_bytes -= pkts * UINT64_C(1000);
        }
        m->msg.grant_wire_bytes = m->msg.ungranted_bytes > 0 ? WIRE : 0;
        last.wire_bytes = pkts * WIRE;
        homa->rx_granted(&cfg, &host, &last, now_ps);
        return (uint32_t)(m - rx) + 10 * last.class_id;
    }
    return MSGS;
}

static uint64_t next_ps(uint64_t now_ps)
{
    return homa->rx_next_ps(&cfg, &host, now_ps);
}

/* With room for one packet more a grant goes at once, and none after it until a packet has come. */
static void a_message_has_a_window_on_its_way(void **state)
{
    (void)state;
    announced(0, 0, 9);
    assert_int_equal(granted_at(5), 70);
    assert_int_equal(last.pkts, 1);
    assert_int_equal(last.sequence, WEIR_HOMA_GRANT);
    assert_ptr_equal(last.peer, &peer[0]);
    assert_int_equal(rx[0].out_bytes, 3 * WIRE);
    assert_true(next_ps(5) == WEIR_NEVER);
    data(0, 0);
    assert_int_equal(granted_at(7), 70);
    assert_int_equal(granted_at(7), MSGS);
    for (int i = 0; i < 5; i++) {
        data(0, 0);
        assert_int_equal(granted_at(8), 70);
    }
    data(0, 0); /* all is granted */
    assert_true(next_ps(8) == WEIR_NEVER);
    assert_int_equal(rx[0].out_bytes, 2 * WIRE);
    data(0, 0), data(0, 0);
    assert_int_equal(host.out_bytes, 0);
    homa->rx_done(&cfg, &host, &peer[0], &rx[0]);
    assert_int_equal(host.most_bytes, 0);
}

/* One byte of room is enough: a packet more than the window may be on its way. */
static void the_window_is_exceeded_by_less_than_a_packet(void **state)
{
    (void)state;
    cfg.window.bytes = 2 * WIRE;
    announced(0, 0, 9);
    assert_true(next_ps(0) == WEIR_NEVER);
    cfg.window.bytes++;
    data(0, 0);
    assert_int_equal(granted_at(0), 70);
    assert_int_equal(granted_at(PACKET_PS), 70);
    assert_int_equal(rx[0].out_bytes, 3 * WIRE);
    assert_true(next_ps(PACKET_PS) == WEIR_NEVER);
}

/* Where there is more room the next grant goes when the packets of this one have passed the link, or with the next packet of the
 * sender if that comes at a better level. */
static void grants_to_a_sender_are_a_packet_time_apart(void **state)
{
    (void)state;
    cfg.window.bytes = 9 * WIRE;
    announced(0, 0, 19);
    assert_int_equal(granted_at(100), 70);
    assert_true(next_ps(101) == 100 + PACKET_PS);
    data(0, 0);
    assert_int_equal(granted_at(102), MSGS); /* its timer runs */
    assert_int_equal(granted_at(100 + PACKET_PS), 70);
    cfg.grant_pkts = 3;
    assert_int_equal(granted_at(100 + 2 * PACKET_PS), 70);
    assert_int_equal(last.pkts, 3);
    assert_true(next_ps(0) == 100 + 5 * PACKET_PS);
    announced(1, 1, 29); /* two senders: the first has level 6 now */
    data(0, 0);
    assert_int_equal(granted_at(200 + 2 * PACKET_PS), 60);
}

/* A timer that ends when another message of the sender comes first, whose window is full. */
static void a_timer_may_end_without_a_grant(void **state)
{
    (void)state;
    cfg.window.bytes = 2 * WIRE;
    announced(0, 0, 19);
    data(0, 0), data(0, 0);
    assert_int_equal(granted_at(100), 70);
    announced(1, 0, 9);
    assert_true(next_ps(101) == 100 + PACKET_PS);
    assert_int_equal(granted_at(100 + PACKET_PS), MSGS);
    assert_true(next_ps(100 + PACKET_PS) == WEIR_NEVER);
    data(1, 0), data(1, 0);
    assert_int_equal(granted_at(200 + PACKET_PS), 71);
    assert_true(next_ps(0) == 200 + 2 * PACKET_PS);
    announced(2, 0, 5);
    announced(3, 1, 29); /* the level of the first sender is 6 now, and there is nothing to grant */
    data(0, 0);
    assert_true(next_ps(0) == WEIR_NEVER);
}

/* By what is not granted; senders beyond the overcommitment wait. */
static void the_first_senders_are_granted(void **state)
{
    (void)state;
    announced(0, 0, 19);
    assert_int_equal(granted_at(0), 70);
    announced(1, 1, 29);
    assert_int_equal(granted_at(1), 71);
    announced(2, 2, 39); /* third */
    assert_int_equal(granted_at(2), MSGS);
    data(2, 2);
    assert_int_equal(granted_at(2), MSGS);
    announced(3, 3, 9); /* first: the second one waits now */
    assert_int_equal(granted_at(3), 63);
    data(1, 1);
    assert_int_equal(granted_at(4), MSGS);
    data(0, 0);
    assert_int_equal(granted_at(5), 70);
    assert_int_equal(peer[1].rank, WEIR_HOMA_NO_RANK);
    homa->rx_done(&cfg, &host, &peer[3], &rx[3]); /* who moves among the first is granted at once */
    assert_int_equal(granted_at(6), 71);
    homa->rx_done(&cfg, &host, &peer[0], &rx[0]);
    assert_int_equal(granted_at(7), 72);
    homa->rx_done(&cfg, &host, &peer[2], &rx[2]);
    data(1, 1);
    assert_int_equal(granted_at(8), 71); /* alone: the lowest level */
}

/* The last grant of a message makes room for another sender. */
static void a_sender_that_needs_no_more_grants_gives_way(void **state)
{
    (void)state;
    cfg.overcommit = 1;
    announced(0, 0, 3);
    announced(1, 1, 9);
    assert_int_equal(granted_at(0), 70);
    assert_int_equal(granted_at(0), 71);
    assert_int_equal(granted_at(0), MSGS);
    data(0, 0);
    assert_int_equal(granted_at(0), MSGS);
    data(1, 1);
    assert_int_equal(granted_at(0), 71);
}

/* Its next message may be longer than that of another. */
static void a_sender_may_fall_behind_after_its_message(void **state)
{
    (void)state;
    cfg.overcommit = 1;
    announced(0, 0, 3);
    announced(1, 0, 90);
    announced(2, 1, 9);
    assert_int_equal(granted_at(0), 70);
    assert_int_equal(granted_at(0), 72);
    data(1, 0);
    assert_int_equal(granted_at(1), MSGS);
    data(2, 1);
    assert_int_equal(granted_at(2), 72);
}

/* A packet of any message is the occasion, and the first message has the grant. */
static void a_sender_is_granted_its_shortest_message(void **state)
{
    (void)state;
    announced(0, 0, 19);
    assert_int_equal(granted_at(0), 70);
    announced(1, 0, 9);
    assert_int_equal(granted_at(1), 71);
    data(0, 0);
    assert_int_equal(granted_at(2), MSGS); /* its window is full */
    data(1, 0);
    assert_int_equal(granted_at(3), 71);
    homa->rx_done(&cfg, &host, &peer[0], &rx[1]);
    assert_int_equal(granted_at(4), 70);
}

/* Equal ones in the order in which they came. */
static void equal_messages_are_granted_in_order(void **state)
{
    (void)state;
    cfg.overcommit = 1;
    announced(0, 1, 9);
    announced(1, 0, 9);
    assert_int_equal(granted_at(0), 70);
    data(1, 0);
    assert_int_equal(granted_at(0), MSGS);
}

static void ranks_give_levels(void **state)
{
    (void)state;
    cfg.overcommit = 7;
    cfg.unsched_levels = 1;
    for (uint32_t i = 0; i < 8; i++)
        announced(i, i, 20 - i);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(granted_at(0), 10 * (i + 1) + 7 - i); /* the eighth is the longest */
    assert_int_equal(granted_at(0), MSGS);
}

static void the_tail_may_be_boosted(void **state)
{
    (void)state;
    cfg.boost.bytes = 3000;
    announced(0, 0, 6);
    assert_int_equal(granted_at(0), 70); /* 4000 B are not granted */
    data(0, 0);
    assert_int_equal(granted_at(0), 10); /* 3000 */
    data(0, 0);
    assert_int_equal(granted_at(0), 10);
    data(0, 0);
    assert_int_equal(granted_at(0), 0); /* 1000 */
}

static void packets_without_payload_grant_nothing(void **state)
{
    struct weir_data request = { .wire_bytes = 84 };
    (void)state;
    assert_false(homa->rx_packet(&cfg, &host, &peer[0], NULL, &request));
    announced(0, 0, 9);
    assert_int_equal(granted_at(0), 70);
    request.flags = WEIR_DATA_PAYLOAD | WEIR_DATA_KNOWN; /* a duplicate */
    assert_false(homa->rx_packet(&cfg, &host, &peer[0], &rx[0], &request));
    assert_int_equal(rx[0].out_bytes, 3 * WIRE);
}

static bool silent(uint32_t i, uint32_t from)
{
    return homa->rx_silent(&cfg, &host, &peer[from], &rx[i], 0);
}

/* What was lost is granted again by one request; what is on its way follows from the host's numbers from then on. */
static void what_is_lost_is_asked_for_again(void **state)
{
    (void)state;
    announced(0, 0, 9);
    assert_int_equal(granted_at(0), 70);
    data(0, 0);
    assert_int_equal(granted_at(0), 70);
    assert_true(silent(0, 0));
    rx[0].msg.ungranted_bytes += 3000; /* all three are to be granted again */
    homa->rx_again(&cfg, &host, &peer[0], &rx[0]);
    assert_int_equal(rx[0].out_bytes, 0);
    assert_int_equal(granted_at(0), 70);
    assert_int_equal(last.sequence, WEIR_HOMA_RESEND);
    assert_int_equal(last.pkts, 3); /* as many as the window has room for */
    assert_int_equal(rx[0].out_bytes, WIRE);
    assert_int_equal(granted_at(PACKET_PS), 70);
    assert_int_equal(last.sequence, WEIR_HOMA_RESEND);
    assert_int_equal(last.pkts, 2); /* there is less room now */
    assert_int_equal(rx[0].out_bytes, 2 * WIRE);
    rx[0].msg.ungranted_bytes -= 1000; /* one comes late: not to be granted again */
    rx[0].msg.left_bytes -= MSS;
    data(0, 0);
    assert_int_equal(rx[0].out_bytes, WIRE);
    assert_int_equal(granted_at(2 * PACKET_PS), 70);
    assert_int_equal(last.sequence, WEIR_HOMA_GRANT);
    rx[0].msg.left_bytes = 2500;
    rx[0].msg.ungranted_bytes = 1000;
    homa->rx_again(&cfg, &host, &peer[0], &rx[0]);
    assert_int_equal(rx[0].out_bytes, WIRE + 580); /* the last one has 500 B */
}

static void a_message_that_waits_for_grants_is_not_lost(void **state)
{
    (void)state;
    announced(0, 0, 9);
    rx[0].msg.left_bytes = rx[0].msg.ungranted_bytes;
    assert_false(silent(0, 0));
    assert_int_equal(granted_at(0), 70);
    assert_true(silent(0, 0));
}

/* BUSY: it may still come. Once. */
static void a_busy_sender_has_another_timeout(void **state)
{
    struct weir_own_pkt busy = { .rx = &rx[0], .kind = WEIR_HOMA_BUSY };
    (void)state;
    announced(0, 0, 9);
    homa->control(&cfg, &host, &busy);
    assert_false(silent(0, 0));
    assert_true(silent(0, 0));
    busy.kind = 7;
    homa->control(&cfg, &host, &busy);
    assert_true(silent(0, 0));
    busy = (struct weir_own_pkt){ .kind = WEIR_HOMA_BUSY };
    homa->control(&cfg, &host, &busy); /* of a message that is over */
}

static void sums_count_what_is_on_its_way(void **state)
{
    struct weir_credit_sums sums;
    (void)state;
    announced(0, 0, 9);
    announced(1, 1, 1);
    assert_int_equal(granted_at(0), 70);
    homa->sums(&cfg, &host, &sums);
    assert_int_equal(sums.outstanding_bytes, 4 * WIRE);
    assert_int_equal(sums.bucket_bytes, 2 * 4 * WIRE);
    assert_int_equal(sums.most_bytes, 2 * 4 * WIRE);
    assert_int_equal(sums.held_bytes + sums.surplus_bytes, 0);
}

/* --- keys --- */

static void fit(const struct weir_size_share *share, uint32_t count)
{
    const struct weir_fit f = { &limits.path, &limits.framing, { share, count } };
    cfg.cutoffs.count = 0;
    weir_homa_fit(&cfg, &f);
}

/* A message of one packet and one of four: 1080 B each with 1000 B left, then 2000, 3000, 4000; two grants of 84 B. */
static void cutoffs_give_all_levels_the_same_bytes(void **state)
{
    static const struct weir_size_share two[] = { { 1000, 1 << 21 }, { 4000, 1 << 21 } };
    (void)state;
    cfg.unsched_levels = 2;
    fit(two, 2);
    assert_int_equal(cfg.cutoffs.count, 1);
    assert_int_equal(cfg.cutoffs.bytes[0], 2000); /* 168 + 2160 + 1080, of 5568 */
    cfg.unsched_levels = 3;
    fit(two, 2);
    assert_int_equal(cfg.cutoffs.bytes[0], 1000); /* 2328 >= 1856 */
    assert_int_equal(cfg.cutoffs.bytes[1], 3000); /* 4488 >= 3712, 3408 is not */
    cfg.cutoff_grants = 0;
    fit(two, 2);
    assert_int_equal(cfg.cutoffs.bytes[0], 1000); /* 2160 >= 1800 */
    assert_int_equal(cfg.cutoffs.bytes[1], 3000); /* 4320 >= 3600, 3240 is not */
    cfg.cutoff_cap.bytes = 2000;                  /* the last two of the longer one do not count */
    cfg.unsched_levels = 2;
    fit(two, 2);
    assert_int_equal(cfg.cutoffs.bytes[0], 3000); /* 2160 >= 1620 */
    cfg.cutoffs = (struct weir_size_list){ { 77 }, 1 };
    weir_homa_fit(&cfg, &(struct weir_fit){ &limits.path, &limits.framing, { two, 2 } });
    assert_int_equal(cfg.cutoffs.bytes[0], 77); /* given */
}

static void grants_weigh_on_the_first_level(void **state)
{
    static const struct weir_size_share one[] = { { 40000, 1 << 22 } };
    (void)state;
    cfg.unsched_levels = 2;
    cfg.cutoff_cap.bytes = 4000; /* 40000, 39000, 38000, 37000 left; 38 grants of 84 B: 3192 of 7512 */
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.bytes[0], 37000);
    cfg.cutoff_grants = 0;
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.bytes[0], 38000);
    cfg.cutoff_grants = 1;
    cfg.unsched.bytes = 0; /* 40 grants: 3360 */
    cfg.grant_pkts = 2;    /* 20: 1680 of 6000 */
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.bytes[0], 38000);
    cfg.grant_pkts = 1;
    cfg.cutoff_cap.bytes = 1000; /* one packet of 1080 B: grants alone are 3360 of 4440, more than level 0 may have */
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.bytes[0], 1);
}

static void cutoffs_increase_whatever_the_sizes_are(void **state)
{
    static const struct weir_size_share one[] = { { 500, 1 << 22 } };
    (void)state;
    cfg.unsched_levels = 4;
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.count, 3);
    assert_int_equal(cfg.cutoffs.bytes[0], 500);
    assert_int_equal(cfg.cutoffs.bytes[1], 501);
    assert_int_equal(cfg.cutoffs.bytes[2], 502);
    cfg.unsched_levels = 1;
    fit(one, 1);
    assert_int_equal(cfg.cutoffs.count, 0);
}

/* As long as goes unscheduled: four packets. */
static void unknown_sizes_divide_the_unscheduled_bytes(void **state)
{
    (void)state;
    cfg.unsched.bytes = 4000;
    cfg.unsched_levels = 4;
    fit(NULL, 0);
    assert_int_equal(cfg.cutoffs.bytes[0], 1000);
    assert_int_equal(cfg.cutoffs.bytes[1], 2000);
    assert_int_equal(cfg.cutoffs.bytes[2], 3000);
}

static void refuses(const char *key)
{
    struct weir_err err = { 0 };
    assert_int_equal(weir_homa_check(&cfg, &limits.path, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", key);
    (void)setup(NULL);
    assert_int_equal(weir_homa_check(&cfg, &limits.path, &err), 0);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    cfg.unsched_levels = 8;
    refuses("unsched_levels");
    cfg.overcommit = 6;
    refuses("overcommit");
    cfg.priorities = 4;
    refuses("overcommit");
    cfg.cutoffs.count = 1;
    refuses("cutoffs");
    cfg.cutoffs.bytes[1] = 1000;
    refuses("cutoffs");
    cfg.unsched.bytes = UINT64_C(8192) * MSS + 1;
    refuses("unsched_max");
    cfg.window.bytes = UINT64_C(8192) * MSS + 1;
    refuses("window");
    cfg.window.bytes = MSS - 1;
    refuses("window");
    cfg.cutoff_cap.bytes = UINT64_C(8192) * MSS;
    refuses("cutoff_cap");
    cfg.loss_ps = 2 * limits.path.base_rtt_ps - 1;
    refuses("loss_timeout");
    cfg.loss_ps = 0;
    cfg.overcommit = 5;
    assert_null(law_check(weir_homa_check, &cfg, &limits.path));
    assert_int_equal(homa->control_class(&cfg), 0);
    assert_int_equal(homa->data_class(&cfg), 7);
    assert_int_equal(homa->classes(&cfg), 8);
    assert_int_equal(homa->loss_ps(&cfg), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(unscheduled_levels_follow_what_is_left, setup),
        cmocka_unit_test_setup(few_granted_senders_use_the_lowest_levels, setup),
        cmocka_unit_test_setup(a_message_goes_unscheduled_up_to_whole_packets, setup),
        cmocka_unit_test_setup(levels_of_unscheduled_packets_rise_as_the_message_is_sent, setup),
        cmocka_unit_test_setup(the_message_with_least_left_goes_first, setup),
        cmocka_unit_test_setup(of_equal_messages_the_unscheduled_one_goes_first, setup),
        cmocka_unit_test_setup(messages_may_take_turns, setup),
        cmocka_unit_test_setup(granted_packets_have_the_levels_of_their_grants, setup),
        cmocka_unit_test_setup(a_grant_makes_up_for_lost_ones_and_counts_once, setup),
        cmocka_unit_test_setup(grants_beyond_the_window_are_not_believed, setup),
        cmocka_unit_test_setup(what_is_asked_for_again_goes_with_the_level_of_the_request, setup),
        cmocka_unit_test_setup(a_message_that_was_not_sent_yet_answers_busy, setup),
        cmocka_unit_test_setup(a_request_for_unsent_packets_is_a_grant, setup),
        cmocka_unit_test_setup(a_message_that_is_over_sends_no_more, setup),
        cmocka_unit_test_setup(paused_levels_wait_and_others_do_not, setup),
        cmocka_unit_test_setup(a_message_has_a_window_on_its_way, setup),
        cmocka_unit_test_setup(the_window_is_exceeded_by_less_than_a_packet, setup),
        cmocka_unit_test_setup(grants_to_a_sender_are_a_packet_time_apart, setup),
        cmocka_unit_test_setup(a_timer_may_end_without_a_grant, setup),
        cmocka_unit_test_setup(the_first_senders_are_granted, setup),
        cmocka_unit_test_setup(a_sender_that_needs_no_more_grants_gives_way, setup),
        cmocka_unit_test_setup(a_sender_may_fall_behind_after_its_message, setup),
        cmocka_unit_test_setup(a_sender_is_granted_its_shortest_message, setup),
        cmocka_unit_test_setup(equal_messages_are_granted_in_order, setup),
        cmocka_unit_test_setup(ranks_give_levels, setup),
        cmocka_unit_test_setup(the_tail_may_be_boosted, setup),
        cmocka_unit_test_setup(packets_without_payload_grant_nothing, setup),
        cmocka_unit_test_setup(what_is_lost_is_asked_for_again, setup),
        cmocka_unit_test_setup(a_message_that_waits_for_grants_is_not_lost, setup),
        cmocka_unit_test_setup(a_busy_sender_has_another_timeout, setup),
        cmocka_unit_test_setup(sums_count_what_is_on_its_way, setup),
        cmocka_unit_test_setup(cutoffs_give_all_levels_the_same_bytes, setup),
        cmocka_unit_test_setup(grants_weigh_on_the_first_level, setup),
        cmocka_unit_test_setup(cutoffs_increase_whatever_the_sizes_are, setup),
        cmocka_unit_test_setup(unknown_sizes_divide_the_unscheduled_bytes, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
    };
    return cmocka_run_group_tests_name("proto/homa", tests, NULL, NULL);
}
