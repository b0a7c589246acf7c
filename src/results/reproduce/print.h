/* src/results/reproduce/print.h - the results of a sweep: measured next to published, as tables or as JSON. */
#ifndef WEIR_REPRODUCE_PRINT_H
#define WEIR_REPRODUCE_PRINT_H
#include "reproduce/cells.h"
#include <stdio.h>

struct weir_outcome {
    const struct weir_plan *plan;
    const struct weir_cells *cells; /* cells_count tables, in the figures' order */
    uint32_t cells_count;
    /* Of each point: why its numbers are not to be relied on, NULL = nothing is known. NULL = nobody asked. */
    const char *const *doubt;
    const char *version, *commit;
};

void weir_reproduce_print(FILE *out, const struct weir_outcome *outcome);
void weir_reproduce_json(FILE *out, const struct weir_outcome *outcome);
void weir_reproduce_schema(FILE *out); /* of that */
void weir_sweep_schema(FILE *out);     /* of that, for a sweep */

/* Cells by verdict. */
struct weir_verdicts {
    uint32_t count[WEIR_CELL_OUTSIDE + 1];
};
struct weir_verdicts weir_reproduce_verdicts(const struct weir_outcome *outcome);
#endif
