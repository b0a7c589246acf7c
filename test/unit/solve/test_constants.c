/* test/unit/solve/test_constants.c - Soze's constants from the traffic: which instants count, and rates per weight worked out by hand. */
#include "test/unit/setup/setup_fixture.h"
#include "solve/constants.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GBPS 1e9
/* Two links of 100 Gb/s in a row; packets without headers, so payload is what is on the wire. */
#define CHAIN                                                                                                          \
    "topology: {kind: chain, hosts: 15, switches: 3, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us}\n"    \
    "framing: {payload: 1000 B, header: 0 B, gap: 0 B, min_wire: 60 B, ack_wire: 60 B}\nprotocol: soze\n"
#define STAR                                                                                                           \
    "topology: {kind: star, hosts: 6, host_link: 100 Gbps}\nprotocol: soze\nframing: {payload: 1000 B, header: 0 B, "  \
    "gap: 0 B}\n"

static struct weir_levels levels;
static char name[] = "/tmp/weir-constants-XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(name);
    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(name);
}

/* Sets up a network with one traffic item, whose file has the text `file`. */
static void begin(const char *network, const char *kind, const char *file, const char *run)
{
    char text[1024];
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(file, f) >= 0);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(text, sizeof(text), "%straffic: [{kind: %s, file: %s}]\nrun: {warmup: 0 us, measure: %s}\n", network,
                   kind, name, run);
    parse("c.yaml", text);
    (void)is_accepted();
}

static int find(uint64_t at_ps)
{
    const struct weir_allocate_options options = { .file = "c.yaml", .at_ps = at_ps };
    return weir_levels_find(&levels, &setup, &options, &err);
}

static void found(uint64_t at_ps)
{
    if (find(at_ps) != 0)
        fail_msg("%s", err.text);
}

static void is_level(const struct weir_level *level, double gbps, uint32_t number, uint64_t at_ps)
{
    if (!(fabs(level->bps - gbps * GBPS) < 1e-6 * gbps * GBPS))
        fail_msg("%.9g is not %.9g Gb/s", level->bps / GBPS, gbps);
    assert_int_equal(level->number, number);
    assert_int_equal(level->at_ps, at_ps);
}

static const char lot[] =
    "jobs:\n  - name: all\n    flows:\n"
    "      - {name: f1, from: 0, to: 5, size: 2 GB, weights: [{at: 10 ms, weight: 2}, {at: 20 ms, weight: 3}, "
    "{at: 30 ms, weight: 4}, {at: 40 ms, weight: 5}]}\n"
    "      - {name: f2, from: 1, to: 10, size: 2 GB}\n      - {name: f3, from: 2, to: 11, size: 2 GB}\n"
    "      - {name: f4, from: 3, to: 12, size: 2 GB}\n      - {name: f5, from: 6, to: 13, size: 2 GB}\n"
    "      - {name: f6, from: 7, to: 14, size: 2 GB}\n";

/* Figure 17 of OSDI 2025. Flow 1 crosses the first link, flows 2 to 4 both, 5 and 6 the second. Rates per weight:
 *   weight of flow 1   flow 1          flows 2 to 4   flows 5, 6
 *   1                  40 / 1 = 40     20             20
 *   2                  40 / 2 = 20     20             20
 *   3                  50 / 3 = 16.7   16.7           25
 *   4                  57.1 / 4 = 14.3 14.3           28.6
 *   5                  62.5 / 5 = 12.5 12.5           31.25 */
static void changes_of_weights_count(void **state)
{
    (void)state;
    begin(CHAIN, "jobs", lot, "60 ms");
    found(WEIR_NEVER);
    is_level(&levels.high, 40, 1, 0);
    is_level(&levels.low, 12.5, 1, 40 * WEIR_PS_PER_MS);
    assert_int_equal(levels.instants, 5);
    assert_int_equal(levels.flows, 6);
    assert_int_equal(levels.queued, 6);
    assert_int_equal(levels.at_host_ports, 0);
    assert_true(fabs(levels.alone_bps - 100 * GBPS) < 1);
}

static void what_comes_after_the_run_does_not_count(void **state)
{
    (void)state;
    begin(CHAIN, "jobs", lot, "30 ms");
    found(WEIR_NEVER);
    assert_int_equal(levels.instants, 3);
    is_level(&levels.low, 50.0 / 3, 1, 20 * WEIR_PS_PER_MS);
}

static void one_instant_may_be_asked_for(void **state)
{
    (void)state;
    begin(CHAIN, "jobs", lot, "60 ms");
    found(35 * WEIR_PS_PER_MS);
    assert_int_equal(levels.instants, 1);
    is_level(&levels.high, 200.0 / 7, 5, 35 * WEIR_PS_PER_MS);
    is_level(&levels.low, 100.0 / 7, 1, 35 * WEIR_PS_PER_MS);
}

/* Host 0 has 100 Gb/s for flow 1 alone, then for flows 1 and 2, whose queue is at its own port; then flow 3 takes half of what host 1
 * receives from a port that is a switch's. */
static void starts_count(void **state)
{
    (void)state;
    begin(STAR, "flows", "src,dst,bytes,start\n0,1,1 GB,0 us\n0,2,1 GB,1 ms\n3,1,1 GB,2 ms\n", "5 ms");
    found(WEIR_NEVER);
    assert_int_equal(levels.instants, 3);
    is_level(&levels.high, 100, 1, 0);
    is_level(&levels.low, 50, 1, WEIR_PS_PER_MS);
    assert_int_equal(levels.flows, 3);
    assert_int_equal(levels.queued, 3);
    assert_int_equal(levels.at_host_ports, 2);
}

/* Flow 2 waits for flow 1. Nobody knows when it starts, so one solve has both at once. */
static void flows_that_wait_count_with_all_others(void **state)
{
    (void)state;
    begin(STAR, "jobs",
          "jobs:\n  - name: a\n    flows:\n      - {name: f1, from: 0, to: 1, size: 1 GB}\n"
          "      - {name: f2, from: 2, to: 1, size: 1 GB, after: [f1], weight: 3}\n",
          "5 ms");
    found(WEIR_NEVER);
    assert_int_equal(levels.instants, 2);
    is_level(&levels.high, 100, 1, 0);
    is_level(&levels.low, 25, 1, WEIR_NEVER);
}

/* Two pairs of hosts with a link each: there is no queue, and alpha and beta would mean nothing. */
static void traffic_without_a_queue_is_refused(void **state)
{
    (void)state;
    begin(STAR, "flows", "src,dst,bytes,start\n0,1,1 GB,0 us\n2,3,1 GB,0 us\n", "5 ms");
    assert_int_equal(find(WEIR_NEVER), WEIR_E_CONFLICT);
    assert_non_null(strstr(err.text, "no two flows share a full link"));
}

static void a_flow_alone_on_a_slow_link_has_a_queue(void **state)
{
    (void)state;
    begin("topology: {kind: chain, hosts: 3, switches: 3, host_link: 400 Gbps, core_link: 100 Gbps}\nprotocol: soze\n",
          "flows", "src,dst,bytes,start\n0,1,1 GB,0 us\n", "5 ms");
    found(WEIR_NEVER);
    assert_int_equal(levels.queued, 1);
    is_level(&levels.high, 100, 1, 0);
}

static void too_many_instants_are_refused(void **state)
{
    static char list[64 * 1024];
    size_t used = (size_t)snprintf(list, sizeof(list), "src,dst,bytes,start\n");
    (void)state;
    for (uint32_t i = 0; i <= WEIR_CONSTANTS_INSTANTS_MAX; i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%u,5,1 KB,%u us\n", i % 5, i);
    begin(STAR, "flows", list, "5 ms");
    assert_int_equal(find(WEIR_NEVER), WEIR_E_RANGE);
    assert_non_null(strstr(err.hint, "--at"));
    found(2 * WEIR_PS_PER_US);
    is_level(&levels.high, 100.0 / 3, 1, 2 * WEIR_PS_PER_US);
}

static void constants_follow_from_the_levels(void **state)
{
    (void)state;
    struct weir_constants c = weir_constants_of(40e9, 12.5e9);
    assert_int_equal(c.alpha_bps, 40000000000);
    assert_int_equal(c.beta_bps, 12500000000);
    assert_false(c.widened);
    assert_int_equal(c.p_ps, 20 * WEIR_PS_PER_US);
    assert_int_equal(c.p_appendix_ps, 37 * WEIR_PS_PER_US);
    assert_int_equal(c.k_ps, 3 * WEIR_PS_PER_US);
    assert_in_range(c.p_slope_ps, 15120961, 15120963); /* 13 us ln 3.2 */
}

/* ln(alpha / beta) is 0 there, and the law divides by it. */
static void equal_levels_are_set_apart(void **state)
{
    (void)state;
    struct weir_constants c = weir_constants_of(20e9, 20e9);
    assert_int_equal(c.alpha_bps, 20000000000);
    assert_int_equal(c.beta_bps, 10000000000);
    assert_true(c.widened);
    assert_in_range(c.p_slope_ps, 9010913, 9010914); /* 13 us ln 2 */
    assert_false(weir_constants_of(20e9, 10e9).widened);
    assert_true(weir_constants_of(20e9, 10.1e9).widened);
    c = weir_constants_of(0.1, 0.1);
    assert_int_equal(c.alpha_bps, 2);
    assert_int_equal(c.beta_bps, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(changes_of_weights_count, end),
        cmocka_unit_test_teardown(what_comes_after_the_run_does_not_count, end),
        cmocka_unit_test_teardown(one_instant_may_be_asked_for, end),
        cmocka_unit_test_teardown(starts_count, end),
        cmocka_unit_test_teardown(flows_that_wait_count_with_all_others, end),
        cmocka_unit_test_teardown(traffic_without_a_queue_is_refused, end),
        cmocka_unit_test_teardown(a_flow_alone_on_a_slow_link_has_a_queue, end),
        cmocka_unit_test_teardown(too_many_instants_are_refused, end),
        cmocka_unit_test(constants_follow_from_the_levels),
        cmocka_unit_test(equal_levels_are_set_apart),
    };
    return cmocka_run_group_tests_name("solve/constants", tests, make_file, remove_file);
}
