/* test/prop/test_pace.c - paced connections against a model of the pacer: random rates and windows, which change with ACKs, on a NIC that several
 * connections share. No packet leaves before its time, the NIC is never idle while a packet is due, and with rates that stay a
 * connection that never waits longer than an interval keeps its pace for ever. */
#include "core/rng.h"
#include "test/unit/host/pair.h"

enum { RUNS = 400, SEED = 20251, CONNS = 6, PKTS = 120 };

static struct weir_rng rng;
static struct weir_cc_ops ops;

struct model { /* of a connection; of all of them if the law has one state per destination */
    uint64_t rate_bps, due_ps, from_ps,
        open_ps; /* open_ps: since when data and window admit a packet; WEIR_NEVER = they do not */
    uint64_t sent_ps, longest_wait_ps;
    uint32_t left, inflight_bytes, cwnd_bytes, sent;
    bool is_paced; /* a packet has left at a rate: from_ps counts */
    bool is_new;   /* a rate is set, and no packet has left since: no wait is made up for */
};

static struct model model[CONNS];
static uint32_t conns;
static uint64_t nic_free_ps;
static uint32_t kept; /* connections that waited, and kept their pace all the same */
static bool rates_change, windows_change, is_shared;

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static uint64_t any_rate(void)
{
    return below(8) == 0 ? WEIR_RATE_OPEN : 1000000000 + (uint64_t)below(90000) * 1000000;
}

static uint64_t interval_ps(uint64_t rate_bps)
{
    return rate_bps == WEIR_RATE_OPEN ? 0 : (PAIR_WIRE * 8 * WEIR_PS_PER_S + rate_bps - 1) / rate_bps;
}

static void admit(struct model *m, uint64_t now_ps)
{
    bool may = m->left > 0 && (m->inflight_bytes == 0 || m->inflight_bytes + PAIR_MSS <= m->cwnd_bytes);
    m->open_ps = !may ? WEIR_NEVER : weir_min_u64(m->open_ps, now_ps);
}

/* The host calls it when it makes a connection, in their order. */
static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    static uint32_t made;
    struct model *m;
    (void)config, (void)path;
    made = conns == 0 ? 0 : made + 1;
    m = &model[made];
    *m = (struct model){
        .rate_bps = any_rate(), .left = PKTS, .is_new = true, .cwnd_bytes = (uint32_t)(PAIR_MSS * (1 + below(30)))
    };
    if (!windows_change)
        m->cwnd_bytes = PAIR_MSS * 2 * PKTS * CONNS;
    if (!rates_change)
        m->rate_bps = 2000000000 + (uint64_t)below(13000) * 1000000; /* at most 90 % of the link for six */
    *cc = (struct weir_cc){ .rate_bps = m->rate_bps, .cwnd_bytes = m->cwnd_bytes, .timer_ps = WEIR_NEVER };
    conns = made + 1;
}

static struct model *model_of(const struct weir_cc *cc)
{
    for (uint32_t i = 0; i < conns; i++) {
        if (host_cc(pair_.host[0], host_flow_at(pair_.host[0], i)) == cc)
            return &model[i];
    }
    fail();
    return NULL;
}

static void set_rate(struct model *m, uint64_t rate_bps, uint64_t now_ps)
{
    bool waits = m->due_ps > now_ps;
    uint64_t due_ps = m->from_ps + interval_ps(rate_bps);
    if (rate_bps == m->rate_bps || !m->is_paced)
        due_ps = m->due_ps;
    else if (due_ps <= now_ps)
        due_ps = waits ? now_ps : m->due_ps;
    m->is_new |= m->rate_bps == WEIR_RATE_OPEN && rate_bps != WEIR_RATE_OPEN;
    m->rate_bps = rate_bps;
    m->due_ps = due_ps;
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct model *m = model_of(cc);
    (void)config;
    m->inflight_bytes -= ack->acked_bytes;
    if (windows_change && below(3) == 0)
        m->cwnd_bytes = cc->cwnd_bytes = (uint32_t)(PAIR_MSS * (1 + below(30)));
    if (rates_change && below(3) == 0) {
        cc->rate_bps = any_rate();
        set_rate(m, cc->rate_bps, ack->now_ps);
    }
    admit(m, ack->now_ps);
}

/* Tests that no connection could have used the NIC before now_ps. */
static void assert_nic_was_needed(uint64_t now_ps)
{
    if (now_ps <= nic_free_ps)
        return;
    for (uint32_t i = 0; i < conns; i++)
        assert_true(weir_max_u64(model[i].due_ps, model[i].open_ps) >= now_ps);
}

static enum pair_fate data_left(struct pair *p, const struct weir_pkt *pkt)
{
    uint64_t now_ps = p->now_ps, interval, ready_ps;
    struct model *m;
    if (pkt->kind != WEIR_PKT_DATA)
        return PAIR_PASS;
    m = &model[is_shared ? 0 : pkt->msg];
    assert_nic_was_needed(now_ps);
    assert_true(m->due_ps <= now_ps);
    assert_true(m->open_ps <= now_ps);
    interval = interval_ps(m->rate_bps);
    ready_ps = weir_max_u64(m->due_ps, m->open_ps);
    m->longest_wait_ps = weir_max_u64(m->longest_wait_ps, now_ps - ready_ps);
    m->sent_ps = now_ps;
    m->sent++;
    m->left--;
    m->inflight_bytes += pkt->payload_bytes;
    if (m->rate_bps != WEIR_RATE_OPEN) {
        m->from_ps = m->is_new ? now_ps : now_ps - weir_min_u64(now_ps - ready_ps, interval);
        m->is_new = false;
        m->is_paced = true;
        m->due_ps = m->from_ps + interval;
    }
    admit(m, now_ps);
    nic_free_ps = now_ps + PAIR_WIRE * 80;
    return PAIR_PASS;
}

static void one_run(void)
{
    struct pair *p = pair_reset();
    uint32_t messages = 1 + below(CONNS);
    rates_change = below(3) > 0;
    windows_change = below(2) == 0;
    is_shared = below(4) == 0;
    ops = (struct weir_cc_ops){ .name = "law",
                                .state_bytes = sizeof(struct weir_cc),
                                .init = law_init,
                                .on_ack = law_on_ack,
                                .per_peer = is_shared };
    p->cfg.cc = &ops;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = WEIR_PS_PER_S; /* nothing is lost */
    p->fate = data_left;
    conns = 0;
    nic_free_ps = 0;
    pair_start(p);
    for (uint32_t i = 0; i < messages; i++)
        pair_send(p, i, PKTS * PAIR_MSS);
    if (is_shared)
        model[0].left = PKTS * messages;
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, messages);
    for (uint32_t i = 0; i < conns; i++) {
        const struct model *m = &model[i];
        assert_int_equal(m->left, 0);
        if (rates_change || windows_change || m->longest_wait_ps > interval_ps(m->rate_bps))
            continue;
        kept += m->longest_wait_ps > 0;
        /* the first packet may wait too, which no pace makes up for */
        assert_in_range(m->sent_ps, (m->sent - 1) * interval_ps(m->rate_bps),
                        (m->sent - 1) * interval_ps(m->rate_bps) + 2 * CONNS * PAIR_WIRE * 80);
    }
}

static void connections_keep_the_pace_of_the_model(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 0, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++)
        one_run();
    assert_true(kept > RUNS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_keep_the_pace_of_the_model),
    };
    print_message("seed %d\n", SEED);
    return cmocka_run_group_tests_name("prop/pace", tests, NULL, NULL);
}
