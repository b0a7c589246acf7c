/* test/oracle/test_length.c - [run.auto]: the engine on 1 and 3 threads and the oracle find the same warm-up and measured part. */
#include "test/unit/weir_test.h"
#include "config/scenario.h"
#include "engine/sim.h"
#include "setup/setup.h"
#include "solve/length.h"
#include "test/oracle/oracle.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STAR "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
#define LEAF_SPINE                                                                                                     \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 20 Gbps}\n"
#define TRAFFIC(load)                                                                                                  \
    "traffic:\n  - {kind: poisson, sizes: 20 KB, load: " load "}\n"                                                    \
    "  - {kind: incast, fan_in: 3, size: 5 KB, period: 300 us}\n"
#define RUN "run: {warmup: 50 us, measure: auto, precision: 20%, most: 3 ms, seed: 4}\n"

static struct weir_scenario scn;
static struct weir_setup setup;

static void find(struct weir_run_length *found, weir_simulate *simulate, uint32_t threads)
{
    const struct weir_sim_options options = { .threads = threads, .check = true };
    struct weir_err err;
    if (weir_run_length_find(found, &setup, &options, simulate, &err) != 0)
        fail_msg("%s", err.text);
}

static void assert_same(const struct weir_run_length *is, const struct weir_run_length *must, const char *text)
{
    bool same = is->warmup_ps == must->warmup_ps && is->measure_ps == must->measure_ps &&
                is->length.verdict == must->length.verdict;
    for (int m = 0; m < WEIR_MEANS; m++)
        same &= is->length.mean[m].mean == must->length.mean[m].mean &&
                is->length.mean[m].half_width == must->length.mean[m].half_width;
    if (!same)
        fail_msg("measured for %" PRIu64 ", must be for %" PRIu64 ": %s", is->measure_ps, must->measure_ps, text);
}

/* Finds the length by all ways. Returns what is found. */
static struct weir_run_length agree(const char *network, const char *law, const char *traffic)
{
    struct weir_run_length must, is;
    struct weir_err err;
    char text[1024];
    (void)snprintf(text, sizeof(text), "name: length\n%sprotocol: %s\n%s%s", network, law, traffic, RUN);
    if (weir_scenario_parse(&scn, "length.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    find(&must, weir_oracle_run, 1);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        find(&is, weir_sim_run, threads);
        assert_same(&is, &must, text);
    }
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
    return must;
}

static void engine_and_oracle_find_the_same_length(void **state)
{
    static const char *const law[] = { "dctcp", "sird", "homa", "hpcc", "ndp", "swift" };
    (void)state;
    for (size_t i = 0; i < sizeof(law) / sizeof(law[0]); i++) {
        struct weir_run_length found = agree(i % 2 == 0 ? STAR : LEAF_SPINE, law[i], TRAFFIC("30%"));
        assert_false(found.is_offered || found.is_stopped);
        assert_true(found.length.verdict != WEIR_LENGTH_GOES_ON);
        assert_in_range(found.measure_ps, UINT64_C(150000000), UINT64_C(3000000000));
    }
}

static void overload_is_found_without_a_run(void **state)
{
    struct weir_run_length found = agree(STAR, "dctcp", TRAFFIC("97%"));
    (void)state;
    assert_true(found.is_offered);
    assert_true(found.warmup_ps == 50000000 && found.measure_ps == 150000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_and_oracle_find_the_same_length),
        cmocka_unit_test(overload_is_found_without_a_run),
    };
    return cmocka_run_group_tests_name("oracle/length", tests, NULL, NULL);
}
