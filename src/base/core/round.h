/* src/base/core/round.h - a * b / den rounded to nearest; the product may need 128 bits. */
#ifndef WEIR_CORE_ROUND_H
#define WEIR_CORE_ROUND_H
#include "core/math.h"

/* Returns a * b / den rounded to nearest, halves up. den: 1 .. 2^63; the result must fit 64 bits. */
static inline uint64_t weir_mul_div_round_u64(uint64_t a, uint64_t b, uint64_t den)
{
    uint64_t quotient = weir_mul_div_u64(a, b, den);
    uint64_t rest = a * b - quotient * den; /* below den, so arithmetic modulo 2^64 gives it exactly */
    return quotient + (rest >= den - rest);
}
#endif
