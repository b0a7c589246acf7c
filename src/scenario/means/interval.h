/* src/scenario/means/interval.h - the 95 % interval of a mean over runs, for tables, comparisons and reports. */
#ifndef WEIR_MEANS_INTERVAL_H
#define WEIR_MEANS_INTERVAL_H
#include <stdint.h>

/* Fewest runs for which an interval is shown: with two runs it would be too wide to be of use. */
#define WEIR_INTERVAL_RUNS_MIN 3u

/* Returns the 97.5 % quantile of Student's t distribution: half the width of a two-sided 95 % interval, in standard
 * errors. Exact to three decimals up to 30 degrees, above that up to 2.2 % too large. degrees: degrees of freedom, at
 * least 1 */
double weir_student_95(uint32_t degrees);

/* Returns half the width of the 95 % confidence interval of the mean of `count` numbers. squares: sum of the squared
 * differences between these numbers and their mean; count: at least 2 */
double weir_half_width_95(double squares, uint32_t count);
#endif
