/* src/results/report/html.h - writes text escaped as HTML. All text of a result file must be written by these
 * functions, since a label may contain anything. */
#ifndef WEIR_REPORT_HTML_H
#define WEIR_REPORT_HTML_H
#include "report/number.h"
#include <stdio.h>

/* Writes a text, escaped for the content of elements and for quoted attributes. Bytes that are not UTF-8, and control
 * characters except newline and tab, become U+FFFD. text: NULL = "" */
void weir_html_text(FILE *out, const char *text);

/* Writes an HTML element with escaped text in it. attributes: as in HTML source, NULL = none. tag and attributes are
 * not escaped, so they must be constant texts. */
void weir_html_element(FILE *out, const char *tag, const char *attributes, const char *text);

/* Writes a JSON text so that no letter of it ends the script element that it stands in. */
void weir_html_json(FILE *out, const char *json);

/* Writes a table cell (td) with a number and its unit; with a dash if the value is not finite. */
void weir_html_number(FILE *out, double value, enum weir_unit unit);
#endif
