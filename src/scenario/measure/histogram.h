/* src/scenario/measure/histogram.h - counts values in buckets: one bucket for each value below 256; above, buckets no
 * wider than 1/128 of their smallest value. Adding a value is cheap enough for samples of queues each microsecond. */
#ifndef WEIR_MEASURE_HISTOGRAM_H
#define WEIR_MEASURE_HISTOGRAM_H
#include <stdint.h>

#define WEIR_HISTOGRAM_SUB_BITS 7
#define WEIR_HISTOGRAM_BUCKETS ((64 - WEIR_HISTOGRAM_SUB_BITS + 1) << WEIR_HISTOGRAM_SUB_BITS)

/* A histogram. All zeros = empty. */
struct weir_histogram {
    uint64_t count[WEIR_HISTOGRAM_BUCKETS];
    uint64_t total, max;
};

/* Returns the bucket of a value, by the position of its highest 1 bit and the seven bits below that bit. Each value
 * below 256 has a bucket of its own. */
static inline uint32_t weir_histogram_bucket(uint64_t value)
{
    uint32_t shift;
    if (value < (1u << WEIR_HISTOGRAM_SUB_BITS))
        return (uint32_t)value;
    shift = 63 - (uint32_t)__builtin_clzll(value) - WEIR_HISTOGRAM_SUB_BITS;
    return (shift << WEIR_HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift);
}

static inline void weir_histogram_add(struct weir_histogram *h, uint64_t value)
{
    h->count[weir_histogram_bucket(value)]++;
    h->total++;
    h->max = value > h->max ? value : h->max;
}

/* Adds a value `times` times; 0 times adds nothing. */
static inline void weir_histogram_add_times(struct weir_histogram *h, uint64_t value, uint64_t times)
{
    h->count[weir_histogram_bucket(value)] += times;
    h->total += times;
    h->max = times > 0 && value > h->max ? value : h->max;
}

/* Returns the smallest value of a bucket. bucket: 0 .. WEIR_HISTOGRAM_BUCKETS; for WEIR_HISTOGRAM_BUCKETS, which is no
 * bucket, returns UINT64_MAX, the largest value of the last bucket */
uint64_t weir_histogram_low(uint32_t bucket);
/* Adds all counts of `from` to h. */
void weir_histogram_merge(struct weir_histogram *h, const struct weir_histogram *from);
/* Adds all counts of `from` to h, and empties `from`. Takes the less time the smaller the values are. */
void weir_histogram_move(struct weir_histogram *h, struct weir_histogram *from);
/* Returns a quantile: the middle of the lowest bucket such that at least ppm (0 .. 1000000) millionths of the values
 * are in it or below. Exact below 256, else off by at most 1/256 of its value, and never above h->max. 0 if the
 * histogram is empty. */
uint64_t weir_histogram_quantile(const struct weir_histogram *h, uint32_t ppm);
#endif
