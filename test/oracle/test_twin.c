/* test/oracle/test_twin.c - engine and oracle are one: hand-picked scenarios, then random ones from a printed seed. */
#include "test/unit/weir_test.h"
#include "test/oracle/twin.h"
#include "test/oracle/cases.h"
#include <inttypes.h>
#include <stdio.h>

enum {
    RANDOM_FIRST = 1,
    RANDOM_COUNT = 40,
    FABRIC_FIRST = 1,
    FABRIC_COUNT = 16,
    QUEUES_FIRST = 1,
    QUEUES_COUNT = 16,
    JOBS_FIRST = 1,
    JOBS_COUNT = 20
};

static void engine_and_oracle_agree_on_every_picked_scenario(void **state)
{
    struct twin_tally tally = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct twin_case c = {
            .name = cases[i].name, .text = cases[i].text, .repeat = "meson test -C build twin", .threads_max = 3
        };
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("picked scenarios", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
    assert_true(tally.drops > 1000 && tally.losses > 1000 && tally.marks > 1000 && tally.retransmissions > 1000 &&
                tally.timeouts > 10); /* or the scenarios show less than they claim */
}

static void engine_and_oracle_agree_on_random_scenarios(void **state)
{
    struct twin_tally tally = { 0 };
    char text[TWIN_TEXT_MAX], name[64], repeat[64];
    (void)state;
    (void)printf("random scenarios of seeds %d to %d\n", RANDOM_FIRST, RANDOM_FIRST + RANDOM_COUNT - 1);
    for (uint64_t seed = RANDOM_FIRST; seed < RANDOM_FIRST + RANDOM_COUNT; seed++) {
        struct twin_case c = { .name = name, .text = text, .repeat = repeat, .threads_max = 3 };
        twin_generate(seed, text);
        (void)snprintf(name, sizeof(name), "random scenario %" PRIu64, seed);
        (void)snprintf(repeat, sizeof(repeat), "build/test/oracle/twin_soak --seed %" PRIu64 " --count 1", seed);
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("random scenarios", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
}

/* Telemetry, PFC, notices of switches and scaled ramps, thrown at the same random scenarios. */
static void engine_and_oracle_agree_on_random_fabrics(void **state)
{
    const char *const pull[] = { "host.nic_queue=pull", NULL };
    struct twin_tally tally = { 0 };
    char text[TWIN_TEXT_MAX], name[64], repeat[96];
    (void)state;
    for (uint64_t seed = FABRIC_FIRST; seed < FABRIC_FIRST + FABRIC_COUNT; seed++) {
        struct twin_case c = {
            .name = name, .text = text, .repeat = repeat, .set = pull, .threads_max = 3, .fabric_seed = seed
        };
        twin_generate(seed, text);
        (void)snprintf(name, sizeof(name), "random fabric %" PRIu64, seed);
        (void)snprintf(repeat, sizeof(repeat),
                       "build/test/oracle/twin_soak --seed %" PRIu64 " --count 1 --fabric --set host.nic_queue=pull",
                       seed);
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("random fabrics", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
}

/* Queueing delays told to senders, at ports of every kind. */
static void engine_and_oracle_agree_on_random_queueing(void **state)
{
    struct twin_tally tally = { 0 };
    char text[TWIN_TEXT_MAX], name[64], repeat[96];
    (void)state;
    for (uint64_t seed = QUEUES_FIRST; seed < QUEUES_FIRST + QUEUES_COUNT; seed++) {
        struct twin_case c = { .name = name, .text = text, .repeat = repeat, .threads_max = 3, .queues_seed = seed };
        twin_generate(seed, text);
        (void)snprintf(name, sizeof(name), "random queueing %" PRIu64, seed);
        (void)snprintf(repeat, sizeof(repeat), "build/test/oracle/twin_soak --seed %" PRIu64 " --count 1 --queues",
                       seed);
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("random queueing", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
}

/* Flows that wait for others, and weights that change, on all of that. */
static void engine_and_oracle_agree_on_random_jobs(void **state)
{
    struct twin_tally tally = { 0 };
    char text[TWIN_TEXT_MAX], name[64], repeat[96];
    (void)state;
    for (uint64_t seed = JOBS_FIRST; seed < JOBS_FIRST + JOBS_COUNT; seed++) {
        struct twin_case c = { .name = name, .text = text, .repeat = repeat, .threads_max = 3, .jobs_seed = seed };
        twin_generate(seed, text);
        (void)snprintf(name, sizeof(name), "random jobs %" PRIu64, seed);
        (void)snprintf(repeat, sizeof(repeat), "build/test/oracle/twin_soak --seed %" PRIu64 " --count 1 --jobs", seed);
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("random jobs", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
    assert_true(tally.flows > 500); /* or they hardly began */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_and_oracle_agree_on_every_picked_scenario),
        cmocka_unit_test(engine_and_oracle_agree_on_random_scenarios),
        cmocka_unit_test(engine_and_oracle_agree_on_random_fabrics),
        cmocka_unit_test(engine_and_oracle_agree_on_random_queueing),
        cmocka_unit_test(engine_and_oracle_agree_on_random_jobs),
    };
    return cmocka_run_group_tests_name("oracle/twin", tests, NULL, NULL);
}
