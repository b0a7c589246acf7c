/* test/unit/bpf/test_faults.c - folders of pins, cgroups, namespaces, and commands of `ip`, while each call of the system fails once: a
 * sentence says so, and nothing is left. The process has mounts of its own: what others have pinned is out of its sight. */
#define _GNU_SOURCE
#include "test/unit/fault.h"
#include "bpf/kernel_run.h"
#include "bpf/pins.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAW WEIR_PINS "/law-of-the-test"

static bool is_apart;

static int set_up(void **state)
{
    (void)state;
    is_apart = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
               mount("none", WEIR_BPFFS, "tmpfs", 0, NULL) == 0;
    if (!is_apart)
        print_message("mounts of one's own take CAP_SYS_ADMIN, which is not there: not tested\n");
    return 0;
}

/* ---- pins ---- */

/* Takes the lock of the laws, and removes a law with two pins. At first nothing is mounted where they are. */
static int lock_and_remove(struct weir_err *err)
{
    struct weir_err ignored;
    int lock, code;
    fault_pause(true);
    while (umount2(WEIR_BPFFS, MNT_DETACH) == 0)
        continue;
    assert_int_equal(mount("none", WEIR_BPFFS, "tmpfs", 0, NULL), 0);
    fault_pause(false);
    lock = weir_pins_lock(err);
    if (lock < 0)
        return -lock;
    fault_pause(true);
    assert_int_equal(mkdir(LAW, 0700), 0);
    assert_int_equal(mkdir(LAW "/law", 0700) | mkdir(LAW "/keys", 0700), 0); /* bpffs has no plain files */
    fault_pause(false);
    (void)rmdir(LAW "/law"), (void)rmdir(LAW "/keys");
    code = weir_pins_remove(LAW, err);
    (void)close(lock);
    if (code != 0) {
        fault_pause(true);
        assert_int_equal(weir_pins_remove(LAW, &ignored), 0);
        fault_pause(false);
    }
    assert_int_not_equal(access(LAW, F_OK), 0);
    return code;
}

static void pins_are_locked_and_removed_or_it_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "statfs64", 1, EACCES, WEIR_E_RUN, "no folder for pinned programs: Permission denied" },
        { "mount", 1, EPERM, WEIR_E_RUN, "cannot mount bpffs: Operation not permitted" },
        { "mkdir", 1, EROFS, WEIR_E_RUN, "cannot make the folder: Read-only file system" },
        { "open64", 1, EMFILE, WEIR_E_RUN, "cannot be locked: Too many open files" },
        { "flock", 1, EINTR, WEIR_E_RUN, "cannot be locked: Interrupted system call" },
        { "opendir", 1, EMFILE, WEIR_E_RUN, "cannot read the folder: Too many open files" },
    };
    (void)state;
    if (!is_apart)
        skip();
    assert_faults(lock_and_remove, rows);
}

/* A folder of pins that others may write, or that is none, is not used; and one that is gone needs no removing. */
static void a_folder_of_others_is_refused(void **state)
{
    static const struct {
        mode_t mode;
        uid_t owner;
        int code;
    } rows[] = {
        { 0700, 0, 0 }, { 0755, 0, 0 }, { 0720, 0, WEIR_E_RUN }, { 0702, 0, WEIR_E_RUN }, { 0700, 1, WEIR_E_RUN }
    };
    struct weir_err err;
    (void)state;
    if (!is_apart || geteuid() != 0)
        skip();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)rmdir(WEIR_PINS);
        assert_int_equal(mkdir(WEIR_PINS, 0700), 0);
        assert_int_equal(chmod(WEIR_PINS, rows[i].mode) | chown(WEIR_PINS, rows[i].owner, 0), 0);
        assert_int_equal(weir_pins_prepare(&err), rows[i].code);
        if (rows[i].code != 0)
            assert_refusal(&err, WEIR_E_RUN, NULL, "ours");
    }
    assert_int_equal(rmdir(WEIR_PINS), 0);
    assert_int_equal(weir_pins_remove(LAW, &err), 0);
}

/* ---- cgroups and namespaces ---- */

static int find_cgroup(struct weir_err *err)
{
    char root[512];
    uint64_t number = 0;
    int code = weir_cgroup_root(root, sizeof(root), err);
    if (code == 0)
        code = weir_cgroup_number(NULL, &number, err);
    assert_true(code != 0 || number > 0);
    return code;
}

static void a_cgroup_is_found_or_it_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "fopen64", 1, EMFILE, WEIR_E_RUN, "cgroup v2 is not mounted" },
        { "fopen64", 2, EMFILE, 0, NULL },              /* then it is mounted for a moment, out of sight */
        { "open64", 1, EMFILE, WEIR_E_RUN, "/cgroup" }, /* of the folder, which it names */
        { "fstatfs64", 1, EIO, WEIR_E_RANGE, "is no folder of cgroup v2" },
    };
    struct weir_err err;
    (void)state;
    if (!is_apart || find_cgroup(&err) != 0)
        skip();
    assert_faults(find_cgroup, rows);
}

static int find_number(struct weir_err *err)
{
    uint64_t number = 1;
    int code = weir_netns_cookie("all", &number, err);
    assert_int_equal(number, 0);
    if (code == 0)
        code = weir_netns_cookie(NULL, &number, err);
    return code;
}

static void a_namespace_has_a_number_or_it_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "socket", 1, EMFILE, WEIR_E_RUN, "has no number: Too many open files" },
        { "getsockopt", 1, ENOPROTOOPT, WEIR_E_RUN, "has no number: Protocol not available" },
    };
    (void)state;
    assert_faults(find_number, rows);
}

/* ---- commands ---- */

static int run_ip(struct weir_err *err)
{
    FILE *commands = tmpfile();
    int code;
    if (commands == NULL)
        return weir_kernel_run("ip", NULL, NULL, err);
    (void)fprintf(commands, "link show lo\n");
    code = weir_kernel_run("ip", commands, NULL, err);
    (void)fclose(commands);
    return code;
}

static void a_command_runs_or_it_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "tmpfile64", 1, EMFILE, WEIR_E_RUN, "no temporary file: Too many open files" },
        { "fflush", 1, ENOSPC, WEIR_E_RUN, "no temporary file: No space left on device" },
        { "fork", 1, EAGAIN, WEIR_E_CONFLICT, "ip cannot be started: Resource temporarily unavailable" },
    };
    struct weir_err err;
    (void)state;
    if (run_ip(&err) != 0)
        skip();
    assert_faults(run_ip, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_are_locked_and_removed_or_it_is_said),
        cmocka_unit_test(a_folder_of_others_is_refused),
        cmocka_unit_test(a_cgroup_is_found_or_it_is_said),
        cmocka_unit_test(a_namespace_has_a_number_or_it_is_said),
        cmocka_unit_test(a_command_runs_or_it_is_said),
    };
    return cmocka_run_group_tests_name("bpf/faults", tests, set_up, NULL);
}
