/* test/unit/report/test_over_load.c - which runs differ in load only. */
#include "test/unit/weir_test.h"
#include "report/sections.h"

static void name(const char *label, const char *settings, const char *want)
{
    char out[64];
    weir_load_free_name(out, sizeof(out), label, settings);
    assert_string_equal(out, want);
}

static void a_load_is_taken_out_of_a_label(void **state)
{
    (void)state;
    name("wka sird 50%", NULL, "wka sird");
    name("load=0.5, sird", NULL, "sird");
    name("sird load 50 B=2", NULL, "sird B=2");
    name("sird load50", NULL, "sird");
    name("50%", NULL, "");
}

static void a_bare_number_is_a_load_if_it_was_set_as_one(void **state)
{
    (void)state;
    name("sird-balanced-wkc-50-1.5-0.5", "protocol.B=1.5 BDP\ntraffic[0].load=50%\n", "sird-balanced-wkc-1.5-0.5");
    name("sird-balanced-wkc-50-1.5", "protocol.B=1.5 BDP\n", "sird-balanced-wkc-50-1.5");
    name("fan_in 30", NULL, "fan_in 30");
    name("download 7", NULL, "download 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_taken_out_of_a_label),
        cmocka_unit_test(a_bare_number_is_a_load_if_it_was_set_as_one),
    };
    return cmocka_run_group_tests_name("report/over_load", tests, NULL, NULL);
}
