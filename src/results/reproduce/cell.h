/* src/results/reproduce/cell.h - a cell of a table: a measured number and the published number. Also the functions that
 * read measured numbers. */
#ifndef WEIR_REPRODUCE_CELL_H
#define WEIR_REPRODUCE_CELL_H
#include "reproduce/plan.h"
#include "reproduce/published.h"

enum weir_cell_verdict {
    WEIR_CELL_NONE,    /* not compared: no number was published; or there is no measured number, and the cell is not
                          checked */
    WEIR_CELL_SHOWN,   /* compared, not checked: no band, a peak of shortened runs, or a run is missing */
    WEIR_CELL_WEAK,    /* within the band, but the number of a run without the mechanism would be, too */
    WEIR_CELL_WITHIN,  /* within the band, or both numbers are unstable */
    WEIR_CELL_OUTSIDE, /* outside the band; or only one of the two numbers is unstable; or all runs are done but give no
                          number */
};

enum weir_cell_class { /* what a cell with a published number counts as; each printed number counts once */
                       WEIR_CLASS_PRINTED, /* the main reading of a number that the paper prints */
                       WEIR_CLASS_ORDER,   /* the main reading of an order that the paper states */
                       WEIR_CLASS_MODEL,   /* a number that we derived */
                       WEIR_CLASS_VARIANT, /* another reading, or computed from several printed numbers */
                       WEIR_CLASSES,
};

struct weir_cell {
    uint8_t value[WEIR_AXES_MAX]; /* as in struct weir_point; WEIR_AXIS_NONE too on the axes of over, average, order,
                                     mean, median and most */
    uint32_t reading;
    struct weir_value measured, published;
    const struct weir_printed *printed; /* row of the published number; NULL = none, or computed from several rows */
    enum weir_cell_class class;
    const struct weir_point *at; /* point whose number was measured; NULL = none, or the number is of several
                                    runs or cases */
    uint32_t averaged, unstable; /* averaged: number of runs in the mean along `average`, 0 = no mean. unstable: number
                                    of unstable runs among them */
    double *number;              /* the averaged numbers, one for each of `runs` in the order of the plan, NAN = the run
                                    is not done or has no number; NULL = not kept */
    double least, most;          /* least and greatest number of the averaged runs; in a table with `median`, of the
                                    cases */
    double squares;              /* sum of the squared differences between the averaged numbers and their mean */
    uint32_t doubtful;           /* number of averaged runs that are in doubt (struct weir_point) */
    double half_width;           /* half the width of the 95 % interval of the mean, by Student's t; 0 if fewer than
                                    three runs are averaged: there is no interval */
    uint32_t cases, cases_of;    /* cases: number of cases with a number, of which the cell has the mean, the median or
                                    the largest. cases_of: number of all cases. Both are 0 in a table without `mean`,
                                    `median` and `most` */
    bool at_unstable;            /* the run of `at`, or one of the averaged ones, is unstable */
    bool is_sampled;             /* a run with statistics: sampled does not have the number: it is not checked */
    const char *not_built;       /* protocol that a run of the cell needs and this program lacks; NULL = none */
    uint32_t runs_done, runs;    /* runs: number of runs that the cell needs. runs_done: number of done runs among
                                    them */
    bool has_deviation;
    double deviation_percent; /* of measured from published; 0 within a published range; of a reduction in percentage
                                 points */
    enum weir_cell_verdict verdict;
};

struct weir_measured { /* how measured numbers are read */
    /* Returns one number of a done run, before `divide`, `per` and `less` of the reading. If reading->series or
     * reading->each is set, the number is of a series, or of jobs or coflows. Otherwise reading->path names the number:
     * a name of `weir list metrics`, or a path in the JSON of the run; "stable" is 1 or 0. "growth:NAME" is the mean of
     * a series in the measured part, divided by the mean between 40 and 50 % of the run. "quantile:NAME:PERCENT" is a
     * quantile of a histogram of the result file. The state is NUMBER, or NONE if the run has no such number. */
    struct weir_value (*read)(const struct weir_point *point, const struct weir_reading *reading);
    /* Returns a number of jobs or coflows, after dividing each job or coflow by its counterpart in the run of base.
     * Called only if reading->each is set. */
    struct weir_value (*compare)(const struct weir_point *point, const struct weir_point *base,
                                 const struct weir_reading *reading);
};
#endif
