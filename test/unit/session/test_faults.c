/* test/unit/session/test_faults.c - a session is opened, driven, saved, restored and closed while each allocation, and each call for its
 * file, fails once: the call returns a code with a sentence, the session can be closed, and a file is whole or not there. */
#include "test/unit/fault.h"
#include "weir/sim.h"
#include <errno.h>
#include <unistd.h>

#define US UINT64_C(1000000)

static const char text[] = "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 1 us}\n"
                           "protocol: {name: soze}\n"
                           "fabric: {maxqd: {}, cuttable: hosts}\n"
                           "traffic: [{kind: session, sizes: 30 KB, weights: 1..4}]\n"
                           "run: {warmup: 0 us, measure: all}\n";
static char folder[64], file[96];
static uint64_t digest; /* of the first run; 0 = there was none yet */

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-session-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(file, sizeof(file), "%s/saved.session", folder);
    digest = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(file);
    return rmdir(folder); /* fails if anything else is left */
}

/* Gives messages, a timer, a weight and a cut, and goes on to their end. @return 0, or the code of the first call that
 * failed */
static int drive(struct weir_sim *sim)
{
    uint64_t id[3] = { 0 };
    long count = 0;
    int code = 0;
    for (uint32_t i = 0; i < 3 && code == 0; i++)
        code = weir_sim_inject(sim,
                               &(struct weir_sim_message){ .size = sizeof(struct weir_sim_message),
                                                           .src = i,
                                                           .dst = (i + 1) % 3,
                                                           .bytes = 20000,
                                                           .start_ps = (5 + i) * US,
                                                           .weight = 2 },
                               &id[i]);
    if (code == 0)
        code = weir_sim_at(sim, 8 * US, 1);
    if (code == 0)
        code = weir_sim_host_at(sim, 1, 9 * US, 2);
    if (code == 0)
        code = weir_sim_cancel(sim, id[2]);
    if (code == 0)
        code = weir_sim_set_weight(sim, id[0], 7 * US, 3);
    if (code == 0)
        code = weir_sim_cut(sim, "host 1", 20 * US);
    if (code == 0)
        code = weir_sim_mend(sim, "host 1", 30 * US);
    while (code == 0 && (count = weir_sim_advance(sim, 10 * US, NULL)) > 0)
        continue;
    return code == 0 && count < 0 ? (int)count : code;
}

static int read_state(struct weir_sim *sim)
{
    struct weir_sim_snapshot snapshot = { .size = sizeof(snapshot) };
    const struct weir_sim_metric *metric;
    int code = weir_sim_snapshot(sim, &snapshot);
    long count = code == 0 ? weir_sim_result(sim, &metric) : 0;
    assert_true(code != 0 || count != 0);
    return count < 0 ? (int)count : code;
}

/* Closes a session. code: of what was done before. @return it, or what closing returns */
static int close_it(struct weir_sim *sim, int code, struct weir_sim_error *error)
{
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error last = { 0 };
    int closed;
    if (code != 0)
        *error = *weir_sim_error(sim);
    closed = weir_sim_close(sim, &counts, &last);
    if (code == 0 && closed != 0)
        *error = last;
    if (code == 0 && closed == 0) {
        digest = digest == 0 ? counts.digest : digest;
        assert_int_equal(counts.digest, digest);
    }
    return code != 0 ? code : closed;
}

static int failed(int code, const struct weir_sim_error *error, struct weir_err *err)
{
    bool lacks_memory = code == WEIR_SIM_E_MEMORY || strstr(error->text, "allocate memory") != NULL;
    assert_int_equal(error->code, code);
    assert_true(lacks_memory || code == WEIR_SIM_E_FILE);
    return weir_fail(err, lacks_memory ? WEIR_E_MEMORY : WEIR_E_FILE, NULL, NULL, "%s", error->text);
}

static struct weir_sim_opts options(void)
{
    return (struct weir_sim_opts){ .size = sizeof(struct weir_sim_opts), .record = 1 };
}

static int drive_and_save(struct weir_err *err)
{
    struct weir_sim_opts opts = options();
    struct weir_sim_error error = { 0 };
    struct weir_sim *sim;
    int code;
    fault_pause(true);
    (void)unlink(file);
    fault_pause(false);
    sim = weir_sim_open(text, strlen(text), &opts, &error);
    if (sim == NULL)
        return failed(error.code, &error, err);
    code = drive(sim);
    if (code == 0)
        code = read_state(sim);
    if (code == 0) {
        code = weir_sim_save(sim, file);
        assert_int_equal(access(file, F_OK) == 0, code == 0);
    }
    if (code == 0)
        code = weir_sim_end(sim);
    code = close_it(sim, code, &error);
    return code == 0 ? 0 : failed(code, &error, err);
}

static void without_memory_or_a_file_a_call_says_so(void **state)
{
    static const struct fault_row rows[] = {
        { "malloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "realloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "open64", 1, EACCES, WEIR_E_FILE | FAULT_OR_DONE, "Permission denied" },
        { "fflush", 1, ENOSPC, WEIR_E_FILE, "No space left on device" },
        { "rename", 1, EXDEV, WEIR_E_FILE, "cannot be put into its place" },
    };
    (void)state;
    assert_faults(drive_and_save, rows);
}

static int restore(struct weir_err *err)
{
    struct weir_sim_opts opts = options();
    struct weir_sim_error error = { 0 };
    struct weir_sim *sim;
    int code = weir_sim_restore(file, &opts, &sim, &error);
    if (sim != NULL) {
        struct weir_sim_error ignored;
        (void)close_it(sim, 0, &ignored);
    }
    return code == 0 ? 0 : failed(code, &error, err);
}

static void without_memory_or_a_file_nothing_is_restored(void **state)
{
    static const struct fault_row rows[] = {
        { "malloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "realloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "open64", 1, EACCES, WEIR_E_FILE | FAULT_OR_DONE, "Permission denied" },
    };
    struct weir_err err;
    (void)state;
    assert_int_equal(drive_and_save(&err), 0);
    assert_faults(restore, rows);
}

/* A run that met an error can only be closed: each call says so, and keeps the sentence of what it met. */
static void after_a_failure_a_session_can_only_be_closed(void **state)
{
    static const char *const calls[] = { "calloc", "realloc", "malloc" };
    uint32_t failures = 0;
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t nth = 1; nth <= 40; nth++) {
            struct weir_sim_opts opts = options();
            struct weir_sim_error error;
            struct weir_sim_snapshot snapshot = { .size = sizeof(snapshot) };
            struct weir_sim_message message = { .size = sizeof(message), .dst = 1, .bytes = 1 };
            const struct weir_sim_metric *metric;
            struct weir_sim *sim = weir_sim_open(text, strlen(text), &opts, &error);
            assert_non_null(sim);
            fault_set(calls[i], nth, ENOMEM);
            (void)drive(sim);
            fault_clear();
            message.start_ps = weir_sim_floor(sim);
            if (weir_sim_inject(sim, &message, NULL) == WEIR_SIM_E_RUN) {
                char said[sizeof(error.text)];
                (void)snprintf(said, sizeof(said), "%s", weir_sim_error(sim)->text);
                failures++;
                assert_int_equal(weir_sim_advance(sim, WEIR_SIM_NEVER, NULL), WEIR_SIM_E_RUN);
                assert_int_equal(weir_sim_snapshot(sim, &snapshot), WEIR_SIM_E_RUN);
                assert_int_equal(weir_sim_result(sim, &metric), WEIR_SIM_E_RUN);
                assert_int_equal(weir_sim_save(sim, file), WEIR_SIM_E_RUN);
                assert_int_equal(weir_sim_cut(sim, "host 1", weir_sim_floor(sim)), WEIR_SIM_E_RUN);
                assert_string_equal(weir_sim_error(sim)->text, said);
            }
            (void)weir_sim_close(sim, NULL, NULL);
        }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_memory_or_a_file_a_call_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(after_a_failure_a_session_can_only_be_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_or_a_file_nothing_is_restored, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("session/faults", tests, NULL, NULL);
}
