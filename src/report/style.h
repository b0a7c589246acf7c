/* src/report/style.h - the style sheet of the page. */
#ifndef WEIR_REPORT_STYLE_H
#define WEIR_REPORT_STYLE_H
#include <stdio.h>

/* The style sheet, and the marks of curves that figures refer to. */
void weir_style_sheet(FILE *out);
void weir_style_marks(FILE *out);
#endif
