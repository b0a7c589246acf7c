/* src/results/reproduce/print.h - prints the results of a plan: measured numbers next to published ones, as tables or
 * as JSON. */
#ifndef WEIR_REPRODUCE_PRINT_H
#define WEIR_REPRODUCE_PRINT_H
#include "reproduce/advice.h"
#include "reproduce/cells.h"
#include "reproduce/results_jobs.h"
#include <stdio.h>

struct weir_outcome {
    const struct weir_plan *plan;
    const struct weir_cells *cells; /* cells_count tables, in the figures' order */
    uint32_t cells_count;
    const struct weir_advice *advice; /* the doubts of the points were looked for, and this is what settles them; NULL =
                                         they were not */
    const struct weir_results_jobs *jobs; /* of each point; NULL = not read */
    const char *version, *commit;
};

void weir_reproduce_print(FILE *out, const struct weir_outcome *outcome);
void weir_reproduce_json(FILE *out, const struct weir_outcome *outcome);
void weir_reproduce_schema(FILE *out); /* prints the JSON Schema of weir_reproduce_json() */
void weir_sweep_schema(FILE *out);     /* prints the same for `weir sweep`, where `points` is always there */

/* Numbers of cells, by verdict. */
struct weir_verdicts {
    uint32_t count[WEIR_CELL_OUTSIDE + 1];
};
struct weir_verdicts weir_reproduce_verdicts(const struct weir_outcome *outcome);
#endif
