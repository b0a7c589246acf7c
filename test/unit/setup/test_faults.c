/* test/unit/setup/test_faults.c - scenarios of many kinds are read, set up, run and reported, while each allocation and each thread
 * fails once. Then the sentence is of memory, and all is freed; or the result is the same as with it, or says that samples are missing. */
#include "test/unit/fault.h"
#include "engine/sim.h"
#include "output/report.h"
#include "setup/setup.h"
#include "solve/offered.h"
#include <errno.h>

enum { TEXT = 1 << 20 };

static uint32_t threads;     /* of the run: with one, each run makes the same calls */
static const char *scenario; /* a file, or a text that begins with "topology:" */
static uint64_t digest;      /* of the first run; 0 = there was none yet */

static int read_scenario(struct weir_scenario *scn, struct weir_err *err)
{
    static const struct weir_override set[] = { { .text = "run.warmup=0 us" }, { .text = "run.measure=20 us" } };
    if (strncmp(scenario, "topology:", 9) == 0)
        return weir_scenario_parse(scn, "scenario", scenario, strlen(scenario), set, 2, err);
    return weir_scenario_load(scn, scenario, set, 2, err);
}

/* Runs what was set up, and prints what came of it. */
static int run(struct weir_setup *setup, struct weir_findings *findings, struct weir_err *err)
{
    static char text[TEXT];
    const struct weir_sim_options options = { .threads = threads, .detail = true, .links = true, .causes = true };
    struct weir_result result;
    struct weir_report report;
    int code = weir_sim_run(&setup->model, &options, &result, err);
    if (code == 0) {
        FILE *out = fmemopen(text, sizeof(text), "w");
        assert_non_null(out);
        weir_report_make(&report, setup, &result, findings);
        weir_report_json(out, &report);
        weir_report_table(out, &report);
        assert_int_equal(fclose(out), 0);
        if (digest == 0)
            digest = result.digest;
        assert_int_equal(result.digest, digest);
    }
    weir_result_free(&result);
    return code;
}

static int set_up_and_run(struct weir_err *err)
{
    static struct weir_scenario scn;
    static struct weir_setup setup;
    static struct weir_findings findings;
    struct weir_offered offered;
    int code = read_scenario(&scn, err);
    findings = (struct weir_findings){ 0 };
    if (code != 0)
        return code;
    code = weir_setup_init(&setup, &scn, err);
    if (code == 0) {
        code = weir_offered_find(&offered, &setup, err);
        if (code == 0)
            weir_findings_offered(&findings, &offered, &setup.topo);
        if (code == 0)
            code = run(&setup, &findings, err);
        weir_setup_free(&setup);
    }
    weir_scenario_free(&scn);
    return code;
}

static void without_memory_a_scenario_is_refused_or_right(void **state)
{
    static const struct fault_row rows[] = {
        { "malloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "realloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "mmap64", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
    };
    static const char *const scenarios[] = {
        "test/golden/trace.yaml",        "test/golden/causes.yaml", "test/golden/lanes.yaml",
        "test/golden/hpcc.yaml",         "test/golden/homa.yaml",   "test/golden/weighted-queues.yaml",
        "test/golden/soze-classes.yaml",
    };
    (void)state;
    threads = 1;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        scenario = scenarios[i];
        digest = 0;
        assert_faults(set_up_and_run, rows);
    }
}

static void without_a_thread_a_run_is_refused(void **state)
{
    static const struct fault_row rows[] = {
        { "pthread_create", 1, EAGAIN, WEIR_E_MEMORY, "the system gives no more than 1 thread" },
        { "pthread_create", 2, EAGAIN, WEIR_E_MEMORY, "the system gives no more than 2 threads" },
    };
    (void)state;
    threads = 3;
    scenario = "test/golden/causes.yaml";
    digest = 0;
    assert_faults(set_up_and_run, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_thread_a_run_is_refused),
        cmocka_unit_test(without_memory_a_scenario_is_refused_or_right),
    };
    return cmocka_run_group_tests_name("setup/faults", tests, NULL, NULL);
}
