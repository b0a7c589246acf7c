/* src/results/report/report.h - makes one HTML page from result files. The page needs no network and no
 * other file; with a bundle it has a script that makes its tables and curves interactive. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H
#include "core/err.h"
#include "report/bundle.h"
#include "store/store.h"
#include <stddef.h>
#include <stdio.h>

struct weir_report_figures { /* receives each figure as files */
    /* Called with each file. name: such as "goodput-over-time.svg" or "goodput-over-time.csv", of letters, digits, '-'
     * and '.'; different for each file. bytes: the whole content, lent. @return 0, or a code with err, which ends
     * weir_report_page() */
    int (*put)(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *err);
    void *ctx;
    unsigned formats;    /* which files, bits WEIR_FIGURE_..; 0 = SVG and CSV */
    double width_pt;     /* width of drawings in points of 1/72 inch; 0 = 360 */
    const char *font;    /* family of fonts; NULL = sans-serif */
    double font_pt;      /* height of letters in points; 0 = 8 if width_pt is given, else 11.25 */
    const char *convert; /* the program rsvg-convert, for PDF and PNG: a name to search in PATH, or a path */
};

enum { WEIR_FIGURE_SVG = 1, WEIR_FIGURE_PDF = 2, WEIR_FIGURE_PNG = 4, WEIR_FIGURE_CSV = 8, WEIR_FIGURE_DARK = 16 };

struct weir_report_options {
    const char *const *path;  /* result files, as the user named them; doc/results.md describes their content */
    size_t path_count;        /* 1 .. */
    const char *only;         /* ids of the runs to show, "3,14,15"; NULL = all */
    const char *const *where; /* conditions, each as "protocol.name=sird" (filter.h); the runs must fit all */
    size_t where_count;
    const char *text;                          /* shown below the results, in a fixed-width font; NULL = none */
    const char *published;                     /* what `weir reproduce --json` prints; NULL = nothing */
    const char *version;                       /* of Weir, for the foot of the page */
    const char *gnuplot;                       /* the program gnuplot: a name to search in PATH, or a path */
    const struct weir_report_figures *figures; /* NULL = figures are only in the page */
    const struct weir_bundle *interactive;     /* makes the page interactive (bundle.h); NULL = it has no script */
    const struct weir_store_caller *caller;    /* callbacks while files are opened and read; NULL = none */
    const volatile int *stop;                  /* not 0 = stop with WEIR_E_RUN; NULL = never */
};

struct weir_report_done { /* the result of weir_report_page() */
    size_t runs, figures; /* runs on the page; figures drawn */
    char no_figures[512]; /* why gnuplot drew no curves, one sentence; empty = it drew them */
};

/**
 * Writes the page. The same files give the same bytes. Without a usable gnuplot the page has tables but no drawings.
 * @return 0, or a code with err: WEIR_E_FILE, WEIR_E_BUSY, WEIR_E_UNKNOWN or WEIR_E_CONFLICT (a file cannot be used, or
 *         no run fits), WEIR_E_MEMORY, WEIR_E_RUN (stopped, or a figure failed), or a code of figures->put(). The
 *         caller checks out for write errors.
 */
int weir_report_page(FILE *out, const struct weir_report_options *options, struct weir_report_done *done,
                     struct weir_err *err);
#endif
