/* test/unit/param/test_suggest.c - distances counted by hand, and when a word is near. */
#include "test/unit/weir_test.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

static void one_edit_is_a_letter_more_less_other_or_two_swapped(void **state)
{
    (void)state;
    assert_int_equal(weir_suggest_distance("load", "load"), 0);
    assert_int_equal(weir_suggest_distance("laod", "load"), 1);
    assert_int_equal(weir_suggest_distance("sed", "seed"), 1);
    assert_int_equal(weir_suggest_distance("seeed", "seed"), 1);
    assert_int_equal(weir_suggest_distance("need", "seed"), 1);
    assert_int_equal(weir_suggest_distance("DCTCP", "dctcp"), 0);
    assert_int_equal(weir_suggest_distance("", "abc"), 3);
    assert_int_equal(weir_suggest_distance("kitten", "sitting"), 3);
}

static void distance_is_symmetric_and_keeps_the_triangle(void **state)
{
    static const char *const words[] = { "load", "loda", "racks", "host_link", "core_link", "", "a", "ba", "stall" };
    enum { COUNT = sizeof(words) / sizeof(words[0]) };
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            uint32_t d = weir_suggest_distance(words[i], words[j]);
            assert_int_equal(d, weir_suggest_distance(words[j], words[i]));
            assert_true((d == 0) == (i == j));
            assert_true(d <= strlen(words[i]) + strlen(words[j]));
        }
    }
}

static void a_long_word_is_near_nothing(void **state)
{
    char word[200];
    (void)state;
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_int_equal(weir_suggest_distance(word, "x"), UINT32_MAX);
    assert_int_equal(weir_suggest_distance("x", word), UINT32_MAX);
}

static void the_nearest_is_proposed_else_all_are_listed(void **state)
{
    struct weir_suggest s;
    char hint[512];
    (void)state;
    weir_suggest_init(&s, "laod");
    weir_suggest_add(&s, "kind");
    weir_suggest_add(&s, "load");
    weir_suggest_hint(&s, hint, sizeof(hint));
    assert_string_equal(hint, "did you mean 'load'?");
    weir_suggest_init(&s, "colour");
    weir_suggest_add(&s, "kind");
    weir_suggest_add(&s, "load");
    weir_suggest_hint(&s, hint, sizeof(hint));
    assert_string_equal(hint, "known: kind, load");
    weir_suggest_init(&s, "z");
    weir_suggest_add(&s, "k"); /* every letter is wrong: not near */
    weir_suggest_hint(&s, hint, sizeof(hint));
    assert_string_equal(hint, "known: k");
}

static void the_nearest_outlives_the_text_it_was_in(void **state)
{
    struct weir_suggest s;
    char hint[512], name[WEIR_SUGGEST_NAME_MAX + 1];
    (void)state;
    memset(name, 'n', sizeof(name) - 1); /* the longest that is compared */
    name[sizeof(name) - 1] = '\0';
    weir_suggest_init(&s, "nnnn"); /* 44 letters are missing */
    weir_suggest_add(&s, name);
    assert_string_equal(s.best, "");
    name[5] = '\0';
    weir_suggest_add(&s, name);
    memset(name, 'x', sizeof(name) - 1);
    weir_suggest_hint(&s, hint, sizeof(hint));
    assert_string_equal(hint, "did you mean 'nnnnn'?");
}

static void a_name_is_listed_once(void **state)
{
    struct weir_suggest s;
    (void)state;
    weir_suggest_init(&s, "zzzzzzzz");
    weir_suggest_add(&s, "soze");
    weir_suggest_add(&s, "sird");
    weir_suggest_add(&s, "soze");
    weir_suggest_add(&s, "so");
    weir_suggest_add(&s, "ze");
    weir_suggest_add(&s, "sird");
    assert_string_equal(s.list, "soze, sird, so, ze");
    weir_suggest_add(&s, "8 bit");
    weir_suggest_add(&s, "bit");
    weir_suggest_add(&s, "8");
    weir_suggest_add(&s, "bit");
    assert_string_equal(s.list, "soze, sird, so, ze, 8 bit, bit, 8");
}

static void a_list_too_long_says_so(void **state)
{
    struct weir_suggest s;
    (void)state;
    weir_suggest_init(&s, "q");
    for (int i = 0; i < 200; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "entry %d", i);
        weir_suggest_add(&s, name);
    }
    assert_true(strlen(s.list) < sizeof(s.list));
    assert_string_equal(s.list + strlen(s.list) - 4, ", ..");
    assert_null(strstr(s.list, ".., "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_edit_is_a_letter_more_less_other_or_two_swapped),
        cmocka_unit_test(distance_is_symmetric_and_keeps_the_triangle),
        cmocka_unit_test(a_long_word_is_near_nothing),
        cmocka_unit_test(the_nearest_is_proposed_else_all_are_listed),
        cmocka_unit_test(the_nearest_outlives_the_text_it_was_in),
        cmocka_unit_test(a_name_is_listed_once),
        cmocka_unit_test(a_list_too_long_says_so),
    };
    return cmocka_run_group_tests_name("param/suggest", tests, NULL, NULL);
}
