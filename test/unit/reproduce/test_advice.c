/* test/unit/reproduce/test_advice.c - what settles runs in doubt, from what their result file has of them. */
#include "test/unit/reproduce/reproduce_test.h"
#include "core/units.h"
#include "reproduce/advice.h"
#include "store/store.h"

enum { POINTS = 10 };

static struct weir_store *store;
static struct weir_experiment exp_of_plan;
static struct weir_point point[POINTS];
static struct weir_plan plan;
static struct weir_advice advice;
static char *text;

static int begin(void **state)
{
    static const char *const name[POINTS] = { "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "\033p10" };
    int code = begin_dir(state);
    exp_of_plan = (struct weir_experiment){ .arena = weir_tree_arena_new() };
    plan = (struct weir_plan){ .exp = &exp_of_plan, .point = point };
    for (uint32_t i = 0; i < POINTS; i++)
        point[i] = (struct weir_point){ .name = name[i] };
    return code != 0 ? code : weir_store_open(&store, in_dir("a.db"), NULL, &test_err);
}

static int end(void **state)
{
    free(text);
    text = NULL;
    weir_tree_arena_free(exp_of_plan.arena);
    weir_store_close(store);
    return end_dir(state);
}

/* Adds a run of 1 ms, of which 0.8 ms are measured, with 1000 messages. */
#define RUN(doubt, json)                                                                                               \
    add(doubt, "{\"sim_s\": 0.001, \"warmup_s\": 0.0002, \"measured_s\": 0.0008, \"messages_started\": 1000, " json "}")
static void add(const char *doubt, const char *json)
{
    const struct weir_store_run row = {
        .name = "n", .label = "n", .started_utc = "2026-01-01T00:00:00Z", .threads = 1
    };
    const struct weir_store_end done = { .status = "done", .digest = "0", .json = json, .sim_s = 1 };
    struct weir_point *p = &point[plan.point_count++];
    assert_int_equal(weir_store_run_begin(store, &row, &p->run, &test_err), 0);
    assert_int_equal(weir_store_run_end(store, p->run, &done, &test_err), 0);
    p->state = WEIR_POINT_DONE;
    p->store = store;
    p->doubt = doubt;
}

static void find_as(bool was_auto)
{
    assert_int_equal(weir_advice_find(&advice, &plan, was_auto, &test_err), 0);
}

static void find(void)
{
    find_as(false);
}

static void print(void (*function)(FILE *out))
{
    size_t length;
    FILE *out = NULL;
    free(text);
    out = open_memstream(&text, &length);
    assert_non_null(out);
    advice.command = "weir x";
    function(out);
    assert_int_equal(fclose(out), 0);
}

static void as_text(FILE *out)
{
    weir_advice_print(out, &advice);
}

static void as_json(FILE *out)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_advice_json(&json, &advice);
    weir_json_close(&json);
}

static void settings_are(const char *first, const char *second)
{
    char setting[96];
    assert_int_equal(weir_advice_setting(&advice, 0, setting, sizeof(setting)), first != NULL);
    if (first != NULL)
        assert_string_equal(setting, first);
    assert_int_equal(weir_advice_setting(&advice, 1, setting, sizeof(setting)), second != NULL);
    if (second != NULL)
        assert_string_equal(setting, second);
}

#define SHORT(measure, warmup)                                                                                         \
    "\"findings\": [{\"kind\": \"too_short\", \"measure_s\": " measure ", \"warmup_s\": " warmup "}]"
#define UNFINISHED(ends) "\"findings\": [{\"kind\": \"unfinished\", \"slowest\": 9, \"ends\": " ends "}]"

static void nothing_in_doubt_needs_nothing(void **state)
{
    (void)state;
    RUN(NULL, SHORT("5", "4"));
    find();
    settings_are(NULL, NULL);
    print(as_text);
    assert_string_equal(text, "");
    print(as_json);
    assert_string_equal(text, "{\n  \"advice\": null\n}\n");
}

/* Twice the longest estimate, and the longest warm-up, whichever run they are of. */
static void the_longest_lengths_are_for_all(void **state)
{
    (void)state;
    RUN("short", SHORT("0.003", "0.0006"));
    RUN("short", SHORT("0.005", "null"));
    RUN(NULL, "\"findings\": []");
    find();
    assert_int_equal(advice.runs, 2);
    assert_int_equal(advice.hopeless, 0);
    settings_are("run.warmup=600 us", "run.measure=10 ms");
    print(as_text);
    assert_string_equal(text,
                        "to settle all 2 runs in doubt (--fresh replaces the runs in the result file):\n    weir x\n"
                        "or with --set run.measure=auto in place of these lengths: as long as each mean needs\n");
    print(as_json);
    assert_string_equal(text, "{\n  \"advice\": {\"warmup_s\": 0.0006, \"measure_s\": 0.01, \"measure_all\": false, "
                              "\"runs\": 2, \"command\": \"weir x\", \"hopeless_runs\": 0, \"hopeless\": {}}\n}\n");
}

static void no_run_gets_shorter(void **state)
{
    (void)state;
    RUN("short", SHORT("0.003", "0.0006"));
    add(NULL, "{\"warmup_s\": 0.7, \"measured_s\": 0.9}");
    find();
    settings_are("run.warmup=700 ms", "run.measure=900 ms");
}

static void a_warm_up_that_suffices_stays(void **state)
{
    (void)state;
    RUN("short", SHORT("0.003", "null"));
    find();
    settings_are("run.measure=6 ms", NULL);
    find_as(true); /* the warm-up that measure: auto has found */
    settings_are("run.warmup=200 us", "run.measure=6 ms");
    print(as_text);
    assert_string_equal(text,
                        "to settle the run in doubt (--fresh replaces the runs in the result file):\n    weir x\n");
}

/* 16 under way of 1000 in a run of 1 ms: chance makes 24 of them, a hundredth of 2400 messages. */
static void few_messages_are_to_be_unfinished(void **state)
{
    (void)state;
    RUN("unfinished", "\"unfinished\": {\"messages\": 16}, " UNFINISHED("0"));
    find();
    settings_are("run.measure=3 ms", NULL);
}

static void traffic_that_ends_is_waited_for(void **state)
{
    (void)state;
    RUN("unfinished", UNFINISHED("1"));
    RUN(NULL, "\"findings\": []");
    find();
    settings_are("run.measure=all", NULL);
    print(as_text);
    assert_null(strstr(text, "auto"));
    print(as_json);
    assert_non_null(strstr(text, "\"measure_s\": null, \"measure_all\": true, \"runs\": 1"));
    RUN("short", SHORT("0.003", "null")); /* traffic that may go on */
    RUN(NULL, UNFINISHED("0"));
    find();
    settings_are("run.measure=6 ms", NULL);
    assert_int_equal(advice.runs, 1);
    assert_int_equal(advice.kind[0], WEIR_ADVICE_UNKNOWN);
}

static void what_no_length_settles_is_named_with_the_reason(void **state)
{
    (void)state;
    RUN("short", SHORT("0.003", "null"));
    RUN("no", "\"findings\": [{\"kind\": \"overloaded\"}, {\"kind\": \"behind\"}]");
    RUN("no", "\"findings\": [{\"kind\": \"growing\"}]");
    RUN("no", "\"findings\": [{\"kind\": \"queue_grows\"}]");
    RUN("no", "\"findings\": [{\"kind\": \"beyond\"}]");
    RUN("no", "\"findings\": [{\"kind\": \"jobs_unfinished\", \"ends\": 0}]");
    RUN("no", "\"findings\": [{\"kind\": \"no_slowdown\", \"measure_s\": null}]");
    RUN("no", "\"findings\": []");
    RUN("no", "\"findings\": [{\"kind\": \"beyond\"}]");
    point[plan.point_count++].state = WEIR_POINT_FAILED;
    find();
    assert_int_equal(advice.runs, 1);
    assert_int_equal(advice.hopeless, 9);
    assert_int_equal(advice.failed, 1);
    print(as_text);
    assert_non_null(strstr(text, "to settle 1 of 9 runs in doubt ("));
    assert_non_null(strstr(text, "\nno length settles 1 run (overloaded): p2\n"
                                 "no length settles 1 run (does not keep up): p3\n"
                                 "no length settles 1 run (a queue grows): p4\n"
                                 "no length settles 2 runs (endless flows): p5, p9\n"
                                 "no length settles 1 run (jobs had not ended): p6\n"
                                 "no length settles 1 run (nothing to measure): p7\n"
                                 "no length settles 1 run (unknown): p8\n"
                                 "no length settles 1 run (failed): \\x1bp10\n"));
    print(as_json);
    assert_non_null(strstr(text, "\"hopeless_runs\": 9, \"hopeless\": {\"p2\": \"overloaded\", \"p3\": "));
}

static void of_many_runs_some_are_named(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        RUN("no", "\"findings\": [{\"kind\": \"overloaded\"}]");
    find();
    settings_are(NULL, NULL);
    print(as_text);
    assert_string_equal(text, "no length settles 8 runs (overloaded): p1, p2, p3, p4, p5, p6 and 2 more\n");
    print(as_json);
    assert_non_null(strstr(text, "\"runs\": 0, \"command\": null"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_in_doubt_needs_nothing),
        TEST(the_longest_lengths_are_for_all),
        TEST(no_run_gets_shorter),
        TEST(a_warm_up_that_suffices_stays),
        TEST(few_messages_are_to_be_unfinished),
        TEST(traffic_that_ends_is_waited_for),
        TEST(what_no_length_settles_is_named_with_the_reason),
        TEST(of_many_runs_some_are_named),
    };
    return cmocka_run_group_tests_name("reproduce/advice", tests, NULL, NULL);
}
