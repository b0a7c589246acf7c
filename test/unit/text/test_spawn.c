/* test/unit/text/test_spawn.c - programs that start, and what is left of those that do not. fork() is ours, so that it
 * can fail. */
#define _GNU_SOURCE
#include "test/unit/weir_test.h"
#include "text/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool fork_fails;
static char dir[] = "/tmp/weir-spawn-XXXXXX", out[64], complaint[64];

pid_t fork(void)
{
    if (fork_fails) {
        errno = EAGAIN;
        return -1;
    }
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int setup(void **state)
{
    (void)state;
    fork_fails = false;
    if (mkdtemp(dir) == NULL)
        return -1;
    (void)snprintf(out, sizeof(out), "%s/out", dir);
    (void)snprintf(complaint, sizeof(complaint), "%s/err", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(out);
    (void)unlink(complaint);
    (void)rmdir(dir);
    memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
    return 0;
}

static int start(pid_t *pid, const char *program, const char *to)
{
    const char *argv[] = { "sh", "-c", "echo said", NULL };
    sigset_t none;
    (void)sigemptyset(&none);
    *pid = 77; /* nobody's, and not what may be left */
    return weir_spawn(pid, program, argv, to, complaint, &none);
}

static void what_a_program_says_goes_to_its_file(void **state)
{
    char text[16] = "";
    int status, fd;
    pid_t pid;
    (void)state;
    assert_int_equal(start(&pid, "sh", out), 0);
    assert_true(pid > 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fd = open(out, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, text, sizeof(text)), 5);
    assert_string_equal(text, "said\n");
    assert_int_equal(close(fd), 0);
}

/* Whoever ends all that it started calls kill() with what is there: -1 would be every process of the user's, or the machine's. */
static void what_did_not_start_leaves_no_pid(void **state)
{
    pid_t pid;
    (void)state;
    fork_fails = true;
    assert_int_equal(start(&pid, "sh", out), EAGAIN);
    assert_int_equal(pid, 0);
    fork_fails = false;
    assert_int_equal(start(&pid, "/nowhere/at/all", out), ENOENT);
    assert_int_equal(pid, 0);
    assert_int_equal(start(&pid, "sh", "/nowhere/at/all"), ENOENT);
    assert_int_equal(pid, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* and none is left to be waited for */
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_program_says_goes_to_its_file, setup, teardown),
        cmocka_unit_test_setup_teardown(what_did_not_start_leaves_no_pid, setup, teardown),
    };
    return cmocka_run_group_tests_name("text/spawn", tests, NULL, NULL);
}
