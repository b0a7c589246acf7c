/* test/unit/endpoint/test_poll.c - weir_poll(): waiting, waking, deadlines, and the misuse it does not forgive. */
#include "test/unit/endpoint/endpoint_test.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct weir_event one;

static void poll_waits_for_its_timeout(void **state)
{
    (void)state;
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 0);
    assert_int_equal(now_ns(), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)(3 * MS)), 0);
    assert_int_equal(now_ns(), 3 * MS);
    assert_true(weir_deadline(ep[0]) == UINT64_MAX);
}

static void a_wake_ends_the_wait_once(void **state)
{
    struct pollfd fd = { .fd = weir_fd(ep[0]), .events = POLLIN };
    (void)state;
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(weir_wake(ep[0]), 0);
    assert_int_equal(weir_wake(ep[0]), 0);
    assert_int_equal(poll(&fd, 1, 0), 1);
    assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)SECOND), -EINTR); /* mem.c says so of a wait without end, too */
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 0);
}

static void the_deadline_is_the_next_instant_to_poll(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 50 * MS), 0);
    assert_int_equal(weir_deadline(ep[0]), 0); /* the first word is due */
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 0);
    assert_int_equal(weir_deadline(ep[0]), START_NS + 20 * MS); /* it is repeated then */
    asleep[1] = true;
    run(49 * MS);
    assert_int_equal(weir_deadline(ep[0]), START_NS + 50 * MS);
    run(1 * MS);
    expect(0, 0, WEIR_EV_REPLY, -ETIMEDOUT, 1);
}

/* The driver may hold more than it gave, of which its descriptor does not tell. */
static void after_a_packet_was_taken_the_deadline_is_now(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 0); /* the first word */
    mem_advance(mem, mem_now_ns(mem) + 5 * US);
    assert_int_equal(weir_poll(ep[1], &one, 1, 0), 0); /* takes it, and forgets it at once */
    assert_int_equal(weir_deadline(ep[1]), 0);
    assert_int_equal(weir_poll(ep[1], &one, 1, 0), 0);
    assert_true(weir_deadline(ep[1]) == UINT64_MAX);
}

#ifndef NDEBUG
static void concurrent_calls_abort_with_a_message(void **state)
{
    char text[400];
    int ends[2], status;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], 2);
        (void)signal(SIGABRT, SIG_DFL);
        atomic_store(&ep[0]->busy, true); /* another thread is in weir_poll() */
        (void)send_bytes(0, 1, "x", 1, 1);
        _exit(0);
    }
    (void)close(ends[1]);
    ssize_t n = read(ends[0], text, sizeof(text) - 1);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_true(n > 0);
    text[n] = '\0';
    assert_non_null(strstr(text, "An endpoint belongs to one thread"));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(poll_waits_for_its_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wake_ends_the_wait_once, setup, teardown),
        cmocka_unit_test_setup_teardown(the_deadline_is_the_next_instant_to_poll, setup, teardown),
        cmocka_unit_test_setup_teardown(after_a_packet_was_taken_the_deadline_is_now, setup, teardown),
#ifndef NDEBUG
        cmocka_unit_test_setup_teardown(concurrent_calls_abort_with_a_message, setup, teardown),
#endif
    };
    return cmocka_run_group_tests_name("endpoint/poll", tests, NULL, NULL);
}
