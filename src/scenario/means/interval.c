/* src/scenario/means/interval.c - see interval.h. */
#include "means/interval.h"
#include "core/assert.h"
#include <math.h>

/* Returns the quantile of the table for 1 to 30 degrees, the last one of the table for 31 to 60, and 2.0 above. The
 * result is never too small, and too large by 2.2 % at most. */
double weir_student_95(uint32_t degrees)
{
    static const double quantile[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                       2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };
    uint32_t rows = sizeof(quantile) / sizeof(quantile[0]);
    WEIR_ASSERT(degrees > 0);
    return degrees > 60 ? 2.0 : quantile[(degrees < rows ? degrees : rows) - 1];
}

double weir_half_width_95(double squares, uint32_t count)
{
    WEIR_ASSERT(count >= 2);
    return weir_student_95(count - 1) * sqrt(squares / (count - 1) / count);
}
