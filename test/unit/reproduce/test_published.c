/* test/unit/reproduce/test_published.c - published numbers by metric and axes. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/published.h"

#define FIGURE "figures:\n  - {name: f, title: F, skip: it is about numbers}\n"

static const struct weir_published *published;

static int read_csv(const char *text)
{
    assert_int_equal(load(AXES FIGURE), 0);
    put("p.csv", text);
    return weir_published_read(&published, &test_exp, &(struct weir_tok){ .text = "p.csv" }, &test_err);
}

static struct weir_value find(const char *metric, uint8_t who, uint8_t at_load)
{
    uint8_t value[WEIR_AXES_MAX];
    memset(value, WEIR_AXIS_NONE, sizeof(value));
    value[0] = who;
    value[1] = at_load;
    return weir_published_find(published, &test_exp, metric, "", value);
}

static void numbers_ranges_and_words(void **state)
{
    struct weir_value v;
    (void)state;
    assert_int_equal(read_csv("# text\nmetric,who,value,unit,load\nm,US,1.5,x,\nm,THEM,unstable,x,\nr,,6..7.5,x,90\n"),
                     0);
    v = find("m", 0, WEIR_AXIS_NONE);
    assert_int_equal(v.state, WEIR_VALUE_NUMBER);
    assert_true(v.lo == 1.5 && v.hi == 1.5);
    assert_int_equal(find("m", 0, 1).state, WEIR_VALUE_NUMBER); /* an empty field is every value */
    assert_int_equal(find("m", 1, 0).state, WEIR_VALUE_UNSTABLE);
    v = find("r", 1, 1);
    assert_true(v.state == WEIR_VALUE_NUMBER && v.lo == 6 && v.hi == 7.5);
    assert_int_equal(find("r", 1, 0).state, WEIR_VALUE_NONE);
    assert_int_equal(find("r", 1, WEIR_AXIS_NONE).state, WEIR_VALUE_NONE); /* the row is about one load */
    assert_int_equal(find("x", 0, 0).state, WEIR_VALUE_NONE);
}

/* Two values of one table, and one that any value of its table may be compared with. */
static void by_what_was_read(void **state)
{
    uint8_t value[WEIR_AXES_MAX];
    (void)state;
    memset(value, WEIR_AXIS_NONE, sizeof(value));
    assert_int_equal(read_csv("metric,reading,value\nm,p50,1\nm,p99,2\nall,,3\n"), 0);
    assert_true(weir_published_find(published, &test_exp, "m", "p50", value).lo == 1);
    assert_true(weir_published_find(published, &test_exp, "m", "p99", value).lo == 2);
    assert_int_equal(weir_published_find(published, &test_exp, "m", "", value).state, WEIR_VALUE_NONE);
    assert_true(weir_published_find(published, &test_exp, "all", "p99", value).lo == 3);
}

static void refusals(void **state)
{
    static const struct refusal bad[] = {
        { "metric,value,hwo\n", WEIR_E_UNKNOWN, 1, "hwo" },   { "metric,who\n", WEIR_E_SYNTAX, 1, "columns" },
        { "metric,value\nm\n", WEIR_E_SYNTAX, 2, "columns" }, { "metric,value\nm,7..6\n", WEIR_E_SYNTAX, 2, "" },
        { "metric,value\nm,7 MB\n", WEIR_E_SYNTAX, 2, "" },   { "# nothing\n", WEIR_E_SYNTAX, 2, "" },
    };
    (void)state;
    REFUSED(bad, read_csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_ranges_and_words, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(by_what_was_read, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(refusals, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
