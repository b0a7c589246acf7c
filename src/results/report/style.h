/* src/results/report/style.h - the style sheet of the page. */
#ifndef WEIR_REPORT_STYLE_H
#define WEIR_REPORT_STYLE_H
#include <stdio.h>

/* Writes the style sheet; writes the marks of curves that figures refer to. */
void weir_style_sheet(FILE *out);
void weir_style_marks(FILE *out);

/* Writes a text with the colours of a light page instead of variables, for a drawing that stands alone. */
void weir_style_plain(FILE *out, const char *text);
/* Writes the part of the style sheet that a drawing needs. */
void weir_style_drawing(FILE *out);
#endif
