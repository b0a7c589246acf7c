/* test/unit/fault.c - see fault.h. */
#define _GNU_SOURCE
#include "test/unit/fault.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WEIR_HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#endif

enum { CALLS = 128, FILES_MAX = 1024, ROWS_MAX = 64 };

static struct {
    const char *call;
    uint32_t count;
} counted[CALLS];
static const char *failing = "";
static uint32_t failing_nth;
static int failing_number;
static bool is_paused;
static int64_t blocks, mapped_pages; /* that were allocated, or mapped, and are not freed */
static int sqlite_number;            /* of the last call of SQLite that failed here; 0 = none has */

/* Counts a call. @return the number with which it fails; 0 = it does not */
static int fault_of(const char *call)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t i = 0;
    int number;
    if (is_paused)
        return 0;
    (void)pthread_mutex_lock(&lock);
    while (i < CALLS - 1 && counted[i].call != NULL && strcmp(counted[i].call, call) != 0)
        i++;
    counted[i].call = call;
    counted[i].count++;
    number = counted[i].count == failing_nth && strcmp(call, failing) == 0 ? failing_number : 0;
    (void)pthread_mutex_unlock(&lock);
    return number;
}

uint32_t fault_calls(const char *call)
{
    for (size_t i = 0; i < CALLS && counted[i].call != NULL; i++)
        if (strcmp(counted[i].call, call) == 0)
            return counted[i].count;
    return 0;
}

void fault_set(const char *call, uint32_t nth, int number)
{
    memset(counted, 0, sizeof(counted));
    failing = call;
    failing_nth = nth;
    failing_number = number;
    sqlite_number = 0;
}

void fault_clear(void)
{
    fault_set("", 0, 0);
}

void fault_pause(bool paused)
{
    is_paused = paused;
}

/* ---- the calls ---- */

/* One call in place of another; meson.build reads the names here. bad: what it returns when it fails, where `number` is the number. */
#define FAULT(name, type, bad, parameters, arguments)                                                                  \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        int number = fault_of(#name);                                                                                  \
        if (number == 0)                                                                                               \
            return __real_##name arguments;                                                                            \
        errno = number;                                                                                                \
        return bad;                                                                                                    \
    }

/* Declares a call that is written out below. */
#define FAULT_OWN(name, type, parameters)                                                                              \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;

/* Those that allocate: what they give is counted until free() takes it, so that nothing is forgotten. */
#define FAULT_MEMORY(name, type, parameters, arguments)                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        int number = fault_of(#name);                                                                                  \
        type memory = number == 0 ? __real_##name arguments : NULL;                                                    \
        if (number != 0)                                                                                               \
            errno = number;                                                                                            \
        (void)__atomic_add_fetch(&blocks, memory != NULL, __ATOMIC_RELAXED);                                           \
        return memory;                                                                                                 \
    }

FAULT_MEMORY(malloc, void *, (size_t size), (size))
FAULT_MEMORY(calloc, void *, (size_t count, size_t size), (count, size))
FAULT_MEMORY(aligned_alloc, void *, (size_t alignment, size_t size), (alignment, size))
FAULT_MEMORY(strdup, char *, (const char *text), (text))
FAULT_MEMORY(strndup, char *, (const char *text, size_t most), (text, most))
FAULT_MEMORY(realpath, char *, (const char *path, char *resolved), (path, resolved))
FAULT_MEMORY(open_memstream, FILE *, (char **text, size_t *size), (text, size)) /* of the text, which is freed */

FAULT_OWN(realloc, void *, (void *old, size_t size))
void *__wrap_realloc(void *old, size_t size)
{
    int number = fault_of("realloc");
    void *memory = number == 0 ? __real_realloc(old, size) : NULL;
    if (number != 0)
        errno = number;
    (void)__atomic_add_fetch(&blocks, old == NULL && memory != NULL, __ATOMIC_RELAXED);
    return memory;
}

static int64_t pages_of(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (int64_t)((bytes + page - 1) / page);
}

FAULT_OWN(mmap64, void *, (void *at, size_t size, int protection, int flags, int fd, off_t offset))
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    int number = fault_of("mmap64");
    void *memory = number == 0 ? __real_mmap64(at, size, protection, flags, fd, offset) : MAP_FAILED;
    if (number != 0)
        errno = number;
    (void)__atomic_add_fetch(&mapped_pages, memory != MAP_FAILED ? pages_of(size) : 0, __ATOMIC_RELAXED);
    return memory;
}

FAULT_OWN(munmap, int, (void *memory, size_t size))
int __wrap_munmap(void *memory, size_t size)
{
    (void)__atomic_sub_fetch(&mapped_pages, pages_of(size), __ATOMIC_RELAXED); /* perhaps of a part */
    return __real_munmap(memory, size);
}

FAULT_OWN(free, void, (void *memory))
void __wrap_free(void *memory)
{
    (void)__atomic_sub_fetch(&blocks, memory != NULL, __ATOMIC_RELAXED);
    __real_free(memory);
}

FAULT(pread64, ssize_t, -1, (int fd, void *data, size_t bytes, off_t at), (fd, data, bytes, at))
FAULT(fopen64, FILE *, NULL, (const char *path, const char *mode), (path, mode))
FAULT(fdopen, FILE *, NULL, (int fd, const char *mode), (fd, mode))
FAULT(tmpfile64, FILE *, NULL, (void), ())
FAULT(opendir, DIR *, NULL, (const char *path), (path))
FAULT(fflush, int, EOF, (FILE * file), (file))
FAULT(fsync, int, -1, (int fd), (fd))
FAULT(rename, int, -1, (const char *from, const char *to), (from, to))
FAULT(unlinkat, int, -1, (int folder, const char *path, int flags), (folder, path, flags))
FAULT(mkdir, int, -1, (const char *path, mode_t mode), (path, mode))
FAULT(rmdir, int, -1, (const char *path), (path))
FAULT(access, int, -1, (const char *path, int mode), (path, mode))
FAULT(flock, int, -1, (int fd, int how), (fd, how))
FAULT(dup, int, -1, (int fd), (fd))
FAULT(dup2, int, -1, (int from, int to), (from, to))
FAULT(stat64, int, -1, (const char *path, struct stat *at), (path, at))
FAULT(lstat64, int, -1, (const char *path, struct stat *at), (path, at))
FAULT(fstat64, int, -1, (int fd, struct stat *at), (fd, at))
FAULT(statfs64, int, -1, (const char *path, struct statfs *at), (path, at))
FAULT(fstatfs64, int, -1, (int fd, struct statfs *at), (fd, at))
FAULT(mount, int, -1, (const char *from, const char *to, const char *type, unsigned long flags, const void *data),
      (from, to, type, flags, data))
FAULT(read, ssize_t, -1, (int fd, void *data, size_t bytes), (fd, data, bytes))
FAULT(write, ssize_t, -1, (int fd, const void *data, size_t bytes), (fd, data, bytes))
FAULT(pipe, int, -1, (int *fd), (fd))
FAULT(pipe2, int, -1, (int *fd, int flags), (fd, flags))
FAULT(fork, int, -1, (void), ())
FAULT(setns, int, -1, (int fd, int kind), (fd, kind))
FAULT(epoll_create1, int, -1, (int flags), (flags))
FAULT(epoll_ctl, int, -1, (int epoll, int what, int fd, struct epoll_event *event), (epoll, what, fd, event))
FAULT(epoll_wait, int, -1, (int epoll, struct epoll_event *event, int most, int timeout_ms),
      (epoll, event, most, timeout_ms))
FAULT(eventfd, int, -1, (unsigned value, int flags), (value, flags))
FAULT(pthread_create, int, number,
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context),
      (thread, attributes, start, context))
FAULT(socket, int, -1, (int domain, int type, int protocol), (domain, type, protocol))
FAULT(bind, int, -1, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
FAULT(connect, int, -1, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
FAULT(listen, int, -1, (int fd, int most), (fd, most))
FAULT(accept4, int, -1, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
FAULT(setsockopt, int, -1, (int fd, int level, int option, const void *value, socklen_t size),
      (fd, level, option, value, size))
FAULT(getsockopt, int, -1, (int fd, int level, int option, void *value, socklen_t *size),
      (fd, level, option, value, size))
FAULT(getsockname, int, -1, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
FAULT(sendmsg, ssize_t, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
FAULT(readv, ssize_t, -1, (int fd, const struct iovec *part, int count), (fd, part, count))
FAULT(send, ssize_t, -1, (int fd, const void *data, size_t bytes, int flags), (fd, data, bytes, flags))
FAULT(recv, ssize_t, -1, (int fd, void *data, size_t bytes, int flags), (fd, data, bytes, flags))
FAULT(getifaddrs, int, -1, (struct ifaddrs * *list), (list))
FAULT(if_nametoindex, unsigned, 0, (const char *name), (name))

/* SQLite's return their error, which is the database's until the next fault_set(). */
FAULT(sqlite3_open_v2, int, (*db = NULL, sqlite_number = number),
      (const char *path, sqlite3 **db, int flags, const char *vfs), (path, db, flags, vfs))
FAULT(sqlite3_prepare_v2, int, (*stmt = NULL, sqlite_number = number),
      (sqlite3 * db, const char *sql, int bytes, sqlite3_stmt **stmt, const char **end), (db, sql, bytes, stmt, end))
FAULT(sqlite3_step, int, (sqlite_number = number), (sqlite3_stmt * stmt), (stmt))
FAULT(sqlite3_exec, int, (sqlite_number = number),
      (sqlite3 * db, const char *sql, int (*row)(void *, int, char **, char **), void *context, char **text),
      (db, sql, row, context, text))

FAULT_OWN(sqlite3_errcode, int, (sqlite3 * db))
int __wrap_sqlite3_errcode(sqlite3 *db)
{
    return sqlite_number != 0 ? sqlite_number : __real_sqlite3_errcode(db);
}

FAULT_OWN(sqlite3_errmsg, const char *, (sqlite3 * db))
const char *__wrap_sqlite3_errmsg(sqlite3 *db)
{
    return sqlite_number != 0 ? sqlite3_errstr(sqlite_number) : __real_sqlite3_errmsg(db);
}

#ifdef WEIR_HAVE_BPF
FAULT(bpf_map_create, int, -number,
      (enum bpf_map_type type, const char *name, uint32_t key_bytes, uint32_t value_bytes, uint32_t most,
       const struct bpf_map_create_opts *opts),
      (type, name, key_bytes, value_bytes, most, opts))
FAULT(bpf_prog_load, int, -number,
      (enum bpf_prog_type type, const char *name, const char *license, const struct bpf_insn *insns, size_t count,
       struct bpf_prog_load_opts *opts),
      (type, name, license, insns, count, opts))
FAULT(bpf_link_create, int, -number,
      (int prog, int to, enum bpf_attach_type type, const struct bpf_link_create_opts *opts), (prog, to, type, opts))
FAULT(bpf_map_update_elem, int, -number, (int map, const void *key, const void *value, uint64_t flags),
      (map, key, value, flags))
FAULT(bpf_map_lookup_elem, int, -number, (int map, const void *key, void *value), (map, key, value))
FAULT(bpf_map_delete_elem, int, -number, (int map, const void *key), (map, key))
FAULT(bpf_map_get_next_key, int, -number, (int map, const void *key, void *next), (map, key, next))
FAULT(bpf_map_get_fd_by_id, int, -number, (uint32_t id), (id))
FAULT(bpf_prog_get_fd_by_id, int, -number, (uint32_t id), (id))
FAULT(bpf_obj_get_info_by_fd, int, -number, (int fd, void *info, uint32_t *size), (fd, info, size))
FAULT(bpf_obj_get, int, -number, (const char *path), (path))
FAULT(bpf_obj_pin, int, -number, (int fd, const char *path), (fd, path))
FAULT(bpf_object__open_mem, struct bpf_object *, NULL,
      (const void *bytes, size_t size, const struct bpf_object_open_opts *opts), (bytes, size, opts))
FAULT(bpf_object__load, int, -number, (struct bpf_object * object), (object))
FAULT(bpf_program__attach_cgroup, struct bpf_link *, NULL, (const struct bpf_program *program, int cgroup),
      (program, cgroup))
FAULT(bpf_map__attach_struct_ops, struct bpf_link *, NULL, (const struct bpf_map *map), (map))
FAULT(bpf_map__set_max_entries, int, -number, (struct bpf_map * map, uint32_t count), (map, count))
FAULT(bpf_tc_hook_create, int, -number, (struct bpf_tc_hook * hook), (hook))
FAULT(bpf_tc_attach, int, -number, (const struct bpf_tc_hook *hook, struct bpf_tc_opts *opts), (hook, opts))
FAULT(bpf_tc_query, int, -number, (const struct bpf_tc_hook *hook, struct bpf_tc_opts *opts), (hook, opts))
FAULT(libbpf_num_possible_cpus, int, -number, (void), ())
FAULT(ring_buffer__new, struct ring_buffer *, NULL,
      (int map, ring_buffer_sample_fn sample, void *context, const struct ring_buffer_opts *opts),
      (map, sample, context, opts))
#endif

/* Those with a last argument that may be missing. */
#define FAULT_MORE(name, last, parameters, arguments)                                                                  \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        int number = fault_of(#name);                                                                                  \
        va_list list;                                                                                                  \
        void *more;                                                                                                    \
        va_start(list, last);                                                                                          \
        more = va_arg(list, void *);                                                                                   \
        va_end(list);                                                                                                  \
        if (number == 0)                                                                                               \
            return __real_##name arguments;                                                                            \
        errno = number;                                                                                                \
        return -1;                                                                                                     \
    }

FAULT_MORE(open64, flags, (const char *path, int flags, ...), (path, flags, more))
FAULT_MORE(openat64, flags, (int folder, const char *path, int flags, ...), (folder, path, flags, more))
FAULT_MORE(ioctl, request, (int fd, unsigned long request, ...), (fd, request, more))

FAULT_OWN(syscall, long, (long call, ...))
long __wrap_syscall(long call, ...)
{
    int number = fault_of("syscall");
    va_list list;
    long more[6];
    va_start(list, call);
    for (int i = 0; i < 6; i++)
        more[i] = va_arg(list, long);
    va_end(list);
    if (number == 0)
        return __real_syscall(call, more[0], more[1], more[2], more[3], more[4], more[5]);
    errno = number;
    return -1;
}

/* ---- walks ---- */

uint32_t fault_open_files(void)
{
    uint32_t count = 0;
    for (int fd = 0; fd < FILES_MAX; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Finds the row of the nth call: the last that begins there or before. */
static const struct fault_row *row_of(const struct fault_row *row, const struct fault_row *end, uint32_t nth)
{
    while (row + 1 < end && strcmp(row[1].call, row->call) == 0 && row[1].nth <= nth)
        row++;
    return row;
}

/* Runs act() while the row's call fails the nth time. @return false = that was not as the row says */
static bool try(fault_act *act, const struct fault_row *row, uint32_t nth)
{
    struct weir_err err = { 0 };
    uint32_t files = fault_open_files(), left;
    int64_t had = blocks, had_pages = mapped_pages;
    int code;
    fault_set(row->call, nth, row->number);
    code = act(&err);
    if (fault_calls(row->call) < nth)
        print_error("%s %u: it was not called so often\n", row->call, nth);
    else if (fault_clear(), left = fault_open_files(), left != files)
        print_error("%s %u: %u files are open, and %u were\n", row->call, nth, left, files);
    else if (blocks != had || mapped_pages != had_pages)
        print_error("%s %u: %lld blocks and %lld pages of memory are left\n", row->call, nth, (long long)(blocks - had),
                    (long long)(mapped_pages - had_pages));
    else if (waitpid(-1, NULL, WNOHANG) != -1)
        print_error("%s %u: a child is left\n", row->call, nth);
    else if (code == 0 && err.text[0] == '\0' && (row->code & FAULT_OR_DONE) != 0)
        return true;
    else if (code != (row->code & ~FAULT_OR_DONE) || (row->word == NULL) != (err.text[0] == '\0') ||
             (row->word != NULL && strstr(err.text, row->word) == NULL))
        print_error("%s %u: returned %d with '%s', and not %d with '%s'\n", row->call, nth, code, err.text,
                    row->code & ~FAULT_OR_DONE, row->word != NULL ? row->word : "");
    else {
        if (row->word != NULL)
            refusal_record(&err);
        return true;
    }
    fault_clear();
    return false;
}

/* Lets each call of one function fail. row: the function's first; made: how many calls there are. @return how many did not end as
 * their rows say */
static uint32_t try_all(fault_act *act, const struct fault_row *row, const struct fault_row *end, uint32_t made)
{
    uint32_t wrong = 0;
    for (uint32_t nth = 1; nth <= made; nth++)
        wrong += !try(act, row_of(row, end, nth), nth);
    return wrong;
}

void fault_check(fault_act *act, const struct fault_row *rows, size_t count, const char *file, int line)
{
    struct weir_err err = { 0 };
    uint32_t made[ROWS_MAX], wrong = 0;
    assert_in_range(count, 1, ROWS_MAX);
    fault_clear();
    if (act(&err) != 0) {
        print_error("without a failure: %s\n", err.text);
        _fail(file, line);
    }
    for (size_t i = 0; i < count; i++)
        made[i] = fault_calls(rows[i].call);
    fault_clear();
    for (size_t i = 0; i < count; i++) {
        if (made[i] < rows[i].nth) {
            print_error("%s %u: was called %u times\n", rows[i].call, rows[i].nth, made[i]);
            wrong++;
        }
        if (i == 0 || strcmp(rows[i].call, rows[i - 1].call) != 0)
            wrong += try_all(act, &rows[i], rows + count, made[i]);
    }
    if (wrong > 0)
        _fail(file, line);
}
