/* test/unit/workload/ranks_fixture.h - small graphs of ranks, made by hand. Node k of all has line 10 + k. */
#ifndef WEIR_TEST_RANKS_FIXTURE_H
#define WEIR_TEST_RANKS_FIXTURE_H
#include "test/unit/refusal.h"
#include "workload/ranks.h"

static struct weir_ranks fix_ranks;
static struct weir_err fix_err;

static inline int fix_setup(void **state)
{
    (void)state;
    fix_ranks = (struct weir_ranks){ 0 };
    fix_err = (struct weir_err){ 0 };
    return 0;
}

static inline int fix_teardown(void **state)
{
    (void)state;
    weir_ranks_free(&fix_ranks);
    return 0;
}

static inline void fix_rank(void)
{
    assert_int_equal(weir_ranks_begin(&fix_ranks, &fix_err), 0);
}

static inline void fix_node(struct weir_rank_node node)
{
    node.line = (uint32_t)fix_ranks.node_count + 10;
    assert_int_equal(weir_ranks_add(&fix_ranks, &node, &fix_err), 0);
}

static inline void fix_compute(uint64_t compute_ps)
{
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_COMPUTE, .compute_ps = compute_ps, .lane = WEIR_RANK_NO_LANE });
}

static inline void fix_send(uint32_t peer, uint64_t tag, uint64_t bytes)
{
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_SEND, .peer = peer, .tag = tag, .bytes = bytes });
}

static inline void fix_recv(uint32_t peer, uint64_t tag)
{
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_RECV, .peer = peer, .tag = tag });
}

static inline void fix_wait(uint32_t later, uint32_t earlier)
{
    assert_int_equal(weir_ranks_after(&fix_ranks, later, earlier, false, &fix_err), 0);
}

static inline void fix_wait_start(uint32_t later, uint32_t earlier)
{
    assert_int_equal(weir_ranks_after(&fix_ranks, later, earlier, true, &fix_err), 0);
}

static inline void fix_finish(void)
{
    if (weir_ranks_finish(&fix_ranks, &fix_err) != 0)
        fail_msg("%s", fix_err.text);
}

/* Refused with this code and text at this line; 0 = without a place. The graph is freed. */
static inline void fix_refuse(enum weir_err_code code, uint32_t line, const char *text)
{
    int got = weir_ranks_finish(&fix_ranks, &fix_err);
    assert_refusal(&fix_err, code, NULL, text);
    assert_int_equal(got, code);
    assert_int_equal(fix_err.line, line);
    weir_ranks_free(&fix_ranks);
}

#define RANKS_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)
#endif
