/* test/unit/reproduce/test_experiment.c - what an experiment.yaml may say, and how a wrong one is refused. */
#include "test/unit/refusal.h"
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

static void without_figures_there_is_one_of_every_combination(void **state)
{
    const struct weir_axis *seed;
    (void)state;
    assert_int_equal(load("scenario: s.yaml\nset: {run.measure: 1 ms}\nseeds: 3\naxes:\n"
                          "  - {name: mark, set: {a.b: $}, values: [0.5 BDP, {label: more, value: 2 BDP}]}\n"),
                     0);
    assert_string_equal(test_exp.title, test_exp.origin.id);
    assert_string_equal(test_exp.scenario, "s.yaml");
    assert_true(test_exp.implied);
    assert_int_equal(test_exp.figure_count, 1);
    assert_int_equal(test_exp.figure[0].sweep[0].values[0], 3);
    assert_int_equal(test_exp.figure[0].sweep[0].values[1], 7);
    assert_string_equal(test_exp.axis[0].value[0].label, "0.5_BDP");
    assert_string_equal(test_exp.axis[0].value[0].text, "0.5 BDP");
    assert_string_equal(test_exp.axis[0].value[1].label, "more");
    assert_string_equal(test_exp.axis[0].value[1].text, "2 BDP");
    seed = &test_exp.axis[1];
    assert_string_equal(seed->name, "seed");
    assert_string_equal(seed->value[2].label, "3");
    assert_string_equal(seed->value[2].set[0]->first->key.text, "run.seed");
    assert_int_equal(seed->value[2].set[0]->first->at.line, 3);
    assert_int_equal(test_exp.figure[0].table_count, 1);
    assert_int_equal(test_exp.figure[0].table[0].average, 1);
}

static void seeds_can_be_listed_and_tables_chosen(void **state)
{
    (void)state;
    assert_int_equal(
        load("scenario: s.yaml\nseeds: [7, 18446744073709551615]\ntables: [{name: t, title: T, value: drops}]\n"), 0);
    assert_int_equal(test_exp.axis_count, 1);
    assert_string_equal(test_exp.axis[0].value[1].label, "18446744073709551615");
    assert_int_equal(test_exp.figure[0].table_count, 1);
    assert_string_equal(test_exp.figure[0].table[0].name, "t");
    assert_int_equal(load(AXES), 0); /* without seeds nothing is averaged */
    assert_int_equal(test_exp.figure[0].table[0].average, WEIR_AXIS_NONE);
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
        const char *text;
        enum weir_err_code code;
        const char *key;
        uint32_t line;
    } bad[] = {
        { "title: T\nfigure: []\n", WEIR_E_UNKNOWN, "figure", 2 },
        { "title: T\naxes: []\nfigures: []\n", WEIR_E_SYNTAX, "figures", 1 },
        { "axes: []\nfigures: []\n", WEIR_E_SYNTAX, "title", 1 },
        { "title: T\n", WEIR_E_SYNTAX, "axes", 1 },
        { AXES "seeds: 0\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds: 65\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds: -1\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds: some\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds:\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds: {a: 1}\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds: [1, 2, 01]\n", WEIR_E_CONFLICT, "seeds", 5 }, /* one run would count twice */
        { AXES "seeds: []\n", WEIR_E_RANGE, "seeds", 5 },
        { AXES "seeds:\n  - 1\n  - 1\n", WEIR_E_CONFLICT, "seeds", 7 },
        { AXES "seeds:\n  - 1\n  - x\n", WEIR_E_RANGE, "seeds", 7 },
        { AXES "seeds:\n  - [1]\n", WEIR_E_SYNTAX, "seeds", 6 },
        { AXES "  - {name: seed, values: [1]}\nseeds: 2\n", WEIR_E_CONFLICT, "seeds", 6 },
        { AXES "set: {protocol.g: $}\n", WEIR_E_SYNTAX, "set", 5 },
        { AXES "tables: []\nfigures: [{name: f, title: F, skip: x}]\n", WEIR_E_CONFLICT, "tables", 5 },
        { "axes:\n  - {name: a, values: [' %']}\n", WEIR_E_SYNTAX, "", 2 },
        { "axes:\n  - {name: a, values: [50, 50%]}\n", WEIR_E_CONFLICT, "", 2 },
        { AXES "figures:\n  - {name: f, title: F}\n", WEIR_E_SYNTAX, "sweeps", 6 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{hwo: us}]}\n", WEIR_E_UNKNOWN, "hwo", 6 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: thme}]}\n", WEIR_E_UNKNOWN, "thme", 6 },
        { AXES "figures:\n  - {name: a/b, title: F, sweeps: [{who: us}]}\n", WEIR_E_SYNTAX, "", 6 },
        { "title: T\naxes:\n  - {name: a, values: []}\n", WEIR_E_RANGE, "a", 3 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x/y}]}\n", WEIR_E_SYNTAX, "", 3 },
        { "title: T\naxes:\n  - {name: a, load: $%, values: [many]}\n", WEIR_E_RANGE, "", 3 },
        { "title: T\naxes:\n  - {name: a, values: [10, 10]}\n", WEIR_E_CONFLICT, "", 3 },
        { "title: T\naxes:\n  - {name: a, values: [1]}\n  - {name: a, values: [2]}\n", WEIR_E_CONFLICT, "a", 4 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x, with: {y: {k: 1}}}]}\n", WEIR_E_UNKNOWN, "y", 3 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x, with: {x: 1}}]}\n", WEIR_E_SYNTAX, "x", 3 },
        { "title: T\naxes:\n  - {name: a, length: 0 us, values: [1]}\n", WEIR_E_RANGE, "length", 3 },
        { "title: T\naxes:\n  - {name: a, values: [{label: x, length_factor: 0}]}\n", WEIR_E_RANGE, "length_factor",
          3 },
        { AXES "figures:\n  - {name: f, title: F, skip: x}\n  - {name: f, title: G, skip: y}\n", WEIR_E_CONFLICT, "f",
          7 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: []}]}\n", WEIR_E_SYNTAX, "who", 6 },
        { AXES "figures:\n  - name: f\n    title: F\n    sweeps: [{who: us}]\n    tables:\n"
               "      - {name: t, title: T, value: drops}\n      - {name: t, title: U, value: losses}\n",
          WEIR_E_CONFLICT, "t", 11 },
        { "measured: 0\ntitle: T\n", WEIR_E_RANGE, "measured", 1 },
        { "name: n\ntopology: {kind: star}\n", WEIR_E_CONFLICT, "a scenario", 2 },
        { "topology: {kind: star}\n" AXES, WEIR_E_UNKNOWN, "topology", 1 },
        { AXES "figures:\n  - {name: f, title: F, runs: f}\n", WEIR_E_UNKNOWN, "runs", 6 },
        { AXES "figures:\n  - {name: f, title: F, skip: x}\n  - {name: g, title: G, runs: f}\n", WEIR_E_UNKNOWN, "runs",
          7 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: us}]}\n"
               "  - {name: g, title: G, runs: f, sweeps: [{who: us}]}\n",
          WEIR_E_CONFLICT, "g", 7 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: us}]}\n"
               "  - {name: g, title: G, runs: f, maxima: [{who: us}]}\n",
          WEIR_E_CONFLICT, "maxima", 7 },
        { AXES "figures:\n  - {name: f, title: F, sweeps: [{who: us}], maxima: [us]}\n", WEIR_E_SYNTAX, "a map of axes",
          6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_not_equal(load(bad[i].text), 0);
        assert_refusal(&test_err, bad[i].code, NULL, bad[i].key);
        assert_int_equal(test_err.line, bad[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(axes_and_sweeps_become_numbers, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(a_skipped_figure_needs_no_sweep, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(without_figures_there_is_one_of_every_combination, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(seeds_can_be_listed_and_tables_chosen, begin_dir, end_dir),
        cmocka_unit_test(the_experiments_of_the_binary_can_be_read),
        cmocka_unit_test_setup_teardown(refusals_name_the_place_and_what_was_meant, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
