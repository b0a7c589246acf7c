/* test/unit/reproduce/test_fields.c - values of a map, one kind each. */
#include "test/unit/refusal.h"
#include "config/yaml.h"
#include "reproduce/fields.h"
#include <string.h>

static const char text[] = "t: 1.5 ms\np: 12.5%\nf: 3\nn: 42\nb: true\nm: {x: 1}\ne:\n";
static struct weir_tree_arena *arena;
static struct weir_tree *root;
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    arena = weir_tree_arena_new();
    return arena == NULL ? -1
                         : weir_yaml_read(arena, "a.yaml", text, sizeof(text) - 1, WEIR_TREE_CHILDREN_MAX, &root, &err);
}

static int teardown(void **state)
{
    (void)state;
    weir_tree_arena_free(arena);
    return 0;
}

static void each_kind_is_read(void **state)
{
    const struct weir_tree *node;
    const char *word = NULL;
    uint64_t value = 0;
    bool flag = false;
    (void)state;
    assert_int_equal(weir_field_time(root, "t", &value, &err), 0);
    assert_int_equal(value, 1500000000);
    assert_int_equal(weir_field_ppm(root, "p", &value, &err), 0);
    assert_int_equal(value, 125000);
    assert_int_equal(weir_field_ppm(root, "f", &value, &err), 0);
    assert_int_equal(value, 3000000);
    assert_int_equal(weir_field_whole(root, "n", 42, &value, &err), 0);
    assert_int_equal(value, 42);
    assert_int_equal(weir_field_flag(root, "b", &flag, &err), 0);
    assert_true(flag);
    assert_int_equal(weir_field_text(root, "p", &word, &err), 0);
    assert_string_equal(word, "12.5%");
    assert_int_equal(weir_field_node(root, "m", WEIR_TREE_MAP, &node, &err), 0);
    assert_non_null(node);
}

static void what_is_not_there_stays_as_it_was(void **state)
{
    uint64_t value = 7;
    (void)state;
    assert_int_equal(weir_field_time(root, "x", &value, &err), 0);
    assert_int_equal(weir_field_ppm(root, "x", &value, &err), 0);
    assert_int_equal(value, 7);
}

static void the_wrong_kind_is_refused(void **state)
{
    const struct weir_tree *node;
    const char *word;
    uint64_t value;
    (void)state;
    assert_int_equal(weir_field_time(root, "n", &value, &err), WEIR_E_UNIT);
    assert_refusal(&err, WEIR_E_UNIT, "a.yaml:4:4", "n");
    assert_int_equal(weir_field_ppm(root, "t", &value, &err), WEIR_E_RANGE);
    assert_int_equal(weir_field_whole(root, "n", 41, &value, &err), WEIR_E_RANGE);
    assert_int_equal(weir_field_text(root, "m", &word, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "a.yaml:6:4", "m");
    assert_int_equal(weir_field_text(root, "e", &word, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "a.yaml:7:3", "e");
    assert_int_equal(weir_field_node(root, "n", WEIR_TREE_LIST, &node, &err), WEIR_E_SYNTAX);
}

static void unknown_keys_are_refused(void **state)
{
    static const char *const all[] = { "t", "p", "f", "n", "b", "m", "e", NULL }, *const some[] = { "t", "p", NULL };
    (void)state;
    assert_int_equal(weir_field_keys(root, "the test", all, &err), 0);
    assert_int_equal(weir_field_keys(root, "the test", some, &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "a.yaml:3:1", "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(what_is_not_there_stays_as_it_was),
        cmocka_unit_test(the_wrong_kind_is_refused),
        cmocka_unit_test(unknown_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
