/* src/results/store/interval.h - the 95 % interval of a mean over runs, which tables, comparisons and pages show behind
 * it. */
#ifndef WEIR_STORE_INTERVAL_H
#define WEIR_STORE_INTERVAL_H
#include <stdint.h>

#define WEIR_INTERVAL_RUNS_MIN 3u /* of fewer no interval is honest */

/* Returns the 97.5 % quantile of Student's t distribution: half a two-sided 95 % interval, in standard errors. degrees:
 * 1 .. */
double weir_student_95(uint32_t degrees);

/* Computes half of the 95 % interval of the mean of `count` numbers, 2 .. ; squares: the sum of their squared distances
 * from it. */
double weir_half_width_95(double squares, uint32_t count);
#endif
