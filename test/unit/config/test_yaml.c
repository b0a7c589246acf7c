/* test/unit/config/test_yaml.c - YAML text: what becomes of it, and what is refused at which place. */
#include "test/unit/refusal.h"
#include "config/yaml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weir_tree_arena *arena;
static struct weir_tree *root;
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    arena = weir_tree_arena_new();
    return arena != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weir_tree_arena_free(arena);
    return 0;
}

static int read_bytes(const char *text, size_t length)
{
    return weir_yaml_read(arena, "a.yaml", text, length, WEIR_TREE_CHILDREN_MAX, &root, &err);
}

static void refuses(const char *text, enum weir_err_code code, uint32_t line, uint32_t col, const char *key)
{
    assert_int_equal(read_bytes(text, strlen(text)), code);
    assert_refusal(&err, code, NULL, key);
    assert_string_equal(err.file, "a.yaml");
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
}

static void maps_lists_and_values_keep_their_places(void **state)
{
    static const char text[] = "a: 1\nlist:\n  - x\n  - {b: 'two words', c: }\n";
    const struct weir_tree *list;
    (void)state;
    assert_int_equal(read_bytes(text, strlen(text)), 0);
    assert_int_equal(root->kind, WEIR_TREE_MAP);
    assert_int_equal(root->count, 2);
    assert_string_equal(root->first->at.text, "1");
    assert_int_equal(root->first->at.line, 1);
    assert_int_equal(root->first->at.col, 4);
    list = weir_tree_find(root, "list");
    assert_int_equal(list->kind, WEIR_TREE_LIST);
    assert_int_equal(list->count, 2);
    assert_int_equal(list->key.line, 2);
    assert_string_equal(list->first->at.text, "x");
    assert_null(list->first->key.text);
    assert_int_equal(list->last->at.line, 4);
    assert_int_equal(list->last->at.col, 5);
    assert_string_equal(weir_tree_find(list->last, "b")->at.text, "two words");
    assert_true(weir_tree_find(list->last, "c")->is_empty);
    assert_false(weir_tree_find(list->last, "b")->is_empty);
    assert_string_equal(weir_tree_kind_text(list), "a list");
    assert_string_equal(weir_tree_kind_text(weir_tree_find(list->last, "c")), "nothing");
}

static void what_is_not_yaml_is_told_with_its_place(void **state)
{
    (void)state;
    refuses("traffic: [}\n", WEIR_E_SYNTAX, 1, 11, "YAML");
    refuses("a: 1\n b: 2\n", WEIR_E_SYNTAX, 2, 3, "YAML");
    refuses("a: 'open\n", WEIR_E_SYNTAX, 2, 1, "YAML");
    assert_int_equal(read_bytes("a: 1\nb: \x01\n", 11), WEIR_E_SYNTAX);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.col, 4);
    refuses("a: \xc3\x28\n", WEIR_E_SYNTAX, 1, 5, "YAML");
}

static void a_file_without_a_document_is_empty(void **state)
{
    (void)state;
    refuses("", WEIR_E_SYNTAX, 0, 0, "");
    refuses("# nothing here\n\n", WEIR_E_SYNTAX, 0, 0, "");
}

static void a_key_twice_names_both_lines(void **state)
{
    (void)state;
    refuses("a: 1\nb: 2\na: 3\n", WEIR_E_CONFLICT, 3, 1, "a");
    refuses("s:\n  x: 1\n  y: 1\n  x: 1\n", WEIR_E_CONFLICT, 4, 3, "x");
}

static void what_no_scenario_needs_is_refused(void **state)
{
    static const char *const fancy = "anchors";
    (void)state;
    refuses("a: &x 1\n", WEIR_E_SYNTAX, 1, 4, fancy);
    refuses("a: &x {b: 1}\n", WEIR_E_SYNTAX, 1, 4, fancy);
    refuses("a: *x\n", WEIR_E_SYNTAX, 1, 4, fancy);
    refuses("a: !!int 1\n", WEIR_E_SYNTAX, 1, 4, fancy);
    refuses("a: !thing [1]\n", WEIR_E_SYNTAX, 1, 4, fancy);
    refuses("? [a, b]\n: 1\n", WEIR_E_SYNTAX, 1, 3, "");
    refuses("? &x a\n: 1\n", WEIR_E_SYNTAX, 1, 3, "");
    refuses("a: 1\n---\nb: 2\n", WEIR_E_SYNTAX, 2, 1, "YAML");
    refuses("a: \"x\\0y\"\n", WEIR_E_SYNTAX, 1, 4, "");
    refuses("[[[[[[[[[[[]]]]]]]]]]]\n", WEIR_E_SYNTAX, 1, 11, "");
}

static void a_list_has_an_end(void **state)
{
    enum { ITEMS = WEIR_TREE_CHILDREN_MAX + 1 };
    static char text[ITEMS * 4 + 1];
    (void)state;
    for (int i = 0; i < ITEMS; i++)
        memcpy(text + i * 4, "- 1\n", 4);
    refuses(text, WEIR_E_SYNTAX, ITEMS, 3, "");
    text[(ITEMS - 1) * 4] = '\0';
    assert_int_equal(read_bytes(text, strlen(text)), 0);
    assert_int_equal(root->count, WEIR_TREE_CHILDREN_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(maps_lists_and_values_keep_their_places, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_yaml_is_told_with_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_without_a_document_is_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_twice_names_both_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(what_no_scenario_needs_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_has_an_end, setup, teardown),
    };
    return cmocka_run_group_tests_name("config/yaml", tests, NULL, NULL);
}
