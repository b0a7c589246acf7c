/* src/reproduce/stats.c - see stats.h. */
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

/* Beyond the table the quantile is that of the last row, which is too wide by two parts in a hundred at most. */
double weir_student_95(uint32_t degrees)
{
    static const double quantile[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                       2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };
    uint32_t rows = sizeof(quantile) / sizeof(quantile[0]);
    return degrees > 60 ? 2.0 : quantile[(degrees < rows ? degrees : rows) - 1];
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
