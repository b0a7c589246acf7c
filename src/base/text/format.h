/* src/base/text/format.h - numbers as people read them, from integers. Each answer is a value, so it can stand in a
 * printf argument list: printf("%s", weir_format_bytes(n).text). */
#ifndef WEIR_TEXT_FORMAT_H
#define WEIR_TEXT_FORMAT_H
#include <stdint.h>

struct weir_text {
    char text[48];
};

/* Prints value / 10^digits, exactly, with `digits` decimals: (1234567, 6) is "1.234567". digits 0 .. 19 */
struct weir_text weir_format_decimal(uint64_t value, uint32_t digits);

/* Prints value / 10^digits rounded to `shown` decimals, halves up; shown <= digits. */
struct weir_text weir_format_rounded(uint64_t value, uint32_t digits, uint32_t shown);

/* Prints a number with commas, "12,345,678". */
struct weir_text weir_format_grouped(uint64_t value);

/* Prints significant digits and the unit that suits: three digits for sizes and counts, four for times and rates. */
struct weir_text weir_format_millibytes(uint64_t millibytes); /* "12.3 KB"; KB = 1000 bytes */
struct weir_text weir_format_bytes(uint64_t bytes);
struct weir_text weir_format_count(uint64_t count); /* "50.7 M" */
struct weir_text weir_format_ps(uint64_t ps);       /* "12.60 ms" */
struct weir_text weir_format_bps(uint64_t bps);     /* "49.87 Gbps" */

/* Prints how long is left: "< 1 s", "42 s", "3 min 20 s", "2 h 10 min". */
struct weir_text weir_format_left(uint64_t seconds);
#endif
