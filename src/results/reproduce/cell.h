/* src/results/reproduce/cell.h - a cell of a table: a measured number next to the published one, and who reads measured
 * ones. */
#ifndef WEIR_REPRODUCE_CELL_H
#define WEIR_REPRODUCE_CELL_H
#include "reproduce/plan.h"
#include "reproduce/published.h"

enum weir_cell_verdict {
    WEIR_CELL_NONE,    /* nothing to compare with */
    WEIR_CELL_SHOWN,   /* compared, but the table has no band, or the cell is not comparable */
    WEIR_CELL_WEAK,    /* within the band, and so would a run be in which nothing has an effect */
    WEIR_CELL_WITHIN,  /* within the band, or both unstable */
    WEIR_CELL_OUTSIDE, /* beyond it, or one of the two unstable, or nothing to measure in runs that are all there */
};

struct weir_cell {
    uint8_t value[WEIR_AXES_MAX]; /* as in struct weir_point; an axis taken the largest or the mean over is NONE */
    uint32_t reading;
    struct weir_value measured, published;
    const struct weir_point *at; /* the run whose number it is; NULL = none, a quotient or a mean */
    uint32_t averaged, unstable; /* how many runs it is the mean of; 0 = it is no mean; unstable ones among them */
    double least, most;          /* of these; where the table takes a median, of the cases */
    double squares;              /* sum of the squares of their distances from the mean */
    double half_width; /* of the mean's 95 % interval, Student's t; 0 = of fewer than three runs there is none */
    uint32_t cases,
        cases_of;          /* stable numbers in the mean along the table's axes, of so many; 0 of 0 = there is none */
    bool at_unstable;      /* the run is, or one of those of the mean */
    const char *not_built; /* a protocol that one of its runs lacks; NULL = none */
    uint32_t runs_done, runs; /* what it was read from */
    bool has_deviation;
    double deviation_percent; /* measured against published; 0 within a published range; of a reduction: points */
    enum weir_cell_verdict verdict;
};

struct weir_measured { /* where numbers come from */
    /* One number of a run that is done: of a series or of jobs, or a path in its JSON. Also "stable" (1 or 0),
     * "unfinished" (messages that started and did not complete), or
     * "growth:NAME": how much larger a series' mean is in the measured part than around half time. And
     * "quantile:NAME:PERCENT" of a histogram of the result file. @return NUMBER, or NONE if it does not apply there */
    struct weir_value (*read)(const struct weir_point *point, const struct weir_reading *reading);
    /* The same of jobs or coflows, each divided by its like at base. Asked only where a reading is of these. */
    struct weir_value (*compare)(const struct weir_point *point, const struct weir_point *base,
                                 const struct weir_reading *reading);
};
#endif
