/* test/oracle/test_traces.c - scenarios that name traces: the engine on 1 to 3 threads and the oracle do the same, by several protocols.
 * Run in the folder of the project. */
#include "test/unit/setup/setup_fixture.h"
#include "engine/sim.h"
#include "test/oracle/oracle.h"

static const char file[] = "test/golden/trace.yaml";

static void load(const char *protocol)
{
    const struct weir_override set = { .text = protocol };
    tear_down();
    if (weir_scenario_load(&scn, file, &set, 1, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s", err.file, err.line, err.text);
    (void)is_accepted();
}

/* Counted by hand in trace.goal (5 down a tree, 5 up, 6 shifted), trace.N.json (24 of a ring, 12 to all, 4 to neighbours) and trace.simai
 * (8 ranks: forward 2 + 1 + 1, backward 1 + 1, weights 6 + 3 + 1). */
static void engine_and_oracle_agree(void **state)
{
    static const char *const protocol[] = { "protocol.name=dctcp", "protocol.name=homa", "protocol.name=ndp",
                                            "protocol.name=swift" };
    static const uint32_t messages[] = { 16, 40, 128 };
    (void)state;
    for (size_t p = 0; p < sizeof(protocol) / sizeof(protocol[0]); p++) {
        struct weir_result want, got;
        load(protocol[p]);
        assert_int_equal(
            weir_oracle_run(&setup.model, &(struct weir_sim_options){ .threads = 1, .check = true }, &want, &err), 0);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            assert_int_equal(
                weir_sim_run(&setup.model, &(struct weir_sim_options){ .threads = threads, .check = true }, &got, &err),
                0);
            assert_true(got.digest == want.digest && got.sim_ps == want.sim_ps);
            for (uint32_t j = 0; j < 3; j++) {
                assert_int_equal(got.jobs->job[j].ended, messages[j]);
                assert_true(got.jobs->job[j].end_ps == want.jobs->job[j].end_ps);
            }
            weir_result_free(&got);
        }
        weir_result_free(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(engine_and_oracle_agree, end) };
    return cmocka_run_group_tests_name("traces", tests, NULL, NULL);
}
