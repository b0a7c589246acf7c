/* src/commands/cli/allocate_changes.h - `weir allocate --changes`: makes the changes of a file, one after the other. */
#ifndef WEIR_CLI_ALLOCATE_CHANGES_H
#define WEIR_CLI_ALLOCATE_CHANGES_H
#include "cli/allocate_args.h"
#include "output/changes_print.h"

/**
 * Solves for the shares of a scenario's flows, and makes the changes of args->changes. Every WEIR_CHANGES_COMPARED
 * changes, and after the last one, the rates are compared with those of solving anew.
 * @param report           what each change has done; weir_cli_changes_free() frees it, whatever is returned
 * @param flows, solution  the flows and shares after the last change, or after a signal; all zero after an error
 * @return 0, or a code with err. WEIR_E_RUN: a rate is farther from that of solving anew than WEIR_CHANGES_APART times
 * args->within
 */
int weir_cli_changes(const struct weir_allocate_args *args, struct weir_setup *setup, struct weir_change_report *report,
                     struct weir_allocate_flows *flows, struct weir_solution *solution, struct weir_err *err);
void weir_cli_changes_free(struct weir_change_report *report);
#endif
