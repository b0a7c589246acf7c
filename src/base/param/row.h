/* src/base/param/row.h - the common part of reading and printing values: the unit of a row, and its numbers as text. */
#ifndef WEIR_PARAM_ROW_H
#define WEIR_PARAM_ROW_H
#include "core/param.h"
#include "param/number.h"

enum { PARAM_PRINTED = 64 }; /* room for one number as text */
enum { PARAM_BILLION = 1000000000 };

/* Returns the kind of unit that values of a row have in a scenario; WEIR_UNIT_KINDS = no unit. */
static inline enum weir_unit_kind param_unit(const struct weir_param *row)
{
    switch (row->kind) {
    case WEIR_KIND_TIME:
    case WEIR_KIND_RTT:
        return WEIR_UNIT_TIME;
    case WEIR_KIND_RATE:
        return WEIR_UNIT_RATE;
    case WEIR_KIND_SIZE:
    case WEIR_KIND_SIZE32:
    case WEIR_KIND_BDP:
    case WEIR_KIND_SIZES:
        return WEIR_UNIT_SIZE;
    default:
        return WEIR_UNIT_KINDS;
    }
}

/* Returns the kind of unit in whose thousandths values of a row may be given, too; WEIR_UNIT_KINDS = in none. */
static inline enum weir_unit_kind param_relative_unit(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_BDP ? WEIR_UNIT_BDP : row->kind == WEIR_KIND_RTT ? WEIR_UNIT_RTT : WEIR_UNIT_KINDS;
}

static inline bool param_is_relative(const struct weir_param *row)
{
    return param_relative_unit(row) != WEIR_UNIT_KINDS;
}

/* Returns the number that stands for the fraction 1 (100 %) in a field: a billion for PPB, else a million. */
static inline uint64_t param_fraction_scale(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_PPB ? PARAM_BILLION : 1000000;
}

static inline bool param_is_fraction(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_PPM || row->kind == WEIR_KIND_PPB;
}

/* Prints a number with the unit of its row. percent: only for a fraction: true = "6.25%", false = "0.0625" */
void param_print_number(const struct weir_param *row, uint64_t value, bool percent, char *out, size_t size);

/* Prints the range of a row of numbers: "1 ns to 1 ms". percent: as in param_print_number() */
void param_print_bounds(const struct weir_param *row, bool percent, char *out, size_t size);
#endif
