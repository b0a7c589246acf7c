/* test/unit/report/test_runs.c - runs of a result file: what is read, in which order, what is refused. */
#include "test/unit/refusal.h"
#include "test/unit/report/report_fixture.h"
#include "report/runs_open.h"
#include <fcntl.h>
#include <math.h>
#include <sys/file.h>

static struct weir_runs runs;
static struct weir_err err;

static int open_runs(size_t files)
{
    const char *const path[] = { sample, second };
    return weir_runs_open(&runs, path, files, NULL, NULL, &err);
}

static void runs_stand_by_experiment_figure_and_label(void **state)
{
    (void)state;
    assert_int_equal(open_runs(1), 0);
    assert_int_equal(runs.count, 20);
    assert_string_equal(runs.run[0].text[WEIR_RUN_LABEL], "Four hosts & \"one\" <switch>");
    assert_string_equal(runs.run[1].text[WEIR_RUN_LABEL], "B=1.5 SThr=0.5");
    assert_string_equal(runs.run[4].text[WEIR_RUN_LABEL], "wka dctcp 25%");
    assert_string_equal(runs.run[19].text[WEIR_RUN_LABEL], "wkc sird 85%");
    assert_false(weir_runs_same_group(&runs.run[3], &runs.run[4]));
    assert_true(weir_runs_same_group(&runs.run[4], &runs.run[19]));
    weir_runs_close(&runs);
}

static void values_come_from_metrics_and_the_json(void **state)
{
    const struct weir_run *run;
    (void)state;
    assert_int_equal(open_runs(1), 0);
    run = &runs.run[0];
    assert_true(run->value[WEIR_RUN_OFFERED] == 49.9);
    assert_true(run->value[WEIR_RUN_P50] == 1.195);
    assert_true(run->value[WEIR_RUN_MEASURED_S] == 0.01);
    assert_string_equal(run->text[WEIR_RUN_TOPOLOGY], "star");
    assert_string_equal(run->text[WEIR_RUN_HOSTS], "4");
    assert_false(weir_run_doubtful(run));
    assert_true(weir_run_doubtful(&runs.run[11]));           /* wka sird 85% */
    assert_true(isnan(runs.run[1].value[WEIR_RUN_GOODPUT])); /* it goes on */
    assert_false(weir_run_doubtful(&runs.run[1]));
    weir_runs_close(&runs);
}

static void only_those_that_are_asked_for(void **state)
{
    const char *const path[] = { sample };
    (void)state;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = "1,18" }, &err), 0);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.run[0].id + runs.run[1].id, 19);
    weir_runs_close(&runs);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .ids = "99" }, &err),
                     WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", sample);
}

static void only_those_that_fit(void **state)
{
    const char *const path[] = { sample }, *const where[] = { "protocol=sird", "load=65%" };
    (void)state;
    assert_int_equal(
        weir_runs_open(&runs, path, 1, NULL, &(struct weir_runs_filter){ .where = where, .where_count = 2 }, &err), 0);
    assert_int_equal(runs.count, 2);
    assert_string_equal(runs.run[0].text[WEIR_RUN_LABEL], "wka sird 65%");
    weir_runs_close(&runs);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL,
                                    &(struct weir_runs_filter){ .ids = "2", .where = where, .where_count = 2 }, &err),
                     WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", sample);
}

/* Of few runs each has its hosts and ports; of many the first of a set, since they are read point by point. */
static void places_of_many_runs_are_those_of_the_first_of_a_set(void **state)
{
    (void)state;
    for (int most = 8; most <= 9; most++) {
        change("DELETE FROM run WHERE id > 1");
        for (int seed = 2; seed <= most; seed++) {
            char sql[1024];
            (void)snprintf(
                sql, sizeof(sql),
                "INSERT INTO run SELECT id + %d, name, label, status, started_utc, weir_version, commit_id, machine,"
                " protocol, preset, %d, threads, digest, sim_s, wall_s, replace(scenario, 'seed: 1', 'seed: %d'),"
                " settings, json, experiment, figure, point FROM run WHERE id = 1;"
                "INSERT OR IGNORE INTO metric VALUES (%d, 'goodput_gbps', 1);"
                "INSERT OR IGNORE INTO series VALUES (%d, %d, 'port_queue', 'bytes', 'a > b');"
                "INSERT OR IGNORE INTO point VALUES (%d, 10, 1)",
                1000 + seed, seed, seed, 1001 + seed, 100000 + seed, 1001 + seed, 100000 + seed);
            change(sql);
        }
        assert_int_equal(open_runs(1), 0);
        assert_int_equal(runs.count, most);
        assert_int_equal(weir_runs_set(runs.run, runs.count), most);
        assert_true(runs.run[0].elements.count > 0);
        assert_int_equal(runs.run[1].elements.count, most > 8 ? 0 : 1);
        weir_runs_close(&runs);
    }
}

static void assert_all_differ(void)
{
    for (size_t i = 0; i < runs.count; i++)
        for (size_t k = 0; k < i; k++)
            if (weir_runs_same_group(&runs.run[i], &runs.run[k]))
                assert_string_not_equal(runs.run[i].text[WEIR_RUN_LABEL], runs.run[k].text[WEIR_RUN_LABEL]);
}

/* What differs is behind the name; where nothing does, the run's number and, of several, its file. */
static void runs_of_one_name_are_told_apart(void **state)
{
    char label[128];
    (void)state;
    change("UPDATE run SET label = 'same' WHERE id IN (18, 19); UPDATE run SET json = 'no JSON' WHERE id = 1");
    assert_int_equal(open_runs(1), 0);
    assert_string_equal(runs.run[2].text[WEIR_RUN_LABEL], "same, dctcp");
    assert_string_equal(runs.run[3].text[WEIR_RUN_LABEL], "same, sird");
    assert_null(runs.run[0].text[WEIR_RUN_TOPOLOGY]);
    weir_runs_close(&runs);
    name_second();
    fill_file(second);
    assert_int_equal(open_runs(2), 0);
    assert_int_equal(runs.count, 40);
    (void)snprintf(label, sizeof(label), "Four hosts & \"one\" <switch> (%s/a.db #1)", strrchr(dir, '/') + 1);
    assert_string_equal(runs.run[0].text[WEIR_RUN_LABEL], "Four hosts & \"one\" <switch> (b/a.db #1)");
    assert_string_equal(runs.run[1].text[WEIR_RUN_LABEL], label);
    assert_all_differ();
    weir_runs_close(&runs);
}

static void a_run_goes_on_only_while_somebody_writes_its_file(void **state)
{
    int fd = open(sample, O_RDWR);
    (void)state;
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(open_runs(1), 0);
    assert_string_equal(runs.run[1].text[WEIR_RUN_STATUS], "running");
    weir_runs_close(&runs);
    assert_int_equal(close(fd), 0);
    assert_int_equal(open_runs(1), 0);
    assert_string_equal(runs.run[1].text[WEIR_RUN_STATUS], "failed: its writer is gone");
    assert_string_equal(runs.run[2].text[WEIR_RUN_STATUS], "failed");
    assert_string_equal(runs.run[0].text[WEIR_RUN_STATUS], "done");
    weir_runs_close(&runs);
}

/* "a1" counts as "a01" does, and a run that has measured nothing stands behind those that have: neither lies between. */
static void runs_of_one_name_need_not_stand_together(void **state)
{
    (void)state;
    change("UPDATE run SET label = CASE id % 2 WHEN 0 THEN 'a1' ELSE 'a01' END WHERE id > 1;"
           "UPDATE run SET figure = 'tables' WHERE id > 17");
    assert_int_equal(open_runs(1), 0);
    assert_all_differ();
    weir_runs_close(&runs);
}

static void a_file_has_the_shortest_name_that_no_other_has(void **state)
{
    struct weir_db db[] = {
        { .path = "x.db" }, { .path = "a/x.db" }, { .path = "/tmp/a/x.db" }, { .path = "b/ax.db" }
    };
    const struct weir_runs files = { .db = db, .db_count = 4 };
    (void)state;
    assert_string_equal(weir_runs_file(&files, &db[0]), "x.db");
    assert_string_equal(weir_runs_file(&files, &db[1]), "a/x.db");
    assert_string_equal(weir_runs_file(&files, &db[2]), "tmp/a/x.db");
    assert_string_equal(weir_runs_file(&files, &db[3]), "ax.db");
}

static void a_file_is_opened_once(void **state)
{
    const char *const path[] = { sample, second };
    (void)state;
    name_second();
    assert_int_equal(link(sample, second), 0);
    assert_int_equal(weir_runs_open(&runs, path, 2, NULL, NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", second);
    assert_true(refusal_names(err.text, sample));
}

static void a_file_without_runs_is_refused(void **state)
{
    (void)state;
    change("DELETE FROM run");
    assert_int_equal(open_runs(1), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", sample);
}

static void a_file_of_a_newer_version_or_of_another_program_is_refused(void **state)
{
    (void)state;
    change("PRAGMA user_version = 2");
    assert_int_not_equal(open_runs(1), 0);
    assert_refusal(&err, WEIR_E_FILE, "", "newer");
    change("PRAGMA user_version = 1; PRAGMA application_id = 7");
    assert_int_not_equal(open_runs(1), 0);
    assert_refusal(&err, WEIR_E_FILE, "", sample);
}

static void a_file_that_lacks_a_table_is_refused(void **state)
{
    (void)state;
    change("DROP TABLE metric");
    assert_int_equal(open_runs(1), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "", "metric");
}

static void numbers_in_names_count_as_numbers(void **state)
{
    (void)state;
    assert_true(weir_natural_compare("B 2", "B 10") < 0);
    assert_true(weir_natural_compare("B 02", "B 2") < 0);
    assert_true(weir_natural_compare("B 02 b", "B 2 a") > 0); /* what is the same number decides last */
    assert_true(weir_natural_compare("B 02", "B 02") == 0);
    assert_true(weir_natural_compare("a", "ab") < 0);
    assert_true(weir_natural_compare("b", "ab") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_stand_by_experiment_figure_and_label, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(values_come_from_metrics_and_the_json, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(only_those_that_are_asked_for, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(only_those_that_fit, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(places_of_many_runs_are_those_of_the_first_of_a_set, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(runs_of_one_name_are_told_apart, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_run_goes_on_only_while_somebody_writes_its_file, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(runs_of_one_name_need_not_stand_together, make_sample, remove_sample),
        cmocka_unit_test(a_file_has_the_shortest_name_that_no_other_has),
        cmocka_unit_test_setup_teardown(a_file_is_opened_once, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_file_without_runs_is_refused, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_file_of_a_newer_version_or_of_another_program_is_refused, make_sample,
                                        remove_sample),
        cmocka_unit_test_setup_teardown(a_file_that_lacks_a_table_is_refused, make_sample, remove_sample),
        cmocka_unit_test(numbers_in_names_count_as_numbers),
    };
    return cmocka_run_group_tests_name("report/runs", tests, NULL, NULL);
}
