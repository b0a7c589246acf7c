/* test/unit/report/test_filter.c - runs by what they are. */
#include "test/unit/weir_test.h"
#include "report/filter.h"

static char label[] = "sird-1", protocol[] = "sird", seed[] = "3",
            scenario[] = "protocol: {name: sird, B: 1.5 BDP}\ntraffic: [{load: 0.4}, {load: 0.1}]";
static const struct weir_run run = { .text = { [WEIR_RUN_LABEL] = label,
                                               [WEIR_RUN_PROTOCOL] = protocol,
                                               [WEIR_RUN_SEED] = seed,
                                               [WEIR_RUN_SCENARIO] = scenario } };

static bool fits(const char *first, const char *then)
{
    const char *const where[] = { first, then };
    const struct weir_runs_filter filter = { NULL, where, then != NULL ? 2 : 1 };
    struct weir_err err;
    bool does;
    assert_int_equal(weir_filter_fits(&filter, &run, &does, &err), 0);
    return does;
}

static void columns_and_settings_are_asked_for_alike(void **state)
{
    (void)state;
    assert_true(fits("protocol=sird", NULL));
    assert_true(fits("protocol.name=sird", NULL));
    assert_true(fits("B=1.5 BDP", NULL));
    assert_false(fits("B=1.5", NULL));
    assert_true(fits("label=sird-*", NULL));
    assert_true(fits("seed=[1-3]", NULL));
    assert_false(fits("seed=[12]", NULL));
    assert_true(fits("experiment=", NULL)); /* it has none */
    assert_false(fits("nothing=x", NULL));
}

static void a_load_is_found_as_it_is_written(void **state)
{
    (void)state;
    assert_true(fits("load=40%", NULL));
    assert_true(fits("traffic[0].load=0.4", NULL));
    assert_true(fits("load=10%", NULL)); /* of either */
    assert_false(fits("traffic[0].load=10%", NULL));
}

static void all_have_to_fit(void **state)
{
    (void)state;
    assert_true(fits("protocol=sird", "seed=3"));
    assert_false(fits("protocol=sird", "seed=4"));
    assert_false(fits("protocol=homa", "seed=3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_settings_are_asked_for_alike),
        cmocka_unit_test(a_load_is_found_as_it_is_written),
        cmocka_unit_test(all_have_to_fit),
    };
    return cmocka_run_group_tests_name("report/filter", tests, NULL, NULL);
}
