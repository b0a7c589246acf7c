/* src/results/report/number.c - see number.h. A KB is 1000 bytes, as everywhere in Weir. */
#include "report/number.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS_MAX 6
#define INTERVAL_FIGURES 2 /* significant digits of a half-width */
#define DASH "\xe2\x80\x93"
#define PLUS_MINUS "\xc2\xb1"
#define MICRO "\xc2\xb5"

struct scale {
    double one;
    const char *suffix;
};

static const struct scale bytes_scale[] = { { 1, "B" }, { 1e3, "KB" }, { 1e6, "MB" }, { 1e9, "GB" }, { 1e12, "TB" } };
static const struct scale ps_scale[] = { { 1, "ps" }, { 1e3, "ns" }, { 1e6, MICRO "s" }, { 1e9, "ms" }, { 1e12, "s" } };
#define SCALE_COUNT 5

/* Returns the decimal exponent of value after rounding to `figures` significant digits. 9.996 rounded to three digits
 * is 10.0, so its exponent is 1. */
static int exponent_of(double value, int figures)
{
    char text[40];
    (void)snprintf(text, sizeof(text), "%.*e", figures - 1, value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/* Copies a number, with commas between thousands if it has five or more digits before the point. */
static void group(char *out, size_t size, const char *plain)
{
    size_t sign = plain[0] == '-', whole = strcspn(plain + sign, ".") + sign, at = 0;
    bool grouped = whole - sign > 4; /* four digits are easy to read without a comma */
    for (size_t i = 0; plain[i] != '\0' && at + 2 < size; i++) {
        if (grouped && i > sign && i < whole && (whole - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = '\0';
}

struct weir_number weir_number_plain(double value, int figures)
{
    struct weir_number out;
    char plain[48];
    int exponent, decimals;
    if (!isfinite(value))
        return (struct weir_number){ DASH };
    if (value == 0)
        return (struct weir_number){ "0" };
    exponent = exponent_of(value, figures);
    decimals = figures - 1 - exponent;
    if (exponent > 15 || exponent < -4) {
        (void)snprintf(out.text, sizeof(out.text), "%.*e", figures - 1, value);
        return out;
    }
    decimals = decimals < 0 || value == floor(value) ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
    (void)snprintf(plain, sizeof(plain), "%.*f", decimals, value);
    group(out.text, sizeof(out.text), plain);
    return out;
}

static const struct scale *scale_of(double value, enum weir_unit unit)
{
    const struct scale *row = unit == WEIR_UNIT_BYTES ? bytes_scale : ps_scale;
    int at = 0;
    while (at + 1 < SCALE_COUNT && fabs(value) >= row[at + 1].one * 0.9995)
        at++;
    return &row[at];
}

static struct weir_number with_suffix(double value, int figures, const char *suffix)
{
    struct weir_number number = weir_number_plain(value, figures), out;
    (void)snprintf(out.text, sizeof(out.text), "%.48s %.8s", number.text, suffix);
    return out;
}

/* Removes zeros at the end of decimals: "12.50" becomes "12.5". Used for times: most of them are round numbers that a
 * person chose. */
static void strip_zeros(char *text)
{
    size_t end = strchr(text, '.') != NULL ? strlen(text) : 0;
    while (end > 0 && text[end - 1] == '0')
        text[--end] = '\0';
    if (end > 0 && text[end - 1] == '.')
        text[end - 1] = '\0';
}

static struct weir_number time_text(double value, const struct scale *row)
{
    struct weir_number number = weir_number_plain(value / row->one, 4), out;
    strip_zeros(number.text);
    (void)snprintf(out.text, sizeof(out.text), "%.48s %.8s", number.text, row->suffix);
    return out;
}

/* Returns the text of a count. Below 10^7, whole numbers are exact and others have four significant digits. Larger
 * numbers have M or G and four significant digits. */
static struct weir_number count_text(double value)
{
    if (value >= 1e9)
        return with_suffix(value / 1e9, 4, "G");
    if (value >= 1e7)
        return with_suffix(value / 1e6, 4, "M");
    return weir_number_plain(value, value == floor(value) ? 15 : 4);
}

struct weir_number weir_number_text(double value, enum weir_unit unit)
{
    const struct scale *row;
    if (!isfinite(value))
        return (struct weir_number){ DASH };
    switch (unit) {
    case WEIR_UNIT_BYTES:
    case WEIR_UNIT_PS:
        row = scale_of(value, unit);
        if (value == 0)
            return (struct weir_number){ "0" };
        return unit == WEIR_UNIT_PS ? time_text(value, row) : with_suffix(value / row->one, 3, row->suffix);
    case WEIR_UNIT_S:
        return weir_number_text(value * 1e12, WEIR_UNIT_PS);
    case WEIR_UNIT_GBPS:
        return with_suffix(value, 4, "Gbps");
    case WEIR_UNIT_GBYTES_PER_S:
        return with_suffix(value, 4, "GB/s");
    case WEIR_UNIT_PER_S:
        return with_suffix(value, 3, "/s");
    case WEIR_UNIT_COUNT:
        return count_text(value);
    case WEIR_UNIT_SHARE:
    case WEIR_UNIT_RATIO:
        break;
    }
    return weir_number_plain(value, 4);
}

/* Formats a number rounded to a multiple of 10^last: "760" for 763.2 and 1. */
static struct weir_number to_digit(double value, int last)
{
    struct weir_number out;
    char plain[48];
    double one = pow(10, last);
    int decimals = last >= 0 ? 0 : -last;
    (void)snprintf(plain, sizeof(plain), "%.*f", decimals, last > 0 ? round(value / one) * one : value);
    group(out.text, sizeof(out.text), plain);
    return out;
}

struct weir_number weir_number_spread(double mean, double half_width, enum weir_unit unit)
{
    const struct scale *row = unit == WEIR_UNIT_BYTES || unit == WEIR_UNIT_PS ? scale_of(mean, unit) : NULL;
    const char *suffix = row != NULL                      ? row->suffix
                         : unit == WEIR_UNIT_GBPS         ? "Gbps"
                         : unit == WEIR_UNIT_GBYTES_PER_S ? "GB/s"
                         : unit == WEIR_UNIT_PER_S        ? "/s"
                                                          : "";
    double one = row != NULL ? row->one : 1;
    struct weir_number out;
    int last;
    if (!isfinite(mean) || !isfinite(half_width) || !(half_width > 0))
        return weir_number_text(mean, unit);
    last = exponent_of(half_width / one, INTERVAL_FIGURES) - (INTERVAL_FIGURES - 1);
    if (last < -DECIMALS_MAX)
        return weir_number_text(mean, unit);
    (void)snprintf(out.text, sizeof(out.text), "%.24s " PLUS_MINUS " %.24s%s%.6s", to_digit(mean / one, last).text,
                   to_digit(half_width / one, last).text, suffix[0] != '\0' ? " " : "", suffix);
    return out;
}

struct weir_number weir_number_tick(double value, enum weir_unit unit)
{
    struct weir_number out;
    if (unit == WEIR_UNIT_BYTES || unit == WEIR_UNIT_PS) {
        const struct scale *row = scale_of(value, unit);
        (void)snprintf(out.text, sizeof(out.text), "%.6g %s", value / row->one, row->suffix);
    } else if (unit == WEIR_UNIT_SHARE) {
        (void)snprintf(out.text, sizeof(out.text), "%.6g %%", value * 100);
    } else if (value >= 1e6) {
        (void)snprintf(out.text, sizeof(out.text), "%.6gM", value / 1e6);
    } else {
        (void)snprintf(out.text, sizeof(out.text), "%.6g", value);
    }
    return out;
}

double weir_report_scale(double max, enum weir_unit unit, const char **suffix)
{
    const struct scale *row;
    *suffix = unit == WEIR_UNIT_GBPS ? "Gbps" : unit == WEIR_UNIT_PER_S ? "per second" : "";
    if (unit == WEIR_UNIT_PER_S && max >= 1e4) {
        *suffix = max >= 1e7 ? "million per second" : "thousand per second";
        return max >= 1e7 ? 1e6 : 1e3;
    }
    if (unit != WEIR_UNIT_BYTES && unit != WEIR_UNIT_PS)
        return 1;
    row = scale_of(max, unit);
    *suffix = row->suffix;
    return row->one;
}
