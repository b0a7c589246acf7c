/* src/solver/solve/deadlock.h - finds cyclic buffer dependencies: cycles of links whose pauses may block each other for
 * ever. */
#ifndef WEIR_SOLVE_DEADLOCK_H
#define WEIR_SOLVE_DEADLOCK_H
#include "setup/setup.h"

#define WEIR_DEADLOCK_LINKS 16u /* most links of a cycle that are stored */

struct weir_deadlock {                    /* a cyclic buffer dependency */
    uint32_t link[WEIR_DEADLOCK_LINKS];   /* the links of the cycle; further ones are left out */
    uint32_t count;                       /* number of all links of the cycle; 0 = no cycle was found, and `event`
                                             has no meaning */
    const struct weir_cable_event *event; /* event of the model after which the routes have the cycle; NULL = they
                                             have it from the beginning */
};

/**
 * Searches for a cyclic buffer dependency in a run with PFC: in the routes at the beginning, then in the routes after
 * each cable event, until a cycle is found. Without a lossless class there is none. An error that the run itself will
 * report, as no memory for routes, ends the search without an error.
 * @return 0, or a code with err if the search failed
 */
int weir_deadlock_find(const struct weir_setup *setup, struct weir_deadlock *out, struct weir_err *err);
#endif
