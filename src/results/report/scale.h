/* src/results/report/scale.h - the scale of an axis: where it begins and ends, and its ticks. */
#ifndef WEIR_REPORT_SCALE_H
#define WEIR_REPORT_SCALE_H
#include <stdbool.h>
#include <stddef.h>

#define WEIR_SCALE_TICKS 16u

struct weir_scale {
    double lo, hi; /* lo < hi */
    bool log;
    double tick[WEIR_SCALE_TICKS];
    size_t ticks;
};

/* Rounds a value to 1, 2 or 5 * 10^n. If `up` is false, returns the greatest such number that is at most 1.02 times the
 * value: an axis may begin at 1 for 0.999, the edge of a bucket. If `up` is true, returns the least such number that is
 * not below value. value: above 0 */
double weir_scale_nice(double value, bool up);

/* Makes the scale of values from lo to hi. It begins at `base`. If the values differ by less than a tenth of what they
 * have above `base`, it begins just below them instead. The first tick is where it begins. It is logarithmic if base is
 * above 0 and hi is more than 30
 * times lo. base: above lo = as if it were lo. hi >= lo */
struct weir_scale weir_scale_make(double lo, double hi, double base);

/* Returns the position of a value on the scale, 0 .. 1; a value beyond an end is at that end. */
double weir_scale_at(const struct weir_scale *scale, double value);
#endif
