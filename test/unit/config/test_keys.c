/* test/unit/config/test_keys.c - a map of a scenario into a struct: which values may be lists. */
#include "test/unit/refusal.h"
#include "config/keys.h"
#include "config/yaml.h"
#include <string.h>

struct sample {
    struct weir_size_list sizes;
    uint64_t size_bytes;
};

static const struct weir_keyword none = { "none", 0 };
static const struct weir_param rows[] = {
    WEIR_PARAM_KEYWORD("sizes", struct sample, sizes, WEIR_KIND_SIZES, 1, 1000000, 0, &none, "steps"),
    WEIR_PARAM_NAMED("size", struct sample, size_bytes, WEIR_KIND_SIZE, 1, 1000000, 1, "a step"),
    { .key = NULL },
};
static struct sample config;
static struct weir_err err;

static int apply(const char *text)
{
    struct weir_tree_arena *arena = weir_tree_arena_new();
    struct weir_tree *root = NULL;
    assert_non_null(arena);
    assert_int_equal(weir_yaml_read(arena, "a.yaml", text, strlen(text), WEIR_TREE_CHILDREN_MAX, &root, &err), 0);
    int code = weir_keys_apply(root, rows, NULL, "part", &config, &err);
    weir_tree_arena_free(arena);
    return code;
}

static void refuses(const char *text, enum weir_err_code code, const char *place, const char *key)
{
    assert_int_equal(apply(text), code);
    assert_refusal(&err, code, place, key);
}

static void sizes_may_be_a_list_or_one_text(void **state)
{
    (void)state;
    assert_int_equal(apply("sizes: [2 KB, 30 KB]\n"), 0);
    assert_int_equal(config.sizes.count, 2);
    assert_int_equal(config.sizes.bytes[0], 2000);
    assert_int_equal(config.sizes.bytes[1], 30000);
    assert_int_equal(apply("sizes:\n  - 7 B\n"), 0);
    assert_int_equal(config.sizes.count, 1);
    assert_int_equal(config.sizes.bytes[0], 7);
    assert_int_equal(apply("sizes: 8 B, 9 B\n"), 0);
    assert_int_equal(config.sizes.count, 2);
    assert_int_equal(config.sizes.bytes[1], 9);
    assert_int_equal(apply("sizes: none\n"), 0);
    assert_int_equal(config.sizes.count, 0);
}

static void other_lists_are_refused(void **state)
{
    (void)state;
    refuses("size: 1 B\nsizes: []\n", WEIR_E_SYNTAX, "a.yaml:2:8", "sizes");
    refuses("sizes: [1 B, {a: 2 B}]\n", WEIR_E_SYNTAX, "a.yaml:1:8", "sizes");
    refuses("sizes: {a: 2 B}\n", WEIR_E_SYNTAX, "a.yaml:1:8", "sizes");
    refuses("sizes: [1 B, 2 kg]\n", WEIR_E_UNIT, "a.yaml:1:8", "sizes");
    refuses("size: [1 B]\n", WEIR_E_SYNTAX, "a.yaml:1:7", "size");
    char text[1024] = "sizes: [1 B";
    for (int i = 0; i < 100; i++)
        strcat(text, ", 1 KB");
    strcat(text, "]\n");
    refuses(text, WEIR_E_SYNTAX, "a.yaml:1:8", "sizes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_may_be_a_list_or_one_text),
        cmocka_unit_test(other_lists_are_refused),
    };
    return cmocka_run_group_tests_name("config/keys", tests, NULL, NULL);
}
