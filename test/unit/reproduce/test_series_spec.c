/* test/unit/reproduce/test_series_spec.c - what is read off a series, as a table says it. */
#include "test/unit/reproduce/reproduce_test.h"

#define VALUE(fields)                                                                                                  \
    AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}],\n     tables: [{name: t, title: T, "      \
         "value: {" fields "}}]}\n"

static const struct weir_series_spec *spec_of(const char *text)
{
    assert_int_equal(load(text), 0);
    assert_null(test_exp.figure[0].table[0].reading[0].path);
    return test_exp.figure[0].table[0].reading[0].series;
}

static void defaults(void **state)
{
    const struct weir_series_spec *spec = spec_of(VALUE("series: tor_queue_max"));
    (void)state;
    assert_string_equal(spec->name, "tor_queue_max");
    assert_null(spec->element);
    assert_int_equal(spec->what, WEIR_SERIES_MEAN);
    assert_int_equal(spec->fold, WEIR_SERIES_FOLD_MEAN);
    assert_false(spec->has_from || spec->has_to);
    assert_int_equal(spec->smooth_ps, 0);
}

static void everything_said(void **state)
{
    const struct weir_series_spec *spec =
        spec_of(VALUE("series: marks, place: flow 1, read: below, fold: min, from: 300 us, to: 1 ms, smooth: 2 us, "
                      "share: 99%, of: before, before: 50 us, for: 7 ns, divide: 1000, digits: 3, per: load"));
    const struct weir_reading *reading = &test_exp.figure[0].table[0].reading[0];
    (void)state;
    assert_string_equal(spec->element, "flow 1");
    assert_int_equal(spec->what, WEIR_SERIES_BELOW);
    assert_int_equal(spec->fold, WEIR_SERIES_FOLD_MIN);
    assert_true(spec->has_from && spec->has_to);
    assert_int_equal(spec->from_ps, 300000000);
    assert_int_equal(spec->to_ps, 1000000000);
    assert_int_equal(spec->smooth_ps, 2000000);
    assert_int_equal(spec->share_ppm, 990000);
    assert_int_equal(spec->of, WEIR_SERIES_OF_BEFORE);
    assert_int_equal(spec->before_ps, 50000000);
    assert_int_equal(spec->hold_ps, 7000);
    assert_int_equal(reading->divide, 1000);
    assert_int_equal(reading->digits, 3);
    assert_int_equal(reading->per, 1);
}

static void marks(void **state)
{
    const struct weir_series_spec *spec = spec_of(VALUE("series: marks, read: above, of: 47.5"));
    (void)state;
    assert_int_equal(spec->of, WEIR_SERIES_OF_NUMBER);
    assert_true(spec->of_value == 47.5);
    assert_int_equal(spec->share_ppm, 1000000);
    spec = spec_of(VALUE("series: marks, read: above, of: fair"));
    assert_int_equal(spec->of, WEIR_SERIES_OF_FAIR);
}

static void parts_are_numbers_of_any_unit(void **state)
{
    const struct weir_series_spec *spec = spec_of(VALUE("series: flow_sent, read: distance, parts: [62.5, 12.5]"));
    (void)state;
    assert_int_equal(spec->what, WEIR_SERIES_DISTANCE);
    assert_int_equal(spec->part_count, 2);
    assert_true(spec->part[0] == 62.5 && spec->part[1] == 12.5);
}

static void refusals(void **state)
{
    static const struct refusal bad[] = {
        { VALUE("read: max"), WEIR_E_SYNTAX, 7, "series" },
        { VALUE("series: tor_queue_max, reads: max"), WEIR_E_UNKNOWN, 7, "reads" },
        { VALUE("series: tor_queue_max, read: most"), WEIR_E_UNKNOWN, 7, "read" },
        { VALUE("series: tor_queue_max, fold: all"), WEIR_E_UNKNOWN, 7, "fold" },
        { VALUE("series: tor_queue_max, from: 2 us, to: 1 us"), WEIR_E_RANGE, 7, "to" },
        { VALUE("series: tor_queue_max, from: 2"), WEIR_E_UNIT, 7, "from" },
        { VALUE("series: tor_queue_max, read: below"), WEIR_E_SYNTAX, 7, "of" },
        { VALUE("series: tor_queue_max, read: below, of: ever"), WEIR_E_SYNTAX, 7, "of" },
        { VALUE("series: tor_queue_max, read: mean, share: 5%"), WEIR_E_CONFLICT, 7, "share" },
        { VALUE("series: tor_queue_max, read: jain, fold: min"), WEIR_E_CONFLICT, 7, "read" },
        { VALUE("series: flow_sent, read: distance"), WEIR_E_SYNTAX, 7, "parts" },
        { VALUE("series: flow_sent, read: distance, parts: [1, 0]"), WEIR_E_SYNTAX, 7, "parts" },
        { VALUE("series: flow_sent, read: distance, parts: [1, 2], smooth: 1 us"), WEIR_E_CONFLICT, 7, "read" },
        { VALUE("series: flow_sent, read: jain, parts: [1, 2]"), WEIR_E_CONFLICT, 7, "parts" },
        { VALUE("path: slowdown.all.p50, read: max"), WEIR_E_UNKNOWN, 7, "read" },
        { VALUE("series: tor_queue_max, per: who"), WEIR_E_SYNTAX, 7, "per" },
    };
    (void)state;
    REFUSED(bad, load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(everything_said, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(marks, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(parts_are_numbers_of_any_unit, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(refusals, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
