/* src/transport/bpf/kernel_run.c - see kernel_run.h. */
#define _GNU_SOURCE
#include "bpf/kernel_run.h"
#include "text/spawn.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

enum { LINE = 256 };

static void fd_path(char *path, size_t size, FILE *file)
{
    (void)snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

/* Reads the first line of a file that was written through its path. */
static void first_line(FILE *file, char *line, int size)
{
    rewind(file);
    if (fgets(line, size, file) == NULL)
        (void)snprintf(line, (size_t)size, "it says nothing");
    line[strcspn(line, "\n")] = '\0';
}

int weir_kernel_run_args(const char *program, const char **argv, FILE *out, FILE *said, struct weir_err *err)
{
    char out_path[32] = "/dev/null", said_path[32], line[LINE];
    sigset_t mask;
    pid_t pid;
    int status = 0, error;
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    if (out != NULL)
        fd_path(out_path, sizeof(out_path), out);
    fd_path(said_path, sizeof(said_path), said);
    error = weir_spawn(&pid, program, argv, out_path, said_path, &mask);
    if (error != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "install Debian's package iproute2", "%s cannot be started: %s",
                         program, strerror(error));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    first_line(said, line, sizeof(line));
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s", program, line);
}

int weir_kernel_run(const char *program, FILE *commands, FILE *out, struct weir_err *err)
{
    char path[32];
    const char *argv[] = { program, "-batch", path, NULL };
    FILE *said = tmpfile();
    int code;
    if (said == NULL || commands == NULL || fflush(commands) != 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "no temporary file: %s", strerror(errno));
    else {
        fd_path(path, sizeof(path), commands);
        code = weir_kernel_run_args(program, argv, out, said, err);
    }
    if (said != NULL)
        (void)fclose(said);
    return code;
}
