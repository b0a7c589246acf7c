/* test/unit/config/test_tree.c - setting values by their path. */
#include "test/unit/refusal.h"
#include "config/tree.h"
#include "config/yaml.h"
#include <string.h>

static const char text[] = "run: {seed: 1}\ntraffic:\n  - {load: 50%}\n  - {load: 7%}\nhost:\n";
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

static int set(const char *path)
{
    return weir_tree_set(arena, root, path, &(struct weir_tok){ .text = "9", .file = "--set" }, &err);
}

static void a_value_is_replaced_and_says_where_it_comes_from(void **state)
{
    const struct weir_tree *seed;
    (void)state;
    assert_int_equal(set("run.seed"), 0);
    seed = weir_tree_find(weir_tree_find(root, "run"), "seed");
    assert_string_equal(seed->at.text, "9");
    assert_string_equal(seed->at.file, "--set");
    assert_string_equal(seed->key.file, "a.yaml");
    assert_int_equal(seed->key.line, 1);
    assert_int_equal(seed->key.col, 7);
    assert_int_equal(weir_tree_find(root, "run")->count, 1);
}

static void maps_on_the_way_are_made(void **state)
{
    const struct weir_tree *ecn;
    (void)state;
    assert_int_equal(set("fabric.ecn.threshold"), 0);
    ecn = weir_tree_find(weir_tree_find(root, "fabric"), "ecn");
    assert_int_equal(ecn->kind, WEIR_TREE_MAP);
    assert_string_equal(weir_tree_find(ecn, "threshold")->at.text, "9");
    assert_string_equal(weir_tree_find(ecn, "threshold")->key.file, "--set");
    assert_int_equal(set("host.reorder"), 0); /* `host:` with nothing behind it becomes a map */
    assert_int_equal(weir_tree_find(root, "host")->is_empty, false);
}

static void list_items_are_reached_by_number(void **state)
{
    const struct weir_tree *list = weir_tree_find(root, "traffic");
    (void)state;
    assert_int_equal(set("traffic[1].load"), 0);
    assert_string_equal(weir_tree_find(list->first, "load")->at.text, "50%");
    assert_string_equal(weir_tree_find(list->first->next, "load")->at.text, "9");
    assert_int_equal(set("traffic[2].load"), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "--set", "traffic[2].load");
    assert_int_equal(set("run[0]"), WEIR_E_RANGE);
    assert_int_equal(set("traffic[99999999999999999999].load"), WEIR_E_SYNTAX);
}

static void what_is_no_path_is_refused(void **state)
{
    static const char *const paths[] = { "",           ".",        "run.",        "run..seed",
                                         ".run",       "traffic[", "traffic[0",   "traffic[]",
                                         "traffic[x]", "[0]",      "traffic[0]x", "run]",
                                         "traffic[-1]" };
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_int_equal(set(paths[i]), WEIR_E_SYNTAX);
        assert_refusal(&err, WEIR_E_SYNTAX, "--set", paths[i]);
    }
    assert_int_equal(set("run.seed.x"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "--set", "run.seed.x");
    assert_int_equal(set("traffic.load"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "--set", "traffic.load");
}

static void the_arena_gives_zeroed_aligned_memory_of_any_size(void **state)
{
    static const size_t sizes[] = { 1, 16, 17, 5000, 16384, 16385, 100000, 3 };
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char *memory = weir_tree_arena_take(arena, sizes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t b = 0; b < sizes[i]; b++)
            assert_int_equal(memory[b], 0);
        memset(memory, 0xff, sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_value_is_replaced_and_says_where_it_comes_from, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_on_the_way_are_made, setup, teardown),
        cmocka_unit_test_setup_teardown(list_items_are_reached_by_number, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_path_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_arena_gives_zeroed_aligned_memory_of_any_size, setup, teardown),
    };
    return cmocka_run_group_tests_name("config/tree", tests, NULL, NULL);
}
