/* src/results/report/sets.h - runs that differ in the seed only, as one: the mean of their values, and the spread.
 * Percentiles are taken of each run and then averaged. */
#ifndef WEIR_REPORT_SETS_H
#define WEIR_REPORT_SETS_H
#include "report/curves.h"

struct weir_set { /* adjacent runs of one set number */
    const struct weir_run *run;
    size_t count; /* 1 .. */
};

/* Returns the set that begins with the first of these runs. count: 1 .. */
struct weir_set weir_set_first(const struct weir_run *run, size_t count);
/* Counts the sets. */
size_t weir_set_count(const struct weir_run *run, size_t count);

struct weir_spread { /* of one value over the runs that have it */
    double mean, low, high;
    double half_width; /* of the mean's 95 % interval by Student's t; not a number of fewer than three */
    size_t count;      /* 0 = none has it; the rest is not a number then */
};
struct weir_spread weir_set_spread(const struct weir_set *set, enum weir_run_value value);

/* Merges what is shown of each run: at each x the mean of y, and from least to greatest. Of distributions it is the
 * mean of x at each share. A set of one is that run. Returns 0, or a code with err. */
int weir_set_curve(struct weir_curve *curve, const struct weir_set *set, const struct weir_source *source,
                   struct weir_err *err);
#endif
