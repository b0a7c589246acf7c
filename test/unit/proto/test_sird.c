/* test/unit/proto/test_sird.c - presets and the check; and both halves together under loss, reordering and repetition. */
#include "test/unit/proto/sird_bench.h"
#include "core/rng.h"

static void presets_match_the_sources(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[0]);
    assert_string_equal(weir_sird_presets[0].name, "paper");
    assert_int_equal(cfg.bucket.bytes, 150000);
    assert_int_equal(cfg.sthr.bytes, 50000);
    assert_int_equal(cfg.unscht.bytes, BDP);
    assert_int_equal(cfg.floor[WEIR_SIRD_SENDER].bytes, 10000);
    assert_int_equal(cfg.floor[WEIR_SIRD_NET].bytes, 3000);
    assert_int_equal(sird->loss_ps(&cfg), 2 * WEIR_PS_PER_MS);
    use_preset(&weir_sird_presets[1]);
    assert_string_equal(weir_sird_presets[1].name, "ns2");
    assert_int_equal(cfg.sthr.bytes, 48114);
    assert_int_equal(cfg.poll_ps, 30000);
    assert_int_equal(cfg.pace_slack_bytes, 562);
    assert_int_equal(sird->loss_ps(&cfg), 0);
    use_preset(&weir_sird_presets[2]);
    assert_string_equal(weir_sird_presets[2].name, "udp");
    assert_int_equal(cfg.pace_ppm, 970000);
    assert_int_equal(cfg.pace_slack_bytes, 64000);
    assert_int_equal(sird->loss_ps(&cfg), 10 * WEIR_PS_PER_MS);
    assert_null(weir_sird_presets[3].name);
}

static void refused(const char *key, const char *value, const char *word)
{
    const struct weir_path path = { .base_rtt_ps = 7500000, .bdp_bytes = BDP, .mss_bytes = MSS };
    use_preset(&weir_sird_presets[0]);
    assert_null(law_check(weir_sird_check, &cfg, &path));
    set(key, value);
    const char *wrong = law_check(weir_sird_check, &cfg, &path);
    assert_non_null(wrong);
    assert_ptr_equal(strstr(wrong, word), wrong); /* begins with the key at fault */
}

/* At least two round trips; and at most 8 GiB of bits: 2^16 us at 2^17 Mb/s, both in whole units. */
static void a_loss_timeout_has_two_limits(void **state)
{
    static const struct {
        uint64_t loss_ps, rate_bps;
        bool refused;
    } rows[] = { { 14999999, 100000000000, true },     { 15000000, 100000000000, false },
                 { 15000001, 100000000000, false },    { 65535999999, 131072000000, false },
                 { 65536000000, 131072000000, false }, { 65536999999, 131072999999, false },
                 { 65537000000, 131072000000, true },  { 65536000000, 131073000000, true },
                 { 62571000000, 137283000000, true } /* 2^33 + 1 */ };
    (void)state;
    use_preset(&weir_sird_presets[0]);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct weir_path path = {
            .base_rtt_ps = 7500000, .rate_bps = rows[i].rate_bps, .bdp_bytes = BDP, .mss_bytes = MSS
        };
        cfg.loss_ps = rows[i].loss_ps;
        const char *wrong = law_check(weir_sird_check, &cfg, &path);
        assert_int_equal(wrong != NULL, rows[i].refused);
        assert_true(wrong == NULL || strstr(wrong, "loss_timeout") == wrong);
    }
}

static void invalid_keys_are_refused_by_name(void **state)
{
    (void)state;
    refused("B", "0.999 BDP", "B is less than 1 BDP");
    refused("sender_floor", "1.1 BDP", "sender_floor");
    refused("net_floor", "100001 B", "net_floor");
    refused("loss_timeout", "14 us", "loss_timeout");
    set("UnschT", "all");
    set("unsched_max", "12 MB"); /* 8231 packets */
    set("loss_timeout", "off");
    const char *wrong = law_check(weir_sird_check, &cfg, &(struct weir_path){ .bdp_bytes = BDP, .mss_bytes = MSS });
    assert_ptr_equal(strstr(wrong, "UnschT and unsched_max"), wrong);
    const struct weir_path fits = { .base_rtt_ps = 7500000, .bdp_bytes = BDP, .mss_bytes = MSS };
    cfg.prefix.bytes = 8192 * MSS;
    assert_null(law_check(weir_sird_check, &cfg, &fits));
    cfg.prefix.bytes++;
    assert_non_null(law_check(weir_sird_check, &cfg, &fits));
    cfg.unscht.bytes = BDP; /* the smaller of the two counts */
    assert_null(law_check(weir_sird_check, &cfg, &fits));
    wrong = law_check(weir_sird_check, &cfg, &(struct weir_path){ .bdp_bytes = 2915, .mss_bytes = MSS });
    assert_ptr_equal(strstr(wrong, "the BDP is less than two packets"), wrong);
    use_preset(&weir_sird_presets[0]);
    weir_param_resolve_bdp(weir_sird_params, &cfg, 8192 * MSS);
    cfg.unscht.bytes = 0;
    assert_null(law_check(weir_sird_check, &cfg, &(struct weir_path){ .bdp_bytes = 8192 * MSS, .mss_bytes = MSS }));
    weir_param_resolve_bdp(weir_sird_params, &cfg, 8192 * MSS + 1);
    wrong = law_check(weir_sird_check, &cfg, &(struct weir_path){ .bdp_bytes = 8192 * MSS + 1, .mss_bytes = MSS });
    assert_ptr_equal(strstr(wrong, "the BDP of 11943937 B is more than the 8192 packets"), wrong);
}

static void a_small_bdp_leaves_room_for_the_packets_that_must_fit(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[0]);
    weir_param_resolve_bdp(weir_sird_params, &cfg, 2 * MSS);
    limits.path.bdp_bytes = 2 * MSS; /* less than two packets with their headers */
    sird->init(&cfg, &host, &limits);
    assert_int_equal(host.rule.most_bytes, 2 * M);
    assert_int_equal(host.rule.floor_bytes[WEIR_SIRD_NET], 2 * M);
    assert_int_equal(host.bucket_bytes, 4374); /* 1.5 BDP */
    use_preset(&weir_sird_presets[1]);
    start();
    assert_int_equal(host.rule.floor_bytes[WEIR_SIRD_NET], 3000);
}

/* --- one host sends to itself as it were: peer i of its sender half is peer i of its receiver half --- */

enum { FLIGHT = 512, STEPS = 120000, SETTLE_EVERY = 1000 };

struct flight { /* a DATA packet on its way */
    uint32_t from, msg, payload, spent_total, flags;
    uint32_t age; /* settlings since it left */
};

static struct flight flight[FLIGHT];
static uint32_t flight_count, told[PEERS], lost_count;
static struct weir_rng rng;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(weir_rng_next(&rng) >> 32) % below;
}

static void step_send(void)
{
    struct weir_send out;
    if (flight_count == FLIGHT || !sird->tx_ready(&host))
        return;
    uint32_t next[MSGS];
    for (uint32_t i = 0; i < tx_count; i++)
        next[i] = tx[i].msg.next;
    assert_true(send(&out));
    struct weir_sird_tx *m = out.tx;
    uint32_t i = (uint32_t)(m - tx);
    flight[flight_count++] = (struct flight){ .from = (uint32_t)((struct weir_sird_peer *)out.peer - peer),
                                              .msg = i,
                                              .payload = payload_next(tx_bytes[i], next[i]),
                                              .spent_total = out.sequence,
                                              .flags = (next[i] < m->msg.unsched_pkts ? WEIR_DATA_UNSCHED : 0) |
                                                       (out.own ? WEIR_DATA_OWN : 0) };
}

static void arrive(uint32_t at, uint32_t loss_percent)
{
    struct flight f = flight[at];
    flight[at] = flight[--flight_count];
    if (draw(100) < loss_percent) {
        lost_count++;
        return;
    }
    data(f.from, &rx[f.msg], f.payload, f.spent_total, f.flags | (draw(10) == 0 ? WEIR_DATA_CE : 0));
    if (draw(20) == 0)
        data(f.from, &rx[f.msg], f.payload, f.spent_total, f.flags | WEIR_DATA_KNOWN);
}

static void step_arrive(uint32_t loss_percent)
{
    if (flight_count > 0)
        arrive(draw(flight_count), loss_percent); /* any of them: reordered without mercy */
}

/* A loss time has passed: nothing that left before the last settling is still on its way. */
static void step_settle(uint32_t loss_percent)
{
    for (uint32_t i = flight_count; i-- > 0;) {
        if (flight[i].age++ > 0)
            arrive(i, loss_percent);
    }
    for (uint32_t i = 0; i < PEERS; i++)
        (void)sird_rx_settle(&cfg, &host, &peer[i], 0);
}

static void step_grant(void)
{
    uint32_t from = grant_to();
    if (from != PEERS)
        told[from] = peer[from].granted_total;
    from = draw(PEERS);
    credit(from, told[from]); /* a credit may take its time; lost ones are made up for by the next */
}

static void check_account(bool bounded, const uint64_t *before)
{
    uint64_t sum = 0, held = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        sum += peer[i].outstanding_bytes;
        held += peer[i].credit_bytes;
        if (bounded && peer[i].outstanding_bytes > before[i]) /* grew: then it fits; a bucket may shrink under it */
            assert_true(peer[i].outstanding_bytes <= peer[i].aimd.least_bytes);
    }
    assert_int_equal(sum, host.outstanding_bytes);
    assert_int_equal(held, host.held_bytes);
    if (bounded)
        assert_true(sum <= host.bucket_bytes);
}

/* Everything arrives, all credit is told, and what finds no use is given up. */
static void drain(void)
{
    struct weir_own_pkt state = { .kind = WEIR_SIRD_STATE };
    for (uint32_t i = 0; i < PEERS; i++)
        credit(i, peer[i].granted_total);
    while (flight_count > 0 || sird->tx_ready(&host)) {
        step_send();
        step_arrive(0);
    }
    for (uint32_t i = 0; i < MSGS; i++) { /* sent or not: the application lost interest */
        sird->tx_done(&cfg, &host, &peer[i % PEERS], &tx[i]);
        sird->rx_done(&cfg, &host, &peer[i % PEERS], &rx[i]);
    }
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), WEIR_NEVER);
    for (uint32_t i = 0; i < PEERS; i++) {
        state.peer = &peer[i];
        state.sequence = sird_tx_settle(&cfg, &host, &peer[i]);
        sird->control(&cfg, &host, &state);
        (void)sird_rx_settle(&cfg, &host, &peer[i], 0);
        (void)sird_rx_settle(&cfg, &host, &peer[i], 0);
    }
}

/* Every message there will be, known to both sides from the start. */
static void begin_messages(void)
{
    for (uint32_t i = 0; i < MSGS; i++) {
        uint64_t bytes = draw(2) == 0 ? 1 + draw(BDP) : 1 + draw(40 * BDP);
        struct weir_sird_tx *m = message(i % PEERS, bytes);
        (void)arriving(i % PEERS, bytes, m->msg.unsched_pkts);
    }
}

static void credit_is_conserved(uint64_t seed, uint32_t loss_percent, bool bounded)
{
    rng = (struct weir_rng){ .key = weir_rng_key(seed, 0, WEIR_RNG_TEST, 0) };
    flight_count = lost_count = 0;
    memset(told, 0, sizeof(told));
    start();
    begin_messages();
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t before[PEERS];
        for (uint32_t j = 0; j < PEERS; j++)
            before[j] = peer[j].outstanding_bytes;
        switch (draw(3)) {
        case 0:
            step_send();
            break;
        case 1:
            step_arrive(loss_percent);
            break;
        default:
            step_grant();
        }
        check_account(bounded, before);
        if (i % SETTLE_EVERY == 0)
            step_settle(loss_percent);
    }
    assert_true(loss_percent == 0 || lost_count > 300);
    drain();
    assert_int_equal(host.outstanding_bytes, 0); /* none is lost for good, none returned twice */
    assert_int_equal(host.held_bytes, 0);
    for (uint32_t i = 0; i < PEERS; i++)
        assert_int_equal(peer[i].early_bytes, 0);
}

static void credit_is_conserved_in_the_paper(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[0]);
    for (uint64_t seed = 1; seed <= 4; seed++)
        credit_is_conserved(seed, seed % 2 == 0 ? 3 : 0, true);
    set("receiver_policy", "round-robin");
    set("sender_policy", "largest");
    credit_is_conserved(5, 3, true);
    set("receiver_policy", "least-in-flight");
    set("sender_policy", "fair");
    credit_is_conserved(6, 3, true);
}

static void credit_is_conserved_in_ns2(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[1]);
    for (uint64_t seed = 1; seed <= 4; seed++)
        credit_is_conserved(seed, seed % 2 == 0 ? 3 : 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_match_the_sources),
        cmocka_unit_test(a_loss_timeout_has_two_limits),
        cmocka_unit_test(invalid_keys_are_refused_by_name),
        cmocka_unit_test_setup(a_small_bdp_leaves_room_for_the_packets_that_must_fit, setup_paper),
        cmocka_unit_test(credit_is_conserved_in_the_paper),
        cmocka_unit_test(credit_is_conserved_in_ns2),
    };
    return cmocka_run_group_tests_name("proto/sird", tests, NULL, NULL);
}
