/* src/results/output/allocate_print.h - the answer of `weir allocate`: table, JSON, CSV. */
#ifndef WEIR_OUTPUT_ALLOCATE_PRINT_H
#define WEIR_OUTPUT_ALLOCATE_PRINT_H
#include "solve/allocate.h"

struct weir_allocation { /* the answer; lent to the printers */
    const struct weir_allocate_options *options;
    const struct weir_setup *setup;
    const struct weir_allocate_flows *flows;
    const struct weir_solution *solution;
    uint64_t read_ns;
    bool json, timing; /* timing: how long it took is printed, too */
};

/* Prints the answer as a table or as JSON (a->json): sorted, summed, counted. Returns 0, or WEIR_E_MEMORY with err. */
int weir_allocate_print(FILE *out, const struct weir_allocation *a, struct weir_err *err);
void weir_allocate_schema(FILE *out); /* of its JSON */

/* Writes CSV, a line per flow. A failure to write is found when the file is closed. */
void weir_allocate_csv(FILE *out, const struct weir_allocation *a);
#endif
