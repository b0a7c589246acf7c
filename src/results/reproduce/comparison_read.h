/* src/results/reproduce/comparison_read.h - reads the numbers of a run for a comparison, and whether they are
 * reliable. */
#ifndef WEIR_REPRODUCE_COMPARISON_READ_H
#define WEIR_REPRODUCE_COMPARISON_READ_H
#include "reproduce/comparison.h"
#include "reproduce/plan.h"

/* The largest share of unfinished messages with which p99 is reliable. The share is unfinished / (unfinished +
 * measured) messages. */
#define WEIR_UNFINISHED_MOST 0.01

/**
 * Writes the reason why the numbers of a done run are not reliable; "" = none is known. The reasons, in this order:
 * - the verdict of the run: the network did not keep up with the offered load, or the run was too short to know;
 * - no message counts in slowdown;
 * - the share of unfinished messages exceeds WEIR_UNFINISHED_MOST, and one of them has a slowdown above the 99th
 *   percentile already. A file of an older Weir does not have the slowdown: the share alone decides;
 * - a job, or a step of a collective operation, had not ended.
 * @param point  in the state WEIR_POINT_DONE
 */
void weir_comparison_doubt(const struct weir_point *point, char doubt[WEIR_COMPARISON_WHY]);

/* Fills *run with the numbers of the metrics in c, the doubt about them, and the fullest port and link. If the point is
 * not done, only sets run->is_done to false. */
void weir_comparison_read(const struct weir_point *point, const struct weir_comparison *c,
                          struct weir_comparison_run *run);
#endif
