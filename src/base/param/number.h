/* src/base/param/number.h - reads and prints decimal numbers with units, exactly, without floating point: "1.25 us" is
 * 1250000 ps. */
#ifndef WEIR_PARAM_NUMBER_H
#define WEIR_PARAM_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_unit_kind {
    WEIR_UNIT_TIME, /* base: picosecond */
    WEIR_UNIT_RATE, /* base: bit per second */
    WEIR_UNIT_SIZE, /* base: byte */
    WEIR_UNIT_BITS, /* not accepted for any key; known for a clear error message */
    WEIR_UNIT_BDP,  /* base: thousandth of a bandwidth-delay product */
    WEIR_UNIT_RTT,  /* base: thousandth of a base round trip */
    WEIR_UNIT_KINDS,
};

struct weir_unit {
    const char *text; /* NULL ends the table */
    enum weir_unit_kind kind;
    uint64_t scale; /* in base units of the kind */
    bool printed;   /* false = only read, never printed: 9216 B is not printed as 9 KiB */
};

enum weir_number_status {
    WEIR_NUMBER_OK,
    WEIR_NUMBER_BAD,  /* not a number */
    WEIR_NUMBER_BIG,  /* 2^64 or more */
    WEIR_NUMBER_FINE, /* too many decimals: not a whole number of base units */
    WEIR_NUMBER_NEGATIVE,
};

struct weir_number {          /* a number as written: whole.fraction, then a unit */
    uint64_t whole, fraction; /* fraction: the digits after the point as a number, without trailing zeros */
    uint32_t digits;
    const char *unit; /* rest of the text behind the number, "" = none; lent */
};

/* Returns 10^exponent, exponent 0 .. 19. */
uint64_t weir_power_of_ten(uint32_t exponent);

/* Splits a text such as "6.25%", "12 us" or "7" into number and unit; all text after the number and blanks is the unit.
 * BAD: the text does not begin with a digit, or no digit follows the point. NEGATIVE: the text begins with a minus sign
 * and a digit. BIG: the whole part is 2^64 or more. FINE: more than 18 decimals, without trailing zeros. n is complete
 * only with OK. */
enum weir_number_status weir_number_read(struct weir_number *n, const char *text);

/* Computes *value = n * scale, exactly. @return OK; FINE if the product is not whole; BIG if it is 2^64 or more. *value
 * is set only with OK */
enum weir_number_status weir_number_scale(const struct weir_number *n, uint64_t scale, uint64_t *value);

/* Returns the unit with this name, upper and lower case distinguished; NULL = unknown. */
const struct weir_unit *weir_unit_find(const char *text);

/* Returns a kind of unit as text, for messages: "a time". */
const char *weir_unit_kind_text(enum weir_unit_kind kind);

/* Returns a hint about values of a kind: "a time, for example 1.25 us (ps, ns, us, ms, s)". */
const char *weir_unit_kind_example(enum weir_unit_kind kind);

/* Returns the name of the base unit of a kind: "picosecond". */
const char *weir_unit_kind_base(enum weir_unit_kind kind);

/* Prints value / scale exactly, as a decimal number without trailing zeros, followed by suffix. scale: a power of
 * ten */
void weir_number_print(char *out, size_t size, uint64_t value, uint64_t scale, const char *suffix);

/* Prints a value, given in base units, with a unit. For a time or rate: the largest unit in which the number is at
 * least 1, "1.25 us". For a size: the largest unit in which the number is whole, "1460 B". 0 gets the base unit. */
void weir_number_print_unit(char *out, size_t size, uint64_t value, enum weir_unit_kind kind);
#endif
