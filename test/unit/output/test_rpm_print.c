/* test/unit/output/test_rpm_print.c - numbers that a double cannot hold, roots that are not there, integrations of each kind. What is
 * printed for real models is in test/cli/model.sh. */
#include "test/unit/weir_test.h"
#include "output/rpm_print.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weir_rpm_integration integration[2];
static struct weir_rpm_answer answer;
static char *text;

static int setup(void **state)
{
    (void)state;
    integration[0] = (struct weir_rpm_integration){
        .options = { .eta = 2, .off = 1e-3, .window_s = 10, .windows = 2, .target_pkts = 5 },
        .limit = 4,
        .growth = -0.069314718, /* ln 2 / 10 */
        .course = { .peak = { 0.5, 0.25 },
                    .windows = 2,
                    .linear = 2,
                    .ratio = 0.5,
                    .clipped_s = (double)INFINITY,
                    .steps = 7 },
    };
    integration[1] = (struct weir_rpm_integration){
        .forward = true,
        .options = { .eta = 2, .off = 1e-3, .window_s = 10, .windows = 2 },
        .limit = 1,
        .growth = (double)NAN,
        .course = { .ratio = (double)NAN, .clipped_s = 1.5, .end_s = 2, .fate = WEIR_RPM_GROWS },
    };
    answer = (struct weir_rpm_answer){
        .model = { 1000, 0.1, 0.02, 1, 0.5 },
        .printed = -2100,
        .eta_printed = { -1, 2302.585092994046 }, /* -10^1000 */
        .eta_below = { 1, -2302.585092994046 },   /* 10^-1000 */
        .limit = { 4, 3 },
        .limit_forward = { 1, 2 },
        .integration = integration,
    };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void print(void (*printer)(FILE *out, const struct weir_rpm_answer *answer))
{
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    assert_non_null(memory);
    printer(memory, &answer);
    assert_int_equal(fclose(memory), 0);
}

static void says(const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in %s", part, text);
}

static void a_slope_that_no_double_holds_is_a_power_of_ten(void **state)
{
    (void)state;
    print(weir_rpm_print_table);
    says("-10^1000, which no double holds, and 10^-1000, which no double holds, per packet\n");
    assert_null(strstr(text, "marking    "));
}

static void in_json_it_is_null_with_sign_and_logarithm(void **state)
{
    (void)state;
    print(weir_rpm_print_json);
    says("\"eta_printed\": null,\n  \"eta_printed_sign\": -1,\n  \"eta_printed_log10\": 1000,");
    says("\"eta_below_printed\": null,\n  \"eta_below_printed_sign\": 1,\n  \"eta_below_printed_log10\": -1000,");
    assert_null(strstr(text, "integration"));
}

static void a_root_that_is_not_there_is_null(void **state)
{
    (void)state;
    answer.printed = -(double)INFINITY;
    print(weir_rpm_print_json);
    says("\"s_printed\": null,\n  \"eta_printed\": null,\n  \"eta_printed_sign\": null,\n  \"eta_printed_log10\": "
         "null,");
}

static void integrations_are_rows(void **state)
{
    (void)state;
    answer.integration_count = 2;
    print(weir_rpm_print_table);
    says("RPM                  2       0.5        10 s        2         0.5         0.5         25%  decays\n");
    says("forward              2         2        10 s        0           -           -           -  grows, P is first "
         "clipped at 1.5 s\n");
}

static void integrations_are_objects(void **state)
{
    (void)state;
    answer.integration_count = 2;
    print(weir_rpm_print_json);
    says("{\"marking\": \"rpm\", \"eta\": 2, \"of_limit\": 0.5, \"start_off\": 0.001, \"target_packets\": 5, "
         "\"window_s\": 10, "
         "\"peak\": [0.5, 0.25], \"per_window\": 0.5, \"per_window_expected\": 0.5, \"growth_expected\": -0.0693147, "
         "\"clipped_s\": null, \"end_s\": 0, \"steps\": 7, \"oscillation\": \"decays\"}");
    says("\"peak\": [], \"per_window\": null, \"per_window_expected\": null, \"growth_expected\": null, \"clipped_s\": "
         "1.5, "
         "\"end_s\": 2, \"steps\": 0, \"oscillation\": \"grows\"}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slope_that_no_double_holds_is_a_power_of_ten, setup, teardown),
        cmocka_unit_test_setup_teardown(in_json_it_is_null_with_sign_and_logarithm, setup, teardown),
        cmocka_unit_test_setup_teardown(a_root_that_is_not_there_is_null, setup, teardown),
        cmocka_unit_test_setup_teardown(integrations_are_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(integrations_are_objects, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/rpm_print", tests, NULL, NULL);
}
