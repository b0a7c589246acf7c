/* src/commands/cli/manual.h - pages made of the usages: manuals, and files that complete command lines. */
#ifndef WEIR_CLI_MANUAL_H
#define WEIR_CLI_MANUAL_H
#include "core/err.h"

/* Prints the manual page of a command, or weir-scenario(5). @return 0, or a code with err: nothing is called so */
int weir_cli_manual(const char *name, struct weir_err *err);

/* Prints what a shell wants to complete Weir's command lines. @return 0, or a code with err: no such shell */
int weir_cli_completion(const char *shell, struct weir_err *err);
#endif
