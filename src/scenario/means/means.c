/* src/scenario/means/means.c - see means.h. */
#include "means/means.h"
#include "core/assert.h"
#include "means/interval.h"
#include <math.h>
#include <stddef.h>

#define PPM 1e6
#define RESEMBLANCE_MAX 0.9 /* greatest correlation that is corrected for: the factor is 19 */
#define ROUNDING 1e-12      /* numbers are equal whose relative difference is no larger */

enum { BATCHES_MIN = 5 };
/* Batches in a group, groups that there must be, and the part of them that is never taken for warm-up. A few groups
 * that happen to be alike would have the least error. */
enum { MSER_GROUP = 5, MSER_GROUPS_MIN = 10, MSER_LEFT = 4 };

/* A mean is sum / weight, over some batches: of slowdown by message, of the others by batch. */
struct part {
    double sum, weight;
};

static struct part part_of(const struct weir_batch *batch, uint32_t count, enum weir_mean which)
{
    struct part p = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        p.sum += which == WEIR_MEAN_SLOWDOWN  ? (double)batch[i].slowdown_ppm / PPM
                 : which == WEIR_MEAN_GOODPUT ? (double)batch[i].arrived_bytes
                                              : (double)batch[i].queue_millibytes / 1000;
        p.weight += which == WEIR_MEAN_SLOWDOWN ? (double)batch[i].messages : 1;
    }
    return p;
}

/* Returns half the width of the interval of a mean from the error of each batch. A batch that resembles the one before
 * says less than one of its own, so the variance is enlarged as for an autoregressive process of the first order. */
static double half_width_by(const double *error, uint32_t count)
{
    double squares = 0, products = 0, resemblance;
    for (uint32_t i = 0; i < count; i++) {
        squares += error[i] * error[i];
        products += i > 0 ? error[i] * error[i - 1] : 0;
    }
    resemblance = squares > 0 ? products / squares : 0;
    if (resemblance > RESEMBLANCE_MAX)
        resemblance = RESEMBLANCE_MAX;
    if (resemblance > 0)
        squares *= (1 + resemblance) / (1 - resemblance);
    return weir_half_width_95(squares, count);
}

/* Returns the widest of the intervals from all batches, from pairs of them, and from pairs of these. A long message
 * makes more than neighbours alike. Uses up error[]. */
static double half_width_of(double *error, uint32_t count)
{
    double widest = half_width_by(error, count);
    while (count % 2 == 0 && count / 2 >= BATCHES_MIN) {
        count /= 2;
        for (uint32_t i = 0; i < count; i++)
            error[i] = (error[2 * (size_t)i] + error[2 * (size_t)i + 1]) / 2;
        widest = fmax(widest, half_width_by(error, count));
    }
    return widest;
}

/* Tests whether enough batches have messages for an interval. With one message in all its error would be 0; with
 * messages in half of the batches the interval is too narrow by a tenth at most. */
static bool suffices(uint32_t with_messages, uint32_t count)
{
    return 2 * with_messages >= count;
}

struct weir_interval weir_mean_interval(const struct weir_batch *batch, uint32_t count, uint32_t width,
                                        enum weir_mean which)
{
    struct part all = part_of(batch, count * width, which);
    double error[WEIR_BATCHES], mean = all.sum / fmax(all.weight, 1); /* without messages the sum is 0, too */
    uint32_t with_messages = 0;
    WEIR_ASSERT(count >= BATCHES_MIN && count <= WEIR_BATCHES && width > 0);
    for (uint32_t i = 0; i < count; i++) {
        struct part p = part_of(batch + (size_t)i * width, width, which);
        error[i] = (p.sum - mean * p.weight) / (fmax(all.weight, 1) / count);
        with_messages += p.weight > 0;
    }
    if (!suffices(with_messages, count))
        return (struct weir_interval){ .is_known = false };
    return (struct weir_interval){ .is_known = true, .mean = mean, .half_width = half_width_of(error, count) };
}

/* Returns how many values of a histogram are in a bucket or below it. */
static uint64_t count_up_to(const struct weir_histogram *h, uint32_t bucket)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i <= bucket; i++)
        count += h->count[i];
    return count;
}

/* Returns the bucket of a quantile of the values of all batches. share: 0 .. 1 */
static uint32_t bucket_of(const struct weir_histogram *all, double share)
{
    return weir_histogram_bucket(weir_histogram_quantile(all, (uint32_t)lround(share * PPM)));
}

/* Returns the least slowdown of a bucket, as a ratio. None is below 1. */
static double bucket_low(uint32_t bucket)
{
    double low = (double)weir_histogram_low(bucket);
    return (low < PPM && (double)weir_histogram_low(bucket + 1) > PPM ? PPM : low) / PPM;
}

/* Returns the greatest slowdown that a bucket can have, as a ratio. max: of all buckets, in millionths */
static double bucket_high(uint32_t bucket, uint64_t max)
{
    uint64_t high = weir_histogram_low(bucket + 1) - 1;
    return (double)(high < max ? high : max) / PPM;
}

struct weir_range weir_quantile_range(const struct weir_batches *b, uint32_t ppm)
{
    static const struct weir_range unknown = { .is_known = false };
    struct weir_histogram all = { .total = 0 };
    double error[WEIR_BATCHES], share, half_width;
    uint32_t bucket, with_messages = 0;
    if (b->slowdown == NULL || b->done < b->count || b->count < BATCHES_MIN || b->count > WEIR_BATCHES)
        return unknown;
    for (uint32_t i = 0; i < b->count; i++) {
        weir_histogram_merge(&all, &b->slowdown[i]);
        with_messages += b->slowdown[i].total > 0;
    }
    if (!suffices(with_messages, b->count))
        return unknown;
    bucket = bucket_of(&all, ppm / PPM);
    share = (double)count_up_to(&all, bucket) / (double)all.total;
    for (uint32_t i = 0; i < b->count; i++)
        error[i] = ((double)count_up_to(&b->slowdown[i], bucket) - share * (double)b->slowdown[i].total) * b->count /
                   (double)all.total;
    half_width = half_width_of(error, b->count);
    share = ppm / PPM;
    if ((share + half_width) * (double)all.total > (double)all.total - 1)
        return unknown; /* the upper end would be the largest message, however large that happens to be */
    return (struct weir_range){ .is_known = true,
                                .low = bucket_low(bucket_of(&all, share > half_width ? share - half_width : 0)),
                                .high = bucket_high(bucket_of(&all, share + half_width), all.max) };
}

static uint64_t rounded(double value)
{
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

void weir_result_intervals(struct weir_result *result)
{
    const struct weir_batches *b = result->batches;
    struct weir_intervals *at = &result->intervals;
    struct weir_interval mean[WEIR_MEANS];
    struct weir_range p50, p99;
    *at = (struct weir_intervals){ .has_means = false };
    if (b == NULL || b->count != WEIR_BATCHES || !result->stable)
        return;
    for (int m = 0; m < WEIR_MEANS; m++)
        mean[m] = weir_mean_interval(b->batch, b->count, 1, (enum weir_mean)m);
    p50 = weir_quantile_range(b, 500000);
    p99 = weir_quantile_range(b, 990000);
    *at = (struct weir_intervals){ .has_means = mean[WEIR_MEAN_GOODPUT].mean > 0,
                                   .has_slowdown = mean[WEIR_MEAN_SLOWDOWN].is_known,
                                   .has_p50 = p50.is_known,
                                   .has_p99 = p99.is_known,
                                   .slowdown_ppb = rounded(mean[WEIR_MEAN_SLOWDOWN].half_width * 1e9),
                                   .goodput_bps = rounded(mean[WEIR_MEAN_GOODPUT].half_width * 8e12 /
                                                          (double)b->length_ps / result->hosts),
                                   .queue_millibytes = rounded(mean[WEIR_MEAN_QUEUE].half_width * 1000),
                                   .p50_low_ppm = rounded(p50.low * PPM),
                                   .p50_high_ppm = rounded(p50.high * PPM),
                                   .p99_low_ppm = rounded(p99.low * PPM),
                                   .p99_high_ppm = rounded(p99.high * PPM) };
}

uint32_t weir_mean_warmup(const struct weir_batch *batch, uint32_t count, enum weir_mean which)
{
    struct part all = part_of(batch, count, which);
    uint32_t groups = count / MSER_GROUP, best = 0;
    double sum = 0, squares = 0, least = HUGE_VAL, last = 0;
    WEIR_ASSERT(groups >= MSER_GROUPS_MIN);
    for (uint32_t left = 1; left <= groups; left++) { /* sums are over the last `left` groups */
        struct part p = part_of(batch + (size_t)(groups - left) * MSER_GROUP, MSER_GROUP, which);
        double value = p.weight > 0 ? p.sum / p.weight : all.weight > 0 ? all.sum / all.weight : 0, mser;
        last = left == 1 ? value : last;
        value = fabs(value - last) > ROUNDING * fabs(last) ? value - last : 0; /* equal groups have no squares at all */
        sum += value;
        squares += value * value;
        mser = (squares - sum * sum / left) / ((double)left * left);
        if (left >= groups / MSER_LEFT && mser <= least) {
            least = mser;
            best = groups - left;
        }
    }
    return best <= groups / 2 ? best * MSER_GROUP : UINT32_MAX;
}
