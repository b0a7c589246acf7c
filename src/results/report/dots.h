/* src/results/report/dots.h - a dot plot: a row for each set of runs. A dot is the mean, a line its 95 % interval, an
 * upright line with a band what was published. The number is there as text. gnuplot is not needed. */
#ifndef WEIR_REPORT_DOTS_H
#define WEIR_REPORT_DOTS_H
#include "report/line_style.h"
#include "report/number.h"
#include <stdbool.h>
#include <stdio.h>

enum weir_dot_kind {
    WEIR_DOT_SOUND,
    WEIR_DOT_BEST,     /* its texts are bold */
    WEIR_DOT_DOUBTFUL, /* hollow, its line dashed */
    WEIR_DOT_BAD,      /* the remark is coloured: a run failed, or a number is outside its band */
};

struct weir_dot {
    const char *label; /* lent */
    struct weir_line_style style;
    enum weir_dot_kind kind;
    double mean, half_width;              /* NaN = there is none */
    double published_low, published_high; /* equal, or a range; NaN = nothing was published */
    double band_low, band_high;           /* values that agree with the published one; NaN = no band */
    char remark[48];                      /* behind the number: "best" */
    char said[192]; /* in place of number and remark, in the line above the dot: "21.5, published 37.5 +- 8" */
};

/* Returns a dot of which nothing was published, and that has no mean and no interval yet. label: lent */
struct weir_dot weir_dot_of(const char *label, const struct weir_line_style *style);

struct weir_dots {
    const char *title, *caption; /* lent; caption "" = none */
    enum weir_unit unit;
    bool with_said; /* the dots have `said` */
    double base;    /* the axis begins here, unless values differ little (weir_scale_make()) */
    struct weir_dot *dot;
    size_t count; /* 1 or more */
    size_t width; /* of the drawing, in units of which a letter is 15 high; 0 = WEIR_DOTS_WIDTH */
};

/* Tests whether there is anything to draw: a mean or a published value. */
bool weir_dots_visible(const struct weir_dots *dots);

/* Writes the drawing as an svg element of the page. Something must be visible. */
void weir_dots_draw(FILE *out, const struct weir_dots *dots);
/* Returns the height of the drawing, in units as its width. */
size_t weir_dots_height(const struct weir_dots *dots);
#define WEIR_DOTS_WIDTH 480

/* Writes the numbers as CSV: a header, then a line for each dot. */
void weir_dots_csv(FILE *out, const struct weir_dots *dots);
#endif
