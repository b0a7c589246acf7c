/* src/scenario/measure/histogram.c - merging and quantiles of histograms; histogram.h has the functions that are called
 * for each value. */
#include "measure/histogram.h"
#include "core/assert.h"
#include "core/math.h"
#include <string.h>

#define PPM UINT64_C(1000000)

void weir_histogram_merge(struct weir_histogram *h, const struct weir_histogram *from)
{
    for (uint32_t i = 0; i <= weir_histogram_bucket(from->max); i++)
        h->count[i] += from->count[i];
    h->total += from->total;
    h->max = weir_max_u64(h->max, from->max);
}

void weir_histogram_move(struct weir_histogram *h, struct weir_histogram *from)
{
    weir_histogram_merge(h, from);
    memset(from->count, 0, (weir_histogram_bucket(from->max) + 1) * sizeof(from->count[0]));
    from->total = from->max = 0;
}

uint64_t weir_histogram_low(uint32_t bucket)
{
    uint32_t shift = bucket >> WEIR_HISTOGRAM_SUB_BITS;
    WEIR_ASSERT(bucket <= WEIR_HISTOGRAM_BUCKETS);
    if (bucket == WEIR_HISTOGRAM_BUCKETS)
        return UINT64_MAX;
    if (shift <= 1)
        return bucket; /* a bucket of one value */
    shift--;
    return (uint64_t)(bucket - (shift << WEIR_HISTOGRAM_SUB_BITS)) << shift;
}

static uint64_t bucket_middle(uint32_t bucket)
{
    uint64_t low = weir_histogram_low(bucket);
    return low + (weir_histogram_low(bucket + 1) - low - (bucket + 1 < WEIR_HISTOGRAM_BUCKETS)) / 2;
}

/* Returns how many values must lie at or below the quantile: h->total * ppm / 10^6, rounded up, and at least 1. */
static uint64_t histogram_rank(const struct weir_histogram *h, uint32_t ppm)
{
    uint64_t floor = weir_mul_div_u64(h->total, ppm, PPM);
    uint64_t rank =
        floor + (h->total * ppm != floor * PPM); /* comparing modulo 2^64 suffices: the remainder is below PPM */
    return weir_max_u64(rank, 1);
}

uint64_t weir_histogram_quantile(const struct weir_histogram *h, uint32_t ppm)
{
    uint64_t rank, below = 0;
    uint32_t bucket = 0;
    WEIR_ASSERT(ppm <= PPM);
    if (h->total == 0)
        return 0;
    rank = histogram_rank(h, ppm);
    while ((below += h->count[bucket]) < rank)
        bucket++;
    return weir_min_u64(bucket_middle(bucket), h->max);
}
