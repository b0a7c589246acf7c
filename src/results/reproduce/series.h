/* src/results/reproduce/series.h - one number of a series of a run: a mean, a peak, or the time until the series is
 * below or above a mark. */
#ifndef WEIR_REPRODUCE_SERIES_H
#define WEIR_REPRODUCE_SERIES_H
#include "config/tree.h"
#include <stdint.h>

enum weir_series_what {
    WEIR_SERIES_MEAN,
    WEIR_SERIES_MAX,
    WEIR_SERIES_MIN,
    WEIR_SERIES_BELOW,     /* ps from `from` to the first point from which the series stays below the mark for
                              hold_ps */
    WEIR_SERIES_ABOVE,     /* ps from `from` to the first point from which the series stays at the mark or above for
                              hold_ps */
    WEIR_SERIES_VARIATION, /* standard deviation over mean */
    WEIR_SERIES_JAIN,      /* Jain's index of the means of the elements; the points are then one mean for each
                              element */
    WEIR_SERIES_DISTANCE,  /* largest relative distance of an element's mean from its part of their sum; points as of
                              JAIN */
};
enum weir_series_fold { WEIR_SERIES_FOLD_MEAN, WEIR_SERIES_FOLD_MIN, WEIR_SERIES_FOLD_MAX, WEIR_SERIES_FOLD_SUM };
enum weir_series_of {
    WEIR_SERIES_OF_NUMBER,
    WEIR_SERIES_OF_BEFORE,   /* the least (BELOW) or greatest (ABOVE) value in the last before_ps before `from` */
    WEIR_SERIES_OF_FAIR,     /* the mean of all elements over the second half of the window from..to */
    WEIR_SERIES_OF_PREVIOUS, /* the value of the previous point, to find a step */
};

#define WEIR_SERIES_PARTS_MAX 64u                 /* most parts of DISTANCE: a run has series of as many flows */
#define WEIR_SERIES_BEFORE_PS UINT64_C(100000000) /* default of before_ps: 100 us */

struct weir_series_spec {
    const char *name; /* name of the series */
    const char *unit; /* unit of the number */
    /* Key `place`: the place of an element. Elements whose place begins with this text and a blank count too.
     * NULL = the series of the network, else all elements. */
    const char *element;
    enum weir_series_what what;
    enum weir_series_fold fold; /* how the values of several elements at one instant become one */
    bool has_from, has_to;      /* false: the limit of the measured part is used */
    uint64_t from_ps, to_ps;    /* points with from < t <= to count */
    uint64_t smooth_ps;         /* each point becomes the mean of the points in (t - smooth, t]; 0 = as recorded */
    uint64_t hold_ps;           /* BELOW, ABOVE: how long the series has to stay below, or at or above, the mark */
    uint64_t before_ps;         /* OF_BEFORE: length of the time before `from` */
    uint64_t share_ppm;         /* the mark is this share of the number that `of` names */
    enum weir_series_of of;     /* number of which the mark is a share */
    double of_value;            /* OF_NUMBER: the number */
    const double *part;         /* DISTANCE: the part of each element, in their order; above 0, and any unit */
    uint32_t part_count;
};

struct weir_series_point {
    uint64_t t_ps;
    double value;
};

/* Tests whether a number is computed from one mean for each element. */
static inline bool weir_series_is_of_means(enum weir_series_what what)
{
    return what == WEIR_SERIES_JAIN || what == WEIR_SERIES_DISTANCE;
}

/* Reads a map {series: port_queue, read: max, ..} and sets *out, which the arena owns. @return 0, or a code with err */
int weir_series_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map,
                          const struct weir_series_spec **out, struct weir_err *err);

/**
 * Computes the number that the spec defines. The caller has set from_ps and to_ps.
 * @param point  the points in order of time, with elements folded; of JAIN and DISTANCE one mean for each element.
 *        Smoothed in place
 * @param all    OF_FAIR: the points with elements folded by their mean; else not read
 * @param value  the number; of BELOW and ABOVE in ps
 * @return false = there is no number: no point in the window, no point for the number that `of` names, the mark was not
 *         reached, the mean is not above 0 (VARIATION), all values are 0 (JAIN, DISTANCE), or there are not as many
 *         elements as parts (DISTANCE)
 */
bool weir_series_value(const struct weir_series_spec *spec, struct weir_series_point *point, size_t count,
                       const struct weir_series_point *all, size_t all_count, double *value);
#endif
