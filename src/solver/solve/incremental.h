/* src/solver/solve/incremental.h - weighted max-min rates that follow changes: flows come, go, and get other weights. A
 * change costs what it moves; weir_maxmin_solve() costs the whole network.
 *
 * Each link has a level, a rate per weight: infinite, or the one at which the link is full while all other links keep
 * their levels. The rate of a flow is its weight times the lowest level of its links; the link with that level holds
 * the flow. Rates are max-min fair if every link has its level. A change brings the links of a flow out of balance. The
 * level of such a link is computed anew, which moves rates of the flows that it holds, and so brings other links out of
 * balance. The lowest link is first, since no link above it counts for its level. The rule of a link is that of Charny,
 * Clark and Jain, "Congestion Control with Explicit Rate Indication", ICC 1995; there switches compute it.
 *
 * A link whose own balance would move none of its flows by more than `within` keeps its level. What is missing adds up
 * at the link, and the next change there goes on from the sum. So an error does not grow with the number of changes. */
#ifndef WEIR_SOLVE_INCREMENTAL_H
#define WEIR_SOLVE_INCREMENTAL_H
#include "solve/maxmin.h"
#include <stdbool.h>

#define WEIR_INCREMENTAL_WITHIN_MIN 1e-9 /* relative; below that rounding would decide */
#define WEIR_INCREMENTAL_WITHIN_MAX 0.01

struct weir_incremental; /* a network and the rates of its flows; flows have numbers from 0, which are not used again */

struct weir_incremental_moved { /* a flow that a change has moved */
    uint32_t flow;
    double before; /* its rate before the change */
};

struct weir_incremental_effect {                /* the effect of a change */
    const struct weir_incremental_moved *moved; /* `flows` of them; lent until the next change */
    uint32_t flows;                             /* flows with another rate, with the one that was named */
    double largest;                             /* largest relative change of a rate, but for the named flow */
    uint64_t steps;                             /* flows at links that were computed anew, once each time */
    bool solved;                                /* solving anew was less work, and was done */
};

/**
 * Solves a problem, and keeps it for changes.
 * @param within  largest relative distance at which a link stays as it is; WEIR_INCREMENTAL_WITHIN_MIN .. _MAX
 * @return the state, which weir_incremental_free() frees; NULL with err: as weir_maxmin_solve(), or within is out of
 * its range
 */
struct weir_incremental *weir_incremental_new(const struct weir_maxmin_problem *p, double within, struct weir_err *err);
void weir_incremental_free(struct weir_incremental *inc); /* NULL: does nothing */

/**
 * Adds a flow, with the next number.
 * @param link   its `count` links; 0 = it has no way, and its rate is 0
 * @param share  parts of the flow on them; NULL = 1 for all
 * @return 0, or a code with err. WEIR_E_RANGE: the weight or a link is out of its range, or there are
 * WEIR_MAXMIN_FLOWS_MAX numbers; nothing has changed. WEIR_E_MEMORY: the state can only be freed
 */
int weir_incremental_add(struct weir_incremental *inc, double weight, const uint32_t *link, const double *share,
                         uint32_t count, struct weir_incremental_effect *effect, struct weir_err *err);
/* Removes a flow, which must be there. @return 0, or WEIR_E_MEMORY with err: the state can only be freed then */
int weir_incremental_remove(struct weir_incremental *inc, uint32_t flow, struct weir_incremental_effect *effect,
                            struct weir_err *err);
/* Gives a flow, which must be there, another weight. @return 0, or a code with err: WEIR_E_RANGE, and nothing has
 * changed; WEIR_E_MEMORY, and the state can only be freed */
int weir_incremental_weigh(struct weir_incremental *inc, uint32_t flow, double weight,
                           struct weir_incremental_effect *effect, struct weir_err *err);

/* Tests whether a flow is there: it was added, and not removed. */
bool weir_incremental_has(const struct weir_incremental *inc, uint32_t flow);
/* Returns the rate of a flow; 0 if it was removed. */
double weir_incremental_rate(const struct weir_incremental *inc, uint32_t flow);
/* Returns the link that holds a flow; WEIR_MAXMIN_NONE = it was removed, or has no link. */
uint32_t weir_incremental_holder(const struct weir_incremental *inc, uint32_t flow);

struct weir_incremental_difference { /* the rates, compared with those of solving anew */
    double largest;                  /* largest distance of a rate from that of solving anew, relative to the latter */
    uint32_t flow;                   /* the flow that has it */
};

/* Solves anew, and compares; the rates stay. @return 0, or WEIR_E_MEMORY with err */
int weir_incremental_compare(const struct weir_incremental *inc, struct weir_incremental_difference *difference,
                             struct weir_err *err);

struct weir_incremental_list { /* all flows that are there, as input of a solver; the arrays are owned */
    struct weir_maxmin_problem problem;
    uint32_t *flow;                          /* number of each flow */
    double *rate;                            /* its rate */
    uint32_t *holder;                        /* the link that holds it; WEIR_MAXMIN_NONE = it has no link */
    double *capacity, *weight, *cap, *share; /* of the problem, as are the next */
    uint32_t *first, *link;
};

/* Lists all flows that are there. @return 0, then weir_incremental_list_free() frees *list; or WEIR_E_MEMORY with err,
 * then nothing needs freeing */
int weir_incremental_list(const struct weir_incremental *inc, struct weir_incremental_list *list, struct weir_err *err);
void weir_incremental_list_free(struct weir_incremental_list *list);
#endif
