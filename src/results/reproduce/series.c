/* src/results/reproduce/series.c - see series.h. */
#include "reproduce/series.h"
#include <math.h>
#include <stdlib.h>

/* Replaces each point by the mean of the points in (t - span_ps, t]. Without memory leaves the points as recorded. */
static void smooth(struct weir_series_point *point, size_t count, uint64_t span_ps)
{
    double *value = calloc(count, sizeof(*value)), sum = 0;
    size_t first = 0;
    if (value == NULL)
        return; /* the points stay as recorded */
    for (size_t i = 0; i < count; i++)
        value[i] = point[i].value;
    for (size_t i = 0; i < count; i++) {
        sum += value[i];
        while (point[first].t_ps + span_ps <= point[i].t_ps)
            sum -= value[first++];
        point[i].value = sum / (double)(i - first + 1);
    }
    free(value);
}

/* Sets *first to the index of the first point with t > from_ps. Returns the number of points with from_ps < t <=
 * to_ps. */
static size_t window(const struct weir_series_point *point, size_t count, uint64_t from_ps, uint64_t to_ps,
                     size_t *first)
{
    size_t end;
    for (*first = 0; *first < count && point[*first].t_ps <= from_ps; ++*first) {
    }
    for (end = *first; end < count && point[end].t_ps <= to_ps; end++) {
    }
    return end - *first;
}

static double fold(const struct weir_series_point *point, size_t count, enum weir_series_what what)
{
    double sum = 0, least = point[0].value, most = point[0].value;
    for (size_t i = 0; i < count; i++) {
        sum += point[i].value;
        least = point[i].value < least ? point[i].value : least;
        most = point[i].value > most ? point[i].value : most;
    }
    return what == WEIR_SERIES_MEAN ? sum / (double)count : what == WEIR_SERIES_MIN ? least : most;
}

/* Sets *value to the reference of which the mark is a share; for OF_PREVIOUS leaves *value unchanged. Returns false if
 * there is no point to compute the reference from. */
static bool reference(const struct weir_series_spec *spec, const struct weir_series_point *point, size_t count,
                      const struct weir_series_point *all, size_t all_count, double *value)
{
    uint64_t half_ps = spec->from_ps + (spec->to_ps - spec->from_ps) / 2;
    size_t first, n;
    switch (spec->of) {
    case WEIR_SERIES_OF_NUMBER:
        *value = spec->of_value;
        return true;
    case WEIR_SERIES_OF_BEFORE:
        n = window(point, count, spec->from_ps > spec->before_ps ? spec->from_ps - spec->before_ps : 0, spec->from_ps,
                   &first);
        if (n > 0)
            *value = fold(point + first, n, spec->what == WEIR_SERIES_BELOW ? WEIR_SERIES_MIN : WEIR_SERIES_MAX);
        return n > 0;
    case WEIR_SERIES_OF_PREVIOUS:
        return true; /* is_past() uses the previous point */
    case WEIR_SERIES_OF_FAIR:
        break;
    }
    n = window(all, all_count, half_ps, spec->to_ps, &first);
    if (n > 0)
        *value = fold(all + first, n, WEIR_SERIES_MEAN);
    return n > 0;
}

static bool is_past(const struct weir_series_spec *spec, const struct weir_series_point *point, size_t i, double mark)
{
    if (spec->of == WEIR_SERIES_OF_PREVIOUS) {
        if (i == 0)
            return false;
        mark = point[i - 1].value * (double)spec->share_ppm / 1e6;
    }
    return spec->what == WEIR_SERIES_BELOW ? point[i].value < mark : point[i].value >= mark;
}

/* Finds the first point from which the series stays below or above the mark for hold_ps. Sets *value to the time of the
 * point in ps, counted from spec->from_ps. Returns false if there is no such point. */
static bool first_time(const struct weir_series_spec *spec, const struct weir_series_point *point, size_t count,
                       double mark, double *value)
{
    bool held = false;
    uint64_t since_ps = 0;
    for (size_t i = 0; i < count; i++) {
        bool there = is_past(spec, point, i, mark);
        if (there && !held)
            since_ps = point[i].t_ps;
        held = there;
        if (held && point[i].t_ps - since_ps >= spec->hold_ps) {
            *value = (double)(since_ps - spec->from_ps);
            return true;
        }
    }
    return false;
}

/* Computes Jain's index, (sum x)^2 / (n sum x^2). Returns false if all values are 0. */
static bool jain(const struct weir_series_point *point, size_t count, double *value)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += point[i].value;
        squares += point[i].value * point[i].value;
    }
    if (squares > 0)
        *value = sum * sum / ((double)count * squares);
    return squares > 0;
}

/* Computes the largest |x_i / (sum x) / (p_i / (sum p)) - 1|, with parts p. Returns false if there are not as many
 * values as parts, or all values are 0. */
static bool distance(const struct weir_series_spec *spec, const struct weir_series_point *point, size_t count,
                     double *value)
{
    double sum = 0, parts = 0;
    if (count != spec->part_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        sum += point[i].value;
        parts += spec->part[i];
    }
    *value = 0;
    for (size_t i = 0; i < count && sum > 0; i++) {
        double off = fabs(point[i].value / sum * parts / spec->part[i] - 1);
        *value = off > *value ? off : *value;
    }
    return sum > 0;
}

/* Computes the coefficient of variation. Returns false if the mean is not above 0. The second pass keeps the digits of
 * a small spread around a large mean. */
static bool variation(const struct weir_series_point *point, size_t count, double *value)
{
    double mean = fold(point, count, WEIR_SERIES_MEAN), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (point[i].value - mean) * (point[i].value - mean);
    if (mean > 0)
        *value = sqrt(squares / (double)count) / mean;
    return mean > 0;
}

bool weir_series_value(const struct weir_series_spec *spec, struct weir_series_point *point, size_t count,
                       const struct weir_series_point *all, size_t all_count, double *value)
{
    double base = 0;
    size_t first, n;
    if (spec->what == WEIR_SERIES_JAIN)
        return jain(point, count, value);
    if (spec->what == WEIR_SERIES_DISTANCE)
        return distance(spec, point, count, value);
    if (spec->smooth_ps > 0 && count > 0)
        smooth(point, count, spec->smooth_ps);
    n = window(point, count, spec->from_ps, spec->to_ps, &first);
    if (n == 0)
        return false;
    if (spec->what == WEIR_SERIES_BELOW || spec->what == WEIR_SERIES_ABOVE)
        return reference(spec, point, count, all, all_count, &base) &&
               first_time(spec, point + first, n, base * (double)spec->share_ppm / 1e6, value);
    if (spec->what == WEIR_SERIES_VARIATION)
        return variation(point + first, n, value);
    *value = fold(point + first, n, spec->what);
    return true;
}
