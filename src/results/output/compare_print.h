/* src/results/output/compare_print.h - rates next to shares, in the table and the JSON of `weir run`. */
#ifndef WEIR_OUTPUT_COMPARE_PRINT_H
#define WEIR_OUTPUT_COMPARE_PRINT_H
#include "solve/compare.h"
#include "text/json.h"

void weir_compare_json(struct weir_json *json, const struct weir_compared *c); /* NULL = null */
void weir_compare_table(FILE *out, const struct weir_compared *c);
#endif
