/* src/base/text/format.h - numbers as text for people, from integers. Each function returns the text by value, so that
 * the call can be an argument of printf: printf("%s", weir_format_bytes(n).text). */
#ifndef WEIR_TEXT_FORMAT_H
#define WEIR_TEXT_FORMAT_H
#include <stdint.h>

struct weir_text {
    char text[48];
};

/* Returns value / 10^digits, exactly, with `digits` decimals: (1234567, 6) gives "1.234567". digits: 0 .. 19 */
struct weir_text weir_format_decimal(uint64_t value, uint32_t digits);

/* Returns value / 10^digits, rounded to `shown` decimals, halves up. shown: 0 .. digits; digits: 0 .. 19 */
struct weir_text weir_format_rounded(uint64_t value, uint32_t digits, uint32_t shown);

/* Returns a number with a comma between groups of three digits: "12,345,678". */
struct weir_text weir_format_grouped(uint64_t value);

/* Each of these functions returns a number in the largest unit in which it is at least 1. Sizes and counts are rounded
 * to three significant digits, times and rates to four. Digits before the point are never rounded away. */
struct weir_text weir_format_millibytes(uint64_t millibytes); /* "12.3 KB"; KB = 1000 bytes */
struct weir_text weir_format_bytes(uint64_t bytes);
struct weir_text weir_format_count(uint64_t count); /* "50.7 M" */
struct weir_text weir_format_ps(uint64_t ps);       /* "12.60 ms" */
struct weir_text weir_format_bps(uint64_t bps);     /* "49.87 Gbps" */

/* Returns a number with as few digits as give it back exactly: "0.1", "1e+22". */
struct weir_text weir_format_exact(double value);

/* Returns a remaining time: "< 1 s", "42 s", "3 min 20 s" or "2 h 10 min". */
struct weir_text weir_format_left(uint64_t seconds);
#endif
