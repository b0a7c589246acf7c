/* src/results/report/number.h - numbers as people read them: sensible digits, a unit that suits. */
#ifndef WEIR_REPORT_NUMBER_H
#define WEIR_REPORT_NUMBER_H
#include <stddef.h>

enum weir_unit { /* what a number of the result file counts */
                 WEIR_UNIT_RATIO,
                 WEIR_UNIT_SHARE, /* 0 .. 1 */
                 WEIR_UNIT_COUNT,
                 WEIR_UNIT_BYTES,
                 WEIR_UNIT_PS,
                 WEIR_UNIT_S, /* seconds */
                 WEIR_UNIT_GBPS,
                 WEIR_UNIT_PER_S,
};

struct weir_number {
    char text[64];
};

/* Returns so many significant digits, no more than six decimals; thousands in groups: "0.0123", "12.3", "12,346".
 * figures: 1 .. 15 */
struct weir_number weir_number_plain(double value, int figures);

/* Returns a number with its unit: "12.3 KB", "1.25 ms", "49.87 Gbps", "1,234". Not a number: a dash. */
struct weir_number weir_number_text(double value, enum weir_unit unit);

/* Returns a mean and the half-width of its interval, in one unit: "12.30 +- 0.42 KB", with a sign of its own for +-.
 * The mean alone where half_width is not a number. */
struct weir_number weir_number_spread(double mean, double half_width, enum weir_unit unit);

/* Returns a tick of a logarithmic axis, in as few characters as are exact: "10 KB", "0.001", "5". */
struct weir_number weir_number_tick(double value, enum weir_unit unit);

/* Returns the divisor of values up to max on a linear axis, and in *suffix the unit they then have; "" = none. */
double weir_report_scale(double max, enum weir_unit unit, const char **suffix);
#endif
