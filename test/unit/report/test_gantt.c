/* test/unit/report/test_gantt.c - jobs over time as bars: which bars there are, and how they are drawn. */
#include "test/unit/report/report_fixture.h"
#include "report/gantt.h"
#include "report/runs_open.h"
#include "report/sections.h"

static struct weir_err err;

static void has(const char *text, const char *part, size_t want)
{
    if (count(text, part) != want)
        fail_msg("'%s' is there %zu times in: %s", part, count(text, part), text);
}

/* The axis is from 0 to 4 s, 379.1 units wide, behind a label of seven letters. */
static void a_bar_is_from_start_to_end_and_hollow_without_one(void **state)
{
    static const char *const row[] = { "job <1>" }, *const lane[] = { "a", "b" };
    static const struct weir_gantt_bar bar[] = { { .lane = 0, .from_s = 0, .to_s = 2 },
                                                 { .lane = 1, .from_s = 2, .to_s = 4, .open = true } };
    const struct weir_line_style style[] = { { .hue = 1 }, { .hue = 3, .shade = 2 } };
    const struct weir_gantt gantt = { .title = "T",
                                      .caption = "",
                                      .row = row,
                                      .lane = lane,
                                      .style = style,
                                      .bar = bar,
                                      .rows = 1,
                                      .lanes = 2,
                                      .bars = 2 };
    double x[2], width[2];
    struct memory m;
    (void)state;
    memory_open(&m);
    weir_gantt_draw(m.file, &gantt);
    has(memory_text(&m), "<rect ", 2);
    has(m.text, "fill=\"var(--c1)\" stroke=\"none\"/>", 1);
    has(m.text, "stroke=\"var(--c3b)\" stroke-dasharray=\"3,3\"/>", 1);
    has(m.text, ">job &lt;1&gt;</text>", 1);
    has(m.text, ">4 s</text>", 1);
    assert_int_equal(sscanf(strstr(m.text, "<rect"), "<rect x=\"%lf\" y=\"%*f\" width=\"%lf\"", &x[0], &width[0]), 2);
    assert_int_equal(sscanf(strstr(strstr(m.text, "<rect") + 1, "<rect"), "<rect x=\"%lf\" y=\"%*f\" width=\"%lf\"",
                            &x[1], &width[1]),
                     2);
    assert_true(width[0] > 189.3 && width[0] < 189.8 && width[1] > width[0] - 0.2 && width[1] < width[0] + 0.2);
    assert_true(x[1] > x[0] + width[0] - 0.2 && x[1] < x[0] + width[0] + 0.2);
    free(m.text);
    memory_open(&m);
    weir_gantt_csv(m.file, &gantt);
    assert_string_equal(memory_text(&m),
                        "curve,row,from_s,to_s,ended\n\"a\",\"job <1>\",0,2,1\n\"b\",\"job <1>\",2,4,0\n");
    free(m.text);
}

static char *section(void)
{
    const char *const path[] = { sample };
    struct weir_page page = { 0 };
    struct weir_runs runs;
    struct memory m;
    memory_open(&m);
    page.out = m.file;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = "2,6" }, &err), 0);
    assert_int_equal(weir_section_jobs_time(&page, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return memory_text(&m);
}

/* Job b of run 6 has not ended: it is open to the end of the run, 12.5 ms. A job that has not begun is in no figure. */
static void jobs_of_all_sets_share_rows(void **state)
{
    char *text = section();
    (void)state;
    assert_string_equal(text, "");
    free(text);
    change("UPDATE run SET json = json_set(json, '$.jobs', json('[{\"name\": \"a\", \"start_s\": 0.001, "
           "\"completion_s\": 0.002}, {\"name\": \"a\", \"start_s\": 0.003, \"completion_s\": 1}]')) WHERE id = 2;"
           "UPDATE run SET json = json_set(json, '$.jobs', json('[{\"name\": \"a\", \"start_s\": 0.001, "
           "\"completion_s\": 0.004}, {\"name\": \"b\", \"start_s\": 0.002, \"completion_s\": null}, {\"name\": \"c\", "
           "\"start_s\": null}, 7]'), '$.coflows', json('[{\"job\": \"j\", \"name\": \"x\", \"start_s\": 0, "
           "\"completion_s\": 0.001}]')) WHERE id = 6");
    text = section();
    has(text, "<h4>Jobs over time</h4>", 1);
    has(text, "<h4>Coflows over time</h4>", 1);
    has(text, "<rect ", 4);
    has(text, "stroke-dasharray=\"3,3\"/>\n<", 1);
    has(text, ">a</text>", 1);
    has(text, ">b</text>", 1);
    has(text, ">c</text>", 0);
    has(text, ">j x</text>", 1);
    has(text, "</svg> wka ", 3); /* both sets in the first legend, one in the second */
    free(text);
}

static void of_many_jobs_the_first_are_drawn(void **state)
{
    char *text;
    (void)state;
    change("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 26) UPDATE run SET json = "
           "json_set(json, '$.jobs', (SELECT json_group_array(json_object('name', 'j' || i, 'start_s', i / 100.0, "
           "'completion_s', 0.001)) FROM n)) WHERE id = 2");
    text = section();
    has(text, "<rect ", 24);
    has(text, "2 more are in the table below.", 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_is_from_start_to_end_and_hollow_without_one),
        cmocka_unit_test_setup_teardown(jobs_of_all_sets_share_rows, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(of_many_jobs_the_first_are_drawn, make_sample, remove_sample),
    };
    return cmocka_run_group_tests_name("report/gantt", tests, NULL, NULL);
}
