/* test/unit/proto/port_bench.h - the least of a network: flows that always have data, one port of 100 Gb/s, first come first served,
 * one way back. Each flow has a host and a link of its own; packets of 1000 B without headers come to the port as they begin to
 * leave it. What acknowledgements tell is the business of int_bench.h and delay_bench.h, one of which includes this. */
#ifndef WEIR_TEST_PORT_BENCH_H
#define WEIR_TEST_PORT_BENCH_H
#include "core/telemetry.h"
#include "test/unit/weir_test.h"
#include "core/cc.h"

enum { BENCH_PKT = 1000, BENCH_FLOWS = 32, BENCH_RING = 1 << 16 };
#define BENCH_RATE UINT64_C(100000000000)
#define BENCH_PKT_PS UINT64_C(80000)

struct bench_pkt {
    uint64_t sent_ps, start_ps, ack_ps; /* start: the port begins to send it */
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
    uint64_t now_ps, free_ps, rtt_ps;
    uint64_t nic_ps; /* a packet on a host's link */
    uint32_t flows;
    /* int_bench.h */
    uint32_t share_count, multi;
    bool at_ack;              /* FNCC: the record is of the instant the ACK passes, not the data */
    struct weir_int_hop hop;  /* the last record */
    uint64_t queue_max_bytes; /* as the records say it */
    uint64_t started, came;   /* packets, at its instant */
    /* delay_bench.h */
    uint64_t counted_ps, last_ps;
    double filter_ps, tau_ps;                                 /* tau: 0 = none */
    double delay_sum_ps, delay_max_ps, delay_min_ps, samples; /* as acknowledgements told it, since bench_count() */
};

static inline void bench_start(struct bench *b, struct bench_pkt *p); /* of a packet, at the port */
static inline void bench_tell(struct bench *b, const struct bench_pkt *p, struct weir_ack *ack); /* adds the signals */

static inline struct bench_pkt *bench_pkt(struct bench *b, uint64_t i)
{
    return &b->pkt[i % BENCH_RING];
}

/* Earliest instant at which a flow may send; WEIR_NEVER = its window is full. */
static inline uint64_t bench_next_ps(const struct bench *b, const struct bench_flow *f)
{
    uint64_t inflight = f->sent_bytes - f->acked_bytes;
    return inflight == 0 || inflight + BENCH_PKT <= f->cc->cwnd_bytes ? weir_max_u64(f->next_ps, b->now_ps)
                                                                      : WEIR_NEVER;
}

static inline void bench_send(struct bench *b, uint32_t flow)
{
    struct bench_flow *f = &b->flow[flow];
    struct bench_pkt *p = bench_pkt(b, b->sent++);
    uint64_t rate_bps = f->cc->rate_bps, gap_ps = 0;
    assert_true(b->sent - b->acked < BENCH_RING);
    *p = (struct bench_pkt){ .sent_ps = b->now_ps, .start_ps = weir_max_u64(b->now_ps, b->free_ps), .flow = flow };
    bench_start(b, p);
    b->free_ps = p->start_ps + BENCH_PKT_PS;
    p->ack_ps = p->start_ps + b->rtt_ps;
    f->sent_bytes += BENCH_PKT;
    if (rate_bps != WEIR_RATE_OPEN)
        gap_ps = (8 * WEIR_PS_PER_S * BENCH_PKT + rate_bps - 1) / rate_bps;
    f->next_ps = b->now_ps + weir_max_u64(b->nic_ps, gap_ps);
}

static inline void bench_ack(struct bench *b)
{
    const struct bench_pkt *p = bench_pkt(b, b->acked);
    struct bench_flow *f = &b->flow[p->flow];
    f->acked_bytes += BENCH_PKT;
    struct weir_ack ack = { .now_ps = b->now_ps,
                            .rtt_ps = b->now_ps - p->sent_ps,
                            .acked_seq = f->acked_bytes,
                            .next_seq = f->sent_bytes,
                            .acked_bytes = BENCH_PKT,
                            .inflight_bytes = (uint32_t)(f->sent_bytes - f->acked_bytes) };
    bench_tell(b, p, &ack);
    b->acked++;
    b->ops->on_ack(f->cc, b->config, &ack);
}

/* Until until_ps; an ACK comes before a packet of the same instant, the lower flow before the higher. */
static inline void bench_run(struct bench *b, uint64_t until_ps)
{
    for (;;) {
        uint64_t ack_ps = b->acked < b->sent ? bench_pkt(b, b->acked)->ack_ps : WEIR_NEVER, send_ps = WEIR_NEVER;
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
#endif
