/* src/results/output/csv.h - text fields of CSV files. */
#ifndef WEIR_OUTPUT_CSV_H
#define WEIR_OUTPUT_CSV_H
#include <stdio.h>

/* Writes a text as a quoted CSV field (RFC 4180): the text may contain commas, quotes and newlines. */
void weir_csv_text(FILE *out, const char *text);
#endif
