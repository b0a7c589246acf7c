/* src/results/reproduce/stats.h - what a table computes from the numbers of its runs. */
#ifndef WEIR_REPRODUCE_STATS_H
#define WEIR_REPRODUCE_STATS_H
#include "reproduce/published.h"

/* Returns (measured - published) / published in percent; 0 inside a range, else from its nearer end. */
double weir_deviation_percent(double measured, const struct weir_value *published);
/* Returns measured - published; 0 inside a range, else from its nearer end. */
double weir_deviation_points(double measured, const struct weir_value *published);

/* Sorts the numbers. Of an even count it is the mean of the two in the middle. count: 1 .. */
double weir_median(double *number, uint32_t count);

/* Returns a / b; unstable or missing where either is. */
struct weir_value weir_quotient(const struct weir_value *a, const struct weir_value *b);
/* Returns by how many percent a is smaller than b, likewise. */
struct weir_value weir_reduction(const struct weir_value *a, const struct weir_value *b);
#endif
