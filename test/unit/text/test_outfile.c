/* test/unit/text/test_outfile.c - a file is on the disk before its name leads to it. */
#define _GNU_SOURCE /* syscall() */
#include "test/unit/refusal.h"
#include "text/outfile.h"
#include "text/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[64], name[96];
static uint32_t files_synced, folders_synced;
static bool named_too_early;
static int sync_error;

/* In the place of libc's: what was synced, and whether the name led to it already. */
int fsync(int fd)
{
    struct stat what;
    assert_int_equal(fstat(fd, &what), 0);
    if (S_ISDIR(what.st_mode)) {
        folders_synced++;
        return 0;
    }
    files_synced++;
    named_too_early |= what.st_size != 5 || access(name, F_OK) == 0;
    errno = sync_error;
    return sync_error != 0 ? -1 : (int)syscall(SYS_fsync, fd);
}

static int setup(void **state)
{
    (void)state;
    files_synced = folders_synced = 0;
    named_too_early = false;
    sync_error = 0;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-outfile-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(name, sizeof(name), "%s/page.html", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(name);
    return rmdir(folder); /* fails if anything else is left */
}

static int write_page(struct weir_err *err)
{
    struct weir_outfile out;
    assert_int_equal(weir_outfile_open(&out, name, NULL, err), 0);
    assert_int_equal(fputs("page\n", out.file), 1);
    return weir_outfile_commit(&out, err);
}

static void content_is_synced_before_the_name_and_the_name_after_it(void **state)
{
    struct weir_err err;
    (void)state;
    assert_int_equal(write_page(&err), 0);
    assert_int_equal(files_synced, 1);
    assert_false(named_too_early);
    assert_int_equal(folders_synced, 1);
    assert_int_equal(access(name, F_OK), 0);
}

static void a_disk_that_fails_leaves_no_file(void **state)
{
    struct weir_err err;
    (void)state;
    sync_error = EIO;
    assert_int_equal(write_page(&err), WEIR_E_FILE);
    assert_int_equal(err.code, WEIR_E_FILE);
    assert_non_null(strstr(err.text, "page.html"));
    assert_int_not_equal(access(name, F_OK), 0);
}

static void a_file_system_without_sync_is_good_enough(void **state)
{
    struct weir_err err;
    (void)state;
    sync_error = EINVAL;
    assert_int_equal(write_page(&err), 0);
    assert_int_equal(access(name, F_OK), 0);
}

static void a_device_is_not_synced(void **state)
{
    struct weir_outfile out;
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_outfile_open(&out, "/dev/null", NULL, &err), 0);
    assert_int_equal(weir_outfile_commit(&out, &err), 0);
    assert_int_equal(files_synced + folders_synced, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(content_is_synced_before_the_name_and_the_name_after_it),
        TEST(a_disk_that_fails_leaves_no_file),
        TEST(a_file_system_without_sync_is_good_enough),
        TEST(a_device_is_not_synced),
    };
    return cmocka_run_group_tests_name("text/outfile", tests, NULL, NULL);
}
