/* src/base/text/format.c - see format.h. Computes with integers only, so that a printed number is exactly the counted
 * one, rounded. */
#include "text/format.h"
#include "core/round.h"
#include "core/units.h"
#include "param/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scale { /* units in ascending order; unit NULL ends the table */
    uint64_t one;
    const char *unit;
};

struct weir_text weir_format_decimal(uint64_t value, uint32_t digits)
{
    struct weir_text out;
    uint64_t one = weir_power_of_ten(digits);
    if (digits == 0)
        (void)snprintf(out.text, sizeof(out.text), "%" PRIu64, value);
    else
        (void)snprintf(out.text, sizeof(out.text), "%" PRIu64 ".%0*" PRIu64, value / one, (int)digits, value % one);
    return out;
}

struct weir_text weir_format_rounded(uint64_t value, uint32_t digits, uint32_t shown)
{
    return weir_format_decimal(weir_mul_div_round_u64(value, 1, weir_power_of_ten(digits - shown)), shown);
}

struct weir_text weir_format_grouped(uint64_t value)
{
    struct weir_text out;
    char plain[24];
    int length = snprintf(plain, sizeof(plain), "%" PRIu64, value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out.text[at++] = ',';
        out.text[at++] = plain[i];
    }
    out.text[at] = '\0';
    return out;
}

/* Returns the number of decimals with which value / one has `figures` significant digits; 0 if the whole part alone has
 * that many or more. */
static uint32_t decimals_for(uint64_t value, uint64_t one, uint32_t figures)
{
    uint32_t whole = 1;
    for (uint64_t rest = value / one; rest >= 10; rest /= 10)
        whole++;
    return figures > whole ? figures - whole : 0;
}

/* Returns a value as text in the largest unit in which it is at least 1 (or in the smallest unit), with `figures`
 * significant digits. A value that rounds up to the next unit (999.6 KB) is given in that unit: "1.00 MB". row: units
 * in ascending order, ended by a NULL unit */
static struct weir_text format_scaled(uint64_t value, const struct scale *row, uint32_t figures)
{
    struct weir_text out, number;
    uint32_t decimals;
    uint64_t shown;
    while (row[1].unit != NULL && value >= row[1].one)
        row++;
    for (;;) {
        decimals = row->one == 1 ? 0 : decimals_for(value, row->one, figures);
        shown = weir_mul_div_round_u64(value, weir_power_of_ten(decimals), row->one);
        if (row[1].unit == NULL || decimals > 0 || shown < row[1].one / row->one)
            break;
        row++;
    }
    number = value == 0 ? weir_format_decimal(0, 0) : weir_format_decimal(shown, decimals);
    (void)snprintf(out.text, sizeof(out.text), "%.24s%s%s", number.text, row->unit[0] != '\0' ? " " : "", row->unit);
    return out;
}

struct weir_text weir_format_millibytes(uint64_t millibytes)
{
    static const struct scale row[] = {
        { 1000, "B" },
        { UINT64_C(1000000), "KB" },
        { UINT64_C(1000000000), "MB" },
        { UINT64_C(1000000000000), "GB" },
        { UINT64_C(1000000000000000), "TB" },
        { 0, NULL },
    };
    return format_scaled(millibytes, row, 3);
}

struct weir_text weir_format_bytes(uint64_t bytes)
{
    static const struct scale row[] = {
        { 1, "B" },
        { 1000, "KB" },
        { UINT64_C(1000000), "MB" },
        { UINT64_C(1000000000), "GB" },
        { UINT64_C(1000000000000), "TB" },
        { 0, NULL },
    };
    return format_scaled(bytes, row, 3);
}

struct weir_text weir_format_count(uint64_t count)
{
    static const struct scale row[] = {
        { 1, "" }, { 1000, "k" }, { UINT64_C(1000000), "M" }, { UINT64_C(1000000000), "G" }, { 0, NULL },
    };
    return format_scaled(count, row, 3);
}

struct weir_text weir_format_ps(uint64_t ps)
{
    static const struct scale row[] = {
        { 1, "ps" },
        { WEIR_PS_PER_NS, "ns" },
        { WEIR_PS_PER_US, "us" },
        { WEIR_PS_PER_MS, "ms" },
        { WEIR_PS_PER_S, "s" },
        { 0, NULL },
    };
    return format_scaled(ps, row, 4);
}

struct weir_text weir_format_bps(uint64_t bps)
{
    static const struct scale row[] = {
        { 1, "bps" },
        { 1000, "Kbps" },
        { UINT64_C(1000000), "Mbps" },
        { UINT64_C(1000000000), "Gbps" },
        { UINT64_C(1000000000000), "Tbps" },
        { 0, NULL },
    };
    return format_scaled(bps, row, 4);
}

struct weir_text weir_format_left(uint64_t seconds)
{
    struct weir_text out;
    if (seconds == 0)
        (void)snprintf(out.text, sizeof(out.text), "< 1 s");
    else if (seconds < 60)
        (void)snprintf(out.text, sizeof(out.text), "%" PRIu64 " s", seconds);
    else if (seconds < 3600)
        (void)snprintf(out.text, sizeof(out.text), "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
    else
        (void)snprintf(out.text, sizeof(out.text), "%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
    return out;
}

struct weir_text weir_format_exact(double value)
{
    struct weir_text out;
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out.text, sizeof(out.text), "%.*g", digits, value);
        if (strtod(out.text, NULL) == value)
            break;
    }
    return out;
}
