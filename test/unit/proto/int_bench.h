/* test/unit/proto/int_bench.h - port_bench.h for laws that live on telemetry: every acknowledgement brings the port's record. An
 * unloaded round trip is BENCH_RTT_PS to the picosecond. */
#ifndef WEIR_TEST_INT_BENCH_H
#define WEIR_TEST_INT_BENCH_H
#include "test/unit/proto/port_bench.h"

#define BENCH_RTT_PS UINT64_C(13000000)

static inline void bench_start(struct bench *b, struct bench_pkt *p)
{
    (void)b, (void)p; /* its record is made when its acknowledgement comes */
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
    while (b->started < b->sent && bench_pkt(b, b->started)->start_ps < at_ps)
        b->started++;
    while (b->came < b->sent && bench_pkt(b, b->came)->sent_ps <= at_ps)
        b->came++;
    uint64_t gone = b->started + !b->at_ack, waiting = b->came > gone ? b->came - gone : 0, unsent = 0;
    if (b->at_ack && b->started > 0) {
        uint64_t end_ps = bench_pkt(b, b->started - 1)->start_ps + BENCH_PKT_PS;
        unsent = end_ps > at_ps ? (end_ps - at_ps) / (BENCH_PKT_PS / BENCH_PKT) : 0;
    }
    struct weir_int_hop hop = { at_ps, b->started * BENCH_PKT - unsent, BENCH_RATE, (uint32_t)(waiting * BENCH_PKT) };
    b->queue_max_bytes = weir_max_u64(b->queue_max_bytes, hop.queue_bytes);
    if (b->multi != 0) {
        uint64_t queue_unit = WEIR_INT_QUEUE_UNIT_BYTES * b->multi;
        hop.ts_ps = bench_units(hop.ts_ps, WEIR_INT_TS_UNIT_PS, WEIR_INT_TS_WRAP_PS);
        hop.tx_bytes = bench_units(hop.tx_bytes, WEIR_INT_TX_UNIT_BYTES * b->multi, WEIR_INT_TX_WRAP_BYTES * b->multi);
        hop.queue_bytes = (uint32_t)(hop.queue_bytes / queue_unit * queue_unit);
    }
    return hop;
}

static inline void bench_tell(struct bench *b, const struct bench_pkt *p, struct weir_ack *ack)
{
    b->hop = bench_record(b, b->at_ack ? p->ack_ps : p->start_ps);
    ack->hop = &b->hop;
    ack->hop_count = 1;
    ack->share_count = (uint16_t)b->share_count;
}
#endif
