/* bench/bench_core.c - nanoseconds per event of what runs at a host: the law alone, and the host around it, called as
 * the simulator calls it, one packet at a time. CPU time of this thread; the best of several rounds, because others use
 * the machine. */
#include "core/credit_ops.h"
#include "host/host.h"
#include "proto/dctcp/dctcp.h"
#include "proto/sird/sird.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1 << 14, ROUNDS = 40, PEERS = 1000, UNDERWAY = 64 };
#define MSS UINT64_C(1460)

static struct weir_dctcp_config law = { .max_cwnd = { .bytes = WEIR_CWND_MAX_BYTES },
                                        .ssthresh = { .bytes = WEIR_CWND_MAX_BYTES },
                                        .g_ppm = 62500,
                                        .init_alpha_ppm = 1000000,
                                        .min_cwnd_pkts = 2 };
static struct weir_pkt data[BATCH], answer[BATCH];
static uint64_t now_ps = WEIR_PS_PER_US;

static double cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *grow(void *ctx, size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    (void)ctx;
    return p == NULL ? NULL : memset(p, 0, (bytes + 63) & ~(size_t)63);
}

static void delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t at_ps, uint32_t marks)
{
    (void)ctx, (void)src, (void)msg, (void)at_ps, (void)marks;
}

static void finished(void *ctx, uint32_t msg, uint64_t at_ps)
{
    (void)ctx, (void)msg, (void)at_ps;
}

static void retransmitted(void *ctx, uint32_t msg)
{
    (void)ctx, (void)msg;
}

static struct weir_host *host_new(const struct weir_host_config *cfg, uint32_t self)
{
    void *memory = grow(NULL, weir_host_bytes(cfg));
    if (memory == NULL)
        exit(1);
    return weir_host_init(
        memory, cfg, self, &(struct weir_mem){ grow, NULL },
        &(struct weir_host_sink){ .delivered = delivered, .finished = finished, .retransmitted = retransmitted });
}

static void keep_best(double *best, double ns)
{
    *best = *best == 0 || ns < *best ? ns : *best;
}

static void bench_law(void)
{
    static struct weir_dctcp flow[64];
    struct weir_ack ack = { .now_ps = 1, .acked_bytes = MSS, .inflight_bytes = 60 * MSS };
    double best = 0;
    law.init_cwnd.bytes = 64 * MSS;
    for (uint32_t i = 0; i < 64; i++)
        weir_dctcp_ops.init(&flow[i].cc, &law, &(struct weir_path){ .mss_bytes = MSS });
    const struct weir_cc_ops *volatile ops = &weir_dctcp_ops; /* through the table, as the host does */
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = cpu_ns();
        for (uint32_t i = 0; i < BATCH; i++) {
            ack.acked_seq += i % 64 == 0 ? MSS : 0;
            ack.next_seq = ack.acked_seq + 64 * MSS;
            ack.marked_bytes = i % 7 == 0 ? MSS : 0;
            ops->on_ack(&flow[i % 64].cc, &law, &ack);
        }
        keep_best(&best, (cpu_ns() - start) / BATCH);
    }
    printf("dctcp on_ack                         %6.1f ns\n", best);
}

/* One batch from a to b and its acknowledgements back, each of the four calls timed on its own. */
static void exchange(struct weir_host *a, struct weir_host *b, uint32_t pkts, double best[4])
{
    double at[5];
    at[0] = cpu_ns();
    for (uint32_t i = 0; i < pkts; i++)
        (void)weir_host_tx(a, now_ps, &data[i], 1);
    at[1] = cpu_ns();
    for (uint32_t i = 0; i < pkts; i++)
        weir_host_rx(b, now_ps, &data[i], 1);
    at[2] = cpu_ns();
    for (uint32_t i = 0; i < pkts; i++)
        (void)weir_host_tx(b, now_ps, &answer[i], 1);
    at[3] = cpu_ns();
    now_ps += 10 * WEIR_PS_PER_US;
    for (uint32_t i = 0; i < pkts; i++)
        weir_host_rx(a, now_ps, &answer[i], 1);
    at[4] = cpu_ns();
    for (uint32_t i = 0; i < 4; i++)
        keep_best(&best[i], (at[i + 1] - at[i]) / pkts);
}

static void bench_host(uint32_t flows)
{
    struct weir_host_config cfg = {
        .params = { .connections = 65535,
                    .ack_every = 1,
                    .reorder_pkts = 3,
                    .window_pkts = WEIR_HOST_WINDOW_PKTS,
                    .rto_min_ps = WEIR_PS_PER_MS,
                    .rto_init_ps = 5 * WEIR_PS_PER_MS,
                    .rto_max_ps = WEIR_PS_PER_S },
        .framing = { MSS, 58, 20, 84, 84 },
        .path = { .mss_bytes = MSS, .rate_bps = 100000000000 },
        .cc = &weir_dctcp_ops,
        .cc_config = &law,
        .seed = 1,
    };
    uint32_t window = BATCH / flows < 64 ? BATCH / flows : 64, pkts = flows * window;
    double best[4] = { 0 };
    law.init_cwnd.bytes = law.max_cwnd.bytes = (uint64_t)window * MSS;
    struct weir_host *a = host_new(&cfg, 0), *b = host_new(&cfg, 1);
    for (uint32_t f = 0; f < flows; f++) {
        if (weir_host_send(a, now_ps, 1, f, UINT64_C(1) << 40) != 0)
            exit(1);
    }
    for (uint32_t round = 0; round < ROUNDS; round++)
        exchange(a, b, pkts, best);
    printf("host, %5u flows: rx data %5.1f + tx ack %4.1f = %5.1f ns; rx ack %5.1f + tx data %5.1f = %5.1f ns\n", flows,
           best[1], best[2], best[1] + best[2], best[3], best[0], best[3] + best[0]);
}

/* --- SIRD: one host and a thousand others, preset paper, 100 Gb/s, BDP of 100 KB --- */

static struct weir_sird_config sird_config(enum weir_sird_receiver policy)
{
    return (struct weir_sird_config){ .bucket = { .bytes = 150000 },
                                      .sthr = { .bytes = 50000 },
                                      .prefix = { .bytes = 100000 },
                                      .floor = { { .bytes = 3000 }, { .bytes = 10000 } },
                                      .g_ppm = 80000,
                                      .fair_ppm = 500000,
                                      .pace_ppm = 1000000,
                                      .receiver_policy = policy,
                                      .priorities = WEIR_SIRD_UNSCHEDULED };
}

static const struct weir_limits limits = {
    .path = { .base_rtt_ps = 7500000, .rate_bps = 100000000000, .bdp_bytes = 100000, .mss_bytes = 1458 },
    .framing = { 1458, 60, 20, 84, 84 },
    .ps_per_kbyte = 80000,
};
static struct weir_sird_host sird_host;
static struct weir_sird_peer peer[PEERS];
static struct weir_sird_rx inbound[PEERS];
static struct weir_sird_tx outbound[PEERS];

static uint32_t some(uint32_t below)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (uint32_t)(x >> 32) % below;
}

static void sird_start(const struct weir_credit_ops *ops, const struct weir_sird_config *cfg)
{
    memset(&sird_host, 0, sizeof(sird_host));
    memset(inbound, 0, sizeof(inbound));
    memset(outbound, 0, sizeof(outbound));
    ops->init(cfg, &sird_host, &limits);
    for (uint32_t i = 0; i < PEERS; i++)
        ops->peer_init(cfg, &sird_host, &peer[i]);
}

/* A message of 1 to 100 full packets; the peer's next one as soon as the last has been credited and has arrived. */
static void sird_arriving(const struct weir_credit_ops *ops, const struct weir_sird_config *cfg, uint32_t i)
{
    uint32_t pkts = 1 + some(100);
    inbound[i].msg.left_bytes = inbound[i].msg.ungranted_bytes = pkts * UINT64_C(1458);
    inbound[i].msg.grant_wire_bytes = 1538;
    inbound[i].msg.order += PEERS;
    ops->rx_message(cfg, &sird_host, &peer[i], &inbound[i], now_ps);
}

static bool sird_credit(const struct weir_credit_ops *ops, const struct weir_sird_config *cfg, uint32_t *to)
{
    struct weir_grant grant;
    now_ps = weir_max_u64(now_ps, sird_host.free_ps);
    if (ops->rx_next_ps(cfg, &sird_host, now_ps) > now_ps)
        return false;
    (void)ops->rx_next(cfg, &sird_host, now_ps, &grant);
    struct weir_sird_rx *rx = grant.rx;
    rx->msg.ungranted_bytes -= 1458;
    rx->msg.grant_wire_bytes = rx->msg.ungranted_bytes > 0 ? 1538 : 0;
    ops->rx_granted(cfg, &sird_host, &grant, now_ps);
    *to = (uint32_t)(rx - inbound);
    return true;
}

static void sird_data(const struct weir_credit_ops *ops, const struct weir_sird_config *cfg, uint32_t from)
{
    const struct weir_data d = { .now_ps = now_ps,
                                 .wire_bytes = 1538,
                                 .payload_bytes = 1458,
                                 .sequence = peer[from].spent_seen + 1538,
                                 .flags = WEIR_DATA_PAYLOAD | (from % 8 == 0 ? WEIR_DATA_OWN : 0) };
    inbound[from].msg.left_bytes -= 1458;
    ops->rx_packet(cfg, &sird_host, &peer[from], &inbound[from], &d);
    if (inbound[from].msg.left_bytes == 0)
        sird_arriving(ops, cfg, from);
}

/* Each credit is answered by its DATA when UNDERWAY more have been given: two thirds of a BDP. */
static void bench_sird_receiver(const char *policy, const struct weir_sird_config *cfg)
{
    static uint32_t to[BATCH + UNDERWAY];
    const struct weir_credit_ops *volatile ops = &weir_sird_ops; /* through the table, as the host does */
    uint32_t given = 0;
    double best = 0;
    sird_start(ops, cfg);
    for (uint32_t i = 0; i < PEERS; i++) {
        inbound[i].msg.order = i;
        sird_arriving(ops, cfg, i);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = cpu_ns();
        for (uint32_t arrived = 0; arrived < BATCH;) {
            if (given < BATCH + UNDERWAY && sird_credit(ops, cfg, &to[given]))
                given++;
            if (given - arrived >= UNDERWAY)
                sird_data(ops, cfg, to[arrived++]);
        }
        keep_best(&best, (cpu_ns() - start) / (2 * BATCH));
        given -= BATCH;
        memmove(to, &to[BATCH], UNDERWAY * sizeof(to[0]));
    }
    printf("sird receiver, 1000 peers, %-11s %5.1f ns per event: a credit given, DATA arrived\n", policy, best);
}

/* Credit for one receiver, then a packet to whoever is next; UNDERWAY packets' worth is held, so there is a choice. */
static void sird_credited_and_sent(const struct weir_credit_ops *ops, const struct weir_sird_config *cfg, bool hold)
{
    uint32_t to = some(PEERS);
    struct weir_credit more = { .sequence = peer[to].granted_seen + 1538 };
    struct weir_send send;
    ops->tx_credit(cfg, &sird_host, &peer[to], &outbound[to], &more);
    if (hold || !ops->tx_next(cfg, &sird_host, now_ps, &send))
        return;
    struct weir_sird_tx *tx = send.tx;
    tx->msg.left_bytes = tx->msg.left_bytes > 1458 ? tx->msg.left_bytes - 1458 : 1458 * (1 + some(1000));
    ops->tx_sent(cfg, &sird_host, send.peer, tx);
}

static void bench_sird_sender(const struct weir_sird_config *cfg)
{
    const struct weir_credit_ops *volatile ops = &weir_sird_ops;
    double best = 0;
    sird_start(ops, cfg);
    for (uint32_t i = 0; i < PEERS; i++) {
        uint32_t pkts = 1 + some(1000);
        outbound[i].msg = (struct weir_tx_msg){
            .left_bytes = pkts * UINT64_C(1458), .pkts = pkts, .next_wire_bytes = 1538, .order = i
        };
        ops->tx_message(cfg, &sird_host, &peer[i], &outbound[i], now_ps);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = cpu_ns();
        for (uint32_t i = 0; i < BATCH; i++)
            sird_credited_and_sent(ops, cfg, round == 0 && i < UNDERWAY);
        keep_best(&best, (cpu_ns() - start) / (2 * BATCH));
    }
    printf("sird sender, 1000 peers                %5.1f ns per event: a credit arrived, DATA sent\n", best);
}

static void bench_sird(void)
{
    const struct weir_sird_config srpt = sird_config(WEIR_SIRD_SRPT), turns = sird_config(WEIR_SIRD_ROUND_ROBIN);
    bench_sird_receiver("srpt", &srpt);
    bench_sird_receiver("round-robin", &turns);
    bench_sird_sender(&srpt);
}

int main(void)
{
    bench_law();
    bench_sird();
    bench_host(16);
    bench_host(256);
    bench_host(8192);
    return 0;
}
