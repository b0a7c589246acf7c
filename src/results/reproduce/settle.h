/* src/results/reproduce/settle.h - what settles a run whose numbers are in doubt: a longer run, or nothing of the
 * kind. Tables of commands and pages say the same. */
#ifndef WEIR_REPRODUCE_SETTLE_H
#define WEIR_REPRODUCE_SETTLE_H
#include "core/units.h"
#include "reproduce/plan.h"

#define WEIR_LENGTH_MAX_PS (100000 * WEIR_PS_PER_S) /* most that run.warmup and run.measure may be */

enum weir_advice_kind {                      /* what a run needs. Those from OVERLOADED on are settled by no length */
                        WEIR_ADVICE_NOTHING, /* it is not in doubt, or was not run */
                        WEIR_ADVICE_LENGTH,  /* a longer run */
                        WEIR_ADVICE_OVERLOADED,
                        WEIR_ADVICE_BEHIND,
                        WEIR_ADVICE_QUEUE,
                        WEIR_ADVICE_BEYOND,
                        WEIR_ADVICE_JOBS,
                        WEIR_ADVICE_EMPTY,
                        WEIR_ADVICE_UNKNOWN,
                        WEIR_ADVICE_FAILED,
                        WEIR_ADVICE_KINDS
};

struct weir_settle { /* what one run needs */
    enum weir_advice_kind kind;
    uint64_t warmup_ps, measure_ps; /* LENGTH: 0 = not known */
    bool ends;                      /* the traffic ends, so that measure: all waits for the last message */
    bool goes_on;                   /* it does not end. Both false = not known */
};

/* Returns what a run needs, from its findings. The point is done, and its field `doubt` is set. */
struct weir_settle weir_settle_of(const struct weir_point *point);

/* Returns a time of the JSON of a run, given there in seconds; 0 if it has no such number. */
uint64_t weir_settle_time(const struct weir_point *point, const char *path);

/* Returns the kind in short: "too short", "does not keep up"; "" of NOTHING. */
const char *weir_settle_why(enum weir_advice_kind kind);
/* Returns the same behind the name of a run, or of several: "is too short", "do not keep up". */
const char *weir_settle_predicate(enum weir_advice_kind kind, bool many);
/* Returns what helps: "lower the load"; "" = nothing that is known. */
const char *weir_settle_remedy(enum weir_advice_kind kind);
#endif
