/* src/scenario/config/table.h - tables for the terminal and for Markdown. The caller passes all rows twice: the first
 * time their widths are measured, the second time they are printed. So no row is stored, and a table may have any
 * number of rows. */
#ifndef WEIR_CONFIG_TABLE_H
#define WEIR_CONFIG_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WEIR_TABLE_COLUMNS_MAX 6u
#define WEIR_TABLE_LINE 120u /* columns of a terminal line, where the last cell is wrapped */

struct weir_table { /* the caller sets out, markdown, columns and, before each pass, measuring; the rest is 0 */
    FILE *out;
    bool markdown, measuring;             /* format is Markdown, not a terminal's; rows are passed for the first time */
    unsigned columns;                     /* cells of each row, at most WEIR_TABLE_COLUMNS_MAX */
    size_t width[WEIR_TABLE_COLUMNS_MAX]; /* of the widest cell so far, in bytes */
};

/* Measures or prints one row, depending on table->measuring. cells: table->columns texts. The title row comes first. */
void weir_table_row(struct weir_table *table, const char *const *cells);

/* Prints the line below the title row, which only Markdown has. */
void weir_table_rule(struct weir_table *table);

/* Prints a paragraph: on a terminal wrapped and indented by `indent` blanks, in Markdown as one line. */
void weir_table_text(FILE *out, bool markdown, size_t indent, const char *text);
#endif
