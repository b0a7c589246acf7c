/* examples/kv/latency.h - a distribution of latencies, right to 1/256, in memory that does not grow. */
#ifndef KV_LATENCY_H
#define KV_LATENCY_H
#include <stdint.h>

enum { LATENCY_BUCKETS = 56 * 128 + 256 };

struct latency { /* zeroed = empty */
    uint64_t count, max_ns;
    uint64_t bucket[LATENCY_BUCKETS];
};

/* Returns the bucket of a latency: 128 in each power of two. */
static inline uint32_t latency_bucket(uint64_t ns)
{
    const uint32_t shift = ns < 256 ? 0 : 56 - (uint32_t)__builtin_clzll(ns);
    return (shift << 7) + (uint32_t)(ns >> shift);
}

/* Returns the middle of a bucket. */
static inline uint64_t latency_middle(uint32_t bucket)
{
    const uint32_t shift = bucket < 256 ? 0 : (bucket >> 7) - 1;
    return bucket < 256 ? bucket : ((uint64_t)(128 + (bucket & 127)) << shift) + (UINT64_C(1) << shift >> 1);
}

static inline void latency_add(struct latency *l, uint64_t ns)
{
    l->count++;
    l->bucket[latency_bucket(ns)]++;
    if (ns > l->max_ns)
        l->max_ns = ns;
}

/* Computes the latency that a part of them, in thousandths, does not exceed; 0 = there are none. */
static inline uint64_t latency_percentile(const struct latency *l, uint32_t part_milli)
{
    const uint64_t rank = l->count / 1000 * part_milli + (l->count % 1000 * part_milli + 999) / 1000;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
        seen += l->bucket[i];
        if (seen > 0 && seen >= rank)
            return latency_middle(i) < l->max_ns ? latency_middle(i) : l->max_ns;
    }
    return 0;
}
#endif
