/* test/unit/proto/delay_bench.h - port_bench.h for laws that live on queueing delay. The port tells its delay as maxQD does: an
 * exponential filter over what departing packets waited, in units of 4 ns. */
#ifndef WEIR_TEST_DELAY_BENCH_H
#define WEIR_TEST_DELAY_BENCH_H
#include "test/unit/proto/port_bench.h"
#include <math.h>

#define BENCH_UNIT_PS UINT64_C(4000)

static inline void bench_start(struct bench *b, struct bench_pkt *p)
{
    double share = b->tau_ps > 0 ? 1 - exp(-(double)(p->start_ps - b->last_ps) / b->tau_ps) : 1;
    b->filter_ps += share * ((double)(p->start_ps - p->sent_ps) - b->filter_ps);
    b->last_ps = p->start_ps;
    p->qdelay = (uint32_t)weir_min_u64((uint64_t)b->filter_ps / BENCH_UNIT_PS, UINT16_MAX);
}

static inline void bench_tell(struct bench *b, const struct bench_pkt *p, struct weir_ack *ack)
{
    double delay_ps = (double)(p->qdelay * BENCH_UNIT_PS);
    b->delay_sum_ps += delay_ps;
    b->delay_max_ps = fmax(b->delay_max_ps, delay_ps);
    b->delay_min_ps = fmin(b->delay_min_ps, delay_ps);
    b->samples++;
    ack->qdelay_max_ps = p->qdelay * BENCH_UNIT_PS;
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
