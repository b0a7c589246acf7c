/* src/scenario/measure/samples.c - see samples.h. The key alone decides which values are kept: those whose low `shift`
 * bits are 0. The shift is the smallest that fits the limit, whatever the order of adding and merging.
 *
 * Percentiles are found by selection, not by sorting: a run of short messages has millions of values, of which
 * percentiles need eight. Selection was measured to be at least seven times as fast as qsort(). */
#include "measure/samples.h"
#include "core/assert.h"
#include "core/rng.h"
#include "core/round.h"
#include <stdlib.h>
#include <string.h>

#define SAMPLES_FIRST 1024u /* capacity made for the first value */
#define SHIFT_MAX 63u
#define PPM UINT64_C(1000000)

void weir_samples_init(struct weir_samples *s, uint32_t limit)
{
    WEIR_ASSERT(limit > 0);
    *s = (struct weir_samples){ .limit = limit };
}

void weir_samples_free(struct weir_samples *s)
{
    free(s->kept);
    *s = (struct weir_samples){ .limit = s->limit }; /* 0 where a set was never begun, as after an error */
}

static bool samples_stays(uint64_t key, uint32_t shift)
{
    return (key & ((UINT64_C(1) << shift) - 1)) == 0;
}

/* Raises the shift, and removes all values whose keys do not stay. */
static void samples_thin(struct weir_samples *s, uint32_t shift)
{
    size_t n = 0;
    s->shift = shift;
    for (size_t i = 0; i < s->count; i++)
        if (samples_stays(s->kept[i].key, shift))
            s->kept[n++] = s->kept[i];
    s->count = n;
}

static bool samples_grow(struct weir_samples *s)
{
    size_t capacity = s->capacity == 0 ? SAMPLES_FIRST : 2 * s->capacity;
    struct weir_sample *kept;
    if (capacity > s->limit)
        capacity = s->limit;
    kept = realloc(s->kept, capacity * sizeof(*kept)); /* at most 2^32 * 16 bytes */
    if (kept == NULL)
        return false;
    s->kept = kept;
    s->capacity = capacity;
    return true;
}

/* Keeps a value if its key stays. If the limit is reached, raises the shift until there is room, or this value does not
 * stay. Sets s->failed if there is no memory. */
static void samples_keep(struct weir_samples *s, uint64_t value, uint64_t key)
{
    while (samples_stays(key, s->shift) && s->count == s->limit && s->shift < SHIFT_MAX)
        samples_thin(s, s->shift + 1);
    if (!samples_stays(key, s->shift) || s->count == s->limit)
        return;
    if (s->count == s->capacity && !samples_grow(s)) {
        s->failed = true;
        return;
    }
    s->kept[s->count++] = (struct weir_sample){ value, key };
}

void weir_samples_add(struct weir_samples *s, uint64_t value, uint64_t key)
{
    s->min = s->seen == 0 || value < s->min ? value : s->min;
    s->max = s->seen == 0 || value > s->max ? value : s->max;
    s->seen++;
    s->sum_lo += value;
    s->sum_hi += s->sum_lo < value;
    samples_keep(s, value, key);
}

void weir_samples_merge(struct weir_samples *s, const struct weir_samples *from)
{
    WEIR_ASSERT(s->limit == from->limit);
    if (from->seen == 0)
        return;
    s->min = s->seen == 0 || from->min < s->min ? from->min : s->min;
    s->max = s->seen == 0 || from->max > s->max ? from->max : s->max;
    s->seen += from->seen;
    s->sum_lo += from->sum_lo;
    s->sum_hi += from->sum_hi + (s->sum_lo < from->sum_lo);
    s->failed = s->failed || from->failed;
    if (from->shift > s->shift)
        samples_thin(s, from->shift);
    for (size_t i = 0; i < from->count; i++)
        samples_keep(s, from->kept[i].value, from->kept[i].key);
}

/* Returns a pivot: the median of three values at indices that come from a hash. So no arrangement of values that a
 * simulation makes is a bad case. */
static uint64_t samples_pivot(const struct weir_sample *v, size_t n)
{
    uint64_t h = weir_mix_u64(n);
    uint64_t a = v[weir_rng_below(h, n)].value;
    uint64_t b = v[weir_rng_below(h << 16, n)].value;
    uint64_t c = v[weir_rng_below(h << 32, n)].value;
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static void samples_swap(struct weir_sample *v, size_t i, size_t j)
{
    struct weir_sample was = v[i];
    v[i] = v[j];
    v[j] = was;
}

/* Returns the value that index k of v[0 .. n) would have if v were sorted. Reorders v: smaller values are then before
 * it, larger ones behind it. */
static uint64_t samples_select(struct weir_sample *v, size_t n, size_t k)
{
    while (n > 1) {
        uint64_t pivot = samples_pivot(v, n);
        size_t less = 0, more = n; /* [0, less) < pivot, [less, i) == pivot, [more, n) > pivot */
        for (size_t i = 0; i < more;) {
            if (v[i].value < pivot)
                samples_swap(v, i++, less++);
            else if (v[i].value > pivot)
                samples_swap(v, i, --more);
            else
                i++;
        }
        if (k >= less && k < more)
            return pivot;
        if (k < less) {
            n = less;
        } else {
            v += more;
            n -= more;
            k -= more;
        }
    }
    return v->value;
}

/* Returns a percentile: the value at rank rank_ppm / 10^6 of the sorted values, interpolated between two neighbours.
 * The values at indices below `from` must be no larger than the rest; afterwards the same is true of indices below the
 * rank. So ranks must rise from call to call. */
static uint64_t samples_percentile(struct weir_samples *s, size_t from, uint64_t rank_ppm)
{
    size_t k = rank_ppm / PPM;
    uint64_t rest_ppm = rank_ppm % PPM, low, high;
    WEIR_ASSERT(from <= k); /* WEIR_PERCENTILES is in rising order */
    low = samples_select(s->kept + from, s->count - from, k - from);
    if (rest_ppm == 0)
        return low;
    high = samples_select(s->kept + k, s->count - k, 1);
    return low + weir_mul_div_round_u64(high - low, rest_ppm, PPM);
}

/* Returns floor((hi * 2^64 + lo) / n) and sets *rest to the remainder, by long division in base 2. The quotient fits 64
 * bits, since no value of the sum exceeds 64 bits. */
static uint64_t samples_divide(uint64_t hi, uint64_t lo, uint64_t n, uint64_t *rest)
{
    uint64_t quotient = 0;
    WEIR_ASSERT(hi < n);
    for (int bit = 0; bit < 64; bit++) {
        uint64_t carry = hi >> 63;
        hi = hi << 1 | lo >> 63;
        lo <<= 1;
        quotient <<= 1;
        if (carry != 0 || hi >= n) {
            hi -= n;
            quotient |= 1;
        }
    }
    *rest = hi;
    return quotient;
}

/* Returns the mean of all values given, in thousandths, rounded down; saturates. */
static uint64_t samples_mean_milli(const struct weir_samples *s)
{
    uint64_t rest, whole = samples_divide(s->sum_hi, s->sum_lo, s->seen, &rest);
    return whole > UINT64_MAX / 1000 - 1 ? UINT64_MAX : whole * 1000 + weir_mul_div_u64(rest, 1000, s->seen);
}

#define PERCENTILE(key, ppm, head, more) { offsetof(struct weir_dist, key), ppm },
static const struct {
    size_t offset;
    uint64_t ppm;
} percentiles[] = { WEIR_PERCENTILES(PERCENTILE, ) };

struct weir_dist weir_samples_dist(struct weir_samples *s)
{
    struct weir_dist d = { .count = s->seen };
    size_t from = 0;
    if (s->seen == 0)
        return d;
    d.mean_milli = samples_mean_milli(s);
    d.min = s->min;
    d.max = s->max;
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]) && s->count > 0; i++) {
        uint64_t rank_ppm = percentiles[i].ppm * (s->count - 1); /* 2^20 * 2^32 fits */
        *(uint64_t *)(void *)((char *)&d + percentiles[i].offset) = samples_percentile(s, from, rank_ppm);
        from = rank_ppm / PPM;
    }
    return d;
}
