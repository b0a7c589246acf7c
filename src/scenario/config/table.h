/* src/scenario/config/table.h - one style of table, for the terminal and for Markdown. Rows are passed twice: first
 * they are measured, then printed. So nothing is stored and a table may have any length. */
#ifndef WEIR_CONFIG_TABLE_H
#define WEIR_CONFIG_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WEIR_TABLE_COLUMNS_MAX 6u
#define WEIR_TABLE_LINE 120u /* the last column is wrapped here on a terminal */

struct weir_table {
    FILE *out;
    bool markdown, measuring;
    unsigned columns;
    size_t width[WEIR_TABLE_COLUMNS_MAX];
};

/* Adds one row, the title row included: as many cells as columns. The title row comes first. */
void weir_table_row(struct weir_table *table, const char *const *cells);
void weir_table_rule(struct weir_table *table); /* after the title row */

/* Prints a paragraph, wrapped on a terminal after `indent` blanks; as it is in Markdown. */
void weir_table_text(FILE *out, bool markdown, size_t indent, const char *text);
#endif
