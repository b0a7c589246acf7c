/* test/cli/signal_at.c - raises a signal at the n-th call of a function, in a program that loads this with LD_PRELOAD: so a test
 * interrupts a command at a certain stage, and not after some time. The program's children go undisturbed.
 * WEIR_SIGNAL_AT=FUNCTION:N:SIGNAL; without it the calls are counted, and written to the file WEIR_SIGNAL_COUNTS at the end. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct sqlite3;
struct sqlite3_stmt;

enum function { OPEN, STEP, EXEC, CLOSE, RENAME, FSYNC, FDATASYNC, PWRITE, WAITPID, FLOCK, PPOLL, FUNCTIONS };
static const char *const names[FUNCTIONS] = { "sqlite3_open_v2", "sqlite3_step", "sqlite3_exec", "sqlite3_close",
                                              "rename",          "fsync",        "fdatasync",    "pwrite64",
                                              "waitpid",         "flock",        "ppoll" };

static struct {
    uint64_t calls[FUNCTIONS];
    int function, number; /* FUNCTIONS: none */
    uint64_t at;
    pid_t owner;
} state = { .function = FUNCTIONS };

/* Reads what is wanted. Only the first process that loads this has it. */
__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("WEIR_SIGNAL_AT"), *colon = wanted != NULL ? strchr(wanted, ':') : NULL;
    char pid[24];
    if (getenv("WEIR_SIGNAL_OWNER") != NULL)
        return;
    state.owner = getpid();
    (void)snprintf(pid, sizeof(pid), "%d", (int)state.owner);
    (void)setenv("WEIR_SIGNAL_OWNER", pid, 1);
    for (int i = 0; colon != NULL && i < FUNCTIONS; i++)
        if (strlen(names[i]) == (size_t)(colon - wanted) && strncmp(wanted, names[i], (size_t)(colon - wanted)) == 0)
            state.function = i;
    if (colon == NULL)
        return;
    state.at = strtoull(colon + 1, (char **)(uintptr_t)&colon, 10);
    state.number = atoi(colon + 1);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("WEIR_SIGNAL_COUNTS");
    FILE *file = path != NULL && state.owner == getpid() ? fopen(path, "w") : NULL;
    for (int i = 0; file != NULL && i < FUNCTIONS; i++)
        (void)fprintf(file, "%s %llu\n", names[i], (unsigned long long)state.calls[i]);
    if (file != NULL)
        (void)fclose(file);
}

/* Counts a call, and raises the signal if it is the one. @return the function itself, of the next object */
static void *reach(enum function f)
{
    uint64_t call = __atomic_add_fetch(&state.calls[f], 1, __ATOMIC_RELAXED);
    if ((int)f == state.function && call == state.at && state.owner == getpid())
        (void)kill(state.owner, state.number);
    return dlsym(RTLD_NEXT, names[f]);
}

int sqlite3_open_v2(const char *name, struct sqlite3 **db, int flags, const char *vfs);
int sqlite3_step(struct sqlite3_stmt *stmt);
int sqlite3_exec(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *ctx,
                 char **message);
int sqlite3_close(struct sqlite3 *db);
int flock(int fd, int operation);

int sqlite3_open_v2(const char *name, struct sqlite3 **db, int flags, const char *vfs)
{
    return (__extension__(int (*)(const char *, struct sqlite3 **, int, const char *)) reach(OPEN))(name, db, flags,
                                                                                                    vfs);
}

int sqlite3_step(struct sqlite3_stmt *stmt)
{
    return (__extension__(int (*)(struct sqlite3_stmt *)) reach(STEP))(stmt);
}

int sqlite3_exec(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *ctx,
                 char **message)
{
    return (__extension__(int (*)(struct sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *,
                                  char **)) reach(EXEC))(db, sql, row, ctx, message);
}

int sqlite3_close(struct sqlite3 *db)
{
    return (__extension__(int (*)(struct sqlite3 *)) reach(CLOSE))(db);
}

int rename(const char *from, const char *to)
{
    return (__extension__(int (*)(const char *, const char *)) reach(RENAME))(from, to);
}

int fsync(int fd)
{
    return (__extension__(int (*)(int)) reach(FSYNC))(fd);
}

int fdatasync(int fd)
{
    return (__extension__(int (*)(int)) reach(FDATASYNC))(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    return (__extension__(ssize_t(*)(int, const void *, size_t, off64_t)) reach(PWRITE))(fd, data, size, at);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    return (__extension__(pid_t(*)(pid_t, int *, int)) reach(WAITPID))(pid, status, options);
}

int flock(int fd, int operation)
{
    return (__extension__(int (*)(int, int)) reach(FLOCK))(fd, operation);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    return (__extension__(int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))
                reach(PPOLL))(fds, count, most, mask);
}
