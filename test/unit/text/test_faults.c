/* test/unit/text/test_faults.c - files that appear when they are whole, children, and answers of a process in the background, while each
 * call of the system fails once: an older file stays as it was, and nothing is left. */
#define _GNU_SOURCE
#include "test/unit/fault.h"
#include "text/background.h"
#include "text/outfile.h"
#include "text/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], name[96];
static bool is_there; /* an older file has the name */

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-text-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(name, sizeof(name), "%s/page.html", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(name);
    return rmdir(folder); /* fails if anything else is left */
}

/* ---- files ---- */

static void put(const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Asserts what the file has; NULL = it is not there. */
static void assert_has(const char *text)
{
    char had[16] = "";
    FILE *file = fopen(name, "r");
    assert_int_equal(file != NULL, text != NULL);
    if (file == NULL)
        return;
    assert_non_null(fgets(had, sizeof(had), file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(had, text);
}

static int write_page(struct weir_err *err)
{
    struct weir_outfile out = { 0 };
    int code;
    fault_pause(true);
    (void)unlink(name);
    if (is_there)
        put("old\n");
    fault_pause(false);
    code = weir_outfile_open(&out, name, NULL, err);
    if (code == 0) {
        assert_true(fputs("new\n", out.file) >= 0);
        code = weir_outfile_commit(&out, err);
    }
    fault_pause(true);
    assert_has(code == 0 ? "new\n" : is_there ? "old\n" : NULL);
    fault_pause(false);
    return code;
}

#define FILES                                                                                                          \
    { "open64", 1, EACCES, WEIR_E_FILE, "cannot be written: Permission denied" },                                      \
        { "open64", 2, EMFILE, 0, NULL }, /* the folder, to sync it */                                                 \
        { "fdopen", 1, ENOMEM, WEIR_E_FILE, "cannot be written: Cannot allocate memory" },                             \
        { "malloc", 1, ENOMEM, WEIR_E_FILE, "cannot be written: Cannot allocate memory" },                             \
        { "fflush", 1, ENOSPC, WEIR_E_FILE, "not all could be written: No space left on device" },                     \
        { "fsync", 1, EIO, WEIR_E_FILE, "not all could be written: Input/output error" },                              \
        { "fsync", 2, EIO, 0, NULL }, { "strndup", 1, ENOMEM, 0, NULL },                                               \
    {                                                                                                                  \
        "rename", 1, EXDEV, WEIR_E_FILE, "cannot be put into its place"                                                \
    }

static void a_new_file_is_whole_or_not_there(void **state)
{
    static const struct fault_row rows[] = { FILES, { "strdup", 1, ENOMEM, WEIR_E_FILE, "Cannot allocate memory" } };
    (void)state;
    is_there = false;
    assert_faults(write_page, rows);
}

static void an_older_file_stays_until_the_new_one_is_whole(void **state)
{
    static const struct fault_row rows[] = { FILES,
                                             { "access", 1, EACCES, WEIR_E_FILE, "Permission denied" },
                                             { "realpath", 1, ENOENT, WEIR_E_FILE, "No such file" } };
    (void)state;
    is_there = true;
    assert_faults(write_page, rows);
}

/* What two commands write at once, what the command reads, and what the disk has no room for is not replaced. */
static void a_file_is_not_replaced_by_what_is_not_whole(void **state)
{
    const struct weir_outfile_keep keep[] = { { "/nowhere", "another" }, { name, "the scenario" }, { NULL, NULL } };
    struct weir_outfile out = { 0 }, second = { 0 };
    struct weir_err err;
    (void)state;
    put("old\n");
    assert_int_equal(weir_outfile_open(&out, name, keep, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, NULL, "scenario");
    assert_int_equal(weir_outfile_open(&out, name, keep + 2, &err), 0);
    assert_int_equal(weir_outfile_open(&second, name, NULL, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, NULL, "being");
    assert_non_null(freopen("/dev/full", "w", out.file));
    assert_true(fputs("new\n", out.file) >= 0);
    (void)fflush(out.file); /* so that the file knows before it is closed */
    assert_int_equal(weir_outfile_commit(&out, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, NULL, "all");
    assert_has("old\n");
}

static void a_file_system_without_sync_is_no_error(void **state)
{
    static const struct fault_row rows[] = { { "fsync", 1, EINVAL, 0, NULL } };
    (void)state;
    is_there = false;
    assert_faults(write_page, rows);
}

/* ---- children ---- */

static int run_true(struct weir_err *err)
{
    static const char *argv[] = { "true", NULL };
    sigset_t mask;
    pid_t pid;
    int status = 0, error;
    (void)sigemptyset(&mask);
    error = weir_spawn(&pid, "true", argv, name, name, &mask);
    if (error != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s", strerror(error));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void a_child_that_does_not_start_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "pipe", 1, EMFILE, WEIR_E_RUN, "Too many open files" },
        { "fork", 1, EAGAIN, WEIR_E_RUN, "Resource temporarily unavailable" },
        { "read", 1, EINTR, 0, NULL }, /* of what the child says */
    };
    static const char *const in_child[] = { "open64", "dup2" };
    (void)state;
    assert_faults(run_true, rows);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t nth = 1; nth <= 3; nth++) { /* its input, output and errors */
            struct weir_err err = { 0 };
            uint32_t files = fault_open_files();
            fault_set(in_child[i], nth, EMFILE);
            assert_int_equal(run_true(&err), WEIR_E_RUN);
            assert_string_equal(err.text, strerror(EMFILE));
            fault_clear();
            assert_int_equal(fault_open_files(), files);
            assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        }
}

/* ---- a process in the background ---- */

static void put_json(FILE *out, void *ctx)
{
    (void)fputs(ctx, out);
}

static void put_table(FILE *out, void *ctx)
{
    (void)ctx, (void)fputs("table", out);
}

/* A child asks this process, which answers. @return 0, or what of it failed */
static int ask_and_answer(struct weir_err *err)
{
    static char json[] = "{}";
    char own[64];
    int fd, status = 0;
    pid_t child;
    (void)snprintf(own, sizeof(own), "weir-test-%ld", (long)getpid());
    fd = weir_background_listen(own);
    if (fd < 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s", strerror(-fd));
    fault_pause(true);
    child = fork();
    if (child == 0) { /* the asker */
        char text[8] = "";
        FILE *out = fmemopen(text, sizeof(text), "w");
        int pid = 0;
        (void)close(fd); /* else it would listen, too */
        bool found = weir_background_ask(own, false, out, &pid) && pid == getppid();
        (void)fclose(out);
        _exit(found && strcmp(text, "table") == 0 ? 0 : 1);
    }
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    assert_int_equal(poll(&ready, 1, 20000), 1);
    fault_pause(false);
    weir_background_answer(fd, put_json, put_table, json);
    fault_pause(true);
    (void)close(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    fault_pause(false);
    return status == 0 ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "no answer");
}

static void an_answer_comes_or_the_asker_knows_that_there_is_none(void **state)
{
    static const struct fault_row rows[] = {
        { "socket", 1, EMFILE, WEIR_E_RUN, "Too many open files" },
        { "bind", 1, EADDRINUSE, WEIR_E_RUN, "Address already in use" },
        { "listen", 1, EADDRINUSE, WEIR_E_RUN, "Address already in use" },
        { "accept4", 1, EMFILE, WEIR_E_RUN, "no answer" },
        { "open_memstream", 1, ENOMEM, WEIR_E_RUN, "no answer" },
        { "setsockopt", 1, EPERM, 0, NULL }, /* more room than the system's limit */
        { "send", 1, ENOBUFS, WEIR_E_RUN, "no answer" },
    };
    (void)state;
    assert_faults(ask_and_answer, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_file_is_whole_or_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_older_file_stays_until_the_new_one_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_is_not_replaced_by_what_is_not_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_system_without_sync_is_no_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_child_that_does_not_start_is_said, set_up, tear_down),
        cmocka_unit_test(an_answer_comes_or_the_asker_knows_that_there_is_none),
    };
    return cmocka_run_group_tests_name("text/faults", tests, NULL, NULL);
}
