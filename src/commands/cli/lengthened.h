/* src/commands/cli/lengthened.h - completes a command line so that it settles the runs in doubt: the user's arguments,
 * with the lengths of an advice (reproduce/advice.h). */
#ifndef WEIR_CLI_LENGTHENED_H
#define WEIR_CLI_LENGTHENED_H
#include "config/tree.h"
#include "core/err.h"
#include "reproduce/advice.h"

/**
 * Sets advice->command to the command argv[0] of Weir with its arguments, quoted for a shell, in the memory of the
 * arena. Settings of the same keys are left out. --fresh is added, because a result file refuses runs with other
 * settings. Does nothing if the advice has no lengths.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_lengthened_command(struct weir_advice *advice, int argc, char **argv, struct weir_tree_arena *arena,
                            struct weir_err *err);
#endif
