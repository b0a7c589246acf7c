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
    const struct weir_printed *row = weir_published_find(published, &test_exp, metric, "", value);
    return row != NULL ? row->value : (struct weir_value){ .state = WEIR_VALUE_NONE };
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
    assert_true(weir_published_find(published, &test_exp, "m", "p50", value)->value.lo == 1);
    assert_true(weir_published_find(published, &test_exp, "m", "p99", value)->value.lo == 2);
    assert_null(weir_published_find(published, &test_exp, "m", "", value));
    assert_true(weir_published_find(published, &test_exp, "all", "p99", value)->value.lo == 3);
}

/* The id of a number, and whether it was printed; without these columns all is. */
static void ids_and_kinds(void **state)
{
    const struct weir_printed *row;
    (void)state;
    assert_int_equal(
        read_csv("metric,value,id,kind\nm,1,t1/a,printed\nm,2,t1/b,\nm,100,o,order\nm,3,e,derived\nm,none,n,\n"), 0);
    row = weir_published_row(published, 0);
    assert_string_equal(row->id, "t1/a");
    assert_int_equal(row->kind, WEIR_NUMBER_PRINTED);
    assert_int_equal(row->line, 2);
    assert_int_equal(weir_published_row(published, 1)->kind, WEIR_NUMBER_PRINTED);
    assert_int_equal(weir_published_row(published, 2)->kind, WEIR_NUMBER_ORDER);
    assert_int_equal(weir_published_row(published, 3)->kind, WEIR_NUMBER_DERIVED);
    assert_int_equal(weir_published_row(published, 4)->value.state, WEIR_VALUE_NONE);
    assert_null(weir_published_row(published, 5));
    assert_int_equal(read_csv("metric,value\nm,1\n"), 0);
    assert_null(weir_published_row(published, 0)->id);
}

static void refusals(void **state)
{
    static const struct refusal bad[] = {
        { "metric,value,hwo\n", WEIR_E_UNKNOWN, 1, "hwo" },
        { "metric,who\n", WEIR_E_SYNTAX, 1, "columns" },
        { "metric,value\nm\n", WEIR_E_SYNTAX, 2, "columns" },
        { "metric,value\nm,7..6\n", WEIR_E_SYNTAX, 2, "" },
        { "metric,value\nm,7 MB\n", WEIR_E_SYNTAX, 2, "" },
        { "# nothing\n", WEIR_E_SYNTAX, 2, "" },
        { "metric,value,id\nm,7,\n", WEIR_E_SYNTAX, 2, "id" },
        { "metric,value,kind\nm,7,guess\n", WEIR_E_SYNTAX, 2, "kind" },
    };
    (void)state;
    REFUSED(bad, read_csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_ranges_and_words, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(by_what_was_read, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(ids_and_kinds, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(refusals, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
