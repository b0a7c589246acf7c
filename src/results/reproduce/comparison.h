/* src/results/reproduce/comparison.h - compares laws on the same traffic: means over seeds, and differences paired by
 * seed. A percentile is computed in each run; then the mean over the runs is taken. Differences are from the baseline
 * law if there is one, else from the best law of the metric. Intervals are 95 %, by Student's t, and need at least
 * three numbers, none of a law with doubtful runs. A difference counts only if its absolute value is larger than the
 * half-width of its interval. */
#ifndef WEIR_REPRODUCE_COMPARISON_H
#define WEIR_REPRODUCE_COMPARISON_H
#include "core/err.h"
#include "core/metric.h"
#include "reproduce/fullest.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_COMPARISON_LAWS_MAX 16u
#define WEIR_COMPARISON_SEEDS_MAX 100u
#define WEIR_COMPARISON_METRICS_MAX 48u /* most metrics in a comparison */
#define WEIR_COMPARISON_NAME 64u        /* bytes of the name of a metric, with its NUL */
#define WEIR_COMPARISON_WHY 512u
#define WEIR_COMPARISON_NONE UINT32_MAX

struct weir_comparison_metric { /* a number of every run, which is compared */
    struct weir_metric row;     /* row of the metric; use `name`, the next field, instead of row.name */
    char name[WEIR_COMPARISON_NAME];
    char path[WEIR_COMPARISON_NAME]; /* where a run's JSON has it; "" = by its name */
    const char *less;                /* name of a number that is subtracted if the run has it; NULL = none */
    bool judged;                     /* false: only shown, without a best law and differences */
    bool is_group;   /* of a size group: unless is_asked, shown only for the first and the last group of which all laws
                         have numbers */
    bool is_asked;   /* named by the user: the metric is shown even if no run has a number */
    bool is_of_jobs; /* of jobs or collective operations: if there is one, those of size groups are not shown unless
                        is_asked */
    bool is_of_law;  /* of a law of runs with several: never in the table, which deployment.c has others for */
};

struct weir_comparison_run {
    double value[WEIR_COMPARISON_METRICS_MAX]; /* NAN = the run has no such number */
    bool is_done;
    bool is_sampled;                 /* run.statistics: sampled: the run has no longest queue but that of its samples */
    char doubt[WEIR_COMPARISON_WHY]; /* reason why the numbers are not reliable; "" = none is known */
    char fullest[WEIR_FULLEST_KINDS][WEIR_FULLEST_NAME]; /* names of its fullest port and link; "" = it names none */
    double fullest_value[WEIR_FULLEST_KINDS];
};

struct weir_comparison_given { /* a setting on the command line */
    uint32_t law;              /* index of the law; WEIR_COMPARISON_NONE = all laws */
    const char *text;          /* "protocol.g=0.08" */
};

struct weir_estimate { /* mean +- half_width */
    double mean, half_width;
    uint32_t count;   /* how many numbers the mean is of; 0 = no mean. Below 3 there is no interval, and half_width is
                       0 */
    bool is_doubtful; /* a run of these numbers is in doubt: no interval is shown */
};

struct weir_comparison_law {
    const char *name;
    struct weir_comparison_run *run; /* one for each seed */
    uint32_t done, doubtful;         /* done: number of done runs. doubtful: number of done runs with a doubt */
    struct weir_estimate metric[WEIR_COMPARISON_METRICS_MAX];
    /* Difference from the law that weir_comparison_base() returns, over the seeds of which both laws have a number. */
    struct weir_estimate difference[WEIR_COMPARISON_METRICS_MAX];
    bool is_beyond[WEIR_COMPARISON_METRICS_MAX]; /* the difference has an interval
                                                    (weir_estimate_has_interval()), and its absolute value exceeds
                                                    half_width */
};

struct weir_comparison {
    struct weir_comparison_law law[WEIR_COMPARISON_LAWS_MAX];
    struct weir_comparison_metric metric[WEIR_COMPARISON_METRICS_MAX];
    uint32_t law_count, seed_count, metric_count;
    uint32_t baseline; /* differences are from this law; WEIR_COMPARISON_NONE = from the best law of the metric */
    /* Index of the best law of each metric; WEIR_COMPARISON_NONE = no law has a number. A law that is not sound
     * (weir_comparison_is_sound()) is best only if no sound law has a number. */
    uint32_t best[WEIR_COMPARISON_METRICS_MAX];
};

/* Chooses the usual metrics: slowdown of all messages and of the size groups, goodput, queues of first-hop switches,
 * drops, pauses and unfinished messages. */
void weir_comparison_usual(struct weir_comparison *c);

/* Puts metrics of jobs before the usual ones: completion times and, if `bandwidths`, those of collective operations. */
void weir_comparison_lead_jobs(struct weir_comparison *c, bool bandwidths);

/* Chooses the metrics in `names`, separated by commas, in this order. @return 0, or a code with err: a name is unknown
 * or there twice, or there are too many */
int weir_comparison_choose(struct weir_comparison *c, const char *names, struct weir_err *err);

/* Returns mean and interval of `count` numbers; a NAN is left out. */
struct weir_estimate weir_estimate_of(const double *number, uint32_t count);

/* Tests whether a mean is shown with its interval: it is of three numbers or more, and no run is in doubt. */
bool weir_estimate_has_interval(const struct weir_estimate *e);

/* Returns mean and interval of the differences a[i] - b[i]; a pair with a NAN is left out. count: at most
 * WEIR_COMPARISON_SEEDS_MAX */
struct weir_estimate weir_estimate_paired(const double *a, const double *b, uint32_t count);

/* Computes all results from law[].run: counts, means, intervals and differences of the laws, and the best law of each
 * metric. */
void weir_comparison_solve(struct weir_comparison *c);

/* Tests whether all runs of the law are done, and none is doubtful. */
bool weir_comparison_is_sound(const struct weir_comparison *c, uint32_t law);

/* Tests whether the results do not depend on the seed: there is a mean of three or more numbers, and every such mean
 * has an interval of 0. An interval of 0 then does not show that a mean is exact. */
bool weir_comparison_ignores_seeds(const struct weir_comparison *c);

/* Tests whether two laws have equal numbers of a metric with every seed. Returns false if a number is missing. */
bool weir_comparison_is_same(const struct weir_comparison *c, uint32_t metric, uint32_t law, uint32_t other);

/* Returns the law from which the differences of a metric are taken: the baseline if there is one, else the best law.
 * WEIR_COMPARISON_NONE = there is no baseline, and no law has a number. */
uint32_t weir_comparison_base(const struct weir_comparison *c, uint32_t metric);
#endif
