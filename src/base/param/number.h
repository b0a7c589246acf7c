/* src/base/param/number.h - decimal text with units, exactly: "1.25 us" is 1250000 ps and no float ever sees it. */
#ifndef WEIR_PARAM_NUMBER_H
#define WEIR_PARAM_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_unit_kind {
    WEIR_UNIT_TIME, /* base: picosecond */
    WEIR_UNIT_RATE, /* base: bit per second */
    WEIR_UNIT_SIZE, /* base: byte */
    WEIR_UNIT_BITS, /* known only to be refused by name */
    WEIR_UNIT_BDP,  /* base: thousandth of a bandwidth-delay product */
    WEIR_UNIT_KINDS,
};

struct weir_unit {
    const char *text; /* NULL ends the table */
    enum weir_unit_kind kind;
    uint64_t scale; /* in the kind's base */
    bool printed;   /* else only read: 9216 B shall not come back as 9 KiB */
};

enum weir_number_status {
    WEIR_NUMBER_OK,
    WEIR_NUMBER_BAD,  /* no number */
    WEIR_NUMBER_BIG,  /* 2^64 or more */
    WEIR_NUMBER_FINE, /* more digits than the base can hold */
    WEIR_NUMBER_NEGATIVE,
};

struct weir_number {          /* whole.fraction unit, as written */
    uint64_t whole, fraction; /* fraction / 10^digits, trailing zeros gone */
    uint32_t digits;
    const char *unit; /* rest of the text, "" = none; lent */
};

/* Returns 10^exponent, exponent 0 .. 19. */
uint64_t weir_power_of_ten(uint32_t exponent);

/* Takes a text such as "6.25%", "12 us" or "7" apart. A plus sign, an exponent or a missing digit is BAD, a minus sign
 * before a number NEGATIVE. */
enum weir_number_status weir_number_read(struct weir_number *n, const char *text);

/* Computes number * scale into *value, exactly. @return OK, FINE or BIG; *value is set where it is OK */
enum weir_number_status weir_number_scale(const struct weir_number *n, uint64_t scale, uint64_t *value);

const struct weir_unit *weir_unit_find(const char *text);     /* NULL = unknown; upper and lower case differ */
const char *weir_unit_kind_text(enum weir_unit_kind kind);    /* "a time" */
const char *weir_unit_kind_example(enum weir_unit_kind kind); /* "a time, for example 1.25 us (ps, ns, us, ms, s)" */
const char *weir_unit_kind_base(enum weir_unit_kind kind);    /* "picosecond" */

/* Prints value / scale as a decimal, exactly; scale is a power of ten. suffix follows at once. */
void weir_number_print(char *out, size_t size, uint64_t value, uint64_t scale, const char *suffix);

/* Prints a value in the largest unit that keeps a digit before the point, "1.25 us"; a size in the largest that stays
 * whole, "1460 B". */
void weir_number_print_unit(char *out, size_t size, uint64_t value, enum weir_unit_kind kind);
#endif
