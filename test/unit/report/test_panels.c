/* test/unit/report/test_panels.c - many runs: which share figures. */
#include "test/unit/weir_test.h"
#include "report/panels.h"
#include <stdio.h>
#include <string.h>

#define MOST 64

static struct weir_run run[MOST];
static char label[MOST][64];
static struct weir_panels panels;
static struct weir_err err;

/* Each law at each of so many loads, with so many seeds. */
static struct weir_group sweep(size_t laws, size_t loads, size_t seeds)
{
    static char *const law[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q" };
    static char done[] = "done";
    size_t count = 0;
    memset(run, 0, sizeof(run));
    for (size_t l = 0; l < laws; l++)
        for (size_t k = 0; k < loads; k++)
            for (size_t s = 0; s < seeds; s++, count++) {
                (void)snprintf(label[count], sizeof(label[count]), "%s, %zu%%", law[l], 10 * k + 10);
                run[count].text[WEIR_RUN_LABEL] = label[count];
                run[count].text[WEIR_RUN_PROTOCOL] = law[l];
                run[count].text[WEIR_RUN_STATUS] = done;
                run[count].set = l * loads + k;
            }
    return (struct weir_group){ run, count };
}

static void a_panel_compares_laws(void **state)
{
    const struct weir_group group = sweep(3, 4, 2);
    (void)state;
    assert_int_equal(weir_panels_make(&panels, &group, &err), 0);
    assert_int_equal(panels.count, 4);
    assert_string_equal(panels.title[0], "10%");
    assert_string_equal(panels.title[3], "40%");
    for (size_t p = 0; p < 4; p++) {
        assert_int_equal(panels.end[p], 6 * (p + 1));
        assert_int_equal(weir_set_count(&panels.run[6 * p], 6), 3); /* seeds stay together */
    }
    assert_string_equal(panels.run[7].text[WEIR_RUN_LABEL], "a, 20%");
    assert_string_equal(panels.run[8].text[WEIR_RUN_LABEL], "b, 20%");
    for (size_t i = 0; i < group.count; i++) /* one set of each law in a panel: no shades */
        assert_true(panels.run[i].style.hue > 0 && panels.run[i].style.shade == 0);
    weir_panels_free(&panels);
}

static void what_one_figure_draws_is_not_divided(void **state)
{
    const struct weir_group group = sweep(2, 4, 5);
    (void)state;
    assert_int_equal(weir_panels_make(&panels, &group, &err), 0);
    assert_int_equal(panels.count, 0);
    weir_panels_free(&panels);
}

static void nor_is_what_gives_too_much_or_too_little(void **state)
{
    static const size_t tried[][3] = { { 2, 7, 1 },
                                       { 17, 2, 1 },
                                       { 1, 9, 1 } }; /* seven panels; seventeen laws; one law */
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct weir_group group = sweep(tried[i][0], tried[i][1], tried[i][2]);
        assert_int_equal(weir_panels_make(&panels, &group, &err), 0);
        assert_int_equal(panels.count, 0);
        weir_panels_free(&panels);
    }
}

static void nor_is_what_leaves_one_alone(void **state)
{
    const struct weir_group group = sweep(8, 2, 1);
    (void)state;
    (void)strcpy(label[15], "h, 30%");
    assert_int_equal(weir_panels_make(&panels, &group, &err), 0);
    assert_int_equal(panels.count, 0);
    weir_panels_free(&panels);
}

static void a_title_is_a_label_without_the_protocol(void **state)
{
    static const char *const row[][3] = {
        { "sird, 40%", "sird", "40%" },       { "x-sird-2", "sird", "x-2" }, { "x sird", "sird", "x" },
        { "sirdish 2", "sird", "sirdish 2" }, { "sird", "sird", "" },        { "a", "", "a" },
        { "besird-sird", "sird", "besird" },
    };
    char title[32];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        weir_panel_title(title, sizeof(title), row[i][0], row[i][1]);
        assert_string_equal(title, row[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panel_compares_laws),
        cmocka_unit_test(what_one_figure_draws_is_not_divided),
        cmocka_unit_test(nor_is_what_gives_too_much_or_too_little),
        cmocka_unit_test(nor_is_what_leaves_one_alone),
        cmocka_unit_test(a_title_is_a_label_without_the_protocol),
    };
    return cmocka_run_group_tests_name("report/panels", tests, NULL, NULL);
}
