/* src/results/reproduce/cell.h - a cell of a table: a measured number and the published one; and the functions by which
 * measured numbers are read. */
#ifndef WEIR_REPRODUCE_CELL_H
#define WEIR_REPRODUCE_CELL_H
#include "reproduce/plan.h"
#include "reproduce/published.h"

enum weir_cell_verdict {
    WEIR_CELL_NONE,    /* not compared: nothing was published; or there is neither a measured number nor a check */
    WEIR_CELL_SHOWN,   /* compared, not checked: no band, a peak of shortened runs, or a run is missing */
    WEIR_CELL_WEAK,    /* within the band, as the number of a run without the mechanism would be */
    WEIR_CELL_WITHIN,  /* within the band, or both numbers are unstable */
    WEIR_CELL_OUTSIDE, /* outside the band; or just one number is unstable; or all runs are done and have no number */
};

struct weir_cell {
    uint8_t value[WEIR_AXES_MAX]; /* as in struct weir_point; WEIR_AXIS_NONE too on the axes of over, average, order,
                                     mean and median */
    uint32_t reading;
    struct weir_value measured, published;
    const struct weir_point *at; /* point whose number was measured; NULL = none, or a quotient or mean of several */
    uint32_t averaged, unstable; /* number of runs in the mean along `average`, 0 = no mean; of the unstable runs among
                                    them */
    double least, most;          /* least and greatest number of the averaged runs; with `median`, of the cases */
    double squares;              /* sum of the squared distances of the averaged numbers from the mean */
    double half_width;           /* half of the 95 % interval of the mean, by Student's t; 0 = fewer than three runs, no
                          interval */
    uint32_t cases, cases_of;    /* number of stable cases in the mean or median along axes, and of all cases; 0 and
                                    0 = no such mean */
    bool at_unstable;            /* the run of `at`, or one of the averaged ones, is unstable */
    const char *not_built;       /* protocol that a run of the cell needs and this program lacks; NULL = none */
    uint32_t runs_done, runs;    /* number of done runs, and of all runs, that the cell needs */
    bool has_deviation;
    double deviation_percent; /* of measured from published; 0 within a published range; of a reduction in percentage
                                 points */
    enum weir_cell_verdict verdict;
};

struct weir_measured { /* how measured numbers are read */
    /* Returns one number of a run that is done. If reading->series or reading->each is set, the number is of a series,
     * or of jobs or coflows. Otherwise reading->path names the number: a name of `weir list metrics`, or a path in the
     * JSON of the run; "stable" is 1 or 0. "growth:NAME" is the mean of a series in the measured part, over the mean
     * between 40 and 50 % of the run. "quantile:NAME:PERCENT" is a quantile of a histogram of the result file. The
     * state is NUMBER, or NONE if the run has no such number. */
    struct weir_value (*read)(const struct weir_point *point, const struct weir_reading *reading);
    /* Returns a number of jobs or coflows, after dividing each job or coflow by its counterpart in the run of base.
     * Called only if reading->each is set. */
    struct weir_value (*compare)(const struct weir_point *point, const struct weir_point *base,
                                 const struct weir_reading *reading);
};
#endif
