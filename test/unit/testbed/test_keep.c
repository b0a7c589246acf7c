/* test/unit/testbed/test_keep.c - measurements in a result file: found again, refused with other settings, forgotten. */
#include "test/unit/weir_test.h"
#include "testbed/figs.h"
#include "testbed/keep.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = { "jain", "drops", NULL };
static const struct weir_keep_key key = { "exp1", "cubic, 1", "60 s", names };
static struct weir_keep keep;
static char path[32];
static struct weir_err err;

static int setup(void **state)
{
    int fd;
    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/weir-keep-XXXXXX");
    fd = mkstemp(path);
    return fd < 0 || close(fd) != 0 || weir_keep_open(&keep, "rpm-testbed", path, NULL, &err);
}

static int teardown(void **state)
{
    (void)state;
    weir_keep_close(&keep);
    return unlink(path);
}

static void a_measurement_is_found_in_the_file_when_it_is_opened_again(void **state)
{
    double value[2] = { 0.75, 12 }, found_value[2] = { 0 };
    bool found = true;
    (void)state;
    assert_int_equal(weir_keep_find(&keep, &key, &found, found_value, &err), 0);
    assert_false(found);
    assert_int_equal(weir_keep_add(&keep, &key, value, 60, &err), 0);
    weir_keep_close(&keep);
    assert_int_equal(weir_keep_open(&keep, "rpm-testbed", path, NULL, &err), 0);
    assert_int_equal(weir_keep_find(&keep, &key, &found, found_value, &err), 0);
    assert_true(found && found_value[0] == 0.75 && found_value[1] == 12);
}

static void one_of_other_settings_is_a_conflict(void **state)
{
    struct weir_keep_key other = key;
    double value[2] = { 0.75, 12 };
    bool found;
    (void)state;
    other.settings = "10 s";
    assert_int_equal(weir_keep_add(&keep, &key, value, 60, &err), 0);
    assert_int_equal(weir_keep_find(&keep, &other, &found, value, &err), WEIR_E_CONFLICT);
    assert_false(found);
}

static void a_figure_is_forgotten_and_no_other(void **state)
{
    struct weir_keep_key other = key;
    double value[2] = { 0.75, 12 };
    bool found;
    (void)state;
    other.figure = "exp2";
    assert_int_equal(weir_keep_add(&keep, &key, value, 60, &err), 0);
    assert_int_equal(weir_keep_add(&keep, &other, value, 60, &err), 0);
    assert_int_equal(weir_keep_forget(&keep, "exp1", &err), 0);
    assert_int_equal(weir_keep_find(&keep, &key, &found, value, &err), 0);
    assert_false(found);
    assert_int_equal(weir_keep_find(&keep, &other, &found, value, &err), 0);
    assert_true(found);
}

static void nothing_is_kept_without_a_file(void **state)
{
    struct weir_keep none = { .store = NULL };
    double value[2] = { 0 };
    bool found;
    (void)state;
    assert_int_equal(weir_keep_add(&none, &key, value, 1, &err), 0);
    assert_int_equal(weir_keep_find(&none, &key, &found, value, &err), 0);
    assert_false(found);
}

/* 1, 2 and 6: mean 3, and 4.303 times the root of 14 / 2 / 3. */
static void a_mean_has_an_interval_from_three_numbers_on(void **state)
{
    const double number[] = { 1, 2, 6 };
    (void)state;
    assert_true(fabs(weir_fig_mean_of(number, 3).half - 4.303 * sqrt(14.0 / 6)) < 1e-12);
    assert_true(weir_fig_mean_of(number, 3).mean == 3);
    assert_true(isnan(weir_fig_mean_of(number, 2).half));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_measurement_is_found_in_the_file_when_it_is_opened_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_of_other_settings_is_a_conflict, setup, teardown),
        cmocka_unit_test_setup_teardown(a_figure_is_forgotten_and_no_other, setup, teardown),
        cmocka_unit_test(nothing_is_kept_without_a_file),
        cmocka_unit_test(a_mean_has_an_interval_from_three_numbers_on),
    };
    return cmocka_run_group_tests_name("testbed/keep", tests, NULL, NULL);
}
