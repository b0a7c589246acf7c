/* test/unit/workload/test_params.c - the rows of a traffic item: every key once, every field inside its struct. */
#include "test/unit/weir_test.h"
#include "workload/workload.h"
#include <string.h>

static const char *const keys[] = {
    "kind",         "sizes",       "interpolate", "load",       "from",           "to",      "share",       "load_mean",
    "fan_in",       "arrivals",    "size",        "period",     "start",          "stop",    "file",        "groups",
    "dependencies", "goal_layout", "format",      "start_unit", "strict",         "origin",  "connections", "jitter",
    "policy",       "apart",       "count",       "weights",    "draw",           "changes", "change_at",   "rate",
    "packet",       "on",          "off",         "op",         "algorithm",      "ranks",   "bytes",       "chunks",
    "steps",        "compute",     "straggler",   "placement",  "placement_file", "tp",      "pp",          "dp",
    "ep",           "over",        "reply",       "measured",   "tenant",         "class",   "name"
};
enum { COUNT = sizeof(keys) / sizeof(keys[0]) };

static void the_keys_are_those_of_the_contract(void **state)
{
    uint32_t count = 0;
    (void)state;
    for (const struct weir_param *row = weir_traffic_params; row->key != NULL; row++, count++) {
        assert_in_range(count, 0, COUNT - 1);
        assert_string_equal(row->key, keys[count]);
        assert_true(strlen(row->hint) > 10);
        assert_true(row->kind != WEIR_KIND_CHOICE || row->choices[row->fallback] != NULL);
        assert_true(row->min <= row->max);
    }
    assert_int_equal(count, COUNT);
}

static void texts_fit_their_fields(void **state)
{
    static const size_t room[] = { sizeof(((struct weir_traffic_config *)NULL)->sizes),
                                   sizeof(((struct weir_traffic_config *)NULL)->from),
                                   sizeof(((struct weir_traffic_config *)NULL)->to),
                                   sizeof(((struct weir_traffic_config *)NULL)->file),
                                   sizeof(((struct weir_traffic_config *)NULL)->groups),
                                   sizeof(((struct weir_traffic_config *)NULL)->policy),
                                   sizeof(((struct weir_traffic_config *)NULL)->weights),
                                   sizeof(((struct weir_traffic_config *)NULL)->ranks),
                                   sizeof(((struct weir_traffic_config *)NULL)->placement_file),
                                   sizeof(((struct weir_traffic_config *)NULL)->name) };
    uint32_t texts = 0;
    (void)state;
    for (const struct weir_param *row = weir_traffic_params; row->key != NULL; row++)
        if (row->kind == WEIR_KIND_TEXT)
            assert_int_equal(row->max + 1, room[texts++]);
    assert_int_equal(texts, 10);
}

static void kinds_are_named_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_POISSON], "poisson");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_INCAST], "incast");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_PERMUTATION], "permutation");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_FLOWS], "flows");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_JOBS], "jobs");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_PAIRS], "pairs");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_CBR], "cbr");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_SESSION], "session");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_COLLECTIVE], "collective");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_GOAL], "goal");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_CHAKRA], "chakra");
    assert_string_equal(weir_traffic_kinds[WEIR_TRAFFIC_SIMAI], "simai");
    assert_null(weir_traffic_kinds[WEIR_TRAFFIC_SIMAI + 1]);
    for (uint32_t kind = WEIR_TRAFFIC_POISSON; kind <= WEIR_TRAFFIC_SIMAI; kind++)
        assert_int_equal(weir_traffic_is_trace(kind), kind >= WEIR_TRAFFIC_GOAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keys_are_those_of_the_contract),
        cmocka_unit_test(texts_fit_their_fields),
        cmocka_unit_test(kinds_are_named_in_the_order_of_their_numbers),
    };
    return cmocka_run_group_tests_name("workload/params", tests, NULL, NULL);
}
