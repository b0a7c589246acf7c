/* src/scenario/means/length.c - see length.h. */
#include "means/length.h"
#include "core/assert.h"

/* Parts of all batches, and the least growth from one to the next, as a part of the growth in all. A run is overloaded
 * when it is GROWTH_TIMES longer than at the first check that found growth. */
enum { GROWTH_QUARTERS = 4, GROWTH_PART = 6, GROWTH_TIMES = 8 };

/* Tests whether what is unfinished grew steadily, by quarters of the batches, and by more than a fiftieth of what
 * arrived. In a network that keeps up it grows at first, too, but ever more slowly. */
static bool grows(const struct weir_batches *b)
{
    double mean[GROWTH_QUARTERS] = { 0 }, arrived = 0, growth;
    uint32_t quarter = b->done / GROWTH_QUARTERS;
    for (uint32_t i = 0; i < GROWTH_QUARTERS * quarter; i++) {
        mean[i / quarter] += (double)b->batch[i].unfinished_bytes / quarter;
        arrived += (double)b->batch[i].arrived_bytes;
    }
    growth = mean[GROWTH_QUARTERS - 1] - mean[0];
    for (uint32_t q = 1; q < GROWTH_QUARTERS; q++)
        if (mean[q] < mean[q - 1] + growth / GROWTH_PART)
            return false;
    return growth > arrived / 50;
}

/* Chooses the warm-up, the longest that a mean needs, and the width of batches after it. At the last check the warm-up
 * is half of all, where it may be longer. @return false = the warm-up is not over, or what follows is too short */
static bool divide(struct weir_length *l, const struct weir_batches *b)
{
    uint32_t warmup = 0, half = b->done / 2;
    for (int m = 0; m < WEIR_MEANS; m++) {
        uint32_t own = weir_mean_warmup(b->batch, b->done, (enum weir_mean)m);
        warmup = own > warmup ? own : warmup;
    }
    if (b->done == WEIR_LENGTH_BATCHES && warmup > half)
        warmup = half;
    if (warmup == UINT32_MAX || b->done - warmup < WEIR_LENGTH_FIRST_BATCHES)
        return false;
    l->width = (b->done - warmup) / WEIR_BATCHES;
    l->warmup = b->done - WEIR_BATCHES * l->width;
    return true;
}

/* Returns what an interval's half width is compared with. */
static double scale_of(const struct weir_length *l, enum weir_mean which)
{
    double mean = l->mean[which].mean;
    return which == WEIR_MEAN_QUEUE && mean < (double)l->least_queue ? (double)l->least_queue : mean;
}

/* Tests whether a mean is known precisely enough. A goodput of 0 is not: nothing has arrived yet. */
static bool is_precise(const struct weir_length *l, enum weir_mean which)
{
    double scale = scale_of(l, which);
    if (!l->mean[which].is_known)
        return !l->has_messages;
    return scale > 0 && l->mean[which].half_width <= l->precision * scale;
}

/* Tests whether the run kept up in the measured part, as [run.unstable] has it: no interval is of use otherwise. */
static bool keeps_up(const struct weir_length *l, const struct weir_batches *b)
{
    const struct weir_batch *last = &b->batch[b->done - 1];
    uint64_t started = 0, arrived = 0;
    uint64_t before = l->warmup > 0 ? b->batch[l->warmup - 1].unfinished_bytes : b->unfinished_bytes;
    for (uint32_t i = l->warmup; i < b->done; i++) {
        started += b->batch[i].started_bytes;
        arrived += b->batch[i].arrived_bytes;
    }
    return arrived >= started / 100 * 98 && last->unfinished_bytes <= before + started / 10;
}

/* Computes the intervals over the measured part. @return true = all suffice */
static bool measure(struct weir_length *l, const struct weir_batches *b)
{
    bool precise = l->keeps_up = keeps_up(l, b);
    for (int m = 0; m < WEIR_MEANS; m++) {
        l->mean[m] = weir_mean_interval(b->batch + l->warmup, WEIR_BATCHES, l->width, (enum weir_mean)m);
        precise &= is_precise(l, (enum weir_mean)m);
    }
    return precise;
}

enum weir_length_verdict weir_length_after(struct weir_length *l, const struct weir_batches *b)
{
    bool precise;
    WEIR_ASSERT(l->verdict == WEIR_LENGTH_GOES_ON && b->done <= WEIR_LENGTH_BATCHES);
    if (l->next == 0)
        l->next = WEIR_LENGTH_FIRST_BATCHES;
    if (b->done < l->next)
        return l->verdict;
    l->next += l->next / 4; /* rarely, as each check is a chance to stop by luck */
    if (l->next > WEIR_LENGTH_BATCHES)
        l->next = WEIR_LENGTH_BATCHES;
    l->growing = !grows(b) ? 0 : l->growing == 0 ? b->done : l->growing;
    if (l->growing > 0 && b->done >= GROWTH_TIMES * l->growing)
        return l->verdict = WEIR_LENGTH_OVERLOAD;
    precise = divide(l, b) && measure(l, b);
    if (precise && (l->was_precise || b->done == WEIR_LENGTH_BATCHES))
        return l->verdict = WEIR_LENGTH_PRECISE;
    l->was_precise = precise;
    return l->verdict = b->done == WEIR_LENGTH_BATCHES ? WEIR_LENGTH_MOST_SEEN : WEIR_LENGTH_GOES_ON;
}

enum weir_mean weir_length_widest(const struct weir_length *l, double *part)
{
    enum weir_mean widest = WEIR_MEAN_SLOWDOWN;
    *part = 0;
    for (int m = 0; m < WEIR_MEANS; m++) {
        double scale = scale_of(l, (enum weir_mean)m), own = scale > 0 ? l->mean[m].half_width / scale : 0;
        if (own > *part) {
            *part = own;
            widest = (enum weir_mean)m;
        }
    }
    return widest;
}
