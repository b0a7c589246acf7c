/* test/unit/workload/test_flows.c - flow lists from a file: what is read, what is refused and where. */
#include "test/unit/refusal.h"
#include "test/unit/workload/workload_fixture.h"
#include "workload/jobs.h"

static FILE *file;

static int close_file(void **state)
{
    if (file != NULL)
        (void)fclose(file);
    file = NULL;
    return fix_teardown(state);
}

/* Makes item 0 a list of this text, in an unnamed file that /dev/fd knows. */
static void flows(const char *text)
{
    if (file != NULL)
        (void)fclose(file);
    file = tmpfile();
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
    fix_items = 1;
    fix_item[0] = FLOWS(.load_ppm = 0);
    fix_limits.base_dir = "/dev/fd";
    (void)snprintf(fix_item[0].file, sizeof(fix_item[0].file), "%d", fileno(file));
}

static void a_list_is_read_with_units_and_sorted(void **state)
{
    (void)state;
    flows("src,dst,bytes,start\n2, 0, 64 KiB, 3.5us\n2,1,1500,12 ps\n0,143,1 MB,0\n");
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 3);
    assert_false(fix_wl.endless);
    assert_int_equal(fix_wl.offered_bps_per_host, 0);
    assert_int_equal(fix_wl.listed[0].bytes, 1000000);
    assert_int_equal(fix_wl.listed[0].dst, 143);
    assert_int_equal(fix_wl.listed[1].bytes, 1500);
    assert_int_equal(fix_wl.listed[1].start_ps, 12);
    assert_int_equal(fix_wl.listed[2].bytes, 65536);
    assert_int_equal(fix_wl.listed[2].start_ps, 3500000);
    assert_int_equal(fix_wl.listed_first[2], 1);
    assert_int_equal(fix_wl.listed_first[3], 3);
    assert_int_equal(fix_wl.listed_first[144], 3);
}

static void the_header_may_be_left_out(void **state)
{
    (void)state;
    flows("# two flows\n1,2,3,4 ps\n2,1,3,4 ps\n");
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2);
}

static void flows_outside_start_and_stop_do_not_start(void **state)
{
    (void)state;
    flows("1,2,3,99 ps\n1,2,3,100 ps\n1,2,3,199 ps\n1,2,3,200 ps\n1,2,3,1 ms\n");
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 4); /* the run ends at 1 ms */
    fix_item[0].start_ps = 100, fix_item[0].stop_ps = 200;
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2);
    fix_limits.end_ps = WEIR_NEVER; /* a list ends by itself */
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2);
}

/* The seed decides by how much; the same for the same row, less than the jitter for all. */
static void jitter_starts_each_flow_a_little_later(void **state)
{
    uint64_t first[100], sum_ps = 0, moved = 0;
    char text[4096] = "";
    (void)state;
    for (int i = 0; i < 100; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "1,2,3,%d ps\n", 10000 * i);
    flows(text);
    fix_item[0].jitter_ps = 10000;
    fix_build();
    for (uint32_t i = 0; i < 100; i++) {
        first[i] = fix_wl.listed[i].start_ps;
        assert_in_range(first[i], 10000 * i, 10000 * i + 9999);
        sum_ps += first[i] - 10000 * i;
    }
    assert_in_range(sum_ps / 100, 4000, 6000);
    fix_build();
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(fix_wl.listed[i].start_ps, first[i]);
    fix_limits.seed++;
    fix_build();
    for (uint32_t i = 0; i < 100; i++)
        moved += fix_wl.listed[i].start_ps != first[i];
    assert_true(moved > 95);
}

struct refusal {
    const char *text, *key;
    uint32_t line, col;
    enum weir_err_code code;
};

static void each_error_is_refused_with_its_position(void **state)
{
    static const struct refusal refusals[] = {
        { "", "", 0, 0, WEIR_E_SYNTAX },
        { "src,dst,bytes,start\n", "", 0, 0, WEIR_E_SYNTAX },
        { "dst,src,bytes,start\n1,2,3,4 ps\n", "header", 1, 1, WEIR_E_SYNTAX },
        { "src,dst,bytes\n1,2,3\n", "header", 1, 1, WEIR_E_SYNTAX },
        { "1,2,3,4 ps\n1,2,3\n", "columns", 2, 1, WEIR_E_SYNTAX },
        { "1,2,3,4 ps,5,6,7,8,9,10\n", "columns", 1, 1, WEIR_E_SYNTAX },
        { "200,2,3,4 ps\n", "host 200", 1, 1, WEIR_E_RANGE },
        { "src,dst,bytes,start\n1, 144,3,4 ps\n", "host 144", 2, 4, WEIR_E_RANGE },
        { "99999999999999999999,2,3,4 ps\n", "host 99999999999999999999", 1, 1, WEIR_E_RANGE },
        { "-1,2,3,4 ps\n", "src", 1, 1, WEIR_E_SYNTAX },
        { "1,b,3,4 ps\n", "dst", 1, 3, WEIR_E_SYNTAX },
        { "1,,3,4 ps\n", "dst", 1, 3, WEIR_E_SYNTAX },
        { "5,5,3,4 ps\n", "dst", 1, 3, WEIR_E_RANGE },
        { "1,2,0,4 ps\n", "bytes", 1, 5, WEIR_E_RANGE },
        { "1,2,2 TiB,4 ps\n", "bytes", 1, 5, WEIR_E_RANGE },
        { "1,2,x,4 ps\n", "bytes", 1, 5, WEIR_E_SYNTAX },
        { "1,2,5 kg,4 ps\n", "bytes", 1, 5, WEIR_E_UNIT },
        { "1,2,3.5,4 ps\n", "bytes", 1, 5, WEIR_E_RANGE },
        { "1,2,3,-4\n", "start", 1, 7, WEIR_E_RANGE },
        { "1,2,3,0\n1,2,3,5000\n", "start", 2, 7, WEIR_E_UNIT }, /* 0 needs no unit, all else does */
        { "1,2,3,4 fortnights\n", "start", 1, 7, WEIR_E_UNIT },
        { "1,2,3,\n", "start", 1, 7, WEIR_E_SYNTAX },
        { "1,2,3,0.0000000000000000000000000000000000000000000000000000000000001 s\n", "start", 1, 7, WEIR_E_SYNTAX },
        { "1,2,3,4 MB\n", "start", 1, 7, WEIR_E_UNIT },
        { "1,2,3,0.5 ps\n", "start", 1, 7, WEIR_E_SYNTAX },
        { "1,2,3,20000 s\n", "start", 1, 7, WEIR_E_RANGE },
        { "src,dst,bytes,start,prio\n1,2,3,4 ps,5\n", "header", 1, 1, WEIR_E_SYNTAX },
        { "1,2,3,4 ps,0\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,0.0009\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,-1\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,inf\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,1e9\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,1000001\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,99999999999999999999\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,4 ps,\n", "weight", 1, 12, WEIR_E_RANGE },
        { "1,2,3,99999999999 s\n", "start", 1, 7, WEIR_E_RANGE },
        { "1,2,3,4 ps,1,x\n", "group", 1, 14, WEIR_E_RANGE },
        { "1,2,3,4 ps,1,1048576\n", "group", 1, 14, WEIR_E_RANGE },
        { "1,2,3,4 ps,1,99999999999999999999\n", "group", 1, 14, WEIR_E_RANGE },
        { "1,2,3,4 ps,1,-1\n", "group", 1, 14, WEIR_E_RANGE },
        { "1,2,3,4 ps,1,7\n3,4,3,4 ps,1,7\n", "group", 2, 14, WEIR_E_CONFLICT },  /* two receivers */
        { "1,2,3,4 ps,1,7\n144,2,3,4 ps,1,7\n", "host 144", 2, 1, WEIR_E_RANGE }, /* a list with an unknown host .. */
        { "1,2,3,4 ps,1,7\n2,2,3,4 ps,1,7\n", "dst", 2, 3, WEIR_E_RANGE },        /* .. or with the receiver itself */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *r = &refusals[i];
        flows(r->text);
        int code = fix_try();
        assert_refusal(&fix_err, r->code, NULL, r->key);
        assert_int_equal(code, r->code);
        assert_string_equal(fix_err.file, fix_item[0].file);
        assert_int_equal(fix_err.line, r->line);
        assert_int_equal(fix_err.col, r->col);
        assert_null(fix_wl.listed);
    }
}

static void weights_and_tags_go_with_the_rows(void **state)
{
    (void)state;
    flows("src,dst,bytes,start,weight\n3,0,10,5 ps,2.5\n2,0,11,9 ps\n2,1,12,4 ps,0.001\n2,1,13,3 ps,1000000\n");
    fix_limits.end_ps = 9; /* the second row does not start, and has a tag all the same */
    fix_build();
    assert_int_equal(fix_wl.tag_count, 4);
    assert_int_equal(fix_wl.finite_messages, 3);
    assert_true(fix_wl.weighted);
    assert_int_equal(fix_wl.listed[0].bytes, 13);
    assert_int_equal(fix_wl.listed[0].tag, 4);
    assert_int_equal(fix_wl.listed[0].weight_q20, UINT64_C(1000000) << 20);
    assert_int_equal(fix_wl.listed[1].tag, 3);
    assert_int_equal(fix_wl.listed[1].weight_q20, WEIR_WEIGHT_MIN); /* 1048.576 rounded */
    assert_int_equal(fix_wl.listed[2].tag, 1);
    assert_int_equal(fix_wl.listed[2].weight_q20, WEIR_WEIGHT_ONE * 5 / 2);
}

static void without_weights_a_list_is_not_weighted(void **state)
{
    (void)state;
    flows("1,2,3,4 ps\n2,1,3,4 ps,1\n");
    fix_build();
    assert_int_equal(fix_wl.tag_count, 2);
    assert_false(fix_wl.weighted);
    assert_int_equal(fix_wl.listed[0].weight_q20, WEIR_WEIGHT_ONE);
}

static void connections_by_weight_split_a_flow(void **state)
{
    static const struct weir_listed want[] = {
        { .bytes = 34, .tag = 1 }, { .bytes = 33, .tag = 2 }, { .bytes = 33, .tag = 3 }, /* 2.5 is 3 */
        { .bytes = 7, .tag = 4 },                                                        /* 1.4 is 1 */
        { .bytes = 7, .tag = 5 },                                                        /* 0.2 is 1 as well */
        { .bytes = 1, .tag = 6 },  { .bytes = 1, .tag = 7 },                             /* no message without a byte */
    };
    (void)state;
    flows("1,2,100,0,2.5\n1,2,7,1 ps,1.4\n1,2,7,2 ps,0.2\n1,2,2,3 ps,99\n");
    fix_item[0].connections = WEIR_CONNECTIONS_WEIGHT;
    fix_build();
    assert_false(fix_wl.weighted);
    assert_int_equal(fix_wl.tag_count, 7);
    assert_int_equal(fix_wl.finite_messages, 7);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_int_equal(fix_wl.listed[i].bytes, want[i].bytes);
        assert_int_equal(fix_wl.listed[i].tag, want[i].tag);
        assert_int_equal(fix_wl.listed[i].weight_q20, WEIR_WEIGHT_ONE);
    }
}

static void a_message_has_the_tag_and_weight_of_its_flow(void **state)
{
    struct weir_source src;
    struct weir_message m;
    (void)state;
    flows("1,2,3,4 ps,3\n");
    fix_add(PERMUTATION(.start_ps = 5));
    fix_build();
    weir_source_init(&src, &fix_wl, 1);
    weir_source_take(&src, &m);
    assert_int_equal(m.tag, 1);
    assert_int_equal(m.weight_q20, 3 * WEIR_WEIGHT_ONE);
    weir_source_take(&src, &m);
    assert_int_equal(m.tag, 0);
    assert_int_equal(m.weight_q20, WEIR_WEIGHT_ONE);
}

static void assert_list(uint32_t group, const uint32_t *sender, uint32_t count)
{
    assert_int_equal(fix_wl.group[group - 1].id, group);
    assert_int_equal(fix_wl.group[group - 1].count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(fix_wl.group[group - 1].sender[i], sender[i]);
}

/* Groups 1 and 3 of the file; a row that does not start is announced. Group 2 has no row, and the incast events come behind. */
static void rows_of_a_group_are_in_its_list(void **state)
{
    static const uint32_t first[] = { 5, 6, 5 }, third[] = { 9 };
    struct weir_source src;
    struct weir_message m;
    (void)state;
    flows("src,dst,bytes,start,weight,group\n5,1,10,4 ps,1,1\n6,1,10,7 ps,1,1\n9,1,10,2 ps,1,3\n5,1,10,1 "
          "ps,1,1\n7,1,10,4 ps,1,0\n");
    fix_add(INCAST(.fan_in = 4, .period_ps = 3, .size.bytes = 1));
    fix_limits.end_ps = 7;
    fix_limits.groups = true;
    fix_build();
    assert_int_equal(fix_wl.group_count, 5);
    assert_list(1, first, 3);
    assert_list(2, NULL, 0);
    assert_list(3, third, 1);
    assert_int_equal(fix_wl.group[3].count, 4);
    weir_source_init(&src, &fix_wl, 5);
    weir_source_take(&src, &m);
    assert_int_equal(m.start_ps, 1);
    assert_int_equal(m.group, 1);
    assert_int_equal(weir_message_bytes(&fix_wl, &m), 10 + 2 + 2 * 3); /* the number of senders, and three of them */
    weir_source_init(&src, &fix_wl, 7);
    weir_source_take(&src, &m);
    assert_int_equal(m.group, 0);
    assert_int_equal(weir_message_bytes(&fix_wl, &m), 10);
    fix_limits.groups = false;
    fix_build();
    assert_int_equal(fix_wl.group_count, 0);
    weir_source_init(&src, &fix_wl, 5);
    weir_source_take(&src, &m);
    assert_int_equal(m.group, 0);
}

static void a_missing_file_is_reported_at_its_item(void **state)
{
    (void)state;
    fix_limits.base_dir = "data/workloads";
    fix_add(FLOWS(.file = "none.csv"));
    fix_refuse(WEIR_E_FILE, 10, "");
}

#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, close_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(a_list_is_read_with_units_and_sorted),         FLOW_TEST(the_header_may_be_left_out),
        FLOW_TEST(flows_outside_start_and_stop_do_not_start),    FLOW_TEST(jitter_starts_each_flow_a_little_later),
        FLOW_TEST(each_error_is_refused_with_its_position),      FLOW_TEST(weights_and_tags_go_with_the_rows),
        FLOW_TEST(without_weights_a_list_is_not_weighted),       FLOW_TEST(connections_by_weight_split_a_flow),
        FLOW_TEST(a_message_has_the_tag_and_weight_of_its_flow), FLOW_TEST(rows_of_a_group_are_in_its_list),
        FLOW_TEST(a_missing_file_is_reported_at_its_item),
    };
    return cmocka_run_group_tests_name("workload/flows", tests, NULL, NULL);
}
