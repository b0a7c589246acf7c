/* src/transport/bpf/pins.c - bpffs, cgroups and namespaces by the calls of Linux. */
#define _GNU_SOURCE
#include "bpf/pins.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static int failed(struct weir_err *err, const char *what, const char *path)
{
    return weir_fail(err, WEIR_E_RUN, NULL, errno == EPERM || errno == EACCES ? "this takes root" : NULL, "%s: %s: %s",
                     path, what, strerror(errno));
}

int weir_pins_prepare(struct weir_err *err)
{
    struct statfs at;
    if (statfs(WEIR_BPFFS, &at) != 0)
        return failed(err, "no folder for pinned programs", WEIR_BPFFS);
    if (at.f_type != BPF_FS_MAGIC && mount("bpf", WEIR_BPFFS, "bpf", 0, "mode=0700") != 0)
        return failed(err, "cannot mount bpffs", WEIR_BPFFS);
    if (mkdir(WEIR_PINS, 0700) == 0)
        return 0;
    if (errno != EEXIST)
        return failed(err, "cannot make the folder", WEIR_PINS);
    struct stat found; /* anybody may make folders in a bpffs with other rights */
    if (lstat(WEIR_PINS, &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
        (found.st_mode & 022) != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, "remove it", "%s: is there, and not ours", WEIR_PINS);
    return 0;
}

int weir_pins_lock(struct weir_err *err)
{
    int code = weir_pins_prepare(err), fd;
    if (code != 0)
        return -code;
    fd = open(WEIR_BPFFS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        code = failed(err, "cannot be locked", WEIR_BPFFS);
        if (fd >= 0)
            (void)close(fd);
        return -code;
    }
    return fd;
}

int weir_pins_remove(const char *folder, struct weir_err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    if (dir == NULL)
        return errno == ENOENT ? 0 : failed(err, "cannot read the folder", folder);
    (void)unlinkat(dirfd(dir), "law", 0); /* what is left by an interruption after this is no law */
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "law") != 0 &&
            unlinkat(dirfd(dir), entry->d_name, 0) != 0) {
            int code = failed(err, "cannot remove", entry->d_name);
            (void)closedir(dir);
            return code;
        }
    (void)closedir(dir);
    if (rmdir(folder) != 0)
        return failed(err, "cannot remove the folder", folder);
    (void)rmdir(WEIR_PINS); /* stays if another law is loaded */
    return 0;
}

/* ---- cgroups ---- */

/* Copies the folder in which cgroup v2 is mounted; an empty string if it is nowhere. */
static void find_cgroup_root(char *root, size_t size)
{
    char line[1024], path[512], type[64];
    FILE *mounts = fopen("/proc/self/mounts", "r");
    root[0] = '\0';
    while (mounts != NULL && root[0] == '\0' && fgets(line, sizeof(line), mounts) != NULL)
        if (sscanf(line, "%*s %511s %63s", path, type) == 2 && strcmp(type, "cgroup2") == 0)
            (void)snprintf(root, size, "%s", path);
    if (mounts != NULL)
        (void)fclose(mounts);
}

/* Opens the root of cgroup v2 where nothing has mounted it, by a mount that is in no folder: nothing is left of it,
 * whenever this process ends. The calls are older than what glibc has for them. */
static int open_unmounted(struct weir_err *err)
{
    enum { CLOSE_ON_EXEC = 1, CREATE = 6 }; /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC; FSCONFIG_CMD_CREATE */
    int context = (int)syscall(SYS_fsopen, "cgroup2", CLOSE_ON_EXEC), top = -1, fd = -1;
    if (context >= 0 && syscall(SYS_fsconfig, context, CREATE, NULL, NULL, 0) == 0)
        top = (int)syscall(SYS_fsmount, context, CLOSE_ON_EXEC, 0);
    if (top >= 0)
        fd = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        fd = -failed(err, "cannot mount cgroup v2", "cgroup2");
    if (top >= 0)
        (void)close(top);
    if (context >= 0)
        (void)close(context);
    return fd;
}

int weir_cgroup_root(char *root, size_t size, struct weir_err *err)
{
    find_cgroup_root(root, size);
    if (root[0] != '\0')
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, "mount -t cgroup2 none FOLDER", "cgroup v2 is not mounted");
}

int weir_cgroup_open(const char *path, struct weir_err *err)
{
    char root[512];
    struct statfs at;
    int fd;
    find_cgroup_root(root, sizeof(root));
    if (path == NULL && root[0] == '\0')
        return open_unmounted(err);
    if (path == NULL)
        path = root;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -failed(err, "cannot open the cgroup", path);
    if (fstatfs(fd, &at) == 0 && at.f_type == CGROUP2_SUPER_MAGIC)
        return fd;
    (void)close(fd);
    return -weir_fail(err, WEIR_E_RANGE, NULL, root[0] != '\0' ? root : NULL, "%s: is no folder of cgroup v2", path);
}

int weir_cgroup_number(const char *folder, uint64_t *number, struct weir_err *err)
{
    struct stat at;
    int fd = weir_cgroup_open(folder, err);
    if (fd < 0)
        return -fd;
    *number = fstat(fd, &at) == 0 ? at.st_ino : 0;
    (void)close(fd);
    return 0;
}

/* Finds a folder by its inode, in this one and below. path has its name, and size bytes. */
static bool find_below(char *path, size_t size, uint64_t number)
{
    size_t length = strlen(path);
    struct dirent *entry;
    struct stat at;
    bool found = stat(path, &at) == 0 && at.st_ino == number;
    DIR *dir = found ? NULL : opendir(path);
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
            (size_t)snprintf(path + length, size - length, "/%s", entry->d_name) >= size - length)
            continue;
        found = find_below(path, size, number);
    }
    if (dir != NULL)
        (void)closedir(dir);
    if (!found)
        path[length] = '\0';
    return found;
}

bool weir_cgroup_folder(uint64_t number, char *folder, size_t size)
{
    find_cgroup_root(folder, size);
    return folder[0] != '\0' && find_below(folder, size, number);
}

/* ---- namespaces ---- */

static int cookie_here(uint64_t *cookie)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;
    socklen_t size = sizeof(*cookie);
    if (fd < 0)
        return errno;
    error = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size) != 0 ? errno : 0;
    (void)close(fd);
    return error;
}

/* Asks for the cookie of another namespace. That takes a socket within it, which a child makes: a process of several
 * threads cannot be in two namespaces. */
static int cookie_there(int netns, uint64_t *cookie)
{
    int pipes[2], status = 0;
    struct {
        int error;
        uint64_t cookie;
    } answer = { EIO, 0 };
    if (pipe(pipes) != 0)
        return errno;
    pid_t child = fork();
    if (child == 0) {
        answer.error = setns(netns, CLONE_NEWNET) != 0 ? errno : cookie_here(&answer.cookie);
        _exit(write(pipes[1], &answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
    }
    (void)close(pipes[1]);
    if (child < 0 || read(pipes[0], &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
        answer.error = EIO;
    (void)close(pipes[0]);
    if (child > 0)
        (void)waitpid(child, &status, 0);
    *cookie = answer.cookie;
    return answer.error;
}

int weir_netns_cookie(const char *name, uint64_t *cookie, struct weir_err *err)
{
    char path[300];
    int error, fd;
    *cookie = 0;
    if (name != NULL && strcmp(name, "all") == 0)
        return 0;
    if (name == NULL) {
        errno = cookie_here(cookie);
        return errno == 0 ? 0 : failed(err, "has no number", "this network namespace");
    }
    if (strchr(name, '/') != NULL || (size_t)snprintf(path, sizeof(path), "/var/run/netns/%s", name) >= sizeof(path))
        return weir_fail(err, WEIR_E_RANGE, NULL, "ip netns lists them", "%.80s: is no name of a namespace", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "ip netns lists them", "there is no network namespace %s", name);
    error = cookie_there(fd, cookie);
    (void)close(fd);
    errno = error;
    return error == 0 ? 0 : failed(err, "cannot be entered", name);
}
