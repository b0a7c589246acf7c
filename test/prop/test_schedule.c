/* test/prop/test_schedule.c - host.nic_schedule: weighted, against the bound of start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM
 * 1996): while two connections always have a packet that may leave, their bytes per weight never differ by more than a packet of each.
 * Windows, rates, lengths and weights are random; windows and weights change. The NIC is never idle while a packet may leave. Nothing
 * of the scheduler is used but what leaves the host. */
#include "core/rng.h"
#include "test/unit/host/pair.h"

enum { RUNS = 300, SEED = 20262, CONNS = 6, PKTS = 150 };
#define ONE (UINT64_C(1) << 20)

static struct weir_rng rng;
static struct weir_cc_ops ops;

struct model { /* of a connection, from the law's and the packets' side alone */
    uint64_t rate_bps;
    double weight;
    uint32_t left_pkts, last_payload, inflight_bytes, cwnd_bytes;
    uint64_t since_ps; /* with may: since when a packet may leave */
    bool may;
};

static struct model model[CONNS];
/* Bytes per weight of i less those of j since both may send: now, and the least and the most of it. */
static double ahead[CONNS][CONNS], least[CONNS][CONNS], most[CONNS][CONNS];
static uint32_t conns, compared; /* compared: packets that left while another connection might have sent */
static uint64_t nic_free_ps;

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static uint64_t any_weight_q20(void)
{
    return below(4) == 0 ? ONE : (ONE / 50 << below(12)) + below(1000);
}

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    struct model *m = &model[conns++];
    (void)config, (void)path;
    *m =
        (struct model){ .rate_bps = WEIR_RATE_OPEN, .weight = 1, .cwnd_bytes = (uint32_t)(PAIR_MSS * (1 + below(40))) };
    if (below(3) == 0) /* it never exceeds its rate, but a packet that waited may be followed sooner */
        m->rate_bps = UINT64_C(1000000000) * (5 + below(60));
    *cc = (struct weir_cc){ .rate_bps = m->rate_bps, .cwnd_bytes = m->cwnd_bytes, .timer_ps = WEIR_NEVER };
}

static void admit(uint64_t now_ps);

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config;
    for (uint32_t i = 0; i < conns; i++) {
        if (host_cc(pair_.host[0], host_flow_at(pair_.host[0], i)) != cc)
            continue;
        model[i].inflight_bytes -= ack->acked_bytes;
        if (below(8) == 0)
            model[i].cwnd_bytes = cc->cwnd_bytes = (uint32_t)(PAIR_MSS * (1 + below(40)));
    }
    admit(ack->now_ps);
}

static uint32_t payload(const struct model *m)
{
    return m->left_pkts == 1 ? m->last_payload : (uint32_t)PAIR_MSS;
}

static void begin_pairs(uint32_t i)
{
    for (uint32_t j = 0; j < conns; j++)
        ahead[i][j] = least[i][j] = most[i][j] = ahead[j][i] = least[j][i] = most[j][i] = 0;
}

/* Reads anew which connections may send. A connection with a rate is left out: when it is due is test_pace.c's. */
static void admit(uint64_t now_ps)
{
    for (uint32_t i = 0; i < conns; i++) {
        struct model *m = &model[i];
        bool may = m->rate_bps == WEIR_RATE_OPEN && m->left_pkts > 0 &&
                   (m->inflight_bytes == 0 || m->inflight_bytes + payload(m) <= m->cwnd_bytes);
        if (may != m->may)
            begin_pairs(i);
        if (may && !m->may)
            m->since_ps = now_ps;
        m->may = may;
    }
}

static enum pair_fate data_left(struct pair *p, const struct weir_pkt *pkt)
{
    uint32_t i = pkt->msg;
    struct model *m = &model[i];
    if (pkt->kind != WEIR_PKT_DATA)
        return PAIR_PASS;
    admit(p->now_ps);
    for (uint32_t j = 0; j < conns && p->now_ps > nic_free_ps; j++)
        assert_false(model[j].may && model[j].since_ps < p->now_ps);
    for (uint32_t j = 0; j < conns; j++) {
        double bound = 1100 / m->weight + 1100 / model[j].weight + 1e-3;
        if (j == i || !m->may || !model[j].may)
            continue;
        compared++;
        ahead[i][j] += pkt->wire_bytes / m->weight;
        ahead[j][i] = -ahead[i][j];
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t a = side == 0 ? i : j, b = side == 0 ? j : i;
            least[a][b] = least[a][b] < ahead[a][b] ? least[a][b] : ahead[a][b];
            most[a][b] = most[a][b] > ahead[a][b] ? most[a][b] : ahead[a][b];
            assert_true(most[a][b] - least[a][b] <= bound);
        }
    }
    m->inflight_bytes += pkt->payload_bytes;
    m->left_pkts--;
    nic_free_ps = p->now_ps + pkt->wire_bytes * UINT64_C(80);
    admit(p->now_ps);
    return PAIR_PASS;
}

/* Now and then a connection gets another weight. */
static void reweigh(struct pair *p)
{
    uint32_t i = below(conns * 40);
    admit(p->now_ps);
    if (i >= conns || model[i].left_pkts == 0)
        return;
    uint64_t weight_q20 = any_weight_q20();
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, i, weight_q20), 0);
    model[i].weight = (double)weight_q20 / (double)ONE;
    begin_pairs(i);
}

static void one_run(void)
{
    struct pair *p = pair_reset();
    uint32_t messages = 2 + below(CONNS - 1);
    ops = (struct weir_cc_ops){
        .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init, .on_ack = law_on_ack
    };
    p->cfg.cc = &ops;
    p->cfg.track = true;
    p->cfg.params.nic_schedule = WEIR_NIC_WEIGHTED;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = WEIR_PS_PER_S; /* nothing is lost */
    p->fate = data_left;
    p->after = reweigh;
    conns = 0;
    nic_free_ps = 0;
    pair_start(p);
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t pkts = 1 + below(PKTS), last = 1 + below(PAIR_MSS);
        uint64_t weight_q20 = any_weight_q20();
        pair_send(p, i, (pkts - 1) * PAIR_MSS + last);
        assert_int_equal(weir_host_weight(p->host[0], 0, i, weight_q20), 0);
        model[i].left_pkts = pkts;
        model[i].last_payload = last;
        model[i].weight = (double)weight_q20 / (double)ONE;
    }
    for (uint32_t i = 0; i < conns; i++)
        begin_pairs(i);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, messages);
}

static void connections_share_a_nic_by_weight(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 0, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++)
        one_run();
    assert_true(compared > 20 * RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_share_a_nic_by_weight),
    };
    print_message("seed %d\n", SEED);
    return cmocka_run_group_tests_name("prop/schedule", tests, NULL, NULL);
}
