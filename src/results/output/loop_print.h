/* src/results/output/loop_print.h - prints the result of `weir model phantom` as a table and as JSON. */
#ifndef WEIR_OUTPUT_LOOP_PRINT_H
#define WEIR_OUTPUT_LOOP_PRINT_H
#include "solve/loop.h"
#include <stdio.h>

#define WEIR_LOOP_ROWS_MAX 16u

struct weir_loop_row {        /* least stable p for one m, in base round trips; see solve/loop.h */
    double m, linear, period; /* period: of the oscillation at the limit */
    double paced, bounded;    /* in time, without and with a bound on the bytes in flight */
};

struct weir_loop_answer {
    struct weir_loop loop;
    double at_once; /* least p if rates follow at once */
    struct weir_loop_row row[WEIR_LOOP_ROWS_MAX];
    uint32_t rows;
};

void weir_loop_print_table(FILE *out, const struct weir_loop_answer *answer);
void weir_loop_print_json(FILE *out, const struct weir_loop_answer *answer);
#endif
