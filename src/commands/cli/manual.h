/* src/commands/cli/manual.h - prints pages made of the usages: manual pages and shell completions. */
#ifndef WEIR_CLI_MANUAL_H
#define WEIR_CLI_MANUAL_H
#include "core/err.h"

/* Prints the manual page of a command, or weir-scenario(5) for "scenario", on stdout. @return 0, or WEIR_E_UNKNOWN with
 * err */
int weir_cli_manual(const char *name, struct weir_err *err);

/* Prints the script with which a shell (bash, zsh, fish) completes command lines of weir, on stdout. @return 0, or a
 * code with err: unknown shell, or no memory */
int weir_cli_completion(const char *shell, struct weir_err *err);
#endif
