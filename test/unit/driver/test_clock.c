/* test/unit/driver/test_clock.c - sleeping ends at a time, a byte, or a signal, and not before. */
#define _GNU_SOURCE
#include "test/unit/weir_test.h"
#include "driver/clock.h"
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void a_wait_ends_at_its_deadline(void **state)
{
    uint64_t until_ns = weir_net_clock_ns(NULL) + 2000001;
    (void)state;
    assert_int_equal(weir_net_clock_wait(NULL, 0, until_ns), 0);
    assert_true(weir_net_clock_ns(NULL) >= until_ns);
    assert_int_equal(weir_net_clock_wait(NULL, 0, 0), 0); /* long past */
}

static void a_wait_ends_when_a_descriptor_is_readable(void **state)
{
    int pipe_fds[2];
    struct pollfd fds[2] = { { .fd = -1, .events = POLLIN }, { .events = POLLIN } };
    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    fds[1].fd = pipe_fds[0];
    assert_int_equal(write(pipe_fds[1], "x", 1), 1);
    assert_int_equal(weir_net_clock_wait(fds, 2, UINT64_MAX), 0);
    assert_int_equal(fds[1].revents, POLLIN);
    assert_int_equal(close(pipe_fds[0]), 0);
    assert_int_equal(close(pipe_fds[1]), 0);
}

static void on_signal(int number)
{
    (void)number;
}

static void a_signal_ends_a_wait(void **state)
{
    struct sigaction action = { .sa_handler = on_signal };
    struct itimerval repeat = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
    (void)state;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &repeat, NULL), 0); /* again and again: the first may come too early */
    assert_int_equal(weir_net_clock_wait(NULL, 0, UINT64_MAX), -EINTR);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_ends_at_its_deadline),
        cmocka_unit_test(a_wait_ends_when_a_descriptor_is_readable),
        cmocka_unit_test(a_signal_ends_a_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
