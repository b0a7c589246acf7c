/* src/commands/cli/warnings.h - prints warnings about keys of a scenario that have no effect, and about
 * its files. */
#ifndef WEIR_CLI_WARNINGS_H
#define WEIR_CLI_WARNINGS_H
#include "config/scenario.h"
#include "setup/setup.h"

/* Prints the warnings of a scenario that was read, on stderr: at most WEIR_WARNINGS_MAX, then the number of the others.
 * A command calls this function once. */
void weir_cli_warnings(const struct weir_scenario *scn);

/* Prints on stderr where the files of traffic items are read as their own programs read them: rows that are left out,
 * flows without an end. */
void weir_cli_list_warnings(const struct weir_setup *setup);
/* Warns if there are more threads than processors. Threads wait for each other after every window, so a thread without
 * a processor of its own delays all. */
void weir_cli_warn_of_threads(uint32_t threads);
#endif
