/* src/commands/cli/ranks.h - the processes of `weir run`: of --ranks, or of mpirun. */
#ifndef WEIR_CLI_RANKS_H
#define WEIR_CLI_RANKS_H
#include "carrier/carrier.h"
#include "cli/args.h"
#include "setup/setup.h"

/* Starts MPI, if mpirun has started this process: *out is then its carrier, and ranks other than 0 say nothing from now
 * on. Else *out is NULL. @return 0, or a code with err */
int weir_cli_ranks_find(struct weir_carrier **out, const struct weir_run_args *args, struct weir_err *err);

/* Makes the processes of --ranks, if *carrier is NULL, and tests whether all have the same scenario. Returns in rank 0
 * alone: the others do their part and end. Does nothing for one process. @return 0, or a code with err */
int weir_cli_ranks_make(struct weir_carrier **carrier, const struct weir_run_args *args, struct weir_setup *setup,
                        struct weir_err *err);

/* Tests whether all ranks have found an error with this code, or end by it, so that none waits for the others. */
static inline bool weir_cli_ranks_know(int code)
{
    return code == WEIR_E_CONFLICT || code == WEIR_E_RANGE || code == WEIR_E_ENOUGH;
}
#endif
