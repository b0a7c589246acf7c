/* src/scenario/measure/samples.h - the mean and percentiles of a set of values. Percentiles are exact up to a limit of
 * values. Beyond the limit they are over a uniform sample, chosen by a hash of the message. */
#ifndef WEIR_MEASURE_SAMPLES_H
#define WEIR_MEASURE_SAMPLES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_SAMPLES_MAX (1u << 24) /* most values kept; a full set drops about half of them, by hash */

struct weir_sample {
    uint64_t value;
    uint64_t key; /* hash of the message: it alone decides which values stay if there are too many */
};

/* A set of values of one kind. */
struct weir_samples {
    struct weir_sample *kept;
    size_t count, capacity;
    uint64_t seen;           /* values added, kept or not */
    uint64_t sum_lo, sum_hi; /* sum of all values added, 128 bits: the mean is exact */
    uint64_t min, max;       /* of all values added; undefined while seen is 0 */
    uint32_t shift;          /* only keys whose low `shift` bits are 0 are kept */
    uint32_t limit;          /* most values kept; WEIR_SAMPLES_MAX except in tests */
    bool failed;             /* out of memory: percentiles are of the values kept until then */
};

/* The percentiles of results, in rising order. Calls X(key, rank in millionths, head of a column, `more`) for each;
 * `more` is passed on. To add one, add a line: tables, JSON, schemas and the comparison with the oracle are made from
 * this list. */
#define WEIR_PERCENTILES(X, more)                                                                                      \
    X(p50, 500000, "p50", more)                                                                                        \
    X(p95, 950000, "p95", more)                                                                                        \
    X(p99, 990000, "p99", more)                                                                                        \
    X(p999, 999000, "p99.9", more)
#define WEIR_PERCENTILE_FIELD(key, ppm, head, more) uint64_t key;

struct weir_dist {              /* distribution of a set, in the unit of its values */
    uint64_t count, mean_milli; /* count: of values added; mean: in thousandths of the unit, rounded down, saturates */
    WEIR_PERCENTILES(WEIR_PERCENTILE_FIELD, )
    uint64_t max, min;
};

/* Sets up an empty set. limit: most values kept, at least 1 */
void weir_samples_init(struct weir_samples *s, uint32_t limit);
/* Adds a value. key: a hash with well-mixed low bits, different for different messages. If there is no memory, sets
 * s->failed. */
void weir_samples_add(struct weir_samples *s, uint64_t value, uint64_t key);
/* Adds all values of `from` to s. The result is the same as if all had been added to s, in any order. Both must have
 * the same limit. */
void weir_samples_merge(struct weir_samples *s, const struct weir_samples *from);
/* Returns the distribution of a set. Count, mean, min and max are exact. Percentiles are over the kept values: they are
 * interpolated linearly between neighbours (numpy's default rule), and rounded to nearest, halves up. All zeros if the
 * set is empty. Reorders the kept values, and changes nothing else. */
struct weir_dist weir_samples_dist(struct weir_samples *s);
/* Frees the kept values and leaves s empty, with the same limit. To free twice is harmless. */
void weir_samples_free(struct weir_samples *s);
#endif
