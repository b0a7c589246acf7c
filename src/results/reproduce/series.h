/* src/results/reproduce/series.h - one number of a series of a run: a mean, a peak, or the time when it first was below
 * or above a mark. */
#ifndef WEIR_REPRODUCE_SERIES_H
#define WEIR_REPRODUCE_SERIES_H
#include "config/tree.h"
#include <stdint.h>

enum weir_series_what {
    WEIR_SERIES_MEAN,
    WEIR_SERIES_MAX,
    WEIR_SERIES_MIN,
    WEIR_SERIES_BELOW,     /* how long after `from` it is below the mark for the first time */
    WEIR_SERIES_ABOVE,     /* the same, at the mark or above it */
    WEIR_SERIES_VARIATION, /* standard deviation over mean */
    WEIR_SERIES_JAIN,      /* Jain's index of the elements' means: point[] is one for each element then */
};
enum weir_series_fold { WEIR_SERIES_FOLD_MEAN, WEIR_SERIES_FOLD_MIN, WEIR_SERIES_FOLD_MAX, WEIR_SERIES_FOLD_SUM };
enum weir_series_of {
    WEIR_SERIES_OF_NUMBER,
    WEIR_SERIES_OF_BEFORE,   /* the least (below) or greatest (above) value of the stretch before `from` */
    WEIR_SERIES_OF_FAIR,     /* mean of all elements over the second half of the window */
    WEIR_SERIES_OF_PREVIOUS, /* the point before: a step */
};

#define WEIR_SERIES_BEFORE_PS UINT64_C(100000000) /* the default of that stretch: 100 us */

struct weir_series_spec {
    const char *name; /* of the series */
    const char *unit; /* of the number read off it */
    /* The element, or those whose name begins with it and a blank; NULL = the network's, else all. Key `place`. */
    const char *element;
    enum weir_series_what what;
    enum weir_series_fold fold; /* of several elements: what they are at one instant */
    bool has_from, has_to;      /* else the measured part's */
    uint64_t from_ps, to_ps;    /* points with from < t <= to count */
    uint64_t smooth_ps;         /* each point becomes the mean of those in (t - smooth, t]; 0 = as recorded */
    uint64_t hold_ps;           /* BELOW, ABOVE: it has to stay there for so long */
    uint64_t before_ps;         /* OF_BEFORE: the length of that stretch */
    uint64_t share_ppm;         /* the mark is this share .. */
    enum weir_series_of of;     /* .. of this */
    double of_value;            /* OF_NUMBER */
};

struct weir_series_point {
    uint64_t t_ps;
    double value;
};

/* Reads a map {series: port_queue, read: max, ..}. Its memory is the arena's. @return 0, or a code with err */
int weir_series_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map,
                          const struct weir_series_spec **out, struct weir_err *err);

/**
 * Computes the number.
 * @param point  in order of time, elements folded; is smoothed
 * @param all    the same folded by their mean, for OF_FAIR; else not read
 * @param value  ps for BELOW and ABOVE
 * @return false = there is none: no point in the window, or the mark was not reached
 */
bool weir_series_value(const struct weir_series_spec *spec, struct weir_series_point *point, size_t count,
                       const struct weir_series_point *all, size_t all_count, double *value);
#endif
