/* src/results/reproduce/standing.h - the state of a sweep: for each point the state of its run in the result files. */
#ifndef WEIR_REPRODUCE_STANDING_H
#define WEIR_REPRODUCE_STANDING_H
#include "reproduce/results.h"

enum weir_standing_kind {
    WEIR_STANDING_MISSING, /* no file has a run of the point */
    WEIR_STANDING_OTHER,   /* the files have only runs with other settings, or by another version or commit */
    WEIR_STANDING_FAILED,
    WEIR_STANDING_ENDED,   /* the program of the run ended, or was interrupted, before the run was complete */
    WEIR_STANDING_RUNNING, /* the run has not ended, and a program writes the file now */
    WEIR_STANDING_DONE,
};

struct weir_standing {
    enum weir_standing_kind kind;
    const char *reason; /* FAILED: stderr of the run, in memory of the experiment; else NULL */
    double wall_s;      /* real time of the run, as in the file; 0 = the file has none */
};

/**
 * Reads one result file into standing[]. An entry changes only if this file has a run of the point whose kind is
 * greater, in the order of enum weir_standing_kind. So several files can be read one after the other.
 * @param plan      resolved; not changed
 * @param standing  one entry for each point, all MISSING before the first file
 * @return 0, or a code with err
 */
int weir_standing_read(const struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_standing *standing, struct weir_err *err);

/* Returns the estimated seconds, on one core, until all points are done; negative if no point is done. The estimate is
 * wall_s of the done points, divided by their weight, times the weight of the others. */
double weir_standing_left_s(const struct weir_plan *plan, const struct weir_standing *standing);
#endif
