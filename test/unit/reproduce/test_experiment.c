/* test/unit/reproduce/test_experiment.c - what an experiment.yaml may say, and how a wrong one is refused. */
#include "test/unit/reproduce/reproduce_test.h"

static void axes_and_sweeps_become_numbers(void **state)
{
    (void)state;
    assert_int_equal(load(AXES "figures:\n  - {name: f, title: F, sweeps: [{who: them, load: all}]}\n"), 0);
    assert_int_equal(test_exp.axis_count, 2);
    assert_int_equal(test_exp.measured_ppm, 1000000);
    assert_string_equal(test_exp.axis[0].value[1].published, "THEM");
    assert_string_equal(test_exp.axis[1].value[1].label, "90");
    assert_string_equal(test_exp.axis[1].value[1].published, "90");
    assert_int_equal(test_exp.axis[1].value[1].load_ppm, 900000);
    assert_string_equal(test_exp.axis[1].value[0].scenario, "s.yaml");
    assert_int_equal(test_exp.figure[0].sweep[0].values[0], 2);
    assert_int_equal(test_exp.figure[0].sweep[0].values[1], 3);
    assert_ptr_equal(weir_experiment_figure(&test_exp, "f"), &test_exp.figure[0]);
    assert_null(weir_experiment_figure(&test_exp, "g"));
}

static void a_skipped_figure_needs_no_sweep(void **state)
{
    (void)state;
    assert_int_equal(load(AXES "figures:\n  - {name: f, title: F, skip: why not}\n"), 0);
    assert_string_equal(test_exp.figure[0].skip, "why not");
}

static void the_experiments_of_the_binary_can_be_read(void **state)
{
    (void)state;
    assert_int_equal(begin_dir(state), 0);
    assert_int_equal(weir_experiment_load(&test_exp, "sird", &test_err), 0);
    assert_string_equal(test_exp.figure[0].name, "tables");
    assert_int_equal(test_exp.measured_ppm, 100000);
    assert_int_equal(end_dir(state), 0);
}

static void refusals_name_the_place_and_what_was_meant(void **state)
{
    static const struct {
        const char *text, *what, *hint;
        uint32_t line;
    } bad[] = {
        { "title: T\nfigure: []\n", "figure: no such key of the experiment", "did you mean 'figures'?", 2 },
        { "title: T\naxes: []\n", "the experiment: 'figures' is missing", "", 1 },
        { AXES "figures:\n  - {name: f, title: F}\n", "a figure: 'sweeps' is missing", "", 6 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{hwo: us}]}\n", "hwo: no such axis", "did you mean 'who'?",
          6 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: thme}]}\n", "thme: no such value of axis who",
          "did you mean 'them'?", 6 },
        { AXES "figures:\n  - {name: a/b, title: F, sweeps: [{who: us}]}\n", "a/b: cannot be the name of a figure",
          "letters, digits and . _ +, at most 63", 6 },
        { "title: T\naxes:\n  - {name: a, values: []}\n", "a: must have 1 to 64 values", "", 3 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x/y}]}\n", "x/y: cannot be a label",
          "letters, digits and . _ +, at most 63", 3 },
        { "title: T\naxes:\n  - {name: a, load: $%, values: [many]}\n", "many%: must be a share or a factor",
          "for example 0.5 or 50%, at most 1000, at most six decimals", 3 },
        { "title: T\naxes:\n  - {name: a, values: [10, 10]}\n", "10: the name of two values of an axis", "", 3 },
        { "title: T\naxes:\n  - {name: a, values: [1]}\n  - {name: a, values: [2]}\n", "a: the name of two axes", "",
          4 },
        { "title: T\naxes:\n  - {name: a, length: 0 us, values: [1]}\n", "length: must be above 0", "", 3 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x, length_factor: 0}]}\n", "length_factor: must be above 0",
          "", 3 },
        { AXES "figures:\n  - {name: f, title: F, skip: x}\n  - {name: f, title: G, skip: y}\n",
          "f: the name of two figures", "", 7 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: []}]}\n", "who: the list is empty",
          "labels of the axis, or all", 6 },
        { AXES "figures:\n  - name: f\n    title: F\n    sweeps: [{who: us}]\n    tables:\n"
               "      - {name: t, title: T, value: x}\n      - {name: t, title: U, value: y}\n",
          "t: the name of two tables of a figure", "", 11 },
        { "measured: 0\ntitle: T\n", "measured: must be above 0, and at most 100%", "", 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_not_equal(load(bad[i].text), 0);
        assert_string_equal(test_err.text, bad[i].what);
        assert_string_equal(test_err.hint, bad[i].hint);
        assert_int_equal(test_err.line, bad[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(axes_and_sweeps_become_numbers, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(a_skipped_figure_needs_no_sweep, begin_dir, end_dir),
        cmocka_unit_test(the_experiments_of_the_binary_can_be_read),
        cmocka_unit_test_setup_teardown(refusals_name_the_place_and_what_was_meant, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
