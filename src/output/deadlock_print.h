/* src/output/deadlock_print.h - may pauses hold each other up for good? Said before a run, which goes on. */
#ifndef WEIR_OUTPUT_DEADLOCK_PRINT_H
#define WEIR_OUTPUT_DEADLOCK_PRINT_H
#include "setup/setup.h"
#include <stdio.h>

/* With PFC: names a cyclic buffer dependency of the routes that the run will use, if there is one, on a line of out. */
void weir_deadlock_warn(const struct weir_setup *setup, FILE *out);
#endif
