/* test/unit/kernel/test_tcp.c - what `weir tcp replay` and `weir tcp audit` print and return. The kernel's log is that of
 * the tests: the functions that read it are wrapped (see meson.build). */
#include "test/unit/weir_test.h"
#include "bpf/law_replay.h"
#include "kernel/tcp.h"
#include "kernel/tools.h"
#include "text/print.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* No folder has this inode, so the cgroup is printed as its number. */
#define CGROUP UINT64_C(18446744073709551000)
#define CGROUP_TEXT "18446744073709551000"

static struct weir_replay_result replayed;
static uint32_t refusing; /* processes of the audit log, each refused once */
static uint64_t unlogged;
static int law_code; /* of weir_law_status() */
static int64_t used_milli;
static char printed[8192];

int __wrap_weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                              struct weir_replay_result *result, struct weir_err *err);
int __wrap_weir_audit_kernel(const char *law, uint64_t for_ps, const volatile int *stop, weir_audit_row *row,
                             void *context, struct weir_err *err);
int __wrap_weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err);
bool __wrap_weir_law_next_budget(const char *law, uint64_t *cgroup, struct weir_tcp_budget *budget);

int __wrap_weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                              struct weir_replay_result *result, struct weir_err *err)
{
    (void)for_ps, (void)stop, (void)err;
    assert_string_equal(law, "soze");
    assert_null(csv);
    *result = replayed;
    return 0;
}

int __wrap_weir_audit_kernel(const char *law, uint64_t for_ps, const volatile int *stop, weir_audit_row *row,
                             void *context, struct weir_err *err)
{
    (void)law, (void)for_ps, (void)stop, (void)err;
    row(context, &(struct weir_tcp_weight_event){ .cgroup = CGROUP, .pid = 1 });
    for (uint32_t i = 0; i < refusing; i++)
        row(context, &(struct weir_tcp_weight_event){ .cgroup = CGROUP, .pid = i + 1, .refused = 1 });
    return 0;
}

int __wrap_weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err)
{
    (void)law, (void)err;
    *loaded = (struct weir_law_loaded){ .counts = { .unlogged = unlogged } };
    return law_code;
}

/* One cgroup with a limit, and one that has none any more. */
bool __wrap_weir_law_next_budget(const char *law, uint64_t *cgroup, struct weir_tcp_budget *budget)
{
    (void)law;
    if (*cgroup == CGROUP + 1)
        return false;
    *budget = (struct weir_tcp_budget){ .limit_milli = *cgroup == 0 ? 20000 : UINT64_MAX, .used_milli = used_milli };
    *cgroup = *cgroup == 0 ? CGROUP : CGROUP + 1;
    return true;
}

static int begin(void **state)
{
    (void)state;
    replayed = (struct weir_replay_result){ .events = 12345, .flows = 2, .skipped = 3 };
    refusing = 0;
    unlogged = 0;
    law_code = 0;
    used_milli = 1500;
    return 0;
}

/* Calls `weir tcp`; printed[] gets what it prints. @return its exit status */
static int tcp(const char *verb, const char *law)
{
    char words[3][16] = { "tcp" }, *argv[] = { words[0], words[1], words[2], NULL };
    FILE *out = tmpfile();
    int home, status;
    size_t length;
    bool help = false;
    assert_non_null(out);
    (void)snprintf(words[1], sizeof(words[1]), "%s", verb);
    (void)snprintf(words[2], sizeof(words[2]), "%s", law != NULL ? law : "");
    (void)fflush(stdout);
    home = dup(STDOUT_FILENO);
    assert_true(home >= 0 && dup2(fileno(out), STDOUT_FILENO) >= 0);
    status = weir_kernel_tcp(law != NULL ? 3 : 2, argv, &help);
    (void)fflush(stdout);
    assert_true(dup2(home, STDOUT_FILENO) >= 0);
    (void)close(home);
    rewind(out);
    length = fread(printed, 1, sizeof(printed) - 1, out);
    printed[length] = '\0';
    (void)fclose(out);
    return status;
}

static bool prints(const char *text)
{
    return strstr(printed, text) != NULL;
}

static uint32_t lines_with(const char *text)
{
    uint32_t count = 0;
    for (const char *at = strstr(printed, text); at != NULL; at = strstr(at + 1, text))
        count++;
    return count;
}

/* ---- replay ---- */

static void a_replay_without_gaps_and_differences_has_two_lines(void **state)
{
    (void)state;
    assert_int_equal(tcp("replay", "soze"), WEIR_EXIT_DONE);
    assert_string_equal(printed, "events      12,345 of 2 flows, 3 of flows that began before\n"
                                 "different   0 answers\n");
}

static void gaps_are_printed_from_the_first_on(void **state)
{
    (void)state;
    for (uint64_t gaps = 0; gaps < 3; gaps++) {
        replayed.gaps = gaps;
        assert_int_equal(tcp("replay", "soze"), WEIR_EXIT_DONE); /* nothing is different */
        assert_int_equal(prints("gaps        1: "), gaps == 1);
        assert_int_equal(prints("gaps        2: "), gaps == 2);
        assert_int_equal(lines_with("gaps"), gaps > 0);
    }
}

static void one_different_answer_is_shown_and_is_a_failed_check(void **state)
{
    (void)state;
    replayed.first = (struct weir_tcp_event){ .flow = 7, .answer = { .rate_bps = 11, .cwnd_bytes = 22 } };
    replayed.here = (struct weir_cc){ .rate_bps = 33, .cwnd_bytes = 44 };
    for (uint64_t different = 0; different < 3; different++) {
        replayed.different = different;
        assert_int_equal(tcp("replay", "soze"), different > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE);
        assert_int_equal(prints("first       flow 7: the kernel's window is 22 B at 11 bit/s, here 44 B at 33 bit/s\n"),
                         different > 0);
    }
}

/* ---- audit ---- */

static void a_log_that_was_full_is_noted_from_the_first_request_on(void **state)
{
    (void)state;
    for (uint64_t lost = 0; lost < 3; lost++) {
        unlogged = lost;
        assert_int_equal(tcp("audit", NULL), WEIR_EXIT_DONE);
        assert_true(prints("log         1 requests, 0 of them refused\n"));
        assert_int_equal(lines_with("lost"), lost > 0);
        assert_int_equal(prints("lost        1 requests since it was loaded: the log was full\n"), lost == 1);
        assert_int_equal(prints("lost        2 requests"), lost == 2);
    }
    law_code = WEIR_E_UNKNOWN; /* it was unloaded meanwhile: its counters are not known */
    assert_int_equal(tcp("audit", NULL), WEIR_EXIT_DONE);
    assert_int_equal(lines_with("lost"), 0);
}

/* The sum of a budget has a sign. */
static void a_budget_that_is_used_by_less_than_nothing_is_not_used(void **state)
{
    static const char *const text[] = { "0.000", "0.000", "0.001" };
    char line[128];
    (void)state;
    for (int i = 0; i < 3; i++) {
        used_milli = i - 1;
        assert_int_equal(tcp("audit", NULL), WEIR_EXIT_DONE);
        (void)snprintf(line, sizeof(line), "budget      " CGROUP_TEXT ": %s of 20.000 used, 0 requests refused\n",
                       text[i]);
        assert_true(prints(line));
        assert_int_equal(lines_with("budget"), 1); /* not of the cgroup without a limit */
    }
}

/* 64 of them are listed; the sums are of all. */
static void who_exceeds_a_budget_is_listed_up_to_a_limit(void **state)
{
    static const uint32_t most = 64;
    char line[128];
    (void)state;
    for (uint32_t count = most - 1; count <= most + 1; count++) {
        refusing = count;
        assert_int_equal(tcp("audit", NULL), WEIR_EXIT_CHECK);
        (void)snprintf(line, sizeof(line), "log         %u requests, %u of them refused\n", count + 1, count);
        assert_true(prints(line));
        assert_int_equal(lines_with("exceeds"), count < most ? count : most);
        assert_true(prints("exceeds     process 1 in " CGROUP_TEXT ", 1 times\n"));
        (void)snprintf(line, sizeof(line), "process %u in", count);
        assert_int_equal(prints(line), count <= most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_replay_without_gaps_and_differences_has_two_lines, begin),
        cmocka_unit_test_setup(gaps_are_printed_from_the_first_on, begin),
        cmocka_unit_test_setup(one_different_answer_is_shown_and_is_a_failed_check, begin),
        cmocka_unit_test_setup(a_log_that_was_full_is_noted_from_the_first_request_on, begin),
        cmocka_unit_test_setup(a_budget_that_is_used_by_less_than_nothing_is_not_used, begin),
        cmocka_unit_test_setup(who_exceeds_a_budget_is_listed_up_to_a_limit, begin),
    };
    return cmocka_run_group_tests_name("kernel/tcp", tests, NULL, NULL);
}
