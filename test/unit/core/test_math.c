/* test/unit/core/test_math.c - integer arithmetic against long division by hand, and log2 and exp2 against libm. */
#include "test/unit/weir_test.h"
#include "core/math.h"
#include <math.h>

#define WEIR_LOG2_ERROR 0x1p-29L /* as promised in math.h, for both directions */

static uint64_t random_u64(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

static void signed_division_rounds_towards_zero(void **state)
{
    (void)state;
    assert_int_equal(weir_div_i64(7, 2), 3);
    assert_int_equal(weir_div_i64(-7, 2), -3);
    assert_int_equal(weir_div_i64(7, -2), -3);
    assert_int_equal(weir_div_i64(-7, -2), 3);
    assert_int_equal(weir_div_i64(-1, 2), 0);
    assert_int_equal(weir_div_i64(0, -5), 0);
    assert_int_equal(weir_div_i64(INT64_MIN, 1), INT64_MIN);
    assert_int_equal(weir_div_i64(INT64_MIN, INT64_MIN), 1);
    assert_int_equal(weir_div_i64(INT64_MAX, INT64_MIN), 0);
    assert_int_equal(weir_div_i64(INT64_MIN, INT64_MAX), -1);
    assert_int_equal(weir_div_i64(INT64_MIN, -1), INT64_MIN); /* 2^63 does not fit */
    assert_int_equal(weir_abs_i64(INT64_MIN), UINT64_C(1) << 63);
    assert_int_equal(weir_abs_i64(-3), 3);
}

static void signed_division_is_that_of_c(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        int64_t value = (int64_t)random_u64(&x) / (INT64_C(1) << (i % 63));
        int64_t by = (int64_t)random_u64(&x) / (INT64_C(1) << (i / 63 % 63));
        if (by != 0 && (value != INT64_MIN || by != -1))
            assert_int_equal(weir_div_i64(value, by), value / by);
    }
}

static void mul_div_keeps_the_whole_product(void **state)
{
    (void)state;
    assert_int_equal(weir_mul_div_u64(0, UINT64_MAX, 7), 0);
    assert_int_equal(weir_mul_div_u64(6, 7, 5), 8);
    assert_int_equal(weir_mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    assert_int_equal(weir_mul_div_u64(UINT64_MAX, 3, 4), UINT64_C(0xbfffffffffffffff));
    assert_int_equal(weir_mul_div_u64(UINT64_C(1) << 63, 6, 12), UINT64_C(1) << 62);
    assert_int_equal(weir_mul_div_u64(UINT64_C(10000000000000000000), 1000000007, 1000000009),
                     UINT64_C(9999999980000000179));
    assert_int_equal(weir_mul_div_u64(UINT64_C(1) << 40, 8 * UINT64_C(1000000000000), 100000000000),
                     (UINT64_C(1) << 40) * 80);
}

static void mul_div_saturates_where_the_quotient_does_not_fit(void **state)
{
    (void)state;
    assert_int_equal(weir_mul_div_u64(UINT64_MAX, 2, 1), UINT64_MAX);
    assert_int_equal(weir_mul_div_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, 1), UINT64_MAX);
    assert_int_equal(weir_mul_div_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, 2), UINT64_C(1) << 63);
}

/* q * den + r, put together in 128 bits by hand, must divide into q again whatever the operands look like. */
static void mul_div_inverts_multiplication(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        uint64_t a = random_u64(&x) >> (i & 63), b = random_u64(&x) >> (i >> 6 & 63), den = random_u64(&x) >> (i % 61);
        den += den == 0;
        uint64_t hi = weir_mul_hi_u64(a, b), lo = a * b, q = weir_mul_div_u64(a, b, den);
        if (hi >= den) {
            assert_int_equal(q, UINT64_MAX);
            continue;
        }
        uint64_t back_hi = weir_mul_hi_u64(q, den), back_lo = q * den, rest = lo - back_lo;
        assert_int_equal(hi - back_hi - (lo < back_lo), 0); /* what is left is less than 2^64 .. */
        assert_true(rest < den);                            /* .. and less than the divisor */
    }
}

static void mul_div_finds_the_digits_whose_first_guess_is_too_large(void **state)
{
    (void)state;
    /* den = 2^63 + 2^32 - 1: a guess from its upper half alone is 2 too large */
    uint64_t den = (UINT64_C(1) << 63) + UINT32_MAX;
    for (uint64_t a = UINT64_MAX - 1000; a < UINT64_MAX; a++) {
        uint64_t q = weir_mul_div_u64(a, den - 1, den), rest = a * (den - 1) - q * den;
        assert_true(rest < den);
        assert_int_equal(q, a - 2); /* a (den - 1) / den = a - a / den, and 1 < a / den < 2 */
    }
}

static long double log2_error(uint64_t x)
{
    return fabsl(ldexpl((long double)weir_log2_q32(x), -32) - log2l((long double)x));
}

static void log2_is_exact_at_powers_of_two(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(weir_log2_q32(UINT64_C(1) << i), (uint64_t)i << 32);
    assert_int_equal(weir_log2_q32(UINT64_MAX), UINT64_C(64) << 32);
    assert_int_equal(weir_log2_q32(10), UINT64_C(14267572527)); /* 3.32192809488736 * 2^32 */
}

static void log2_stays_within_its_error(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (uint64_t i = 1; i < 300000; i++)
        assert_true(log2_error(i) < WEIR_LOG2_ERROR);
    for (int i = 0; i < 1000000; i++)
        assert_true(log2_error(random_u64(&x) >> (i & 63) | 1) < WEIR_LOG2_ERROR);
}

/* The table's entries, each seen alone: at x = (64 + i) << 57 nothing is left for the series. */
static void log2_table_follows_its_rule(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 64; i++) {
        long double frac = log2l(1 + (long double)i / 64);
        assert_int_equal(weir_log2_q32((64 + i) << 57), (UINT64_C(63) << 32) + (uint64_t)llroundl(ldexpl(frac, 32)));
    }
}

static void log2_never_decreases(void **state)
{
    uint64_t x = 88172645463325252u, last = 0;
    (void)state;
    for (uint64_t i = 1; i < 3000000; i++) {
        uint64_t now = weir_log2_q32(i);
        assert_true(now >= last);
        last = now;
    }
    for (uint32_t e = 7; e < 64; e++) /* around every segment's border, in ever larger steps */
        for (uint64_t i = 64; i < 128; i++)
            for (uint64_t d = 1; d < 1000; d = 2 * d + 1) {
                uint64_t border = i << (e - 6);
                assert_true(weir_log2_q32(border - (d < border ? d : 0)) <= weir_log2_q32(border));
                assert_true(weir_log2_q32(border) <= weir_log2_q32(border + d));
            }
    for (int i = 0; i < 1000000; i++) {
        uint64_t a = random_u64(&x) >> (i & 63) | 1, b = a + (random_u64(&x) >> (i >> 6 & 63));
        assert_true(b < a || weir_log2_q32(a) <= weir_log2_q32(b));
    }
}

static void exp2_is_exact_at_whole_exponents(void **state)
{
    (void)state;
    for (uint64_t i = 0; i <= 62; i++)
        assert_int_equal(weir_exp2_q32(i << 32), UINT64_C(1) << i);
    assert_int_equal(weir_exp2_q32(UINT64_C(14267572527)), 10);
    assert_int_equal(weir_exp2_q32(0x95c01a39), 1); /* 2^0.58496 = 1.49999.. */
    assert_int_equal(weir_exp2_q32(0x95c01a3b), 2); /* a step above 1.5 */
}

static void exp2_table_follows_its_rule(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 64; i++) { /* 62 bits of the entry show at exponent 61 */
        long double want = ldexpl(exp2l((long double)i / 64), 61);
        assert_true(fabsl((long double)weir_exp2_q32((UINT64_C(61) << 32) + (i << 26)) - want) <= 1);
    }
}

static void exp2_stays_within_its_error(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        uint64_t e = random_u64(&x) % (UINT64_C(62) << 32);
        long double want = exp2l(ldexpl((long double)e, -32));
        assert_true(fabsl((long double)weir_exp2_q32(e) - want) <= want * WEIR_LOG2_ERROR + 0.5L);
    }
}

static void exp2_never_decreases_and_undoes_log2(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        uint64_t a = random_u64(&x) % (UINT64_C(62) << 32), size = (random_u64(&x) >> 32) >> (i & 31) | 1;
        assert_true(weir_exp2_q32(a) <= weir_exp2_q32(a + 1));
        uint64_t border = a >> 26 << 26;
        assert_true(border == 0 || weir_exp2_q32(border - 1) <= weir_exp2_q32(border));
        assert_int_equal(weir_exp2_q32(weir_log2_q32(size)), size); /* sizes below 2^32 survive there and back */
    }
}

/* Runs must repeat to the bit: within its error a function may not move either. */
static void log2_and_exp2_keep_their_bits(void **state)
{
    static const uint64_t logs[][2] = {
        /* x, log2(x) * 2^32 */
        { 3, 6807362106 },
        { 7, 12057497579 },
        { 1000, 42802717582 },
        { 65535, 68719382187 },
        { 1000003, 85605453752 },
        { UINT32_MAX, 137438953471 },
        { 8000000000000, 184095772214 },
        { 123456789012345, 201051711956 },
        { UINT64_C(0x8000000000000001), 270582939648 },
        { UINT64_MAX - 1, 274877906944 },
    };
    static const uint64_t powers[][2] = {
        /* exponent * 2^32, power */
        { 0x80000000, 1 },
        { 0x500003039, 32 },
        { 0xaffffffff, 2048 },
        { 0x1f03ffffff, 2170868211 },
        { 0x1f04000000, 2170868212 },
        { 0x289e3779b9, 1687510934051 },
        { 0x347fffffff, 6369051671480387 },
        { 0x3ddeadbeef, 4213832426830748987 },
        { 0x3dffffffff, 4611686017670447927 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
        assert_int_equal(weir_log2_q32(logs[i][0]), logs[i][1]);
    for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
        assert_int_equal(weir_exp2_q32(powers[i][0]), powers[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signed_division_rounds_towards_zero),
        cmocka_unit_test(signed_division_is_that_of_c),
        cmocka_unit_test(mul_div_keeps_the_whole_product),
        cmocka_unit_test(mul_div_saturates_where_the_quotient_does_not_fit),
        cmocka_unit_test(mul_div_inverts_multiplication),
        cmocka_unit_test(mul_div_finds_the_digits_whose_first_guess_is_too_large),
        cmocka_unit_test(log2_is_exact_at_powers_of_two),
        cmocka_unit_test(log2_stays_within_its_error),
        cmocka_unit_test(log2_table_follows_its_rule),
        cmocka_unit_test(log2_never_decreases),
        cmocka_unit_test(exp2_is_exact_at_whole_exponents),
        cmocka_unit_test(exp2_table_follows_its_rule),
        cmocka_unit_test(exp2_stays_within_its_error),
        cmocka_unit_test(exp2_never_decreases_and_undoes_log2),
        cmocka_unit_test(log2_and_exp2_keep_their_bits),
    };
    return cmocka_run_group_tests_name("core/math", tests, NULL, NULL);
}
