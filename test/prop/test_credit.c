/* test/prop/test_credit.c - hosts of SIRD (preset paper) over a network that loses, copies, delays and reorders at random: every
 * message is delivered exactly once and finished exactly once; a receiver never has more than B outstanding, nor more than
 * its bucket to one sender; and when all is over no credit is missing anywhere. Half of the time NICs are paused, class by class. The
 * same where messages are given up and hosts
 * forget each other at any instant, but that a message may then end otherwise. */
#include "proto/dcpim/dcpim.h"
#include "proto/expresspass/expresspass.h"
#include "proto/homa/homa.h"
#include "proto/ndp/ndp.h"
#include "test/unit/host/swarm_log.h"
#include <inttypes.h>

enum { SEED = 20261 };
static uint32_t runs = 300; /* of each kind, or a half to a quarter of them; `./dev soak` makes more */

static struct weir_rng rng;
static uint64_t loss_ppm, copy_ppm, late_ppm, late_most_ps;
static bool charged; /* unscheduled bytes count, and are not bounded by the bucket */
static uint64_t instants;

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static enum swarm_fate any_fate(struct swarm *s, struct weir_pkt *pkt)
{
    if (below(10) == 0 && pkt->flags & WEIR_PKT_ECT)
        pkt->flags |= WEIR_PKT_CE;
    if (below(1000000) < late_ppm)
        s->late_ps = below((uint32_t)late_most_ps);
    if (below(1000000) < loss_ppm)
        return SWARM_DROP;
    return below(1000000) < copy_ppm ? SWARM_TWICE : SWARM_PASS;
}

/* Per sender at most its bucket: held to a BDP here, because a bucket may shrink below what is out already. */
static void check_buckets(struct swarm *s, uint32_t h)
{
    struct host_credit *c = host_credit_of(s->host[h]);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->peers.count; i++) {
        const struct weir_sird_peer *p = credit_peer_state(credit_peer_at(c, i));
        assert_true(charged || p->outstanding_bytes <= weir_max_u64(s->cfg.path.bdp_bytes, 2 * 1538));
        sum += p->outstanding_bytes;
    }
    assert_true(sum == ((const struct weir_sird_host *)c->state)->outstanding_bytes);
}

static uint32_t pause_ppm;
static uint64_t pauses;

/* Some of the three classes, for a while. */
static void any_pause(struct swarm *s)
{
    uint32_t h = below(s->hosts), classes = below(8);
    if (below(1000000) >= pause_ppm)
        return;
    swarm_pause(s, h, classes, s->now_ps + 1 + below(30 * (uint32_t)SWARM_US));
    pauses++;
}

static void check_credit(struct swarm *s)
{
    instants++;
    any_pause(s);
    for (uint32_t h = 0; h < s->hosts; h++) {
        const char *broken = weir_host_check(s->host[h]);
        if (broken != NULL)
            fail_msg("host %u at %" PRIu64 " ps: %s", (unsigned)h, s->now_ps, broken);
        check_buckets(s, h);
    }
}

/* Every rule that a scenario can choose. */
static void any_rules(struct swarm *s)
{
    struct weir_sird_config *c = &s->sird;
    uint64_t bdp_bytes = s->cfg.path.bdp_bytes;
    c->bucket.bytes = bdp_bytes + below(below(2) == 0 ? 1538 : 100000);
    c->receiver_policy = below(3);
    c->sender_policy = below(3);
    c->bucket_test = below(2);
    c->csn_rule = below(2);
    c->aimd_input = below(2);
    c->unsched_unit = below(2);
    if (below(2) == 0)
        c->unscht.bytes = c->prefix.bytes = below((uint32_t)bdp_bytes);
    if (below(2) == 0)
        c->sthr.bytes = below(4) == 0 ? UINT64_MAX : below((uint32_t)bdp_bytes);
    if (below(2) == 0)
        c->floor[0].bytes = below((uint32_t)bdp_bytes), c->floor[1].bytes = below((uint32_t)bdp_bytes);
    c->g_ppm = 1 + below(1000000);
    c->fair_ppm = below(1000001);
    c->pace_ppm = 500000 + below(500001);
    c->pace_slack_bytes = below(3) * UINT64_C(1000);
    c->poll_ps = below(3) * UINT64_C(15000);
    c->priorities = below(3);
}

static struct swarm *any_swarm(void)
{
    static const uint32_t chance[] = { 0, 0, 1000, 20000, 100000, 200000 };
    struct swarm *s = swarm_reset(2 + below(SWARM_HOSTS - 1));
    loss_ppm = chance[below(6)];
    copy_ppm = chance[below(6)];
    late_ppm = chance[below(6)];
    late_most_ps = 1 + below(60 * (uint32_t)SWARM_US);
    pause_ppm = below(2) * 10000;
    if (below(3) == 0) { /* room for two to four packets: where leftovers hurt */
        s->cfg.path.bdp_bytes = 2 * 1538 + below(3000);
        swarm_defaults(s);
    }
    any_rules(s);
    s->delay_ps = 1 + below(5 * (uint32_t)SWARM_US);
    s->cfg.hash = (enum weir_host_hash)below(3);
    s->cfg.seed = weir_rng_next(&rng);
    s->downlink = below(2);
    s->fate = any_fate;
    s->after = check_credit;
    return s;
}

static void any_messages(struct swarm *s)
{
    uint64_t at_ps = 0;
    for (uint32_t m = 0, n = 1 + below(60); m < n; m++) {
        uint32_t src = below(s->hosts), dst = (src + 1 + below(s->hosts - 1)) % s->hosts;
        uint32_t most = below(4) == 0 ? 600000 : below(2) == 0 ? 100000 : 3000;
        swarm_message(s, at_ps, src, dst, 1 + below(most));
        at_ps += below(20 * (uint32_t)SWARM_US);
    }
}

static void every_message_arrives_once_and_no_credit_is_lost(void **state)
{
    uint64_t pkts = 0, again = 0, copies = 0, timeouts = 0;
    (void)state;
    print_message("seed %d, %u runs\n", SEED, runs);
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 0, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs; run++) {
        struct swarm *s = any_swarm();
        if (loss_ppm == 0 && below(4) != 0) { /* nothing is given up, and nothing may wait for that */
            s->sird.loss_ps = 0;
            s->sird.unscht.bytes = below(2) == 0 ? 0 : s->sird.unscht.bytes;
        }
        swarm_start(s);
        any_messages(s);
        swarm_run(s, WEIR_NEVER);
        assert_int_equal(s->delivered, s->msgs);
        assert_int_equal(s->finished, s->msgs);
        for (uint32_t h = 0; h < s->hosts; h++) {
            const struct weir_host_stats *st = weir_host_stats(s->host[h]);
            struct weir_credit_sums sums;
            weir_host_credit(s->host[h], &sums);
            assert_true(sums.outstanding_bytes == 0 || s->sird.loss_ps == 0);
            if (loss_ppm == 0 && late_ppm == 0 && copy_ppm == 0)
                assert_int_equal(st->retransmissions, 0);
            pkts += st->tx_data_pkts, again += st->retransmissions, copies += st->duplicates, timeouts += st->timeouts;
        }
    }
    print_message("%ju instants, %ju packets, %ju sent again, %ju copies arrived, %ju timeouts, %ju pauses\n",
                  (uintmax_t)instants, (uintmax_t)pkts, (uintmax_t)again, (uintmax_t)copies, (uintmax_t)timeouts,
                  (uintmax_t)pauses);
    assert_true(pauses > runs); /* or they show nothing */
}

/* after: called after each event */
static void each_arrives_once(struct swarm *s, const struct weir_credit_ops *ops, const void *config,
                              void (*after)(struct swarm *s))
{
    s->cfg.credit = ops;
    s->cfg.cc_config = config;
    s->after = after;
    swarm_start(s);
    any_messages(s);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->delivered, s->msgs);
    assert_int_equal(s->finished, s->msgs);
    log_assert_quiet(s);
}

/* The same host, and another protocol: NDP. */
static void every_message_of_ndp_arrives_once(void **state)
{
    uint64_t again = 0, timeouts = 0;
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 9, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 2; run++) {
        struct swarm *s = any_swarm();
        const struct weir_ndp_config ndp = {
            .window = { .bytes = 1458 * (1 + below(60)) },
            .loss_ps = loss_ppm == 0 && below(2) == 0 ? 0 : WEIR_PS_PER_MS,
        };
        each_arrives_once(s, &weir_ndp_ops, &ndp, any_pause);
        for (uint32_t h = 0; h < s->hosts; h++) {
            const struct weir_host_stats *st = weir_host_stats(s->host[h]);
            if (loss_ppm == 0)
                assert_int_equal(st->retransmissions, 0);
            again += st->retransmissions, timeouts += st->timeouts;
        }
    }
    print_message("NDP: %ju packets sent again, %ju timeouts\n", (uintmax_t)again, (uintmax_t)timeouts);
    assert_true(again > 1000 && timeouts > 1000);
}

/* Any levels and limits; the cutoffs are those of unknown sizes. */
static struct weir_homa_config any_homa(const struct swarm *s)
{
    uint32_t levels = 2 + below(7), unsched = 1 + below(levels - 1);
    struct weir_homa_config cfg = {
        .unsched = { .bytes = below(3) == 0 ? 0 : 1458 * below(60) },
        .window = { .bytes = 1538 * (1 + below(60)) },
        .cutoff_cap = { .bytes = 72000 },
        .boost = { .bytes = below(2) * below(50000) },
        .loss_ps = loss_ppm == 0 && below(2) == 0 ? 0 : WEIR_PS_PER_MS,
        .priorities = levels,
        .unsched_levels = unsched,
        .overcommit = 1 + below(levels - unsched),
        .grant_pkts = 1 + below(4) * below(4),
        .sender_policy = below(2),
    };
    const struct weir_fit fit = { .path = &s->cfg.path, .framing = &s->cfg.framing };
    struct weir_err err;
    weir_homa_fit(&cfg, &fit);
    assert_int_equal(weir_homa_check(&cfg, &s->cfg.path, &err), 0);
    return cfg;
}

/* Pauses, and no message has more on its way than its window and a grant: weir_host_check(). */
static void check_homa(struct swarm *s)
{
    any_pause(s);
    for (uint32_t h = 0; h < s->hosts; h++) {
        const char *broken = weir_host_check(s->host[h]);
        if (broken != NULL)
            fail_msg("host %u at %" PRIu64 " ps: %s", (unsigned)h, s->now_ps, broken);
    }
}

static void every_message_of_homa_arrives_once(void **state)
{
    uint64_t again = 0, timeouts = 0;
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 10, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 2; run++) {
        struct swarm *s = any_swarm();
        const struct weir_homa_config homa = any_homa(s);
        each_arrives_once(s, &weir_homa_ops, &homa, check_homa);
        for (uint32_t h = 0; h < s->hosts; h++) {
            const struct weir_host_stats *st = weir_host_stats(s->host[h]);
            struct weir_credit_sums sums;
            weir_host_credit(s->host[h], &sums);
            assert_int_equal(sums.outstanding_bytes, 0);
            assert_int_equal(sums.most_bytes, 0);
            again += st->retransmissions, timeouts += st->timeouts;
        }
    }
    print_message("Homa: %ju packets sent again, %ju timeouts\n", (uintmax_t)again, (uintmax_t)timeouts);
    assert_true(again > 1000 && timeouts > 1000);
}

static uint64_t homa_most_bytes, homa_seen_bytes;

static void check_homa_receiver(struct swarm *s)
{
    struct weir_credit_sums sums;
    weir_host_credit(s->host[0], &sums);
    assert_true((uint64_t)sums.outstanding_bytes <= homa_most_bytes);
    homa_seen_bytes = weir_max_u64(homa_seen_bytes, (uint64_t)sums.outstanding_bytes);
}

/* While no message is granted to its end, and none begins that is shorter: overcommit times the window and a packet, besides what goes
 * unscheduled. Else what others have on its way comes on top. */
static void what_a_receiver_of_homa_granted_is_bounded(void **state)
{
    uint32_t full = 0;
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 11, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 3; run++) {
        struct swarm *s = any_swarm();
        loss_ppm = copy_ppm = late_ppm = pause_ppm = 0;
        s->downlink = true;
        s->hosts = SWARM_HOSTS;
        struct weir_homa_config homa = any_homa(s);
        homa.grant_pkts = 1;
        s->cfg.credit = &weir_homa_ops;
        s->cfg.cc_config = &homa;
        s->after = check_homa_receiver;
        swarm_start(s);
        homa_most_bytes = homa.overcommit * (homa.window.bytes + 1538);
        homa_seen_bytes = 0;
        for (uint32_t src = 1; src < s->hosts; src++) {
            swarm_message(s, 0, src, 0, 1000000 + 10000 * src); /* 80 us of an uplink; the shortest is known first */
            homa_most_bytes += homa.unsched.bytes / 1458 * 1538;
        }
        swarm_run(s, 60 * SWARM_US);
        assert_int_equal(s->delivered, 0);
        full += homa_seen_bytes >= homa.overcommit * homa.window.bytes;
    }
    print_message("%u runs came to the windows of all granted senders\n", (unsigned)full);
    assert_true(full > runs / 10);
}

static uint64_t matched_most, taken_most;

/* Neither half of a host ever has more channels in one epoch than its link, and sums are those of their parts. */
static void check_channels(struct swarm *s)
{
    any_pause(s);
    for (uint32_t i = 0; i < s->hosts; i++) {
        const struct host_credit *c = host_credit_of(s->host[i]);
        const struct weir_dcpim_host *h = (const void *)c->state;
        const struct weir_dcpim_config *cfg = c->config;
        uint32_t matched = 0, fresh = 0, asks = 0;
        for (uint32_t j = 0; j < c->peers.count; j++) {
            const struct weir_dcpim_peer *p = credit_peer_state(credit_peer_at(c, j));
            matched += p->matched;
            fresh += p->fresh;
            asks += p->asks;
            assert_int_equal(p->asks, p->open.root != NULL);
        }
        assert_int_equal(matched, h->matched.channels);
        assert_int_equal(fresh, h->fresh.channels);
        assert_int_equal(asks > 0, h->ask != NULL);
        assert_in_range(matched, 0, cfg->channels);
        assert_in_range(fresh, 0, cfg->channels);
        assert_in_range(h->prompt, 0, fresh);
        assert_in_range(h->given[0].channels, 0, cfg->channels);
        assert_in_range(h->given[1].channels, 0, cfg->channels);
        matched_most += matched == cfg->channels;
        taken_most += h->given[0].channels == cfg->channels;
    }
}

static struct weir_dcpim_config any_dcpim(const struct swarm *s)
{
    struct weir_dcpim_config d;
    weir_param_defaults(weir_dcpim_params, &d);
    weir_param_resolve_bdp(weir_dcpim_params, &d, s->cfg.path.bdp_bytes);
    d.rounds = 1 + below(5);
    d.channels = 1 + below(6);
    d.size_rounds = below(d.rounds + 1);
    d.alpha_ppm += below(2) * below(1000000);
    d.control_rtt_ps = 2 * s->delay_ps + SWARM_US + below(10 * (uint32_t)SWARM_US); /* what is late misses its round */
    d.prompt = below(2);
    d.hold = below(2);
    d.levels = below(2);
    d.short_max.bytes = 1 + below(70000);
    d.window.bytes = 1 + below(70000);
    d.window_timeout.bytes = d.resend_timeout.bytes = 1000 + below(100000);
    d.loss_ps = loss_ppm == 0 && below(2) == 0 ? 0 : WEIR_PS_PER_MS;
    return d;
}

/* The same with dcPIM. */
static void every_message_of_dcpim_arrives_once(void **state)
{
    uint64_t again = 0, timeouts = 0;
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 10, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 4; run++) {
        struct swarm *s = any_swarm();
        const struct weir_dcpim_config dcpim = any_dcpim(s);
        each_arrives_once(s, &weir_dcpim_ops, &dcpim, check_channels);
        for (uint32_t h = 0; h < s->hosts; h++) {
            const struct weir_host_stats *st = weir_host_stats(s->host[h]);
            struct weir_credit_sums sums;
            weir_host_credit(s->host[h], &sums);
            assert_int_equal(sums.outstanding_bytes, 0);
            assert_int_equal(sums.held_bytes, 0);
            assert_int_equal(weir_host_next_ps(s->host[h]), WEIR_NEVER);
            again += st->retransmissions, timeouts += st->timeouts;
        }
    }
    print_message(
        "dcPIM: %ju packets sent again, %ju timeouts, %ju times all channels of a receiver, %ju of a sender\n",
        (uintmax_t)again, (uintmax_t)timeouts, (uintmax_t)matched_most, (uintmax_t)taken_most);
    assert_true(again > 1000 && timeouts > 1000 && matched_most > 1000 && taken_most > 1000);
}

/* And ExpressPass, where no port holds credit back: this network loses, copies and overtakes whatever comes. */
static void every_message_of_expresspass_arrives_once(void **state)
{
    uint64_t again = 0;
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 10, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 4; run++) {
        struct swarm *s = any_swarm();
        struct weir_expresspass_config cfg = { .alpha_ppm = 1 + below(500000),
                                               .w_init_ppm = 62500,
                                               .w_min_ppm = 10000,
                                               .w_max_ppm = 500000,
                                               .w_step_ppm = 50000,
                                               .target_ppm = 125000,
                                               .jitter_ppm = 100000,
                                               .rtt_gain_ppm = 200000,
                                               .credit_min_bytes = 76,
                                               .credit_max_bytes = 92,
                                               .short_pkts = below(41),
                                               .connections = below(4),
                                               .early_stop = below(2),
                                               .request_ps = 100 * SWARM_US,
                                               .idle_ps = WEIR_PS_PER_MS };
        each_arrives_once(s, &weir_expresspass_ops, &cfg, any_pause);
        for (uint32_t h = 0; h < s->hosts; h++)
            again += weir_host_stats(s->host[h])->retransmissions;
    }
    print_message("ExpressPass: %ju packets sent again\n", (uintmax_t)again);
    assert_true(again > 100);
}

static uint64_t joins, over_plain;

/* What waits at a downlink at a, and what left it during the last shortest round trip, was all outstanding at once: at
 * a less the way from credit to downlink. So it is within B. Where the port was busy all that time this is the paper's bound,
 * B less a BDP; a burst of senders that held credit back may pass that, never this one. */
static void check_downlink(struct swarm *s, uint32_t host, uint64_t at_ps)
{
    uint64_t packet = 1538, round_trip_ps = 2 * s->delay_ps + (84 + 2 * packet) * SWARM_PS_PER_BYTE;
    uint64_t waiting = (s->port_free_ps[host] - at_ps) / SWARM_PS_PER_BYTE;
    uint64_t left = weir_min_u64(round_trip_ps, at_ps - s->port_busy_ps[host]) / SWARM_PS_PER_BYTE;
    assert_true(waiting + left <= s->sird.bucket.bytes + packet);
    joins++;
    over_plain += waiting + round_trip_ps / SWARM_PS_PER_BYTE > s->sird.bucket.bytes + packet;
}

static void scheduled_bytes_at_a_downlink_are_bounded(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 1, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs / 3; run++) {
        struct swarm *s = any_swarm();
        loss_ppm = copy_ppm = late_ppm = pause_ppm = 0;
        s->downlink = true;
        s->joined = check_downlink;
        s->delay_ps = 1000 + below(4 * (uint32_t)SWARM_US);
        s->cfg.path.bdp_bytes = 72000;
        swarm_defaults(s);
        s->sird.bucket.bytes = 72000 + below(100000);
        s->sird.unscht.bytes = 0;
        swarm_start(s);
        any_messages(s);
        swarm_run(s, WEIR_NEVER);
        assert_int_equal(s->finished, s->msgs);
    }
    print_message("%ju packets; %ju found more than B less a round trip, after an idle time\n", (uintmax_t)joins,
                  (uintmax_t)over_plain);
}

static uint64_t cancel_ppm, forget_ppm;
static uint64_t cancels, forgets, drops, forgotten, beaten; /* beaten: delivered all the same */

/* Any message under way is given up; any two hosts forget each other, or one the other, which then learns of it by a packet. */
static void any_change_of_mind(struct swarm *s)
{
    check_credit(s);
    if (s->started > 0 && below(1000000) < cancel_ppm) {
        uint32_t i = below(s->started);
        for (uint32_t n = 0; n < 1 + below(3); n++, i = below(s->started)) /* the same one twice, too */
            if (!s->msg[i].finished && !s->msg[i].forgotten)
                swarm_cancel(s, s->now_ps, i);
    }
    if (below(1000000) < forget_ppm) {
        uint32_t a = below(s->hosts), b = (a + 1 + below(s->hosts - 1)) % s->hosts;
        bool both = below(2) == 0;
        swarm_forget(s, s->now_ps, a, b, s->epoch[a][b] + 1);
        if (both)
            swarm_forget(s, s->now_ps, b, a, s->epoch[b][a] + 1);
        forgets++;
    }
}

/* Some begin where numbers soon go round. */
static void any_numbers(struct swarm *s)
{
    uint32_t first = below(2) == 0 ? 0 : 0u - below(20);
    for (uint32_t a = 0; a < s->hosts; a++) {
        for (uint32_t b = 0; b < s->hosts; b++) {
            if (a == b)
                continue;
            host_credit_peer(s->host[a], b)->tx_count = first;
            host_credit_peer(s->host[b], a)->rx_base = first;
        }
    }
}

/* Whoever was forgotten and had nothing to say since has not heard of it; its world would give up waiting. */
static void forget_the_silent(struct swarm *s)
{
    for (uint32_t a = 0; a < s->hosts; a++)
        for (uint32_t b = 0; b < s->hosts; b++)
            swarm_forget(s, s->now_ps, a, b, s->epoch[b][a]);
}

static uint32_t free_records(const struct host_table *t)
{
    uint32_t n = 0;
    for (uint32_t i = t->free; i != HOST_NONE; n++)
        i = *(const uint32_t *)host_at(t, HOST_BLOCK_SHIFT, i);
    return n;
}

static void check_ends(const struct swarm *s)
{
    for (uint32_t i = 0; i < s->msgs; i++) {
        const struct swarm_msg *m = &s->msg[i];
        assert_int_equal(m->finished + m->forgotten, 1);
        assert_true(m->delivered == 1 || m->cancelled || m->forgotten);
        beaten += m->delivered && m->cancelled;
    }
    for (uint32_t h = 0; h < s->hosts; h++) {
        const struct host_credit *c = host_credit_of(s->host[h]);
        assert_int_equal(free_records(&c->txs), c->txs.count);
        assert_int_equal(free_records(&c->rxs), c->rxs.count);
        assert_int_equal(weir_host_next_ps(s->host[h]), WEIR_NEVER);
        assert_false(weir_host_ready(s->host[h]));
        for (uint32_t i = 0; i < c->peers.count; i++) /* no credit came back that was never out */
            assert_int_equal(((struct weir_sird_peer *)credit_peer_state(credit_peer_at(c, i)))->early_bytes, 0);
    }
    log_assert_quiet(s);
}

static void whatever_is_given_up_or_forgotten_the_rest_arrives_once(void **state)
{
    static const uint32_t chance[] = { 0, 1000, 10000, 50000 };
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 2, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < runs; run++) {
        struct swarm *s = any_swarm();
        cancel_ppm = chance[below(4)];
        forget_ppm = chance[below(4)] / 10;
        charged = below(4) == 0;
        s->sird.unsched_accounting = charged ? WEIR_SIRD_CHARGED : WEIR_SIRD_IGNORED;
        s->after = any_change_of_mind;
        swarm_start(s);
        any_numbers(s);
        any_messages(s);
        swarm_run(s, WEIR_NEVER);
        forget_the_silent(s);
        check_ends(s);
        cancels += s->cancelled, drops += s->dropped, forgotten += s->forgotten;
    }
    charged = false;
    print_message("%ju given up: %ju dropped, %ju delivered all the same; %ju times forgotten, with %ju messages\n",
                  (uintmax_t)cancels, (uintmax_t)drops, (uintmax_t)beaten, (uintmax_t)forgets, (uintmax_t)forgotten);
    assert_true(drops > runs && beaten > runs / 10 && forgotten > runs); /* or this shows nothing */
}

/* prop_credit [--runs N] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_message_arrives_once_and_no_credit_is_lost),
                                        cmocka_unit_test(every_message_of_ndp_arrives_once),
                                        cmocka_unit_test(every_message_of_homa_arrives_once),
                                        cmocka_unit_test(what_a_receiver_of_homa_granted_is_bounded),
                                        cmocka_unit_test(every_message_of_dcpim_arrives_once),
                                        cmocka_unit_test(every_message_of_expresspass_arrives_once),
                                        cmocka_unit_test(whatever_is_given_up_or_forgotten_the_rest_arrives_once),
                                        cmocka_unit_test(scheduled_bytes_at_a_downlink_are_bounded) };
    if (argc == 3 && strcmp(argv[1], "--runs") == 0)
        runs = (uint32_t)strtoul(argv[2], NULL, 10);
    else if (argc != 1)
        return 2;
    return cmocka_run_group_tests_name("credit", tests, NULL, NULL);
}
