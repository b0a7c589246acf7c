/* src/report/html.h - text into HTML. Whatever comes out of a result file goes through here: a label may hold anything. */
#ifndef WEIR_REPORT_HTML_H
#define WEIR_REPORT_HTML_H
#include "report/number.h"
#include <stdio.h>

/* Escaped for text and quoted attributes. Bytes that are not UTF-8, and control characters, become U+FFFD. NULL = "" */
void weir_html_text(FILE *out, const char *text);

/* An element around escaped text; attributes as in the source, NULL = none. tag and attributes are ours. */
void weir_html_element(FILE *out, const char *tag, const char *attributes, const char *text);

/* A cell of a table with a number, or a dash for none. */
void weir_html_number(FILE *out, double value, enum weir_unit unit);
#endif
