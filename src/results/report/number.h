/* src/results/report/number.h - formats numbers for people, with few significant digits and a suitable unit. */
#ifndef WEIR_REPORT_NUMBER_H
#define WEIR_REPORT_NUMBER_H
#include <stddef.h>

enum weir_unit { /* the unit of a number of the result file */
                 WEIR_UNIT_RATIO,
                 WEIR_UNIT_SHARE, /* 0 .. 1 */
                 WEIR_UNIT_COUNT,
                 WEIR_UNIT_BYTES,
                 WEIR_UNIT_PS,
                 WEIR_UNIT_S, /* seconds */
                 WEIR_UNIT_GBPS,
                 WEIR_UNIT_GBYTES_PER_S, /* 10^9 bytes per second */
                 WEIR_UNIT_PER_S,
};

struct weir_number {
    char text[64];
};

/* Formats a number with `figures` significant digits, but at most six decimals: "0.0123", "12.3". All digits before the
 * point are kept, and a whole number has no decimals: "12,346" for three digits. From 10^16 on, and below 10^-4, the
 * text has an exponent. Not finite: a dash. figures: 1 .. 15 */
struct weir_number weir_number_plain(double value, int figures);

/* Formats a number with its unit: "12.3 KB", "1.25 ms", "49.87 Gbps", "1,234". Not finite: a dash. */
struct weir_number weir_number_text(double value, enum weir_unit unit);

/* Formats a mean and the half-width of its interval in one unit, with a plus-minus sign: "12.30 +- 0.42 KB". The
 * half-width has two significant digits, and the mean ends at the same digit: "760 +- 330". If one of the two is not
 * finite, or the half-width is 0 or below 10^-6, formats the mean alone, as weir_number_text(). */
struct weir_number weir_number_spread(double mean, double half_width, enum weir_unit unit);

/* Formats the label of a tick of a logarithmic axis with at most six significant digits: "10 KB", "0.001", "5". A SHARE
 * is shown in percent. An M stands for 10^6 in units other than BYTES and PS. */
struct weir_number weir_number_tick(double value, enum weir_unit unit);

/* Returns the divisor for the values of a linear axis up to max, and sets *suffix to the unit of the divided values, a
 * constant text; "" = none. unit: the unit of max */
double weir_report_scale(double max, enum weir_unit unit, const char **suffix);
#endif
