/* test/unit/reproduce/test_tuning_key.c - ranges of keys: which row a path has, units, and values as text. */
#include "test/unit/weir_test.h"
#include "config/dump.h"
#include "reproduce/tuning_key.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "topology: {kind: star, hosts: 4}\n"
    "protocol: {name: dctcp, g: 0.08}\n"
    "fabric: {ecn: {threshold: 0.5 BDP}}\n"
    "traffic:\n"
    "  - {kind: poisson, sizes: 10 KB, load: 30%}\n"
    "  - {kind: poisson, sizes: 10 KB, load: 30%, protocol: {name: cubic}, host: {rto_min: 3 ms}}\n";

static struct weir_scenario scn;
static struct weir_tuning_key key;
static struct weir_err err;
static char *resolved;

static int setup(void **state)
{
    size_t length;
    FILE *out = open_memstream(&resolved, &length);
    (void)state;
    if (out == NULL || weir_scenario_parse(&scn, "x.yaml", text, sizeof(text) - 1, NULL, 0, &err) != 0)
        return -1;
    weir_scenario_dump(out, &scn);
    return fclose(out);
}

static int teardown(void **state)
{
    (void)state;
    weir_scenario_free(&scn);
    free(resolved);
    return 0;
}

static int read(const char *range)
{
    return weir_tuning_key_read(&key, &scn, resolved, range, &err);
}

static void reads_as(const char *range, uint64_t lo, uint64_t hi, uint64_t value, const char *shown)
{
    char out[WEIR_TUNING_VALUE];
    if (read(range) != 0)
        fail_msg("%s: %s", range, err.text);
    assert_int_equal(key.lo, lo);
    assert_int_equal(key.hi, hi);
    assert_string_equal(weir_tuning_key_text(out, &key, value), shown);
}

static void values_have_the_units_of_their_rows(void **state)
{
    (void)state;
    reads_as("protocol.g=0.01..0.5", 10000, 500000, 74100, "0.0741");
    reads_as("protocol.g=1%..50%", 10000, 500000, 10000, "0.01");
    reads_as("protocol.min_cwnd=1..8", 1, 8, 3, "3");
    reads_as("host.rto_min=10 us..1 ms", 10000000, 1000000000, 123000000, "123 us");
    reads_as("fabric.ecn.threshold=0.25 BDP .. 2 BDP", 250, 2000, 650, "0.65 BDP");
    reads_as("fabric.ecn.threshold=10KB..1MB", 10000, 1000000, 26600, "26600 B");
    reads_as("protocol.init_cwnd=10 KB..100 KB", 10000, 100000, 50000, "50 KB");
}

static void the_unit_of_the_end_is_that_of_the_beginning_too(void **state)
{
    (void)state;
    reads_as("fabric.ecn.threshold=0.25..2 BDP", 250, 2000, 250, "0.25 BDP");
    reads_as("host.rto_min=10..500us", 10000000, 500000000, 10000000, "10 us");
    reads_as("protocol.g=1..50%", 10000, 500000, 10000, "0.01");
}

static void the_file_has_a_value_within_the_range_or_none(void **state)
{
    (void)state;
    assert_int_equal(read("protocol.g=0.01..0.5"), 0);
    assert_true(key.has_own);
    assert_int_equal(key.own, 80000);
    assert_int_equal(read("protocol.g=0.1..0.5"), 0);
    assert_false(key.has_own);
    assert_int_equal(read("fabric.ecn.threshold=0.25..2 BDP"), 0);
    assert_true(key.has_own);
    assert_int_equal(read("fabric.ecn.threshold=1KB..2GB"), 0); /* in BDP there */
    assert_false(key.has_own);
}

static void keys_of_other_laws_are_found(void **state)
{
    (void)state;
    assert_int_equal(read("traffic[1].protocol.cut=0.1..0.9"), 0); /* cubic's */
    assert_int_equal(read("traffic[0].protocol.cut=0.1..0.9"), WEIR_E_UNKNOWN);
    assert_int_equal(read("protocol.cut=0.1..0.9"), WEIR_E_UNKNOWN);
    assert_int_equal(read("traffic[1].host.rto_min=1..5 ms"), 0);
    assert_true(key.has_own);
    assert_int_equal(read("traffic[0].load=10%..50%"), 0);
}

static void what_is_no_range_of_numbers_is_refused(void **state)
{
    (void)state;
    assert_int_equal(read("protocol.g=0.5..0.1"), WEIR_E_RANGE);
    assert_int_equal(read("protocol.g=0.5..0.5"), WEIR_E_RANGE);
    assert_int_equal(read("protocol.g=0.5..7"), WEIR_E_RANGE);
    assert_int_equal(read("protocol.g=0.5"), WEIR_E_SYNTAX);
    assert_int_equal(read("protocol.g=..0.5"), WEIR_E_SYNTAX);
    assert_int_equal(read("protocol.g=0.5.."), WEIR_E_SYNTAX);
    assert_int_equal(read("protocol.g"), WEIR_E_SYNTAX);
    assert_int_equal(read("fabric.ecn.threshold=off..1KB"), WEIR_E_SYNTAX);
    assert_int_equal(read("fabric.ecn.threshold=1..2"), WEIR_E_UNIT);
    assert_int_equal(read("fabric.ecn.threshold=1KB..2 BDP"), WEIR_E_UNIT);
    assert_int_equal(read("fabric.routing.mode=ecmp..spray"), WEIR_E_CONFLICT);
    assert_int_equal(read("run.seed=1..2"), WEIR_E_CONFLICT);
    assert_int_equal(read("protocol.name=dctcp..sird"), WEIR_E_UNKNOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_have_the_units_of_their_rows),           TEST(the_unit_of_the_end_is_that_of_the_beginning_too),
        TEST(the_file_has_a_value_within_the_range_or_none), TEST(keys_of_other_laws_are_found),
        TEST(what_is_no_range_of_numbers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
