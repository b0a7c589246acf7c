/* src/cli/compare_print.h - rates beside shares, in the table and the JSON of `weir run`. */
#ifndef WEIR_CLI_COMPARE_PRINT_H
#define WEIR_CLI_COMPARE_PRINT_H
#include "cli/compare.h"
#include "cli/json.h"

void weir_compare_json(struct weir_json *json, const struct weir_compared *c); /* NULL = null */
void weir_compare_table(FILE *out, const struct weir_compared *c);
#endif
