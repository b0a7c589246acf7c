/* test/unit/workload/test_columns.c - flow lists of HPCC's family and others: how they are told apart, read and refused. */
#include "test/unit/workload/flow_file.h"
#include "workload/flow_list.h"

struct form {
    const char *text; /* of two flows: 3 to 5 of 14600 B at 2 s, 5 to 3 of 2920 B at 2.000001 s */
    enum weir_flow_format format;
};

static const struct form forms[] = {
    { "2\n3 5 3 100 14600 2\n5 3 3 100 2920 2.000001\n", WEIR_FLOWS_HPCC },
    { "2   \r\n3 5 3 14600 2.000000000\r\n5 3 3 2920 2.000001\r\n\r\nFirst line: flow #\r\nsrc dst 7\r\n",
      WEIR_FLOWS_CONWEAVE },
    { "3 5 14600 2\n5 3 2920 1e-06\n", WEIR_FLOWS_HOMA },
    { "1 2.0 0 0 10 0 0 3 5\n2 2.000001 0 0 2 0 0 5 3\n", WEIR_FLOWS_YAPS },
    { "id,src,dst,size,start\n0,3,5,14600,2000000000\n1,5,3,2920,2000001000\n", WEIR_FLOWS_PARSIMON },
    { "src,dst,bytes,start\n3,5,14600,2 s\n5,3,2920,2000001 us\n", WEIR_FLOWS_CSV },
    { "Nodes 6\nConnections 2\n3->5 start 2000000 size 14600\n5->3 start 2000001 size 2920\n", WEIR_FLOWS_HTSIM },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static void every_form_is_recognised_and_gives_the_same_flows(void **state)
{
    (void)state;
    fix_limits.end_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < FORMS; i++)
        for (uint32_t said = 0; said < 2; said++) {
            assert_int_equal(weir_flow_format_of(forms[i].text), forms[i].format);
            flow_file_set(forms[i].text);
            fix_item[0].format = said ? forms[i].format : WEIR_FLOWS_AUTO;
            if (forms[i].format == WEIR_FLOWS_HTSIM)
                fix_item[0].start_unit = WEIR_START_UNIT_US;
            fix_build();
            assert_int_equal(fix_wl.finite_messages, 2);
            assert_int_equal(fix_wl.listed_first[3], 0);
            assert_int_equal(fix_wl.listed_first[5], 1);
            assert_int_equal(fix_wl.listed[0].dst, 5);
            assert_int_equal(fix_wl.listed[0].bytes, 14600);
            assert_true(fix_wl.listed[0].start_ps == 2 * WEIR_PS_PER_S);
            assert_int_equal(fix_wl.listed[1].dst, 3);
            assert_int_equal(fix_wl.listed[1].bytes, 2920);
            assert_true(fix_wl.listed[1].start_ps == 2 * WEIR_PS_PER_S + WEIR_PS_PER_US);
            assert_int_equal(fix_wl.listed[1].tag, 2);
        }
}

/* Hosts 0 to 2 of a topology whose file calls them 1, 2 and 7. */
static void ids_are_those_of_the_topologys_file(void **state)
{
    static const uint32_t id[] = { 1, 2, 7 };
    static const struct flow_refusal none[] = {
        { "1\n2 0 3 100 5 0\n", "node 0", 2, 3, WEIR_E_RANGE },
        { "1\n8 2 3 100 5 0\n", "node 8", 2, 1, WEIR_E_RANGE },
    };
    (void)state;
    fix_limits.hosts = 3;
    fix_limits.host_id = id;
    flow_file_set("1\n7 2 3 100 5 0\n");
    fix_build();
    assert_int_equal(fix_wl.listed_first[2], 0);
    assert_int_equal(fix_wl.listed[0].dst, 1);
    flow_file_refuse(none, 2, WEIR_START_UNIT_NONE);
    flow_file_set("2 1 5 0\n"); /* Homa's lists name hosts by number */
    fix_build();
    assert_int_equal(fix_wl.listed[0].dst, 1);
}

static void each_error_has_its_line(void **state)
{
    static const struct flow_refusal refusals[] = {
        { "3\n1 2 3 100 5 0\n1 2 3 100 5 0\n", "3 flows", 1, 1, WEIR_E_CONFLICT },
        { "2\n1 2 3 100 5 0\nFirst line: flow #\n", "2 flows", 1, 1, WEIR_E_CONFLICT },
        { "2\n1 2 3 100 5 0\n1 2 3 100 5", "columns", 3, 1, WEIR_E_SYNTAX },
        { "1 2 3 100 5 0\n", "first line", 1, 0, WEIR_E_SYNTAX },
        { "99999999999\n1 2 3 100 5 0\n", "number of flows", 1, 1, WEIR_E_RANGE },
        { "0\n", "flow", 0, 0, WEIR_E_SYNTAX },
        { "1\n", "1 flows", 1, 1, WEIR_E_CONFLICT },
        { "1\n1 2 3\n", "columns", 2, 1, WEIR_E_SYNTAX },
        { "1\n1 2 3 100 5 0 9\n", "columns", 2, 1, WEIR_E_SYNTAX },
        { "1\n1 144 3 100 5 0\n", "host 144", 2, 3, WEIR_E_RANGE },
        { "1\n1 2 3 100 2.0 9.5\n", "size", 2, 11, WEIR_E_SYNTAX },
        { "1\n1 1 3 100 5 0\n", "itself", 2, 1, WEIR_E_RANGE },
        { "1\n1 2 3 100 0 0\n", "size", 2, 1, WEIR_E_RANGE },
        { "1\n1 2 3 100 99999999999999 0\n", "size", 2, 1, WEIR_E_RANGE },
        { "1\n1 2 3 100 99999999999999999999 0\n", "size", 2, 11, WEIR_E_RANGE },
        { "1\n1 2 3 100 5 x\n", "start", 2, 13, WEIR_E_SYNTAX },
        { "1\n1 2 3 100 5 -1\n", "start", 2, 13, WEIR_E_SYNTAX },
        { "1\n1 2 3 100 5 1e9\n", "start", 2, 13, WEIR_E_RANGE },
        { "1\n1 2 3 100 5 nan\n", "start", 2, 13, WEIR_E_SYNTAX },
        { "1 2 5 17999\n1 2 5 17999\n", "start", 2, 1, WEIR_E_RANGE }, /* gaps add up */
        { "1 2 5 0\n1 2 5 0 0\n", "columns", 2, 1, WEIR_E_SYNTAX },
        { "id,src,dst,size,start\n", "flow", 0, 0, WEIR_E_SYNTAX },
        { "id,src,dst,size,start\n1,2,3,4\n", "columns", 2, 1, WEIR_E_SYNTAX },
    };
    (void)state;
    flow_file_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), WEIR_START_UNIT_NONE);
}

/* As lists of HPCC's generator, which begin at 2 s. */
static void the_run_begins_at_the_lists_origin(void **state)
{
    static const char list[] = "2\n1 2 3 100 5 2.5\n1 2 3 100 5 2.000001\n";
    (void)state;
    flow_file_set(list);
    fix_item[0].origin_ps = 2 * WEIR_PS_PER_S;
    fix_limits.end_ps = WEIR_NEVER;
    fix_build();
    assert_int_equal(fix_wl.listed[0].start_ps, WEIR_PS_PER_US);
    assert_true(fix_wl.listed[1].start_ps == WEIR_PS_PER_S / 2);
    flow_file_set(list);
    fix_item[0].origin_ps = 2 * WEIR_PS_PER_S + 2 * WEIR_PS_PER_US;
    assert_int_equal(fix_try(), WEIR_E_RANGE);
    assert_refusal(&fix_err, WEIR_E_RANGE, NULL, "origin");
    assert_int_equal(fix_err.line, 3);
    flow_file_set("1,2,3,4 ps\n");
    fix_item[0].origin_ps = 5;
    assert_int_equal(fix_try(), WEIR_E_RANGE);
    assert_refusal(&fix_err, WEIR_E_RANGE, NULL, "origin");
    assert_int_equal(fix_err.col, 7);
    fix_item[0] = PERMUTATION(.origin_ps = 5);
    fix_refuse(WEIR_E_CONFLICT, 10, "origin");
}

static void rows_beyond_the_number_in_the_first_line_are_left_out(void **state)
{
    struct weir_list_note note[WEIR_TRAFFIC_MAX] = { { 0 } };
    (void)state;
    fix_limits.note = note;
    flow_file_set("2\n1 2 3 100 5 0\n2 3 3 100 6 0\n3 4 3 100 7 0\nnote\n4 5 3 100 8 0\n");
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2);
    assert_int_equal(note[0].kept, 2);
    assert_int_equal(note[0].left_out, 1); /* what is behind the note is a note, too */
    fix_limits.note = NULL;
    fix_build();
    fix_item[0].strict = 1;
    assert_int_equal(fix_try(), WEIR_E_CONFLICT);
    assert_refusal(&fix_err, WEIR_E_CONFLICT, NULL, "2 flows");
    assert_int_equal(fix_err.line, 1);
    fix_item[0] = PERMUTATION(.strict = 1);
    fix_refuse(WEIR_E_CONFLICT, 10, "strict");
}

static void what_is_like_no_form_is_refused_as_csv(void **state)
{
    (void)state;
    assert_int_equal(weir_flow_format_of(""), WEIR_FLOWS_CSV);
    assert_int_equal(weir_flow_format_of("1,2,3,4\n"), WEIR_FLOWS_CSV);
    assert_int_equal(weir_flow_format_of("1 2 3\n"), WEIR_FLOWS_CSV);
    assert_int_equal(weir_flow_format_of("hello world\n"), WEIR_FLOWS_CSV);
    assert_int_equal(weir_flow_format_of("5\n"), WEIR_FLOWS_HPCC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_form_is_recognised_and_gives_the_same_flows, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(ids_are_those_of_the_topologys_file, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(each_error_has_its_line, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(the_run_begins_at_the_lists_origin, fix_setup, flow_file_close),
        cmocka_unit_test_setup_teardown(rows_beyond_the_number_in_the_first_line_are_left_out, fix_setup,
                                        flow_file_close),
        cmocka_unit_test(what_is_like_no_form_is_refused_as_csv),
    };
    return cmocka_run_group_tests_name("workload/columns", tests, NULL, NULL);
}
