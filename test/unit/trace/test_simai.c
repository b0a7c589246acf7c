/* test/unit/trace/test_simai.c - SimAI's workloads: the order of a step, the groups of ranks, and what is refused. */
#include "test/unit/trace/trace_fixture.h"

#define FIRST "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: "

static void put(const char *text)
{
    fix_write("t.txt", text, strlen(text));
}

/* One rank, so that collectives are two nodes without messages. Forward a, b; backward b, a. */
static void a_step_goes_forward_and_back(void **state)
{
    static const uint32_t ns[] = { 1, 4, 5, 6, 2, 3 };
    uint32_t found = 0;
    (void)state;
    put(FIRST "1 all_gpus: 1\n2\na -1 1 NONE 0 2 NONE 0 3 NONE 0 100\nb -1 4 NONE 0 5 NONE 0 6 NONE 0 100\n");
    fix_load(WEIR_TRAFFIC_SIMAI, "t.txt");
    assert_int_equal(fix_ranks.node_count, 6);
    for (uint32_t n = 0; n < 6; n++) {
        assert_int_equal(fix_node(0, n)->compute_ps, 1000 * ns[n]);
        assert_int_equal(fix_node(0, n)->waits, n > 0);
        if (n > 0)
            found += fix_waits(0, n, n - 1, false);
    }
    assert_int_equal(found, 5);
    assert_int_equal(fix_node(0, 1)->line, 4);
}

/* Layer a: forward all-gather of 20 B, gradients of weights all-reduced with 40 B, by 2 x 2 ranks. */
static void only_the_update_waits_for_gradients_of_weights(void **state)
{
    (void)state;
    put(FIRST "2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n2\n"
              "a\t-1\t1\tALLGATHER\t20\t1\tNONE\t0\t1\tALLREDUCE\t40\t7\n"
              "b\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t40\t8\n");
    fix_load(WEIR_TRAFFIC_SIMAI, "t.txt");
    assert_int_equal(fix_ranks.ranks, 4);
    /* each rank: 1 message of 10 B to its tensor neighbour; twice 2 messages of 20 B to its data neighbour */
    assert_int_equal(fix_ranks.send_count, 4 * (1 + 4));
    assert_int_equal(fix_ranks.send_bytes, 4 * (10 + 80));
    /* nodes of rank 0: 0 a forward; 1 .. 4 all-gather; 5 b forward; 6, 7 b back; 8 .. 13 all-reduce; 14 update; 15 a */
    assert_int_equal(fix_node(0, 14)->compute_ps, 8000);
    assert_int_equal(fix_node(0, 14)->lane, WEIR_RANK_NO_LANE);
    assert_true(fix_waits(0, 14, 13, false));
    assert_int_equal(fix_node(0, 14)->next_count, 0);
    assert_true(fix_waits(0, 8, 7, false));
    assert_true(fix_waits(0, 15, 7, false)); /* not the all-reduce */
    assert_true(fix_waits(0, 5, 4, false));  /* the forward pass waits */
}

/* The peers of all sends of a rank, as bits. */
static uint32_t peers_of(uint32_t rank)
{
    uint32_t peers = 0;
    for (uint64_t n = fix_ranks.first[rank]; n < fix_ranks.first[rank + 1]; n++)
        if (fix_ranks.node[n].op == WEIR_RANK_SEND)
            peers |= 1u << fix_ranks.node[n].peer;
    return peers;
}

/* 16 ranks: 2 tensor parallel, 8 data parallel, of these 4 expert parallel. An all-to-all has all members as peers.
 * Rank 3: tensor 2, 3; data 1, 3, .., 15; expert 1, 3, 5, 7; data over experts 3, 11. */
static void groups_are_those_of_the_sizes(void **state)
{
    static const struct {
        const char *layer;
        uint32_t peers;
    } groups[] = {
        { "a -1 1 ALLTOALL 160 1 NONE 0 1 NONE 0 1", 1u << 2 },
        { "a -1 1 NONE 0 1 ALLTOALL 160 1 NONE 0 1", 1u << 2 },
        { "a -1 1 NONE 0 1 NONE 0 1 ALLTOALL 160 1",
          1u << 1 | 1u << 5 | 1u << 7 | 1u << 9 | 1u << 11 | 1u << 13 | 1u << 15 },
        { "a -1 1 ALLTOALL_EP 160 1 NONE 0 1 NONE 0 1", 1u << 1 | 1u << 5 | 1u << 7 },
        { "a -1 1 NONE 0 1 NONE 0 1 ALLTOALL_DP_EP 160 1", 1u << 11 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), FIRST "2 ep: 4 all_gpus: 16\n1\n%s\n", groups[i].layer);
        put(text);
        fix_load(WEIR_TRAFFIC_SIMAI, "t.txt");
        assert_int_equal(peers_of(3), groups[i].peers);
    }
}

/* With 2 stages a data-parallel group is every 4th rank: 3, 7, 11, 15. */
static void stages_are_between_tensor_and_data(void **state)
{
    (void)state;
    put(FIRST "2 pp: 2 all_gpus: 16\n1\na -1 1 NONE 0 1 NONE 0 1 ALLTOALL 160 1\n");
    fix_load(WEIR_TRAFFIC_SIMAI, "t.txt");
    assert_int_equal(peers_of(3), 1u << 7 | 1u << 11 | 1u << 15);
}

static void what_is_wrong_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *text, *place, *key;
        enum weir_err_code code;
    } wrong[] = {
        { "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "t.txt:1:1", "MICRO", WEIR_E_UNKNOWN },
        { FIRST "1\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "t.txt:1:1", "all_gpus", WEIR_E_SYNTAX },
        { FIRST "3 all_gpus: 16\n1\n", "t.txt:1:1", "16", WEIR_E_CONFLICT },
        { FIRST "4 ep: 3 all_gpus: 16\n1\n", "t.txt:1:1", "16", WEIR_E_CONFLICT },
        { FIRST "0 all_gpus: 16\n1\n", "t.txt:1:59", "model_parallel_NPU_group", WEIR_E_RANGE },
        { FIRST "1 all_gpus: 17\n1\n", "t.txt:1", "17", WEIR_E_RANGE },
        { FIRST "1 all_gpus: x\n1\n", "t.txt:1:71", "x", WEIR_E_SYNTAX },
        { FIRST "1 all_gpus:\n1\n", "t.txt:1:1", "all_gpus", WEIR_E_SYNTAX },
        { FIRST "1 all_gpus: 2 checkpoints: 1 0\n1\n", "t.txt:1:86", "checkpoints", WEIR_E_UNKNOWN },
        { FIRST "1 all_gpus: 2\n0\n", "t.txt:2:1", "layers", WEIR_E_RANGE },
        { FIRST "1 all_gpus: 2\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "t.txt", "2 layers", WEIR_E_SYNTAX },
        { FIRST "1 all_gpus: 2\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb\n", "t.txt:4:1", "1 layers", WEIR_E_CONFLICT },
        { FIRST "1 all_gpus: 2\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n", "t.txt:3:1", "11", WEIR_E_SYNTAX },
        { FIRST "1 all_gpus: 2\n1\na -1 1 SEND 0 1 NONE 0 1 NONE 0 1\n", "t.txt:3:8", "SEND", WEIR_E_UNKNOWN },
        { FIRST "1 all_gpus: 2\n1\na -1 1 NONE 0 1 ALLREDUCE_X 0 1 NONE 0 1\n", "t.txt:3:17", "ALLREDUCE_X",
          WEIR_E_UNKNOWN },
        { FIRST "1 all_gpus: 2\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 1099511627777 1\n", "t.txt:3:31", "bytes",
          WEIR_E_RANGE },
        { FIRST "1 all_gpus: 2\n1\na -1 x NONE 0 1 NONE 0 1 NONE 0 1\n", "t.txt:3:6", "time", WEIR_E_SYNTAX },
        { FIRST "1 all_gpus: 2\n1\na -1 99999999999999999 NONE 0 1 NONE 0 1 NONE 0 1\n", "t.txt:3", "18000",
          WEIR_E_RANGE },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put(wrong[i].text);
        fix_refuse(WEIR_TRAFFIC_SIMAI, "t.txt", wrong[i].code, wrong[i].place, wrong[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(a_step_goes_forward_and_back),
        TRACE_TEST(only_the_update_waits_for_gradients_of_weights),
        TRACE_TEST(groups_are_those_of_the_sizes),
        TRACE_TEST(stages_are_between_tensor_and_data),
        TRACE_TEST(what_is_wrong_is_refused_where_it_stands),
    };
    return cmocka_run_group_tests_name("trace/simai", tests, NULL, NULL);
}
