/* src/results/report/report.h - makes one page of HTML of result files. It needs nothing else: no network, no script,
 * no other file. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H
#include "core/err.h"
#include "store/store.h"
#include <stddef.h>
#include <stdio.h>

struct weir_report_figures { /* takes each figure as files of its own */
    /* name: "goodput-over-time.svg" or ".csv"; plain, and no two are equal. bytes: the whole file. @return 0, or a code
     * with err: the page is given up then */
    int (*put)(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *err);
    void *ctx;
};

struct weir_report_options {
    const char *const *path;  /* result files, as the user named them; doc/results.md describes their content */
    size_t path_count;        /* 1 .. */
    const char *only;         /* the numbers of the runs that are shown, "3,14,15"; NULL = all there are */
    const char *const *where; /* and what they have to fit, "protocol.name=sird" each (runs.h) */
    size_t where_count;
    const char *text;                          /* shown above everything else, as it is; NULL = none */
    const char *version;                       /* of Weir: at the foot of the page */
    const char *gnuplot;                       /* the program that draws: a name to search, or a path */
    const struct weir_report_figures *figures; /* NULL = they are in the page alone */
    const struct weir_store_caller *caller;    /* who opens the files; NULL = none */
    const volatile int *stop;                  /* not 0 = leave off; NULL = never */
};

struct weir_report_done {
    size_t runs, figures;
    char no_figures[512]; /* why nothing was drawn, one sentence; empty = all was */
};

/**
 * Writes the page. The same files give the same bytes. A missing or unfit gnuplot costs the figures, not the page.
 * @return 0, or a code with err: WEIR_E_FILE, _UNKNOWN or _CONFLICT (a file is not what it should be), _MEMORY, or _RUN
 * (asked to stop, or a figure failed). Whether `out` took everything is the caller's to ask.
 */
int weir_report_page(FILE *out, const struct weir_report_options *options, struct weir_report_done *done,
                     struct weir_err *err);
#endif
