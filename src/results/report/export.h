/* src/results/report/export.h - figures as files: the drawing as an SVG that stands alone, and its numbers as CSV. */
#ifndef WEIR_REPORT_EXPORT_H
#define WEIR_REPORT_EXPORT_H
#include "report/plot.h"
#include "report/report.h"

#define WEIR_EXPORT_PARTS 4

struct weir_export {
    const struct weir_report_figures *to;
    char **name; /* of the files so far, without their ends; owned */
    size_t count;
};

/**
 * Hands over both files of a figure. Their name is made of the parts: letters and digits in lower case, anything else a
 * '-'; a number is appended if there is a file of that name.
 * @param gnuplot  NULL = the numbers alone
 * @param part     those that are NULL are left out
 * @return 0, or a code with err
 */
int weir_export_plot(struct weir_export *exports, const struct weir_plot *plot, const char *gnuplot,
                     const char *const part[WEIR_EXPORT_PARTS], struct weir_err *err);
void weir_export_free(struct weir_export *exports);

/* Writes all numbers of a figure: a line for each point of each curve, in units without prefix. Columns:
 * doc/report.md. */
void weir_export_csv(FILE *out, const struct weir_plot *plot);

/* Writes the drawing with title and legend, in the colours of a light page. Returns 0, or a code with err. */
int weir_export_svg(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err);
#endif
