/* test/oracle/test_skip.c - run.skip: exact changes no result. Random scenarios whose traffic is steady for a while run with it on 1 to 3
 * threads, and without it: every number that both must share is equal. What is compared is needed: times that are left out are found by
 * numbers that differ. */
#include "test/oracle/twin.h"
#include "test/unit/weir_test.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WHOLE_CASES = 4 };

static uint32_t steady_cases = 30; /* or the argument of the program */

/* Runs one case. @return whether something was skipped */
static bool agrees(const char *name, const char *text, uint32_t threads, bool without_times, bool refusals,
                   enum twin_outcome *outcome)
{
    struct twin_tally tally = { 0 };
    struct twin_case c = { .name = name,
                           .text = text,
                           .repeat = "build/plain/test/oracle/test_skip",
                           .threads_max = threads,
                           .engine_only = true,
                           .skip = true,
                           .refusals = refusals,
                           .without_times = without_times };
    *outcome = twin_run(&c, &tally);
    return tally.skipped > 0;
}

static void nothing_differs_in_steady_scenarios(void **state)
{
    uint32_t skipped = 0, equal = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= steady_cases; seed++) {
        enum twin_outcome outcome;
        static char text[TWIN_TEXT_MAX];
        twin_draw(TWIN_STEADY, seed, text, NULL);
        skipped += agrees("steady", text, 1 + (uint32_t)(seed % 3), false, true, &outcome);
        assert_int_not_equal(outcome, TWIN_DIFFERENT);
        equal += outcome == TWIN_EQUAL;
    }
    (void)printf("steady: %u of %u scenarios skipped something\n", skipped, equal);
    assert_in_range(skipped, equal / 4, equal);
}

static void nothing_differs_in_whole_random_scenarios(void **state)
{
    uint32_t skipped = 0, equal = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= WHOLE_CASES; seed++) {
        static char text[TWIN_TEXT_MAX];
        enum twin_outcome outcome;
        twin_draw(TWIN_WHOLE, seed, text, NULL);
        skipped += agrees("whole", text, 1 + (uint32_t)(seed % 3), false, true, &outcome);
        assert_int_not_equal(outcome, TWIN_DIFFERENT);
        equal += outcome == TWIN_EQUAL;
    }
    (void)printf("whole: %u of %u scenarios skipped something\n", skipped, equal);
    assert_in_range(equal, WHOLE_CASES / 2, WHOLE_CASES);
}

/* While a ring in one rack is steady, a packet is on its way between racks for 400 us: of all that is compared, times alone know. */
static void times_left_out_of_the_state_are_missed(void **state)
{
    static const char text[] =
        "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 1, core_delay: 200 us}\nprotocol: {name: "
        "dctcp}\ntraffic:\n"
        "  - {kind: collective, op: all-reduce, algorithm: ring, bytes: 24 MB, ranks: 0..3}\n"
        "  - {kind: incast, fan_in: 1, from: 4, to: 0, size: 1 KB, period: 10 us, start: 60 us, stop: 75 us}\n"
        "run: {warmup: 0 us, measure: all}\n";
    enum twin_outcome outcome;
    int status = 0;
    pid_t child;
    (void)state;
    assert_true(agrees("far packet", text, 1, false, false, &outcome));
    assert_int_equal(outcome, TWIN_EQUAL);
    (void)fflush(NULL);
    child = fork(); /* an assertion of the engine may find it first */
    if (child == 0) {
        (void)close(STDERR_FILENO);
        (void)agrees("far packet, times left out", text, 1, true, false, &outcome);
        _exit(outcome == TWIN_DIFFERENT ? 1 : 0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_not_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_differs_in_steady_scenarios),
        cmocka_unit_test(nothing_differs_in_whole_random_scenarios),
        cmocka_unit_test(times_left_out_of_the_state_are_missed),
    };
    if (argc > 1)
        steady_cases = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("oracle/skip", tests, NULL, NULL);
}
