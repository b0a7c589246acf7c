/* src/core/math.h - integer arithmetic without surprises: clamping, saturation, 64 x 64 / 64, exp2 and log2.
 * Nothing here uses __int128 or floats, so a *_core.h may use all of it in BPF too. */
#ifndef WEIR_CORE_MATH_H
#define WEIR_CORE_MATH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t weir_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t weir_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* first ? a : b, never as a branch: for what is as good as a coin toss. */
static inline uint64_t weir_pick_u64(bool first, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/* Likewise, of two addresses. */
static inline void *weir_pick(bool first, const void *a, const void *b)
{
    return (void *)(uintptr_t)weir_pick_u64(first, (uintptr_t)a, (uintptr_t)b);
}

/* value limited to lo .. hi; value may exceed 32 bits, the answer does not. */
static inline uint32_t weir_clamp_u32(uint64_t value, uint32_t lo, uint32_t hi)
{
    return (uint32_t)weir_min_u64(weir_max_u64(value, lo), hi);
}

static inline uint32_t weir_add_sat_u32(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;
    return sum < a ? UINT32_MAX : sum;
}

/* High 64 bits of a 64 x 64 product, by halves: BPF has no 128-bit multiply. */
static inline uint64_t weir_mul_hi_u64(uint64_t a, uint64_t b)
{
    uint64_t a_lo = (uint32_t)a, a_hi = a >> 32, b_lo = (uint32_t)b, b_hi = b >> 32;
    uint64_t mid = a_hi * b_lo + (a_lo * b_lo >> 32);
    uint64_t mid2 = a_lo * b_hi + (uint32_t)mid;
    return a_hi * b_hi + (mid >> 32) + (mid2 >> 32);
}

/**
 * a * b / den, rounded down, with the full 128-bit product in between.
 * @param den  not 0
 * @return the quotient; UINT64_MAX if it does not fit
 */
uint64_t weir_mul_div_u64(uint64_t a, uint64_t b, uint64_t den);

#define WEIR_LOG2_FRAC_BITS 32
#define WEIR_LOG2E_Q32 UINT64_C(6196328019) /* log2(e) * 2^32: between natural logarithms and those below */

/**
 * Base-2 logarithm in fixed point.
 * @param x  1 .. 2^64 - 1
 * @return log2(x) * 2^32, absolute error below 2^-29 (WEIR_LOG2_ERROR in the test); exact for powers of two;
 *         never decreases as x grows
 */
uint64_t weir_log2_q32(uint64_t x);

/**
 * Power of two in fixed point, rounded to nearest whole.
 * @param x_q32  exponent * 2^32, 0 .. 62 * 2^32
 * @return 2^(x_q32 / 2^32), relative error below 2^-29 (plus the half of the rounding); exact for whole exponents
 */
uint64_t weir_exp2_q32(uint64_t x_q32);
#endif
