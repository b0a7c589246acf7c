/* src/results/output/constants_print.h - prints Soze's constants from the traffic as a section of a scenario. */
#ifndef WEIR_OUTPUT_CONSTANTS_PRINT_H
#define WEIR_OUTPUT_CONSTANTS_PRINT_H
#include "solve/constants.h"
#include <stdio.h>

/* Prints section `protocol` in YAML: alpha, beta, p and k with their sources. Other values of alpha and p are comment
 * lines. scenario: name of the file, for a comment. Does not report failed writes: the caller finds them when it closes
 * out. */
void weir_constants_print(FILE *out, const char *scenario, const struct weir_levels *levels);
#endif
