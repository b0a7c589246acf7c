/* src/base/text/spawn.c - see spawn.h. */
#include "text/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

char *const *weir_spawn_argv(const char **argv)
{
    union {
        const char **in;
        char *const *out;
    } u = { .in = argv };
    return u.out;
}

static int redirect(int to, const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    if (fd < 0 || fd == to)
        return fd < 0 ? errno : 0;
    if (dup2(fd, to) < 0)
        return errno;
    (void)close(fd);
    return 0;
}

/* Makes the kernel send SIGTERM to this process when the parent ends, so that no run of hours is left behind. Fails
 * with ESRCH if the parent ended before the request. @return 0 or an errno */
static int end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
        return errno;
    return getppid() == parent ? 0 : ESRCH;
}

/* Sets up the child process and executes the program in it; called in the child. posix_spawn() is not used: it cannot
 * request a signal for the end of the parent. @return an errno; does not return on success */
static int become(const char *program, const char **argv, const char *out, const char *err, const sigset_t *mask,
                  pid_t parent)
{
    const int write = O_WRONLY | O_CREAT | O_TRUNC;
    int error = end_with(parent);
    if (error == 0)
        error = redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (error == 0)
        error = redirect(STDOUT_FILENO, out, write);
    if (error == 0)
        error = redirect(STDERR_FILENO, err, write);
    if (error == 0 && (setpgid(0, 0) != 0 || sigprocmask(SIG_SETMASK, mask, NULL) != 0))
        error = errno;
    if (error != 0)
        return error;
    (void)execvp(program, weir_spawn_argv(argv));
    return errno;
}

/* Waits until the child has executed the program or has failed to. fd: read end of a pipe, whose write end in the child
 * a successful exec closes. @return 0; or the errno of the child, after waitpid() for it */
static int ask(int fd, pid_t pid)
{
    int error = 0;
    ssize_t length;
    while ((length = read(fd, &error, sizeof(error))) < 0 && errno == EINTR)
        ;
    if (length != (ssize_t)sizeof(error))
        return 0;
    (void)waitpid(pid, NULL, 0);
    return error;
}

int weir_spawn(pid_t *pid, const char *program, const char **argv, const char *out, const char *err,
               const sigset_t *mask)
{
    pid_t parent = getpid(), child;
    int fd[2], error = 0;
    *pid = 0;
    if (pipe(fd) != 0)
        return errno;
    (void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    child = fork();
    if (child == 0) {
        (void)close(fd[0]);
        error = become(program, argv, out, err, mask, parent);
        _exit(write(fd[1], &error, sizeof(error)) < 0 ? 126 : 127);
    }
    if (child < 0)
        error = errno;
    (void)close(fd[1]);
    if (error == 0)
        error = ask(fd[0], child);
    (void)close(fd[0]);
    if (error == 0)
        *pid = child;
    return error;
}
