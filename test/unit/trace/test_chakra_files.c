/* test/unit/trace/test_chakra_files.c - the files of a Chakra trace, and dependencies within each. */
#include "test/unit/trace/chakra_fixture.h"

static void refuse(enum weir_err_code code, const char *place, const char *text)
{
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", code, place, text);
}

static void write_compute(uint32_t rank)
{
    begin_file("0.0.4");
    begin_node(1, COMP);
    end_node();
    write_rank(rank);
}

static void files_are_counted_up_to_the_first_that_is_missing(void **state)
{
    (void)state;
    refuse(WEIR_E_FILE, "t", "t.0.et");
    for (uint32_t rank = 0; rank < 16; rank++)
        write_compute(rank);
    write_compute(17); /* 16 is missing */
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.ranks, 16);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t.0.et");
    assert_int_equal(fix_ranks.ranks, 16);
    write_compute(16);
    refuse(WEIR_E_RANGE, "t", "18"); /* 16 hosts */
}

static void a_file_may_be_called_as_it_is(void **state)
{
    (void)state;
    begin_file("0.0.4");
    begin_node(1, COMP);
    end_node();
    fix_write("trace", et.at, et.used);
    fix_load(WEIR_TRAFFIC_CHAKRA, "trace");
    assert_int_equal(fix_ranks.ranks, 1);
}

static void ids_are_unique_in_their_file(void **state)
{
    (void)state;
    begin_file("0.0.4");
    for (uint32_t i = 0; i < 2; i++) {
        begin_node(7, COMP);
        end_node();
    }
    write_rank(0);
    refuse(WEIR_E_CONFLICT, "t.0.et", "7");
}

static void dependencies_on_nodes_that_are_missing_are_left_out_or_refused(void **state)
{
    (void)state;
    write_compute(0);
    begin_file("0.0.4");
    begin_node(4, COMP);
    put_bytes(&node, 5, "\5\3\6", 3);
    end_node();
    begin_node(5, COMP);
    end_node();
    write_rank(1);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.edge_count, 1);
    assert_int_equal(fix_note.dangling, 2);
    assert_int_equal(fix_note.rank, 1);
    assert_int_equal(fix_note.later, 4);
    assert_int_equal(fix_note.earlier, 3);
    fix_item.strict = 1;
    refuse(WEIR_E_UNKNOWN, "t.1.et", "node 4 waits for node 3");
}

static void control_dependencies_count_if_the_item_says_so(void **state)
{
    (void)state;
    begin_file("0.0.4");
    begin_node(1, COMP);
    put_number(&node, 4, 2);
    end_node();
    begin_node(2, COMP);
    put_number(&node, 5, 1);
    end_node();
    write_rank(0);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.edge_count, 1);
    fix_item.dependencies = WEIR_DEPENDENCIES_ALL;
    refuse(WEIR_E_CONFLICT, "t", "node 1 after node 2");
}

static void each_file_must_be_a_trace(void **state)
{
    (void)state;
    write_compute(0);
    fix_write("t.1.et", "num_ranks 1\n", 12);
    refuse(WEIR_E_SYNTAX, "t.1.et", "GOAL");
    fix_write("t.1.et", "", 0);
    refuse(WEIR_E_SYNTAX, "t.1.et", "");
    fix_write("t.1.et", "\x1f\x8b\x08\0\0", 5);
    refuse(WEIR_E_SYNTAX, "t.1.et", "gzip");
}

static void groups_are_refused_where_they_are_wrong(void **state)
{
    static const struct {
        const char *text, *place, *key;
        enum weir_err_code code;
    } wrong[] = {
        { "{\"1\": [0, 1]", "g.json:1:13", "", WEIR_E_SYNTAX },
        { "{\"1\": [0, 1],\n\"2\": []}", "g.json:2:1", "group", WEIR_E_RANGE },
        { "{\"1\": [0, 0]}", "g.json:1:9", "rank 0", WEIR_E_CONFLICT },
        { "{\"1\": [0, -1]}", "g.json:1:11", "-1", WEIR_E_SYNTAX },
        { "{\"1\": [1048576]}", "g.json:1:8", "1048576", WEIR_E_RANGE },
        { "[1]", "g.json:1:1", "1", WEIR_E_SYNTAX },
    };
    (void)state;
    write_compute(0);
    (void)snprintf(fix_item.groups, sizeof(fix_item.groups), "g.json");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        fix_write("g.json", wrong[i].text, strlen(wrong[i].text));
        refuse(wrong[i].code, wrong[i].place, wrong[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(files_are_counted_up_to_the_first_that_is_missing),
        TRACE_TEST(a_file_may_be_called_as_it_is),
        TRACE_TEST(ids_are_unique_in_their_file),
        TRACE_TEST(dependencies_on_nodes_that_are_missing_are_left_out_or_refused),
        TRACE_TEST(control_dependencies_count_if_the_item_says_so),
        TRACE_TEST(each_file_must_be_a_trace),
        TRACE_TEST(groups_are_refused_where_they_are_wrong),
    };
    return cmocka_run_group_tests_name("trace/chakra_files", tests, NULL, NULL);
}
