/* src/scenario/measure/samples.h - exact percentiles: keeps every value up to a bound, then a uniform choice by hash of
 * the message. */
#ifndef WEIR_MEASURE_SAMPLES_H
#define WEIR_MEASURE_SAMPLES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_SAMPLES_MAX (1u << 24) /* values kept; beyond, half are thrown out by hash and so on: still unbiased */

struct weir_sample {
    uint64_t value;
    uint64_t key; /* hash of whose it is: decides who stays when there are too many, whatever the order */
};

struct weir_samples {
    struct weir_sample *kept;
    size_t count, capacity;
    uint64_t seen;           /* values given, kept or not */
    uint64_t sum_lo, sum_hi; /* of all values given: the mean is exact */
    uint64_t min, max;       /* of all values given; undefined while seen is 0 */
    uint32_t shift;          /* only keys whose low `shift` bits are 0 are kept */
    uint32_t limit;          /* WEIR_SAMPLES_MAX unless a test sets less */
    bool failed;             /* out of memory: percentiles are of what was kept until then */
};

/* The percentiles that results have, from the least on: X(key, millionths, head of a column, `more`) for each. Another
 * one takes a line here: tables, JSON, schemas and the comparison with the oracle are made of these. */
#define WEIR_PERCENTILES(X, more)                                                                                      \
    X(p50, 500000, "p50", more)                                                                                        \
    X(p95, 950000, "p95", more)                                                                                        \
    X(p99, 990000, "p99", more)                                                                                        \
    X(p999, 999000, "p99.9", more)
#define WEIR_PERCENTILE_FIELD(key, ppm, head, more) uint64_t key;

struct weir_dist {              /* of values in the samples' own unit */
    uint64_t count, mean_milli; /* count = seen; mean in thousandths of the unit, rounded down, saturates */
    WEIR_PERCENTILES(WEIR_PERCENTILE_FIELD, )
    uint64_t max, min;
};

/* Begins an empty set. limit: most values kept, at least 1. */
void weir_samples_init(struct weir_samples *s, uint32_t limit);
/* Adds a value. key: a hash, well mixed in its low bits, different for different askers. */
void weir_samples_add(struct weir_samples *s, uint64_t value, uint64_t key);
/* Adds all of from to s: the same result as if all had been added to s, in any order. Both have the same limit. */
void weir_samples_merge(struct weir_samples *s, const struct weir_samples *from);
/* Reorders what is kept, changes nothing else. Count, mean, min and max are exact; percentiles are over what is kept
 * and interpolate linearly between order statistics (the rule numpy uses), rounded to nearest, halves up. Nothing seen:
 * zeros. */
struct weir_dist weir_samples_dist(struct weir_samples *s);
/* Leaves s empty; freeing twice is harmless. */
void weir_samples_free(struct weir_samples *s);
#endif
