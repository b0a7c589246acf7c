/* src/base/param/print.c - prints the value of a key, and for help the default, range and kind of its row. */
#include "param/number.h"
#include "param/param.h"
#include "param/row.h"
#include <stdio.h>
#include <string.h>

static uint64_t fetch(const struct weir_param *row, const void *config)
{
    const void *field = (const char *)config + row->offset;
    uint64_t wide;
    uint32_t narrow;
    if (row->kind == WEIR_KIND_U64 || row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_RATE ||
        row->kind == WEIR_KIND_SIZE || param_is_relative(row)) {
        memcpy(&wide, field, sizeof(wide)); /* weir_size begins with its bytes, weir_time_or_rtt with its ps */
        return wide;
    }
    memcpy(&narrow, field, sizeof(narrow));
    return narrow;
}
_Static_assert(offsetof(struct weir_size, bytes) == 0, "fetch() reads a size by its first field");

void param_print_number(const struct weir_param *row, uint64_t value, bool percent, char *out, size_t size)
{
    if (param_is_fraction(row))
        weir_number_print(out, size, value, percent ? param_fraction_scale(row) / 100 : param_fraction_scale(row),
                          percent ? "%" : "");
    else if (param_unit(row) != WEIR_UNIT_KINDS)
        weir_number_print_unit(out, size, value, param_unit(row));
    else
        weir_number_print(out, size, value, 1, "");
}

/* Returns the keyword of a row that stands for a value; NULL = none does. */
static const struct weir_keyword *keyword_of(const struct weir_param *row, uint64_t value)
{
    const struct weir_keyword *k = weir_param_keyword(row, NULL);
    while (k != NULL && k->value != value)
        k = weir_param_keyword(row, k);
    return k;
}

static void print_value(const struct weir_param *row, uint64_t value, char *out, size_t size)
{
    const struct weir_keyword *keyword = keyword_of(row, value);
    if (keyword != NULL)
        (void)snprintf(out, size, "%s", keyword->text);
    else if (row->kind == WEIR_KIND_CHOICE)
        (void)snprintf(out, size, "%s", row->choices[value]);
    else if (row->kind == WEIR_KIND_FLAG)
        (void)snprintf(out, size, "%s", value != 0 ? "true" : "false");
    else
        param_print_number(row, value, false, out, size);
}

static void print_list(const struct weir_param *row, const void *config, char *out, size_t size)
{
    struct weir_size_list list;
    char one[PARAM_PRINTED];
    size_t used = 0;
    memcpy(&list, (const char *)config + row->offset, sizeof(list));
    if (list.count == 0)
        (void)snprintf(out, size, "%s", row->keyword != NULL ? row->keyword->text : "");
    for (uint32_t i = 0; i < list.count && used < size; i++) {
        param_print_number(row, list.bytes[i], false, one, sizeof(one));
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", one);
    }
}

static void print_share_or_rate(const struct weir_share_or_rate *value, char *out, size_t size)
{
    if (value->bps != 0)
        weir_number_print_unit(out, size, value->bps, WEIR_UNIT_RATE);
    else if (value->ppb != WEIR_NO_SHARE)
        weir_number_print(out, size, value->ppb, PARAM_BILLION, "");
    else
        (void)snprintf(out, size, "%s", "");
}

static const char *relative_text(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_BDP ? " BDP" : " RTT";
}

void weir_param_print(const struct weir_param *row, const void *config, char *out, size_t size)
{
    const char *field = (const char *)config + row->offset;
    struct weir_size bdp;
    if (row->kind == WEIR_KIND_TEXT) {
        (void)snprintf(out, size, "%s", field);
        return;
    }
    if (row->kind == WEIR_KIND_SIZES || row->kind == WEIR_KIND_NUMBERS) {
        print_list(row, config, out, size);
        return;
    }
    if (row->kind == WEIR_KIND_SHARE_OR_RATE) {
        struct weir_share_or_rate value;
        memcpy(&value, field, sizeof(value));
        print_share_or_rate(&value, out, size);
        return;
    }
    if (param_is_relative(row)) {
        memcpy(&bdp, field, sizeof(bdp));
        if (bdp.bdp_milli != 0) {
            weir_number_print(out, size, bdp.bdp_milli, 1000, relative_text(row));
            return;
        }
    }
    print_value(row, fetch(row, config), out, size);
}

/* Tests whether a row that is not TEXT has a default. A fallback outside the range means "not given". */
static bool has_default(const struct weir_param *row)
{
    if (row->kind == WEIR_KIND_CHOICE || row->kind == WEIR_KIND_FLAG || row->milli_default != 0)
        return true;
    if (row->kind == WEIR_KIND_SHARE_OR_RATE)
        return false;
    return keyword_of(row, row->fallback) != NULL || (row->fallback >= row->min && row->fallback <= row->max);
}

void weir_param_print_default(const struct weir_param *row, char *out, size_t size)
{
    bool is_text = row->kind == WEIR_KIND_TEXT || row->kind == WEIR_KIND_NUMBERS;
    if (!is_text && !has_default(row))
        (void)snprintf(out, size, "%s", "");
    else if (is_text)
        (void)snprintf(out, size, "%s", row->text_fallback != NULL ? row->text_fallback : "");
    else if (param_is_relative(row) && row->milli_default != 0)
        weir_number_print(out, size, row->milli_default, 1000, relative_text(row));
    else
        print_value(row, row->fallback, out, size);
}

void param_print_bounds(const struct weir_param *row, bool percent, char *out, size_t size)
{
    char lo[PARAM_PRINTED], hi[PARAM_PRINTED];
    param_print_number(row, row->min, percent, lo, sizeof(lo));
    param_print_number(row, row->max, percent, hi, sizeof(hi));
    (void)snprintf(out, size, "%s to %s", lo, hi);
}

static void print_share_or_rate_range(const struct weir_param *row, char *out, size_t size)
{
    struct weir_param rate = *row;
    char range[2 * PARAM_PRINTED + 8];
    rate.kind = WEIR_KIND_RATE;
    param_print_bounds(&rate, false, range, sizeof(range));
    (void)snprintf(out, size, "0 to 1, or %s", range);
}

void weir_param_print_range(const struct weir_param *row, char *out, size_t size)
{
    if (row->kind == WEIR_KIND_CHOICE || row->kind == WEIR_KIND_FLAG || row->kind == WEIR_KIND_TEXT)
        (void)snprintf(out, size, "%s", "");
    else if (row->kind == WEIR_KIND_SHARE_OR_RATE)
        print_share_or_rate_range(row, out, size);
    else
        param_print_bounds(row, false, out, size);
}

void weir_param_print_kind(const struct weir_param *row, char *out, size_t size)
{
    static const char *const names[] = {
        [WEIR_KIND_U32] = "number",        [WEIR_KIND_U64] = "number",
        [WEIR_KIND_PPM] = "fraction",      [WEIR_KIND_PPB] = "fraction",
        [WEIR_KIND_TIME] = "time",         [WEIR_KIND_RATE] = "rate",
        [WEIR_KIND_SIZE] = "size",         [WEIR_KIND_BDP] = "size or BDP",
        [WEIR_KIND_RTT] = "time or RTT",   [WEIR_KIND_CHOICE] = "",
        [WEIR_KIND_FLAG] = "true | false", [WEIR_KIND_TEXT] = "text",
        [WEIR_KIND_SIZE32] = "size",       [WEIR_KIND_SIZES] = "sizes",
        [WEIR_KIND_NUMBERS] = "numbers",   [WEIR_KIND_SHARE_OR_RATE] = "fraction or rate",
    };
    size_t used = (size_t)snprintf(out, size, "%s", names[row->kind]);
    for (uint32_t i = 0; row->kind == WEIR_KIND_CHOICE && row->choices[i] != NULL && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? " | " : "", row->choices[i]);
}
