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

/* Makes the trial of the last value: `done` of its runs are done, of which the last has a doubt. doubt: "" = none has */
static void add_trial(uint32_t done, const char *doubt)
{
    static struct weir_comparison_run run[WEIR_SEARCH_VALUES_MAX][SEEDS];
    struct weir_search *s = &t.search[0].search;
    struct weir_tuning_trial *trial = &t.trial[t.trial_count];
    struct weir_search_value *value = &s->value[s->count - 1];
    memset(run[t.trial_count], 0, sizeof(run[0]));
    *trial = (struct weir_tuning_trial){ .at = { value->at }, .run = run[t.trial_count], .done = done };
    for (uint32_t i = 0; i < done; i++)
        trial->run[i].is_done = true;
    trial->doubtful = doubt[0] != '\0';
    (void)snprintf(trial->run[done - 1].doubt, sizeof(trial->run[0].doubt), "%s", doubt);
    value->is_sound = done == SEEDS && doubt[0] == '\0';
    t.trial_count++;
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

/* The first of them is named, with why: the first doubt of its runs, or how many are done. */
static void values_in_doubt_are_counted(void **state)
{
    (void)state;
    add(10, 4, 0);
    add_trial(SEEDS, "");
    add(45, 3, 0);
    add_trial(SEEDS, "too short");
    assert_true(prints("! 1 of 2 values have runs that failed or are in doubt; 45: too short\n"));
    add(80, 2, 0);
    add_trial(1, "");
    assert_true(prints("! 2 of 3 values have runs that failed or are in doubt; 45: too short\n"));
    t.trial[1].doubtful = 0;
    t.trial[1].done = 2;
    assert_true(prints("! 2 of 3 values have runs that failed or are in doubt; 45: 2 of 3 runs are done\n"));
}

/* As the values of a search that was broken off. */
static void values_without_a_trial_are_in_no_doubt(void **state)
{
    (void)state;
    add(10, 4, 0);
    add_trial(SEEDS, "");
    add(45, 3, 0);
    t.search[0].search.value[1].is_sound = false;
    assert_false(prints("values have runs that failed"));
    add(80, 2, 0);
    add_trial(2, "");
    assert_true(prints("! 1 of 3 values have runs that failed or are in doubt; 80: 2 of 3 runs are done\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_end_of_the_range_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(an_end_of_the_range_is_said_beside_noise, setup, teardown),
        cmocka_unit_test_setup_teardown(a_best_value_inside_is_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_values_have_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(values_in_doubt_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(values_without_a_trial_are_in_no_doubt, setup, teardown),
    };
    return cmocka_run_group_tests_name("reproduce/tuning_print", tests, NULL, NULL);
}
