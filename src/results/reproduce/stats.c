/* src/results/reproduce/stats.c - see stats.h. */
#include "reproduce/stats.h"
#include <math.h>
#include <stdlib.h>

static double nearest(double measured, const struct weir_value *published)
{
    return measured < published->lo ? published->lo : measured > published->hi ? published->hi : measured;
}

double weir_deviation_points(double measured, const struct weir_value *published)
{
    return measured - nearest(measured, published);
}

double weir_deviation_percent(double measured, const struct weir_value *published)
{
    double near = nearest(measured, published);
    if (measured >= published->lo && measured <= published->hi)
        return 0;
    return near != 0 ? (measured - near) / fabs(near) * 100 : measured > near ? HUGE_VAL : -HUGE_VAL;
}

double weir_mean(const double *number, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += number[i];
    return sum / count;
}

double weir_largest(const double *number, uint32_t count)
{
    double largest = number[0];
    for (uint32_t i = 1; i < count; i++)
        largest = fmax(largest, number[i]);
    return largest;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double weir_median(double *number, uint32_t count)
{
    qsort(number, count, sizeof(*number), by_value);
    return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

struct weir_value weir_quotient(const struct weir_value *a, const struct weir_value *b)
{
    struct weir_value q = { .state = a->state > b->state ? a->state : b->state };
    if (q.state == WEIR_VALUE_NUMBER && b->lo > 0) {
        q.lo = a->lo / b->hi;
        q.hi = a->hi / b->lo;
    } else if (q.state == WEIR_VALUE_NUMBER) {
        q.state = WEIR_VALUE_NONE;
    }
    return q;
}
_Static_assert(WEIR_VALUE_MISSING > WEIR_VALUE_NONE && WEIR_VALUE_NONE > WEIR_VALUE_UNSTABLE,
               "weir_quotient() takes the larger state");

struct weir_value weir_reduction(const struct weir_value *a, const struct weir_value *b)
{
    struct weir_value q = weir_quotient(a, b), r = { .state = q.state };
    if (q.state == WEIR_VALUE_NUMBER) {
        r.lo = 100 * (1 - q.hi);
        r.hi = 100 * (1 - q.lo);
    }
    return r;
}
