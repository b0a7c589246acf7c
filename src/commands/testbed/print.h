/* src/commands/testbed/print.h - what was measured on the testbed, next to what each number should be. */
#ifndef WEIR_TESTBED_PRINT_H
#define WEIR_TESTBED_PRINT_H
#include "testbed/figs.h"
#include <stdio.h>

void weir_figs_table(FILE *out, const struct weir_figs *figs);
void weir_figs_json(FILE *out, const struct weir_figs *figs);
#endif
