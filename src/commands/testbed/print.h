/* src/commands/testbed/print.h - prints the numbers that were measured on the testbed, each next to the number that is
 * expected. */
#ifndef WEIR_TESTBED_PRINT_H
#define WEIR_TESTBED_PRINT_H
#include "testbed/figs.h"
#include <stdio.h>

void weir_figs_table(FILE *out, const struct weir_figs *figs);
void weir_figs_json(FILE *out, const struct weir_figs *figs);
#endif
