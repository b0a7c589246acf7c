/* test/unit/testbed/test_guard.c - the shell that removes a testbed after the end of the process that built it. The
 * script is a false one, which says on a pipe how it is called. */
#include "test/unit/weir_test.h"
#include "testbed/guard.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-guard-XXXXXX";
static int said[2]; /* a pipe, of which the script has the other end */

static void make_script(int up_status)
{
    char path[64];
    FILE *file;
    (void)snprintf(path, sizeof(path), "%s/testbed", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "echo \"$*\" >&%d\n[ \"$1\" = up ] && exit %d\nexit 0\n", said[1], up_status);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) == NULL || pipe(said) != 0;
}

/* Returns all that the script said, once nobody has the pipe open any more. */
static const char *all_said(void)
{
    static char text[256];
    size_t count = 0;
    ssize_t got;
    (void)close(said[1]);
    while ((got = read(said[0], text + count, sizeof(text) - 1 - count)) > 0)
        count += (size_t)got;
    text[count] = '\0';
    (void)close(said[0]);
    return text;
}

static void remove_folder(void)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/testbed", folder);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof(path), "%s/script", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Starts the guard of a testbed of two hosts. Returns the script's status. */
static int start(struct weir_guard *guard)
{
    static const char *const options[] = { "--hosts", "2", NULL };
    struct weir_err err;
    sigset_t none;
    int status = -1;
    (void)sigemptyset(&none);
    assert_int_equal(weir_guard_start(guard, folder, "name", options, &none, &status, &err), 0);
    return status;
}

static void nothing_is_removed_once_the_guard_has_ended(void **state)
{
    struct weir_guard guard;
    (void)state;
    make_script(0);
    assert_int_equal(start(&guard), 0);
    weir_guard_end(&guard);
    assert_string_equal(all_said(), "up --hosts 2 --name name\n");
    remove_folder();
}

static void a_status_is_the_script_s(void **state)
{
    struct weir_guard guard;
    (void)state;
    make_script(23);
    assert_int_equal(start(&guard), 23);
    weir_guard_end(&guard);
    assert_string_equal(all_said(), "up --hosts 2 --name name\n");
    remove_folder();
}

/* Builds a testbed in another process, which ends without a word. */
static void all_is_removed_after_the_end_of_the_process(void **state)
{
    struct weir_guard guard;
    pid_t pid;
    int status;
    (void)state;
    make_script(0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(start(&guard));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_string_equal(all_said(), "up --hosts 2 --name name\ndown --name name\n");
    assert_int_equal(access(folder, F_OK), -1);
}

static void a_guard_that_was_killed_is_no_loss(void **state)
{
    struct weir_guard guard;
    (void)state;
    make_script(0);
    assert_int_equal(start(&guard), 0);
    assert_int_equal(kill(guard.pid, SIGKILL), 0);
    weir_guard_end(&guard);
    assert_string_equal(all_said(), "up --hosts 2 --name name\n");
    remove_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_removed_once_the_guard_has_ended, set_up),
        cmocka_unit_test_setup(a_status_is_the_script_s, set_up),
        cmocka_unit_test_setup(all_is_removed_after_the_end_of_the_process, set_up),
        cmocka_unit_test_setup(a_guard_that_was_killed_is_no_loss, set_up),
    };
    return cmocka_run_group_tests_name("testbed/guard", tests, NULL, NULL);
}
