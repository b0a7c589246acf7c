/* src/scenario/means/means.h - means of a run with their intervals, by batch means, and the length of the warm-up, by
 * MSER-5. doc/means.md explains both.
 *
 * Sources: batch means, A. M. Law, Simulation Modeling and Analysis, section 9.5.3. MSER-5, K. P. White, "An effective
 * truncation heuristic for bias reduction in simulation output", Simulation 69 (1997). Its groups of five batches are
 * of White, Cobb, Spratt, "A comparison of five steady-state truncation heuristics for simulation", WSC 2000. The
 * correction for batches that resemble the one before is that of Skart: A. Tafazzoli et al., INFORMS J. Computing 23
 * (2011), section 2. */
#ifndef WEIR_MEANS_MEANS_H
#define WEIR_MEANS_MEANS_H
#include "measure/result.h"

enum weir_mean {
    WEIR_MEAN_SLOWDOWN, /* of the messages that count; a ratio */
    WEIR_MEAN_GOODPUT,  /* payload that arrived, in bytes per batch */
    WEIR_MEAN_QUEUE,    /* of a first-hop switch, in bytes */
    WEIR_MEANS,
};

struct weir_interval { /* 95 %: mean - half_width .. mean + half_width */
    bool is_known;     /* false: in fewer than half of the batches a message ended; the other fields are 0 */
    double mean, half_width;
};

struct weir_range { /* 95 %: low .. high */
    bool is_known;  /* false: too few messages; the other fields are 0 */
    double low, high;
};

/**
 * Returns a mean over count * width batches, and its interval from `count` batches of `width` each. Of this and the
 * intervals from half as many of twice the width, and so on while there are 5, the widest counts.
 * @param count  5 .. WEIR_BATCHES
 */
struct weir_interval weir_mean_interval(const struct weir_batch *batch, uint32_t count, uint32_t width,
                                        enum weir_mean which);

/* Returns the 95 % interval of a quantile of slowdown over all batches, as a ratio, by order statistics of all
 * messages. Ranks are from batch means of the share of messages below the quantile. Without histograms, or before all
 * batches are over, it is not known. Nor is it if messages ended in fewer than half of the batches, or if the upper
 * rank is that of the largest message. ppm: of the quantile, below 1000000 */
struct weir_range weir_quantile_range(const struct weir_batches *b, uint32_t ppm);

/* Fills result->intervals from result->batches, if the run is stable. Call it when everything else is filled. */
void weir_result_intervals(struct weir_result *result);

/* Returns by MSER-5 how many of the first batches are warm-up: a multiple of 5, half at most. UINT32_MAX = more
 * would be better: the warm-up is not over. count: at least 50 */
uint32_t weir_mean_warmup(const struct weir_batch *batch, uint32_t count, enum weir_mean which);
#endif
