/* src/results/output/deadlock_print.h - prints a warning before a run if PFC may cause a deadlock. The run goes on. */
#ifndef WEIR_OUTPUT_DEADLOCK_PRINT_H
#define WEIR_OUTPUT_DEADLOCK_PRINT_H
#include "setup/setup.h"
#include <stdio.h>

/* Prints a line that names the links of a cyclic buffer dependency in the routes of a run with PFC. Of a long cycle it
 * names the first WEIR_DEADLOCK_LINKS links and the number of the others. Prints nothing if there is no cycle. If the
 * search itself fails, prints its error. */
void weir_deadlock_warn(const struct weir_setup *setup, FILE *out);
#endif
