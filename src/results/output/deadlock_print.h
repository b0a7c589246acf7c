/* src/results/output/deadlock_print.h - a warning of a cyclic buffer dependency, printed before a run, which goes on.
 * */
#ifndef WEIR_OUTPUT_DEADLOCK_PRINT_H
#define WEIR_OUTPUT_DEADLOCK_PRINT_H
#include "setup/setup.h"
#include <stdio.h>

/* Prints a line that names a cyclic buffer dependency of the routes of a run with PFC; nothing where there is none. */
void weir_deadlock_warn(const struct weir_setup *setup, FILE *out);
#endif
