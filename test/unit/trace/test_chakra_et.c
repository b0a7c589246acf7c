/* test/unit/trace/test_chakra_et.c - the binary form of Chakra traces: fields, widths, and what is damaged. */
#include "test/unit/trace/chakra_fixture.h"

static void sends_receives_and_computing_are_read(void **state)
{
    (void)state;
    begin_file("0.0.4");
    begin_node(0, COMP);
    put_number(&node, 7, 12); /* microseconds */
    put_attr("is_cpu_op", 27, 0);
    end_node();
    begin_node(1, SEND);
    put_number(&node, 5, 0); /* data dependency, not packed */
    put_attr("comm_dst", 7, 1);
    put_attr("comm_tag", 7, 9);
    put_attr("comm_size", 9, 5000);
    end_node();
    write_rank(0);
    begin_file("");
    put_message(7, RECV, 0, 9, 5000);
    begin_node(8, COMP);
    put_bytes(&node, 5, "\7", 1); /* packed */
    put_number(&node, 7, 3);
    put_attr("is_cpu_op", 27, 1);
    end_node();
    write_rank(1);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.ranks, 2);
    assert_int_equal(fix_node(0, 0)->compute_ps, 12000000);
    assert_int_equal(fix_node(0, 0)->lane, 1);
    assert_int_equal(fix_node(0, 1)->bytes, 5000);
    assert_int_equal(fix_node(0, 1)->peer, 1);
    assert_int_equal(fix_node(0, 1)->tag, 9);
    assert_true(fix_waits(0, 1, 0, false));
    assert_int_equal(fix_node(1, 0)->op, WEIR_RANK_RECV);
    assert_int_equal(fix_node(1, 1)->lane, 0);
    assert_true(fix_waits(1, 1, 0, false));
}

/* Fields of et_def.proto: int32 7, int64 9, uint32 11, uint64 13, sint32 15, sint64 17, fixed32 19, fixed64 21. */
static void integers_of_any_width_are_read(void **state)
{
    static const uint32_t plain[] = { 7, 9, 11, 13 }, zigzag[] = { 15, 17 };
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct bytes attr = { .used = 0 };
        begin_file("0.0.4");
        begin_node(1, SEND);
        put_attr("comm_dst", 7, 1);
        put_bytes(&attr, 1, "comm_size", 9);
        if (i < 4) {
            put_number(&attr, plain[i], 70000);
        } else if (i < 6) {
            put_number(&attr, zigzag[i - 4], 140000);
        } else {
            put_varint(&attr, i == 6 ? 19 << 3 | 5 : 21 << 3 | 1);
            memcpy(attr.at + attr.used, "\x70\x11\x01\0\0\0\0", 8); /* 70000 = 0x11170 */
            attr.used += i == 6 ? 4 : 8;
        }
        put_bytes(&node, 10, attr.at, attr.used);
        end_node();
        write_rank(0);
        begin_file("0.0.4");
        put_message(1, RECV, 0, 0, 1);
        write_rank(1);
        fix_load(WEIR_TRAFFIC_CHAKRA, "t");
        assert_int_equal(fix_ranks.send_bytes, 70000);
    }
}

static void fields_that_are_not_known_are_passed_over(void **state)
{
    (void)state;
    begin_file("0.0.4");
    begin_node(1, COMP);
    put_bytes(&node, 2, "a name", 6);
    put_bytes(&node, 9, "x", 1);
    put_number(&node, 77, 5);
    put_varint(&node, 78 << 3 | 1); /* 8 bytes */
    memcpy(node.at + node.used, "12345678", 8);
    node.used += 8;
    put_attr("num_ops", 13, 5);
    put_text_attr("op_schema", "aten::mul");
    end_node();
    write_rank(0);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.node_count, 1);
}

static void the_version_is_in_refusals(void **state)
{
    (void)state;
    begin_file("0.0.4");
    begin_node(17, 8);
    end_node();
    write_rank(0);
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", WEIR_E_UNKNOWN, "t.0.et", "0.0.4");
    assert_non_null(strstr(fix_err.text, "node 17 has a type that is not read: 8"));
    begin_file("");
    begin_node(17, 8);
    end_node();
    write_rank(0);
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", WEIR_E_UNKNOWN, "t.0.et", "without");
}

/* The version of later traces is an attribute of the metadata. */
static void the_version_may_be_a_schema(void **state)
{
    struct bytes attr = { .used = 0 }, meta = { .used = 0 };
    (void)state;
    put_bytes(&attr, 1, "schema", 6);
    put_bytes(&attr, 29, "1.0.2-chakra.0.0.4", 18);
    put_bytes(&meta, 2, attr.at, attr.used);
    et.used = 0;
    put_varint(&et, meta.used);
    memcpy(et.at + et.used, meta.at, meta.used);
    et.used += meta.used;
    begin_node(17, 99);
    end_node();
    write_rank(0);
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", WEIR_E_UNKNOWN, "t.0.et", "1.0.2-chakra.0.0.4");
}

/* Cut within a message it is refused; cut between two it is another, shorter trace. */
static void a_truncated_file_is_refused(void **state)
{
    size_t ends[3];
    (void)state;
    begin_file("0.0.4");
    ends[0] = et.used;
    for (uint32_t i = 1; i < 3; i++) {
        begin_node(i, COMP);
        put_number(&node, 7, 1000);
        end_node();
        ends[i] = et.used;
    }
    for (size_t size = ends[0] + 1; size <= ends[2]; size++) {
        fix_write("t.0.et", et.at, size);
        if (size == ends[1] || size == ends[2])
            fix_load(WEIR_TRAFFIC_CHAKRA, "t");
        else
            assert_int_equal(fix_try(WEIR_TRAFFIC_CHAKRA, "t"), WEIR_E_SYNTAX);
    }
    fix_write("t.0.et", et.at, et.used - 1);
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", WEIR_E_SYNTAX, "t.0.et", "message 2");
}

static void damaged_messages_are_refused(void **state)
{
    static const struct {
        const char *node;
        size_t size;
    } wrong[] = {
        { "\x08", 1 },                                          /* a field without its value */
        { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11 }, /* a number without an end */
        { "\x0b", 1 },                                          /* a group, which nobody writes */
        { "\x52\x05\x0a\x01x", 5 },                             /* an attribute that is longer than the node */
        { "\x52\x02\x0a\x05", 4 },                              /* a name that is longer than the attribute */
        { "\x2a\x01\x80", 3 },                                  /* a dependency without an end */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        begin_file("0.0.4");
        begin_node(1, COMP);
        memcpy(node.at + node.used, wrong[i].node, wrong[i].size);
        node.used += wrong[i].size;
        end_node();
        write_rank(0);
        fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", WEIR_E_SYNTAX, "t.0.et", "message 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(sends_receives_and_computing_are_read),
        TRACE_TEST(integers_of_any_width_are_read),
        TRACE_TEST(fields_that_are_not_known_are_passed_over),
        TRACE_TEST(the_version_is_in_refusals),
        TRACE_TEST(the_version_may_be_a_schema),
        TRACE_TEST(a_truncated_file_is_refused),
        TRACE_TEST(damaged_messages_are_refused),
    };
    return cmocka_run_group_tests_name("trace/chakra_et", tests, NULL, NULL);
}
