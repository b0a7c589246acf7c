/* src/results/reproduce/lengths.h - the lengths of a plan's runs with `run.measure: auto`. Runs of the same network,
 * traffic and seed are compared, so all of them get the longest warm-up and the longest measured part that one of them
 * asks for. What each of them asks for is found first, and kept in the result file (WEIR_STORE_LENGTHS). */
#ifndef WEIR_REPRODUCE_LENGTHS_H
#define WEIR_REPRODUCE_LENGTHS_H
#include "reproduce/sweep.h"

/* Tests whether a point has `measure: auto`, and is not done. */
bool weir_lengths_wants(const struct weir_point *p);

/**
 * Finds the lengths of the points that want one: those that options->store has, and the others by running `weir run
 * --find-length`. Adds run.warmup and run.measure to the settings of these points, whose `resolved` becomes NULL: the
 * caller resolves them again. Does nothing if no point wants one. Prints what was found on stderr.
 * @param fresh    lengths in the result file are deleted first
 * @param outcome  set to the outcome of the runs. A point whose length could not be found has failed. After a signal no
 *                 point is changed
 * @return 0, or a code with err
 */
int weir_lengths_find(struct weir_plan *plan, const struct weir_sweep_options *options, bool fresh,
                      struct weir_sweep_outcome *outcome, struct weir_err *err);

/* Sets the lengths that a result file has as weir_lengths_find() does, for runs that are compared and all have theirs
 * there. Finds none. @return 0, or a code with err */
int weir_lengths_read(struct weir_plan *plan, struct weir_store *store, struct weir_err *err);
#endif
