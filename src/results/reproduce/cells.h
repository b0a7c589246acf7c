/* src/results/reproduce/cells.h - computes the cells of a table. The caller provides the functions by which measured
 * numbers are read. */
#ifndef WEIR_REPRODUCE_CELLS_H
#define WEIR_REPRODUCE_CELLS_H
#include "reproduce/cell.h"

struct weir_cells {
    const struct weir_figure *figure;
    const struct weir_table_spec *spec;
    struct weir_cell *cell;
    uint32_t count;
    bool varies[WEIR_AXES_MAX]; /* axes whose labels distinguish the cells */
    bool comparable;            /* false: the table has peaks, and runs are shortened */
};

/* Computes the cells of one table of a figure, with deviations and verdicts, in memory of the experiment. @return 0, or
 * WEIR_E_MEMORY with err */
int weir_cells_make(struct weir_cells *cells, const struct weir_plan *plan, const struct weir_figure *figure,
                    const struct weir_table_spec *spec, const struct weir_measured *measured, struct weir_err *err);
#endif
