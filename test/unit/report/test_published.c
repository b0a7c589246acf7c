/* test/unit/report/test_published.c - published numbers as marks with bands: what is read of weir reproduce --json. */
#include "test/unit/report/report_fixture.h"
#include "report/runs_open.h"
#include "report/sections.h"

static struct weir_err err;

#define JSON(cells)                                                                                                    \
    "{\"figures\": {\"fig9\": {\"skipped\": \"malformed\", \"t\": {\"title\": \"T <1>\", \"unit\": \"Gb/s\", "         \
    "\"band_percent\": 10, \"cells\": {" cells "}}}, \"other\": {\"u\": {\"title\": \"U\", \"cells\": {\"x\": "        \
    "{\"measured\": 1, \"published\": 2}}}}}}"

/* Draws what was published of fig9, which runs 18 to 20 of the sample belong to. */
static char *section(const char *json)
{
    const char *const path[] = { sample };
    struct weir_page page = { .published = json };
    struct weir_runs runs;
    struct memory m;
    memory_open(&m);
    page.out = m.file;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = "18,19,20" }, &err), 0);
    assert_int_equal(weir_section_published(&page, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static void has(const char *text, const char *part, size_t want)
{
    if (count(text, part) != want)
        fail_msg("'%s' is there %zu times in: %s", part, count(text, part), text);
}

static void a_cell_is_a_dot_with_the_colour_of_its_law(void **state)
{
    char *text =
        section(JSON("\"a-sird-80\": {\"measured\": 22, \"half_width_95\": 1, \"published\": 20, "
                     "\"published_max\": 20, \"verdict\": \"within\"}, \"b\": {\"measured\": 30, \"published\": "
                     "20, \"published_max\": 25, \"verdict\": \"outside\"}, \"c\": {\"measured\": 3, "
                     "\"published\": null}"));
    (void)state;
    has(text, "<h4>T &lt;1&gt; (Gb/s)</h4>", 1);
    has(text,
        "aria-label=\"T &lt;1&gt; (Gb/s): a-sird-80 22.0 \xc2\xb1 1.0, published 20; b 30, outside, published 20 to "
        "25\"",
        1);
    has(text, "<g color=\"var(--c3)\"><path stroke", 1); /* sird */
    has(text, "<g color=\"var(--c8)\"><use", 1);         /* no law */
    has(text, "class=\"pb\"", 2);
    has(text, "<text class=\"bad\"", 1);
    has(text, ">c</text>", 0); /* nothing was published of it, */
    has(text, "<h4>U", 0);     /* and this is another figure */
    has(text, "1 of 2 are within, 1 outside, 0 not checked.", 1);
    free(text);
}

/* 10 % of 20 are 18 to 22; ten points around 20 are 10 to 30. The axis begins at 0, so that bands have these parts of it. */
static void a_band_is_in_percent_or_in_points(void **state)
{
    char *percent =
        section(JSON("\"a\": {\"measured\": 40, \"published\": 20, \"published_max\": 20, \"verdict\": null, "
                     "\"deviation_percent\": 100}"));
    char *points =
        section(JSON("\"a\": {\"measured\": 40, \"published\": 20, \"published_max\": 20, \"verdict\": null, "
                     "\"deviation_points\": 20}"));
    (void)state;
    double from[2], to[2];
    assert_int_equal(sscanf(strstr(percent, "class=\"pb\""), "class=\"pb\" d=\"M%lf %*fH%lf", &from[0], &to[0]), 2);
    assert_int_equal(sscanf(strstr(points, "class=\"pb\""), "class=\"pb\" d=\"M%lf %*fH%lf", &from[1], &to[1]), 2);
    assert_true((to[1] - from[1]) / (to[0] - from[0]) > 4.9 && (to[1] - from[1]) / (to[0] - from[0]) < 5.1);
    has(percent, "0 of 1 are within, 0 outside, 1 not checked.", 1);
    free(percent);
    free(points);
}

static void a_state_in_place_of_a_number_is_a_remark(void **state)
{
    char *text =
        section(JSON("\"a\": {\"measured\": \"unstable\", \"published\": 20, \"published_max\": 20, \"verdict\": "
                     "\"outside\"}, \"b\": {\"measured\": 5, \"published\": \"unstable\", \"verdict\": "
                     "\"outside\"}"));
    (void)state;
    has(text, ">is unstable</text>", 1);
    has(text, ">printed: unstable</text>", 1);
    has(text, "<use ", 1);
    has(text, "class=\"pm\"", 1);
    free(text);
}

static void many_cells_are_several_figures(void **state)
{
    char json[8192], *text;
    size_t at;
    (void)state;
    (void)snprintf(json, sizeof(json), "{\"figures\": {\"fig9\": {\"t\": {\"title\": \"T\", \"cells\": {");
    for (int i = 0; i < 19; i++) {
        at = strlen(json);
        (void)snprintf(json + at, sizeof(json) - at, "%s\"c%d\": {\"measured\": 1, \"published\": 2}",
                       i > 0 ? ", " : "", i);
    }
    (void)strcat(json, "}}}}}");
    text = section(json);
    has(text, "<h4>T</h4>", 1);
    has(text, "<h4>T, part 2</h4>", 1);
    has(text, "<use ", 19);
    free(text);
}

static void anything_else_is_refused_or_nothing(void **state)
{
    static const char *const bad[] = { "", "x", "{}", "[1]", "{\"figures\": 3}", "{\"figures\": {}" };
    const char *const path[] = { sample };
    struct weir_runs runs;
    char *text;
    (void)state;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(weir_published_check(&runs.db[0], bad[i], &err), WEIR_E_SYNTAX);
    assert_int_equal(weir_published_check(&runs.db[0], "{\"figures\": {}}", &err), 0);
    weir_runs_close(&runs);
    text = section("{\"figures\": {\"fig9\": [1, {\"cells\": 3}, {\"cells\": {\"x\": 3}}, \"{\"]}}");
    assert_string_equal(text, "");
    free(text);
    text = section(NULL);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cell_is_a_dot_with_the_colour_of_its_law, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_band_is_in_percent_or_in_points, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_state_in_place_of_a_number_is_a_remark, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(many_cells_are_several_figures, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(anything_else_is_refused_or_nothing, make_sample, remove_sample),
    };
    return cmocka_run_group_tests_name("report/published", tests, NULL, NULL);
}
