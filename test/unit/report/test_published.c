/* test/unit/report/test_published.c - published numbers as marks with bands: what is read of weir reproduce --json. */
#include "test/unit/report/report_fixture.h"
#include "report/published_lead.h"
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
        "aria-label=\"T &lt;1&gt; (Gb/s): a-sird-80 22 \xc2\xb1 1, published 20 \xc2\xb1 10 %; b 30, published 20 to "
        "25 \xc2\xb1 10 %, outside\"",
        1);
    has(text, "<g color=\"var(--c3)\"><path stroke", 1); /* sird */
    has(text, "<g color=\"var(--c8)\"><use", 1);         /* no law */
    has(text, "class=\"pb\"", 2);
    has(text, "<text class=\"te bad\"", 1);
    has(text, ">c</text>", 0); /* nothing was published of it, */
    has(text, "<h4>U", 0);     /* and this is another figure */
    has(text, "<details", 0);
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
    has(percent, "40, published 20 \xc2\xb1 10 %</text>", 1);
    has(points, "40, published 20 \xc2\xb1 10</text>", 1);
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
    has(text, ">unstable, published 20 \xc2\xb1 10 %, outside</text>", 1);
    has(text, ">5, published unstable, outside</text>", 1);
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

#define CELL(name, class, verdict)                                                                                     \
    "\"" name "\": {\"measured\": 21.54, \"published\": 37.5, \"digits\": 1, \"deviation_points\": -16, \"class\": "   \
    "\"" class "\", \"verdict\": \"" verdict "\"}"
#define PAPER(scale, cells)                                                                                            \
    "{\"title\": \"FNCC: fast (arXiv 2), its\", \"scale\": " scale                                                     \
    ", \"figures\": {\"fig9\": {\"title\": \"Figures 11 and 13: "                                                      \
    "two\", \"t\": {\"title\": \"T\", \"unit\": \"%\", \"band_percent\": 8, \"missed\": \"a <phase>\", \"cells\": "    \
    "{" cells "}}}}}"

/* What counts is first, with the reason of a miss; all else can be opened. */
static void main_readings_come_first(void **state)
{
    char *text =
        section(PAPER("1", CELL("x", "other_reading", "outside") ", " CELL("y", "printed", "outside") ", " CELL(
                               "z", "order", "within") ", " CELL("w", "model_check", "weak")));
    const char *others = strstr(text, "<details class=\"more readings\">");
    (void)state;
    assert_non_null(others);
    assert_true(strstr(text, ">y</text>") < others && strstr(text, ">z</text>") < others);
    assert_true(strstr(text, ">x</text>") > others && strstr(text, ">w</text>") > others);
    has(text, ">21.5, published 37.5 \xc2\xb1 8, outside</text>", 2);
    has(text, ">21.5, published 37.5 \xc2\xb1 8, so would no effect be</text>", 1);
    has(text, "<figcaption>Outside: a &lt;phase&gt;.</figcaption>", 2);
    has(text, "An upright line is", 2);
    free(text);
    text = section(PAPER("1", CELL("x", "other_reading", "within")));
    has(text, "<h3>", 0);
    has(text, "Outside:", 0);
    has(text, "</div></details>", 1);
    free(text);
}

/* Returns the first sentences. */
static char *lead(const char *json)
{
    const char *const path[] = { sample };
    struct weir_page page = { .published = json };
    struct weir_runs runs;
    struct memory m;
    memory_open(&m);
    page.out = m.file;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = "18,19,20" }, &err), 0);
    assert_int_equal(weir_published_lead(&page, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static void the_page_begins_with_what_is_met(void **state)
{
    char *text = lead(PAPER("0.2", CELL("x", "other_reading", "outside") ", " CELL("y", "printed", "outside") ", " CELL(
                                       "z", "printed", "weak") ", " CELL("w", "order", "outside")));
    (void)state;
    assert_string_equal(
        text,
        "<p class=\"verdict\"><strong>Of 2 printed numbers 1 is met, <span class=\"bad\">1 not</span>. Of 1 printed "
        "order 0 hold, <span class=\"bad\">1 not</span>. </strong>Not met:</p>\n<ul class=\"reasons\">\n<li>T, y: "
        "<strong>21.5 %</strong>, published 37.5 \xc2\xb1 8.</li>\n<li>T, w: in <strong>22 %</strong> of the "
        "cases.</li>\n</ul>\n<p>Scale 0.2: runs are 0.2 times as long as the published ones. Peaks grow with the "
        "length: those of whole runs do not compare at this scale.</p>\n");
    free(text);
    text = lead(PAPER("1", CELL("y", "printed", "within") ", " CELL("z", "printed", "not")));
    assert_string_equal(text,
                        "<p class=\"verdict\"><strong>Of 2 printed numbers 1 is met, 1 not checked. </strong></p>\n");
    free(text);
    text = lead(PAPER("1", CELL("y", "other_reading", "within")));
    assert_string_equal(text, "");
    free(text);
    text = lead(NULL);
    assert_string_equal(text, "");
    free(text);
    text = lead("{\"scale\": 2, \"measure_scale\": 0.5, \"figures\": {\"fig9\": {\"t\": {\"title\": \"T\", "
                "\"comparable\": false, "
                "\"cells\": {\"a\": {\"measured\": 1, \"published\": 2}}}}}}");
    has(text,
        "<p>Scale 2: warm-ups are 2 times, measured parts 0.5 times as long as the published ones. Peaks grow with the "
        "length, so 1 of these numbers does not compare: <span class=\"code\">--measure-scale 1</span>.</p>",
        1);
    free(text);
}

/* Of many numbers outside six are named. */
static void many_misses_are_counted(void **state)
{
    char *text = lead(PAPER(
        "1", CELL("a", "printed", "outside") ", " CELL("b", "printed", "outside") ", " CELL(
                 "c", "printed",
                 "outside") ", " CELL("d", "printed",
                                      "outside") ", " CELL("e", "printed",
                                                           "outside") ", " CELL("f", "printed",
                                                                                "outside") ", " CELL("g", "printed",
                                                                                                     "outside")));
    (void)state;
    has(text, "<li>T, ", 6);
    has(text, "<li>1 more, below.</li>", 1);
    free(text);
}

static void title_is(const char *ids, const char *json, const char *want)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    char title[256];
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = ids }, &err), 0);
    assert_int_equal(weir_published_title(title, sizeof(title), &runs, json, &err), 0);
    weir_runs_close(&runs);
    assert_string_equal(title, want);
}

static void the_title_names_paper_figure_and_scale(void **state)
{
    (void)state;
    title_is("18,19", PAPER("0.2", CELL("y", "printed", "within")),
             "FNCC (arXiv 2), figures 11 and 13: published against measured, scale 0.2");
    title_is(
        "18,19",
        "{\"title\": \"Dart (ToN 28(1), 2020): x\", \"scale\": 1, \"figures\": {\"fig9\": {\"title\": \"Figure 9: y\", "
        "\"t\": {\"cells\": {\"a\": {\"published\": 2}}}}}}",
        "Dart (ToN 28(1), 2020), figure 9: published against measured, scale 1"); /* one pair in another */
    title_is("2,18", PAPER("0.2", CELL("y", "printed", "within")),                /* of two figures */
             "FNCC (arXiv 2): published against measured, scale 0.2");
    title_is("18,19", PAPER("1", ""), ""); /* nothing was published */
    title_is("18,19", "{\"figures\": {\"fig9\": {\"t\": {\"cells\": {\"a\": {\"published\": 2}}}}}}", "");
    title_is(
        "18,19",
        "{\"title\": \"mine (v2)\", \"scale\": 1, \"measure_scale\": 0.5, \"figures\": {\"fig9\": {\"title\": \"FCT\", "
        "\"t\": {\"cells\": {\"a\": {\"published\": 2}}}}}}",
        "mine (v2), FCT: published against measured, scale 0.5");
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
        cmocka_unit_test_setup_teardown(main_readings_come_first, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(the_page_begins_with_what_is_met, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(many_misses_are_counted, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(the_title_names_paper_figure_and_scale, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(anything_else_is_refused_or_nothing, make_sample, remove_sample),
    };
    return cmocka_run_group_tests_name("report/published", tests, NULL, NULL);
}
