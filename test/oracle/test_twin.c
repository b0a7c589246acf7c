/* test/oracle/test_twin.c - engine and oracle are one: hand-picked scenarios, then random ones from a printed seed. */
#include "test/unit/weir_test.h"
#include "test/oracle/twin.h"
#include "test/oracle/cases.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t threads_max = 1; /* on every number of threads up to this; `./dev soak` says 3 */
static bool draw_all;            /* as many random scenarios as `./dev soak` wants; without it fewer */

static void engine_and_oracle_agree_on_every_picked_scenario(void **state)
{
    struct twin_tally tally = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct twin_case c = {
            .name = cases[i].name, .text = cases[i].text, .repeat = "./dev test twin", .threads_max = threads_max
        };
        (void)twin_run(&c, &tally);
    }
    twin_print_tally("picked scenarios", &tally);
    assert_int_equal(tally.refused, 0);
    assert_int_equal(tally.different, 0);
    assert_true(tally.drops > 1000 && tally.losses > 1000 && tally.marks > 1000 && tally.retransmissions > 1000 &&
                tally.duplicates > 1000 && tally.timeouts > 10 &&
                tally.tapped > 100000); /* or the scenarios show less than they claim */
}

struct draw {                    /* random scenarios */
    const char *title, *options; /* options: of twin_soak, to see one of them again */
    const char *const *set;
    uint32_t count, all;              /* seeds 1 to this; with draw_all */
    uint64_t slow;                    /* a seed that takes many seconds: with draw_all alone; 0 = none */
    bool fabric, queues, jobs, graph; /* what is added to each, of the same seed */
    enum twin_kind kind;
    struct twin_cover *cover;
};

static struct twin_tally agree_on(const struct draw *d)
{
    struct twin_tally tally = { 0 };
    char text[TWIN_TEXT_MAX], name[64], repeat[128];
    const uint32_t count = draw_all ? d->all : d->count;
    (void)printf("%s of seeds 1 to %" PRIu32 "\n", d->title, count);
    for (uint64_t seed = 1; seed <= count; seed++) {
        if (seed == d->slow && !draw_all)
            continue;
        struct twin_case c = { .name = name,
                               .text = text,
                               .repeat = repeat,
                               .set = d->set,
                               .threads_max = threads_max,
                               .fabric_seed = d->fabric ? seed : 0,
                               .queues_seed = d->queues ? seed : 0,
                               .jobs_seed = d->jobs ? seed : 0,
                               .graph_seed = d->graph ? seed : 0,
                               .refusals = (d->kind != TWIN_PLAIN && d->kind != TWIN_SHAPES) || d->graph,
                               .cover = d->cover };
        twin_draw(d->kind, seed, text, NULL);
        (void)snprintf(name, sizeof(name), "%s, seed %" PRIu64, d->title, seed);
        (void)snprintf(repeat, sizeof(repeat), "build/test/oracle/twin_soak --seed %" PRIu64 " --count 1%s", seed,
                       d->options);
        (void)twin_run(&c, &tally);
    }
    twin_print_tally(d->title, &tally);
    assert_true(tally.refused <= twin_refusals_max(d->graph ? TWIN_WHOLE : d->kind, count));
    assert_int_equal(tally.different, 0);
    return tally;
}

static void engine_and_oracle_agree_on_random_scenarios(void **state)
{
    (void)state;
    (void)agree_on(&(struct draw){ .title = "random scenarios", .options = "", .count = 4, .all = 16 });
}

/* Every protocol and switch feature of the registry must be among those that ran. */
static void engine_and_oracle_agree_on_whole_scenarios_of_the_registry(void **state)
{
    struct twin_cover cover = { 0 };
    (void)state;
    (void)agree_on(&(struct draw){ .title = "whole scenarios",
                                   .options = " --whole",
                                   .count = 120,
                                   .all = 120,
                                   .slow = 111,
                                   .kind = TWIN_WHOLE,
                                   .cover = &cover });
    assert_int_equal(twin_cover_print(&cover), 0);
    twin_cover_free(&cover);
}

/* Switches that have nothing to pause, then have, then have not. */
static void engine_and_oracle_agree_while_switches_change_their_way(void **state)
{
    (void)state;
    struct twin_tally tally = agree_on(&(struct draw){
        .title = "lossless networks", .options = " --lossless", .count = 11, .all = 20, .kind = TWIN_LOSSLESS });
    assert_true(tally.calm > 3000 && tally.handovers > 300); /* or nothing was tried */
}

/* Equal paths that differ from switch to switch. With spray a packet chooses at every switch. */
static void engine_and_oracle_agree_on_dragonflies_tori_planes_and_rails(void **state)
{
    static const char *const pull[] = { "host.nic_queue=pull", NULL };
    static const char *const kinds[] = { "kind: dragonfly", "kind: torus", "kind: planes", "kind: rail" };
    char text[TWIN_TEXT_MAX];
    bool seen[4] = { false };
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        twin_draw(TWIN_SHAPES, seed, text, NULL);
        for (uint32_t i = 0; i < 4; i++)
            seen[i] = seen[i] || strstr(text, kinds[i]) != NULL;
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    (void)agree_on(
        &(struct draw){ .title = "shapes", .options = " --shapes", .count = 5, .all = 40, .kind = TWIN_SHAPES });
    (void)agree_on(&(struct draw){ .title = "fabrics on shapes",
                                   .options = " --shapes --fabric --set host.nic_queue=pull",
                                   .set = pull,
                                   .count = 3,
                                   .all = 20,
                                   .fabric = true,
                                   .kind = TWIN_SHAPES });
}

/* Laws, classes and switches that write into packets of one law alone. */
static void engine_and_oracle_agree_on_several_laws(void **state)
{
    (void)state;
    (void)agree_on(
        &(struct draw){ .title = "several laws", .options = " --mixed", .count = 8, .all = 24, .kind = TWIN_MIXED });
}

/* Telemetry, PFC, notices of switches and scaled ramps, thrown at the same random scenarios. */
static void engine_and_oracle_agree_on_random_fabrics(void **state)
{
    static const char *const pull[] = { "host.nic_queue=pull", NULL };
    (void)state;
    (void)agree_on(&(struct draw){ .title = "random fabrics",
                                   .options = " --fabric --set host.nic_queue=pull",
                                   .set = pull,
                                   .count = 5,
                                   .all = 16,
                                   .fabric = true });
}

/* Queueing delays told to senders, at ports of every kind. */
static void engine_and_oracle_agree_on_random_queueing(void **state)
{
    (void)state;
    (void)agree_on(&(struct draw){
        .title = "random queueing", .options = " --queues", .count = 8, .all = 10, .slow = 4, .queues = true });
}

/* Flows that wait for others, and weights that change, on all of that. */
static void engine_and_oracle_agree_on_random_jobs(void **state)
{
    (void)state;
    struct twin_tally tally =
        agree_on(&(struct draw){ .title = "random jobs", .options = " --jobs", .count = 4, .all = 12, .jobs = true });
    assert_true(tally.flows > 160); /* or they hardly began */
}

/* Any network: parallel cables, unlike directions, links between switches of one group of the engine's. */
static void engine_and_oracle_agree_on_random_graphs(void **state)
{
    static const char *const pull[] = { "host.nic_queue=pull", NULL };
    (void)state;
    (void)agree_on(
        &(struct draw){ .title = "random graphs", .options = " --graph", .count = 5, .all = 16, .graph = true });
    struct twin_tally tally = agree_on(&(struct draw){ .title = "random fabrics on random graphs",
                                                       .options = " --graph --fabric --set host.nic_queue=pull",
                                                       .set = pull,
                                                       .count = 4,
                                                       .all = 8,
                                                       .fabric = true,
                                                       .graph = true });
    assert_true(tally.pauses > 500);
}

/* test_twin [--all] [--threads 1..3] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_and_oracle_agree_on_every_picked_scenario),
        cmocka_unit_test(engine_and_oracle_agree_on_random_scenarios),
        cmocka_unit_test(engine_and_oracle_agree_on_whole_scenarios_of_the_registry),
        cmocka_unit_test(engine_and_oracle_agree_while_switches_change_their_way),
        cmocka_unit_test(engine_and_oracle_agree_on_dragonflies_tori_planes_and_rails),
        cmocka_unit_test(engine_and_oracle_agree_on_several_laws),
        cmocka_unit_test(engine_and_oracle_agree_on_random_fabrics),
        cmocka_unit_test(engine_and_oracle_agree_on_random_queueing),
        cmocka_unit_test(engine_and_oracle_agree_on_random_jobs),
        cmocka_unit_test(engine_and_oracle_agree_on_random_graphs),
    };
    draw_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    if (argc - draw_all == 3 && strcmp(argv[1 + draw_all], "--threads") == 0)
        threads_max = (uint32_t)(argv[2 + draw_all][0] - '0');
    return cmocka_run_group_tests_name("oracle/twin", tests, NULL, NULL);
}
