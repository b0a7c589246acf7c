/* src/results/store/interval.h - the 95 % interval of a mean over runs, for tables, comparisons and reports. */
#ifndef WEIR_STORE_INTERVAL_H
#define WEIR_STORE_INTERVAL_H
#include <stdint.h>

#define WEIR_INTERVAL_RUNS_MIN 3u /* fewest runs with an interval: of two it would be too wide to mean anything */

/* Returns the 97.5 % quantile of Student's t distribution: half a two-sided 95 % interval, in standard errors. degrees:
 * degrees of freedom, at least 1 */
double weir_student_95(uint32_t degrees);

/* Returns half of the 95 % interval of the mean of `count` numbers, at least 2. squares: sum of the squared distances
 * of these numbers from the mean */
double weir_half_width_95(double squares, uint32_t count);
#endif
