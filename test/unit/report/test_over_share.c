/* test/unit/report/test_over_share.c - a deployment curve: one point for each share, of each law. */
#include "test/unit/report/report_fixture.h"
#include "report/runs_open.h"
#include "report/sections.h"

static int next;

static int begin(void **state)
{
    assert_int_equal(make_sample(state), 0);
    change("DELETE FROM run; DELETE FROM metric; DELETE FROM series; DELETE FROM point; DELETE FROM by_size; "
           "DELETE FROM histogram");
    next = 1;
    return 0;
}

/* Adds a run with these settings, in which DCTCP and SIRD have a goodput each. */
static void put(const char *label, int seed, const char *settings, int dctcp_gbps, int sird_gbps)
{
    char sql[1024];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO run (id, name, label, status, started_utc, protocol, seed, scenario, settings, json) "
                   "VALUES (%d, 'n', '%s', 'done', '', 'dctcp', %d, 'name: %s' || char(10) || 'run: {seed: %d}', "
                   "'%s', '{\"laws\": [{\"protocol\": \"dctcp\", \"goodput_gbps\": %d}, {\"protocol\": "
                   "\"sird\", \"goodput_gbps\": %d}]}');"
                   "INSERT INTO metric VALUES (%d, 'goodput_gbps', 40)", /* it has measured something */
                   next, label, seed, label, seed, settings, dctcp_gbps, sird_gbps, next);
    change(sql);
    next++;
}

/* Returns the section, with the numbers of its figures in JSON: only goodput has some. */
static char *section(void)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    struct weir_err err;
    struct memory m;
    memory_open(&m);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    struct weir_page page = { .out = m.file, .interactive = true };
    assert_int_equal(weir_section_share(&page, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static void has(const char *text, const char *part)
{
    if (count(text, part) != 1)
        fail_msg("not there once: %s in: %s", part, text);
}

/* By share, in whatever order the runs stand; a set without a deployed law has no point. */
static void each_share_is_a_point_of_each_law(void **state)
{
    char *text;
    (void)state;
    put("a", 1, "traffic[0].deploy.share=90%", 10, 81);
    put("b", 1, "traffic[0].load=50%", 50, 7);
    put("c", 1, "traffic[0].deploy.share=0.25", 60, 20);
    put("d", 1, "traffic[0].load=50%\ntraffic[0].deploy.share=50%", 40, 41);
    text = section();
    has(text, "\"x\": [0.25, 0.5, 0.9], \"y\": [60, 40, 10]}");
    has(text, "\"y\": [20, 41, 81]}"); /* over the same shares */
    free(text);
}

static void seeds_of_a_share_are_one_point_with_a_band(void **state)
{
    char *text;
    (void)state;
    put("a", 1, "traffic[0].deploy.share=10%", 10, 30);
    put("a", 2, "traffic[0].deploy.share=10%", 20, 32);
    put("b", 1, "traffic[0].deploy.share=20%", 40, 50);
    text = section();
    has(text, "\"x\": [0.1, 0.2], \"y\": [15, 40], \"low\": [10, 40], \"high\": [20, 40]}");
    has(text, "\"y\": [31, 50], \"low\": [30, 50], \"high\": [32, 50]}");
    free(text);
}

static void one_share_alone_is_no_curve(void **state)
{
    char *text;
    (void)state;
    put("a", 1, "traffic[0].deploy.share=10%", 10, 30);
    put("b", 1, "traffic[0].deploy.share=0.1", 20, 32);
    put("c", 1, "", 20, 32);
    text = section();
    assert_string_equal(text, "");
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_sample)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_share_is_a_point_of_each_law),
        TEST(seeds_of_a_share_are_one_point_with_a_band),
        TEST(one_share_alone_is_no_curve),
    };
    return cmocka_run_group_tests_name("report/over_share", tests, NULL, NULL);
}
