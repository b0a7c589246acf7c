/* test/unit/reproduce/test_comparison_keys.c - which keys of dumped scenarios differ: sections, sections in sections, items of lists. */
#include "test/unit/weir_test.h"
#include "config/dump.h"
#include "config/scenario.h"
#include "reproduce/comparison_keys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weir_comparison_keys keys;
static struct weir_tree_arena *arena;
static struct weir_err err;

static int begin(void **state)
{
    (void)state;
    arena = weir_tree_arena_new();
    return arena == NULL;
}

static int end(void **state)
{
    (void)state;
    weir_tree_arena_free(arena);
    return 0;
}

static void find(const char *const *text, uint32_t count)
{
    assert_int_equal(weir_comparison_keys_find(&keys, text, count, arena, &err), 0);
}

static void key_is(uint32_t i, const char *path, const char *first, const char *second)
{
    assert_in_range(i, 0, keys.count - 1);
    assert_string_equal(keys.key[i].path, path);
    assert_string_equal(keys.key[i].value[0], first);
    assert_string_equal(keys.key[i].value[1], second);
}

static void only_keys_that_differ_are_found_in_the_order_of_the_scenario(void **state)
{
    const char *const text[] = {
        "name: \"x\"\nfabric:\n  buffer: 1 B\n  ecn:\n    threshold: 1 BDP # 10 B\n    pmax: 1\n  pfc:\n    kind: off\n"
        "traffic:\n  - kind: poisson\n    load: 0.3\n  - kind: poisson\n    load: 0.4\nrun:\n  seed: 1\n  group_a: "
        "auto\n",
        "name: \"y\"\nfabric:\n  buffer: 1 B\n  ecn:\n    threshold: 1 BDP # 11 B\n    pmax: 0.5\n  pfc:\n    kind: "
        "static\n"
        "traffic:\n  - kind: poisson\n    load: 0.3\n  - kind: poisson\n    load: 0.5\nrun:\n  seed: 2\n  group_a: 1 "
        "B\n",
    };
    (void)state;
    find(text, 2);
    assert_int_equal(keys.count, 3);
    key_is(0, "fabric.ecn.pmax", "1", "0.5");
    key_is(1, "fabric.pfc.kind", "off", "static");
    key_is(2, "traffic[1].load", "0.4", "0.5");
}

static void a_key_that_only_one_has_is_a_dash_elsewhere(void **state)
{
    const char *const text[] = { "fabric:\n  a: 1\n", "fabric:\n  a: 1\n  rpm:\n    mode: on\n", "fabric:\n  a: 1\n" };
    (void)state;
    find(text, 3);
    assert_int_equal(keys.count, 1);
    key_is(0, "fabric.rpm.mode", "-", "on");
    assert_string_equal(keys.key[0].value[2], "-");
}

static char *dump(const char *yaml)
{
    static struct weir_scenario scn;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(weir_scenario_parse(&scn, "a.yaml", yaml, strlen(yaml), NULL, 0, &err), 0);
    weir_scenario_dump(out, &scn);
    (void)fclose(out);
    weir_scenario_free(&scn);
    return text;
}

static void keys_of_a_protocol_count_where_its_variants_differ(void **state)
{
    const char *const text[] = {
        "protocol:\n  name: swift\n  g: 9\n",
        "protocol:\n  name: dctcp\n  preset: a\n  g: 1\n  same: 5\n",
        "protocol:\n  name: dctcp\n  preset: b\n  g: 2\n  same: 5\n",
        "protocol:\n  name: sird\n  same: 7\n",
    };
    (void)state;
    find(text, 4);
    assert_int_equal(keys.count, 1);
    key_is(0, "protocol.g", "9", "1");
    assert_string_equal(keys.key[0].value[2], "2");
    assert_string_equal(keys.key[0].value[3], "-");
    find((const char *const[]){ text[1], text[2], text[3] }, 3); /* the file is no law of the comparison */
    assert_int_equal(keys.count, 0);
}

#define REST "traffic: [{kind: poisson, sizes: wka, load: 30%}, {kind: incast, fan_in: 3, size: 1 KB, load: 1%}]\n"

static void dumps_are_read_as_they_are_written(void **state)
{
    const char *texts[3];
    char *a =
        dump("protocol: dctcp\nfabric: {events: [{time: 1 us, cable: \"leaf 0 - spine 0\", state: down}]}\n" REST);
    char *b = dump("protocol: sird\nhost: {mark: 20 KB}\n"
                   "fabric: {events: [{time: 2 us, cable: \"leaf 0 - spine 0\", state: down}]}\n" REST);
    (void)state;
    texts[0] = a;
    texts[1] = b;
    find(texts, 2);
    key_is(0, "framing.payload", "1460 B", "1458 B");
    key_is(1, "framing.header", "58 B", "60 B");
    key_is(2, "host.mark", "off", "20 KB");
    key_is(3, "fabric.routing.mode", "ecmp", "spray");
    key_is(4, "fabric.priorities", "1", "2");
    key_is(5, "fabric.ecn.threshold", "1 BDP", "1.25 BDP");
    key_is(6, "fabric.events[0].time", "1 us", "2 us");
    assert_int_equal(keys.count, 7);
    texts[1] = texts[0];
    find(texts, 2);
    assert_int_equal(keys.count, 0);
    free(a);
    free(b);
}

static void more_keys_than_fit_are_reported(void **state)
{
    char a[4096] = "x:\n  same: 1\n", b[4096] = "x:\n  same: 1\n";
    (void)state;
    for (uint32_t i = 0; i <= WEIR_COMPARISON_KEYS_MAX; i++) {
        if (i == WEIR_COMPARISON_KEYS_MAX) { /* a list that is just full is not cut, also if more keys follow */
            char c[4200], d[4200];
            (void)snprintf(c, sizeof(c), "%s  last: 1\n", a);
            (void)snprintf(d, sizeof(d), "%s  last: 1\n", b);
            find((const char *const[]){ c, d }, 2);
            assert_int_equal(keys.count, WEIR_COMPARISON_KEYS_MAX);
            assert_false(keys.is_cut);
        }
        (void)snprintf(a + strlen(a), sizeof(a) - strlen(a), "  k%u: 1\n", (unsigned)i);
        (void)snprintf(b + strlen(b), sizeof(b) - strlen(b), "  k%u: 2\n", (unsigned)i);
    }
    find((const char *const[]){ a, b }, 2);
    assert_int_equal(keys.count, WEIR_COMPARISON_KEYS_MAX);
    assert_true(keys.is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_keys_that_differ_are_found_in_the_order_of_the_scenario, begin, end),
        cmocka_unit_test_setup_teardown(a_key_that_only_one_has_is_a_dash_elsewhere, begin, end),
        cmocka_unit_test_setup_teardown(keys_of_a_protocol_count_where_its_variants_differ, begin, end),
        cmocka_unit_test_setup_teardown(dumps_are_read_as_they_are_written, begin, end),
        cmocka_unit_test_setup_teardown(more_keys_than_fit_are_reported, begin, end),
    };
    return cmocka_run_group_tests_name("reproduce/comparison_keys", tests, NULL, NULL);
}
