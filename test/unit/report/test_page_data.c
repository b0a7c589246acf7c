/* test/unit/report/test_page_data.c - the data of an interactive page: numbers, settings that differ, messages, ports. */
#include "test/unit/report/report_fixture.h"
#include "report/page_data.h"
#include "report/runs_open.h"

#define COLUMNS "ALTER TABLE message ADD COLUMN key INTEGER; ALTER TABLE message ADD COLUMN weight REAL;"
/* 401 measured messages of run 1, number n with slowdown n / 100 from 1 on: the greatest numbers are the slowest. */
#define MESSAGES                                                                                                       \
    "DELETE FROM message; WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "            \
    "INSERT INTO message SELECT 1, i, 2, 3, 0, 1000 * i, 5000000000, 5000000000 + i * 1000, 100000, 100000, 0, 0, "    \
    "(1 << 40) + i, 1 FROM n;"

static struct weir_err err;

/* Returns the data of the runs of the sample that fit a condition, which the caller frees. */
static char *data(const char *only)
{
    const char *const path[] = { sample };
    const struct weir_runs_filter filter = { .ids = only };
    struct weir_runs runs;
    char *text;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, &filter, &err), 0);
    assert_int_equal(weir_page_data(&text, &runs, &err), 0);
    weir_runs_close(&runs);
    return text;
}

static void each_run_has_its_numbers(void **state)
{
    char *text = data("9");
    (void)state;
    assert_int_equal(count(text,
                           "\"name\": \"drops\", \"title\": \"packets dropped by switches\", \"unit\": \"count\", "
                           "\"better\": \"least\", \"needs_stable\": false}"),
                     1);
    assert_int_equal(count(text, "\"name\": \"goodput_gbps\""), 1);
    assert_int_equal(count(text, "\"better\": \"greatest\""), 2);
    assert_int_equal(count(text, "\"name\": \"marks\""), 0); /* 0 in all runs */
    assert_int_equal(count(text, "\"name\": \"jain\""), 0);  /* null */
    assert_int_equal(count(text, "\"left_out\": []"), 1);
    free(text);
}

/* Numbers of the machine, and those of another version, are not offered. */
static void some_numbers_are_left_out(void **state)
{
    char *text;
    (void)state;
    change("INSERT INTO metric VALUES (9, 'wall_s', 3), (9, 'no_such_number', 4), (9, 'losses', 5)");
    text = data("9");
    assert_int_equal(count(text, "\"name\": \"wall_s\"") + count(text, "no_such_number"), 0);
    assert_int_equal(count(text, "\"name\": \"losses\""), 1);
    free(text);
}

/* Three seeds with 10, 20 and 60 packets sent again: mean 30, and an interval; of two seeds there is none. */
static void a_set_has_mean_and_interval(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM metric WHERE name NOT IN ('retransmissions', 'goodput_gbps'); DELETE FROM run WHERE id NOT "
           "BETWEEN 2 AND 4;"
           "UPDATE run SET label = 'a', protocol = 'sird', preset = NULL, scenario = 'protocol: {name: sird}', "
           "settings = NULL, seed = id, json = json_set(json, '$.stable', json('true'));"
           "UPDATE metric SET value = CASE WHEN name = 'goodput_gbps' THEN 1 ELSE CASE run WHEN 2 THEN 10 WHEN 3 THEN "
           "20 ELSE 60 END END");
    text = data(NULL);
    assert_int_equal(count(text, "\"count\": 3"), 1);
    assert_int_equal(count(text, ", [30, 65.7"), 1); /* 4.303 * 26.46 / sqrt(3) */
    assert_int_equal(count(text, ", 10]}"), 1);
    free(text);
    change("UPDATE run SET json = json_set(json, '$.stable', json('false')) WHERE id = 4"); /* in doubt: none, either */
    text = data(NULL);
    assert_int_equal(count(text, ", [30]]"), 1);
    free(text);
    change("DELETE FROM run WHERE id = 4");
    text = data(NULL);
    assert_int_equal(count(text, ", [15]]"), 1);
    free(text);
}

static void a_run_in_doubt_has_its_reason(void **state)
{
    char *text;
    (void)state;
    text = data(NULL);
    assert_int_equal(count(text, "\"note\": \"in doubt\", \"why\": \"unknown\""), 1);
    assert_int_equal(count(text, "\"why\": null"), 19);
    free(text);
}

static void settings_that_differ_within_a_law_can_be_chosen(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM run WHERE id NOT BETWEEN 2 AND 5; UPDATE run SET scenario = CASE id "
           "WHEN 2 THEN 'protocol: {name: sird, B: 1}' || char(10) || 'traffic: [{load: 0.4}]' || char(10) || 'run: "
           "{seed: 1, group_a: 10 KB}' "
           "WHEN 3 THEN 'protocol: {name: sird, B: 1}' || char(10) || 'traffic: [{load: 0.5}]' || char(10) || 'run: "
           "{seed: 2, group_a: 10 KB}' "
           "ELSE 'protocol: {name: dctcp, g: 2}' || char(10) || 'traffic: [{load: 0.5}]' || char(10) || 'run: {seed: "
           "1}' END, "
           "protocol = iif(id < 4, 'sird', 'dctcp')");
    text = data(NULL);
    assert_int_equal(count(text, "\"keys\": [\"traffic[0].load\"]"), 1); /* not the seed, and not what one law has */
    assert_int_equal(count(text, "\"keys\": [\"40%\"], \"groups\": [\"10 KB\", null, null]"), 1);
    assert_int_equal(count(text, "\"keys\": [\"50%\"]"), 3);
    free(text);
    change("UPDATE run SET scenario = scenario || char(10) || 'host: {mark: 1}' WHERE id = 2"); /* a key that one has */
    text = data(NULL);
    assert_int_equal(count(text, "\"host.mark\""), 1);
    assert_int_equal(count(text, "\"keys\": [\"50%\", null]"), 3);
    free(text);
}

/* 13 settings differ, and 201 numbers are there: the last of each is left out, and the page says so. */
static void settings_and_numbers_have_a_bound(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM run WHERE id NOT IN (2, 3); DELETE FROM metric; UPDATE run SET protocol = 'sird';"
           "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 22) UPDATE run SET scenario = "
           "(SELECT group_concat('k' || i || ': ' || id, char(10)) FROM n);"
           "WITH k(part) AS (VALUES ('classes[0]'), ('classes[1]'), ('classes[2]'), ('classes[3]'), ('laws[0]'), "
           "('laws[1]'), ('laws[2]'), ('laws[3]')), g(name) AS (VALUES ('A'), ('B'), ('C'), ('D'), "
           "('all')), s(name) AS (VALUES ('count'), ('mean'), ('p50'), ('p95'), ('p99')) INSERT INTO metric SELECT 2, "
           "part || '.slowdown.' || g.name || '.' || s.name, 1 FROM k, g, s;"
           "INSERT INTO metric VALUES (2, 'marks', 1)");
    text = data(NULL);
    assert_int_equal(count(text, "\"k21\"]"), 1);
    assert_int_equal(count(text, "\"k22\""), 0);
    assert_int_equal(count(text, "settings: runs differ in more than the 12 that can be chosen"), 1);
    assert_int_equal(count(text, "\"name\": \"laws[3].slowdown.all.p99\""), 1);
    assert_int_equal(count(text, "\"name\": \"marks\""), 0);
    assert_int_equal(count(text, "numbers: the page has 200 of them"), 1);
    free(text);
    change("UPDATE run SET scenario = replace(scenario, 'k22: ', 'k22: 7 #'); DELETE FROM metric WHERE name = "
           "'marks'");
    text = data(NULL);
    assert_int_equal(count(text, "\"left_out\": []"), 1);
    free(text);
}

/* Of 3 runs a page has 333 ports each. */
static void ports_have_a_bound(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM run WHERE id NOT IN (2, 3, 4); DELETE FROM point; DELETE FROM series;"
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 334) "
           "INSERT INTO series SELECT 1000 * run.id + i, run.id, 'port_queue', 'bytes', 'port ' || i FROM n, run;"
           "INSERT INTO point SELECT id, 10, 5000 - id FROM series");
    text = data(NULL);
    assert_int_equal(count(text, "[\"port 333\", "), 3);
    assert_int_equal(count(text, "[\"port 334\", "), 0);
    assert_int_equal(count(text, "ports: of each run the page has the 333 with the longest mean queue"), 1);
    free(text);
    change("DELETE FROM series WHERE place = 'port 334'");
    text = data(NULL);
    assert_int_equal(count(text, "ports: of each run"), 0);
    free(text);
}

static void all_messages_are_there_up_to_the_bound(void **state)
{
    char *text;
    (void)state;
    change(COLUMNS MESSAGES);
    text = data("1");
    assert_int_equal(
        count(text, "\"messages\": 401, \"rows\": [[500000, 5, 1, 2, 3, 0, 5000000000], [499000, 4.99, 1, "), 1);
    assert_int_equal(count(text, ", [100000, 1, 1, 2, 3, 0, 5000000000]]"), 1);
    assert_int_equal(count(text, "\"left_out\": []"), 1);
    free(text);
}

/* Of 16 runs each has room for 250 messages: the 125 slowest, and 125 others that stand for 276. */
static void more_messages_are_the_slowest_and_a_sample(void **state)
{
    char *text;
    size_t rows;
    (void)state;
    change(COLUMNS MESSAGES "DELETE FROM run WHERE id > 16");
    text = data(NULL);
    rows = count(text, ", 2, 3, 0, 5000000000]");
    assert_int_equal(rows, 250);
    assert_int_equal(count(text, "000, 3.76, 1, 2, 3, 0, "), 1);
    assert_int_equal(count(text, ", 2.208, 2, 3, 0, "), 125); /* 276 / 125 */
    assert_int_equal(count(text, "messages: of each run the page has 250, half of them the slowest"), 1);
    free(text);
}

/* Of equal slowdowns the greater number is the slower one, and each message is there once. */
static void messages_of_equal_slowdown_are_there_once(void **state)
{
    char *text;
    (void)state;
    change(COLUMNS MESSAGES "DELETE FROM run WHERE id > 16; DELETE FROM message WHERE id > 350; UPDATE message SET "
                            "end_ps = start_ps + 200000");
    text = data(NULL);
    assert_int_equal(count(text, ", 2, 3, 0, 5000000000]"), 250);
    assert_int_equal(count(text, "\"rows\": [[350000, 2, 1, "), 1);
    assert_int_equal(count(text, "[226000, 2, 1, "), 1); /* the last of the 125 slowest */
    assert_int_equal(count(text, "[226000, 2, "), 1);
    free(text);
}

/* On a page of 100 runs each has 40 messages; of more there are none. */
static void pages_of_many_runs_have_no_messages(void **state)
{
    char *text;
    (void)state;
    change(COLUMNS MESSAGES
           "WITH RECURSIVE n(i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
           "INSERT INTO run (id, name, label, status, started_utc) SELECT i, 'a', 'a', 'failed', '' FROM n");
    text = data(NULL);
    assert_int_equal(count(text, ", 2, 3, 0, 5000000000]"), 40);
    free(text);
    change("INSERT INTO run (id, name, label, status, started_utc) VALUES (101, 'a', 'a', 'failed', '')");
    text = data(NULL);
    assert_int_equal(count(text, "\"messages\": []"), 1);
    assert_int_equal(count(text, "single messages: a page of more than 100 runs has none"), 1);
    free(text);
}

/* What counts ended after the warm-up, and is no incast next to other traffic. */
static void messages_that_do_not_count_are_left_out(void **state)
{
    char *text;
    (void)state;
    change(COLUMNS MESSAGES
           "UPDATE run SET scenario = 'traffic:' || char(10) || '- {kind: poisson}' || char(10) || '- {kind: incast}';"
           "UPDATE run SET sim_s = 0.015, json = json_set(json, '$.measured_s', 0.01);" /* a warm-up of 5 ms */
           "UPDATE message SET item = 1 WHERE id < 110; UPDATE message SET end_ps = 4999999999 WHERE id = 110; "
           "UPDATE message SET end_ps = 5000000000 WHERE id = 111");
    text = data("1");
    assert_int_equal(count(text, "\"messages\": 390, "), 1);
    free(text);
    change("UPDATE run SET scenario = replace(scenario, 'kind: incast', 'kind: cbr')");
    text = data("1");
    assert_int_equal(count(text, "\"messages\": 390, "), 1);
    free(text);
    change("UPDATE run SET scenario = replace(scenario, 'kind: cbr', 'kind: incast, measured: true')");
    text = data("1");
    assert_int_equal(count(text, "\"messages\": 400, "), 1);
    free(text);
    change("UPDATE run SET scenario = replace(scenario, 'poisson', 'poisson, measured: false')");
    text = data("1");
    assert_int_equal(count(text, "\"messages\": 10, "), 1);
    free(text);
    change("UPDATE run SET scenario = 'traffic: [{kind: incast}, {kind: incast}]'"); /* nothing else, so they count */
    text = data("1");
    assert_int_equal(count(text, "\"messages\": 400, "), 1);
    free(text);
}

/* A file of an older Weir has messages without weights, or without the key by which those of a run are found. */
static void older_files_have_fewer_columns(void **state)
{
    char *text;
    (void)state;
    change("ALTER TABLE message ADD COLUMN key INTEGER;"
           "DELETE FROM message; INSERT INTO message VALUES (1, 1, 2, 3, 0, 1000, 5000000000, 5000300000, 100000, 1, "
           "0, 0, (1 << 40) + 1)");
    text = data("1");
    assert_int_equal(count(text, "\"rows\": [[1000, 3, 1, 2, 3, 0, 5000000000]]"), 1);
    free(text);
    change("ALTER TABLE message DROP COLUMN key");
    text = data("1");
    assert_int_equal(count(text, "\"messages\": []"), 1);
    free(text);
}

static void ports_have_their_longest_queue_and_when(void **state)
{
    char *text;
    (void)state;
    change("DELETE FROM point; DELETE FROM series; INSERT INTO series VALUES (1, 1, 'port_queue', 'bytes', 'leaf 0 > "
           "host 1'), "
           "(2, 1, 'port_queue', 'bytes', 'x'), (3, 1, 'host_goodput', 'Gbps', 'host 1');"
           "INSERT INTO point VALUES (1, 10, 5), (1, 20, 9), (1, 30, 1), (2, 10, 7), (3, 10, 7)");
    text = data("1");
    assert_int_equal(count(text, "\"rows\": [[\"x\", 7, 7, 10], [\"leaf 0 > host 1\", 5, 9, 20]]"), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_run_has_its_numbers, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(some_numbers_are_left_out, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_set_has_mean_and_interval, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_run_in_doubt_has_its_reason, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(settings_that_differ_within_a_law_can_be_chosen, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(settings_and_numbers_have_a_bound, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(ports_have_a_bound, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(all_messages_are_there_up_to_the_bound, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(more_messages_are_the_slowest_and_a_sample, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(messages_of_equal_slowdown_are_there_once, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(pages_of_many_runs_have_no_messages, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(messages_that_do_not_count_are_left_out, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(older_files_have_fewer_columns, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(ports_have_their_longest_queue_and_when, make_sample, remove_sample),
    };
    return cmocka_run_group_tests_name("report/page_data", tests, NULL, NULL);
}
