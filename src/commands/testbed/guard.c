/* src/commands/testbed/guard.c - see guard.h. */
#define _GNU_SOURCE /* pipe2() */
#include "testbed/guard.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 64 };

/* Says the status in a shell of its own, which SIGPIPE may end. At the end of its input it removes the testbed. */
static const char guard_text[] = "dir=$1 name=$2\n"
                                 "shift 2\n"
                                 "sh \"$dir/testbed\" up \"$@\" --name \"$name\" >\"$dir/script\" 2>&1 </dev/null\n"
                                 "(echo $?)\n"
                                 "exec >/dev/null\n"
                                 "read -r end || { sh \"$dir/testbed\" down --name \"$name\"; rm -rf \"$dir\"; }\n";

struct ends {  /* of the shell */
    int in[2]; /* a socket, since a shell that somebody has killed must not end this process by SIGPIPE: [0] is read */
    int out[2];
};

/* Becomes the shell. */
static _Noreturn void become(const struct ends *p, const char *const *args, const sigset_t *outside)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)setsid();
    (void)dup2(p->in[0], STDIN_FILENO);
    (void)dup2(p->out[1], STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)sigprocmask(SIG_SETMASK, outside, NULL);
    (void)execv("/bin/sh", (char *const *)(uintptr_t)args);
    _exit(127);
}

/* Reads the status, a decimal number. @return it, or -1 = the shell has ended */
static int read_status(int fd)
{
    int status = -1;
    char digit;
    ssize_t got;
    while ((got = read(fd, &digit, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got == 1 && digit == '\n')
            break;
        if (got == 1)
            status = 10 * (status < 0 ? 0 : status) + (digit - '0');
    }
    return status;
}

static int fail_start(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "a shell for the testbed cannot be started: %s", strerror(errno));
}

int weir_guard_start(struct weir_guard *guard, const char *folder, const char *name, const char *const *options,
                     const sigset_t *outside, int *status, struct weir_err *err)
{
    const char *args[ARGS_MAX] = { "sh", "-c", guard_text, "sh", folder, name };
    struct ends p;
    for (size_t count = 6; *options != NULL; options++) {
        WEIR_ASSERT(count < ARGS_MAX - 1);
        args[count++] = *options;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p.in) != 0)
        return fail_start(err);
    if (pipe2(p.out, O_CLOEXEC) != 0) {
        (void)close(p.in[0]);
        (void)close(p.in[1]);
        return fail_start(err);
    }
    *guard = (struct weir_guard){ .pid = fork(), .socket = p.in[1] };
    if (guard->pid == 0)
        become(&p, args, outside);
    (void)close(p.in[0]);
    (void)close(p.out[1]);
    *status = guard->pid > 0 ? read_status(p.out[0]) : -1;
    (void)close(p.out[0]);
    if (*status >= 0)
        return 0;
    if (guard->pid > 0)
        weir_guard_end(guard);
    else
        (void)close(p.in[1]);
    return fail_start(err);
}

void weir_guard_end(struct weir_guard *guard)
{
    WEIR_ASSERT(guard->pid > 0);
    while (send(guard->socket, "\n", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
    (void)close(guard->socket);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    guard->pid = 0;
}
