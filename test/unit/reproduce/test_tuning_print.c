/* test/unit/reproduce/test_tuning_print.c - the sentences below the curves of a tuning: noise, and ends of a range. */
#include "test/unit/weir_test.h"
#include "reproduce/tuning.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3 };

static struct weir_tuning t;
static double number[WEIR_SEARCH_VALUES_MAX][SEEDS];
static char *text;

/* Makes a search of one key from 10 to 80. */
static int setup(void **state)
{
    struct weir_err err;
    (void)state;
    memset(&t, 0, sizeof(t));
    t.scenario = "star";
    t.seeds = SEEDS;
    t.first_seed = 1;
    t.key_count = t.search_count = 1;
    t.key[0] = (struct weir_tuning_key){ .path = "host.connections", .row.kind = WEIR_KIND_U32, .lo = 10, .hi = 80 };
    t.search[0].search = (struct weir_search){ .lo = 10, .hi = 80, .also = 10, .seeds = SEEDS, .most = 11 };
    return weir_comparison_choose(&t.metric, "slowdown.all.p99", &err);
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

/* Adds a value whose numbers are mean - scatter, mean, mean + scatter. */
static void add(uint64_t at, double mean, double scatter)
{
    struct weir_search *s = &t.search[0].search;
    double *own = number[s->count];
    for (int i = 0; i < SEEDS; i++)
        own[i] = mean + (i - 1) * scatter;
    weir_search_add(s, at, own, true);
    t.best[0] = s->value[weir_search_best(s)].at;
}

static bool prints(const char *what)
{
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool found;
    assert_non_null(out);
    weir_tuning_print(out, &t);
    assert_int_equal(fclose(out), 0);
    found = strstr(text, what) != NULL;
    free(text);
    text = NULL;
    return found;
}

static void an_end_of_the_range_is_said(void **state)
{
    (void)state;
    add(10, 4, 0);
    add(45, 3, 0);
    add(80, 2, 0);
    assert_true(prints("best: host.connections = 80; p99 slowdown 2"));
    assert_true(prints("\nhost.connections = 80 is an end of the range: beyond it there may be a better value\n"));
    assert_false(prints("noise"));
}

static void an_end_of_the_range_is_said_beside_noise(void **state)
{
    (void)state;
    add(10, 4, 0);
    add(45, 2.01, 0.5);
    add(80, 2, 0);
    assert_true(prints("noise: these seeds do not tell host.connections = 45 to 80 apart\n"));
    assert_true(prints("\nhost.connections = 80 is an end of the range: "));
}

static void a_best_value_inside_is_no_end(void **state)
{
    (void)state;
    add(10, 4, 0);
    add(45, 2, 0);
    add(80, 2.01, 0.5);
    assert_true(prints("noise: these seeds do not tell host.connections = 45 to 80 apart\n"));
    assert_false(prints("end of the range"));
}

static void equal_values_have_no_end(void **state)
{
    (void)state;
    add(10, 4, 0);
    add(80, 4, 0);
    assert_true(prints("host.connections = 10 to 80 apart: all values give the same numbers\n"));
    assert_false(prints("end of the range"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_end_of_the_range_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(an_end_of_the_range_is_said_beside_noise, setup, teardown),
        cmocka_unit_test_setup_teardown(a_best_value_inside_is_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_values_have_no_end, setup, teardown),
    };
    return cmocka_run_group_tests_name("reproduce/tuning_print", tests, NULL, NULL);
}
