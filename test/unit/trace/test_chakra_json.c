/* test/unit/trace/test_chakra_json.c - Chakra traces as JSON: three forms of the same nodes. */
#include "test/unit/trace/trace_fixture.h"

static void put(const char *text)
{
    fix_write("t.0.json", text, strlen(text));
}

/* What each of the forms must have become: node 1 computes for 5 us, node 2 sends 900 B and waits for it. */
static void check(void)
{
    static const char other[] =
        "{\"version\": \"0.0.4\"}{\"id\": \"3\", \"type\": \"COMM_RECV_NODE\", \"attr\": "
        "[{\"name\": \"comm_src\", \"int32Val\": 0}, {\"name\": \"comm_size\", \"int64Val\": \"1\"}, "
        "{\"name\": \"comm_tag\", \"int32Val\": 4}]}";
    fix_write("t.1.json", other, strlen(other));
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.ranks, 2);
    assert_int_equal(fix_node(0, 0)->compute_ps, 5000000);
    assert_int_equal(fix_node(0, 0)->lane, 0);
    assert_int_equal(fix_node(0, 1)->op, WEIR_RANK_SEND);
    assert_int_equal(fix_node(0, 1)->bytes, 900);
    assert_int_equal(fix_node(0, 1)->tag, 4);
    assert_true(fix_waits(0, 1, 0, false));
}

static void the_jsonizers_form_is_read(void **state)
{
    (void)state;
    put("{\n  \"version\": \"0.0.4\"\n}{\n  \"id\": \"1\",\n  \"name\": \"mul\",\n  \"type\": \"COMP_NODE\",\n"
        "  \"durationMicros\": \"5\",\n  \"attr\": [\n    {\n      \"name\": \"is_cpu_op\",\n      \"boolVal\": true\n "
        "   }\n"
        "  ]\n}{\n  \"id\": \"2\",\n  \"type\": \"COMM_SEND_NODE\",\n  \"dataDeps\": [\n    \"1\"\n  ],\n  \"attr\": "
        "[\n"
        "    {\"name\": \"comm_dst\", \"int32Val\": 1}, {\"int64Val\": \"900\", \"name\": \"comm_size\"},\n"
        "    {\"name\": \"comm_tag\", \"int32Val\": 4}, {\"name\": \"x\", \"boolList\": {\"values\": [true, false]}}\n "
        " ]\n}");
    check();
}

static void the_feeders_form_is_read(void **state)
{
    (void)state;
    put("{\"workload_graph\": [{\"Id\": 1, \"Name\": \"a \\\"b\\\"\", \"NodeType\": 4, \"ctrlDeps\": [3], "
        "\"data_deps\": [],\n"
        "\"runtime\": 5, \"is_cpu_op\": true}, {\"Id\": 2, \"NodeType\": 5, \"data_deps\": [1], \"comm_size\": 900,\n"
        "\"comm_dst\": 1, \"comm_tag\": 4}], \"workload_name\": \"w\", \"ngpus\": 8}");
    check();
}

static void the_form_with_a_schema_is_read(void **state)
{
    (void)state;
    put("{\"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 7, \"nodes\": [\n{\"id\": 1, \"type\": 4, \"ctrl_deps\": 9,\n"
        "\"duration_micros\": 5.0, \"inputs\": {\"values\": [], \"shapes\": [[[]]]}, \"attrs\": [{\"name\": "
        "\"is_cpu_op\",\n"
        "\"type\": \"bool\", \"value\": true}]}, {\"id\": 2, \"type\": \"COMM_SEND_NODE\", \"data_deps\": 1, "
        "\"attrs\": [\n"
        "{\"name\": \"comm_size\", \"type\": \"uint64\", \"value\": 900}, {\"name\": \"comm_dst\", \"value\": 1},\n"
        "{\"name\": \"comm_tag\", \"value\": 4}]}]}");
    check();
}

/* Of two nodes that compute the second names the first, by each name that a dependency has. */
static void control_dependencies_count_only_if_the_item_says_so(void **state)
{
    static const struct {
        const char *key;
        bool control;
    } names[] = { { "ctrlDeps", true }, { "ctrl_deps", true }, { "dataDeps", false }, { "data_deps", false } };
    char text[256];
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t all = 0; all < 2; all++) {
            (void)snprintf(text, sizeof(text),
                           "{\"nodes\": [{\"id\": 1, \"type\": 4}, {\"id\": 2, \"type\": 4, \"%s\": [1]}]}",
                           names[i].key);
            put(text);
            fix_item.dependencies = all == 1 ? WEIR_DEPENDENCIES_ALL : WEIR_DEPENDENCIES_DATA;
            fix_load(WEIR_TRAFFIC_CHAKRA, "t");
            assert_int_equal(fix_waits(0, 1, 0, false), all == 1 || !names[i].control);
        }
}

static void a_group_may_be_named(void **state)
{
    static const char groups[] = "{\"5\": [0]}";
    (void)state;
    fix_write("g.json", groups, strlen(groups));
    (void)snprintf(fix_item.groups, sizeof(fix_item.groups), "g.json");
    put("{\"nodes\": [{\"id\": 1, \"type\": 7, \"pg_name\": \"5\", \"comm_type\": 0, \"comm_size\": 10},\n"
        "{\"id\": 2, \"type\": 7, \"attr\": [{\"name\": \"pg_name\", \"stringVal\": \"5\"}, {\"name\": \"comm_type\", "
        "\"v\": 0},\n"
        "{\"name\": \"comm_size\", \"v\": 10}]}]}");
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.node_count, 4); /* two collectives of one rank: two joins each */
}

static void what_is_wrong_is_refused(void **state)
{
    static const struct {
        const char *text, *place, *key;
        enum weir_err_code code;
    } wrong[] = {
        { "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [{\"id\": 2, \"name\": \"thread\", \"ctrl_deps\": 1}]}",
          "t.0.json", "node 2 has no type", WEIR_E_SYNTAX },
        { "{\"schema\":\"1.0.2-chakra.0.0.4\",\"nodes\":[{\"id\":1,\"name\":\"COMM_SEND_NODE\",\"type\":5}]}",
          "t.0.json", "comm_dst", WEIR_E_SYNTAX },
        { "{\"nodes\": [{\"id\": 1, \"type\": 8}]}", "t.0.json", "node 1 has a type that is not read: 8",
          WEIR_E_UNKNOWN },
        { "{\"nodes\": [{\"id\": 1, \"type\": \"SOME_NODE\"}]}", "t.0.json:1:30", "SOME_NODE", WEIR_E_UNKNOWN },
        { "{\"nodes\": [{\"id\": -1, \"type\": 4}]}", "t.0.json:1:19", "-1", WEIR_E_SYNTAX },
        { "{\"nodes\": [{\"id\": 99999999999999999999, \"type\": 4}]}", "t.0.json:1:19", "99999999999999999999",
          WEIR_E_RANGE },
        { "{\"nodes\": [{\"id\": 1, \"type\": 4}\n", "t.0.json:2:1", "file", WEIR_E_SYNTAX },
        { "{\"nodes\": [{\"id\": 1 \"type\": 4}]}", "t.0.json:1:21", "comma", WEIR_E_SYNTAX },
        { "{\"nodes\": [{\"id\": 1, \"type\": 4}]} x", "t.0.json:1:35", "x", WEIR_E_SYNTAX },
        { "{\"nodes\": []}", "t", "", WEIR_E_CONFLICT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put(wrong[i].text);
        fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", wrong[i].code, wrong[i].place, wrong[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(the_jsonizers_form_is_read),     TRACE_TEST(the_feeders_form_is_read),
        TRACE_TEST(the_form_with_a_schema_is_read), TRACE_TEST(control_dependencies_count_only_if_the_item_says_so),
        TRACE_TEST(a_group_may_be_named),           TRACE_TEST(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests_name("trace/chakra_json", tests, NULL, NULL);
}
