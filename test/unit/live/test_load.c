/* test/unit/live/test_load.c - the command line of weir load, and which message it makes due when. */
#include "test/unit/refusal.h"
#include "live/load.h"
#include "core/units.h"
#include <string.h>

static struct weir_load_args args;
static struct weir_load_traffic traffic;
static struct weir_err err;

static int parse(int argc, const char *const *argv)
{
    memset(&args, 0, sizeof(args));
    memset(&err, 0, sizeof(err));
    return weir_load_args_parse(&args, argc, (char **)(uintptr_t)argv, &err);
}
#define PARSE(...)                                                                                                     \
    parse((int)(sizeof((const char *[]){ "load", __VA_ARGS__ }) / sizeof(char *)),                                     \
          (const char *[]){ "load", __VA_ARGS__ })

static void begin(uint64_t phase_ps)
{
    assert_int_equal(weir_load_traffic_init(&traffic, &args, 1000000000, phase_ps, &err), 0);
}

static void a_load_is_a_part_of_the_rate_or_a_rate(void **state)
{
    (void)state;
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "50%"), 0);
    assert_int_equal(args.load_ppm, 500000);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "2.5 Mbps", "--seed", "7"), 0);
    assert_int_equal(args.load_ppm, 0);
    assert_int_equal(args.load_bps, 2500000);
    assert_int_equal(args.seed, 7);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "100%"), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "--load");
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "0%"), WEIR_E_RANGE);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "1 MB"), WEIR_E_RANGE);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "much"), WEIR_E_RANGE);
}

static void what_is_missing_or_too_much_is_named(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--sizes", "wka"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "load");
    assert_int_equal(PARSE("h:1"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "load");
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "1%", "--outstanding", "2"), WEIR_E_CONFLICT);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "1%", "--join", "1s"), WEIR_E_CONFLICT);
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--warmup", "2s", "--duration", "2s"), WEIR_E_CONFLICT);
    assert_int_equal(PARSE("h:1", "h:2", "--sizes", "wka", "--outstanding", "40000"), WEIR_E_RANGE);
    assert_int_equal(PARSE("h:1", "--sizes", "wka"), 0);
    assert_int_equal(args.outstanding, 1);
}

static void a_closed_loop_sends_when_something_ended(void **state)
{
    struct weir_message m;
    (void)state;
    assert_int_equal(PARSE("h:1", "h:2", "--sizes", "fixed:10KB", "--outstanding", "2"), 0);
    begin(0);
    assert_int_equal(weir_load_traffic_max(&traffic), 10000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(weir_load_traffic_take(&traffic, 5, &m));
        assert_int_equal(m.dst, i % 2);
        assert_int_equal(m.bytes, 10000);
        assert_int_equal(m.start_ps, 5);
        assert_int_equal(m.id, i);
    }
    assert_false(weir_load_traffic_take(&traffic, 6, &m));
    traffic.under_way[1]--;
    assert_true(weir_load_traffic_take(&traffic, 7, &m));
    assert_int_equal(m.dst, 1);
    assert_true(weir_load_traffic_next_ps(&traffic) == WEIR_NEVER);
    weir_load_traffic_free(&traffic);
}

static void servers_join_in_one_by_one(void **state)
{
    struct weir_message m;
    (void)state;
    assert_int_equal(PARSE("h:1", "h:2", "h:3", "--sizes", "fixed:1B", "--join", "1s"), 0);
    begin(0);
    assert_true(weir_load_traffic_take(&traffic, 0, &m));
    assert_false(weir_load_traffic_take(&traffic, WEIR_PS_PER_S - 1, &m));
    assert_int_equal(weir_load_traffic_next_ps(&traffic), WEIR_PS_PER_S);
    assert_true(weir_load_traffic_take(&traffic, WEIR_PS_PER_S, &m));
    assert_int_equal(m.dst, 1);
    assert_int_equal(weir_load_traffic_next_ps(&traffic), 2 * WEIR_PS_PER_S);
    weir_load_traffic_free(&traffic);
}

static void bursts_go_to_everybody_by_the_clock(void **state)
{
    struct weir_message m;
    (void)state;
    assert_int_equal(PARSE("h:1", "h:2", "--sizes", "fixed:1B", "--incast", "10ms"), 0);
    begin(4 * WEIR_PS_PER_MS); /* the last stroke was 4 ms ago */
    assert_int_equal(weir_load_traffic_next_ps(&traffic), 6 * WEIR_PS_PER_MS);
    assert_false(weir_load_traffic_take(&traffic, 6 * WEIR_PS_PER_MS - 1, &m));
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(weir_load_traffic_take(&traffic, 7 * WEIR_PS_PER_MS, &m));
        assert_int_equal(m.dst, i);
        assert_int_equal(m.start_ps, 6 * WEIR_PS_PER_MS); /* when it was to start, however late it is taken */
    }
    assert_false(weir_load_traffic_take(&traffic, 7 * WEIR_PS_PER_MS, &m));
    assert_int_equal(weir_load_traffic_next_ps(&traffic), 16 * WEIR_PS_PER_MS);
    weir_load_traffic_free(&traffic);
}

static void an_open_loop_is_the_simulators_host_0(void **state)
{
    struct weir_source source;
    struct weir_message m, want;
    (void)state;
    assert_int_equal(PARSE("h:1", "h:2", "h:3", "--sizes", "wka", "--load", "30%", "--seed", "5"), 0);
    begin(0);
    weir_source_init(&source, &traffic.workload, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t at = weir_source_next_ps(&source);
        assert_int_equal(weir_load_traffic_next_ps(&traffic), at);
        assert_false(weir_load_traffic_take(&traffic, at - 1, &m));
        assert_true(weir_load_traffic_take(&traffic, at, &m));
        weir_source_take(&source, &want);
        assert_int_equal(m.bytes, want.bytes);
        assert_int_equal(m.dst + 1, want.dst);
        assert_int_equal(m.start_ps, at);
    }
    weir_load_traffic_free(&traffic);
}

static void a_load_above_the_link_is_refused(void **state)
{
    (void)state;
    assert_int_equal(PARSE("h:1", "--sizes", "wka", "--load", "2Gbps"), 0);
    assert_int_not_equal(weir_load_traffic_init(&traffic, &args, 1000000000, 0, &err), 0);
    assert_refusal(&err, WEIR_E_RANGE, "", "load");
    weir_load_traffic_free(&traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_a_part_of_the_rate_or_a_rate),
        cmocka_unit_test(what_is_missing_or_too_much_is_named),
        cmocka_unit_test(a_closed_loop_sends_when_something_ended),
        cmocka_unit_test(servers_join_in_one_by_one),
        cmocka_unit_test(bursts_go_to_everybody_by_the_clock),
        cmocka_unit_test(an_open_loop_is_the_simulators_host_0),
        cmocka_unit_test(a_load_above_the_link_is_refused),
    };
    return cmocka_run_group_tests_name("live/load", tests, NULL, NULL);
}
