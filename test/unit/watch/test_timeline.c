/* test/unit/watch/test_timeline.c - timelines: how they are read and written, and that runs with them are exactly the
 * runs whose scenarios say the same beforehand. */
#include "watch/timeline.h"
#include "engine/sim.h"
#include "session/drive.h"
#include "test/unit/weir_test.h"
#include "workload/jobs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US UINT64_C(1000000)

/* ---- reading and writing ---- */

static char folder[] = "/tmp/weir-timeline-XXXXXX", file[64], jobs_file[64];

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static struct weir_timeline read_timeline(const char *text)
{
    struct weir_timeline t;
    struct weir_err err = { 0 };
    write_file(file, text);
    if (weir_timeline_read(&t, file, &err) != 0)
        fail_msg("%u:%u: %s", err.line, err.col, err.text);
    return t;
}

static void refuses(const char *text, uint32_t line, uint32_t column, const char *why)
{
    struct weir_timeline t;
    struct weir_err err = { 0 };
    write_file(file, text);
    assert_int_not_equal(weir_timeline_read(&t, file, &err), 0);
    assert_string_equal(err.text, why);
    assert_string_equal(err.file, file);
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, column);
    assert_null(t.action);
}

static void lines_are_read(void **state)
{
    struct weir_timeline t = read_timeline("# what was done\n"
                                           "500 us cut leaf 0 - spine 1 #2 \r\n\n"
                                           "500us\thold  leaf 0 - spine 1\n"
                                           "500.000001 us mend host 3\n"
                                           "1 ms weight 0.5 host 3 message 12\n"
                                           "1.5 ms weight 1000000 a job/its flow\n");
    (void)state;
    assert_int_equal(t.count, 5);
    assert_int_equal(t.action[0].at_ps, 500 * US);
    assert_int_equal(t.action[0].kind, WEIR_ACTION_CUT);
    assert_string_equal(t.action[0].name, "leaf 0 - spine 1 #2");
    assert_int_equal(t.action[0].line, 2);
    assert_int_equal(t.action[0].column, 12);
    assert_int_equal(t.action[1].at_ps, 500 * US);
    assert_int_equal(t.action[1].kind, WEIR_ACTION_HOLD);
    assert_int_equal(t.action[2].at_ps, 500 * US + 1);
    assert_int_equal(t.action[2].kind, WEIR_ACTION_MEND);
    assert_string_equal(t.action[2].name, "host 3");
    assert_int_equal(t.action[3].kind, WEIR_ACTION_WEIGHT);
    assert_int_equal(t.action[3].weight_q20, WEIR_WEIGHT_ONE / 2);
    assert_int_equal(t.action[3].message, UINT64_C(3) << 40 | 12);
    assert_int_equal(t.action[4].weight_q20, WEIR_WEIGHT_MAX);
    assert_int_equal(t.action[4].message, WEIR_NEVER);
    assert_string_equal(t.action[4].name, "a job/its flow");
    weir_timeline_free(&t);
}

static void times_may_be_equal_and_not_go_back(void **state)
{
    struct weir_timeline t = read_timeline("2 us cut spine 0\n2 us mend spine 0\n2.000001 us cut spine 0\n");
    (void)state;
    assert_int_equal(t.count, 3);
    assert_int_equal(t.action[2].at_ps, 2 * US + 1);
    weir_timeline_free(&t);
    refuses("2 us cut spine 0\n\n1.999999 us mend spine 0\n", 3, 1, "times must not go back");
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    refuses("soon cut spine 0\n", 1, 1, "'soon': a line begins with a time");
    refuses("5 cut spine 0\n", 1, 1, "'5 cut': a line begins with a time");
    refuses("5\n", 1, 1, "'5': a line begins with a time");
    refuses("5 KB cut spine 0\n", 1, 1, "'5 KB': a line begins with a time");
    refuses("0.1 ps cut spine 0\n", 1, 1, "'0.1 ps': a line begins with a time");
    refuses("4611686018427387904 ps cut spine 0\n", 1, 1, "'4611686018427387904 ps': a line begins with a time");
    refuses("5 us\n", 1, 1, "no action follows the time");
    refuses("5 us kut spine 0\n", 1, 6, "no action is named 'kut'");
    refuses("5 us cut  \n", 1, 1, "cut: what?");
    refuses("5 us weight\n", 1, 1, "weight: what?");
    refuses("5 us weight 2\n", 1, 1, "weight: what?");
    refuses("5 us weight 0.00099 host 0 message 1\n", 1, 13, "weight 0.00099: must be from 0.001 to 1000000");
    refuses("5 us weight 1000000.1 host 0 message 1\n", 1, 13, "weight 1000000.1: must be from 0.001 to 1000000");
    refuses("5 us weight x host 0 message 1\n", 1, 13, "weight x: must be from 0.001 to 1000000");
    refuses("5 us weight 2 host 16777216 message 1\n", 1, 20, "host = 16777216: at most 16777215");
}

static void what_is_written_is_read_again(void **state)
{
    struct weir_timeline t = read_timeline("0 s mend leaf 0 - spine 1\n"
                                           "3.246081 us cut leaf 0 - spine 1\n"
                                           "1 ms weight 0.333333333 host 7 message 1099511627775\n"
                                           "1 ms weight 3 host 0 message 0\n"
                                           "2 s weight 4.7 job/flow\n"),
                         again;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    weir_timeline_write(out, &t);
    assert_int_equal(fclose(out), 0);
    again = read_timeline(text);
    assert_int_equal(again.count, t.count);
    for (uint32_t i = 0; i < t.count; i++) {
        assert_int_equal(again.action[i].at_ps, t.action[i].at_ps);
        assert_int_equal(again.action[i].kind, t.action[i].kind);
        assert_int_equal(again.action[i].weight_q20, t.action[i].weight_q20);
        assert_int_equal(again.action[i].message, t.action[i].message);
        assert_string_equal(again.action[i].name, t.action[i].name);
    }
    free(text);
    weir_timeline_free(&t);
    weir_timeline_free(&again);
}

/* ---- runs ---- */

/* Runs a file with a timeline. @return 0, or the code with err */
static int run_file(const char *scenario, struct weir_timeline *t, uint32_t threads, uint64_t *digest,
                    struct weir_err *err)
{
    struct weir_scenario *scn = calloc(1, sizeof(*scn));
    struct weir_setup *setup = calloc(1, sizeof(*setup));
    struct weir_result result = { 0 };
    const struct weir_sim_options options = { .threads = threads };
    int code;
    assert_non_null(scn);
    assert_non_null(setup);
    if ((code = weir_timeline_load(t, scn, scenario, NULL, 0, err)) == 0) {
        if ((code = weir_setup_init(setup, scn, err)) == 0) {
            code = weir_timeline_check(t, setup, err);
            if (code == 0)
                code = weir_timeline_run(t, setup, &options, &result, err);
            weir_setup_free(setup);
        }
        weir_scenario_free(scn);
    }
    *digest = result.digest;
    weir_result_free(&result);
    free(setup);
    free(scn);
    return code;
}

static uint64_t digest_of(const char *scenario, const char *timeline, uint32_t threads)
{
    struct weir_timeline t = read_timeline(timeline);
    struct weir_err err = { 0 };
    uint64_t digest = 0;
    char yaml[80];
    (void)snprintf(yaml, sizeof(yaml), "%s.yaml", file);
    write_file(yaml, scenario);
    if (run_file(yaml, &t, threads, &digest, &err) != 0)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    weir_timeline_free(&t);
    assert_int_equal(unlink(yaml), 0);
    return digest;
}

static void cannot_run(const char *scenario, const char *timeline, uint32_t line, const char *why)
{
    struct weir_timeline t = read_timeline(timeline);
    struct weir_err err = { 0 };
    uint64_t digest;
    char yaml[80];
    (void)snprintf(yaml, sizeof(yaml), "%s.yaml", file);
    write_file(yaml, scenario);
    assert_int_not_equal(run_file(yaml, &t, 1, &digest, &err), 0);
    assert_string_equal(err.text, why);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, file);
    weir_timeline_free(&t);
    assert_int_equal(unlink(yaml), 0);
}

#define LEAVES                                                                                                         \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, "           \
    "host_delay: 1 us}\nprotocol: dctcp\ntraffic: [{kind: poisson, sizes: wkc, load: 50%}]\n"
#define UNTIL "run: {warmup: 50 us, measure: 350 us}\n"

static void cables_change_as_by_events_of_the_scenario(void **state)
{
    static const char timeline[] = "100 us cut leaf 0 - spine 1\n100 us hold leaf 1 - spine 0\n"
                                   "200 us mend leaf 0 - spine 1\n210 us mend leaf 1 - spine 0\n";
    static const char events[] = LEAVES
        "fabric: {reroute_delay: 20 us, events: [{at: 100 us, cable: leaf 0 - spine 1, state: down}, "
        "{at: 100 us, cable: leaf 1 - spine 0, state: down, queue: wait}, "
        "{at: 200 us, cable: leaf 0 - spine 1, state: up}, {at: 210 us, cable: leaf 1 - spine 0, state: up}]}\n" UNTIL;
    static const char plain[] = LEAVES "fabric: {reroute_delay: 20 us}\n" UNTIL;
    uint64_t as_events = digest_of(events, "", 1);
    (void)state;
    assert_true(as_events != digest_of(plain, "", 1)); /* the events matter */
    for (uint32_t threads = 1; threads <= 3; threads++)
        assert_int_equal(digest_of(plain, timeline, threads), as_events);
}

static void weights_change_as_by_those_of_a_job(void **state)
{
    static const char scenario[] = "topology: {kind: star, hosts: 4, host_link: 25 Gbps, host_delay: 1 us}\n"
                                   "protocol: soze\ntraffic: [{kind: jobs, file: jobs.yaml}]\n"
                                   "run: {warmup: 0 us, measure: all}\n";
    static const char jobs[] = "jobs:\n  - name: j\n    flows:\n      - {name: a, from: 0, to: 3, size: 2 MB%s}\n"
                               "      - {name: b, from: 1, to: 3, size: 2 MB}\n";
    char text[256];
    uint64_t as_job;
    (void)state;
    (void)snprintf(text, sizeof(text), jobs, ", weights: [{at: 300 us, weight: 3}]");
    write_file(jobs_file, text);
    as_job = digest_of(scenario, "", 1);
    (void)snprintf(text, sizeof(text), jobs, "");
    write_file(jobs_file, text);
    assert_true(digest_of(scenario, "", 1) != as_job);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        assert_int_equal(digest_of(scenario, "300 us weight 3 j/a\n", threads), as_job);
        assert_int_equal(digest_of(scenario, "300 us weight 3 host 0 message 0\n", threads), as_job);
    }
    /* changes of either kind, so close that one is given early: nothing is cut, as the host is idle */
    assert_int_equal(digest_of(scenario, "300 us weight 3 j/a\n301 us cut host 2\n", 1), as_job);
    assert_int_equal(digest_of(scenario, "299 us cut host 2\n300 us weight 3 j/a\n", 1), as_job);
    /* one that has ended keeps its weight */
    assert_int_equal(digest_of(scenario, "300 us weight 3 j/a\n1300 us weight 5 j/a\n", 1), as_job);
    assert_int_equal(digest_of(scenario, "300 us weight 3 j/a\n1300 us weight 5 host 0 message 0\n", 1), as_job);
    cannot_run(scenario, "1 us cut host 9\n", 1, "no cable, switch or host has the name 'host 9'");
    cannot_run(scenario, "1 us hold host 2\n", 1,
               "hold: 'host 2' is no cable, and has no queue in which packets could wait");
    cannot_run(scenario, "1 us weight 3 j/c\n", 1, "no flow of a job has the name 'j/c'");
    cannot_run(scenario, "1 us weight 3 k/a\n", 1, "no flow of a job has the name 'k/a'");
    cannot_run(scenario, "1 us weight 3 host 4 message 0\n", 1, "host 4: the topology has hosts 0 to 3");
    cannot_run(scenario, "1 us weight 3 host 0 message 0\n1 us weight 3 host 0 message 1\n", 2,
               "at 1 us this message has not started");
    cannot_run(scenario, "0 us weight 3 j/a\n", 1, "at 0 ps this message has not started");
}

static void what_is_announced_alone_changes_no_digest(void **state)
{
    static const char *const name[] = { "leaf-spine", "homa", "dcqcn-pfc", "collective" };
    (void)state;
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        struct weir_timeline none = { 0 }, t = read_timeline("4 us mend host 0\n");
        struct weir_err err = { 0 };
        uint64_t plain = 0, announced = 0;
        char path[64];
        (void)snprintf(path, sizeof(path), "test/golden/%s.yaml", name[i]);
        assert_int_equal(run_file(path, &none, 1, &plain, &err), 0);
        if (run_file(path, &t, 1, &announced, &err) != 0)
            fail_msg("%s: %s", name[i], err.text);
        assert_int_equal(announced, plain);
        weir_timeline_free(&t);
    }
}

static void the_weight_that_a_message_has_changes_nothing(void **state)
{
    static const char scenario[] = "topology: {kind: star, hosts: 4, host_link: 25 Gbps, host_delay: 1 us}\n"
                                   "protocol: %s\ntraffic: [{kind: incast, to: 3, fan_in: 3, size: 200 KB, "
                                   "period: 200 us}]\nhost: {nic_schedule: %s}\nrun: {warmup: 0 us, measure: 600 us}\n";
    static const char *const of[][2] = { { "soze", "round-robin" }, { "dctcp", "weighted" } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), scenario, of[i][0], of[i][1]);
        assert_int_equal(digest_of(text, "210 us weight 1 host 0 message 0\n", 1), digest_of(text, "", 1));
    }
}

static void times_lie_within_the_run(void **state)
{
    static const char scenario[] = LEAVES UNTIL, done[] = "topology: {kind: star, hosts: 4, host_link: 100 Gbps, "
                                                          "host_delay: 1 us}\nprotocol: dctcp\ntraffic: "
                                                          "[{kind: permutation, size: 1 MB}]\n"
                                                          "run: {warmup: 0 us, measure: all}\n";
    uint64_t plain = digest_of(done, "", 1);
    (void)state;
    (void)digest_of(scenario, "399.999999 us mend host 0\n", 1);
    cannot_run(scenario, "400 us mend host 0\n", 1, "400 us is not before the end of the run, which is at 400 us");
    /* the lead of this network: two frames of telemetry's most on a cable, and three delays */
    cannot_run(scenario, "3.24608 us mend host 0\n", 1,
               "3.24608 us is too early: a cable of this network can change at 3.246081 us");
    (void)digest_of(scenario, "3.246081 us mend host 0\n", 1);
    assert_int_equal(digest_of(done, "95.72064 us mend host 0\n", 1), plain);
    /* all has ended long before, and the run goes on to its end */
    (void)digest_of(
        "topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}\nprotocol: dctcp\ntraffic: "
        "[{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: 200 us}\n",
        "150 us cut host 0\n199 us mend host 0\n", 1);
    cannot_run(done, "50 us mend host 0\n95.720641 us mend host 0\n", 2, "95.720641 us is after the end of the run");
    cannot_run(done, "1 s mend host 0\n", 1, "1 s is after the end of the run");
}

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(file, sizeof(file), "%s/timeline", folder);
    (void)snprintf(jobs_file, sizeof(jobs_file), "%s/jobs.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char yaml[80];
    (void)state;
    (void)snprintf(yaml, sizeof(yaml), "%s.yaml", file);
    (void)unlink(yaml);
    (void)unlink(file);
    (void)unlink(jobs_file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(times_may_be_equal_and_not_go_back),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(cables_change_as_by_events_of_the_scenario),
        cmocka_unit_test(weights_change_as_by_those_of_a_job),
        cmocka_unit_test(what_is_announced_alone_changes_no_digest),
        cmocka_unit_test(the_weight_that_a_message_has_changes_nothing),
        cmocka_unit_test(times_lie_within_the_run),
    };
    return cmocka_run_group_tests_name("watch/timeline", tests, make_folder, remove_folder);
}
