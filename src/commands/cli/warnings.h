/* src/commands/cli/warnings.h - prints warnings about keys of a scenario that have no effect. */
#ifndef WEIR_CLI_WARNINGS_H
#define WEIR_CLI_WARNINGS_H
#include "config/scenario.h"

/* Prints the warnings of a scenario that was read, on stderr: at most WEIR_WARNINGS_MAX, then the number of the others.
 * A command calls this function once. */
void weir_cli_warnings(const struct weir_scenario *scn);
#endif
