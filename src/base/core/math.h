/* src/base/core/math.h - integer arithmetic: clamping, saturation, division, 64 x 64 / 64 bits, exp2 and log2.
 * Every *_core.h may use all of it, in BPF too. So the code is in headers, without __int128, floats, signed division
 * and count-leading-zeros instructions: BPF has none of these. */
#ifndef WEIR_CORE_MATH_H
#define WEIR_CORE_MATH_H
#include "core/assert.h"
#include "core/math_tables.h"
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

/* Returns first ? a : b without a branch: for conditions that the branch predictor gets wrong half of the time. */
static inline uint64_t weir_pick_u64(bool first, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/* Returns first ? a : b of two addresses, without a branch. */
static inline void *weir_pick(bool first, const void *a, const void *b)
{
    return (void *)(uintptr_t)weir_pick_u64(first, (uintptr_t)a, (uintptr_t)b);
}

/* Limits value to lo .. hi, with lo <= hi. */
static inline uint32_t weir_clamp_u32(uint64_t value, uint32_t lo, uint32_t hi)
{
    return (uint32_t)weir_min_u64(weir_max_u64(value, lo), hi);
}

static inline uint32_t weir_add_sat_u32(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;
    return sum < a ? UINT32_MAX : sum;
}

/* Returns the absolute value, 2^63 for INT64_MIN. */
static inline uint64_t weir_abs_i64(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Returns value / by, rounded towards 0. by: not 0. INT64_MIN / -1, which C leaves undefined, gives INT64_MIN. */
static inline int64_t weir_div_i64(int64_t value, int64_t by)
{
    uint64_t quotient = weir_abs_i64(value) / weir_abs_i64(by);
    return (int64_t)((value < 0) != (by < 0) ? 0 - quotient : quotient);
}

/* Returns the high 64 bits of the 128-bit product a * b. Works with 32-bit halves, because BPF has no 128-bit
 * multiply. */
static inline uint64_t weir_mul_hi_u64(uint64_t a, uint64_t b)
{
    uint64_t a_lo = (uint32_t)a, a_hi = a >> 32, b_lo = (uint32_t)b, b_hi = b >> 32;
    uint64_t mid = a_hi * b_lo + (a_lo * b_lo >> 32);
    uint64_t mid2 = a_lo * b_hi + (uint32_t)mid;
    return a_hi * b_hi + (mid >> 32) + (mid2 >> 32);
}

static inline uint32_t weir_leading_zeros_u64(uint64_t x) /* x > 0 */
{
    uint32_t zeros = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        uint32_t skip = x >> (64 - step) == 0 ? step : 0;
        zeros += skip;
        x <<= skip;
    }
    return zeros;
}

/* Marks a long function that is rarely called, so that it is not inlined. In BPF the function is global: the verifier
 * then checks it once, not once for every path of its callers, which with FNCC would be too many. In BPF the function
 * is also weak, because several BPF programs may include it. */
#if defined(__bpf__)
#define WEIR_NOINLINE __attribute__((noinline, weak))
#else
#define WEIR_NOINLINE static __attribute__((noinline, unused))
#endif

/* Marks a function of numbers, and of pointers to structs of numbers, that laws call often. In BPF it is global, as
 * above, and elsewhere inline. To the verifier every pointer of a global function may be NULL. So the function begins
 * with a test of WEIR_GIVEN(a != NULL && b != NULL ..), which is always true elsewhere. */
#if defined(__bpf__)
#define WEIR_APART __attribute__((noinline, weak))
#define WEIR_GIVEN(pointers) (pointers)
#else
#define WEIR_APART static inline
#define WEIR_GIVEN(pointers) true
#endif

/* One round of weir_loop(): returns 0 if another shall follow. */
typedef long weir_round(uint32_t i, void *context);

/* Calls step(i, context) for i = 0 .. most - 1, until it returns something other than 0. In BPF this is a helper of the
 * kernel: the verifier checks `step` once, where it would follow every round of a loop. most: below 2^23 */
static inline void weir_loop(uint32_t most, weir_round *step, void *context)
{
#if defined(__bpf__)
    static long (*const loop)(uint32_t most, weir_round * step, void *context, uint64_t flags) = (void *)181;
    (void)loop(most, step, context, 0);
#else
    WEIR_ASSERT(most < 1u << 23);
    for (uint32_t i = 0; i < most && step(i, context) == 0;)
        i++;
#endif
}

/* Computes one 32-bit digit of a long division: returns (*rem * 2^32 + next) / den, and sets *rem to the remainder. den
 * must have its top bit set; *rem < den; next < 2^32. Source: Knuth, TAOCP 2, 4.3.1, algorithm D. */
static inline uint64_t weir_divide_digit(uint64_t *rem, uint64_t next, uint64_t den)
{
    uint64_t den_hi = den >> 32, den_lo = (uint32_t)den;
    uint64_t q = *rem / den_hi, r = *rem % den_hi;
    for (int i = 0; i < 2; i++) { /* the guess is at most 2 too large */
        if (r >> 32 != 0 || (q >> 32 == 0 && q * den_lo <= (r << 32 | next)))
            break;
        q--;
        r += den_hi;
    }
    *rem = (*rem << 32 | next) - q * den; /* modulo 2^64: the difference is below den */
    return q;
}

/* Returns (hi * 2^64 + lo) / den, rounded down. hi must be below den, so that the quotient fits 64 bits. */
WEIR_NOINLINE uint64_t weir_divide_long(uint64_t hi, uint64_t lo, uint64_t den)
{
    WEIR_ASSERT(den > hi);
    uint32_t shift = weir_leading_zeros_u64(den);
    uint64_t rem = hi << shift | lo >> 1 >> (63 - shift); /* hi < den, so nothing is lost */
    lo <<= shift;
    den <<= shift;
    uint64_t q = weir_divide_digit(&rem, lo >> 32, den) << 32;
    return q | weir_divide_digit(&rem, (uint32_t)lo, den);
}

/**
 * Returns a * b / den, rounded down; the product may need 128 bits.
 * @param den  not 0
 * @return the quotient; UINT64_MAX if it does not fit 64 bits
 */
WEIR_APART uint64_t weir_mul_div_u64(uint64_t a, uint64_t b, uint64_t den)
{
    uint64_t hi = weir_mul_hi_u64(a, b), lo = a * b;
    WEIR_ASSERT(den != 0);
    if (hi == 0)
        return lo / den;
    return hi >= den ? UINT64_MAX : weir_divide_long(hi, lo, den);
}

#define WEIR_LOG2E_Q32 UINT64_C(6196328019) /* log2(e) * 2^32: converts natural logarithms to base 2 */

/* Returns log2(1 + r) * 2^69 for r < 1/64, by six terms of the series log2(e) (r - r^2/2 + r^3/3 ..). The first omitted
 * term is below 2^-44. */
static inline uint64_t weir_log2_series_q69(uint64_t r_q38)
{
    /* a1 is log2(e) - 1, rounded down: a segment must not rise above the start of the next */
    const uint64_t a1_q32 = 0x71547652, a2_q32 = 0xb8aa3b29, a3_q32 = 0x7b1c2771, a4_q32 = 0x5c551d95,
                   a5_q32 = 0x49ddb144, a6_q32 = 0x3d8e13b8;
    uint64_t r_q32 = r_q38 >> 6; /* 26 bits, a_k 32 bits: the products fit */
    uint64_t tail_q32 = a5_q32 - (r_q32 * a6_q32 >> 32);
    tail_q32 = a4_q32 - (r_q32 * tail_q32 >> 32);
    tail_q32 = a3_q32 - (r_q32 * tail_q32 >> 32);
    tail_q32 = a2_q32 - (r_q32 * tail_q32 >> 32);
    uint64_t square_q44 = r_q38 * r_q38 >> 32; /* r below 2^32, the square below 2^64 */
    return (r_q38 << 31) + (r_q38 * a1_q32 >> 1) - (square_q44 * tail_q32 >> 7);
}

/**
 * Computes the base-2 logarithm in fixed point.
 * @param x  1 .. 2^64 - 1
 * @return log2(x) * 2^32, absolute error of log2(x) below 2^-29 (WEIR_LOG2_ERROR in the test); exact for powers of two;
 * never decreases as x grows
 */
WEIR_APART uint64_t weir_log2_q32(uint64_t x)
{
    WEIR_ASSERT(x != 0);
    uint32_t zeros = weir_leading_zeros_u64(x);
    /* The mantissa is cut to 38 bits below the point. One step of it changes the logarithm by more than the error of
     * the series, so the result never decreases. The cut costs an error of 2^-37; 2^-29 is allowed. */
    uint64_t frac_q38 = x << zeros << 1 >> 26; /* x = 2^(63 - zeros) * (1 + frac) */
    uint64_t i = frac_q38 >> 32, rest_q38 = (uint32_t)frac_q38;
    uint64_t r_q38 = rest_q38 * 64 / (64 + i); /* 1 + frac = (1 + i/64) (1 + r) */
    uint64_t sum_q62 = weir_log2_table_q62[i] + (weir_log2_series_q69(r_q38) >> 7);
    return ((uint64_t)(63 - zeros) << 32) + ((sum_q62 + (1u << 29)) >> 30);
}

#define WEIR_LN2_Q64 UINT64_C(0xb17217f7d1cf79ac) /* ln(2) * 2^64, rounded to nearest */

/* Computes -ln(u) * mean with u = bits / 2^64: an exponentially distributed number. The lowest bit counts as 1, so that
 * u is above 0. Shifted up, mean <= 2^58 and -log2(u) <= 64 take 64 bits each. So the high half of their product is the
 * result, and the part cut off is less than 1. */
static inline uint64_t weir_exponential(uint64_t mean, uint64_t bits)
{
    uint64_t minus_log2_q32 = (UINT64_C(64) << 32) - weir_log2_q32(bits | 1);
    uint64_t mean_ln2_q6 = weir_mul_hi_u64(mean << 6, WEIR_LN2_Q64);
    return weir_mul_hi_u64(mean_ln2_q6, weir_min_u64(minus_log2_q32, (UINT64_C(1) << 38) - 1) << 26);
}

/**
 * Computes a power of two from an exponent in fixed point, rounded to the nearest whole number.
 * @param x_q32  exponent * 2^32, 0 .. 62 * 2^32
 * @return 2^(x_q32 / 2^32), relative error below 2^-29 plus at most 0.5 of rounding; exact for whole exponents
 */
WEIR_APART uint64_t weir_exp2_q32(uint64_t x_q32)
{
    /* b_k = ln(2)^k / k! */
    const uint64_t b1_q32 = 0xb17217f8, b2_q32 = 0x3d7f7bff, b3_q32 = 0x0e35846c, b4_q32 = 0x0276556e;
    uint64_t whole = x_q32 >> 32, i = (uint32_t)x_q32 >> 26, g_q32 = x_q32 & ((1u << 26) - 1);
    WEIR_ASSERT(x_q32 <= UINT64_C(62) << 32);
    uint64_t tail_q32 = b3_q32 + (g_q32 * b4_q32 >> 32); /* 26 x 32 bits */
    tail_q32 = b2_q32 + (g_q32 * tail_q32 >> 32);
    tail_q32 = b1_q32 + (g_q32 * tail_q32 >> 32);
    uint64_t rise_q64 = g_q32 * tail_q32; /* 2^g - 1 for g < 1/64; the fifth term is below 2^-39 */
    uint64_t mantissa_q63 = weir_exp2_table_q63[i] + weir_mul_hi_u64(weir_exp2_table_q63[i], rise_q64);
    return ((mantissa_q63 >> (62 - whole)) + 1) >> 1;
}
#endif
