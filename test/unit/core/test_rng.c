/* test/unit/core/test_rng.c - the streams are SplitMix64's, differ wherever their names differ, and are uniform. */
#include "test/unit/weir_test.h"
#include "core/rng.h"

static void draws_are_those_of_splitmix64(void **state)
{
    /* seed 1234567 of the authors' generator: state += golden gamma, then the finaliser */
    static const uint64_t want[] = { UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821) };
    struct weir_rng rng = { .key = 1234567 };
    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(weir_rng_at(1234567, i), want[i]);
        assert_int_equal(weir_rng_next(&rng), want[i]);
    }
    assert_int_equal(rng.count, 5);
}

static void a_draw_does_not_depend_on_the_draws_before(void **state)
{
    uint64_t key = weir_rng_key(1, 2, WEIR_RNG_TEST, 3), late = weir_rng_at(key, 1000000);
    struct weir_rng rng = { .key = key, .count = 1000000 };
    (void)state;
    assert_int_equal(weir_rng_next(&rng), late);
    assert_int_equal(weir_rng_at(key, 1000000), late);
}

static void each_part_of_a_key_selects_another_stream(void **state)
{
    uint64_t key = weir_rng_key(1, 1, WEIR_RNG_ARRIVAL, 1);
    (void)state;
    assert_int_not_equal(key, weir_rng_key(2, 1, WEIR_RNG_ARRIVAL, 1));
    assert_int_not_equal(key, weir_rng_key(1, 2, WEIR_RNG_ARRIVAL, 1));
    assert_int_not_equal(key, weir_rng_key(1, 1, WEIR_RNG_SIZE, 1));
    assert_int_not_equal(key, weir_rng_key(1, 1, WEIR_RNG_ARRIVAL, 2));
    assert_int_not_equal(weir_rng_key(1, 2, WEIR_RNG_TEST, 0), weir_rng_key(2, 1, WEIR_RNG_TEST, 0));
    assert_int_not_equal(weir_rng_key(0, 0, WEIR_RNG_TEST, 0), 0);
}

static void neighbouring_streams_are_uncorrelated(void **state)
{
    (void)state;
    for (uint64_t id = 0; id < 100; id++) {
        uint64_t a = weir_rng_key(1, id, WEIR_RNG_TEST, 0), b = weir_rng_key(1, id + 1, WEIR_RNG_TEST, 0);
        uint32_t same = 0;
        for (uint64_t i = 0; i < 1000; i++)
            for (uint64_t bits = ~(weir_rng_at(a, i) ^ weir_rng_at(b, i)); bits != 0; bits &= bits - 1)
                same++;
        assert_in_range(same, 32000 - 700, 32000 + 700); /* 64000 coins: deviation 126; five and a half of them */
    }
}

static void below_is_uniform_and_within_its_bound(void **state)
{
    enum { N = 144, DRAWS = 1440000 };
    uint32_t hits[N] = { 0 };
    uint64_t key = weir_rng_key(7, 0, WEIR_RNG_TEST, 0);
    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++)
        hits[weir_rng_below(weir_rng_at(key, i), N)]++; /* the sanitizer sees an index out of range */
    for (uint32_t i = 0; i < N; i++)
        assert_in_range(hits[i], 9500, 10500); /* 10000 expected, deviation 100 */
    assert_int_equal(weir_rng_below(UINT64_MAX, 1), 0);
    assert_int_equal(weir_rng_below(UINT64_MAX, 144), 143);
    assert_int_equal(weir_rng_below(UINT64_MAX, UINT64_C(1) << 32), UINT32_MAX);
    assert_int_equal(weir_rng_below(0, 144), 0);
}

static void the_cheap_mixer_changes_half_the_bits(void **state)
{
    uint64_t changed = 0;
    (void)state;
    for (uint32_t x = 0; x < 1000; x++)
        for (uint32_t bit = 0; bit < 32; bit++)
            for (uint32_t d = weir_mix_u32(x) ^ weir_mix_u32(x ^ 1u << bit); d != 0; d &= d - 1)
                changed++;
    assert_in_range(changed, 32000 * 15, 32000 * 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_those_of_splitmix64),
        cmocka_unit_test(a_draw_does_not_depend_on_the_draws_before),
        cmocka_unit_test(each_part_of_a_key_selects_another_stream),
        cmocka_unit_test(neighbouring_streams_are_uncorrelated),
        cmocka_unit_test(below_is_uniform_and_within_its_bound),
        cmocka_unit_test(the_cheap_mixer_changes_half_the_bits),
    };
    return cmocka_run_group_tests_name("core/rng", tests, NULL, NULL);
}
