/* src/results/reproduce/cell_text.h - cells as text: for tables, pages and keys of JSON. */
#ifndef WEIR_REPRODUCE_CELL_TEXT_H
#define WEIR_REPRODUCE_CELL_TEXT_H
#include "reproduce/cells.h"

enum { WEIR_CELL_TEXT = 96 }; /* bytes of a buffer for the text of a cell */

/* Writes a value: a number with `digits` decimals, or a range, "696..747". Other states are written as "unstable", "-"
 * (NONE) and "not run" (MISSING). */
void weir_value_text(char out[WEIR_CELL_TEXT], const struct weir_value *value, uint32_t digits);

/* Writes the deviation of a cell: "+5.3 %", or "+5.3 points" of a reduction. A compared cell without a deviation gives
 * "differs" outside the band, else "-". A cell that is not compared gives "". */
void weir_deviation_text(char out[WEIR_CELL_TEXT], const struct weir_table_spec *spec, const struct weir_cell *cell);

/* Writes the labels that distinguish a cell from other cells of the table, the label of the reading last:
 * "balanced-wkc-sird p99 A". */
void weir_cell_key(char *out, size_t size, const struct weir_plan *plan, const struct weir_cells *cells,
                   const struct weir_cell *cell);

/* Tests whether a mean has an interval: it is of three runs or more, and none of them is in doubt. */
bool weir_cell_has_interval(const struct weir_cell *cell);

/* Tests whether cell->measured.lo is the number of an unstable run, or a mean that includes one. A quotient with an
 * unstable part has no number. */
bool weir_cell_has_unstable(const struct weir_cell *cell);

/* Writes the protocols that a figure needs and this program lacks, "homa, swift"; "" = none is missing. */
void weir_missing_text(char *out, size_t size, const struct weir_plan *plan, const struct weir_figure *figure);
#endif
