/* bench/bench_core.c - nanoseconds per event of what runs at a host: the law alone, and the host around it, called as
 * the simulator calls it, one packet at a time. CPU time of this thread; the best of several rounds, because others use
 * the machine. */
#include "host/host.h"
#include "proto/dctcp/dctcp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1 << 14, ROUNDS = 40 };
#define MSS UINT64_C(1460)

static struct weir_dctcp_config law = { .max_cwnd = { WEIR_CWND_MAX_BYTES, 0 },
                                        .ssthresh = { WEIR_CWND_MAX_BYTES, 0 },
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
    return weir_host_init(memory, cfg, self, &(struct weir_mem){ grow, NULL },
                          &(struct weir_host_sink){ delivered, finished, retransmitted, NULL });
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

int main(void)
{
    bench_law();
    bench_host(16);
    bench_host(256);
    bench_host(8192);
    return 0;
}
