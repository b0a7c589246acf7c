/* test/unit/proto/test_dcpim.c - dcPIM's arithmetic against tables, and its rounds, loops and senders by hand: three hosts whose control packets
 * cross at once, in the network of SIRD's evaluation (packets of 1500 bytes at 100 Gb/s: 120 ns). */
#include "core/credit_ops.h"
#include "test/unit/proto/law_bench.h"
#include "proto/dcpim/dcpim_core.h"
#include "proto/dcpim/dcpim_parts.h"

enum { MSS = 1460, HOSTS = 3, MSGS = 6 };
#define NS WEIR_PS_PER_NS
#define CRTT UINT64_C(7016000) /* 2 * (4 * 875 ns + 2 * (3.2 ns + 0.8 ns)) */
#define ROUND UINT64_C(9120800)
#define EPOCH UINT64_C(36483200)
#define PACKET UINT64_C(120000)
#define RESEND UINT64_C(8000000) /* 100 KB at 100 Gb/s */
#define WINDOW_TIMEOUT UINT64_C(8800000)

static const struct weir_credit_ops *const ops = &weir_dcpim_ops;
static struct weir_dcpim_config cfg;
static struct weir_path path;
static struct weir_dcpim_host host[HOSTS];
static struct weir_dcpim_peer peer[HOSTS][HOSTS]; /* [whose][of whom] */
static struct weir_dcpim_tx tx[MSGS];
static struct weir_dcpim_rx rx[MSGS];
static struct weir_own_pkt crossed[64]; /* control packets that left, in order */
static uint32_t crossed_count;

static struct weir_dcpim_times times_of(uint64_t control_rtt_ps, uint64_t packet_ps)
{
    return weir_dcpim_times(&cfg, control_rtt_ps, packet_ps);
}

static void start(void)
{
    const struct weir_limits limits = {
        .path = path, .framing = { MSS, 40, 0, 1500, 40 }, .ps_per_kbyte = 80000, .seed = 1
    };
    memset(host, 0xff, sizeof(host));
    memset(peer, 0xff, sizeof(peer));
    memset(tx, 0, sizeof(tx));
    memset(rx, 0, sizeof(rx));
    crossed_count = 0;
    for (uint32_t a = 0; a < HOSTS; a++) {
        ops->init(&cfg, &host[a], &limits);
        for (uint32_t b = 0; b < HOSTS; b++)
            ops->peer_init(&cfg, &host[a], &peer[a][b]);
    }
}

static int setup(void **state)
{
    (void)state;
    path = (struct weir_path){ .base_rtt_ps = 7308000,
                               .control_rtt_ps = CRTT,
                               .rate_bps = 100000000000,
                               .bdp_bytes = 100000,
                               .mss_bytes = MSS,
                               .wire_bytes = 1500 };
    law_use(weir_dcpim_params, &cfg, &weir_dcpim_presets[0]);
    weir_param_resolve_bdp(weir_dcpim_params, &cfg, path.bdp_bytes);
    start();
    return 0;
}

/* --- arithmetic --- */

static void times_are_those_of_the_published_formula(void **state)
{
    (void)state;
    struct weir_dcpim_times t = times_of(CRTT, PACKET);
    assert_true(t.round_ps == ROUND);                        /* 1.3 * 7.016 us */
    assert_true(t.match_ps == EPOCH && t.epoch_ps == EPOCH); /* four of them: 36.48 us */
    assert_int_equal(t.channel_pkts, 76);                    /* 36.48 us / 120 ns / 4 */
    assert_true(t.slack_ps == CRTT / 2 + 4 * PACKET);
    assert_int_equal(host[0].short_pkts, 67); /* 100 KB in packets of 1500 B, a started one counted */
    assert_int_equal(host[0].window_pkts, 67);
    assert_true(host[0].resend_ps == RESEND && host[0].window_timeout_ps == WINDOW_TIMEOUT);
    cfg.alpha_ppm = 1500000;
    cfg.channels = 3;
    t = times_of(CRTT, PACKET);
    assert_true(t.match_ps == EPOCH && t.epoch_ps == EPOCH / 2 * 3);
    assert_int_equal(t.channel_pkts, 152); /* 54.72 / 0.36 */
    cfg.rounds = 3;
    cfg.beta_ppm = 1000000;
    cfg.control_rtt_ps = 5800001;
    t = times_of(CRTT, PACKET);
    assert_true(t.round_ps == 5800002); /* rounds have a half */
    assert_true(t.match_ps == 3 * UINT64_C(5800002));
}

static void rounds_have_names_and_instants(void **state)
{
    static const struct {
        uint64_t at_ps, next_ps;
        uint32_t round;
        bool open; /* requests are taken */
        uint64_t phase;
    } row[] = { /* alpha 1.5: four rounds, then a pause of two; names 0 .. 3, 4 .. 7 */
                { 0, 0, 0, true, 0 },
                { 1, ROUND, 0, true, 0 },
                { ROUND / 2, ROUND, 0, true, 0 },
                { ROUND / 2 + 1, ROUND, 0, false, 0 },
                { ROUND, ROUND, 1, true, 0 },
                { 3 * ROUND + 1, 4 * ROUND, 3, true, 0 },
                { 4 * ROUND - 1, 4 * ROUND, 3, false, 0 },
                { 4 * ROUND, 4 * ROUND, 3, false, 1 },
                { 4 * ROUND + 1, 6 * ROUND, 3, false, 1 },
                { 6 * ROUND, 6 * ROUND, 4, true, 1 },
                { 10 * ROUND - 1, 10 * ROUND, 7, false, 1 },
                { 10 * ROUND, 10 * ROUND, 7, false, 2 }
    };
    (void)state;
    cfg.alpha_ppm = 1500000;
    struct weir_dcpim_times t = times_of(CRTT, PACKET);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_true(weir_dcpim_round_at(&t, row[i].at_ps) == row[i].next_ps);
        assert_int_equal(weir_dcpim_round(&cfg, &t, row[i].at_ps), row[i].round);
        assert_int_equal(weir_dcpim_half_at(&cfg, &t, row[i].at_ps) != WEIR_NEVER, row[i].open);
        assert_int_equal(weir_dcpim_phase(&t, row[i].at_ps), row[i].phase);
        assert_true(row[i].at_ps < weir_dcpim_phase_end_ps(&t, row[i].phase));
    }
    assert_true(weir_dcpim_half_at(&cfg, &t, 6 * ROUND) == 6 * ROUND + ROUND / 2);
    cfg.alpha_ppm = 1000000; /* no pause: the end of the last round is the beginning of the next epoch */
    t = times_of(CRTT, PACKET);
    assert_true(weir_dcpim_round_at(&t, 3 * ROUND + 1) == 4 * ROUND);
    assert_int_equal(weir_dcpim_round(&cfg, &t, 4 * ROUND), 4);
    assert_int_equal(weir_dcpim_phase(&t, 4 * ROUND - 1), 0);
    assert_int_equal(weir_dcpim_phase(&t, 4 * ROUND), 1);
    assert_true(weir_dcpim_phase_end_ps(&t, 1) == 2 * EPOCH);
}

static void channels_are_wanted_for_what_is_left(void **state)
{
    static const struct {
        uint32_t left, have, free, want;
    } row[] = { { 1, 0, 4, 1 },   { 76, 0, 4, 1 },   { 77, 0, 4, 2 },     { 304, 0, 4, 4 },
                { 305, 0, 4, 4 }, { 1000, 0, 3, 3 }, { 76, 1, 4, 0 },     { 77, 1, 4, 1 },
                { 304, 4, 4, 0 }, { 304, 1, 2, 2 },  { 100000, 4, 4, 4 }, { 76, 2, 4, 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_dcpim_want(row[i].left, 76, row[i].have, row[i].free), row[i].want);
}

static void levels_by_size_grow_by_a_factor(void **state)
{
    static const struct {
        uint32_t pkts;
        uint8_t level;
    } row[] = { { 1, 1 },    { 7, 1 },    { 8, 2 },     { 49, 2 },    { 50, 3 },     { 343, 3 },       { 344, 4 },
                { 2401, 4 }, { 2402, 5 }, { 16807, 5 }, { 16808, 6 }, { 117650, 6 }, { UINT32_MAX, 6 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_dcpim_size_level(row[i].pkts, 7), row[i].level);
    assert_int_equal(weir_dcpim_size_level(UINT32_MAX, 100), 5);
}

static void an_offer_fits_a_control_packet(void **state)
{
    const struct weir_dcpim_offer o = {
        .left_bytes = (UINT64_C(1) << 48) - 1, .round = 77, .channels = 16, .prompt = 3
    };
    (void)state;
    struct weir_dcpim_offer back = weir_dcpim_unpack(weir_dcpim_pack(&o), 77);
    assert_true(back.left_bytes == o.left_bytes);
    assert_int_equal(back.round, 77);
    assert_int_equal(back.channels, 16);
    assert_int_equal(back.prompt, 3);
}

/* A window of 67 packets over four channels: up to 16 over one, as 17 are more than a quarter. */
static void each_channel_has_its_part_of_the_window(void **state)
{
    (void)state;
    assert_true(weir_dcpim_within(&cfg, 16, 67, 1));
    assert_false(weir_dcpim_within(&cfg, 17, 67, 1));
    assert_true(weir_dcpim_within(&cfg, 50, 67, 3));
    assert_false(weir_dcpim_within(&cfg, 51, 67, 3));
    assert_true(weir_dcpim_within(&cfg, 67, 67, 4));
    assert_false(weir_dcpim_within(&cfg, 68, 67, 4));
}

/* --- three hosts --- */

/* Message i of so many packets arrives at a from b, announced now; a short one goes without tokens. */
static void announce(uint32_t i, uint32_t a, uint32_t b, uint32_t pkts, uint64_t now_ps)
{
    bool is_short = pkts <= host[a].short_pkts;
    rx[i].msg = (struct weir_rx_msg){ .left_bytes = (uint64_t)pkts * MSS,
                                      .pkts = pkts,
                                      .unsched_pkts = is_short ? pkts : 0,
                                      .granted = is_short ? pkts : 0,
                                      .grant_wire_bytes = is_short ? 0 : 1500,
                                      .order = i };
    ops->rx_message(&cfg, &host[a], &peer[a][b], &rx[i], now_ps);
}

static void arrive(const struct weir_own_pkt *pkt, uint32_t from, uint32_t to, uint64_t now_ps)
{
    struct weir_own_pkt here = *pkt;
    here.peer = &peer[to][from];
    here.now_ps = now_ps;
    ops->rx_packet(&cfg, &host[to], here.peer, NULL, &(struct weir_data){ .now_ps = now_ps });
    ops->control(&cfg, &host[to], &here);
}

/* All control packets of a host arrive; those they bring about wait. */
static void cross(uint32_t from, uint64_t now_ps)
{
    while (host[from].head.controls > 0) {
        struct weir_own_pkt pkt = { .kind = 99 };
        ops->control_next(&cfg, &host[from], &pkt);
        uint32_t to = (uint32_t)((struct weir_dcpim_peer *)pkt.peer - peer[from]);
        assert_in_range(to, 0, HOSTS - 1);
        assert_int_equal(pkt.class_id, 0);
        crossed[crossed_count++ % 64] = pkt;
        arrive(&pkt, from, to, now_ps);
    }
}

static void cross_all(uint64_t now_ps)
{
    for (uint32_t h = 0; h < HOSTS; h++)
        cross(h, now_ps);
}

/* What is due at an instant but tokens, whose loops are left alone. */
static void receivers_at(uint64_t now_ps)
{
    struct weir_grant out;
    for (uint32_t h = 0; h < HOSTS; h++) {
        if (dcpim_in_rounds(&host[h]) && host[h].round_at_ps == now_ps) {
            host[h].loop_ps = WEIR_NEVER;
            assert_true(ops->rx_next_ps(&cfg, &host[h], now_ps) == now_ps);
            assert_false(ops->rx_next(&cfg, &host[h], now_ps, &out));
        }
    }
    cross_all(now_ps + 1);
}

static void senders_at(uint64_t now_ps)
{
    for (uint32_t h = 0; h < HOSTS; h++)
        if (ops->tx_next_ps(&cfg, &host[h]) <= now_ps)
            ops->tx_time(&cfg, &host[h], now_ps);
    cross_all(now_ps + 1);
}

static void matched_are(uint32_t a, uint32_t from0, uint32_t from1, uint32_t from2)
{
    const uint32_t want[HOSTS] = { from0, from1, from2 };
    for (uint32_t b = 0; b < HOSTS; b++)
        assert_int_equal(peer[a][b].fresh, want[b]);
    assert_int_equal(host[a].fresh.channels, from0 + from1 + from2);
    assert_in_range(host[a].fresh.channels, 0, cfg.channels);
}

static uint32_t taken(uint32_t a, uint64_t epoch)
{
    return host[a].given[epoch % 2].epoch == epoch ? host[a].given[epoch % 2].channels : 0;
}

static void send_offer(uint32_t kind, uint32_t from, uint32_t to, uint32_t round, uint8_t channels, uint8_t prompt,
                       uint64_t left, uint64_t now_ps)
{
    const struct weir_dcpim_offer o = { .left_bytes = left, .channels = channels, .prompt = prompt };
    arrive(&(struct weir_own_pkt){ .kind = (uint8_t)kind, .sequence = round, .value = weir_dcpim_pack(&o) }, from, to,
           now_ps);
}

/* Receiver 0 has 300 packets to come from sender 1 and 100 from sender 2; receiver 1 has 80 from 2; receiver 2 has 200 from 1. */
static void begin_3x3(void)
{
    announce(0, 0, 1, 300, 1);
    announce(1, 0, 2, 100, 1);
    announce(2, 1, 2, 80, 1);
    announce(3, 2, 1, 200, 1);
}

/* One channel each. Requests: 0 to 1 and 2, 1 to 2, 2 to 1. The shortest are granted: 2 to 1 (80), 1 to 2 (200). */
static void first_round_matches_the_shortest_messages(void **state)
{
    (void)state;
    cfg.channels = 1;
    start();
    begin_3x3();
    assert_true(ops->rx_next_ps(&cfg, &host[0], 1) == ROUND);
    receivers_at(ROUND);
    assert_int_equal(crossed_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(crossed[i].kind, WEIR_DCPIM_REQUEST);
        assert_int_equal(crossed[i].sequence, 1); /* the second round of epoch 0: at 0 nothing was known */
    }
    cfg.size_rounds = 2; /* and by size as well */
    start();
    begin_3x3();
    receivers_at(ROUND);
    senders_at(ROUND + ROUND / 2);
    assert_int_equal(crossed_count, 6);
    assert_ptr_equal(crossed[4].peer, &peer[1][2]);
    assert_ptr_equal(crossed[5].peer, &peer[2][1]);
    receivers_at(2 * ROUND);
    matched_are(0, 0, 0, 0);
    matched_are(1, 0, 0, 1);
    matched_are(2, 0, 1, 0);
    assert_int_equal(taken(1, 0), 1);
    assert_int_equal(taken(2, 0), 1);
    assert_int_equal(taken(0, 0), 0);
}

/* Four channels of 76 packets. Wanted: 0 from 1 4, 0 from 2 2, 1 from 2 2, 2 from 1 3. Sender 2 grants 2 and 2; sender 1 grants
 * 3 to receiver 2, which has less left, and the last one to receiver 0. */
static void channels_are_shared_out_in_the_order_of_sizes(void **state)
{
    (void)state;
    cfg.size_rounds = 4;
    start();
    begin_3x3();
    receivers_at(ROUND);
    senders_at(ROUND + ROUND / 2);
    receivers_at(2 * ROUND);
    matched_are(0, 0, 1, 2);
    matched_are(1, 0, 0, 2);
    matched_are(2, 0, 3, 0);
    assert_int_equal(taken(1, 0), 4);
    assert_int_equal(taken(2, 0), 4);
    /* Nothing is sent in this data phase, so all of them are prompt, at the last level. */
    assert_int_equal(host[0].prompt, 3);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(host[0].fresh.match[i].level, 7);
        assert_int_equal(host[0].fresh.match[i].active, host[0].fresh.match[i].channels);
    }
    /* Receiver 0 asks sender 1 for its last free channel, in vain; sender 2 has given all it needs. */
    assert_int_equal(crossed_count,
                     13); /* four requests and grants; then three packets of receiver 0, and an accept of the others */
    assert_int_equal(crossed[9].kind, WEIR_DCPIM_ACCEPT);
    assert_int_equal(crossed[10].kind, WEIR_DCPIM_REQUEST);
    assert_ptr_equal(crossed[10].peer, &peer[0][1]);
    assert_int_equal(weir_dcpim_unpack(crossed[10].value, 0).channels, 1);
    uint32_t before = crossed_count;
    senders_at(2 * ROUND + ROUND / 2);
    assert_int_equal(crossed_count, before);
    receivers_at(3 * ROUND);
    senders_at(3 * ROUND + ROUND / 2);
    receivers_at(4 * ROUND); /* the data phase begins: its shortest message first, 2 + channels before */
    assert_int_equal(host[0].matched.channels, 3);
    assert_int_equal(host[0].fresh.channels, 0);
    assert_int_equal(host[0].prompt, 0);
    assert_ptr_equal(host[0].matched.match[0].peer, &peer[0][2]);
    assert_int_equal(host[0].matched.match[0].level, 2);
    assert_int_equal(host[0].matched.match[1].level, 4);
    assert_int_equal(peer[0][1].matched, 1);
    assert_int_equal(peer[0][1].fresh, 0);
    /* Three of its channels are in use now: of four that it asks for, and of those it is granted, one is prompt. */
    announce(4, 0, 0, 300, 4 * ROUND + 5);
    before = crossed_count;
    receivers_at(5 * ROUND);
    assert_ptr_equal(crossed[before + 1].peer, &peer[0][0]); /* behind that to sender 1; sender 2 has enough */
    assert_int_equal(weir_dcpim_unpack(crossed[before + 1].value, 0).channels, 4);
    assert_int_equal(weir_dcpim_unpack(crossed[before + 1].value, 0).prompt, 1);
    assert_int_equal(taken(0, 1), 0);
    send_offer(WEIR_DCPIM_GRANT, 0, 0, 5, 4, 4, 300 * MSS, 5 * ROUND + 10);
    struct weir_grant out;
    host[0].loop_ps = WEIR_NEVER;
    assert_false(ops->rx_next(&cfg, &host[0], 6 * ROUND, &out));
    assert_int_equal(host[0].prompt, 1);
}

/* What serves a message already is not asked for again; without prompt channels nothing is used before the data phase. */
static void channels_of_both_phases_count(void **state)
{
    (void)state;
    cfg.prompt = 0;
    start();
    announce(0, 0, 1, 200, 1);
    receivers_at(ROUND);
    assert_int_equal(weir_dcpim_unpack(crossed[0].value, 0).channels, 3);
    assert_int_equal(weir_dcpim_unpack(crossed[0].value, 0).prompt, 0);
    senders_at(ROUND + ROUND / 2);
    receivers_at(2 * ROUND);
    assert_int_equal(host[0].fresh.match[0].active, 0);
    assert_true(host[0].fresh.match[0].next_ps == WEIR_NEVER);
    receivers_at(3 * ROUND);
    receivers_at(4 * ROUND);
    assert_int_equal(crossed_count, 3); /* request, grant, accept: then three channels are enough */
    assert_int_equal(host[0].matched.match[0].active, 3);
    assert_true(host[0].matched.match[0].next_ps == 4 * ROUND);
    receivers_at(5 * ROUND);
    assert_int_equal(crossed_count, 3);
    receivers_at(6 * ROUND);
    receivers_at(7 * ROUND);
    receivers_at(8 * ROUND); /* and now it has none, unless it asks again */
    assert_int_equal(host[0].matched.count, 0);
    assert_int_equal(crossed_count, 4);
    assert_int_equal(crossed[3].kind, WEIR_DCPIM_REQUEST);
    assert_int_equal(crossed[3].sequence, 8);
}

static void requests_of_another_round_are_left_out(void **state)
{
    (void)state;
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 0, 2, 0, 900, ROUND / 2 + 1); /* too late */
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 0, 2, 0, 900, ROUND);         /* of an older round */
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 2, 2, 0, 900, ROUND);         /* of a later one: clocks differ */
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 1, 0, 0, 900, ROUND);         /* for nothing */
    assert_true(ops->tx_next_ps(&cfg, &host[1]) == WEIR_NEVER);
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 1, 2, 0, 900, ROUND);
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 1, 4, 0, 900, ROUND); /* repeated */
    assert_true(ops->tx_next_ps(&cfg, &host[1]) == ROUND + ROUND / 2);
    ops->tx_time(&cfg, &host[1], ROUND + ROUND / 2);
    assert_int_equal(host[1].head.controls, 1);
    assert_int_equal(peer[1][0].send[WEIR_DCPIM_GRANT].channels, 2);
    assert_true(ops->tx_next_ps(&cfg, &host[1]) == WEIR_NEVER);
}

/* A grant counts only in its round, once, and never for more than a link. */
static void grants_of_another_round_are_left_out(void **state)
{
    (void)state;
    announce(0, 0, 1, 300, 1);
    receivers_at(ROUND);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 0, 2, 0, 900, ROUND + 10);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 2, 2, 0, 900, ROUND + 10);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 0, 0, 900, ROUND + 10);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 5, 0, 900, ROUND + 10);
    assert_false(peer[0][1].has_grant);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 2, 1, 900, ROUND + 10);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 4, 1, 900, ROUND + 11);
    receivers_at(2 * ROUND);
    matched_are(0, 0, 2, 0);
    assert_int_equal(host[0].prompt, 1);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 2, 1, 0, 900, 3 * ROUND + 1);
    assert_false(peer[0][1].has_grant);
}

/* Two senders grant four channels each: the one with the shorter message gives all its four. */
static void a_receiver_never_accepts_more_than_a_link(void **state)
{
    (void)state;
    cfg.size_rounds = 2;
    start();
    announce(0, 0, 1, 400, 1);
    announce(1, 0, 2, 350, 1);
    receivers_at(ROUND);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 4, 4, 400 * MSS, ROUND + 10);
    send_offer(WEIR_DCPIM_GRANT, 2, 0, 1, 3, 4, 350 * MSS, ROUND + 10);
    receivers_at(2 * ROUND);
    matched_are(0, 0, 1, 3);
    assert_int_equal(host[0].prompt, 4); /* no more of them prompt than there are */
    assert_int_equal(peer[0][1].fresh, 1);
}

/* Accepts come late or twice: the sender has four channels per epoch, and gives back the rest. */
static void a_sender_takes_back_what_it_has_not(void **state)
{
    (void)state;
    send_offer(WEIR_DCPIM_ACCEPT, 0, 1, 4, 3, 3, 0, 4 * ROUND + 10);
    send_offer(WEIR_DCPIM_ACCEPT, 2, 1, 4, 3, 3, 0, 4 * ROUND + 10);
    assert_int_equal(taken(1, 1), 4);
    assert_int_equal(host[1].given[1].prompt, 4);
    assert_int_equal(host[1].head.controls, 1);
    assert_int_equal(peer[1][2].send[WEIR_DCPIM_RELEASE].channels, 2);
    assert_int_equal(peer[1][2].send[WEIR_DCPIM_RELEASE].round, 4);
    send_offer(WEIR_DCPIM_ACCEPT, 0, 1, 3, 1, 0, 0, 4 * ROUND + 10); /* of the last round of the epoch before */
    assert_int_equal(taken(1, 0), 1);
    send_offer(WEIR_DCPIM_ACCEPT, 0, 1, 3, 1, 0, 0, 8 * ROUND + 10);  /* and of one that is over */
    send_offer(WEIR_DCPIM_ACCEPT, 0, 1, 12, 1, 0, 0, 8 * ROUND + 10); /* and of one that has not begun */
    assert_int_equal(taken(1, 0), 1);
    assert_int_equal(taken(1, 1), 4);
    assert_int_equal(taken(1, 2), 0);
}

/* Channels that were matched already, and others that are in use as prompt ones. */
static void a_receiver_gives_up_what_its_sender_has_not(void **state)
{
    (void)state;
    announce(0, 0, 1, 300, 1);
    receivers_at(ROUND);
    senders_at(ROUND + ROUND / 2);
    receivers_at(2 * ROUND);
    matched_are(0, 0, 4, 0);
    send_offer(WEIR_DCPIM_RELEASE, 1, 0, 1, 1, 0, 0, 2 * ROUND + 10);
    matched_are(0, 0, 3, 0);
    assert_int_equal(host[0].prompt, 3);
    send_offer(WEIR_DCPIM_RELEASE, 2, 0, 1, 1, 0, 0, 2 * ROUND + 10); /* of no match */
    receivers_at(3 * ROUND);
    receivers_at(4 * ROUND);
    assert_int_equal(host[0].matched.channels, 3);
    send_offer(WEIR_DCPIM_RELEASE, 1, 0, 3, 1, 0, 0, 4 * ROUND + 10);
    assert_int_equal(host[0].matched.channels, 2);
    assert_int_equal(host[0].matched.match[0].active, 2);
    assert_int_equal(peer[0][1].matched, 2);
    send_offer(WEIR_DCPIM_RELEASE, 1, 0, UINT32_MAX, 1, 0, 0, 4 * ROUND + 10); /* of an epoch before */
    assert_int_equal(host[0].matched.channels, 2);
    send_offer(WEIR_DCPIM_RELEASE, 1, 0, 3, 9, 0, 0, 4 * ROUND + 10);
    assert_int_equal(host[0].matched.count, 0);
    assert_true(host[0].loop_ps == WEIR_NEVER);
}

/* A sender that is full in this data phase allows no prompt channels. */
static void prompt_channels_are_those_both_have_free(void **state)
{
    (void)state;
    send_offer(WEIR_DCPIM_ACCEPT, 2, 1, 0, 3, 0, 0, 10);
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 4, 3, 3, 900, 4 * ROUND + 10);
    ops->tx_time(&cfg, &host[1], 4 * ROUND + ROUND / 2);
    assert_int_equal(peer[1][0].send[WEIR_DCPIM_GRANT].channels, 3);
    assert_int_equal(peer[1][0].send[WEIR_DCPIM_GRANT].prompt, 1);
}

/* Later rounds: each of two requests comes first about half of the time, whatever is left of their messages. */
static void later_rounds_choose_at_random(void **state)
{
    uint32_t first = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t at_ps = (4 * i + 1) * ROUND;
        send_offer(WEIR_DCPIM_REQUEST, 0, 1, 4 * i + 1, 4, 0, 900, at_ps);
        send_offer(WEIR_DCPIM_REQUEST, 2, 1, 4 * i + 1, 4, 0, 100, at_ps);
        ops->tx_time(&cfg, &host[1], at_ps + ROUND / 2);
        assert_int_equal(host[1].head.controls, 1);
        first += peer[1][0].send_mask != 0;
        struct weir_own_pkt out;
        ops->control_next(&cfg, &host[1], &out);
    }
    assert_in_range(first, 450, 550); /* 3 standard deviations: 47 */
    send_offer(WEIR_DCPIM_REQUEST, 0, 1, 4000, 4, 0, 900, 4000 * ROUND);
    send_offer(WEIR_DCPIM_REQUEST, 2, 1, 4000, 4, 0, 100, 4000 * ROUND);
    ops->tx_time(&cfg, &host[1], 4000 * ROUND + ROUND / 2);
    assert_int_equal(peer[1][2].send_mask, 1u << WEIR_DCPIM_GRANT); /* the first one of an epoch does not */
}

/* --- tokens --- */

/* Host 0 has c channels to host 1 from the beginning of data phase 1 on, and a message of so many packets. */
static void begin_loop(uint8_t channels, uint32_t pkts)
{
    announce(0, 0, 1, pkts, 3 * ROUND - 1);
    receivers_at(3 * ROUND);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 3, channels, 0, (uint64_t)pkts * MSS, 3 * ROUND + 10);
    struct weir_grant out;
    assert_false(ops->rx_next(&cfg, &host[0], 4 * ROUND, &out));
    while (host[0].head.controls > 0)
        ops->control_next(&cfg, &host[0], &(struct weir_own_pkt){ .kind = 0 });
    host[0].round_at_ps = WEIR_NEVER; /* later rounds are not looked at */
}

/* What is next at host 0. @return the token's number; 0 = none went */
static uint32_t token_at(uint64_t now_ps, struct weir_grant *out)
{
    assert_true(ops->rx_next_ps(&cfg, &host[0], now_ps - 1) == now_ps);
    *out = (struct weir_grant){ .pkts = 0 };
    if (!ops->rx_next(&cfg, &host[0], now_ps, out))
        return 0;
    struct weir_dcpim_rx *m = out->rx;
    assert_int_equal(out->pkts, 1);
    if (++m->msg.granted == m->msg.pkts)
        m->msg.grant_wire_bytes = 0;
    ops->rx_granted(&cfg, &host[0], out, now_ps);
    return out->sequence & WEIR_DCPIM_NUMBER_MASK;
}

/* A packet of message i arrives, for its token of that number; 0 = for none. */
static void data_at(uint32_t i, uint32_t number, uint64_t now_ps)
{
    rx[i].msg.left_bytes -= MSS;
    ops->rx_packet(&cfg, &host[0], rx[i].peer, &rx[i],
                   &(struct weir_data){ .now_ps = now_ps,
                                        .sequence = number,
                                        .flags = WEIR_DATA_PAYLOAD | (number > 0 ? WEIR_DATA_OWN : 0) });
}

static void a_loop_of_c_channels_fires_every_k_by_c_packet_times(void **state)
{
    static const uint64_t apart[] = { 0, 4 * PACKET, 2 * PACKET, 160000, PACKET };
    struct weir_grant out;
    (void)state;
    for (uint8_t c = 1; c <= 4; c++) {
        (void)setup(state);
        begin_loop(c, 500);
        for (uint32_t i = 0; i < 10; i++) {
            assert_int_equal(token_at(4 * ROUND + i * apart[c], &out), i + 1);
            assert_int_equal(out.sequence >> WEIR_DCPIM_NUMBER_BITS, 1); /* data phase 1 */
            assert_int_equal(out.class_id, 2);
            assert_ptr_equal(out.rx, &rx[0]);
        }
    }
}

/* One channel: 17 tokens may be out when the next is due, which is one more than its part of the window. A packet opens it again. */
static void a_full_window_waits_for_data(void **state)
{
    struct weir_grant out;
    uint64_t at_ps = 4 * ROUND;
    (void)state;
    begin_loop(1, 500);
    for (uint32_t i = 1; i <= 17; i++, at_ps += 4 * PACKET)
        assert_int_equal(token_at(at_ps, &out), i);
    assert_int_equal(token_at(at_ps, &out), 0);
    assert_true(host[0].matched.match[0].next_ps == at_ps - 4 * PACKET + WINDOW_TIMEOUT);
    data_at(0, 3, at_ps + 1000); /* 1 and 2 were lost, or are late */
    assert_int_equal(token_at(at_ps + 4 * PACKET, &out), 18);
    data_at(0, 2, at_ps + 4 * PACKET + 1);  /* late: changes nothing */
    data_at(0, 99, at_ps + 4 * PACKET + 1); /* never issued */
    assert_int_equal(rx[0].seen, 3);
    assert_int_equal(token_at(at_ps + 8 * PACKET, &out), 19);
    assert_int_equal(token_at(at_ps + 12 * PACKET, &out), 20);
    assert_int_equal(token_at(at_ps + 16 * PACKET, &out), 0);
}

/* Nothing comes back: after 8.8 us without a token all but a window counts as lost, and one goes. */
static void a_window_that_stays_full_is_relaxed(void **state)
{
    struct weir_grant out;
    uint64_t at_ps = 4 * ROUND;
    (void)state;
    begin_loop(1, 500);
    for (uint32_t i = 1; i <= 17; i++, at_ps += 4 * PACKET)
        assert_int_equal(token_at(at_ps, &out), i);
    assert_int_equal(host[0].out_tokens, 17);
    assert_int_equal(token_at(at_ps, &out), 0);
    at_ps += WINDOW_TIMEOUT - 4 * PACKET;
    assert_int_equal(token_at(at_ps, &out), 18);
    assert_int_equal(rx[0].seen, 1); /* 17 less 16 */
    assert_int_equal(host[0].out_tokens, 17);
    assert_int_equal(token_at(at_ps + 4 * PACKET, &out), 0);
    struct weir_credit_sums sums;
    ops->sums(&cfg, &host[0], &sums);
    assert_int_equal(sums.outstanding_bytes, 17 * 1500);
    assert_int_equal(sums.bucket_bytes, 67 * 1500);
}

/* The shortest message of the sender comes first, and without any the loop sleeps. */
static void a_loop_serves_the_shortest_message(void **state)
{
    struct weir_grant out;
    (void)state;
    begin_loop(4, 100);
    announce(1, 0, 1, 90, 4 * ROUND - 5);
    announce(2, 0, 2, 80, 4 * ROUND - 5); /* of another sender */
    assert_int_equal(token_at(4 * ROUND, &out), 1);
    assert_ptr_equal(out.rx, &rx[1]);
    for (uint32_t i = 0; i < 11; i++)
        data_at(0, 0, 4 * ROUND + 1);
    assert_int_equal(token_at(4 * ROUND + PACKET, &out), 1);
    assert_ptr_equal(out.rx, &rx[0]);
    ops->rx_done(&cfg, &host[0], &peer[0][1], &rx[0]);
    ops->rx_done(&cfg, &host[0], &peer[0][1], &rx[1]);
    assert_int_equal(host[0].out_tokens, 0);
    assert_int_equal(token_at(4 * ROUND + 2 * PACKET, &out), 0);
    assert_true(host[0].loop_ps == WEIR_NEVER);
    announce(3, 0, 1, 70, 4 * ROUND + 5 * PACKET);
    assert_int_equal(token_at(4 * ROUND + 5 * PACKET, &out), 1);
    assert_ptr_equal(out.rx, &rx[3]);
}

/* The first sign of a short message of 3 packets: 3 tokens are left out. Its own packets are waited for, 3 packet times and 8 us. */
static void tokens_are_held_for_a_short_message(void **state)
{
    struct weir_grant out;
    (void)state;
    begin_loop(2, 500);
    announce(1, 0, 2, 3, 4 * ROUND - 5);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(token_at(4 * ROUND + i * 2 * PACKET, &out), 0);
    assert_int_equal(token_at(4 * ROUND + 6 * PACKET, &out), 1);
    assert_true(rx[1].node.key == 4 * ROUND - 5 + 3 * PACKET + RESEND);
    (void)setup(state);
    cfg.hold = 0;
    start();
    begin_loop(2, 500);
    announce(1, 0, 2, 3, 4 * ROUND - 5);
    assert_int_equal(token_at(4 * ROUND, &out), 1);
}

/* Every packet was asked for: 8 us later those that are not here are asked for again, and go on as others do. */
static void a_message_that_was_asked_for_waits_for_its_packets(void **state)
{
    struct weir_grant out;
    uint64_t at_ps = 4 * ROUND + 67 * PACKET;
    (void)state;
    begin_loop(4, 68);
    for (uint32_t i = 0; i < 68; i++)
        assert_int_equal(token_at(4 * ROUND + i * PACKET, &out), i + 1);
    assert_int_equal(rx[0].queue, WEIR_DCPIM_WAITS);
    assert_int_equal(token_at(at_ps + PACKET, &out), 0); /* the loop sleeps */
    data_at(0, 68, at_ps + 2 * PACKET);
    at_ps += RESEND;
    assert_int_equal(token_at(at_ps, &out), 0);
    assert_ptr_equal(out.rx, &rx[0]); /* the host is to find what is lost */
    assert_ptr_equal(out.peer, &peer[0][1]);
    rx[0].msg.granted -= 2;
    rx[0].msg.grant_wire_bytes = 1500;
    ops->rx_again(&cfg, &host[0], &peer[0][1], &rx[0]);
    assert_int_equal(token_at(at_ps, &out), 69);
    assert_int_equal(token_at(at_ps + PACKET, &out), 70);
    assert_int_equal(rx[0].queue, WEIR_DCPIM_WAITS);
    rx[0].msg.grant_wire_bytes = 1500; /* something was lost before its time */
    ops->rx_again(&cfg, &host[0], &peer[0][1], &rx[0]);
    assert_int_equal(rx[0].queue, WEIR_DCPIM_OPEN);
    rx[0].msg.grant_wire_bytes = 0; /* and came after all */
    ops->rx_again(&cfg, &host[0], &peer[0][1], &rx[0]);
    assert_true(rx[0].node.key == at_ps + PACKET + RESEND);
    assert_int_equal(token_at(at_ps + 2 * PACKET, &out), 0);
    assert_int_equal(token_at(at_ps + PACKET + RESEND, &out), 0);
    assert_ptr_equal(out.rx, &rx[0]); /* if the host finds nothing, it waits once more */
    assert_true(rx[0].node.key == at_ps + PACKET + 2 * RESEND);
    assert_false(ops->rx_silent(&cfg, &host[0], &peer[0][1], &rx[0], 0)); /* by its own clock alone */
}

/* --- senders --- */

/* A message of so many packets from host 0 to host b. */
static struct weir_dcpim_tx *message(uint32_t i, uint32_t b, uint32_t pkts)
{
    tx[i].msg =
        (struct weir_tx_msg){ .left_bytes = (uint64_t)pkts * MSS, .pkts = pkts, .next_wire_bytes = 1500, .order = i };
    ops->tx_message(&cfg, &host[0], &peer[0][b], &tx[i], 0);
    return &tx[i];
}

static void token(uint32_t i, uint32_t number, uint32_t phase, uint8_t level, uint64_t now_ps)
{
    const struct weir_credit c = {
        .now_ps = now_ps, .pkts = 1, .sequence = number | phase << WEIR_DCPIM_NUMBER_BITS, .class_id = level
    };
    ops->tx_credit(&cfg, &host[0], tx[i].peer, &tx[i], &c);
}

/* The message whose packet leaves; MSGS = none may. */
static uint32_t send(struct weir_send *out)
{
    bool ready = ops->tx_ready(&host[0]);
    assert_int_equal(ops->tx_next(&cfg, &host[0], 0, out), ready);
    if (!ready)
        return MSGS;
    struct weir_dcpim_tx *m = out->tx;
    m->msg.left_bytes -= MSS;
    if (++m->msg.next == m->msg.pkts)
        m->msg.next_wire_bytes = 0;
    ops->tx_sent(&cfg, &host[0], out->peer, m);
    return (uint32_t)(m - tx);
}

static void short_messages_go_at_once_and_before_tokens(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 68);
    assert_int_equal(tx[0].msg.unsched_pkts, 0);
    assert_int_equal(send(&out), MSGS);
    token(0, 1, 1, 2, 4 * ROUND);
    assert_int_equal(message(1, 2, 67)->msg.unsched_pkts, 67);
    assert_int_equal(message(2, 1, 2)->msg.unsched_pkts, 2);
    assert_int_equal(send(&out), 2); /* the shorter one */
    assert_int_equal(out.class_id, 1);
    assert_false(out.own);
    assert_int_equal(send(&out), 2);
    for (uint32_t i = 0; i < 67; i++)
        assert_int_equal(send(&out), 1);
    assert_int_equal(send(&out), 0);
    assert_int_equal(out.class_id, 2);
    assert_true(out.own);
    assert_int_equal(out.sequence, 1);
    assert_int_equal(send(&out), MSGS);
}

/* By level, then by what is left, then by age. */
static void tokens_are_spent_by_level_then_length_then_age(void **state)
{
    static const uint32_t want[] = { 2, 3, 1, 0, 0, MSGS };
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 200);
    (void)message(1, 2, 500);
    (void)message(2, 1, 100);
    (void)message(3, 2, 100);
    token(0, 1, 1, 7, 4 * ROUND);
    token(1, 5, 1, 3, 4 * ROUND);
    token(3, 7, 1, 2, 4 * ROUND);
    token(2, 9, 1, 2, 4 * ROUND);
    token(0, 2, 1, 4, 4 * ROUND); /* this one first, of its two */
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_int_equal(send(&out), want[i]);
        assert_true(i != 3 || out.sequence == 2);
        assert_true(i != 4 || out.sequence == 1);
    }
    ops->tx_credit(&cfg, &host[0], &peer[0][1], NULL, &(struct weir_credit){ .pkts = 1 }); /* of one that is over */
    assert_int_equal(host[0].held_tokens, 0);
}

/* Numbers of tokens that come one after another go back in their order. Past 2^24 they begin anew. */
static void packets_carry_the_numbers_of_their_tokens(void **state)
{
    static const uint32_t number[] = { WEIR_DCPIM_NUMBER_MASK - 1, WEIR_DCPIM_NUMBER_MASK, 0, 1 };
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 200);
    for (uint32_t i = 0; i < 4; i++)
        token(0, number[i], 1, 2, 4 * ROUND);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(send(&out), 0);
        assert_int_equal(out.sequence, number[i]);
    }
    rx[0].seen = WEIR_DCPIM_NUMBER_MASK - 1;
    rx[0].issued = WEIR_DCPIM_NUMBER_MASK + 4;
    host[0].out_tokens = 5;
    rx[0].peer = &peer[0][1];
    data_at(0, 1, 1);
    assert_int_equal(rx[0].seen, WEIR_DCPIM_NUMBER_MASK + 2);
}

/* A token of data phase 1 is good until 2 * 36.4832 us + 3.508 us + 4 * 120 ns. */
static void tokens_expire_after_their_data_phase(void **state)
{
    const uint64_t end_ps = 2 * EPOCH + CRTT / 2 + 4 * PACKET;
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 200);
    (void)message(1, 1, 300);
    token(0, 1, 1, 2, 5 * ROUND);
    token(1, 1, 1, 2, 5 * ROUND);
    token(1, 2, 2, 2, 2 * EPOCH); /* of the next one */
    assert_true(ops->tx_next_ps(&cfg, &host[0]) == end_ps);
    assert_int_equal(host[0].held_tokens, 3);
    ops->tx_time(&cfg, &host[0], end_ps);
    assert_int_equal(host[0].held_tokens, 1);
    assert_true(ops->tx_next_ps(&cfg, &host[0]) == end_ps + EPOCH);
    assert_int_equal(send(&out), 1);
    assert_int_equal(out.sequence, 2);
    assert_int_equal(send(&out), MSGS);
    assert_true(ops->tx_next_ps(&cfg, &host[0]) == WEIR_NEVER);
    token(0, 2, 1, 2, end_ps); /* too late */
    assert_int_equal(host[0].held_tokens, 0);
    token(0, 2, 1, 2, end_ps - 1);
    assert_int_equal(host[0].held_tokens, 1);
    token(0, 3, 0xff, 2, 1); /* of a phase before the first */
    assert_int_equal(host[0].held_tokens, 1);
    ops->tx_done(&cfg, &host[0], &peer[0][1], &tx[0]);
    ops->tx_done(&cfg, &host[0], &peer[0][1], &tx[1]);
    assert_int_equal(host[0].held_tokens, 0);
    assert_null(host[0].holders);
    assert_int_equal(send(&out), MSGS);
}

/* Data phases are told by 8 bits: 255 is the one before 256. */
static void data_phases_are_named_modulo_256(void **state)
{
    (void)state;
    (void)message(0, 1, 200);
    token(0, 1, 255, 2, 256 * EPOCH + 1);
    assert_true(ops->tx_next_ps(&cfg, &host[0]) == 256 * EPOCH + CRTT / 2 + 4 * PACKET);
    token(0, 2, 0, 2, 256 * EPOCH - 1); /* its sender's clock is a little ahead of the packet's way */
    assert_int_equal(host[0].held_tokens, 2);
    assert_true(tx[0].group[1].expire_ps == 257 * EPOCH + CRTT / 2 + 4 * PACKET);
}

/* Tokens of more levels and phases than a message can keep: those that end first give way. */
static void tokens_that_end_first_give_way(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 200);
    token(0, 1, 2, 2, 2 * EPOCH);
    token(0, 2, 1, 3, 2 * EPOCH);
    token(0, 3, 1, 3, 2 * EPOCH);
    token(0, 4, 2, 4, 2 * EPOCH);
    token(0, 5, 2, 5, 2 * EPOCH);
    assert_int_equal(host[0].held_tokens, 5);
    token(0, 6, 2, 6, 2 * EPOCH);
    assert_int_equal(host[0].held_tokens, 4);
    assert_int_equal(tx[0].held, 4);
    static const uint32_t want[] = { 1, 4, 5, 6 };
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(send(&out), 0);
        assert_int_equal(out.sequence, want[i]);
    }
}

static void a_paused_class_waits(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 1, 200);
    (void)message(1, 1, 2);
    token(0, 1, 1, 2, 4 * ROUND);
    ops->tx_pause(&cfg, &host[0], 1u << 1);
    ops->tx_resume(&cfg, &host[0], &peer[0][1]);
    assert_int_equal(send(&out), 0);
    assert_int_equal(send(&out), MSGS);
    token(0, 2, 1, 2, 4 * ROUND);
    ops->tx_pause(&cfg, &host[0], 1u << 2);
    assert_int_equal(send(&out), 1);
    assert_int_equal(send(&out), 1);
    assert_int_equal(send(&out), MSGS);
    token(0, 3, 1, 2, 4 * ROUND);
    ops->tx_pause(&cfg, &host[0], 0);
    assert_int_equal(send(&out), 0);
    assert_int_equal(send(&out), 0);
    assert_int_equal(send(&out), MSGS);
}

/* All packets of a message have one class then, with tokens or without. */
static void classes_are_by_role_or_by_size(void **state)
{
    struct weir_send out;
    (void)state;
    assert_int_equal(ops->classes(&cfg), 3);
    cfg.levels = WEIR_DCPIM_BY_SIZE;
    start();
    assert_int_equal(ops->classes(&cfg), 7);
    (void)message(0, 1, 400);
    (void)message(1, 1, 9);
    token(0, 1, 1, 2, 4 * ROUND);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(send(&out), 1);
        assert_int_equal(out.class_id, 2);
    }
    assert_int_equal(send(&out), 0);
    assert_int_equal(out.class_id, 4);
    assert_int_equal(ops->control_class(&cfg), 0);
}

/* --- keys --- */

static void refuses(const char *key)
{
    const char *wrong = law_check(weir_dcpim_check, &cfg, &path);
    assert_non_null(wrong);
    assert_true(refusal_names(wrong, key));
    (void)setup(NULL);
    assert_null(law_check(weir_dcpim_check, &cfg, &path));
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    law_rows_are_sound(weir_dcpim_params, weir_dcpim_presets, sizeof(cfg));
    assert_null(law_check(weir_dcpim_check, &cfg, &path));
    path.control_rtt_ps = 0;
    refuses("control_rtt");
    cfg.control_rtt_ps = CRTT - 1;
    refuses("control_rtt");
    path.rate_bps = 50000000; /* a packet takes 240 us */
    refuses("channels");
    cfg.rounds = 1;
    cfg.beta_ppm = 1000000;
    path.rate_bps = 3400000000; /* 3.5 us: four of them, and half of a round trip */
    cfg.channels = 1;
    refuses("rounds");
    cfg.size_rounds = 5;
    refuses("size_rounds");
    cfg.short_max.bytes = 8192 * 1500 + 1;
    refuses("short");
    cfg.window.bytes = 8192 * 1500 + 1;
    refuses("window");
    cfg.loss_ps = 2 * path.base_rtt_ps - 1;
    refuses("loss_timeout");
    cfg.loss_ps = 0;
    cfg.window.bytes = cfg.short_max.bytes = 8192 * 1500;
    cfg.control_rtt_ps = CRTT;
    assert_null(law_check(weir_dcpim_check, &cfg, &path));
}

/* A host is forgotten in the middle of everything. */
static void a_forgotten_host_leaves_nothing_behind(void **state)
{
    (void)state;
    announce(0, 0, 1, 300, 1);
    announce(1, 0, 2, 300, 1);
    receivers_at(ROUND);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 1, 2, 2, 900, ROUND + 10);
    receivers_at(2 * ROUND);
    send_offer(WEIR_DCPIM_GRANT, 1, 0, 2, 2, 2, 900, 2 * ROUND + 10);
    send_offer(WEIR_DCPIM_REQUEST, 1, 0, 2, 2, 2, 900, 2 * ROUND + 10);
    ops->rx_done(&cfg, &host[0], &peer[0][1], &rx[0]);
    ops->rx_done(&cfg, &host[0], &peer[0][2], &rx[1]);
    ops->peer_forget(&cfg, &host[0], &peer[0][1]);
    assert_false(dcpim_in_rounds(&host[0]));
    assert_true(ops->tx_next_ps(&cfg, &host[0]) == WEIR_NEVER);
    assert_true(ops->rx_next_ps(&cfg, &host[0], 2 * ROUND + 20) == WEIR_NEVER);
    assert_int_equal(host[0].prompt, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(times_are_those_of_the_published_formula, setup),
        cmocka_unit_test_setup(rounds_have_names_and_instants, setup),
        cmocka_unit_test_setup(channels_are_wanted_for_what_is_left, setup),
        cmocka_unit_test_setup(levels_by_size_grow_by_a_factor, setup),
        cmocka_unit_test_setup(an_offer_fits_a_control_packet, setup),
        cmocka_unit_test_setup(each_channel_has_its_part_of_the_window, setup),
        cmocka_unit_test_setup(first_round_matches_the_shortest_messages, setup),
        cmocka_unit_test_setup(channels_are_shared_out_in_the_order_of_sizes, setup),
        cmocka_unit_test_setup(channels_of_both_phases_count, setup),
        cmocka_unit_test_setup(requests_of_another_round_are_left_out, setup),
        cmocka_unit_test_setup(grants_of_another_round_are_left_out, setup),
        cmocka_unit_test_setup(a_receiver_never_accepts_more_than_a_link, setup),
        cmocka_unit_test_setup(a_sender_takes_back_what_it_has_not, setup),
        cmocka_unit_test_setup(a_receiver_gives_up_what_its_sender_has_not, setup),
        cmocka_unit_test_setup(prompt_channels_are_those_both_have_free, setup),
        cmocka_unit_test_setup(later_rounds_choose_at_random, setup),
        cmocka_unit_test_setup(a_loop_of_c_channels_fires_every_k_by_c_packet_times, setup),
        cmocka_unit_test_setup(a_full_window_waits_for_data, setup),
        cmocka_unit_test_setup(a_window_that_stays_full_is_relaxed, setup),
        cmocka_unit_test_setup(a_loop_serves_the_shortest_message, setup),
        cmocka_unit_test_setup(tokens_are_held_for_a_short_message, setup),
        cmocka_unit_test_setup(a_message_that_was_asked_for_waits_for_its_packets, setup),
        cmocka_unit_test_setup(short_messages_go_at_once_and_before_tokens, setup),
        cmocka_unit_test_setup(tokens_are_spent_by_level_then_length_then_age, setup),
        cmocka_unit_test_setup(packets_carry_the_numbers_of_their_tokens, setup),
        cmocka_unit_test_setup(tokens_expire_after_their_data_phase, setup),
        cmocka_unit_test_setup(data_phases_are_named_modulo_256, setup),
        cmocka_unit_test_setup(tokens_that_end_first_give_way, setup),
        cmocka_unit_test_setup(a_paused_class_waits, setup),
        cmocka_unit_test_setup(classes_are_by_role_or_by_size, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
        cmocka_unit_test_setup(a_forgotten_host_leaves_nothing_behind, setup),
    };
    return cmocka_run_group_tests_name("proto/dcpim", tests, NULL, NULL);
}
