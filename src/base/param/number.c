/* src/base/param/number.c - decimals and units, read and printed with integers only. */
#include "param/number.h"
#include "core/assert.h"
#include "core/math.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 18 }; /* 10^18 < 2^64 */

static const struct weir_unit units[] = {
    { "ps", WEIR_UNIT_TIME, 1, true },
    { "ns", WEIR_UNIT_TIME, 1000, true },
    { "us", WEIR_UNIT_TIME, 1000000, true },
    { "ms", WEIR_UNIT_TIME, 1000000000, true },
    { "s", WEIR_UNIT_TIME, 1000000000000, true },
    { "bps", WEIR_UNIT_RATE, 1, true },
    { "Kbps", WEIR_UNIT_RATE, 1000, true },
    { "Mbps", WEIR_UNIT_RATE, 1000000, true },
    { "Gbps", WEIR_UNIT_RATE, 1000000000, true },
    { "Tbps", WEIR_UNIT_RATE, 1000000000000, true },
    { "B", WEIR_UNIT_SIZE, 1, true },
    { "KB", WEIR_UNIT_SIZE, 1000, true },
    { "MB", WEIR_UNIT_SIZE, 1000000, true },
    { "GB", WEIR_UNIT_SIZE, 1000000000, true },
    { "TB", WEIR_UNIT_SIZE, 1000000000000, true },
    { "KiB", WEIR_UNIT_SIZE, UINT64_C(1) << 10, false },
    { "MiB", WEIR_UNIT_SIZE, UINT64_C(1) << 20, true },
    { "GiB", WEIR_UNIT_SIZE, UINT64_C(1) << 30, true },
    { "b", WEIR_UNIT_BITS, 1, true },
    { "Kb", WEIR_UNIT_BITS, 1000, true },
    { "Mb", WEIR_UNIT_BITS, 1000000, true },
    { "Gb", WEIR_UNIT_BITS, 1000000000, true },
    { "Tb", WEIR_UNIT_BITS, 1000000000000, true },
    { "BDP", WEIR_UNIT_BDP, 1000, true },
    { "RTT", WEIR_UNIT_RTT, 1000, true },
    { NULL, WEIR_UNIT_TIME, 0, false },
};

static const struct {
    const char *text, *example, *base;
} kinds[WEIR_UNIT_KINDS] = {
    [WEIR_UNIT_TIME] = { "a time", "a time, for example 1.25 us (ps, ns, us, ms, s)", "picosecond" },
    [WEIR_UNIT_RATE] = { "a rate", "a rate, for example 100 Gbps (bps, Kbps, Mbps, Gbps, Tbps)", "bit per second" },
    [WEIR_UNIT_SIZE] = { "a size", "a size, for example 500 KB (B, KB, MB, GB, TB = powers of 1000; KiB, MiB, GiB)",
                         "byte" },
    [WEIR_UNIT_BITS] = { "a number of bits", "sizes are in bytes", "bit" },
    [WEIR_UNIT_BDP] = { "a multiple of the bandwidth-delay product",
                        "a size, for example 1.5 BDP or 500 KB (B, KB, MB, GB, TB, KiB, MiB, GiB, BDP)",
                        "thousandth of a BDP" },
    [WEIR_UNIT_RTT] = { "a multiple of the base round trip",
                        "a time, for example 3 RTT or 1.25 us (ps, ns, us, ms, s, RTT = the base round trip)",
                        "thousandth of a round trip" },
};

const char *weir_unit_kind_text(enum weir_unit_kind kind)
{
    return kinds[kind].text;
}

const char *weir_unit_kind_example(enum weir_unit_kind kind)
{
    return kinds[kind].example;
}

const char *weir_unit_kind_base(enum weir_unit_kind kind)
{
    return kinds[kind].base;
}

const struct weir_unit *weir_unit_find(const char *text)
{
    const struct weir_unit *u = units;
    while (u->text != NULL && strcmp(u->text, text) != 0)
        u++;
    return u->text != NULL ? u : NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

uint64_t weir_power_of_ten(uint32_t exponent)
{
    uint64_t p = 1;
    while (exponent-- > 0)
        p *= 10;
    return p;
}

/* Reads the digits before the point into n->whole, and moves *text to the character after them. @return OK; BIG = the
 * number is 2^64 or more, then *text is at the digit that was too much */
static enum weir_number_status read_whole(struct weir_number *n, const char **text)
{
    for (; is_digit(**text); (*text)++) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (n->whole > (UINT64_MAX - digit) / 10)
            return WEIR_NUMBER_BIG;
        n->whole = n->whole * 10 + digit;
    }
    return WEIR_NUMBER_OK;
}

/* Reads the digits after the point, without trailing zeros, into n->fraction, and their number into n->digits. Moves
 * *text to the character after all digits. @return OK; FINE = more than DIGITS_MAX digits */
static enum weir_number_status read_fraction(struct weir_number *n, const char **text)
{
    const char *first = *text, *end;
    while (is_digit(**text))
        (*text)++;
    for (end = *text; end > first && end[-1] == '0'; end--)
        ;
    if (end - first > DIGITS_MAX)
        return WEIR_NUMBER_FINE;
    for (; first < end; first++, n->digits++)
        n->fraction = n->fraction * 10 + (uint64_t)(*first - '0');
    return WEIR_NUMBER_OK;
}

enum weir_number_status weir_number_read(struct weir_number *n, const char *text)
{
    enum weir_number_status status;
    *n = (struct weir_number){ .unit = "" };
    if (*text == '-' && is_digit(text[1]))
        return WEIR_NUMBER_NEGATIVE;
    if (!is_digit(*text))
        return WEIR_NUMBER_BAD;
    status = read_whole(n, &text);
    if (status == WEIR_NUMBER_OK && *text == '.') {
        if (!is_digit(*++text))
            return WEIR_NUMBER_BAD;
        status = read_fraction(n, &text);
    }
    while (*text == ' ')
        text++;
    n->unit = text;
    return status;
}

enum weir_number_status weir_number_scale(const struct weir_number *n, uint64_t scale, uint64_t *value)
{
    uint64_t den = weir_power_of_ten(n->digits); /* digits <= 18: fits */
    uint64_t part = weir_mul_div_u64(n->fraction, scale, den);
    if (n->fraction * scale != part * den) /* the remainder is below den: equal modulo 2^64 means equal */
        return WEIR_NUMBER_FINE;
    if (n->whole != 0 && scale > UINT64_MAX / n->whole)
        return WEIR_NUMBER_BIG;
    if (part > UINT64_MAX - n->whole * scale)
        return WEIR_NUMBER_BIG;
    *value = n->whole * scale + part;
    return WEIR_NUMBER_OK;
}

void weir_number_print(char *out, size_t size, uint64_t value, uint64_t scale, const char *suffix)
{
    uint64_t fraction = value % scale;
    uint32_t digits = 0;
    while (weir_power_of_ten(digits) < scale)
        digits++;
    while (digits > 0 && fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    if (digits == 0)
        (void)snprintf(out, size, "%" PRIu64 "%s", value / scale, suffix);
    else
        (void)snprintf(out, size, "%" PRIu64 ".%0*" PRIu64 "%s", value / scale, (int)digits, fraction, suffix);
}

/* Tests whether a value may be printed in a unit: it must be at least one unit. Times and rates may have decimals,
 * sizes must be whole numbers: "1.25 us" is clearer than 1250 ns, but 1.46 KB is not clearer than 1460 B. */
static bool is_fit(const struct weir_unit *u, uint64_t value)
{
    if (u->kind == WEIR_UNIT_SIZE)
        return value % u->scale == 0 && value >= u->scale && u->printed;
    return u->scale <= value;
}

void weir_number_print_unit(char *out, size_t size, uint64_t value, enum weir_unit_kind kind)
{
    const struct weir_unit *best = NULL;
    char suffix[8];
    for (const struct weir_unit *u = units; u->text != NULL; u++) {
        if (u->kind == kind && (best == NULL || (u->scale > best->scale && is_fit(u, value))))
            best = u;
    }
    WEIR_ASSERT(best != NULL); /* every kind has units */
    (void)snprintf(suffix, sizeof(suffix), " %s", best->text);
    if (kind == WEIR_UNIT_SIZE)
        weir_number_print(out, size, value / best->scale, 1, suffix);
    else
        weir_number_print(out, size, value, best->scale, suffix);
}
