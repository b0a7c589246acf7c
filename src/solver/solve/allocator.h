/* src/solver/solve/allocator.h - the max-min shares of a scenario's flows while flows come, go and get other weights.
 * A scheduler asks for shares after each start of a job: each change costs what it moves (solve/incremental.h). */
#ifndef WEIR_SOLVE_ALLOCATOR_H
#define WEIR_SOLVE_ALLOCATOR_H
#include "solve/allocate.h"
#include "solve/incremental.h"
#include "workload/text.h"

#define WEIR_CHANGE_WITHIN 1e-4    /* default of --within */
#define WEIR_CHANGES_COMPARED 1000 /* changes after which `weir allocate --changes` compares with solving anew */
#define WEIR_CHANGES_APART 10      /* times `within`: the most that a rate may be from that of solving anew */
#define WEIR_CHANGE_WEIGHT_MIN 0.001
#define WEIR_CHANGE_WEIGHT_MAX 1e6

struct weir_allocator;

enum weir_change_kind { WEIR_CHANGE_ADD, WEIR_CHANGE_REMOVE, WEIR_CHANGE_WEIGHT };

struct weir_change { /* a change of one flow */
    enum weir_change_kind kind;
    uint32_t src, dst; /* of ADD: two different hosts */
    uint32_t flow;     /* of the others: the flow's number */
    double weight;     /* but of REMOVE: WEIR_CHANGE_WEIGHT_MIN .. _MAX */
};

/**
 * Lists the flows of a scenario, and solves for their shares.
 * @param setup    lent; its cables are as options->at_ps says while the function works
 * @param options  lent; acks must be WEIR_ACKS_LEFT_OUT
 * @param within   as of weir_incremental_new()
 * @return the state, which weir_allocator_close() frees; NULL with err: a code of weir_allocate_flows(),
 * weir_allocate_paths() or weir_incremental_new(), or WEIR_E_CONFLICT: acknowledgements are counted
 */
struct weir_allocator *weir_allocator_open(struct weir_setup *setup, const struct weir_allocate_options *options,
                                           double within, struct weir_err *err);
void weir_allocator_close(struct weir_allocator *a); /* NULL: does nothing */

struct weir_changed {                           /* what a change has done */
    uint32_t flow;                              /* number of the flow that was named; of ADD the one it got */
    uint32_t flows;                             /* flows with another rate */
    const struct weir_incremental_moved *moved; /* these; their field flow is for weir_allocator_number() */
    double largest;                             /* largest relative change of a rate, but for the flow that was named */
    uint64_t steps;
    bool solved; /* as in struct weir_incremental_effect, as is steps */
};

/**
 * Makes a change, and computes the shares after it.
 * @param where  position of the change, for errors; NULL = none
 * @return 0, or a code with err. WEIR_E_RANGE: a host, a flow or a weight that cannot be, and nothing has changed;
 * WEIR_E_MEMORY: the state can only be freed
 */
int weir_allocator_change(struct weir_allocator *a, const struct weir_change *change, const struct weir_tok *where,
                          struct weir_changed *changed, struct weir_err *err);

/* Returns the number of a flow of struct weir_incremental_moved. */
uint32_t weir_allocator_number(const struct weir_allocator *a, uint32_t flow);
/* Finds a flow by its number. Returns its index, for weir_incremental_rate(); UINT32_MAX = there is no such flow, or it
 * was removed. */
uint32_t weir_allocator_find(const struct weir_allocator *a, uint32_t number);
/* Returns the rates. */
const struct weir_incremental *weir_allocator_rates(const struct weir_allocator *a);

/* Compares the rates with those of solving anew; difference->flow gets the number of a flow, 0 = there are none.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_allocator_compare(const struct weir_allocator *a, struct weir_incremental_difference *difference,
                           struct weir_err *err);

/**
 * Lists the flows that are there, and their shares, as weir_allocate_flows() and weir_allocate_solve() do.
 * @return 0, then weir_allocate_flows_free() and weir_solution_free() free the results; or WEIR_E_MEMORY with err, then
 * nothing needs freeing
 */
int weir_allocator_result(const struct weir_allocator *a, struct weir_allocate_flows *flows,
                          struct weir_solution *solution, struct weir_err *err);

/* ---- changes.c: files of changes ---- */

struct weir_changes { /* a walk over the rows of a file of changes */
    char *text;
    const char *file;
    struct weir_csv csv;
};

/* Reads a file of changes. @return 0, then weir_changes_free() frees *changes; or a code of weir_text_read() with
 * err */
int weir_changes_open(struct weir_changes *changes, const char *file, struct weir_err *err);
void weir_changes_free(struct weir_changes *changes);
/* Reads the next row. where: gets its position. @return 0; -1 at the end; or WEIR_E_SYNTAX or WEIR_E_RANGE with err */
int weir_changes_next(struct weir_changes *changes, struct weir_change *change, struct weir_tok *where,
                      struct weir_err *err);
#endif
