/* test/unit/report/test_traffic.c - the traffic of a scenario in a few words. */
#include "test/unit/weir_test.h"
#include "report/traffic.h"

static void words(const char *scenario, const char *want)
{
    char out[128];
    weir_traffic_text(out, sizeof(out), scenario);
    assert_string_equal(out, want);
}

static void both_ways_of_writing_a_list_are_understood(void **state)
{
    (void)state;
    words("name: x\ntraffic:\n  - kind: poisson\n    sizes: \"wkc\"\n    interpolate: auto\n    load: 0.5\nrun:\n  "
          "load: 9\n",
          "poisson wkc 50%");
    words("traffic:\n  - {kind: poisson, sizes: wka, load: 50%}\n  - {kind: incast, fan_in: 30, size: 500 KB, share: "
          "0.07}\n",
          "poisson wka 50%, incast 30:1 500 KB 7%");
}

static void what_is_not_understood_gives_less(void **state)
{
    (void)state;
    words(NULL, "");
    words("", "");
    words("name: traffic\n", "");
    words("traffic:", "");
    words("traffic:\n  # kind: a comment\n  - [kind\n", "");
}

static void what_is_too_long_says_so(void **state)
{
    char out[12];
    (void)state;
    weir_traffic_text(out, sizeof(out), "traffic:\n  - {kind: poisson, sizes: a_very_long_name, load: 1}\n");
    assert_string_equal(out, "poisson ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_of_writing_a_list_are_understood),
        cmocka_unit_test(what_is_not_understood_gives_less),
        cmocka_unit_test(what_is_too_long_says_so),
    };
    return cmocka_run_group_tests_name("report/traffic", tests, NULL, NULL);
}
