/* test/unit/reproduce/test_search.c - the search by golden section, with functions of one number in place of runs. */
#include "test/unit/weir_test.h"
#include "reproduce/search.h"
#include <math.h>
#include <string.h>

enum { SEEDS = 5 };

static struct weir_search s;
static double number[WEIR_SEARCH_VALUES_MAX][SEEDS];
static uint32_t tried;

static void begin(uint64_t lo, uint64_t hi)
{
    s = (struct weir_search){ .lo = lo, .hi = hi, .also = lo, .seeds = SEEDS, .most = WEIR_SEARCH_VALUES_MAX };
    tried = 0;
}

/* Runs the search on f(value, seed). @return the best value */
static uint64_t search(double (*f)(double at, uint32_t seed))
{
    uint64_t at[WEIR_SEARCH_FIRST_MAX];
    uint32_t count;
    while ((count = weir_search_ask(&s, at)) > 0)
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t seed = 0; seed < SEEDS; seed++)
                number[tried][seed] = f((double)at[i], seed);
            weir_search_add(&s, at[i], number[tried++], true);
        }
    assert_true(weir_search_end(&s) != WEIR_SEARCH_OPEN);
    for (uint32_t i = 1; i < s.count; i++)
        assert_true(s.value[i - 1].at < s.value[i].at); /* in order, and none twice */
    return s.value[weir_search_best(&s)].at;
}

/* Shifts all values of a seed alike, as traffic does. */
static double parabola(double at, uint32_t seed)
{
    return (at - 37000) * (at - 37000) / 1e8 + seed;
}

static double on_logarithm(double at, uint32_t seed)
{
    return pow(log(at) - log(70000), 2) + 0.1 * seed;
}

static double rises(double at, uint32_t seed)
{
    return at + seed;
}

static double flat(double at, uint32_t seed)
{
    (void)at;
    return 5 + seed;
}

/* Scatters by value and seed, with no trend. */
static double scatters(double at, uint32_t seed)
{
    return 100 + sin(at * 12.9898 + seed * 78.233);
}

/* Is flat between 30000 and 60000 but for some noise. */
static double valley(double at, uint32_t seed)
{
    double outside = at < 30000 ? 30000 - at : at > 60000 ? at - 60000 : 0;
    return 100 + outside / 1000 + 0.01 * scatters(at, seed);
}

static double small_numbers(double at, uint32_t seed)
{
    return fabs(at - 4) + seed;
}

static void the_first_values_are_the_ends_and_the_golden_sections(void **state)
{
    uint64_t at[WEIR_SEARCH_FIRST_MAX];
    (void)state;
    begin(0, 100000);
    assert_int_equal(weir_search_ask(&s, at), 4);
    assert_int_equal(at[0], 0);
    assert_int_equal(at[1], 38200);
    assert_int_equal(at[2], 61800);
    assert_int_equal(at[3], 100000);
    begin(1000, 100000); /* the logarithm: 1000 * 100^0.382 */
    s.also = 20000;
    assert_int_equal(weir_search_ask(&s, at), 5);
    assert_int_equal(at[1], 5810);
    assert_int_equal(at[2], 17200);
    assert_int_equal(at[3], 20000);
}

static void the_least_of_a_parabola_is_found_in_few_values(void **state)
{
    uint64_t best;
    (void)state;
    begin(0, 100000);
    best = search(parabola);
    assert_true(best >= 35500 && best <= 38500);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_CLOSE);
    assert_true(s.count <= 10);
}

static void a_range_of_a_factor_of_ten_is_searched_on_the_logarithm(void **state)
{
    uint64_t best;
    (void)state;
    begin(1000, 1000000);
    best = search(on_logarithm);
    assert_true(best >= 60000 && best <= 80000);
    begin(100001, 1000000);
    assert_false(weir_search_is_log(&s));
    begin(0, 1000000);
    assert_false(weir_search_is_log(&s));
}

static void the_greatest_is_found_too(void **state)
{
    (void)state;
    begin(0, 100000);
    s.is_greatest = true;
    assert_int_equal(search(rises), 100000);
    begin(0, 100000);
    assert_int_equal(search(rises), 0);
}

static void equal_numbers_end_the_search_at_once(void **state)
{
    uint32_t first, last;
    (void)state;
    begin(0, 100000);
    (void)search(flat);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_EQUAL);
    assert_int_equal(s.count, 4);
    weir_search_range(&s, &first, &last);
    assert_int_equal(first, 0);
    assert_int_equal(last, 3);
}

static void noise_ends_the_search_and_names_the_range(void **state)
{
    uint32_t first, last;
    (void)state;
    begin(0, 100000);
    (void)search(scatters);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_NOISE);
    assert_int_equal(s.count, WEIR_SEARCH_NOISE_MIN);
    begin(0, 100000);
    (void)search(valley);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_NOISE);
    weir_search_range(&s, &first, &last);
    assert_true(s.value[first].at >= 29000 && s.value[last].at <= 61000);
    assert_true(first < last);
}

static void whole_numbers_are_tried_once(void **state)
{
    (void)state;
    begin(1, 8);
    assert_int_equal(search(small_numbers), 4);
    assert_true(s.count <= 8);
    begin(3, 4);
    assert_int_equal(search(small_numbers), 4);
    assert_int_equal(s.count, 2);
}

static void the_budget_is_kept(void **state)
{
    (void)state;
    begin(0, 100000);
    s.most = 6;
    (void)search(parabola);
    assert_int_equal(s.count, 6);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_BUDGET);
}

static void a_doubtful_value_is_best_only_if_all_are(void **state)
{
    static const double low[SEEDS] = { 1, 1, 1, 1, 1 }, high[SEEDS] = { 2, 2, 2, 2, 2 };
    static const double none[SEEDS] = { NAN, NAN, NAN, NAN, NAN };
    (void)state;
    begin(0, 100);
    weir_search_add(&s, 0, none, true);
    assert_int_equal(weir_search_best(&s), UINT32_MAX);
    assert_int_equal(weir_search_end(&s), WEIR_SEARCH_NO_VALUE);
    weir_search_add(&s, 50, low, false);
    assert_int_equal(weir_search_best(&s), 1);
    weir_search_add(&s, 100, high, true);
    assert_int_equal(weir_search_best(&s), 2);
    assert_false(weir_search_is_equal(&s, 1));
}

static void two_seeds_have_no_interval(void **state)
{
    static const double a[2] = { 1, 1 }, b[2] = { 1, 2 };
    (void)state;
    begin(0, 100);
    s.seeds = 2;
    weir_search_add(&s, 0, a, true);
    weir_search_add(&s, 50, b, true);
    weir_search_add(&s, 100, a, true);
    assert_false(weir_search_is_equal(&s, 1));
    assert_true(weir_search_is_equal(&s, 2));
}

static void the_middle_is_that_of_the_logarithm_where_the_range_is_wide(void **state)
{
    (void)state;
    assert_int_equal(weir_search_middle(0, 100), 50);
    assert_int_equal(weir_search_middle(10, 1000), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_values_are_the_ends_and_the_golden_sections),
        cmocka_unit_test(the_least_of_a_parabola_is_found_in_few_values),
        cmocka_unit_test(a_range_of_a_factor_of_ten_is_searched_on_the_logarithm),
        cmocka_unit_test(the_greatest_is_found_too),
        cmocka_unit_test(equal_numbers_end_the_search_at_once),
        cmocka_unit_test(noise_ends_the_search_and_names_the_range),
        cmocka_unit_test(whole_numbers_are_tried_once),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(a_doubtful_value_is_best_only_if_all_are),
        cmocka_unit_test(two_seeds_have_no_interval),
        cmocka_unit_test(the_middle_is_that_of_the_logarithm_where_the_range_is_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
