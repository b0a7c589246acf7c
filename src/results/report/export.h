/* src/results/report/export.h - writes figures as files: the drawing as a stand-alone SVG file, the numbers as CSV. */
#ifndef WEIR_REPORT_EXPORT_H
#define WEIR_REPORT_EXPORT_H
#include "report/dots.h"
#include "report/gantt.h"
#include "report/plot.h"
#include "report/report.h"

#define WEIR_EXPORT_PARTS 4

struct weir_export {
    const struct weir_report_figures *to;
    char **name; /* names of the files so far, without suffix; owned; count of them */
    size_t count;
};

struct weir_export_figure { /* a figure, and how its files are written */
    const char *title;
    const void *of; /* the plot or dot plot that svg() and csv() get */
    /* Writes the figure as an SVG file, with CSS variables for colours. NULL = there is no drawing. @return 0, or a
     * code with err */
    int (*svg)(FILE *out, const struct weir_export_figure *figure, struct weir_err *err);
    void (*csv)(FILE *out, const void *of); /* writes the numbers */
    const char *gnuplot;                    /* for svg() */
    /* Size and font of the file: as in struct weir_report_figures; NULL = the default */
    const struct weir_report_figures *to;
    bool dark;      /* in the colours of a dark page */
    bool in_points; /* the size of the file is in points, for rsvg-convert */
};

/* Returns the figure of a plot; gnuplot: NULL = only the file of numbers. The plot is lent. */
struct weir_export_figure weir_export_of_plot(const struct weir_plot *plot, const char *gnuplot);
/* Returns the figure of a dot plot, which is lent. */
struct weir_export_figure weir_export_of_dots(const struct weir_dots *dots);
/* Returns the figure of bars over time, which are lent. */
struct weir_export_figure weir_export_of_gantt(const struct weir_gantt *gantt);

/**
 * Makes the files of a figure and passes them to exports->to->put(). Their name is made of the parts: letters and
 * digits in lower case, with '-' for all other characters. If the name was already used, a number is appended.
 * @param part  parts of the name; entries that are NULL are left out
 * @return 0, or a code with err
 */
int weir_export_files(struct weir_export *exports, const struct weir_export_figure *figure,
                      const char *const part[WEIR_EXPORT_PARTS], struct weir_err *err);
void weir_export_free(struct weir_export *exports);

/* Writes all numbers of a figure as CSV: a header, then a line for each point of each curve. Numbers are in the unit of
 * their axis, without prefixes such as K or M. The columns are described in doc/report.md. */
void weir_export_csv(FILE *out, const struct weir_plot *plot);

/* Writes the drawing with title and legend as an SVG file, in the colours of a light page unless figure->dark. Returns
 * 0, or a code with err. */
int weir_export_svg(FILE *out, const struct weir_export_figure *figure, struct weir_err *err);
#endif
