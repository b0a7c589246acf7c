/* src/solver/solve/deadlock.h - cyclic buffer dependencies, in which pauses may hold each other up for good. */
#ifndef WEIR_SOLVE_DEADLOCK_H
#define WEIR_SOLVE_DEADLOCK_H
#include "setup/setup.h"

#define WEIR_DEADLOCK_LINKS 16u /* of a cycle, that are named */

struct weir_deadlock {
    uint32_t link[WEIR_DEADLOCK_LINKS];   /* the first of count */
    uint32_t count;                       /* links of the cycle; 0 = there is none */
    const struct weir_cable_event *event; /* of the model, after which the routes are those; NULL = before any */
};

/**
 * Finds a cyclic buffer dependency of the routes that the run will use, with PFC. Of several tables of routes (cables
 * go down and come up) the first that has one. Errors that would fail the run as well are left for the run to refuse.
 * @return 0, or a code with err: the search failed
 */
int weir_deadlock_find(const struct weir_setup *setup, struct weir_deadlock *out, struct weir_err *err);
#endif
