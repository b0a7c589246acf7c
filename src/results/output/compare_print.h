/* src/results/output/compare_print.h - prints how close the rates of flows came to their max-min shares (run.compare),
 * in the table and the JSON of `weir run`. */
#ifndef WEIR_OUTPUT_COMPARE_PRINT_H
#define WEIR_OUTPUT_COMPARE_PRINT_H
#include "solve/compare.h"
#include "text/json.h"

/* Puts the comparison as member "allocation" of the open JSON object; null if c is NULL. */
void weir_compare_json(struct weir_json *json, const struct weir_compared *c);
/* Prints the comparison as lines of the table; nothing if c is NULL. */
void weir_compare_table(FILE *out, const struct weir_compared *c);
#endif
