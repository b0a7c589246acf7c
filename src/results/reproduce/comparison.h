/* src/results/reproduce/comparison.h - laws on the same traffic: means over seeds, differences paired by seed, and
 * which of these exceed their intervals. A percentile is of each run by itself; then the mean is taken. Differences are
 * from the best law of a metric, or from a given one. Intervals are those of Student's t, 95 %, from three numbers on:
 * of fewer there is none. */
#ifndef WEIR_REPRODUCE_COMPARISON_H
#define WEIR_REPRODUCE_COMPARISON_H
#include "core/err.h"
#include "core/metric.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_COMPARISON_LAWS_MAX 16u
#define WEIR_COMPARISON_SEEDS_MAX 100u
#define WEIR_COMPARISON_METRICS_MAX 32u /* that the command line may name */
#define WEIR_COMPARISON_NAME 64u        /* of a number, with its NUL */
#define WEIR_COMPARISON_WHY 512u
#define WEIR_COMPARISON_NONE UINT32_MAX

struct weir_comparison_metric { /* a number of each run that is compared */
    struct weir_metric row;     /* what it is; its name is the next field */
    char name[WEIR_COMPARISON_NAME];
    const char *less; /* the name of a number that is subtracted where there is one; NULL = nothing */
    bool judged;      /* has a best law and differences; else it is only shown */
    bool is_group;    /* of a size group, shown if it is the first or the last that all runs have */
    bool is_asked;    /* named by the user: it is shown, also where no run has it */
};

struct weir_comparison_run {
    double value[WEIR_COMPARISON_METRICS_MAX]; /* NAN = it has none */
    bool is_done;
    char doubt[WEIR_COMPARISON_WHY]; /* why its numbers are not to be relied on; "" = nothing is known against them */
};

struct weir_comparison_given { /* what the command line sets */
    uint32_t law;              /* index; WEIR_COMPARISON_NONE = of all */
    const char *text;          /* "protocol.g=0.08" */
};

struct weir_estimate { /* mean +- half_width */
    double mean, half_width;
    uint32_t count; /* of how many numbers; 0 = there is no mean. Below 3 there is no half_width: it is 0 */
};

struct weir_comparison_law {
    const char *name;
    struct weir_comparison_run *run; /* one for each seed */
    uint32_t done, doubtful;         /* runs */
    struct weir_estimate metric[WEIR_COMPARISON_METRICS_MAX];
    /* From the law that the metric is compared with; of the seeds that both have. */
    struct weir_estimate difference[WEIR_COMPARISON_METRICS_MAX];
    bool is_beyond[WEIR_COMPARISON_METRICS_MAX]; /* the difference is larger than its half-width, which it has */
};

struct weir_comparison {
    struct weir_comparison_law law[WEIR_COMPARISON_LAWS_MAX];
    struct weir_comparison_metric metric[WEIR_COMPARISON_METRICS_MAX];
    uint32_t law_count, seed_count, metric_count;
    uint32_t baseline; /* differences are from this law; NONE = from the best of the metric */
    /* Law; NONE = the metric has no number. Best of the laws whose runs are all done and not doubtful, if any are. */
    uint32_t best[WEIR_COMPARISON_METRICS_MAX];
};

/* Compares what is asked most often: slowdown of all and of the size groups, goodput, queues of first-hop switches, and
 * counts of what went wrong. */
void weir_comparison_usual(struct weir_comparison *c);

/* Compares the numbers named, commas between them, in their order. @return 0, or a code with err: unknown, there twice,
 * too many */
int weir_comparison_choose(struct weir_comparison *c, const char *names, struct weir_err *err);

/* Computes mean and interval of count numbers; NAN is left out. */
struct weir_estimate weir_estimate_of(const double *number, uint32_t count);

/* Computes those of the differences a[i] - b[i]. */
struct weir_estimate weir_estimate_paired(const double *a, const double *b, uint32_t count);

/* Computes all else from the runs. */
void weir_comparison_solve(struct weir_comparison *c);

/* Tests whether all runs of the law are done, and none is doubtful. */
bool weir_comparison_is_sound(const struct weir_comparison *c, uint32_t law);

/* Tests whether every number is the same with every seed, of three or more: then intervals of 0 mean nothing. */
bool weir_comparison_ignores_seeds(const struct weir_comparison *c);

/* Tests whether the law has the numbers of another with every seed: neither is better. */
bool weir_comparison_is_same(const struct weir_comparison *c, uint32_t metric, uint32_t law, uint32_t other);

/* Returns the law from which a metric's differences are; NONE = there is no number. */
uint32_t weir_comparison_base(const struct weir_comparison *c, uint32_t metric);
#endif
