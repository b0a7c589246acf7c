/* test/unit/report/test_across_runs.c - a port or flow in a figure, a curve for each run; which runs share a figure. */
#include "test/unit/report/report_fixture.h"
#include "report/html.h"
#include "report/runs_open.h"
#include "report/sections.h"

static struct weir_err err;

/* A run of two looks; its longest port, and two flows. */
static void put_run(int id, const char *label, const char *port)
{
    char sql[2048];
    (void)snprintf(
        sql, sizeof(sql),
        "INSERT INTO run (id, name, label, status, started_utc, experiment, figure, point) VALUES (%d, 'n', "
        "'%s', 'done', '', 'e', 'f', 'p');"
        "INSERT INTO series (id, run, name, unit, place) VALUES (%d, %d, 'port_queue', 'bytes', '%s'), (%d, "
        "%d, 'port_queue', 'bytes', 'idle'), (%d, %d, 'flow_rate', 'Gbps', 'flow 10'), (%d, %d, 'flow_rate', "
        "'Gbps', 'flow 2');"
        "INSERT INTO point (series, t_ps, value) VALUES (%d, 10, 5), (%d, 20, 7), (%d, 10, 0), (%d, 20, 1), "
        "(%d, 10, 50), (%d, 20, 50), (%d, 10, 3), (%d, 20, 4)",
        id, label, 10 * id, id, port, 10 * id + 1, id, 10 * id + 2, id, 10 * id + 3, id, 10 * id, 10 * id, 10 * id + 1,
        10 * id + 1, 10 * id + 2, 10 * id + 2, 10 * id + 3, 10 * id + 3);
    change(sql);
}

static char *section(void)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    struct weir_page page = { 0 };
    struct memory m;
    memory_open(&m);
    page.out = m.file;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    assert_int_equal(weir_section_across_runs(&page, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static int begin(void **state)
{
    assert_int_equal(make_sample(state), 0);
    change("DELETE FROM run; DELETE FROM series; DELETE FROM point");
    return 0;
}

static void one_run_has_nothing_beside_it(void **state)
{
    char *text;
    (void)state;
    put_run(1, "x-us", "a > b");
    text = section();
    assert_string_equal(text, "");
    free(text);
}

/* Each run's longest port, and flows in order of their numbers. */
static void two_runs_share_their_places(void **state)
{
    char *text;
    (void)state;
    put_run(1, "x-us", "a > b");
    put_run(2, "y-them", "b > c");
    text = section();
    assert_int_equal(count(text, "<h3>Ports and flows, runs side by side</h3>"), 1);
    assert_int_equal(count(text, "<figure>"), 4);
    assert_int_equal(count(text, "<h4>Queue of a &gt; b</h4>"), 1);
    assert_int_equal(count(text, "<h4>Queue of b &gt; c</h4>"), 1);
    assert_int_equal(count(text, "idle"), 0);
    assert_true(strstr(text, "Rate of flow 2") < strstr(text, "Rate of flow 10"));
    free(text);
}

static void many_runs_are_put_together_by_their_labels(void **state)
{
    static const char *const label[] = { "x-1", "x-2", "x-3", "y-1", "y-2", "y-3", "y-4", "y-5", "z-1" };
    char *text;
    (void)state;
    for (int i = 0; i < 9; i++)
        put_run(i + 1, label[i], "a > b");
    text = section();
    assert_int_equal(count(text, "<h3>Ports and flows, runs side by side: x</h3>"), 1);
    assert_int_equal(count(text, "<h3>Ports and flows, runs side by side: y</h3>"), 1);
    assert_int_equal(count(text, "<h3>"), 2); /* z is one run */
    assert_int_equal(count(text, "<figure>"), 6);
    free(text);
}

static void labels_that_share_nothing_say_from_which_to_which(void **state)
{
    static const char *const label[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "-j" };
    char *text;
    (void)state;
    for (int i = 0; i < 10; i++)
        put_run(i + 1, label[i], "a > b");
    text = section();
    assert_int_equal(count(text, "<h3>Ports and flows, runs side by side, -j to g</h3>"), 1);
    assert_int_equal(count(text, "<h3>Ports and flows, runs side by side, h to i</h3>"), 1);
    assert_int_equal(count(text, "<h3>"), 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_run_has_nothing_beside_it, begin, remove_sample),
        cmocka_unit_test_setup_teardown(two_runs_share_their_places, begin, remove_sample),
        cmocka_unit_test_setup_teardown(many_runs_are_put_together_by_their_labels, begin, remove_sample),
        cmocka_unit_test_setup_teardown(labels_that_share_nothing_say_from_which_to_which, begin, remove_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
