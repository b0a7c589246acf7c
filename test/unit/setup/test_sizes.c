/* test/unit/setup/test_sizes.c - the sizes that a protocol may be fitted to: of distributions, of lists, and of both. */
#include "test/unit/setup/setup_fixture.h"
#include "setup/sizes.h"
#include <stdlib.h>

#define STAR "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\n"
#define RUN "run: {warmup: 0 us, measure: 1 ms}\n"

static struct weir_size_share *share;
static uint32_t count;

static void sizes_of(const char *traffic)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), STAR "traffic: [%s]\n" RUN, traffic);
    parse("dir/a.yaml", text);
    (void)is_accepted();
    free(share);
    share = weir_setup_sizes(&setup.workload, &setup.programs, UINT32_MAX, &count);
    assert_non_null(share);
}

static uint64_t sum(void)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += share[i].weight;
    return all;
}

static int end_sizes(void **state)
{
    free(share);
    share = NULL;
    return end(state);
}

/* wka begins with a share of 0.0648826230027598 at 3 B, then 0.0324413114317404 up to 32 B. */
static void a_distribution_gives_its_points(void **state)
{
    (void)state;
    sizes_of("{kind: poisson, sizes: wka, load: 40%}");
    assert_int_equal(count, 842);
    assert_int_equal(share[0].bytes, 3);
    assert_int_equal(share[0].weight, 272137); /* 0.0648826 * 2^22 */
    assert_int_equal(share[1].bytes, 32);
    assert_int_equal(share[1].weight, 136069);
    assert_int_equal(share[count - 1].bytes, 15158197);
    assert_in_range(sum(), WEIR_SIZES_ONE - count, WEIR_SIZES_ONE + count);
}

/* Twice the load at half the size: four times the messages. */
static void items_weigh_as_they_send(void **state)
{
    (void)state;
    sizes_of("{kind: poisson, sizes: 2 KB, load: 10%}, {kind: poisson, sizes: 1 KB, load: 20%}");
    assert_int_equal(count, 2);
    assert_int_equal(share[0].bytes, 2000);
    assert_in_range(share[0].weight, WEIR_SIZES_ONE / 5 - WEIR_SIZES_ONE / 100,
                    WEIR_SIZES_ONE / 5 + WEIR_SIZES_ONE / 100);
    assert_in_range(share[1].weight, WEIR_SIZES_ONE / 5 * 4 - WEIR_SIZES_ONE / 100,
                    WEIR_SIZES_ONE / 5 * 4 + WEIR_SIZES_ONE / 100);
    sizes_of("{kind: poisson, sizes: 1 KB, load: 20%, from: 0..1}, {kind: poisson, sizes: 2 KB, load: 20%, from: 2..2, "
             "stop: 500 us}");
    assert_in_range(share[0].weight, WEIR_SIZES_ONE / 9 * 8 - WEIR_SIZES_ONE / 50,
                    WEIR_SIZES_ONE / 9 * 8 + WEIR_SIZES_ONE / 50);
}

static void what_starts_after_the_end_does_not_count(void **state)
{
    (void)state;
    sizes_of("{kind: poisson, sizes: 2 KB, load: 10%, start: 1 ms}, {kind: poisson, sizes: 1 KB, load: 20%}");
    assert_int_equal(count, 1);
    assert_int_equal(share[0].bytes, 1000);
    assert_int_equal(share[0].weight, WEIR_SIZES_ONE);
}

static void lists_count_where_nothing_is_drawn(void **state)
{
    (void)state;
    sizes_of("{kind: permutation, size: 1 KB}");
    assert_int_equal(count, 3);
    assert_int_equal(share[2].bytes, 1000);
    assert_int_equal(share[2].weight, WEIR_SIZES_ONE / 3);
    sizes_of("{kind: pairs, count: 2, size: 7 KB}, {kind: permutation, size: 1 KB}");
    assert_int_equal(count, 5);
    assert_int_equal(share[2].bytes, 1000);
    assert_int_equal(share[4].bytes, 7000);
    sizes_of("{kind: permutation, size: 1 KB}, {kind: poisson, sizes: 5 KB, load: 20%}");
    assert_int_equal(count, 1);
    assert_int_equal(share[0].bytes, 5000);
}

/* Every 2nd of 65536 * 2 - 1, or fewer. */
static void of_long_lists_some_count(void **state)
{
    (void)state;
    sizes_of("{kind: incast, fan_in: 2, size: 3 B, period: 16 ns}");
    assert_int_equal(setup.workload.listed_first[3], 124998);
    assert_int_equal(count, 62499);
    assert_in_range(sum(), WEIR_SIZES_ONE - count, WEIR_SIZES_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distribution_gives_its_points),
        cmocka_unit_test(items_weigh_as_they_send),
        cmocka_unit_test(what_starts_after_the_end_does_not_count),
        cmocka_unit_test(lists_count_where_nothing_is_drawn),
        cmocka_unit_test(of_long_lists_some_count),
    };
    return cmocka_run_group_tests_name("setup/sizes", tests, NULL, end_sizes);
}
