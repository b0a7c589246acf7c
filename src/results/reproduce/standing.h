/* src/results/reproduce/standing.h - the state of a sweep: what result files have of each point. */
#ifndef WEIR_REPRODUCE_STANDING_H
#define WEIR_REPRODUCE_STANDING_H
#include "reproduce/results.h"

enum weir_standing_kind {
    WEIR_STANDING_MISSING, /* no file has a run of it */
    WEIR_STANDING_OTHER,   /* only a run with other settings, or by another program */
    WEIR_STANDING_FAILED,
    WEIR_STANDING_ENDED,   /* its program ended before the run did */
    WEIR_STANDING_RUNNING, /* and a program writes the file now */
    WEIR_STANDING_DONE,
};

struct weir_standing {
    enum weir_standing_kind kind;
    const char *reason; /* FAILED: what the run printed; may be NULL. Memory of the experiment */
    double wall_s;      /* DONE: how long it took */
};

/**
 * Reads one result file. What another file has already of a point stays, unless this one has more.
 * @param plan      resolved; its points get no state
 * @param standing  one for each point, at first all MISSING
 * @return 0, or a code with err
 */
int weir_standing_read(const struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_standing *standing, struct weir_err *err);

/* Estimates the seconds of one core that the points not done take, by those that are done; < 0 = none is. */
double weir_standing_left_s(const struct weir_plan *plan, const struct weir_standing *standing);
#endif
