/* test/unit/report/test_page.c - the whole page, without gnuplot: what is in it for one run and for twenty. A script stands in for
 * gnuplot where a drawing is wanted, so that the test needs none. */
#include "test/unit/refusal.h"
#include "test/unit/report/report_fixture.h"
#include "report/report.h"
#include <sys/stat.h>

static struct weir_report_done done;
static struct weir_err err;

static char *page(const char *gnuplot, const volatile int *stop, int want)
{
    const char *const path[] = { sample };
    const struct weir_report_options options = {
        .path = path, .path_count = 1, .version = "1.2.3", .gnuplot = gnuplot, .stop = stop
    };
    struct memory m;
    memory_open(&m);
    assert_int_equal(weir_report_page(m.file, &options, &done, &err), want);
    return memory_text(&m);
}

static void twenty_runs_without_gnuplot(void **state)
{
    char *text = page("/nowhere/gnuplot", NULL, 0), *again;
    (void)state;
    assert_int_equal(done.runs, 20);
    assert_int_equal(done.figures, 0);
    assert_non_null(strstr(done.no_figures, "/nowhere/gnuplot"));
    assert_int_equal(count(text, "<p class=\"warn\">"), 1);
    assert_int_equal(count(text, "<svg class=\"plot\""), 0);
    assert_int_equal(count(text, "<figure>"), 32); /* without the hosts of run 1: the page has too many runs */
    assert_int_equal(count(text, "<details open><summary>Numbers"), 32);
    assert_int_equal(count(text, "<section id=\"g"), 3);
    assert_int_equal(count(text, "<li><a href=\"#g"), 3);
    assert_int_equal(count(text, "On pages of at most 8 runs only."), 1);
    assert_int_equal(count(text, "Scenario of "), 20);
    assert_int_equal(count(text, "Drawn: the first"), 0);   /* four drawings of four of the 16 sets */
    assert_int_equal(count(text, "<td class=\"bad\">"), 8); /* run 9: numbers, flagged */
    assert_int_equal(count(text, "unfinished bytes grew by 23 % of what was offered"),
                     3); /* in the first lines, on the badge, below the table */
    assert_int_equal(count(text, "<switch>"), 0);
    assert_int_equal(count(text, "http"), 0);
    again = page("/nowhere/gnuplot", NULL, 0);
    assert_string_equal(text, again);
    free(text);
    free(again);
}

/* Law 1 has no number of what it got of its demand; a list of anything else is none. */
static void laws_and_classes_have_a_table(void **state)
{
    char *text;
    (void)state;
    change("UPDATE run SET json = json_set(json, '$.laws', json('[{\"protocol\": \"a<b\", \"class\": 1, "
           "\"goodput_gbps\": 2.5, \"demand_met\": 0.75, \"slowdown\": {\"all\": {\"p99\": 12}}, \"drops\": 34}, "
           "{\"protocol\": \"cubic\", \"class\": 0, \"demand_met\": null}]'), '$.classes', json('[{\"class\": 1}]')), "
           "label = 'two laws' WHERE id = 8;"
           "UPDATE run SET json = json_set(json, '$.laws', json('[\"x\", 3]')) WHERE id = 9;"
           "INSERT INTO metric VALUES (8, 'laws_jain', 0.875)");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "Each law and class</summary>"), 1);
    assert_int_equal(count(text,
                           "two laws</th><td class=\"words\">0 a&lt;b, class 1</td><td>2.500 Gbps</td><td>0.7500</td>"
                           "<td>–</td><td>12</td><td>–</td><td>34</td>"),
                     1);
    assert_int_equal(count(text, "1 cubic, class 0</td><td>–</td><td>–</td>"), 1);
    assert_int_equal(count(text, "fairness of laws</td><td>–</td><td>0.8750</td>"), 1);
    assert_int_equal(count(text, "<td class=\"words\">class 1</td>"), 1);
    free(text);
}

static void runs_in_doubt_for_one_reason_are_named_together(void **state)
{
    char *text;
    (void)state;
    change("UPDATE run SET label = 'run ' || id WHERE id BETWEEN 8 AND 11;"
           "UPDATE run SET json = json_set(json, '$.stable', json('false'), '$.unstable_why',"
           " iif(id = 10, 'queues grew', 'a & b')) WHERE id BETWEEN 8 AND 11");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "<strong>In doubt</strong> (a &amp; b): run 8, run 9, run 11</p>"), 1);
    assert_int_equal(count(text, "<strong>In doubt</strong> (queues grew): run 10</p>"), 1);
    assert_int_equal(count(text, "<strong>In doubt</strong>"), 2);
    free(text);
}

/* Files of before have no findings: 20 runs without, above. */
static void findings_are_told_run_by_run(void **state)
{
    char *text;
    (void)state;
    change("UPDATE run SET label = 'run ' || id WHERE id IN (8, 9, 10);"
           "UPDATE run SET json = json_set(json, '$.stable', json('false'), '$.unstable_why', 'less than 98 %', "
           "'$.verdict', 'too_short',"
           " '$.findings', json('[{\"kind\": \"too_short\", \"measure_s\": 0.015, \"text\": \"5 < 8\"}, {\"text\": "
           "\"two\"}]')) WHERE id = 8;"
           "UPDATE run SET json = json_set(json, '$.verdict', 'so_far', '$.findings', json('[]')) WHERE id = 10");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "<details open><summary>What these numbers lack, and what helps</summary>"), 1);
    assert_int_equal(count(text, "<li><strong>run 8</strong>: 5 &lt; 8. two.</li>"), 1);
    assert_int_equal(count(text, "<li><strong>run"), 1);
    assert_int_equal(count(text, ">too short</span>"), 1);
    assert_int_equal(count(text, "so far"), 0);         /* it is not in doubt */
    assert_int_equal(count(text, "less than 98 %"), 0); /* findings say more */
    assert_int_equal(count(text, "<td class=\"bad\">"), 16);
    free(text);
}

/* SQL: gives run 8 so many rules that dropped one packet each. */
#define MANY_CAUSES(count)                                                                                             \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " count ") UPDATE run SET json = "       \
    "json_set(json, '$.drops_by_cause', (SELECT json_group_object('f.' || i, json('{\"data\": 1, \"ack\": 0, "         \
    "\"credit\": 0, \"control\": 0}')) FROM n)) WHERE id = 8"

/* Of rules that took nothing there is no row, and no table of runs without any. */
static void causes_of_drops_are_a_table(void **state)
{
    char *text;
    (void)state;
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "Why packets were dropped or lost"), 0);
    free(text);
    change(
        "UPDATE run SET label = 'run ' || id WHERE id = 8;"
        "UPDATE run SET json = json_set(json, '$.drops_by_cause', json('{\"switch.memory\": {\"data\": 12, \"ack\": 0, "
        "\"credit\": 0, \"control\": 1}, \"a<b.port\": {\"data\": 0, \"ack\": 3, \"credit\": 0, \"control\": 0}, "
        "\"codel.sojourn\": {\"data\": 0, \"ack\": 0, \"credit\": 0, \"control\": 0}}')) WHERE id = 8");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "<details open><summary>Why packets were dropped or lost</summary>"), 1);
    assert_int_equal(
        count(text, "<td class=\"code\">switch.memory</td><td class=\"words\">the memory of a switch was full</td>"
                    "<td>12</td><td>0</td><td>0</td><td>1</td></tr>"),
        1);
    assert_int_equal(count(text, "<td class=\"code\">a&lt;b.port</td><td "
                                 "class=\"words\"></td><td>0</td><td>3</td><td>0</td><td>0</td></tr>"),
                     1);
    assert_int_equal(count(text, "codel.sojourn"), 0);
    assert_int_equal(count(text, "<h4>Packets dropped, by rule</h4>"), 1);
    assert_int_equal(count(text,
                           "Packets dropped, by rule: run 8: switch.memory, data 12; run 8: switch.memory, control "
                           "1; run 8: a&lt;b.port, ACKs 3\""),
                     1);
    assert_int_equal(count(text, "mean over the seeds of a set. switch.memory: the memory of a switch was full.</fig"),
                     1);
    assert_int_equal(count(text, "<h4>Packets lost"), 0);
    free(text);
    change(MANY_CAUSES("24"));
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "run 8: f.24, data 1\""), 1);
    assert_int_equal(count(text, " More are in the table below."), 0);
    free(text);
    change(MANY_CAUSES("25"));
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "run 8: f.24, data 1\""), 1); /* the last dot */
    assert_int_equal(count(text, " More are in the table below."), 1);
    free(text);
}

/* Below the verdict of each part: what was dropped, and the fullest port and link. */
static void what_was_dropped_and_what_was_fullest_is_said_first(void **state)
{
    char *text, *verdict, *dropped, *fullest, *figures;
    (void)state;
    change("UPDATE run SET json = json_set(json, '$.fullest_port', 'leaf 1 > host 2') WHERE id = 8");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "<p class=\"facts\">Nothing was dropped or lost.</p>"), 1); /* run 1 */
    assert_int_equal(count(text, "<p class=\"facts\">Dropped: most with "), 1);              /* run 9 */
    assert_int_equal(count(text, "<h4>Longest port queue</h4>"), 1);
    verdict = strstr(text, "<section id=\"g2\">");
    dropped = strstr(verdict, "<p class=\"facts\">Dropped: ");
    fullest = strstr(verdict, "<p class=\"facts\">Fullest port: <strong>leaf 1 &gt; host 2</strong>");
    figures = strstr(verdict, ">At a glance</h3>");
    assert_true(dropped != NULL && fullest > dropped && figures > fullest);
    free(text);
}

/* The sweep again with seeds 2 and 3: offered load 1.1 and 1.3 times that of seed 1, p99 the same. */
static void runs_that_differ_in_the_seed_only_are_one_line_and_curve(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM run WHERE id NOT BETWEEN 2 AND 9; CREATE TEMP TABLE again (more, seed, factor);"
           "INSERT INTO again VALUES (100, 2, 1.1), (200, 3, 1.3);"
           "INSERT INTO run SELECT id + more, name, label, status, started_utc, weir_version, commit_id, machine, "
           "protocol, preset,"
           " again.seed, threads, digest, sim_s, wall_s, replace(scenario, 'seed: 1', 'seed: ' || again.seed), "
           "settings, json,"
           " experiment, figure, point FROM run, again WHERE id < 100;"
           "INSERT INTO metric SELECT run + more, name, value * iif(name = 'offered_gbps', factor, 1) FROM metric, "
           "again WHERE run < 100;"
           "INSERT INTO by_size SELECT run + more, denominator, lo_bytes, hi_bytes, count, p50 * factor, p99 FROM "
           "by_size, again"
           " WHERE run < 100");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(done.runs, 24);
    /* 24.95, 27.445 and 32.435: mean 28.28, t(2) = 4.303 times 3.811 / sqrt(3); goodput is the same of each */
    assert_int_equal(count(text, "<tr><th>Seeds</th><td>3</td>"), 1);
    assert_int_equal(count(text, "<tr><th>Offered per host</th><td>28.3 \xc2\xb1 9.5 Gbps</td>"), 1);
    assert_int_equal(count(text, "<tr><th>Goodput per host</th><td>24.93 Gbps</td>"), 1);
    assert_int_equal(count(text, "<summary>Each seed</summary>"), 1);
    assert_int_equal(count(text, "<tr><th>wka dctcp 25%, seed 2</th><td>no</td><td>27.45 Gbps</td>"), 1);
    assert_int_equal(count(text, "<tr><th>28.28 Gbps</th>"), 5); /* once in each figure over load */
    assert_int_equal(
        count(text, "Each curve is the mean over 3 seeds, its band from the least to the greatest of them."), 1);
    assert_int_equal(count(text, "<summary>Scenario of wka dctcp 25%, 3 seeds</summary>"), 1);
    assert_int_equal(count(text, "<p>As that of wka dctcp 25%, but:</p>"), 7);
    assert_int_equal(count(text, "<pre>traffic[0].load: 45%\n</pre>"), 1); /* and nothing else */
    assert_int_equal(count(text, " of 3)"), 0);
    assert_int_equal(count(text, " Hollow: sets with a run in doubt."), 5); /* one set is in doubt from the beginning */
    free(text);
    change("DELETE FROM metric WHERE run = 203 AND name = 'drops'; DELETE FROM run WHERE id = 204;"
           "UPDATE run SET json = json_set(json, '$.stable', json('false'), '$.findings', json('[{\"text\": \"too "
           "few\"}]'))"
           " WHERE id = 103");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "Each curve is the mean over its seeds, its band"), 0);
    assert_int_equal(count(text, "(2 of 3)</td>"), 1);
    assert_int_equal(count(text, " of 3)"), 1);
    /* One of three seeds is enough to doubt a mean. Lines of eight values: it and its set, and another set of which all are in doubt. */
    assert_int_equal(count(text, "unknown in 1 of 3</span></td>"), 1);
    assert_int_equal(count(text, " Hollow: sets with a run in doubt."), 5); /* in each figure over load */
    assert_int_equal(count(text, "<td class=\"bad\">"), 8 * (2 + 4));
    assert_int_equal(count(text, "<li><strong>wka dctcp 45%, seed 2</strong>: too few.</li>"), 1);
    free(text);
}

static void one_run_stands_beside_its_titles(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM run WHERE id > 1");
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(count(text, "<figure>"), 15);
    assert_int_equal(count(text, "<h1>Four hosts &amp; &quot;one&quot; &lt;switch&gt;: sird</h1>"), 1);
    assert_int_equal(count(text, "<tr><th>p99 slowdown</th><td>4.555</td></tr>"), 1);
    assert_int_equal(
        count(text, "<tr><th>Traffic</th><td class=\"words\">poisson wkc 50%, incast 30:1 500 KB 7%</td></tr>"), 1);
    assert_int_equal(count(text, "the measured part of the run, 2.5 ms to 12.5 ms"), 7);
    assert_int_equal(count(text, "in the middle of which its mark stands"), 2);
    assert_int_equal(count(text, "<nav>"), 0);
    assert_int_equal(count(text, "Over load"), 0);
    free(text);
}

/* Nine laws at two loads with this many seeds, in place of all runs. */
static void put_sweep(int seeds)
{
    char sql[2048];
    (void)snprintf(
        sql, sizeof(sql),
        "DELETE FROM series; DELETE FROM point; CREATE TEMP TABLE law (n, name); INSERT INTO law VALUES (0, 'a'), (1, "
        "'b'), (2, 'c'), (3, 'd'), (4, 'e'), (5, "
        "'f'), "
        "(6, 'g'), (7, 'h'), (8, 'i');"
        "CREATE TEMP TABLE l (load); INSERT INTO l VALUES (30), (50);"
        "CREATE TEMP TABLE s AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i "
        "FROM "
        "n;"
        "INSERT INTO run SELECT 1000 + 100 * law.n + 50 * (load = 50) + s.i, 'n', law.name || ', ' || load || '%%', "
        "'done', "
        "'', NULL, NULL, NULL, law.name, NULL, s.i, 1, '', 0.0125, 1, 'protocol: {name: ' || law.name || '}' || "
        "char(10) || "
        "'traffic:' || char(10) || '  - {kind: poisson, load: ' || load || '%%}' || char(10) || 'run: {seed: ' || s.i "
        "|| '}', "
        "NULL, (SELECT json FROM run WHERE id = 2), 'e', 'f', 'p' FROM law, l, s;"
        "DELETE FROM metric; INSERT INTO metric SELECT id, 'goodput_gbps', 5 FROM run WHERE id >= 1000;"
        "INSERT INTO series SELECT id, id, 'goodput', 'Gbps', NULL FROM run WHERE id >= 1000;"
        "INSERT INTO point SELECT run.id, t.value * 1000000000, 5 FROM run, json_each('[1,2,3]') AS t WHERE run.id >= "
        "1000;"
        "DELETE FROM run WHERE id < 1000",
        seeds);
    change(sql);
}

/* So that it is not wider than a page. */
static void up_to_twelve_sets_are_columns_of_the_summary(void **state)
{
    (void)state;
    put_sweep(1);
    for (int sets = 13; sets >= 11; sets--) {
        char sql[128], *text;
        (void)snprintf(sql, sizeof(sql), "DELETE FROM run WHERE id NOT IN (SELECT id FROM run ORDER BY id LIMIT %d)",
                       sets);
        change(sql);
        text = page("/nowhere/gnuplot", NULL, 0);
        assert_int_equal(done.runs, sets);
        assert_int_equal(count(text, "<tr><th>Goodput per host</th><td>5 Gbps</td>"), sets <= 12);
        free(text);
    }
}

/* 36 runs have all figures in both panels, 54 in the first alone. */
static void later_panels_of_many_runs_are_brief(void **state)
{
    char *text;
    (void)state;
    put_sweep(2);
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(done.runs, 36);
    assert_int_equal(count(text, "<summary>Figures: "), 2);
    assert_int_equal(count(text, "<h4>Goodput over time</h4>"), 2);
    assert_int_equal(count(text, "A page of these runs alone"), 0);
    free(text);
    change("DELETE FROM run; DELETE FROM series; DELETE FROM point; INSERT INTO run (id, name, label, status, "
           "started_utc, "
           "json) VALUES (2, '', '', 'done', '', '{}')");
    put_sweep(3);
    text = page("/nowhere/gnuplot", NULL, 0);
    assert_int_equal(done.runs, 54);
    assert_int_equal(count(text, "<h4>Goodput over time</h4>"), 1);
    assert_int_equal(count(text, "A page of these runs alone"), 1);
    free(text);
}

static void make_gnuplot(char *path, size_t size, const char *does)
{
    FILE *file;
    (void)snprintf(path, size, "%s/gnuplot", dir);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\n%s\n", does);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void drawings_stand_in_the_page(void **state)
{
    char path[64], *text;
    (void)state;
    change("DELETE FROM run WHERE id > 1");
    make_gnuplot(path, sizeof(path),
                 "cat >&2\necho '<svg viewBox=\"0 0 4 3\">'\necho '<g id=\"gnuplot_canvas\">'\necho '</g></svg>'");
    text = page(path, NULL, 0);
    assert_int_equal(done.figures, 15);
    assert_string_equal(done.no_figures, "");
    assert_int_equal(count(text, "<svg class=\"plot\" viewBox=\"0 0 4 3\""), 15);
    assert_int_equal(count(text, "<p class=\"warn\">"), 0);
    assert_int_equal(unlink(path), 0);
    free(text);
}

/* Messages of one size have the slowdown of all, and a look is a number though it is no line. */
static void what_is_one_point_has_a_figure_if_nothing_else_says_it(void **state)
{
    char path[64], *text;
    (void)state;
    change("DELETE FROM run WHERE id > 1; DELETE FROM by_size WHERE lo_bytes <> 1000;"
           "DELETE FROM point WHERE series = (SELECT id FROM series WHERE run = 1 AND name = 'goodput') AND"
           " t_ps < 12500000000");
    make_gnuplot(path, sizeof(path),
                 "cat >&2\necho '<svg viewBox=\"0 0 4 3\">'\necho '<g id=\"gnuplot_canvas\">'\necho '</g></svg>'");
    text = page(path, NULL, 0);
    assert_int_equal(count(text, "<h4>Slowdown by message size"), 0);
    assert_int_equal(count(text, "<h4>Goodput over time</h4>"), 1);
    assert_int_equal(count(text, "<figure>"), 13);
    assert_int_equal(count(text, "<svg class=\"plot\""), 12);
    assert_int_equal(count(text, "<details open><summary>Numbers"), 1);
    assert_int_equal(done.figures, 12);
    assert_int_equal(unlink(path), 0);
    free(text);
}

static void a_gnuplot_that_draws_something_else_costs_the_figures(void **state)
{
    char path[64], *text;
    (void)state;
    make_gnuplot(path, sizeof(path), "echo no");
    text = page(path, NULL, 0);
    assert_int_equal(done.figures, 0);
    assert_non_null(strstr(done.no_figures, "does not write SVG as gnuplot does"));
    assert_int_equal(unlink(path), 0);
    free(text);
}

static void it_stops_when_asked(void **state)
{
    static const volatile int stop = 2;
    char *text = page("/nowhere/gnuplot", &stop, WEIR_E_RUN);
    (void)state;
    assert_refusal(&err, WEIR_E_RUN, "", "interrupted");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(twenty_runs_without_gnuplot, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(what_was_dropped_and_what_was_fullest_is_said_first, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(causes_of_drops_are_a_table, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(findings_are_told_run_by_run, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(laws_and_classes_have_a_table, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(runs_in_doubt_for_one_reason_are_named_together, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(runs_that_differ_in_the_seed_only_are_one_line_and_curve, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(one_run_stands_beside_its_titles, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(drawings_stand_in_the_page, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(what_is_one_point_has_a_figure_if_nothing_else_says_it, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(a_gnuplot_that_draws_something_else_costs_the_figures, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(it_stops_when_asked, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(up_to_twelve_sets_are_columns_of_the_summary, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(later_panels_of_many_runs_are_brief, make_sample, remove_sample),
    };
    return cmocka_run_group_tests_name("report/page", tests, NULL, NULL);
}
