/* src/results/reproduce/cell_text.h - cells of tables as texts: for tables, pages and keys of JSON. */
#ifndef WEIR_REPRODUCE_CELL_TEXT_H
#define WEIR_REPRODUCE_CELL_TEXT_H
#include "reproduce/cells.h"

enum { WEIR_CELL_TEXT = 96 }; /* bytes that a text of a cell has room in */

/* Writes a number with so many decimals, a range "696..747", or "unstable", "-", "not run". */
void weir_value_text(char out[WEIR_CELL_TEXT], const struct weir_value *value, uint32_t digits);

/* Writes "+5.3 %", "differs" where the two are not both numbers; "" = nothing is compared. */
void weir_deviation_text(char out[WEIR_CELL_TEXT], const struct weir_table_spec *spec, const struct weir_cell *cell);

/* Writes what distinguishes a cell in its table: "balanced-wkc-sird p99 A". */
void weir_cell_key(char *out, size_t size, const struct weir_plan *plan, const struct weir_cells *cells,
                   const struct weir_cell *cell);

/* Tests whether the cell has the number of an unstable run. A quotient of unstable numbers is no number. */
bool weir_cell_has_unstable(const struct weir_cell *cell);

/* Writes the protocols of a figure that are not built, "homa, swift"; empty = all are there. */
void weir_missing_text(char *out, size_t size, const struct weir_plan *plan, const struct weir_figure *figure);
#endif
