/* test/unit/report/test_dots.c - dot plots: dots, intervals, published values, remarks, numbers. */
#include "test/unit/report/report_fixture.h"
#include "report/dots.h"
#include <math.h>

#define NONE ((double)NAN)
static struct weir_dot dot[3];
static struct weir_dots dots;

static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        dot[i] = (struct weir_dot){ .label = "a",
                                    .style = weir_line_style_of("dctcp", 0, 1),
                                    .mean = NONE,
                                    .half_width = NONE,
                                    .published_low = NONE,
                                    .published_high = NONE,
                                    .band_low = NONE,
                                    .band_high = NONE };
    dot[0].mean = 5;
    dots = (struct weir_dots){
        .title = "T <1>", .caption = "", .unit = WEIR_UNIT_RATIO, .base = 1, .dot = dot, .count = 1
    };
    return 0;
}

static char *drawn(void)
{
    struct memory m;
    memory_open(&m);
    weir_dots_draw(m.file, &dots);
    return memory_text(&m);
}

static void has(const char *text, const char *part, size_t want)
{
    if (count(text, part) != want)
        fail_msg("'%s' is there %zu times in: %s", part, count(text, part), text);
}

static void a_dot_has_the_mark_and_the_colour_of_its_law(void **state)
{
    char *text;
    (void)state;
    text = drawn();
    has(text, "<g color=\"var(--c1)\"><use href=\"#m6\"", 1);
    has(text, "stroke=\"currentColor\"", 0); /* no interval */
    has(text, "aria-label=\"T &lt;1&gt;: a 5\"", 1);
    has(text, ">1</text>", 1); /* the axis says where it begins */
    has(text, "class=\"pm\"", 0);
    free(text);
}

/* Labels that stand above their dots leave no room at the left. */
static void the_first_number_of_an_axis_is_whole(void **state)
{
    char *text, *at;
    double x = 0;
    (void)state;
    dot[0].label = "a label that stands above its dot";
    dot[0].mean = 99.7;
    dots.base = 99.5;
    text = drawn();
    at = strstr(text, "class=\"tm\">99.5</text>");
    assert_non_null(at);
    while (at > text && strncmp(at, "<text x=\"", 9) != 0)
        at--;
    x = strtod(at + 9, NULL);
    assert_true(x >= 4 * 8.7 / 2 - 0.1); /* its middle: four letters of 8.7 */
    free(text);
}

static void a_logarithmic_axis_says_so(void **state)
{
    char *text;
    (void)state;
    dots.count = 2;
    dot[0].mean = 2;
    dot[1].mean = 60;
    text = drawn();
    has(text, ">log</text>", 0);
    free(text);
    dot[1].mean = 61;
    text = drawn();
    has(text, ">log</text>", 1);
    free(text);
}

/* Ticks every 1 ms: with numbers at 0, 2 and 4 ms where all five have no room. */
static void numbers_of_ticks_have_equal_distances(void **state)
{
    char *text;
    (void)state;
    dots.base = 0;
    dots.unit = WEIR_UNIT_PS;
    dot[0].mean = 3.1e9;
    text = drawn();
    has(text, "class=\"tm\">1 ms</text>", 1);
    has(text, "class=\"tm\">3 ms</text>", 1);
    free(text);
    dots.width = 220;
    text = drawn();
    has(text, "class=\"tm\">1 ms</text>", 0);
    has(text, "class=\"tm\">2 ms</text>", 1);
    has(text, "class=\"tm\">3 ms</text>", 0);
    has(text, "class=\"tm\">4 ms</text>", 1);
    free(text);
}

/* Values that differ little are spread: the axis is a step of 50 wider than they are, in whatever order they stand. */
static void an_axis_of_like_values_is_from_the_least_to_the_greatest(void **state)
{
    static const double order[][3] = { { 1000, 950, 980 }, { 950, 980, 1000 }, { 980, 1000, 950 } };
    (void)state;
    dots.count = 3;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        char *text;
        for (size_t k = 0; k < 3; k++)
            dot[k].mean = order[i][k];
        text = drawn();
        has(text, "class=\"tm\">", 4); /* ticks: */
        has(text, "class=\"tm\">900</text>", 1);
        has(text, "class=\"tm\">1050</text>", 1);
        free(text);
    }
}

/* The axis is from 1 to 10: wide, since the label has one letter. A short interval has no caps. */
static void an_interval_is_a_line_with_caps(void **state)
{
    char *text;
    (void)state;
    dot[0].half_width = 4;
    text = drawn();
    has(text, "<path stroke=\"currentColor\" stroke-width=\"2\" d=\"M", 1);
    has(text, "v10M", 1);
    has(text, "5.0 \xc2\xb1 4.0", 2); /* in the description, too */
    free(text);
    dot[0].half_width = 0.01;
    dots.count = 2;
    dot[1].mean = 9;
    text = drawn();
    has(text, "v10M", 0);
    has(text, "<path stroke=\"currentColor\"", 1);
    free(text);
}

static void what_is_in_doubt_is_hollow_and_dashed(void **state)
{
    char *text;
    (void)state;
    dot[0].half_width = 4;
    dot[0].kind = WEIR_DOT_DOUBTFUL;
    (void)strcpy(dot[0].remark, "in <doubt>");
    text = drawn();
    has(text, "<circle class=\"ho\"", 1);
    has(text, "<use ", 0);
    has(text, "stroke-dasharray=\"3,3\"", 1);
    has(text, "<text class=\"q\"", 1);
    has(text, ">in &lt;doubt&gt;</text>", 1);
    free(text);
}

static void the_best_is_bold_and_what_failed_is_coloured(void **state)
{
    char *text;
    (void)state;
    dots.count = 2;
    dot[0].kind = WEIR_DOT_BEST;
    (void)strcpy(dot[0].remark, "best");
    dot[1].kind = WEIR_DOT_BAD;
    (void)strcpy(dot[1].remark, "no run done");
    text = drawn();
    has(text, "class=\"te bst\"", 1);
    has(text, "<text class=\"bst\"", 1);
    has(text, "<text class=\"bad\"", 1);
    has(text, "<use ", 1);                  /* a set without a number has no dot, */
    has(text, "\">\xe2\x80\x93</text>", 1); /* and a dash for its number */
    free(text);
}

static void a_published_value_is_an_upright_line_with_its_band(void **state)
{
    char *text;
    (void)state;
    dot[0].published_low = dot[0].published_high = 4;
    dot[0].band_low = 3, dot[0].band_high = 5;
    text = drawn();
    has(text, "class=\"pb\"", 1);
    has(text, "<path class=\"pm\" d=\"M", 1);
    has(text, "v20\"/>", 1);
    has(text, ", published 4\"", 1);
    free(text);
    dot[0].published_high = 4.5; /* a range has two, joined */
    dot[0].band_low = NONE;
    text = drawn();
    has(text, "class=\"pb\"", 0);
    has(text, "v20M", 2);
    has(text, ", published 4 to 4.500\"", 1);
    free(text);
    dot[0].mean = NONE; /* it is there without a measured number */
    assert_true(weir_dots_visible(&dots));
    dot[0].published_low = dot[0].published_high = NONE;
    dot[0].band_high = NONE;
    assert_false(weir_dots_visible(&dots));
}

static void a_long_label_is_above_its_dot(void **state)
{
    size_t low;
    (void)state;
    dot[0].label = "seventeen letters";
    low = weir_dots_height(&dots);
    dot[0].label = "eighteen letters, ";
    assert_int_equal(weir_dots_height(&dots), low + 46 - 27);
    dot[0].label = "seventeen letter\xc3\xb6"; /* letters, not bytes */
    assert_int_equal(weir_dots_height(&dots), low);
}

static void numbers_are_whole_in_csv(void **state)
{
    struct memory m;
    (void)state;
    dots.count = 2;
    dot[0] = (struct weir_dot){ .label = "a \"b\"",
                                .mean = 1.25,
                                .half_width = 0.5,
                                .published_low = 1,
                                .published_high = 2,
                                .band_low = 0.5,
                                .band_high = 3,
                                .remark = "best" };
    memory_open(&m);
    weir_dots_csv(m.file, &dots);
    assert_string_equal(memory_text(&m), "curve,mean,half_width,published_from,published_to,band_from,band_to,remark\n"
                                         "\"a \"\"b\"\"\",1.25,0.5,1,2,0.5,3,\"best\"\n"
                                         "\"a\",,,,,,,\"\"\n");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_dot_has_the_mark_and_the_colour_of_its_law, begin),
        cmocka_unit_test_setup(the_first_number_of_an_axis_is_whole, begin),
        cmocka_unit_test_setup(a_logarithmic_axis_says_so, begin),
        cmocka_unit_test_setup(numbers_of_ticks_have_equal_distances, begin),
        cmocka_unit_test_setup(an_axis_of_like_values_is_from_the_least_to_the_greatest, begin),
        cmocka_unit_test_setup(an_interval_is_a_line_with_caps, begin),
        cmocka_unit_test_setup(what_is_in_doubt_is_hollow_and_dashed, begin),
        cmocka_unit_test_setup(the_best_is_bold_and_what_failed_is_coloured, begin),
        cmocka_unit_test_setup(a_published_value_is_an_upright_line_with_its_band, begin),
        cmocka_unit_test_setup(a_long_label_is_above_its_dot, begin),
        cmocka_unit_test_setup(numbers_are_whole_in_csv, begin),
    };
    return cmocka_run_group_tests_name("report/dots", tests, NULL, NULL);
}
