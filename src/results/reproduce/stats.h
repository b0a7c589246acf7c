/* src/results/reproduce/stats.h - computes deviations, medians and quotients for tables. */
#ifndef WEIR_REPRODUCE_STATS_H
#define WEIR_REPRODUCE_STATS_H
#include "reproduce/published.h"

/* Returns (measured - published) / |published| in percent: 0 within a published range, else from its nearer end.
 * +-HUGE_VAL if that end is 0. */
double weir_deviation_percent(double measured, const struct weir_value *published);
/* Returns measured - published: 0 within a published range, else from its nearer end. */
double weir_deviation_points(double measured, const struct weir_value *published);

/* Sorts the numbers, and returns their median: of an even count the mean of the two in the middle. count: at least 1 */
double weir_median(double *number, uint32_t count);

/* Returns a / b, a range if a or b is one. If a or b is no number, the state is the greater of theirs; if b is not
 * above 0, NONE. */
struct weir_value weir_quotient(const struct weir_value *a, const struct weir_value *b);
/* Returns by how many percent a is smaller than b. Range and state are as those of weir_quotient(). */
struct weir_value weir_reduction(const struct weir_value *a, const struct weir_value *b);
#endif
