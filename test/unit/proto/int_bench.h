/* test/unit/proto/int_bench.h - the least of a network for laws that live on telemetry: some flows that always have data,
 * one port, one delay. Packets of 1000 B without headers; an unloaded round trip is BENCH_RTT_PS to the picosecond. */
#ifndef WEIR_TEST_INT_BENCH_H
#define WEIR_TEST_INT_BENCH_H
#include "test/unit/weir_test.h"
#include "core/cc.h"

enum { BENCH_PKT = 1000, BENCH_FLOWS = 16, BENCH_RING = 1 << 14 };
#define BENCH_RATE UINT64_C(100000000000)
#define BENCH_PKT_PS UINT64_C(80000)
#define BENCH_RTT_PS UINT64_C(13000000)

struct bench_pkt {
    uint64_t sent_ps, start_ps, ack_ps; /* reaches the port as it leaves its host */
    uint32_t flow;
};

struct bench_flow {
    struct weir_cc *cc;
    uint64_t next_ps, sent_bytes, acked_bytes;
};

struct bench {
    const struct weir_cc_ops *ops;
    const void *config;
    struct bench_flow flow[BENCH_FLOWS];
    struct bench_pkt pkt[BENCH_RING];
    uint64_t sent, acked; /* packets */
    uint64_t now_ps, free_ps;
    uint64_t queue_max_bytes; /* as the records say it */
    uint32_t flows, share_count, multi;
    bool at_ack; /* FNCC: the record is of the instant the ACK passes, not the data */
};

static inline struct bench_pkt *bench_pkt(struct bench *b, uint64_t i)
{
    return &b->pkt[i % BENCH_RING];
}

/* Earliest instant at which flow f may send; WEIR_NEVER = its window is full. */
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
    assert_true(b->sent - b->acked < BENCH_RING);
    *p = (struct bench_pkt){ .sent_ps = b->now_ps, .start_ps = weir_max_u64(b->now_ps, b->free_ps), .flow = flow };
    b->free_ps = p->start_ps + BENCH_PKT_PS;
    p->ack_ps = b->free_ps + BENCH_RTT_PS - BENCH_PKT_PS;
    f->sent_bytes += BENCH_PKT;
    f->next_ps = b->now_ps + (8 * WEIR_PS_PER_S * BENCH_PKT + f->cc->rate_bps - 1) / f->cc->rate_bps;
}

static inline uint64_t bench_units(uint64_t value, uint64_t unit, uint64_t wrap)
{
    return value / unit * unit % wrap;
}

/* The port's record at an instant: packets that started before are gone, those that came by then wait, but for the one
 * that takes the record with it as it starts. An ACK passes at any instant: of the packet on the wire then, what has left
 * is gone and the rest is neither. */
static inline struct weir_int_hop bench_record(struct bench *b, uint64_t at_ps)
{
    static uint64_t started, came; /* counts that only grow; begin again with a new bench */
    if (b->acked == 0)
        started = came = 0;
    while (started < b->sent && bench_pkt(b, started)->start_ps < at_ps)
        started++;
    while (came < b->sent && bench_pkt(b, came)->sent_ps <= at_ps)
        came++;
    uint64_t gone = started + !b->at_ack, waiting = came > gone ? came - gone : 0, unsent = 0;
    if (b->at_ack && started > 0) {
        uint64_t end_ps = bench_pkt(b, started - 1)->start_ps + BENCH_PKT_PS;
        unsent = end_ps > at_ps ? (end_ps - at_ps) / (BENCH_PKT_PS / BENCH_PKT) : 0;
    }
    struct weir_int_hop hop = { at_ps, started * BENCH_PKT - unsent, BENCH_RATE, (uint32_t)(waiting * BENCH_PKT) };
    b->queue_max_bytes = weir_max_u64(b->queue_max_bytes, hop.queue_bytes);
    if (b->multi != 0) {
        uint64_t queue_unit = WEIR_INT_QUEUE_UNIT_BYTES * b->multi;
        hop.ts_ps = bench_units(hop.ts_ps, WEIR_INT_TS_UNIT_PS, WEIR_INT_TS_WRAP_PS);
        hop.tx_bytes = bench_units(hop.tx_bytes, WEIR_INT_TX_UNIT_BYTES * b->multi, WEIR_INT_TX_WRAP_BYTES * b->multi);
        hop.queue_bytes = (uint32_t)(hop.queue_bytes / queue_unit * queue_unit);
    }
    return hop;
}

static inline void bench_ack(struct bench *b)
{
    const struct bench_pkt *p = bench_pkt(b, b->acked);
    struct bench_flow *f = &b->flow[p->flow];
    struct weir_int_hop hop = bench_record(b, b->at_ack ? p->ack_ps : p->start_ps);
    f->acked_bytes += BENCH_PKT;
    b->acked++;
    struct weir_ack ack = { .now_ps = b->now_ps,
                            .rtt_ps = b->now_ps - p->sent_ps,
                            .acked_seq = f->acked_bytes,
                            .next_seq = f->sent_bytes,
                            .hop = &hop,
                            .acked_bytes = BENCH_PKT,
                            .inflight_bytes = (uint32_t)(f->sent_bytes - f->acked_bytes),
                            .share_count = (uint16_t)b->share_count,
                            .hop_count = 1 };
    b->ops->on_ack(f->cc, b->config, &ack);
}

/* Until until_ps; an ACK comes before a packet of the same instant, the lower flow before the higher. */
static inline void bench_run(struct bench *b, uint64_t until_ps)
{
    for (;;) {
        uint64_t ack_ps = b->acked < b->sent ? bench_pkt(b, b->acked)->ack_ps : WEIR_NEVER, send_ps = WEIR_NEVER;
        uint32_t flow = 0;
        for (uint32_t i = 0; i < b->flows; i++) {
            if (bench_next_ps(b, &b->flow[i]) < send_ps)
                send_ps = bench_next_ps(b, &b->flow[i]), flow = i;
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
