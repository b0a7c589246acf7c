/* src/results/reproduce/stats.h - computes deviations, means, medians and quotients for tables. */
#ifndef WEIR_REPRODUCE_STATS_H
#define WEIR_REPRODUCE_STATS_H
#include "reproduce/published.h"

/* Returns the deviation of `measured` from `published` in percent: 0 inside a published range, else relative to the
 * nearer end of the range. +-HUGE_VAL if that end is 0. */
double weir_deviation_percent(double measured, const struct weir_value *published);
/* Returns measured - published: 0 inside a published range, else the difference from the nearer end of the range. */
double weir_deviation_points(double measured, const struct weir_value *published);

/* Returns the mean of the numbers, or the largest of them. count: at least 1 */
double weir_mean(const double *number, uint32_t count);
double weir_largest(const double *number, uint32_t count);
/* Sorts the numbers, and returns their median: of an even count the mean of the two in the middle. count: at least 1 */
double weir_median(double *number, uint32_t count);

/* Returns a / b, a range if a or b is one. If a or b is not a number, returns the greater of the two states in the
 * order of enum weir_value_state; if b is not above 0, the state NONE. */
struct weir_value weir_quotient(const struct weir_value *a, const struct weir_value *b);
/* Returns by how many percent a is smaller than b, with range and state as weir_quotient(). */
struct weir_value weir_reduction(const struct weir_value *a, const struct weir_value *b);
#endif
