/* src/results/output/allocate_print.h - prints the result of `weir allocate` as a table, as JSON and as CSV. */
#ifndef WEIR_OUTPUT_ALLOCATE_PRINT_H
#define WEIR_OUTPUT_ALLOCATE_PRINT_H
#include "output/changes_print.h"
#include "solve/allocate.h"

struct weir_allocation { /* the result of `weir allocate`; all pointers are lent */
    const struct weir_allocate_options *options;
    const struct weir_setup *setup;
    const struct weir_allocate_flows *flows;
    const struct weir_solution *solution;
    const struct weir_change_report *changes; /* NULL = none; else shares are those after them */
    uint64_t read_ns;                         /* real time to read and set up the scenario */
    bool json, timing;                        /* timing: print real times, too */
};

/* Prints the rates of flows, the bottleneck links and a summary, as JSON if a->json, else as a table. The table has
 * only the first 20 flows, and the 10 bottlenecks with the lowest rate per weight. Returns 0, or WEIR_E_MEMORY with
 * err. */
int weir_allocate_print(FILE *out, const struct weir_allocation *a, struct weir_err *err);
/* Prints the JSON Schema of the JSON that weir_allocate_print() prints. */
void weir_allocate_schema(FILE *out);

/* Writes the rates as CSV: a header, then a line for each flow. Does not report failed writes: the caller finds them
 * when it closes out. */
void weir_allocate_csv(FILE *out, const struct weir_allocation *a);
#endif
