/* src/results/report/style.h - the style sheets of the page and of drawings, and the marks of curves. */
#ifndef WEIR_REPORT_STYLE_H
#define WEIR_REPORT_STYLE_H
#include <stdbool.h>
#include <stdio.h>

/* Writes the style sheet of the page. */
void weir_style_sheet(FILE *out);
/* Writes the SVG definitions of marks and legend keys, to which drawings and legends refer. */
void weir_style_marks(FILE *out);

/* Writes a text with each CSS variable var(--..) replaced by its value on a light or dark page, for a drawing in its
 * own file. */
void weir_style_plain(FILE *out, const char *text, bool dark);
/* Writes the style sheet of a drawing in its own file. font: a family of fonts, of letters, digits, blanks and '-';
 * NULL = sans-serif */
void weir_style_drawing(FILE *out, const char *font);
#endif
