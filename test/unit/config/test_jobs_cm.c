/* test/unit/config/test_jobs_cm.c - htsim's triggers as flows that wait for others. */
#include "test/unit/refusal.h"
#include "config/jobs_file.h"
#include "core/units.h"
#include <stdio.h>

static const struct weir_tok where = { .file = "s.yaml", .line = 5, .col = 3 };
static struct weir_jobs jobs;
static struct weir_err err;

static int teardown(void **state)
{
    (void)state;
    weir_jobs_free(&jobs);
    return 0;
}

static int load(const char *text, uint32_t unit, uint64_t start_ps, char *name)
{
    struct weir_traffic_config item = { .kind = WEIR_TRAFFIC_JOBS, .start_unit = unit, .start_ps = start_ps };
    const struct weir_workload_limits limits = { .hosts = 16, .seed = 1, .base_dir = "/dev/fd" };
    FILE *file = tmpfile();
    weir_jobs_free(&jobs);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
    (void)snprintf(item.file, sizeof(item.file), "%d", fileno(file));
    (void)snprintf(name, WEIR_TEXT_MAX, "%s", item.file);
    int code = weir_jobs_load(&jobs, &item, 1, &limits, &where, &err);
    (void)fclose(file);
    return code;
}

#define HEAD(flows, triggers) "Nodes 16\nConnections " #flows "\nTriggers " #triggers "\n" /* lines 1 to 3 */

static void assert_waits(uint32_t flow, uint32_t count, uint32_t first)
{
    assert_int_equal(jobs.flow[flow].after_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(jobs.edge[jobs.flow[flow].after_first + i], first + i);
}

static void flows_wait_for_those_that_fire_their_trigger(void **state)
{
    char name[WEIR_TEXT_MAX];
    (void)state;
    if (load(HEAD(5, 2) "trigger id 7 barrier count 2\n"
                        "0->1 id 1 start 3 size 10 send_done_trigger 7\n"
                        "2->3 id 2 start 4 size 20 recv_done_trigger 7\n"
                        "1->0 id 3 trigger 7 size 30\n"
                        "3->2 id 4 trigger 7 size 40 send_done_trigger 9\n"
                        "5->6 id 5 trigger 9 size 50\n"
                        "trigger id 9 oneshot\n",
             WEIR_START_UNIT_NS, WEIR_PS_PER_US, name) != 0)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    assert_int_equal(jobs.job_count, 1);
    assert_string_equal(jobs.job[0].name, name);
    assert_int_equal(jobs.coflow_count, 1);
    assert_int_equal(jobs.flow_count, 5);
    assert_string_equal(jobs.flow_name[0], "line 5");
    assert_int_equal(jobs.flow[0].start_ps, WEIR_PS_PER_US + 3000); /* the item's start comes on top */
    assert_int_equal(jobs.flow[1].start_ps, WEIR_PS_PER_US + 4000);
    assert_int_equal(jobs.flow[2].start_ps, 0); /* at once when those it waits for have ended */
    assert_waits(0, 0, 0);
    assert_waits(2, 2, 0);
    assert_waits(3, 2, 0);
    assert_waits(4, 1, 3);
    assert_int_equal(jobs.flow[4].bytes, 50);
}

/* One that fires a trigger twice, by send_done and recv_done, is waited for once, and counts twice, as in htsim. */
static void a_flow_may_fire_a_trigger_at_both_its_ends(void **state)
{
    char name[WEIR_TEXT_MAX];
    (void)state;
    assert_int_equal(load(HEAD(2, 1) "0->1 id 1 start 0 size 1 send_done_trigger 2 recv_done_trigger 2\n"
                                     "1->0 id 2 trigger 2 size 1\ntrigger id 2 barrier count 2\n",
                          WEIR_START_UNIT_NONE, 0, name),
                     0);
    assert_waits(1, 1, 0);
}

struct refusal {
    const char *text, *key;
    uint32_t line;
    enum weir_err_code code;
};

static void triggers_that_depend_on_the_order_of_ends_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        { HEAD(1, 0) "0->1 id 1 trigger 3 size 1\n", "trigger 3", 4, WEIR_E_UNKNOWN },
        { HEAD(1, 1) "0->1 id 1 trigger 3 size 1\ntrigger id 3 oneshot\n", "trigger 3", 5, WEIR_E_CONFLICT },
        { HEAD(3, 1) "0->1 start 0 size 1 send_done_trigger 3\n0->2 start 0 size 1 send_done_trigger 3\n"
                     "1->2 id 1 trigger 3 size 1\ntrigger id 3 oneshot\n",
          "trigger 3", 7, WEIR_E_CONFLICT },
        { HEAD(2, 1) "0->1 start 0 size 1 send_done_trigger 3\n1->2 id 1 trigger 3 size 1\n"
                     "trigger id 3 barrier count 2\n",
          "trigger 3", 6, WEIR_E_CONFLICT },
        { HEAD(3, 1) "0->1 start 0 size 1 send_done_trigger 3\n0->2 start 0 size 1 send_done_trigger 3\n"
                     "1->2 id 1 trigger 3 size 1\ntrigger id 3 barrier count 1\n",
          "trigger 3", 7, WEIR_E_CONFLICT },
        { HEAD(3, 1) "0->1 start 0 size 1 send_done_trigger 3\n1->2 id 1 trigger 3 size 1\n"
                     "1->3 id 1 trigger 3 size 1\ntrigger id 3 multishot\n",
          "trigger 3", 7, WEIR_E_CONFLICT },
        { HEAD(2, 2) "0->1 id 1 trigger 1 size 1 send_done_trigger 2\n1->2 id 2 trigger 2 size 1 send_done_trigger 1\n"
                     "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
          "cycle", 4, WEIR_E_CONFLICT },
    };
    char name[WEIR_TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        int code = load(refusals[i].text, WEIR_START_UNIT_NONE, 0, name);
        assert_refusal(&err, refusals[i].code, NULL, i == 6 ? "" : refusals[i].key);
        assert_int_equal(code, refusals[i].code);
        assert_string_equal(err.file, name);
        assert_int_equal(err.line, refusals[i].line);
        assert_int_equal(jobs.flow_count, 0);
    }
}

static void a_unit_is_only_for_matrices(void **state)
{
    char name[WEIR_TEXT_MAX];
    (void)state;
    assert_int_equal(load("jobs: []\n", WEIR_START_UNIT_US, 0, name), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "s.yaml:5:3", "start_unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(flows_wait_for_those_that_fire_their_trigger, teardown),
        cmocka_unit_test_teardown(a_flow_may_fire_a_trigger_at_both_its_ends, teardown),
        cmocka_unit_test_teardown(triggers_that_depend_on_the_order_of_ends_are_refused, teardown),
        cmocka_unit_test_teardown(a_unit_is_only_for_matrices, teardown),
    };
    return cmocka_run_group_tests_name("config/jobs_cm", tests, NULL, NULL);
}
