/* src/results/reproduce/comparison_read.h - reads a run's numbers for a comparison, and whether they are to be relied
 * on. */
#ifndef WEIR_REPRODUCE_COMPARISON_READ_H
#define WEIR_REPRODUCE_COMPARISON_READ_H
#include "reproduce/comparison.h"
#include "reproduce/plan.h"

#define WEIR_UNFINISHED_MOST 0.01 /* of the measured messages and these: p99 may be one of them */

/**
 * Writes why the numbers of a run that is done are not to be relied on; "" = nothing is known against them. A run is in
 * doubt by its own verdict: the network did not keep up with what it was offered, or the run was too short to know. Or
 * if no message counts in slowdown. Or if more than WEIR_UNFINISHED_MOST had not ended, and one of them has taken
 * longer than the 99th percentile already.
 */
void weir_comparison_doubt(const struct weir_point *point, char doubt[WEIR_COMPARISON_WHY]);

/* Reads all numbers of a run, and whether they are in doubt. */
void weir_comparison_read(const struct weir_point *point, const struct weir_comparison *c,
                          struct weir_comparison_run *run);
#endif
