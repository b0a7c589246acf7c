/* src/results/report/published_cells.h - reads what `weir reproduce --json` prints: measured numbers next to published
 * ones, and which of them are the main readings. */
#ifndef WEIR_REPORT_PUBLISHED_CELLS_H
#define WEIR_REPORT_PUBLISHED_CELLS_H
#include "report/db.h"
#include "report/number.h"
#include <stdbool.h>
#include <stddef.h>

struct weir_published_cell {                   /* a cell with a published number; texts are lent, "" = there is none */
    const char *table, *title, *unit, *missed; /* of its table; missed: why numbers are outside */
    const char *name, *class, *verdict;        /* class: "printed", "order", "model_check" or "other_reading" */
    const char *measured_state, *published_state; /* in place of a number: "unstable" */
    double measured, half_width, low, high;       /* NaN = no number. low, high: published, equal or a range */
    double band;                                  /* NaN = not checked */
    bool in_points;                               /* the band is in percentage points, not in percent */
    bool comparable;                              /* false: a peak of runs that are shorter than the published ones */
    int digits;                                   /* decimals; -1 = not said */
};

/* Calls take() with each cell of a figure that has a published number, table by table. json: valid; see
 * weir_published_check(). Returns 0, or a code with err, which may be that of take() */
int weir_published_each(const struct weir_db *db, const char *json, const char *figure,
                        int (*take)(void *ctx, const struct weir_published_cell *cell, struct weir_err *err), void *ctx,
                        struct weir_err *err);

/* Tests whether a cell is the main reading of a printed number or order: each of these counts once. All cells are that
 * do not say what they are. */
bool weir_published_is_main(const struct weir_published_cell *cell);

/* Writes the measured number with its interval: "21.5"; what is there in place of a number: "unstable". */
void weir_published_measured(char *out, size_t size, const struct weir_published_cell *cell);
/* Writes the published number with the band in which a measured one agrees: "37.5 ± 8", "40 to 60 ± 3 %". */
void weir_published_said(char *out, size_t size, const struct weir_published_cell *cell);

struct weir_published_paper { /* what the whole text says */
    char title[192];          /* of the experiment; "" = not said */
    char figure[192];         /* title of the figure that was asked for; "" = not said */
    double scale, measure_scale;
    size_t cells; /* with a published number, in all figures */
};
/* Reads what the whole text says. figure: NULL = none is asked for. Returns 0, or a code with err */
int weir_published_paper(const struct weir_db *db, const char *json, const char *figure,
                         struct weir_published_paper *paper, struct weir_err *err);
#endif
