/* test/unit/model/test_unfinished.c - what a run that was cut off lacks, of messages whose times are known: one at a time over one switch,
 * 1230400 ps for each full packet and hop. */
#include "test/unit/sim_fixture.h"

#define CUT(length) "run: {warmup: 0 us, measure: " length "}\n"

static const struct weir_unfinished *run(const char *text)
{
    const struct weir_model *model = fix_model(text);
    assert_non_null(model);
    assert_int_equal(fix_run_model(), 0);
    return &fix_result.unfinished;
}

static void a_run_to_the_end_lacks_nothing(void **state)
{
    const struct weir_unfinished *u = run(STAR("2") PERM("14600 B") RUN_ALL);
    (void)state;
    assert_int_equal(u->messages, 0);
    assert_int_equal(u->counted[WEIR_GROUP_ALL], 0);
    assert_int_equal(u->needed_ps, 0);
}

/* A million bytes take 685 packets: 842.8 us and a hop. After 500 us both are under way, none has ended, and nobody shares. */
static void what_has_not_ended_is_counted_with_the_time_it_takes(void **state)
{
    const struct weir_unfinished *u = run(STAR("2") PERM("1000 KB") CUT("500 us"));
    (void)state;
    assert_int_equal(u->messages, 2);
    assert_int_equal(u->bytes, 2000000);
    assert_int_equal(u->counted[WEIR_GROUP_ALL], 2);
    assert_int_equal(u->counted[WEIR_GROUP_D], 2);
    assert_int_equal(u->beyond, 0);
    assert_int_equal(u->longest_bytes, 1000000);
    assert_in_range(u->needed_ps, UINT64_C(840000000), UINT64_C(855000000));
    assert_in_range(u->slowest_ppm, 580000, 600000); /* 500 of 847 us */
    assert_int_equal(u->late_bytes, 0);
}

/* Hosts 1 and 2 send to 0 at once: when the link has carried 500 KB neither has ended, at twice its least time. */
static void what_waits_for_long_is_late(void **state)
{
    const struct weir_unfinished *u = run(
        STAR("8") "protocol: {name: dctcp}\n"
                  "traffic: [{kind: incast, fan_in: 7, size: 500 KB, period: 1 ms, measured: true}]\n" CUT("1800 us"));
    (void)state; /* the first burst starts at 1 ms, and one of seven takes 424 us alone */
    assert_int_equal(u->messages, 7);
    assert_int_equal(u->late_bytes, 0);
    (void)fix_end(state);
    u = run(STAR(
        "8") "protocol: {name: dctcp}\n"
             "traffic: [{kind: incast, fan_in: 7, size: 500 KB, period: 1 ms, stop: 1500 us, measured: true}]\n" CUT(
                 "3500 us"));
    assert_true(u->messages > 0);
    assert_int_equal(u->late_bytes, u->bytes);
    assert_in_range(u->needed_ps, UINT64_C(2500000000), UINT64_C(2500000000)); /* their age */
}

/* 10 GB alone take 8.4 s. */
static void endless_messages_are_beyond_the_run(void **state)
{
    const struct weir_unfinished *u = run(STAR("2") PERM("10 GB") CUT("1 ms"));
    (void)state;
    assert_int_equal(u->messages, 2);
    assert_int_equal(u->beyond, 2);
    assert_int_equal(u->longest_bytes, 0);
    assert_int_equal(u->needed_ps, 0);
}

/* Beside other traffic an incast does not count in results by message. */
static void messages_that_do_not_count_are_none_that_slowdown_lacks(void **state)
{
    const struct weir_unfinished *u = run(STAR("8") "traffic:\n"
                                                    "  - {kind: incast, fan_in: 7, size: 500 KB, period: 1 ms}\n"
                                                    "  - {kind: permutation, size: 1 KB}\n" CUT("1200 us"));
    (void)state;
    assert_int_equal(u->messages, 7);
    assert_int_equal(u->counted[WEIR_GROUP_ALL], 0);
}

/* The two messages have ended, their replies of 842.8 us have not. */
static void replies_are_unfinished_and_do_not_count(void **state)
{
    const struct weir_unfinished *u =
        run(STAR("2") "traffic: [{kind: permutation, size: 1 KB, reply: 1000 KB}]\n" CUT("500 us"));
    (void)state;
    assert_int_equal(u->messages, 2);
    assert_int_equal(u->bytes, 2000000);
    assert_int_equal(u->counted[WEIR_GROUP_ALL], 0);
    assert_int_equal(u->slowest_ppm, 0);
    assert_int_equal(fix_result.messages_started, 4);
    assert_int_equal(fix_result.messages_measured, 2);
    assert_int_equal(fix_result.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count, 2);
}

/* At half load a message shares either link with as much as it has left: four times its least time. */
static void load_makes_messages_take_longer(void **state)
{
    const struct weir_unfinished *u =
        run(STAR("4") "traffic: [{kind: poisson, sizes: 10 MB, load: 50%}]\n" CUT("20 ms"));
    (void)state;
    assert_true(u->messages > 0);
    assert_in_range(u->needed_ps, UINT64_C(33600000000), UINT64_C(34200000000)); /* 4 * 8.43 ms */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_to_the_end_lacks_nothing),
        TEST(what_has_not_ended_is_counted_with_the_time_it_takes),
        TEST(what_waits_for_long_is_late),
        TEST(endless_messages_are_beyond_the_run),
        TEST(messages_that_do_not_count_are_none_that_slowdown_lacks),
        TEST(replies_are_unfinished_and_do_not_count),
        TEST(load_makes_messages_take_longer),
    };
    return cmocka_run_group_tests_name("model/unfinished", tests, NULL, NULL);
}
