/* src/results/reproduce/difference_print.h - prints what differs between two result files, as text and as JSON. */
#ifndef WEIR_REPRODUCE_DIFFERENCE_PRINT_H
#define WEIR_REPRODUCE_DIFFERENCE_PRINT_H
#include "reproduce/difference.h"
#include <stdio.h>

#define WEIR_DIFFERENCE_LINES 25u /* most numbers of a group, and most missing runs of a file, that the text has */

/* Prints the programs, the keys that differ, the runs without a partner, and the numbers that moved. d: after
 * weir_difference_solve() */
void weir_difference_print(FILE *out, const struct weir_difference *d);

/* Prints all of it as JSON, with every number of every group. */
void weir_difference_json(FILE *out, const struct weir_difference *d);
void weir_difference_schema(FILE *out); /* prints the JSON Schema of weir_difference_json() */
#endif
