/* src/commands/cli/warnings.h - warnings on stderr about keys of a scenario that have no effect. */
#ifndef WEIR_CLI_WARNINGS_H
#define WEIR_CLI_WARNINGS_H
#include "config/scenario.h"

/* Prints every warning of a scenario that has been read, once per command; nothing if there is none. */
void weir_cli_warnings(const struct weir_scenario *scn);
#endif
