/* src/results/report/html.h - writes text as HTML. All text of a result file goes through here: a label may hold
 * anything. */
#ifndef WEIR_REPORT_HTML_H
#define WEIR_REPORT_HTML_H
#include "report/number.h"
#include <stdio.h>

/* Writes a text escaped for text and quoted attributes. Bytes that are not UTF-8, and control characters, become
 * U+FFFD. NULL = "" */
void weir_html_text(FILE *out, const char *text);

/* Writes an element around escaped text; attributes as in the source, NULL = none. tag and attributes are fixed
 * texts. */
void weir_html_element(FILE *out, const char *tag, const char *attributes, const char *text);

/* Writes a cell of a table with a number, or a dash for none. */
void weir_html_number(FILE *out, double value, enum weir_unit unit);
#endif
