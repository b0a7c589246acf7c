/* test/unit/report/test_fullest.c - the sentences about the fullest port and link of a page, and the plot of queues. */
#include "test/unit/report/report_fixture.h"
#include "report/fullest.h"
#include "report/runs_open.h"

static struct weir_err err;
static int next;

static int begin(void **state)
{
    assert_int_equal(make_sample(state), 0);
    change("DELETE FROM run; DELETE FROM metric; DELETE FROM series; DELETE FROM point; DELETE FROM by_size; "
           "DELETE FROM histogram");
    next = 1;
    return 0;
}

/* Adds a run. more: fields of its JSON, each after a comma. queue: 0 = the file has no such number */
static void put(const char *law, const char *status, int seed, double queue, const char *more)
{
    char sql[1024];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO run (id, name, label, status, started_utc, protocol, seed, scenario, json) VALUES (%d, "
                   "'n', '%s', '%s', '', '%s', %d, 'protocol: {name: %s}' || char(10) || 'run: {seed: %d}', "
                   "'{\"verdict\": \"stable\", \"slowdown\": {\"all\": {\"count\": 9}}%s}');"
                   "INSERT INTO metric VALUES (%d, 'goodput_gbps', 40);"
                   "INSERT INTO metric SELECT %d, 'port_queue_bytes.max', %g WHERE %g > 0",
                   next, law, status, law, seed, law, seed, more, next, next, queue, queue);
    change(sql);
    next++;
}

#define PORT(name) ", \"fullest_port\": \"" name "\""
#define LINK(name, share) ", \"fullest_link\": \"" name "\", \"link_share_max\": " share

/* Returns what the function writes about all runs of the sample: the sentences, or the figure. */
static char *text_of(bool figure)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    struct memory m;
    bool open = false;
    memory_open(&m);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    const struct weir_group group = { runs.run, runs.count };
    struct weir_page page = { .out = m.file, .runs = runs.count };
    if (figure)
        assert_int_equal(weir_figure_fullest(&page, &group, &open, &err), 0);
    else
        weir_fullest_sentences(m.file, &group);
    weir_grid_end(&page, &open);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static void is(bool figure, const char *want)
{
    char *text = text_of(figure);
    assert_string_equal(text, want);
    free(text);
}

static void has(const char *part)
{
    char *text = text_of(true);
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in: %s", part, text);
    free(text);
}

/* Tests whether the plot has a dot of a set in doubt. */
static void hollow(bool want)
{
    char *text = text_of(true);
    assert_int_equal(count(text, "class=\"ho\"") > 0, want);
    free(text);
}

static void of_one_run_port_and_link_are_named_with_their_numbers(void **state)
{
    (void)state;
    put("a", "done", 1, 2350, PORT("leaf 1 > host<7>") LINK("host 3 > leaf 0", "0.934"));
    is(false, "<p class=\"facts\">Fullest port: <strong>leaf 1 &gt; host&lt;7&gt;</strong>, where up to <strong>2.35 "
              "KB</strong> queued. Fullest link: <strong>host 3 &gt; leaf 0</strong>, given <strong>93 %</strong> of "
              "what it can carry.</p>\n");
    is(true, "");
}

static void of_several_runs_the_run_is_named_and_how_many_agree(void **state)
{
    (void)state;
    put("a<b", "done", 1, 2000, PORT("p") LINK("l", "0.25"));
    put("a<b", "done", 2, 3000, PORT("q") LINK("l", "0.5"));
    is(false, "<p class=\"facts\">Fullest port: <strong>q</strong>, where up to <strong>3 KB</strong> queued (a&lt;b, "
              "seed 2); it is the fullest in 1 of 2 runs. Fullest link: <strong>l</strong>, given <strong>50 "
              "%</strong> of what it can carry (a&lt;b, seed 2); it is the fullest in all 2 runs.</p>\n");
    put("c", "done", 1, 1000, PORT("p") LINK("l", "0.125"));
    is(false, "<p class=\"facts\">Fullest port: <strong>q</strong>, where up to <strong>3 KB</strong> queued (a&lt;b, "
              "seed 2); it is the fullest in 1 of 3 runs. Fullest link: <strong>l</strong>, given <strong>50 "
              "%</strong> of what it can carry (a&lt;b, seed 2); it is the fullest in all 3 runs.</p>\n");
}

/* Runs that are not done, and files of an older Weir, name none. */
static void what_no_run_names_is_not_said(void **state)
{
    (void)state;
    put("a", "done", 1, 2000, "");
    put("b", "failed", 1, 3000, PORT("p") LINK("l", "0.5"));
    is(false, "");
    is(true, "");
    put("c", "done", 1, 0, ", \"fullest_port\": null" LINK("l", "0.5")); /* statistics: sampled */
    is(false, "<p class=\"facts\">Fullest link: <strong>l</strong>, given <strong>50 %</strong> of what it can "
              "carry.</p>\n");
    put("d", "done", 1, 2000, PORT("p"));
    is(false, "<p class=\"facts\">Fullest port: <strong>p</strong>, where up to <strong>2 KB</strong> queued. Fullest "
              "link: <strong>l</strong>, given <strong>50 %</strong> of what it can carry.</p>\n");
}

static void the_plot_has_the_port_of_each_set(void **state)
{
    (void)state;
    put("a", "done", 1, 2000, PORT("p"));
    put("a", "done", 2, 4000, PORT("q"));
    put("b", "done", 1, 5000, PORT("r"));
    has("a 3 KB, q in 1 of 2 runs; b 5 KB, r\"");
    hollow(false);
    change("UPDATE run SET json = json_set(json, '$.verdict', 'unstable') WHERE id = 2");
    hollow(true);
    put("c", "done", 1, 6000, ""); /* of an older Weir */
    has("<h4>Longest port queue</h4>");
    has("Longest port queue: a 3 KB, q in 1 of 2 runs; b 5 KB, r; c 6 KB\"");
}

/* As many sets as a comparison has are drawn, one more are not. */
static void more_sets_than_are_compared_are_not_drawn(void **state)
{
    char law[8];
    (void)state;
    for (int i = 0; i < 16; i++) {
        (void)snprintf(law, sizeof(law), "law%d", i);
        put(law, "done", 1, 2000, PORT("p"));
    }
    has("law15 2 KB, p\"");
    put("one more", "done", 1, 2000, PORT("p"));
    is(true, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(of_one_run_port_and_link_are_named_with_their_numbers, begin, remove_sample),
        cmocka_unit_test_setup_teardown(of_several_runs_the_run_is_named_and_how_many_agree, begin, remove_sample),
        cmocka_unit_test_setup_teardown(what_no_run_names_is_not_said, begin, remove_sample),
        cmocka_unit_test_setup_teardown(the_plot_has_the_port_of_each_set, begin, remove_sample),
        cmocka_unit_test_setup_teardown(more_sets_than_are_compared_are_not_drawn, begin, remove_sample),
    };
    return cmocka_run_group_tests_name("report/fullest", tests, NULL, NULL);
}
