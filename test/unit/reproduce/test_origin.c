/* test/unit/reproduce/test_origin.c - experiments of the binary and of a folder. */
#include "test/unit/refusal.h"
#include "reproduce/origin.h"
#include <string.h>

static struct weir_tree_arena *arena;
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    arena = weir_tree_arena_new();
    return arena == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_tree_arena_free(arena);
    return 0;
}

static void one_of_the_binary(void **state)
{
    struct weir_origin origin;
    const char *text;
    (void)state;
    assert_int_equal(weir_origin_find(&origin, arena, "sird", &err), 0);
    assert_null(origin.dir);
    assert_string_equal(weir_origin_path(&origin, arena, "table5.csv"), "sird/table5.csv");
    assert_int_equal(weir_origin_read(&origin, arena, "table5.csv", NULL, &text, &err), 0);
    assert_int_equal(strncmp(text, "metric,config,workload,protocol,value,unit,", 43), 0);
    assert_int_equal(weir_origin_read(&origin, arena, "table6.csv", NULL, &text, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "", "sird/table6.csv");
}

static void one_of_a_folder_is_called_as_the_folder(void **state)
{
    struct weir_origin origin;
    const char *text;
    (void)state;
    assert_int_equal(weir_origin_find(&origin, arena, "test/cli/tiny//", &err), 0);
    assert_string_equal(origin.id, "tiny");
    assert_string_equal(weir_origin_path(&origin, arena, "a"), "test/cli/tiny/a");
    assert_int_equal(weir_origin_read(&origin, arena, "star.yaml", NULL, &text, &err), 0);
    assert_int_equal(weir_origin_read(&origin, arena, "none.yaml", NULL, &text, &err), WEIR_E_FILE);
    assert_int_equal(weir_origin_find(&origin, arena, "./", &err), WEIR_E_UNKNOWN);
}

static void one_of_a_file_is_called_as_the_file(void **state)
{
    struct weir_origin origin;
    (void)state;
    assert_int_equal(weir_origin_of_file(&origin, arena, "a/b.c/net.x.yaml", &err), 0);
    assert_string_equal(origin.id, "net.x");
    assert_string_equal(origin.dir, "a/b.c");
    assert_string_equal(origin.file, "net.x.yaml");
    assert_int_equal(weir_origin_of_file(&origin, arena, "/net", &err), 0);
    assert_string_equal(origin.id, "net");
    assert_string_equal(origin.dir, "/");
    assert_int_equal(weir_origin_of_file(&origin, arena, "net.yaml", &err), 0);
    assert_string_equal(origin.dir, ".");
    assert_string_equal(weir_origin_path(&origin, arena, "s.yaml"), "s.yaml");
    assert_string_equal(weir_origin_path(&origin, arena, "/x/s.yaml"), "/x/s.yaml");
    assert_int_equal(weir_origin_of_file(&origin, arena, "a/", &err), WEIR_E_UNKNOWN);
    assert_int_equal(weir_origin_of_file(&origin, arena, "a/.yaml", &err), WEIR_E_UNKNOWN);
    assert_int_equal(weir_origin_of_file(&origin, arena, "..", &err), WEIR_E_UNKNOWN);
}

static void the_list_of_the_binary(void **state)
{
    uint32_t at = 0;
    (void)state;
    assert_string_equal(weir_origin_builtin(&at, arena), "sird");
    assert_string_equal(weir_origin_builtin(&at, arena), "fncc");
    assert_string_equal(weir_origin_builtin(&at, arena), "soze");
    assert_string_equal(weir_origin_builtin(&at, arena), "dart");
    assert_string_equal(weir_origin_builtin(&at, arena), "rpm");
    assert_string_equal(weir_origin_builtin(&at, arena), "arena");
    assert_string_equal(weir_origin_builtin(&at, arena), "placement");
    assert_string_equal(weir_origin_builtin(&at, arena), "phantom");
    assert_null(weir_origin_builtin(&at, arena));
}

static void the_files_of_one(void **state)
{
    struct weir_origin origin;
    const char *name;
    uint32_t at = 0, scenarios = 0;
    bool has_list = false;
    (void)state;
    assert_int_equal(weir_origin_find(&origin, arena, "sird", &err), 0);
    while ((name = weir_origin_next(&origin, &at)) != NULL) {
        const char *text;
        assert_int_equal(weir_origin_read(&origin, arena, name, NULL, &text, &err), 0);
        scenarios += strstr(name, ".yaml") != NULL;
        has_list = has_list || strcmp(name, "outcast-3.csv") == 0;
    }
    assert_int_equal(scenarios, 4); /* experiment, balanced, incast, outcast */
    assert_true(has_list);
    at = 0;
    assert_int_equal(weir_origin_find(&origin, arena, "test/cli/tiny/", &err), 0);
    assert_null(weir_origin_next(&origin, &at));
}

static void hints_say_how_a_folder_is_written(void **state)
{
    struct weir_origin origin;
    const char *text;
    (void)state;
    assert_int_equal(weir_origin_find(&origin, arena, "sirt", &err), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint, "'sird'"));
    assert_int_equal(weir_origin_find(&origin, arena, "sird/", &err), 0);
    assert_int_equal(weir_origin_read(&origin, arena, "experiment.yaml", NULL, &text, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "sird/experiment.yaml", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_the_binary),
        cmocka_unit_test(one_of_a_folder_is_called_as_the_folder),
        cmocka_unit_test(one_of_a_file_is_called_as_the_file),
        cmocka_unit_test(the_list_of_the_binary),
        cmocka_unit_test(the_files_of_one),
        cmocka_unit_test(hints_say_how_a_folder_is_written),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
