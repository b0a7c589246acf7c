/* src/scenario/config/table.c - see table.h. On a terminal the last column, which holds sentences, is wrapped. If
 * little room is left for that column, its text goes on lines below the row. Long lists of choices are wrapped, too. */
#include "config/table.h"
#include <string.h>

enum { GAP = 2, SENTENCE_COLUMN_MAX = 72, SENTENCE_INDENT = 6, CHOICES_MAX = 88 }; /* CHOICES_MAX: width of a list */

static void print_blanks(FILE *out, size_t count)
{
    while (count-- > 0)
        (void)fputc(' ', out);
}

/* Prints a text, wrapped at WEIR_TABLE_LINE. at: the column of the cursor; further lines are indented by indent
 * blanks */
static void print_wrapped(FILE *out, size_t at, size_t indent, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        if (at > indent && at + 1 + len > WEIR_TABLE_LINE) {
            (void)fputc('\n', out);
            print_blanks(out, indent);
            at = indent;
        } else if (at > indent) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fwrite(text, 1, len, out);
        at += len;
        text += len;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}

void weir_table_text(FILE *out, bool markdown, size_t indent, const char *text)
{
    if (markdown) {
        (void)fprintf(out, "%s\n", text);
        return;
    }
    print_blanks(out, indent);
    print_wrapped(out, indent, indent, text);
}

static size_t markdown_width(const char *cell)
{
    size_t width = strlen(cell);
    for (; *cell != '\0'; cell++)
        width += *cell == '|';
    return width;
}

static void print_markdown(struct weir_table *t, const char *const *cells)
{
    for (unsigned i = 0; i < t->columns; i++) {
        (void)fputs("| ", t->out);
        for (const char *c = cells[i]; *c != '\0'; c++)
            (void)fprintf(t->out, *c == '|' ? "\\%c" : "%c", *c);
        if (i + 1 < t->columns)
            print_blanks(t->out, t->width[i] - markdown_width(cells[i]));
        (void)fputc(' ', t->out);
    }
    (void)fputs("|\n", t->out);
}

/* Returns the length of the part of a cell that goes on one line of a terminal. A list of choices ends with " |" there
 * if it goes on. */
static size_t line_of(const char *cell)
{
    size_t length = strlen(cell), end = CHOICES_MAX;
    if (length <= CHOICES_MAX)
        return length;
    while (end > 2 && (cell[end] != ' ' || cell[end - 1] != '|' || cell[end - 2] != ' '))
        end--;
    return end > 2 ? end : length;
}

/* Prints a cell that begins at a column. @return the width of its last line */
static size_t print_cell(FILE *out, const char *cell, size_t column)
{
    size_t length = line_of(cell);
    while (cell[length] != '\0') {
        (void)fwrite(cell, 1, length, out);
        (void)fputc('\n', out);
        print_blanks(out, column);
        cell += length + 1; /* the blank behind the mark */
        length = line_of(cell);
    }
    (void)fputs(cell, out);
    return length;
}

static size_t terminal_width(const char *cell)
{
    size_t width = 0, length = line_of(cell);
    for (; cell[length] != '\0'; length = line_of(cell)) {
        width = length > width ? length : width;
        cell += length + 1;
    }
    return length > width ? length : width;
}

static void print_terminal(struct weir_table *t, const char *const *cells)
{
    size_t column = GAP, begin = GAP, last = t->columns - 1;
    for (unsigned i = 0; i < last; i++)
        column += t->width[i] + GAP;
    print_blanks(t->out, GAP);
    for (unsigned i = 0; i < last; i++) {
        bool is_end = i + 1 == last && column > SENTENCE_COLUMN_MAX;
        size_t width = print_cell(t->out, cells[i], begin);
        print_blanks(t->out, is_end ? 0 : t->width[i] - width + GAP);
        begin += t->width[i] + GAP;
    }
    if (column <= SENTENCE_COLUMN_MAX) {
        print_wrapped(t->out, column, column, cells[last]);
        return;
    }
    (void)fputc('\n', t->out);
    weir_table_text(t->out, false, SENTENCE_INDENT, cells[last]);
}

void weir_table_row(struct weir_table *t, const char *const *cells)
{
    if (!t->measuring) {
        if (t->markdown)
            print_markdown(t, cells);
        else
            print_terminal(t, cells);
        return;
    }
    for (unsigned i = 0; i < t->columns; i++) {
        size_t width = t->markdown ? markdown_width(cells[i]) : terminal_width(cells[i]);
        t->width[i] = width > t->width[i] ? width : t->width[i];
    }
}

void weir_table_rule(struct weir_table *t)
{
    if (t->measuring || !t->markdown)
        return;
    for (unsigned i = 0; i < t->columns; i++)
        (void)fputs("|---", t->out);
    (void)fputs("|\n", t->out);
}
