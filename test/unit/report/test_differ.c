/* test/unit/report/test_differ.c - as few words as tell scenarios apart. */
#include "test/unit/weir_test.h"
#include "report/differ.h"
#include <stdio.h>
#include <string.h>

#define MOST 8

static struct weir_differing d[MOST];
static struct weir_err err;

/* A scenario's text; its --set; what its words have to be. */
struct scenario {
    const char *text, *given, *want;
};

static void differ(const struct scenario *s, size_t count)
{
    memset(d, 0, sizeof(d));
    for (size_t i = 0; i < count; i++) {
        d[i].name = "x";
        d[i].program = "0.1 abc";
        d[i].given = s[i].given;
        assert_int_equal(weir_settings_read(&d[i].settings, s[i].text, &err), 0);
    }
    assert_int_equal(weir_differ(d, count, &err), 0);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(d[i].text, s[i].want);
        weir_settings_free(&d[i].settings);
    }
}

#define DIFFER(...)                                                                                                    \
    do {                                                                                                               \
        const struct scenario s_[] = { __VA_ARGS__ };                                                                  \
        differ(s_, sizeof(s_) / sizeof(s_[0]));                                                                        \
    } while (0)

static void the_law_stands_for_what_comes_with_it(void **state)
{
    (void)state;
    DIFFER({ "protocol: {name: dctcp, g: 0.0625}\nfabric: {ecn: {threshold: 0.65 BDP}}", NULL, "dctcp" },
           { "protocol: {name: sird, B: 1.5 BDP}\nfabric: {ecn: {threshold: 1.25 BDP}}", NULL, "sird" });
}

static void a_key_is_said_of_those_that_it_tells_apart(void **state)
{
    (void)state;
    DIFFER({ "protocol: {name: dctcp}\nfabric: {ecn: {threshold: 0.65 BDP}}", NULL, "dctcp, threshold=0.65 BDP" },
           { "protocol: {name: dctcp}\nfabric: {ecn: {threshold: 1 BDP}}", NULL, "dctcp, threshold=1 BDP" },
           { "protocol: {name: sird}\nfabric: {ecn: {threshold: 1 BDP}}", NULL, "sird" });
}

static void loads_and_sizes_need_no_key(void **state)
{
    (void)state;
    DIFFER({ "protocol: {name: sird}\ntraffic: [{sizes: wka, load: 0.4}]", NULL, "wka, 40%" },
           { "protocol: {name: sird}\ntraffic: [{sizes: wka, load: 0.8}]", NULL, "wka, 80%" },
           { "protocol: {name: sird}\ntraffic: [{sizes: wkc, load: 40%}]", NULL, "wkc" });
}

/* Of two keys that differ alike the one that the command line set is the reason. */
static void what_was_set_comes_before_what_follows(void **state)
{
    (void)state;
    DIFFER({ "topology: {racks: 2, hosts: 16}", "topology.hosts=16", "hosts=16" },
           { "topology: {racks: 4, hosts: 32}", "topology.hosts=32\n", "hosts=32" });
    DIFFER({ "topology: {racks: 2, hosts: 16}", NULL, "racks=2" },
           { "topology: {racks: 4, hosts: 32}", NULL, "racks=4" });
}

static void a_key_is_as_long_as_it_takes(void **state)
{
    (void)state;
    DIFFER({ "protocol: {alpha: 1}\nfabric: {alpha: 2, b: {k: 1}}", NULL, "fabric.alpha=2" },
           { "protocol: {alpha: 1}\nfabric: {alpha: 3, b: {k: 1}}", NULL, "fabric.alpha=3" });
    DIFFER({ "traffic: [{load: 0.1}, {load: 0.2}]", NULL, "traffic[1].load=20%" },
           { "traffic: [{load: 0.1}, {load: 0.3}]", NULL, "traffic[1].load=30%" });
    DIFFER({ "fabric: {codel: {target: 5 us}}", NULL, "target=5 us" }, { "fabric: {}", NULL, "target=none" });
}

static void a_seed_is_no_difference(void **state)
{
    (void)state;
    DIFFER({ "run: {seed: 1}", NULL, "" }, { "run: {seed: 2}", NULL, "" });
    DIFFER({ "run: {seed: 1}\ntopology: {seed: 1}", NULL, "topology.seed=1" },
           { "run: {seed: 1}\ntopology: {seed: 2}", NULL, "topology.seed=2" });
}

static void names_come_first_and_programs_last(void **state)
{
    (void)state;
    memset(d, 0, sizeof(d));
    for (size_t i = 0; i < 3; i++) {
        d[i].name = i == 0 ? "incast" : "search";
        d[i].program = i == 2 ? "0.2 def" : "0.1 abc";
        assert_int_equal(weir_settings_read(&d[i].settings, "protocol: {name: sird}", &err), 0);
    }
    assert_int_equal(weir_differ(d, 3, &err), 0);
    assert_string_equal(d[0].text, "incast");
    assert_string_equal(d[1].text, "search, weir 0.1 abc");
    assert_string_equal(d[2].text, "search, weir 0.2 def");
    assert_int_equal(weir_differ(d, 1, &err), 0); /* one alone differs from nothing */
    assert_string_equal(d[0].text, "");
    for (size_t i = 0; i < 3; i++)
        weir_settings_free(&d[i].settings);
}

/* All values of six keys, 64 scenarios: no two have the same words, and each differs from the others in each key. */
static void no_two_have_the_same_words(void **state)
{
    static struct weir_differing many[64];
    (void)state;
    for (size_t i = 0; i < 64; i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "a: %zu\nb: {c: %zu, d: %zu}\ne: [%zu, {f: %zu}]\ng: %zu", i & 1, i >> 1 & 1,
                       i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5);
        many[i].name = many[i].program = "";
        assert_int_equal(weir_settings_read(&many[i].settings, text, &err), 0);
    }
    assert_int_equal(weir_differ(many, 64, &err), 0);
    assert_string_equal(many[5].text, "a=1, c=0, d=1, e[0]=0, f=0, g=0");
    for (size_t i = 0; i < 64; i++) {
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(many[i].text, many[k].text);
        weir_settings_free(&many[i].settings);
    }
}

static void long_words_are_cut(void **state)
{
    char text[2][512];
    (void)state;
    memset(d, 0, sizeof(d));
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(text[i], sizeof(text[i]), "%0200zu: {%0200zu: %zu}", (size_t)1, (size_t)2, i);
        d[i].name = d[i].program = "";
        assert_int_equal(weir_settings_read(&d[i].settings, text[i], &err), 0);
    }
    assert_int_equal(weir_differ(d, 2, &err), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_true(strlen(d[i].text) < WEIR_DIFFER_MAX_BYTES);
        weir_settings_free(&d[i].settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_stands_for_what_comes_with_it),
        cmocka_unit_test(a_key_is_said_of_those_that_it_tells_apart),
        cmocka_unit_test(loads_and_sizes_need_no_key),
        cmocka_unit_test(what_was_set_comes_before_what_follows),
        cmocka_unit_test(a_key_is_as_long_as_it_takes),
        cmocka_unit_test(a_seed_is_no_difference),
        cmocka_unit_test(names_come_first_and_programs_last),
        cmocka_unit_test(no_two_have_the_same_words),
        cmocka_unit_test(long_words_are_cut),
    };
    return cmocka_run_group_tests_name("report/differ", tests, NULL, NULL);
}
