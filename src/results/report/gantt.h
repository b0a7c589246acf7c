/* src/results/report/gantt.h - bars over time: a row for each job, with a bar from its start to its end for each set of
 * runs. gnuplot is not needed. */
#ifndef WEIR_REPORT_GANTT_H
#define WEIR_REPORT_GANTT_H
#include "report/line_style.h"
#include <stdbool.h>
#include <stdio.h>

#define WEIR_GANTT_WIDTH 480u

struct weir_gantt_bar {
    size_t row, lane; /* lane: number of the set */
    double from_s, to_s;
    bool open; /* it had not ended at to_s: hollow, with a dashed edge */
};

struct weir_gantt {
    const char *title, *caption;         /* lent */
    const char *const *row;              /* labels; lent */
    const char *const *lane;             /* labels of the sets, for the legend; lent */
    const struct weir_line_style *style; /* of each lane */
    const struct weir_gantt_bar *bar;
    size_t rows, lanes, bars; /* 1 or more */
    size_t width;             /* of the drawing, in units of which a letter is 15 high; 0 = WEIR_GANTT_WIDTH */
};

/* Returns the height of the drawing, in units as its width. */
size_t weir_gantt_height(const struct weir_gantt *gantt);
/* Writes the drawing as an svg element of the page. */
void weir_gantt_draw(FILE *out, const struct weir_gantt *gantt);
/* Writes the bars as CSV: a header, then a line for each bar. */
void weir_gantt_csv(FILE *out, const struct weir_gantt *gantt);
#endif
