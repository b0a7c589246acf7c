/* test/unit/output/test_loop_print.c - each number in its column and under its name, least p that are none or beyond what was tried. */
#include "test/unit/weir_test.h"
#include "output/loop_print.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct weir_loop_answer answer = {
    .loop = { .flow = { { 1, 0.25, 0.5 } }, .flows = 1, .ratio = 100, .rho = 0.5 },
    .at_once = 1.5,
    .row = { { 0.25, 2.5, 3.5, 4.5, WEIR_LOOP_P_MIN }, { 4, 6.5, 7.5, (double)INFINITY, 8.5 } },
    .rows = 2,
};

static char *printed(void (*print)(FILE *, const struct weir_loop_answer *))
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    print(out, &answer);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void a_table_has_one_line_per_m(void **state)
{
    char *text = printed(weir_loop_print_table);
    (void)state;
    assert_non_null(strstr(text, "\n0                          1          0.25           0.5\n"));
    assert_non_null(strstr(text, "alpha / beta = 100, rho = 0.5\n"));
    assert_non_null(strstr(text, "rates follow at once: 1.5\n"));
    assert_non_null(strstr(text, "\n0.25                   2.5           3.5          4.50  at most 0.01\n"));
    assert_non_null(strstr(text, "\n4                      6.5           7.5          none          8.50\n"));
    free(text);
}

static void an_object_has_null_where_no_p_is_stable(void **state)
{
    char *text = printed(weir_loop_print_json);
    (void)state;
    assert_non_null(strstr(text, "\"flows\": [{\"rtt\": 1, \"out\": 0.25, \"back\": 0.5}]"));
    assert_non_null(strstr(text, "\"alpha_over_beta\": 100,\n  \"rho\": 0.5,\n  \"p_at_once\": 1.5,"));
    assert_non_null(strstr(text, "{\"m\": 0.25, \"p_linear\": 2.5, \"period\": 3.5, \"p_in_time\": 4.5, "
                                 "\"p_window_bounds\": 0.01}"));
    assert_non_null(strstr(text, "\"p_in_time\": null, \"p_window_bounds\": 8.5}"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_one_line_per_m),
        cmocka_unit_test(an_object_has_null_where_no_p_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
