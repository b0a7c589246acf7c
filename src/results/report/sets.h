/* src/results/report/sets.h - sets of runs that differ in the seed only: the mean of their values, and the spread.
 * Percentiles are taken of each run and then averaged. */
#ifndef WEIR_REPORT_SETS_H
#define WEIR_REPORT_SETS_H
#include "report/curves.h"

struct weir_set { /* adjacent runs with the same set number (weir_run.set); lent */
    const struct weir_run *run;
    size_t count; /* 1 or more */
};

/* Returns the set that begins with run[0]: run[0] and the adjacent runs after it with the same set number. count:
 * number of runs, 1 or more */
struct weir_set weir_set_first(const struct weir_run *run, size_t count);
/* Returns the number of sets among `count` runs. The runs of each set must be adjacent. */
size_t weir_set_count(const struct weir_run *run, size_t count);

/* Gives the runs the styles of their laws. Sets of one law that are done differ in lightness, in their order. run: of
 * one part of the page, or of one panel; the runs of each set must be adjacent */
void weir_sets_style(struct weir_run *run, size_t count);

/* Tests whether a run of a set is in doubt (weir_run_doubtful()). */
bool weir_set_any_doubtful(const struct weir_set *set);

struct weir_spread { /* mean and spread of one value over the runs that have it */
    double mean, low, high;
    double
        half_width; /* of the mean's 95 % interval by Student's t; NaN with fewer than three runs, and if a run of the
                          set is in doubt */
    size_t count;   /* runs that have the value; 0: all other fields are NaN */
};
/* Computes mean and spread of one value over the runs of a set. */
struct weir_spread weir_set_spread(const struct weir_set *set, enum weir_run_value value);

/* Appends the mean of the curves of all runs of a set to an empty curve, with a band from the least to the greatest. A
 * mean is taken of y at each x; in distributions of x at each share. A set of one run gives the curve of that run,
 * without a band. Returns 0, or a code with err. */
int weir_set_curve(struct weir_curve *curve, const struct weir_set *set, const struct weir_curve_source *source,
                   struct weir_err *err);
#endif
