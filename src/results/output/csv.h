/* src/results/output/csv.h - texts in files of comma-separated values. */
#ifndef WEIR_OUTPUT_CSV_H
#define WEIR_OUTPUT_CSV_H
#include <stdio.h>

/* Writes a text in quotes, as RFC 4180 has it: it may hold commas and quotes. */
void weir_csv_text(FILE *out, const char *text);
#endif
