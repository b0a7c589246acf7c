/* test/unit/core/test_pairing.c - the heap against the simplest thing that can be right: a search of all entries. */
#include "test/unit/weir_test.h"
#include "core/pairing.h"
#include "core/rng.h"

enum { NODES = 64, STEPS = 200000 };

struct item {
    uint32_t number;
    struct weir_pairing_node node;
};

static struct item item[NODES];
static struct weir_pairing heap;

static int setup(void **state)
{
    (void)state;
    heap = (struct weir_pairing){ NULL };
    for (uint32_t i = 0; i < NODES; i++)
        item[i] = (struct item){ .number = i };
    return 0;
}

static uint32_t pop(void)
{
    return WEIR_PAIRING_OF(weir_pairing_pop(&heap), struct item, node)->number;
}

static void least_comes_first_and_ties_by_tie(void **state)
{
    static const uint64_t key[6] = { 5, 1, 3, 3, 9, 3 };
    static const uint32_t tie[6] = { 0, 1, 7, 2, 4, 5 };
    static const uint32_t want[6] = { 1, 3, 5, 2, 0, 4 };
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        weir_pairing_push(&heap, &item[i].node, key[i], tie[i]);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(pop(), want[i]);
    assert_null(weir_pairing_pop(&heap));
}

static void a_node_reports_whether_it_is_in_a_heap(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        assert_false(weir_pairing_has(&heap, &item[i].node));
        weir_pairing_push(&heap, &item[i].node, i, i);
        assert_true(weir_pairing_has(&heap, &item[i].node));
    }
    weir_pairing_remove(&heap, &item[3].node);
    assert_false(weir_pairing_has(&heap, &item[3].node));
    weir_pairing_remove(&heap, &item[0].node);
    assert_false(weir_pairing_has(&heap, &item[0].node));
    assert_int_equal(pop(), 1);
    assert_int_equal(pop(), 2);
    assert_int_equal(pop(), 4);
    assert_false(weir_pairing_has(&heap, &item[4].node));
}

static void a_key_may_become_smaller_or_larger(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        weir_pairing_push(&heap, &item[i].node, 10 * (i + 1), 0);
    weir_pairing_move(&heap, &item[5].node, 5, 0);  /* last becomes first */
    weir_pairing_move(&heap, &item[0].node, 45, 0); /* the old root moves back */
    weir_pairing_move(&heap, &item[2].node, 45, 1);
    assert_int_equal(pop(), 5);
    assert_int_equal(pop(), 1);
    assert_int_equal(pop(), 3);
    assert_int_equal(pop(), 0);
    assert_int_equal(pop(), 2);
    assert_int_equal(pop(), 4);
}

static uint32_t search(const bool *in)
{
    uint32_t best = NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        if (in[i] && (best == NODES || weir_pairing_before(&item[i].node, &item[best].node)))
            best = i;
    }
    return best;
}

static void agrees_with_a_linear_search_under_random_operations(void **state)
{
    bool in[NODES] = { false };
    struct weir_rng rng = { .key = weir_rng_key(3, 0, WEIR_RNG_TEST, 0) };
    (void)state;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t draw = weir_rng_next(&rng), key = draw >> 58; /* few keys: ties are common */
        uint32_t i = (uint32_t)(draw % NODES);
        if (!in[i])
            weir_pairing_push(&heap, &item[i].node, key, i);
        else if (draw >> 32 & 1)
            weir_pairing_move(&heap, &item[i].node, key, i);
        else
            weir_pairing_remove(&heap, &item[i].node);
        in[i] = weir_pairing_has(&heap, &item[i].node);
        uint32_t best = search(in);
        assert_ptr_equal(heap.root, best == NODES ? NULL : &item[best].node);
        if (step % 3 == 0 && best != NODES) {
            assert_int_equal(pop(), best);
            in[best] = false;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(least_comes_first_and_ties_by_tie, setup),
        cmocka_unit_test_setup(a_node_reports_whether_it_is_in_a_heap, setup),
        cmocka_unit_test_setup(a_key_may_become_smaller_or_larger, setup),
        cmocka_unit_test_setup(agrees_with_a_linear_search_under_random_operations, setup),
    };
    return cmocka_run_group_tests_name("core/pairing", tests, NULL, NULL);
}
