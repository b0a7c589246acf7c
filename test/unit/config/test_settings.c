/* test/unit/config/test_settings.c - a scenario as a flat list, and values as people write them. */
#include "test/unit/weir_test.h"
#include "config/settings.h"
#include <string.h>

static struct weir_settings s;
static struct weir_err err;

static void maps_and_lists_become_paths(void **state)
{
    (void)state;
    assert_int_equal(
        weir_settings_read(&s, "b: {c: 1.5 BDP # 150 B\n  }\na:\n  - kind: x\n    on: [p, q]\n  - 7\n", &err), 0);
    assert_int_equal(s.count, 5);
    assert_string_equal(s.item[0].key, "b.c"); /* as in the text */
    assert_string_equal(weir_settings_find(&s, "b.c"), "1.5 BDP");
    assert_string_equal(weir_settings_find(&s, "a[0].kind"), "x");
    assert_string_equal(weir_settings_find(&s, "a[0].on[1]"), "q");
    assert_string_equal(weir_settings_find(&s, "a[1]"), "7");
    assert_null(weir_settings_find(&s, "b"));
    weir_settings_free(&s);
}

static void what_is_no_scenario_has_no_settings(void **state)
{
    static const char *const text[] = { "", "a: [", "just text", "- 1", "a: 1\na: 2", "\t\x01" };
    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        assert_int_equal(weir_settings_read(&s, text[i], &err), 0);
        assert_int_equal(s.count, 0);
        assert_null(weir_settings_find(&s, "a"));
        weir_settings_free(&s);
    }
}

static void is(const char *key, const char *value, const char *want)
{
    char text[16];
    weir_setting_text(text, sizeof(text), &(struct weir_setting){ key, value });
    assert_string_equal(text, want);
}

static void loads_are_percent(void **state)
{
    (void)state;
    is("traffic[0].load", "0.4", "40%");
    is("traffic[0].load", "0.3333333", "33.33%");
    is("traffic[0].share", "1", "100%");
    is("traffic[0].load", "40%", "40%");
    is("load_mean", "0.4", "0.4");
    is("workload", "0.4", "0.4");
    is("x", "0123456789abcdefgh", "0123456789abcde");
}

static void the_end_of_a_key_is_a_part_of_it(void **state)
{
    (void)state;
    assert_true(weir_setting_fits("traffic[0].load", "load"));
    assert_true(weir_setting_fits("traffic[0].load", "traffic[0].load"));
    assert_false(weir_setting_fits("traffic[0].load", "oad"));
    assert_false(weir_setting_fits("load", "traffic.load"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_lists_become_paths),
        cmocka_unit_test(what_is_no_scenario_has_no_settings),
        cmocka_unit_test(loads_are_percent),
        cmocka_unit_test(the_end_of_a_key_is_a_part_of_it),
    };
    return cmocka_run_group_tests_name("config/settings", tests, NULL, NULL);
}
