/* test/torture/fail.c - linked into `weir`, makes one call of the C library fail: the n-th at one call site. A site is the call's name and
 * eight return addresses, so the same allocator called for two reasons is two sites. Calls of weir's own code are caught (by the linker's
 * --wrap); SQLite's allocations by SQLITE_CONFIG_MALLOC. The environment says what to do:
 *
 *     TORTURE_SITES=FILE    appends "NAME SITE CALLS" of each site at the end of the process, and of SQLite's allocations as one site, 0
 *     TORTURE_FAIL=SITE:N   the N-th call at SITE fails, counted from 1, once per process
 *
 * See test/torture/torture.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SITES = 1 << 14, DEPTH = 8, SQLITE_SITE = 0 };

#define STACK_MAX ((uintptr_t)8 << 20) /* a frame further away than this is not of the same stack */

struct site {
    uint64_t id; /* 0 = free; SQLite's is counted apart */
    const char *name;
    uint64_t calls;
};

extern char __executable_start; /* of the linker: addresses are counted from here, so they are the same in each run */

static struct site table[SITES];
static uint64_t sqlite_calls;
static const char *sites_path;
static uint64_t fail_site, fail_at;
static bool failing;
static pid_t failed_in; /* process in which the call failed */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Computes the site's number from the name and the return addresses, by frame pointers. Frames of libraries have none: there the walk
 * ends. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static uint64_t site_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    const uintptr_t *frame = __builtin_frame_address(0);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    for (int i = 0; i < DEPTH + 2; i++) {
        uintptr_t next = frame[0], address = frame[1];
        if (i >= 2) /* behind this function and the wrapper */
            hash = (hash ^ (address - (uintptr_t)&__executable_start)) * 1099511628211u;
        if (next <= (uintptr_t)frame || next - (uintptr_t)frame > STACK_MAX)
            break;
        frame = (const uintptr_t *)next;
    }
    return hash | 1;
}

/* Counts a call of the site. @return whether it is to fail */
static bool counted(uint64_t *calls, uint64_t id)
{
    bool fails;
    ++*calls;
    fails = failing && id == fail_site && *calls == fail_at && failed_in != getpid();
    if (fails)
        failed_in = getpid();
    return fails;
}

__attribute__((noinline)) static bool fails(const char *name)
{
    uint64_t id = site_of(name);
    bool result = false;
    if (sites_path == NULL && !failing)
        return false;
    (void)pthread_mutex_lock(&lock);
    for (uint32_t i = 0, at = (uint32_t)(id >> 32) % SITES; i < SITES; i++, at = (at + 1) % SITES) {
        if (table[at].id == 0)
            table[at] = (struct site){ .id = id, .name = name };
        if (table[at].id == id) {
            result = counted(&table[at].calls, id);
            break;
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return result;
}

/* --- calls of weir's code --- */

#define NULL_CALL(name, parameters, arguments)                                                                         \
    void *__real_##name parameters;                                                                                    \
    void *__wrap_##name parameters;                                                                                    \
    void *__wrap_##name parameters                                                                                     \
    {                                                                                                                  \
        if (fails(#name)) {                                                                                            \
            errno = ENOMEM;                                                                                            \
            return NULL;                                                                                               \
        }                                                                                                              \
        return __real_##name arguments;                                                                                \
    }

#define INT_CALL(name, number, parameters, arguments)                                                                  \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        if (fails(#name)) {                                                                                            \
            errno = number;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        return __real_##name arguments;                                                                                \
    }

NULL_CALL(malloc, (size_t size), (size))
NULL_CALL(calloc, (size_t count, size_t size), (count, size))
NULL_CALL(realloc, (void *old, size_t size), (old, size))
NULL_CALL(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
NULL_CALL(strdup, (const char *text), (text))
NULL_CALL(strndup, (const char *text, size_t most), (text, most))
NULL_CALL(realpath, (const char *path, char *resolved), (path, resolved))
NULL_CALL(fopen, (const char *path, const char *mode), (path, mode))
NULL_CALL(fopen64, (const char *path, const char *mode), (path, mode))
NULL_CALL(fdopen, (int fd, const char *mode), (fd, mode))
NULL_CALL(tmpfile, (void), ())
NULL_CALL(tmpfile64, (void), ())
NULL_CALL(open_memstream, (char **text, size_t *size), (text, size))
NULL_CALL(opendir, (const char *path), (path))
INT_CALL(socket, ENFILE, (int domain, int type, int protocol), (domain, type, protocol))
INT_CALL(bind, EADDRINUSE, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
INT_CALL(epoll_create1, EMFILE, (int flags), (flags))
INT_CALL(eventfd, EMFILE, (unsigned value, int flags), (value, flags))
INT_CALL(pipe, EMFILE, (int *fd), (fd))
INT_CALL(pipe2, EMFILE, (int *fd, int flags), (fd, flags))
INT_CALL(fork, EAGAIN, (void), ())
INT_CALL(fsync, EIO, (int fd), (fd))
INT_CALL(fflush, ENOSPC, (FILE * file), (file))
INT_CALL(rename, EIO, (const char *from, const char *to), (from, to))
INT_CALL(dup, EMFILE, (int fd), (fd))

#define MMAP_CALL(name)                                                                                                \
    void *__real_##name(void *at, size_t size, int protection, int flags, int fd, off_t offset);                       \
    void *__wrap_##name(void *at, size_t size, int protection, int flags, int fd, off_t offset);                       \
    void *__wrap_##name(void *at, size_t size, int protection, int flags, int fd, off_t offset)                        \
    {                                                                                                                  \
        if (fails(#name)) {                                                                                            \
            errno = ENOMEM;                                                                                            \
            return MAP_FAILED;                                                                                         \
        }                                                                                                              \
        return __real_##name(at, size, protection, flags, fd, offset);                                                 \
    }

MMAP_CALL(mmap)
MMAP_CALL(mmap64)

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    return fails("pthread_create") ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (fails("sendmsg")) {
        errno = ENOBUFS;
        return -1;
    }
    return __real_sendmsg(fd, message, flags);
}

INT_CALL(sendmmsg, ENOBUFS, (int fd, struct mmsghdr *message, unsigned count, int flags), (fd, message, count, flags))

ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
    if (fails("write")) {
        errno = ENOSPC;
        return -1;
    }
    return __real_write(fd, data, bytes);
}

#define OPEN_CALL(name)                                                                                                \
    int __real_##name(const char *path, int flags, ...);                                                               \
    int __wrap_##name(const char *path, int flags, ...);                                                               \
    int __wrap_##name(const char *path, int flags, ...)                                                                \
    {                                                                                                                  \
        mode_t mode = 0;                                                                                               \
        if ((flags & (O_CREAT | O_TMPFILE)) != 0) {                                                                    \
            va_list list;                                                                                              \
            va_start(list, flags);                                                                                     \
            mode = va_arg(list, mode_t);                                                                               \
            va_end(list);                                                                                              \
        }                                                                                                              \
        if (fails(#name)) {                                                                                            \
            errno = EMFILE;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        return __real_##name(path, flags, mode);                                                                       \
    }

OPEN_CALL(open)
OPEN_CALL(open64)

/* --- SQLite's allocations --- */

static sqlite3_mem_methods sqlite_memory;

static bool sqlite_fails(void)
{
    bool result;
    (void)pthread_mutex_lock(&lock);
    result = counted(&sqlite_calls, SQLITE_SITE);
    (void)pthread_mutex_unlock(&lock);
    return result;
}

static void *sqlite_malloc(int bytes)
{
    return sqlite_fails() ? NULL : sqlite_memory.xMalloc(bytes);
}

static void *sqlite_realloc(void *old, int bytes)
{
    return sqlite_fails() ? NULL : sqlite_memory.xRealloc(old, bytes);
}

/* --- begin and end --- */

static void write_sites(void)
{
    FILE *out = __real_fopen(sites_path, "a");
    if (out == NULL)
        return;
    for (uint32_t i = 0; i < SITES; i++)
        if (table[i].id != 0)
            (void)fprintf(out, "%s %llu %llu\n", table[i].name, (unsigned long long)table[i].id,
                          (unsigned long long)table[i].calls);
    (void)fprintf(out, "sqlite %d %llu\n", SQLITE_SITE, (unsigned long long)sqlite_calls);
    (void)fclose(out);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TORTURE_FAIL");
    char *end;
    sqlite3_mem_methods shim;
    sites_path = getenv("TORTURE_SITES");
    if (text != NULL) {
        fail_site = strtoull(text, &end, 10);
        fail_at = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
        failing = fail_at > 0;
    }
    if (sites_path == NULL && !failing)
        return;
    (void)sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory);
    shim = sqlite_memory;
    shim.xMalloc = sqlite_malloc;
    shim.xRealloc = sqlite_realloc;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &shim);
    if (sites_path != NULL)
        (void)atexit(write_sites);
}
