/* src/transport/driver/udp_shards.c - see udp_shards.h.
 *
 * Shards find each other's tables by names in the BPF file system: a folder per port, whose lock (flock) orders those
 * that come and go. The kernel gives lock, name of the port and sockets back when a process ends, however it ends. The
 * tables' names alone stay when the last shard crashes; the next one takes the tables, from which all sockets are gone.
 */
#define _GNU_SOURCE
#include "driver/udp_shards.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BPF_FOLDER "/sys/fs/bpf"
#define FOLDER_MODE 0700
#define ENDING_MS 200 /* time in which a process that ends closes its descriptors */

static const char *const table_names[WEIR_UDP_TABLES] = { "sockets", "tags" };

struct path {
    char text[sizeof(((struct weir_udp_shards *)0)->folder) + 16];
};

void weir_udp_shards_none(struct weir_udp_shards *s)
{
    *s = (struct weir_udp_shards){ .name_fd = -1, .table = { -1, -1 } };
}

static int fail(struct weir_err *err, int code, const char *hint, const char *what, int error)
{
    WEIR_ASSERT(code < 0);
    (void)weir_fail(err, WEIR_E_RUN, NULL, hint, "cannot steer datagrams to shards: %s%s", what,
                    error != 0 ? strerror(error) : "");
    return code;
}

/* Sets err to why the kernel refused what only the privileged may do. @return a negative errno */
static int fail_kernel(struct weir_err *err, int code, const char *what)
{
    if (code == -EPERM || code == -EACCES)
        return fail(err, -EPERM, "run it as root or with CAP_BPF, or share the port without steering",
                    "not allowed to use BPF", 0);
    return fail(err, code, "it takes Linux 5.14, with BPF; or share the port without steering", what, -code);
}

/* Sets err to why the port cannot be shared so. */
static int fail_mixed(struct weir_err *err, const struct weir_net_addr *local, bool steer)
{
    char text[64];
    weir_net_addr_print(local, text, sizeof(text));
    (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "all endpoints of a port must be opened with the same flag",
                    "the UDP port of %s is shared %s steering by others", text, steer ? "without" : "with");
    return -EADDRINUSE;
}

/* Makes the name of a port's folder. A BPF file system allows no dot in it. @return 0, or a negative errno with err */
static int name_folder(struct weir_udp_shards *s, int fd, struct weir_err *err)
{
    uint64_t space = 0; /* the network namespace: the file system may be of several */
    socklen_t length = sizeof(space);
    uint32_t bytes = s->local.family == AF_INET6 ? 16 : 4, at;
    struct statfs system;
    if (statfs(BPF_FOLDER, &system) != 0 || (unsigned long)system.f_type != BPF_FS_MAGIC)
        return fail(err, -ENOTSUP, "mount -t bpf bpf " BPF_FOLDER "; or share the port without steering",
                    "there is no BPF file system at " BPF_FOLDER, 0);
    if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &space, &length) != 0)
        return fail_kernel(err, -errno, "the network namespace has no number: ");
    at = (uint32_t)snprintf(s->folder, sizeof(s->folder), BPF_FOLDER "/weir1_%" PRIx64 "_", space);
    for (uint32_t i = 0; i < bytes; i++)
        at += (uint32_t)snprintf(s->folder + at, sizeof(s->folder) - at, "%02x", s->local.ip[i]);
    at += (uint32_t)snprintf(s->folder + at, sizeof(s->folder) - at, "_%" PRIu32 "_%u", s->local.scope,
                             (unsigned)s->local.port);
    WEIR_ASSERT(at < sizeof(s->folder));
    return 0;
}

static struct path path_of(const struct weir_udp_shards *s, int which)
{
    struct path path;
    (void)snprintf(path.text, sizeof(path.text), "%s/%s", s->folder, table_names[which]);
    return path;
}

/* Tests whether the folder that is locked still has its name. */
static bool is_there(const struct weir_udp_shards *s, int fd)
{
    struct stat locked, named;
    return fstat(fd, &locked) == 0 && stat(s->folder, &named) == 0 && locked.st_dev == named.st_dev &&
           locked.st_ino == named.st_ino;
}

/* Opens the folder of the port and locks it: until the descriptor is closed no other shard comes or goes.
 * @param make  make the folder if there is none
 * @return a descriptor, or a negative errno */
static int lock(const struct weir_udp_shards *s, bool make)
{
    for (;;) {
        int fd;
        if (make && mkdir(s->folder, FOLDER_MODE) != 0 && errno != EEXIST)
            return -errno;
        fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && !(make && errno == ENOENT))
            return -errno;
        if (fd < 0)
            continue; /* the last shard has just removed it */
        while (flock(fd, LOCK_EX) != 0) {
            int error = errno;
            if (error == EINTR)
                continue;
            (void)close(fd);
            return -error;
        }
        if (is_there(s, fd))
            return fd;
        (void)close(fd);
    }
}

/* Opens a table by its name; makes it if there is none. @return a descriptor, or a negative errno with err */
static int open_table(const struct weir_udp_shards *s, enum weir_udp_table which, struct weir_err *err)
{
    struct path path = path_of(s, which);
    int map = weir_udp_steer_get(path.text), status;
    if (map == -ENOENT) {
        map = weir_udp_steer_make(which);
        status = map < 0 ? map : weir_udp_steer_pin(map, path.text);
        if (map >= 0 && status < 0)
            (void)close(map);
        return status < 0 ? fail_kernel(err, status, "no table in the kernel: ") : map;
    }
    if (map < 0)
        return fail_kernel(err, map, "no table in the kernel: ");
    if (weir_udp_steer_is(map, which))
        return map;
    (void)close(map);
    return fail(err, -EEXIST, "remove it", "something else has the name of its table in " BPF_FOLDER, 0);
}

/* Tests whether a shard whose name is held has its sockets in other tables than ours. A process that is just ending may
 * have closed its sockets, and not its name: that is waited for. */
static bool is_elsewhere(const struct weir_udp_shards *s, uint32_t number)
{
    for (int i = 0; i < ENDING_MS; i++) {
        if (weir_udp_steer_has(s->table[WEIR_UDP_SOCKETS], number) ||
            !weir_udp_name_is_held(&s->local, WEIR_UDP_NAME_SHARD, number))
            return false;
        (void)poll(NULL, 0, 1);
    }
    return true;
}

/* Takes a number, and the tables. The folder is locked. Whoever opens the port holds its own name before it tests
 * for those of the other kind, so that of two at least one sees the other. @return 0, or a negative errno with err */
static int join(struct weir_udp_shards *s, int fd, struct weir_err *err)
{
    uint64_t held;
    int status = 0;
    s->name_fd = weir_udp_name_hold_any(&s->local, WEIR_UDP_NAME_SHARD, &s->number);
    if (s->number == WEIR_NET_SHARDS)
        return fail(err, -EADDRINUSE, "64 endpoints have it", "the port has no room for another shard", 0);
    if (s->name_fd < 0)
        return fail(err, s->name_fd, NULL, "no name for the shard: ", -s->name_fd);
    if (weir_udp_name_held(&s->local, WEIR_UDP_NAME_SPREAD) != 0)
        return fail_mixed(err, &s->local, true);
    held = weir_udp_name_held(&s->local, WEIR_UDP_NAME_SHARD);
    WEIR_ASSERT(held >> s->number & 1);
    for (int i = 0; i < WEIR_UDP_TABLES; i++) {
        s->table[i] = open_table(s, (enum weir_udp_table)i, err);
        if (s->table[i] < 0)
            return s->table[i];
    }
    for (uint32_t i = 0; i < WEIR_NET_SHARDS; i++)
        if ((held >> i & 1) && i != s->number && is_elsewhere(s, i))
            return fail(err, -EADDRINUSE, "all of them need the same one at " BPF_FOLDER,
                        "shards of the port have another BPF file system", 0);
    status = weir_udp_steer_put(s->table[WEIR_UDP_SOCKETS], s->number, false, fd);
    if (status == 0)
        status = weir_udp_steer_attach(fd, s->table, 63u - (uint32_t)__builtin_clzll(held));
    return status < 0 ? fail_kernel(err, status, "no program in the kernel: ") : 0;
}

/* Steers datagrams to the shards of the port, this one included. @return 0, or a negative errno with err */
static int steer(struct weir_udp_shards *s, int fd, struct weir_err *err)
{
    struct stat folder;
    int locked, status = name_folder(s, fd, err);
    if (status != 0)
        return status;
    locked = lock(s, true);
    if (locked < 0) {
        s->folder[0] = '\0';
        return locked == -EACCES || locked == -EPERM
                   ? fail(err, -EPERM, "run it as root, or mount one that this user may write to",
                          "not allowed to write to " BPF_FOLDER, 0)
                   : fail(err, locked, NULL, "no folder in " BPF_FOLDER ": ", -locked);
    }
    if (fstat(locked, &folder) == 0 && folder.st_uid == geteuid() && (folder.st_mode & 0777) == FOLDER_MODE)
        status = join(s, fd, err);
    else
        status = fail(err, -EPERM, "remove it", "another user has the port's folder in " BPF_FOLDER, 0);
    (void)close(locked);
    return status;
}

int weir_udp_shards_open(struct weir_udp_shards *s, int fd, const struct weir_net_addr *local, bool steered,
                         struct weir_err *err)
{
    weir_udp_shards_none(s);
    s->local = *local;
    if (steered)
        return steer(s, fd, err);
    s->name_fd = weir_udp_name_hold_any(local, WEIR_UDP_NAME_SPREAD, &s->number);
    if (s->name_fd < 0 && s->number < WEIR_NET_SHARDS) { /* further endpoints need none: others hold one */
        (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "no name for the endpoint: %s", strerror(-s->name_fd));
        return s->name_fd;
    }
    return weir_udp_name_held(local, WEIR_UDP_NAME_SHARD) != 0 ? fail_mixed(err, local, false) : 0;
}

int weir_udp_shards_guard(struct weir_udp_shards *s, int fd)
{
    return weir_udp_steer_put(s->table[WEIR_UDP_SOCKETS], s->number, true, fd);
}

int weir_udp_shards_tags(struct weir_udp_shards *s, uint16_t tag, uint16_t last)
{
    return weir_udp_steer_tags(s->table[WEIR_UDP_TAGS], s->number, tag, last);
}

/* Removes the names of the tables if no shard is left. A child of fork() does not: its parent holds the shard's
 * name. */
static void remove_names(const struct weir_udp_shards *s)
{
    int locked = lock(s, false);
    if (locked < 0)
        return; /* another has removed them */
    if (weir_udp_name_held(&s->local, WEIR_UDP_NAME_SHARD) == 0) {
        for (int i = 0; i < WEIR_UDP_TABLES; i++)
            (void)unlink(path_of(s, i).text);
        (void)rmdir(s->folder);
    }
    (void)close(locked);
}

void weir_udp_shards_close(struct weir_udp_shards *s)
{
    for (int i = 0; i < WEIR_UDP_TABLES; i++)
        if (s->table[i] >= 0)
            (void)close(s->table[i]);
    if (s->name_fd >= 0)
        (void)close(s->name_fd);
    if (s->folder[0] != '\0')
        remove_names(s);
    weir_udp_shards_none(s);
}
