/* test/unit/report/test_line_style.c - a law has the same style on every page, and unlike every other law. */
#include "test/unit/report/report_fixture.h"
#include "registry.h"
#include "report/line_style.h"
#include "report/style.h"
#include <math.h>

static bool same(struct weir_line_style a, struct weir_line_style b)
{
    return a.hue == b.hue && a.shade == b.shade && a.dash == b.dash && a.mark == b.mark;
}

static void the_row_of_a_law_gives_its_look(void **state)
{
    const struct weir_line_style dctcp = weir_line_style_of("dctcp", 0, 1), sird = weir_line_style_of("sird", 0, 1);
    (void)state;
    assert_true(same(dctcp, (struct weir_line_style){ .hue = 1, .dash = 0, .mark = 0 }));
    assert_true(same(sird, (struct weir_line_style){ .hue = 3, .dash = 4, .mark = 2 }));
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        assert_in_range(p->style.hue, 1, WEIR_STYLE_KINDS);
        assert_in_range(p->style.dash, 1, WEIR_STYLE_KINDS);
        assert_in_range(p->style.mark, 1, WEIR_STYLE_KINDS);
        for (const struct weir_protocol *q = weir_protocols; q < p; q++) /* one colour: other dashes and another mark */
            if (q->style.hue == p->style.hue && (q->style.dash == p->style.dash || q->style.mark == p->style.mark))
                fail_msg("%s and %s have one style", p->name, q->name);
    }
}

/* Two of the colours are blue: laws of the one have other marks than laws of the other. */
static void laws_in_like_colours_have_other_marks(void **state)
{
    enum { BLUE = 1, LIGHT_BLUE = 6 };
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        for (const struct weir_protocol *q = weir_protocols; q->name != NULL; q++)
            if (p->style.hue == BLUE && q->style.hue == LIGHT_BLUE && p->style.mark == q->style.mark)
                fail_msg("%s and %s have one mark", p->name, q->name);
}

static void a_law_without_a_look_gets_one_by_its_name(void **state)
{
    const struct weir_line_style a = weir_line_style_of("no such law", 0, 1);
    (void)state;
    assert_in_range(a.hue, 1, WEIR_STYLE_KINDS);
    assert_true(a.dash < WEIR_STYLE_KINDS && a.mark < WEIR_STYLE_KINDS && a.shade == 0);
    assert_true(same(a, weir_line_style_of("no such law", 0, 1)));
    assert_false(same(a, weir_line_style_of("no such lax", 0, 1)));
    assert_true(same(weir_line_style_of("", 0, 1), weir_line_style_at(0)));
}

/* Of two: the most and the least contrast. Of six the sixth begins anew, with other dashes. */
static void sets_of_one_law_differ_in_lightness_and_mark(void **state)
{
    const struct weir_line_style base = weir_line_style_of("sird", 0, 1);
    (void)state;
    for (size_t n = 2; n <= 12; n++) {
        for (size_t i = 0; i < n; i++) {
            const struct weir_line_style style = weir_line_style_of("sird", i, n);
            assert_int_equal(style.hue, base.hue);
            assert_in_range(style.shade, 1, WEIR_STYLE_SHADES);
            for (size_t k = 0; k < i; k++)
                assert_false(same(style, weir_line_style_of("sird", k, n)));
        }
    }
    assert_int_equal(weir_line_style_of("sird", 0, 2).shade, 1);
    assert_int_equal(weir_line_style_of("sird", 1, 2).shade, 5);
    assert_int_equal(weir_line_style_of("sird", 1, 3).shade, 3);
    assert_int_equal(weir_line_style_of("sird", 4, 5).shade, 5);
    assert_int_equal(weir_line_style_of("sird", 4, 5).dash, base.dash);
    assert_int_equal(weir_line_style_of("sird", 5, 6).shade, 1);
    assert_int_equal(weir_line_style_of("sird", 5, 6).dash, base.dash + 1);
}

static void curves_of_no_law_differ_by_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < WEIR_STYLE_KINDS; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(weir_line_style_at(i).hue != weir_line_style_at(k).hue &&
                        weir_line_style_at(i).mark != weir_line_style_at(k).mark &&
                        weir_line_style_at(i).dash != weir_line_style_at(k).dash);
    assert_true(same(weir_line_style_at(WEIR_STYLE_KINDS), weir_line_style_at(0)));
}

/* The relative luminance of WCAG 2, of a colour "#rrggbb". */
static double luminance(const char *colour)
{
    static const double weight[] = { 0.2126, 0.7152, 0.0722 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        char part[3] = { colour[1 + 2 * i], colour[2 + 2 * i], '\0' };
        double c = (double)strtol(part, NULL, 16) / 255;
        sum += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* WCAG 2 wants a contrast of 3 of graphical objects. */
static void colours_can_be_seen_on_both_pages_and_shades_fade(void **state)
{
    static const char *const ground[] = { "#ffffff", "#14181c" };
    (void)state;
    for (int dark = 0; dark < 2; dark++) {
        for (unsigned hue = 1; hue <= WEIR_STYLE_KINDS; hue++) {
            double before = 100;
            assert_true(contrast(weir_line_style_colour(hue, 0, dark), ground[dark]) >= 3);
            for (unsigned shade = 1; shade <= WEIR_STYLE_SHADES; shade++) {
                double here = contrast(weir_line_style_colour(hue, shade, dark), ground[dark]);
                assert_true(here >= 3 && here < before / 1.2);
                before = here;
            }
        }
    }
}

/* A page has each colour twice, a drawing in its own file the colours of a light page. */
static void every_colour_has_a_variable(void **state)
{
    struct memory m;
    char *sheet, name[8], rule[32];
    (void)state;
    memory_open(&m);
    weir_style_sheet(m.file);
    sheet = memory_text(&m);
    for (unsigned hue = 1; hue <= WEIR_STYLE_KINDS; hue++) {
        for (unsigned shade = 0; shade <= WEIR_STYLE_SHADES; shade++) {
            weir_line_style_name(name, hue, shade);
            (void)snprintf(rule, sizeof(rule), "--%s:%s;", name, weir_line_style_colour(hue, shade, false));
            assert_int_equal(count(sheet, rule), 1);
            (void)snprintf(rule, sizeof(rule), "--%s:%s;", name, weir_line_style_colour(hue, shade, true));
            assert_int_equal(count(sheet, rule), 1);
        }
    }
    free(sheet);
    assert_string_equal((weir_line_style_name(name, 8, 5), name), "c8e");
    memory_open(&m);
    weir_style_plain(m.file, "var(--c1) var(--c1a) var(--c8e) var(--c9) var(--c0) var(--c1f) var(--a1) var(--a9) x",
                     false);
    assert_string_equal(memory_text(&m), "#0072b2 #003659 #8b939b    #8a949e  x");
    free(m.text);
}

static void a_key_is_a_line_with_a_mark(void **state)
{
    const struct weir_line_style solid = weir_line_style_of("dctcp", 0, 1), dashed = weir_line_style_of("sird", 4, 5);
    struct memory m;
    (void)state;
    memory_open(&m);
    weir_line_style_key(m.file, &solid, false);
    weir_line_style_key(m.file, &dashed, true);
    assert_string_equal(
        memory_text(&m),
        "<g color=\"var(--c1)\"><path d=\"M0 6H40\" stroke=\"currentColor\" stroke-width=\"2\"/><use "
        "href=\"#m6\" x=\"20\" y=\"6\"/></g>"
        "<g color=\"var(--c3e)\"><path d=\"M0 6H40\" stroke=\"currentColor\" stroke-width=\"2\" "
        "stroke-dasharray=\"18,5\" stroke-dashoffset=\"-11\"/><use href=\"#h5\" x=\"20\" y=\"6\"/></g>");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_row_of_a_law_gives_its_look),
        cmocka_unit_test(laws_in_like_colours_have_other_marks),
        cmocka_unit_test(a_law_without_a_look_gets_one_by_its_name),
        cmocka_unit_test(sets_of_one_law_differ_in_lightness_and_mark),
        cmocka_unit_test(curves_of_no_law_differ_by_their_place),
        cmocka_unit_test(colours_can_be_seen_on_both_pages_and_shades_fade),
        cmocka_unit_test(every_colour_has_a_variable),
        cmocka_unit_test(a_key_is_a_line_with_a_mark),
    };
    return cmocka_run_group_tests_name("report/line_style", tests, NULL, NULL);
}
