/* test/unit/report/test_labels.c - what runs are called, and which of them are one set. */
#include "test/unit/report/report_fixture.h"
#include "report/labels.h"
#include "report/runs_open.h"

static struct weir_runs runs;
static struct weir_err err;

/* Runs of a file of their own: label NULL = the scenario's name; a scenario of three keys. */
struct given {
    const char *label;
    const char *protocol, *load;
    int seed;
    const char *status;
};

static void put_runs(const struct given *g, size_t count)
{
    change("DELETE FROM run; DELETE FROM metric");
    for (size_t i = 0; i < count; i++) {
        char sql[1024];
        (void)snprintf(
            sql, sizeof(sql),
            "INSERT INTO run (id, name, label, status, started_utc, weir_version, commit_id, protocol, seed, scenario) "
            "VALUES "
            "(%zu, 'mine', '%s', '%s', '', '1', 'c', '%s', %d, 'name: mine' || char(10) || 'protocol:' || char(10) || "
            "'  name: %s' || char(10) || 'traffic:' || char(10) || '  - load: %s' || char(10) || 'run:' || char(10) || "
            "'  seed: %d' || char(10));"
            "INSERT INTO metric VALUES (%zu, 'goodput_gbps', %d)",
            i + 1, g[i].label != NULL ? g[i].label : "mine", g[i].status != NULL ? g[i].status : "done", g[i].protocol,
            g[i].seed, g[i].protocol, g[i].load, g[i].seed, i + 1, 10 + (int)i);
        change(sql);
    }
}

/* Label and number of each run in the order of the page: "dctcp#1 dctcp#3 ". */
static void are(size_t files, const char *want)
{
    const char *const path[] = { sample, second };
    char got[1024] = "";
    assert_int_equal(weir_runs_open(&runs, path, files, NULL, NULL, &err), 0);
    for (size_t i = 0; i < runs.count; i++) {
        size_t used = strlen(got);
        (void)snprintf(got + used, sizeof(got) - used, "%s%s%lld",
                       i == 0                                   ? ""
                       : runs.run[i - 1].set == runs.run[i].set ? " "
                                                                : " | ",
                       runs.run[i].text[WEIR_RUN_LABEL], (long long)runs.run[i].id);
    }
    assert_string_equal(got, want);
    weir_runs_close(&runs);
}

#define PUT(...)                                                                                                       \
    do {                                                                                                               \
        const struct given g_[] = { __VA_ARGS__ };                                                                     \
        put_runs(g_, sizeof(g_) / sizeof(g_[0]));                                                                      \
    } while (0)

static void runs_are_called_by_what_differs(void **state)
{
    (void)state;
    PUT({ NULL, "sird", "0.5", 1, NULL }, { NULL, "dctcp", "0.5", 1, NULL });
    are(1, "dctcp2 | sird1");
    PUT({ NULL, "sird", "0.5", 1, NULL }, { NULL, "sird", "0.8", 1, NULL }, { NULL, "dctcp", "0.8", 1, NULL });
    are(1, "dctcp3 | sird, 50%1 | sird, 80%2");
    PUT({ NULL, "sird", "0.5", 1, NULL });
    are(1, "mine1");
}

static void runs_that_differ_in_the_seed_only_are_a_set(void **state)
{
    (void)state;
    PUT({ NULL, "sird", "0.5", 10, NULL }, { NULL, "dctcp", "0.5", 1, NULL }, { NULL, "sird", "0.5", 2, NULL },
        { NULL, "dctcp", "0.5", 2, NULL });
    are(1, "dctcp2 dctcp4 | sird3 sird1"); /* by seed, as numbers */
    PUT({ NULL, "sird", "0.5", 1, NULL }, { NULL, "sird", "0.5", 2, NULL });
    are(1, "mine1 mine2");
}

/* Twice the same numbers would halve an interval that they tell nothing about. */
static void a_seed_counts_once(void **state)
{
    (void)state;
    PUT({ NULL, "sird", "0.5", 1, NULL }, { NULL, "sird", "0.5", 2, NULL }, { NULL, "sird", "0.5", 1, NULL });
    are(1, "mine (#1)1 mine (#1)2 | mine (#3)3");
}

static void what_did_not_end_is_in_no_set(void **state)
{
    (void)state;
    PUT({ NULL, "sird", "0.5", 1, NULL }, { NULL, "sird", "0.5", 2, "failed" },
        { NULL, "sird", "0.5", 3, "interrupted" });
    are(1, "mine (#1)1 | mine (#2)2 | mine (#3)3");
}

static void a_label_that_was_given_wins(void **state)
{
    (void)state;
    PUT({ "ours", "sird", "0.5", 1, NULL }, { "theirs", "dctcp", "0.5", 1, NULL }, { NULL, "homa", "0.5", 1, NULL });
    are(1, "mine3 | ours1 | theirs2");
    PUT({ "ours", "sird", "0.5", 1, NULL }, { "ours", "sird", "0.8", 1, NULL }, { "ours", "sird", "0.8", 2, NULL },
        { "x", "sird", "0.5", 1, NULL });
    are(1, "ours, 50%1 | ours, 80%2 ours, 80%3 | x4");
}

/* Sweeps name their points by all axes, and the seed may be one. */
static void a_seed_at_the_end_of_labels_is_taken_off(void **state)
{
    (void)state;
    PUT({ "k16-1", "sird", "0.5", 1, NULL }, { "k16-2", "sird", "0.5", 2, NULL }, { "k8-1", "dctcp", "0.5", 1, NULL });
    are(1, "k8-13 | k161 k162");
}

static void other_labels_with_one_scenario_stay_apart(void **state)
{
    (void)state;
    PUT({ "before", "sird", "0.5", 1, NULL }, { "after", "sird", "0.5", 2, NULL });
    are(1, "after2 | before1");
}

static void one_set_may_be_in_two_files(void **state)
{
    (void)state;
    PUT({ NULL, "sird", "0.5", 1, NULL });
    name_second();
    fill_file(second);
    change_file(second, "DELETE FROM run; DELETE FROM metric");
    {
        char sql[256];
        (void)snprintf(
            sql, sizeof(sql),
            "ATTACH '%s' AS a; INSERT INTO run SELECT * FROM a.run; INSERT INTO metric SELECT * FROM a.metric;"
            "UPDATE run SET seed = 2, scenario = replace(scenario, 'seed: 1', 'seed: 2')",
            sample);
        change_file(second, sql);
    }
    are(2, "mine1 mine1");
}

static void only_the_seed_of_the_run_is_left_out(void **state)
{
    static const struct {
        const char *text, *want;
    } row[] = {
        { "a: 1\nrun:\n  warmup: 1 ms\n  seed: 12\n  x: 2\n", "a: 1\nrun:\n  warmup: 1 ms\n  \n  x: 2\n" },
        { "a: 1\nrun: {warmup: 1 ms, seed: 12}\n", "a: 1\nrun: {warmup: 1 ms, }\n" },
        { "top:\n  seed: 3\nrun:\n  x: 1\nmore:\n  seed: 4\n", "top:\n  seed: 3\nrun:\n  x: 1\nmore:\n  seed: 4\n" },
        { "a: 1", "a: 1" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char *got = weir_label_scenario(row[i].text);
        assert_string_equal(got, row[i].want);
        free(got);
    }
}

static void a_seed_ends_a_label_as_a_word(void **state)
{
    (void)state;
    assert_int_equal(weir_label_without_seed("k16-5", "5"), 3);
    assert_int_equal(weir_label_without_seed("a seed 5", "5"), 1);
    assert_int_equal(weir_label_without_seed("a, seed=5", "5"), 1);
    assert_int_equal(weir_label_without_seed("k16-15", "5"), 6);
    assert_int_equal(weir_label_without_seed("B=1.5", "5"), 5);
    assert_int_equal(weir_label_without_seed("5", "5"), 1);
    assert_int_equal(weir_label_without_seed("-5", "5"), 2);
    assert_int_equal(weir_label_without_seed("x", ""), 1);
    assert_int_equal(weir_label_without_seed("", "1"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_are_called_by_what_differs, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(runs_that_differ_in_the_seed_only_are_a_set, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_seed_counts_once, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(what_did_not_end_is_in_no_set, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_label_that_was_given_wins, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(a_seed_at_the_end_of_labels_is_taken_off, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(other_labels_with_one_scenario_stay_apart, make_sample, remove_sample),
        cmocka_unit_test_setup_teardown(one_set_may_be_in_two_files, make_sample, remove_sample),
        cmocka_unit_test(only_the_seed_of_the_run_is_left_out),
        cmocka_unit_test(a_seed_ends_a_label_as_a_word),
    };
    return cmocka_run_group_tests_name("report/labels", tests, NULL, NULL);
}
