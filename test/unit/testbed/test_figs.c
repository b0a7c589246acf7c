/* test/unit/testbed/test_figs.c - medians of measurements, with the least and the largest; and bands at their edges. */
#include "test/unit/weir_test.h"
#include "testbed/figs.h"
#include <math.h>
#include <stdlib.h>

static struct weir_figs *figs;

static int setup(void **state)
{
    (void)state;
    figs = calloc(1, sizeof(*figs));
    return figs == NULL;
}

static int teardown(void **state)
{
    (void)state;
    free(figs);
    return 0;
}

static void a_median_has_the_least_and_the_largest_next_to_it(void **state)
{
    double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 8, 2, 4, 6 }, one[] = { 7 };
    (void)state;
    figs->repeats = 5;
    weir_fig_add_median(figs, "fig3", "ms", odd, WEIR_FIG_SHOWN, 0, "%s: median", "soze");
    figs->repeats = 4;
    weir_fig_add_median(figs, "fig3", "ms", even, WEIR_FIG_SHOWN, 0, "even");
    figs->repeats = 1;
    weir_fig_add_median(figs, "fig3", "ms", one, WEIR_FIG_SHOWN, 0, "one");
    assert_int_equal(figs->cell_count, 3);
    assert_string_equal(figs->cell[0].what, "soze: median");
    assert_true(figs->cell[0].value == 3 && figs->cell[0].least == 1 && figs->cell[0].most == 5);
    assert_true(figs->cell[1].value == 5 && figs->cell[1].least == 2 && figs->cell[1].most == 8);
    assert_true(figs->cell[2].value == 7 && figs->cell[2].least == 7 && figs->cell[2].most == 7);
    assert_true(isnan(figs->cell[0].half) && isnan(figs->cell[0].simulated));
}

static void a_number_without_repetitions_has_neither(void **state)
{
    (void)state;
    weir_fig_add(figs, "fig3", "ms", 1, WEIR_FIG_SHOWN, 0, "alone");
    assert_true(isnan(figs->cell[0].least) && isnan(figs->cell[0].most));
}

static void a_band_holds_up_to_its_edge(void **state)
{
    static const struct {
        double value, slack;
        enum weir_fig_band band;
        bool holds;
    } row[] = {
        { 2.75, 0.25, WEIR_FIG_NEAR, true },    { 3.25, 0.25, WEIR_FIG_NEAR, true },
        { 3.375, 0.25, WEIR_FIG_NEAR, false },  { 2.625, 0.25, WEIR_FIG_NEAR, false },
        { 3, 0, WEIR_FIG_AT_MOST, true },       { 3.125, 0, WEIR_FIG_AT_MOST, false },
        { 2.875, 0, WEIR_FIG_AT_LEAST, false }, { 3, 0, WEIR_FIG_AT_LEAST, true },
        { 99, 0, WEIR_FIG_SHOWN, true },
    };
    (void)state;
    figs->repeats = 1;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double number[] = { row[i].value };
        weir_fig_add_median(figs, "weights", "times", number, row[i].band, 3, "share");
        weir_fig_slack(figs, row[i].slack);
        assert_int_equal(weir_fig_holds(&figs->cell[i]), row[i].holds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_median_has_the_least_and_the_largest_next_to_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_number_without_repetitions_has_neither, setup, teardown),
        cmocka_unit_test_setup_teardown(a_band_holds_up_to_its_edge, setup, teardown),
    };
    return cmocka_run_group_tests_name("testbed/figs", tests, NULL, NULL);
}
