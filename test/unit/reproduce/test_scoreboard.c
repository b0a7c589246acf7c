/* test/unit/reproduce/test_scoreboard.c - what became of published numbers, from one file and from two. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/scoreboard.h"

#define EXPERIMENT                                                                                                     \
    "title: T\nmeasured: 10%\naxes:\n"                                                                                 \
    "  - {name: who, values: [{label: us, published: US}, {label: them, published: THEM}]}\n"                          \
    "  - {name: load, set: {'traffic[0].load': $%}, scenario: s.yaml, length: 1 s, values: [50, 90]}\n"                \
    "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}], tables: [\n"                                   \
    "      {name: t, title: T, value: drops, unstable: keep, published: {file: p.csv, metric: m}, band: 10%,\n"        \
    "       no_effect: 9.5, missed: M},\n"                                                                             \
    "      {name: peak, title: P, value: drops, peak: true, unstable: keep,\n"                                         \
    "       published: {file: p.csv, metric: m}, band: 10%}]}\n"                                                       \
    "  - {name: g, title: G, on_request: true, runs: f, tables: [\n"                                                   \
    "      {name: u, title: U, value: drops, unstable: keep, published: {file: p.csv, metric: m}, no_band: R},\n"      \
    "      {name: none, title: N, value: drops}]}\n"

static struct weir_board board;

/* us-50 1 within or weak, us-90 outside, them-50 not there, of them-90 nothing was published. */
static int begin(void **state)
{
    assert_int_equal(begin_dir(state), 0);
    put("p.csv", "metric,who,load,value\nm,US,50,10\nm,US,90,20\nm,THEM,50,30\n");
    put("experiment.yaml", EXPERIMENT);
    return 0;
}

static int end(void **state)
{
    (void)unlink(in_dir("b.db"));
    return end_dir(state);
}

/* measured_s: 0 = the JSON does not say */
static void put_measured(struct weir_store *store, const char *point, double value, double sim_s, double measured_s,
                         const char *when, const char *commit, uint64_t seed)
{
    const char *slash = strrchr(test_dir, '/');
    struct weir_store_run run = { .name = "n",
                                  .label = point,
                                  .started_utc = when,
                                  .commit_id = commit,
                                  .experiment = slash + 1,
                                  .figure = "f",
                                  .point = point,
                                  .seed = seed };
    char json[128];
    struct weir_store_end done = { .status = "done", .digest = "0", .json = json, .sim_s = sim_s };
    int64_t at;
    (void)snprintf(json, sizeof(json), "{\"drops\": %g, \"stable\": true", value);
    if (measured_s > 0)
        (void)snprintf(json + strlen(json), sizeof(json) - strlen(json), ", \"measured_s\": %g", measured_s);
    (void)strcat(json, "}");
    assert_int_equal(weir_store_run_begin(store, &run, &at, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, at, &done, &test_err), 0);
}

/* A run with sampled statistics: it has no number of name drops, which stands for a longest queue here. */
static void put_sampled(struct weir_store *store, const char *point)
{
    const char *slash = strrchr(test_dir, '/');
    struct weir_store_run run = { .name = "n",
                                  .label = point,
                                  .started_utc = "2026-01-02",
                                  .scenario = "run:\n  seed: 1\n  statistics: sampled\n  start: law\n",
                                  .experiment = slash + 1,
                                  .figure = "f",
                                  .point = point,
                                  .seed = 1 };
    struct weir_store_end done = {
        .status = "done", .digest = "0", .json = "{\"drops\": null, \"stable\": true}", .sim_s = 1
    };
    int64_t at;
    assert_int_equal(weir_store_run_begin(store, &run, &at, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, at, &done, &test_err), 0);
}

static void put_run(struct weir_store *store, const char *point, double value, double sim_s, const char *when,
                    const char *commit, uint64_t seed)
{
    put_measured(store, point, value, sim_s, 0, when, commit, seed);
}

static void assert_counts(const uint32_t *is, uint32_t published, uint32_t within, uint32_t weak, uint32_t outside,
                          uint32_t unchecked, uint32_t untried)
{
    const uint32_t must[] = { published, within, weak, outside, unchecked, untried };
    assert_memory_equal(is, must, sizeof(must));
}

static void every_published_number_has_its_place(void **state)
{
    struct weir_store *store;
    (void)state;
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_int_equal(board.row_count, 3);
    assert_counts(board.count[WEIR_CLASS_PRINTED], 9, 0, 0, 0, 0, 9);
    weir_board_free(&board);
    put_run(store, "us-50", 10.9, 1, "2026-01-02", "c1", 1);
    put_run(store, "us-90", 30, 1, "2026-01-02", "c1", 2);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.row[0].count[WEIR_CLASS_PRINTED], 3, 0, 1, 1, 0, 1); /* 9.5 is within 10 % of 10, too */
    assert_counts(board.row[1].count[WEIR_CLASS_PRINTED], 3, 1, 0, 1, 0, 1);
    assert_counts(board.row[2].count[WEIR_CLASS_PRINTED], 3, 0, 0, 0, 2, 1);
    assert_counts(board.count[WEIR_CLASS_PRINTED], 9, 1, 1, 2, 2, 3);
    assert_int_equal(board.row[0].made.seeds, 2);
    assert_int_equal(board.row[0].made.commits, 1);
    assert_string_equal(board.row[0].made.commit, "c1");
    assert_true(board.row[0].made.scale_least == 1 && board.row[0].made.scale_most == 1);
    weir_board_free(&board);
    weir_store_close(store);
}

/* The run of the second file is newer, and a fifth as long. */
static void the_newest_run_of_all_files_counts(void **state)
{
    struct weir_store *store[2];
    (void)state;
    assert_int_equal(weir_store_open(&store[0], in_dir("a.db"), NULL, &test_err), 0);
    assert_int_equal(weir_store_open(&store[1], in_dir("b.db"), NULL, &test_err), 0);
    put_run(store[0], "us-50", 10.9, 1, "2026-01-02", "c1", 1);
    put_run(store[1], "us-50", 20, 0.2, "2026-01-03", "c2", 1);
    put_run(store[0], "us-90", 20, 1, "2026-01-02", "c1", 1);
    put_run(store[1], "us-90", 30, 0.2, "2026-01-01", "c2", 1);
    assert_int_equal(weir_board_make(&board, test_dir, store, 2, &test_err), 0);
    assert_counts(board.row[0].count[WEIR_CLASS_PRINTED], 3, 1, 0, 1, 0, 1);
    assert_counts(board.row[1].count[WEIR_CLASS_PRINTED], 3, 0, 0, 0, 2, 1); /* peaks of a shorter run */
    assert_int_equal(board.row[0].made.seeds, 1);
    assert_int_equal(board.row[0].made.commits, 2);
    assert_true(board.row[0].made.scale_least > 0.199 && board.row[0].made.scale_least < 0.201);
    assert_true(board.row[0].made.scale_most == 1);
    weir_board_free(&board);
    for (int i = 0; i < 2; i++)
        weir_store_close(store[i]);
}

/* The published window has 100 ms. These runs are shorter by their warm-up; the last one has 99.9 ms of it. */
static void a_peak_of_the_whole_measured_part_counts(void **state)
{
    struct weir_store *store;
    (void)state;
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_measured(store, "us-50", 20, 0.28, 0.1, "2026-01-02", "c1", 1);
    put_measured(store, "us-90", 30, 0.28, 0.1, "2026-01-02", "c1", 1);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.row[1].count[WEIR_CLASS_PRINTED], 3, 0, 0, 2, 0, 1);
    assert_true(board.row[1].made.scale_least > 0.279 && board.row[1].made.scale_least < 0.281 &&
                board.row[1].made.measure_scale_least == 1);
    weir_board_free(&board);
    put_measured(store, "us-90", 30, 0.28, 0.0999, "2026-01-03", "c1", 1);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.row[1].count[WEIR_CLASS_PRINTED], 3, 0, 0, 0, 2, 1);
    weir_board_free(&board);
    weir_store_close(store);
}

/* Without a length in the experiment every run is as long as it has to be, whatever unit a setting has. */
static void a_length_that_the_scenario_sets_is_the_full_one(void **state)
{
    struct weir_store *store;
    (void)state;
    put("p.csv", "metric,who,load,value\nm,US,50,10\n");
    put("experiment.yaml",
        "title: T\naxes:\n"
        "  - {name: who, scenario: s.yaml, values: [{label: us, published: US, set: {run.measure: 180 ms}}]}\n"
        "  - {name: load, set: {'traffic[0].load': $%}, values: [50]}\n"
        "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}], tables: [\n"
        "      {name: peak, title: P, value: drops, peak: true, unstable: keep,\n"
        "       published: {file: p.csv, metric: m}, band: 10%}]}\n");
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_run(store, "us-50", 10.9, 0.18, "2026-01-02", "c1", 1);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.row[0].count[WEIR_CLASS_PRINTED], 1, 1, 0, 0, 0, 0);
    assert_true(board.row[0].made.scale_least == 1 && board.row[0].made.scale_most == 1);
    weir_board_free(&board);
    weir_store_close(store);
}

static void the_page_and_the_json_say_why(void **state)
{
    struct weir_store *store;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    assert_non_null(out);
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_run(store, "us-90", 30, 1, "2026-01-02", "0123456789abcdef", 2);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    weir_board_print(out, &board, 1);
    (void)fflush(out);
    assert_non_null(strstr(text, "| all | 9 | 0 | 0 | 2 | 1 | 6 | 0 of 0 | 0 of 0 | 0 of 0 |"));
    assert_non_null(strstr(text, "| f t | 0 of 3 | - | - | - | seed 2 | 1 | 012345678 |"));
    assert_non_null(strstr(text, "| - | f t, us-90 | 30.00 | 20.00 | +50.0 % | 10 % | outside | - |"));
    assert_non_null(strstr(text, "* f t, outside: M.\n"));
    assert_non_null(strstr(text, "* f peak, outside: not explained.\n"));
    assert_non_null(strstr(text, "* g u, not checked: R.\n"));
    weir_board_json(out, &board, 1);
    (void)fclose(out);
    assert_non_null(strstr(text, "\"cell\": \"us-90\", \"measured\": 30, \"published\": 20, \"deviation_percent\": 50, "
                                 "\"verdict\": \"outside\""));
    assert_non_null(strstr(
        text,
        "\"point\": \"us-90\", \"seed\": \"2\", \"scale\": 1, \"measure_scale\": 1, \"commit\": \"0123456789abcdef\", "
        "\"digest\": \"0\""));
    free(text);
    weir_board_free(&board);
    weir_store_close(store);
}

/* Two tables of the metric, of which the second one is other readings, an order, and a number of ours. */
static void other_readings_are_shown_and_not_counted(void **state)
{
    struct weir_store *store;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    assert_non_null(out);
    put("p.csv",
        "metric,who,load,value,id,kind\nm,US,50,10,fig1/us,\no,US,50,100,order/us,order\nd,US,50,30,eq/us,derived\n");
    put("experiment.yaml",
        "title: T\nmeasured: 10%\naxes:\n"
        "  - {name: who, values: [{label: us, published: US}]}\n"
        "  - {name: load, set: {'traffic[0].load': $%}, scenario: s.yaml, length: 1 s, values: [50]}\n"
        "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}], tables: [\n"
        "      {name: t, title: T, value: drops, published: {file: p.csv, metric: m}, band: 10%},\n"
        "      {name: u, title: T, value: losses, published: {file: p.csv, metric: m}, band: 10%, main: {where: none, "
        "reason: R}},\n"
        "      {name: o, title: T, value: drops, published: {file: p.csv, metric: o}, band: 10%},\n"
        "      {name: d, title: T, value: losses, published: {file: p.csv, metric: d}, band: 10%}]}\n");
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_run(store, "us-50", 10.5, 1, "2026-01-02", "c", 1);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.count[WEIR_CLASS_PRINTED], 1, 1, 0, 0, 0, 0);
    assert_counts(board.count[WEIR_CLASS_ORDER], 1, 0, 0, 1, 0, 0);
    assert_counts(board.count[WEIR_CLASS_MODEL], 1, 0, 0, 1, 0, 0);
    assert_counts(board.count[WEIR_CLASS_VARIANT], 1, 0, 0, 1, 0, 0);
    weir_board_print(out, &board, 1);
    (void)fclose(out);
    assert_non_null(strstr(text, "| all | 1 | 1 | 0 | 0 | 0 | 0 | 0 of 1 | 0 of 1 | 0 of 1 |"));
    assert_non_null(strstr(text, "| fig1/us | f t | 10.50 | 10.00 | +5.0 % | 10 % | within | 1 |"));
    assert_non_null(strstr(text, "* f u, another reading: R.\n"));
    free(text);
    weir_board_free(&board);
    weir_store_close(store);
}

/* Refusals of the readings of EXPERIMENT with ids: t and peak both have number a, no table has b. */
static void every_printed_number_has_one_main_reading(void **state)
{
    struct weir_store *store;
    (void)state;
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put("p.csv", "metric,who,load,value,id\nm,US,50,10,a\n");
    assert_int_not_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_refusal(&test_err, WEIR_E_CONFLICT, NULL, "two");
    assert_int_equal(test_err.line, 2);
    put("experiment.yaml",
        "title: T\naxes:\n  - {name: who, scenario: s.yaml, values: [{label: us, published: US}]}\n"
        "figures:\n  - {name: f, title: F, sweeps: [{who: all}], tables: [\n"
        "      {name: t, title: T, value: drops, published: {file: p.csv, metric: m}, band: 10%}]}\n");
    put("p.csv", "metric,who,value,id\nm,US,10,a\nn,US,10,b\n");
    assert_int_not_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_refusal(&test_err, WEIR_E_CONFLICT, NULL, "b");
    assert_int_equal(test_err.line, 3);
    put("p.csv", "metric,who,value,id\nm,US,10,a\nn,US,none,b\n");
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    weir_board_free(&board);
    weir_store_close(store);
}

static void what_a_sampled_run_does_not_have_is_not_checked(void **state)
{
    struct weir_store *store;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    assert_non_null(out);
    assert_int_equal(weir_store_open(&store, in_dir("a.db"), NULL, &test_err), 0);
    put_sampled(store, "us-50");
    put_run(store, "us-90", 20, 1, "2026-01-02", "c", 1);
    assert_int_equal(weir_board_make(&board, test_dir, &store, 1, &test_err), 0);
    assert_counts(board.row[0].count[WEIR_CLASS_PRINTED], 3, 1, 0, 0, 1, 1);
    assert_int_equal(board.row[0].sampled, 1);
    weir_board_print(out, &board, 1);
    (void)fclose(out);
    assert_non_null(strstr(text, "* f t, not checked: a run has run.statistics: sampled"));
    free(text);
    weir_board_free(&board);
    weir_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_published_number_has_its_place, begin, end),
        cmocka_unit_test_setup_teardown(the_newest_run_of_all_files_counts, begin, end),
        cmocka_unit_test_setup_teardown(a_peak_of_the_whole_measured_part_counts, begin, end),
        cmocka_unit_test_setup_teardown(a_length_that_the_scenario_sets_is_the_full_one, begin, end),
        cmocka_unit_test_setup_teardown(other_readings_are_shown_and_not_counted, begin, end),
        cmocka_unit_test_setup_teardown(every_printed_number_has_one_main_reading, begin, end),
        cmocka_unit_test_setup_teardown(the_page_and_the_json_say_why, begin, end),
        cmocka_unit_test_setup_teardown(what_a_sampled_run_does_not_have_is_not_checked, begin, end),
    };
    return cmocka_run_group_tests_name("reproduce/scoreboard", tests, NULL, NULL);
}
