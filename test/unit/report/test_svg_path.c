/* test/unit/report/test_svg_path.c - points in fewer bytes: what is written, and that errors do not add up. */
#include "test/unit/report/report_fixture.h"
#include "report/svg_path.h"
#include <math.h>

static void becomes(const char *data, const char *want)
{
    struct memory m;
    const char *end;
    memory_open(&m);
    end = weir_svg_path(m.file, data, '\'');
    assert_string_equal(memory_text(&m), want);
    assert_non_null(end);
    assert_string_equal(end, "/>");
    free(m.text);
}

static void points_are_relative_and_in_tenths(void **state)
{
    (void)state;
    becomes("M63.37,262.50 L448.49,262.50  '/>", "M63.4 262.5h385.1");
    becomes("M1,2 L1.04,2.04 L9,2 L9,-3.06'/>", "M1 2h8v-5.1"); /* one that does not move is left out */
    becomes("M0,0 L1,0 L2,0 L3,0 L2,0 L2,1'/>", "M0 0h3-1v1");  /* a level line is one; back is another */
    becomes("M0,0 L.5,.5 L.4,.9 L9,9 Z  '/>", "M0 0l.5 .5-.1 .4 8.6 8.1z");
    becomes("M5,5 M7,7 L8,8'/>", "M5 5M7 7l1 1");
    becomes("1,1 2,3 4,4 '/>", "M1 1l1 2 2 1"); /* a polygon's points */
    becomes("'/>", "");
}

static void what_is_no_path_is_not_written(void **state)
{
    static const char *const wrong[] = { "M1'", "M1,'", "M1,2 C3,4'", "L1,nan'", "M1e9,0'", "M1,2 L3,4" };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct memory m;
        memory_open(&m);
        assert_null(weir_svg_path(m.file, wrong[i], '\''));
        assert_string_equal(memory_text(&m), "");
        free(m.text);
    }
}

/* The end of a thousand steps of 0.04, each less than half a tenth, is where it was. */
static void errors_do_not_add_up(void **state)
{
    char data[32768] = "M0,0", *at = data + strlen(data);
    struct memory m;
    double x = 0;
    (void)state;
    for (int i = 1; i <= 1000; i++)
        at += sprintf(at, " L%.2f,%d", 0.04 * i, i % 2);
    (void)strcpy(at, "'/>");
    memory_open(&m);
    assert_non_null(weir_svg_path(m.file, data, '\''));
    for (char *c = memory_text(&m) + strlen("M0 0"); *c != '\0';) { /* h1, v1, l1 1 1 1: the sum of all x */
        char verb = *c == 'h' || *c == 'v' || *c == 'l' ? *c++ : 'l';
        double step = strtod(c, &c);
        if (verb == 'l')
            (void)strtod(c, &c);
        x += verb == 'v' ? 0 : step;
        while (verb == 'v' && (*c == ' ' || *c == '-')) /* more of them */
            (void)strtod(c, &c);
    }
    assert_true(fabs(x - 40) < 0.01);
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_relative_and_in_tenths),
        cmocka_unit_test(what_is_no_path_is_not_written),
        cmocka_unit_test(errors_do_not_add_up),
    };
    return cmocka_run_group_tests_name("report/svg_path", tests, NULL, NULL);
}
