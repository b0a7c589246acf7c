/* test/unit/seal/test_replay.c - the window of a connection: tables of each edge, and a naive set. */
#include "test/unit/seal/seal_test.h"
#include "seal/replay.h"
#include <stdlib.h>

static uint64_t seen[WEIR_REPLAY_U64S(WEIR_REPLAY_MAX)];
static struct weir_replay w;

static void begin(uint32_t pkts)
{
    memset(seen, 0xff, sizeof(seen)); /* memory that was used before */
    weir_replay_init(&w, seen, pkts);
}

static void note(uint64_t counter)
{
    assert_int_equal(weir_replay_test(&w, counter), WEIR_REPLAY_NEW);
    weir_replay_note(&w, counter);
}

static void size_is_the_power_of_two_above_four_windows(void **state)
{
    static const struct {
        uint64_t window;
        uint32_t pkts;
    } table[] = {
        { 0, 1024 },     { 1, 1024 },     { 255, 1024 },   { 256, 2048 },         { 257, 2048 },
        { 511, 2048 },   { 512, 4096 },   { 1023, 4096 },  { 1024, 8192 },        { 2047, 8192 },
        { 2048, 16384 }, { 4095, 16384 }, { 4096, 16384 }, { UINT64_MAX, 16384 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        assert_int_equal(weir_replay_size(table[i].window), table[i].pkts);
}

static void every_size_has_the_edges_of_its_size(void **state)
{
    (void)state;
    for (uint32_t pkts = WEIR_REPLAY_MIN; pkts <= WEIR_REPLAY_MAX; pkts *= 2) {
        begin(pkts);
        assert_int_equal(weir_replay_test(&w, 0), WEIR_REPLAY_OLD); /* no packet has it */
        note(pkts);
        assert_int_equal(weir_replay_test(&w, 0), WEIR_REPLAY_OLD);
        note(1); /* pkts - 1 before the top: the oldest in the window */
        assert_int_equal(weir_replay_test(&w, 1), WEIR_REPLAY_REPEATED);
        assert_int_equal(weir_replay_test(&w, pkts), WEIR_REPLAY_REPEATED);
        note(pkts + 1); /* has the bit of 1 */
        assert_int_equal(weir_replay_test(&w, 1), WEIR_REPLAY_OLD);
        assert_int_equal(weir_replay_test(&w, pkts), WEIR_REPLAY_REPEATED);
        note(2);
        note(pkts - 1);
        note(3);
    }
}

/* How far the top jumps: one less than a window, a window, one more; and within words of 64 bits. */
static void a_jump_forgets_what_leaves_the_window_and_nothing_else(void **state)
{
    static const uint64_t jumps[] = { 1, 2, 62, 63, 64, 65, 127, 128, 129, 1022, 1023, 1024, 1025, 2048, 1u << 20 };
    (void)state;
    for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++) {
        uint64_t top = 5000;
        begin(1024);
        for (uint64_t c = top - 1023; c <= top; c++)
            note(c);
        note(top + jumps[i]);
        for (uint64_t c = top - 1100; c <= top + jumps[i]; c++) {
            enum weir_replay_answer wanted = c + 1024 <= top + jumps[i]        ? WEIR_REPLAY_OLD
                                             : c <= top || c == top + jumps[i] ? WEIR_REPLAY_REPEATED
                                                                               : WEIR_REPLAY_NEW;
            assert_int_equal(weir_replay_test(&w, c), wanted);
            if (c > top + 3000)
                break;
        }
        assert_int_equal(weir_replay_test(&w, top + jumps[i] + 1), WEIR_REPLAY_NEW);
    }
}

static void the_last_counters_do_not_wrap(void **state)
{
    (void)state;
    begin(1024);
    note(UINT64_MAX - 1024);
    note(UINT64_MAX - 1);
    assert_int_equal(weir_replay_test(&w, UINT64_MAX - 1024), WEIR_REPLAY_REPEATED);
    note(UINT64_MAX);
    assert_int_equal(weir_replay_test(&w, UINT64_MAX), WEIR_REPLAY_REPEATED);
    assert_int_equal(weir_replay_test(&w, UINT64_MAX - 1), WEIR_REPLAY_REPEATED);
    assert_int_equal(weir_replay_test(&w, UINT64_MAX - 1024), WEIR_REPLAY_OLD);
    note(UINT64_MAX - 1023);
    assert_int_equal(weir_replay_test(&w, 0), WEIR_REPLAY_OLD);
    assert_int_equal(weir_replay_test(&w, 1), WEIR_REPLAY_OLD);
}

static void a_test_changes_nothing(void **state)
{
    struct weir_replay before;
    uint64_t words[WEIR_REPLAY_U64S(WEIR_REPLAY_MIN)];
    (void)state;
    begin(WEIR_REPLAY_MIN);
    note(77);
    before = w;
    memcpy(words, seen, sizeof(words));
    (void)weir_replay_test(&w, 77);
    (void)weir_replay_test(&w, 78);
    (void)weir_replay_test(&w, UINT64_MAX); /* the word of a stranger */
    assert_memory_equal(&before, &w, sizeof(w));
    assert_memory_equal(words, seen, sizeof(words));
}

enum { COUNTERS = 60000 };

static void answers_are_those_of_a_naive_set(void **state)
{
    static bool set[COUNTERS];
    uint64_t x = 88172645463325252u, top = 0, answers[3] = { 0 }; /* fixed: a failure repeats */
    (void)state;
    memset(set, 0, sizeof(set));
    begin(1024);
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t back = next_random(&x) % 1100, jump = next_random(&x) % 64 == 0 ? next_random(&x) % 1200 : back % 3;
        uint64_t counter = x % 4 == 0 ? top + jump : top > back ? top - back : 0;
        enum weir_replay_answer wanted, got;
        if (counter >= COUNTERS) {
            memset(set, 0, sizeof(set));
            begin(1024);
            top = 0;
            continue;
        }
        wanted = counter == 0 || counter + 1024 <= top ? WEIR_REPLAY_OLD
                 : set[counter]                        ? WEIR_REPLAY_REPEATED
                                                       : WEIR_REPLAY_NEW;
        got = weir_replay_test(&w, counter);
        assert_int_equal(got, wanted);
        answers[got]++;
        if (got != WEIR_REPLAY_NEW)
            continue;
        weir_replay_note(&w, counter);
        set[counter] = true;
        top = counter > top ? counter : top;
        assert_int_equal(w.top, top);
    }
    for (size_t i = 0; i < 3; i++)
        assert_in_range(answers[i], 10000, 190000); /* each kind came up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_is_the_power_of_two_above_four_windows),
        cmocka_unit_test(every_size_has_the_edges_of_its_size),
        cmocka_unit_test(a_jump_forgets_what_leaves_the_window_and_nothing_else),
        cmocka_unit_test(the_last_counters_do_not_wrap),
        cmocka_unit_test(a_test_changes_nothing),
        cmocka_unit_test(answers_are_those_of_a_naive_set),
    };
    return cmocka_run_group_tests_name("seal/replay", tests, NULL, NULL);
}
