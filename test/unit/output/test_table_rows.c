/* test/unit/output/test_table_rows.c - a table of a result file as CSV and as JSON, letter for letter. */
#include "test/unit/store/store_fixture.h"
#include "output/table_rows.h"

/* A file of two runs: the first has two numbers, of which one does not apply, the second has none. */
static int setup(void **state)
{
    const double number = 2.5;
    int code = fixture_setup(state);
    struct weir_store *store;
    int64_t run;
    if (code != 0)
        return code;
    store = open_store(file);
    run = begin_run(store, "a", NULL);
    if (weir_store_metric(store, run, "none", NULL, &err) != 0 ||
        weir_store_metric(store, run, "some", &number, &err) != 0)
        return -1;
    (void)begin_run(store, "b", NULL);
    weir_store_close(store);
    return 0;
}

static void writes(const struct weir_table_choice *choice, int want, const char *must)
{
    struct weir_store *store;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_int_equal(weir_table_write(out, store, file, choice, &err), want);
    weir_store_close(store);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, must);
    free(text);
}

static void numbers_are_rows_of_csv(void **state)
{
    (void)state;
    writes(&(struct weir_table_choice){ .table = "metric" }, 0, "run,name,value\n1,\"none\",\n1,\"some\",2.5\n");
}

static void numbers_are_objects_of_a_whole_json_text(void **state)
{
    (void)state;
    writes(&(struct weir_table_choice){ .table = "metric", .json = true }, 0,
           "{\n  \"table\": \"metric\",\n  \"rows\": [\n    {\"run\": 1, \"name\": \"none\", \"value\": null},\n"
           "    {\"run\": 1, \"name\": \"some\", \"value\": 2.5}]\n}\n");
    writes(&(struct weir_table_choice){ .table = "metric", .runs = "2", .json = true }, 0,
           "{\n  \"table\": \"metric\",\n  \"rows\": []\n}\n");
}

/* Also one that a file of an older Weir does not have. */
static void a_table_that_is_refused_leaves_nothing(void **state)
{
    struct weir_store *store = open_store(file);
    (void)state;
    assert_int_equal(sqlite3_exec(weir_store_db(store), "DROP TABLE job", NULL, NULL, NULL), SQLITE_OK);
    weir_store_close(store);
    writes(&(struct weir_table_choice){ .table = "metrics", .json = true }, WEIR_E_UNKNOWN, "");
    writes(&(struct weir_table_choice){ .table = "metric", .runs = "7", .json = true }, WEIR_E_UNKNOWN, "");
    writes(&(struct weir_table_choice){ .table = "job", .json = true }, WEIR_E_FILE, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_rows_of_csv),
        TEST(numbers_are_objects_of_a_whole_json_text),
        TEST(a_table_that_is_refused_leaves_nothing),
    };
    return cmocka_run_group_tests_name("output/table_rows", tests, NULL, NULL);
}
