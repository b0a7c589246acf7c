/* src/results/output/rpm_print.h - prints the result of `weir model rpm` as a table and as JSON. */
#ifndef WEIR_OUTPUT_RPM_PRINT_H
#define WEIR_OUTPUT_RPM_PRINT_H
#include "solve/rpm_answer.h"
#include <stdio.h>

void weir_rpm_print_table(FILE *out, const struct weir_rpm_answer *answer);
void weir_rpm_print_json(FILE *out, const struct weir_rpm_answer *answer);
#endif
