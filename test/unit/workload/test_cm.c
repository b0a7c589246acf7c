/* test/unit/workload/test_cm.c - htsim's connection matrices as lists of flows: what is read, what is refused and where. */
#include "test/unit/workload/flow_file.h"
#include "workload/cm.h"

#define HEAD "Nodes 16\nConnections 1\n" /* lines 1 and 2 */

static void a_matrix_is_read_whatever_else_its_lines_say(void **state)
{
    (void)state;
    flow_file_set("# made by hand\r\nNodes 16\r\nConnections 3\r\nTriggers 0\r\n\r\n"
                  "3->7 id 1 start 0 size 2000000\r\n15->0 start 40.25 id 9 prio 5 size 3000000000 msg 4\r\n"
                  "0->1 id 1 msg start 1e3 size 1\r\n");
    fix_item[0].start_unit = WEIR_START_UNIT_US;
    fix_limits.end_ps = WEIR_NEVER;
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 3);
    assert_int_equal(fix_wl.listed[0].dst, 1); /* of host 0 */
    assert_int_equal(fix_wl.listed[0].start_ps, WEIR_PS_PER_MS);
    assert_int_equal(fix_wl.listed[1].dst, 7);
    assert_int_equal(fix_wl.listed[1].bytes, 2000000);
    assert_true(fix_wl.listed[2].bytes == UINT64_C(3000000000)); /* more than 32 bits of it */
    assert_int_equal(fix_wl.listed[2].start_ps, 40250000);
}

static void the_unit_of_starts_must_be_known_unless_they_are_0(void **state)
{
    static const uint64_t ps[] = {
        [WEIR_START_UNIT_US] = 7000000, [WEIR_START_UNIT_NS] = 7000, [WEIR_START_UNIT_PS] = 7
    };
    static const struct flow_refusal unknown = { HEAD "0->1 start 7 size 1\n", "start", 3, 12, WEIR_E_UNIT };
    (void)state;
    flow_file_refuse(&unknown, 1, WEIR_START_UNIT_NONE);
    for (uint32_t unit = WEIR_START_UNIT_US; unit <= WEIR_START_UNIT_PS; unit++) {
        flow_file_set(unknown.text);
        fix_item[0].start_unit = unit;
        fix_build();
        assert_int_equal(fix_wl.listed[0].start_ps, ps[unit]);
    }
    flow_file_set(HEAD "0->1 start 0.0 size 1\n");
    fix_build();
    flow_file_set("1,2,3,4 ps\n");
    fix_item[0].start_unit = WEIR_START_UNIT_PS;
    fix_refuse(WEIR_E_CONFLICT, 10, "start_unit");
}

static void each_error_has_its_line(void **state)
{
    static const struct flow_refusal refusals[] = {
        { "Connections 1\n0->1 start 0 size 1\n", "nodes", 0, 0, WEIR_E_SYNTAX },
        { "Nodes 16\n0->1 start 0 size 1\n", "connections", 0, 0, WEIR_E_SYNTAX },
        { "Nodes 145\nConnections 1\n0->1 start 0 size 1\n", "144", 1, 0, WEIR_E_RANGE },
        { "Nodes 16 3\nConnections 1\n", "nodes", 1, 1, WEIR_E_SYNTAX },
        { "Nodes x\nConnections 1\n", "nodes", 1, 7, WEIR_E_SYNTAX },
        { "Nodes 99999999999\nConnections 1\n", "nodes", 1, 7, WEIR_E_RANGE },
        { "Nodes 16\nNodes 16\n", "nodes", 2, 1, WEIR_E_CONFLICT },
        { "Nodes 16\nConections 1\n", "Conections", 2, 1, WEIR_E_UNKNOWN },
        { "Nodes 16\nConnections 40000000\n", "connections", 2, 13, WEIR_E_RANGE },
        { HEAD, "connections", 2, 0, WEIR_E_CONFLICT },
        { "Nodes 16\nConnections 0\n", "flow", 0, 0, WEIR_E_SYNTAX },
        { HEAD "0->1 start 0 size 1\n1->2 start 0 size 1\n", "connections", 4, 1, WEIR_E_CONFLICT },
        { HEAD "0->16 start 0 size 1\n", "16", 3, 4, WEIR_E_RANGE },
        { HEAD "16->0 start 0 size 1\n", "16", 3, 1, WEIR_E_RANGE },
        { HEAD "0->99999999999999999999 start 0 size 1\n", "99999999999999999999", 3, 4, WEIR_E_RANGE },
        { HEAD "->1 start 0 size 1\n", "node", 3, 1, WEIR_E_SYNTAX },
        { HEAD "0-> start 0 size 1\n", "node", 3, 4, WEIR_E_SYNTAX },
        { HEAD "4->4 start 0 size 1\n", "itself", 3, 1, WEIR_E_RANGE },
        { HEAD "0->1 start 0 size\n", "size", 3, 14, WEIR_E_SYNTAX },
        { HEAD "0->1 start 0 size 2000000000000\n", "size", 3, 1, WEIR_E_RANGE },
        { HEAD "0->1 start 0 size 99999999999999999999\n", "size", 3, 19, WEIR_E_RANGE },
        { HEAD "0->1 start 0 size 1.5\n", "size", 3, 19, WEIR_E_SYNTAX },
        { HEAD "0->1 size 1\n", "start", 3, 1, WEIR_E_SYNTAX },
        { HEAD "0->1 start -1 size 1\n", "start", 3, 12, WEIR_E_SYNTAX },
        { HEAD "0->1 start 1e30 size 1\n", "start", 3, 12, WEIR_E_RANGE },
        { HEAD "0->1 start 18000000001 size 1\n", "start", 3, 1, WEIR_E_RANGE },
        { HEAD "0->1 start 0 start 0 size 1\n", "word 4", 3, 14, WEIR_E_UNKNOWN },
        { HEAD "0->1 start 0 sise 1\n", "word 4", 3, 14, WEIR_E_UNKNOWN },
        { HEAD "0->1 start 0 trigger 1 size 1\n", "trigger", 3, 1, WEIR_E_CONFLICT },
        { HEAD "0->1 id 1 trigger 0 size 1\n", "trigger", 3, 19, WEIR_E_RANGE },
        { HEAD "0->1 id 1 trigger 1 size 1\n", "trigger", 3, 0, WEIR_E_CONFLICT },
        { HEAD "0->1 start 0 size 1\n7 8 9\n", "7", 4, 1, WEIR_E_UNKNOWN },
        { HEAD "failure switch_type TOR switch_id 0 link_id 0\n", "failures", 3, 1, WEIR_E_UNKNOWN },
        { "Nodes 16\nConnections 1\nFailures 1\n0->1 start 0 size 1\n", "failures", 3, 0, WEIR_E_CONFLICT },
        { HEAD "0->1 start 0 size 1\ntrigger id 1 oneshot\n", "triggers", 4, 1, WEIR_E_CONFLICT },
        { HEAD "Triggers 1\ntrigger id 1\n", "trigger", 4, 1, WEIR_E_SYNTAX },
        { HEAD "Triggers 1\ntrigger oneshot id\n", "id", 4, 1, WEIR_E_SYNTAX },
        { HEAD "Triggers 1\ntrigger id 1 twice\n", "word 4", 4, 14, WEIR_E_UNKNOWN },
        { HEAD "Triggers 1\ntrigger id 1 oneshot barrier\n", "word 5", 4, 22, WEIR_E_UNKNOWN },
        { HEAD "Triggers 2\ntrigger id 5 oneshot\ntrigger id 5 barrier count 2\n0->1 start 0 size 1\n", "5", 5, 0,
          WEIR_E_CONFLICT },
    };
    (void)state;
    flow_file_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), WEIR_START_UNIT_US);
}

static void a_flow_without_an_end_has_the_largest_size(void **state)
{
    static const char *const endless[] = { HEAD "0->1 start 0 size 0\n", HEAD "0->1 start 0\n" };
    struct weir_list_note note[WEIR_TRAFFIC_MAX] = { { 0 } };
    (void)state;
    fix_limits.note = note;
    for (int i = 0; i < 2; i++) {
        flow_file_set(endless[i]);
        fix_limits.end_ps = WEIR_PS_PER_MS;
        note[0].endless = 0;
        fix_build();
        assert_true(fix_wl.listed[0].bytes == WEIR_CDF_SIZE_MAX);
        assert_int_equal(note[0].endless, 1);
        fix_limits.end_ps = WEIR_NEVER; /* the run would not end */
        assert_int_equal(fix_try(), WEIR_E_CONFLICT);
        assert_refusal(&fix_err, WEIR_E_CONFLICT, NULL, "size");
        assert_int_equal(fix_err.line, 3);
        fix_limits.end_ps = WEIR_PS_PER_MS;
        fix_item[0].strict = 1;
        assert_int_equal(fix_try(), WEIR_E_RANGE);
        assert_refusal(&fix_err, WEIR_E_RANGE, NULL, "size");
    }
}

static void a_matrix_is_told_from_other_texts(void **state)
{
    (void)state;
    assert_true(weir_cm_is("# x\nnodes 4\n"));
    assert_true(weir_cm_is("3->4 start 0\n"));
    assert_false(weir_cm_is(""));
    assert_false(weir_cm_is("jobs: []\n"));
    assert_false(weir_cm_is("Nodes: 3\n"));
    assert_false(weir_cm_is("1,2,3,4\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_matrix_is_read_whatever_else_its_lines_say, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(the_unit_of_starts_must_be_known_unless_they_are_0, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(each_error_has_its_line, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(a_flow_without_an_end_has_the_largest_size, fix_setup, flow_file_close),
        cmocka_unit_test(a_matrix_is_told_from_other_texts),
    };
    return cmocka_run_group_tests_name("workload/cm", tests, NULL, NULL);
}
