/* test/unit/proto/delay_bench.h - the least of a network for laws that live on queueing delay: flows that always have data, one
 * port of 100 Gb/s, first come first served, one way back. Each flow has a host and a link of its own; packets of 1000 B without
 * headers come to the port as they begin to leave it. The port tells its delay as maxQD does: an exponential filter over what
 * departing packets waited, in units of 4 ns. */
#ifndef WEIR_TEST_DELAY_BENCH_H
#define WEIR_TEST_DELAY_BENCH_H
#include "test/unit/weir_test.h"
#include "core/cc.h"
#include <math.h>

enum { BENCH_PKT = 1000, BENCH_FLOWS = 32, BENCH_RING = 1 << 16 };
#define BENCH_RATE UINT64_C(100000000000)
#define BENCH_PKT_PS UINT64_C(80000)
#define BENCH_UNIT_PS UINT64_C(4000)

struct bench_pkt {
    uint64_t sent_ps, ack_ps;
    uint32_t flow, qdelay;
};

struct bench_flow {
    struct weir_cc *cc;
    uint64_t next_ps, sent_bytes, acked_bytes;
    uint64_t counted_bytes; /* acknowledged when bench_count() was called */
};

struct bench {
    const struct weir_cc_ops *ops;
    const void *config;
    struct bench_flow flow[BENCH_FLOWS];
    struct bench_pkt pkt[BENCH_RING];
    uint64_t sent, acked; /* packets */
    uint64_t now_ps, free_ps, rtt_ps, last_ps;
    uint64_t nic_ps; /* a packet on a host's link */
    uint64_t counted_ps;
    uint32_t flows;
    double filter_ps, tau_ps;                                 /* tau: 0 = none */
    double delay_sum_ps, delay_max_ps, delay_min_ps, samples; /* as acknowledgements told it, since bench_count() */
};

/* Earliest instant at which a flow may send; WEIR_NEVER = its window is full. */
static inline uint64_t bench_next_ps(const struct bench *b, const struct bench_flow *f)
{
    uint64_t inflight = f->sent_bytes - f->acked_bytes;
    return inflight == 0 || inflight + BENCH_PKT <= f->cc->cwnd_bytes ? weir_max_u64(f->next_ps, b->now_ps)
                                                                      : WEIR_NEVER;
}

static inline uint32_t bench_tell(struct bench *b, uint64_t start_ps, uint64_t waited_ps)
{
    double share = b->tau_ps > 0 ? 1 - exp(-(double)(start_ps - b->last_ps) / b->tau_ps) : 1;
    b->filter_ps += share * ((double)waited_ps - b->filter_ps);
    b->last_ps = start_ps;
    return (uint32_t)weir_min_u64((uint64_t)b->filter_ps / BENCH_UNIT_PS, UINT16_MAX);
}

static inline void bench_send(struct bench *b, uint32_t flow)
{
    struct bench_flow *f = &b->flow[flow];
    struct bench_pkt *p = &b->pkt[b->sent++ % BENCH_RING];
    uint64_t start_ps = weir_max_u64(b->now_ps, b->free_ps);
    assert_true(b->sent - b->acked < BENCH_RING);
    *p = (struct bench_pkt){ .sent_ps = b->now_ps, .flow = flow };
    p->qdelay = bench_tell(b, start_ps, start_ps - b->now_ps);
    b->free_ps = start_ps + BENCH_PKT_PS;
    p->ack_ps = start_ps + b->rtt_ps;
    f->sent_bytes += BENCH_PKT;
    f->next_ps = b->now_ps + b->nic_ps;
    if (f->cc->rate_bps != WEIR_RATE_OPEN)
        f->next_ps = b->now_ps + weir_max_u64(b->nic_ps, 8 * WEIR_PS_PER_S * BENCH_PKT / f->cc->rate_bps);
}

static inline void bench_ack(struct bench *b)
{
    const struct bench_pkt *p = &b->pkt[b->acked++ % BENCH_RING];
    struct bench_flow *f = &b->flow[p->flow];
    double delay_ps = (double)(p->qdelay * BENCH_UNIT_PS);
    f->acked_bytes += BENCH_PKT;
    b->delay_sum_ps += delay_ps;
    b->delay_max_ps = fmax(b->delay_max_ps, delay_ps);
    b->delay_min_ps = fmin(b->delay_min_ps, delay_ps);
    b->samples++;
    struct weir_ack ack = { .now_ps = b->now_ps,
                            .rtt_ps = b->now_ps - p->sent_ps,
                            .acked_seq = f->acked_bytes,
                            .next_seq = f->sent_bytes,
                            .acked_bytes = BENCH_PKT,
                            .inflight_bytes = (uint32_t)(f->sent_bytes - f->acked_bytes),
                            .qdelay_max_ps = (uint32_t)(p->qdelay * BENCH_UNIT_PS) };
    b->ops->on_ack(f->cc, b->config, &ack);
}

/* Until until_ps; an ACK comes before a packet of the same instant, the lower flow before the higher. */
static inline void bench_run(struct bench *b, uint64_t until_ps)
{
    for (;;) {
        uint64_t ack_ps = b->acked < b->sent ? b->pkt[b->acked % BENCH_RING].ack_ps : WEIR_NEVER, send_ps = WEIR_NEVER;
        uint32_t flow = 0;
        for (uint32_t i = 0; i < b->flows; i++) {
            uint64_t next_ps = bench_next_ps(b, &b->flow[i]);
            if (next_ps < send_ps)
                send_ps = next_ps, flow = i;
        }
        if (weir_min_u64(ack_ps, send_ps) > until_ps)
            return;
        b->now_ps = weir_min_u64(ack_ps, send_ps);
        if (ack_ps <= send_ps)
            bench_ack(b);
        else
            bench_send(b, flow);
    }
}

/* From here on counts. */
static inline void bench_count(struct bench *b)
{
    b->counted_ps = b->now_ps;
    b->delay_sum_ps = b->delay_max_ps = b->samples = 0;
    b->delay_min_ps = 1e18;
    for (uint32_t i = 0; i < b->flows; i++)
        b->flow[i].counted_bytes = b->flow[i].acked_bytes;
}

static inline double bench_gbps(const struct bench *b, uint32_t flow)
{
    const struct bench_flow *f = &b->flow[flow];
    return (double)(f->acked_bytes - f->counted_bytes) * 8000 / (double)(b->now_ps - b->counted_ps);
}

static inline double bench_delay_us(const struct bench *b)
{
    return b->delay_sum_ps / b->samples / 1e6;
}

static inline double bench_sum_gbps(const struct bench *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->flows; i++)
        sum += bench_gbps(b, i);
    return sum;
}
#endif
