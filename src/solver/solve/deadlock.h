/* src/solver/solve/deadlock.h - finds cyclic buffer dependencies, in which pauses may block each other for ever. */
#ifndef WEIR_SOLVE_DEADLOCK_H
#define WEIR_SOLVE_DEADLOCK_H
#include "setup/setup.h"

#define WEIR_DEADLOCK_LINKS 16u /* most links of a cycle that are stored */

struct weir_deadlock {                    /* a cyclic buffer dependency */
    uint32_t link[WEIR_DEADLOCK_LINKS];   /* the links of the cycle; further ones are left out */
    uint32_t count;                       /* all links of the cycle; 0 = there is none, and event has no meaning */
    const struct weir_cable_event *event; /* event of the model that leads to these routes; NULL = before any event */
};

/**
 * Searches for a cyclic buffer dependency in the routes of a run with PFC: in those at the beginning, then in those
 * after each cable event, until one is found. Errors that the run will report as well, as no memory for routes, are not
 * reported here.
 * @return 0, or a code with err if the search failed
 */
int weir_deadlock_find(const struct weir_setup *setup, struct weir_deadlock *out, struct weir_err *err);
#endif
