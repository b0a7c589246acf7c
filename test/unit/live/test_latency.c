/* test/unit/live/test_latency.c - latencies as they are printed. */
#include "test/unit/weir_test.h"
#include "live/latency.h"
#include <stdlib.h>
#include <string.h>

static struct weir_latency a, b;

static int setup(void **state)
{
    (void)state;
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    return 0;
}

static void assert_json(const struct weir_latency *l, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    struct weir_json json = { .out = open_memstream(&text, &size) };
    assert_non_null(json.out);
    weir_json_open(&json, NULL);
    weir_latency_json(&json, "us", l);
    weir_json_close(&json);
    (void)fclose(json.out);
    assert_string_equal(text, want);
    free(text);
}

static void nothing_counted_is_null(void **state)
{
    (void)state;
    assert_json(&a, "{\n  \"us\": {\"count\": 0, \"mean\": null, \"min\": null, \"p50\": null, \"p90\": null, "
                    "\"p99\": null, \"p999\": null, \"max\": null}\n}\n");
}

static void quantiles_are_of_what_was_counted(void **state)
{
    (void)state;
    for (uint64_t ns = 1; ns <= 100; ns++)
        weir_latency_add(&a, ns);
    assert_json(&a, "{\n  \"us\": {\"count\": 100, \"mean\": 0.050, \"min\": 0.001, \"p50\": 0.050, \"p90\": 0.090, "
                    "\"p99\": 0.099, \"p999\": 0.100, \"max\": 0.100}\n}\n");
}

static void merging_adds(void **state)
{
    (void)state;
    weir_latency_merge(&a, &b);
    assert_int_equal(a.ns.total, 0);
    weir_latency_add(&b, 40);
    weir_latency_add(&b, 20);
    weir_latency_merge(&a, &b);
    assert_int_equal(a.min_ns, 20);
    assert_int_equal(a.sum_ns, 60);
    memset(&b, 0, sizeof(b));
    weir_latency_add(&b, 10);
    weir_latency_merge(&a, &b);
    assert_int_equal(a.min_ns, 10);
    assert_int_equal(a.ns.total, 3);
    assert_int_equal(a.ns.max, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_counted_is_null, setup),
        cmocka_unit_test_setup(quantiles_are_of_what_was_counted, setup),
        cmocka_unit_test_setup(merging_adds, setup),
    };
    return cmocka_run_group_tests_name("live/latency", tests, NULL, NULL);
}
