/* test/unit/report/test_over_load.c - which runs differ in load only, and how their curves look. */
#include "test/unit/report/report_fixture.h"
#include "report/sections.h"
#include <math.h>

enum { RUNS = 5 };
static char labels[RUNS][32];
static struct weir_run runs[RUNS];
static size_t run_count;

static int begin(void **state)
{
    (void)state;
    run_count = 0;
    return 0;
}

/* Adds a set of one run of DCTCP. doubt: NULL = none */
static void add(const char *label, double offered_gbps, double goodput_gbps, const char *doubt)
{
    static char dctcp[] = "dctcp";
    struct weir_run *run = &runs[run_count];
    *run = (struct weir_run){ .set = run_count };
    (void)snprintf(labels[run_count], sizeof(labels[run_count]), "%s", label);
    run->text[WEIR_RUN_LABEL] = labels[run_count];
    run->text[WEIR_RUN_PROTOCOL] = dctcp;
    for (int i = 0; i < WEIR_RUN_VALUE_COUNT; i++)
        run->value[i] = (double)NAN;
    run->value[WEIR_RUN_OFFERED] = offered_gbps;
    run->value[WEIR_RUN_GOODPUT] = goodput_gbps;
    if (doubt != NULL)
        run->doubt = labels[run_count];
    run_count++;
}

/* Returns the section with the numbers of its figures in JSON: only goodput has some. */
static char *section(void)
{
    struct memory m;
    struct weir_err err;
    memory_open(&m);
    struct weir_page page = { .out = m.file, .interactive = true };
    assert_int_equal(weir_section_load(&page, &(struct weir_group){ runs, run_count }, &err), 0);
    return memory_text(&m);
}

/* A curve of the figure in JSON, and its style: the first of two, of three .. of its law. */
static void has_curve(const char *text, const char *label, size_t number, size_t of)
{
    const struct weir_line_style style = weir_line_style_of("dctcp", number, of);
    char part[128];
    (void)snprintf(part, sizeof(part), "\"label\": \"%s\", \"note\": null, \"light\": \"%s\"", label,
                   weir_line_style_colour(style.hue, style.shade, false));
    if (count(text, part) != 1)
        fail_msg("not there: %s in: %s", part, text);
}

/* The last curve has one set alone, and counts as the others do. */
static void curves_of_one_law_differ_in_lightness(void **state)
{
    char *text;
    (void)state;
    add("a 10%", 10, 9, NULL);
    add("a 20%", 20, 19, NULL);
    add("b 10%", 10, 8, NULL);
    text = section();
    has_curve(text, "a", 0, 2);
    has_curve(text, "b", 1, 2);
    free(text);
    add("c 10%", 10, 7, NULL);
    text = section();
    has_curve(text, "a", 0, 3);
    has_curve(text, "b", 1, 3);
    has_curve(text, "c", 2, 3);
    free(text);
    run_count = 2;
    text = section();
    has_curve(text, "a", 0, 1);
    free(text);
}

static void marks_of_sets_in_doubt_are_hollow(void **state)
{
    char *text;
    (void)state;
    add("a 20%", 20, 19, "short");
    add("a 10%", 10, 9, NULL);
    add("b 10%", 10, 8, NULL);
    text = section();
    assert_int_equal(count(text, "\"x\": [10, 20], \"y\": [9, 19], \"doubt\": [0, 1]"), 1);
    assert_int_equal(count(text, "\"doubt\": "), 1);
    free(text);
}

static void one_load_alone_is_no_curve(void **state)
{
    char *text;
    (void)state;
    add("a 10%", 10, 9, NULL);
    add("b 20%", 20, 9, NULL);
    add("b 20%", 20, 8, NULL);
    text = section();
    assert_string_equal(text, "");
    free(text);
    add("b 21%", 21, 8, NULL);
    text = section();
    assert_int_equal(count(text, ">Goodput over load</h4>"), 1);
    free(text);
}

static void name(const char *label, const char *settings, const char *want)
{
    char out[64];
    weir_load_free_name(out, sizeof(out), label, settings);
    assert_string_equal(out, want);
}

static void a_load_is_taken_out_of_a_label(void **state)
{
    (void)state;
    name("wka sird 50%", NULL, "wka sird");
    name("load=0.5, sird", NULL, "sird");
    name("sird load 50 B=2", NULL, "sird B=2");
    name("sird load50", NULL, "sird");
    name("50%", NULL, "");
}

static void a_bare_number_is_a_load_if_it_was_set_as_one(void **state)
{
    (void)state;
    name("sird-balanced-wkc-50-1.5-0.5", "protocol.B=1.5 BDP\ntraffic[0].load=50%\n", "sird-balanced-wkc-1.5-0.5");
    name("sird-balanced-wkc-50-1.5", "protocol.B=1.5 BDP\n", "sird-balanced-wkc-50-1.5");
    name("fan_in 30", NULL, "fan_in 30");
    name("download 7", NULL, "download 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_taken_out_of_a_label),
        cmocka_unit_test(a_bare_number_is_a_load_if_it_was_set_as_one),
        cmocka_unit_test_setup(curves_of_one_law_differ_in_lightness, begin),
        cmocka_unit_test_setup(marks_of_sets_in_doubt_are_hollow, begin),
        cmocka_unit_test_setup(one_load_alone_is_no_curve, begin),
    };
    return cmocka_run_group_tests_name("report/over_load", tests, NULL, NULL);
}
