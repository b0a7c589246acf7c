/* src/cli/spawn.c - see spawn.h. */
#include "cli/spawn.h"
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

char *const *weir_spawn_argv(const char **argv)
{
    union {
        const char **in;
        char *const *out;
    } u = { .in = argv };
    return u.out;
}

static int redirect(posix_spawn_file_actions_t *files, const char *out, const char *err)
{
    const int write = O_WRONLY | O_CREAT | O_TRUNC;
    int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, out, write, 0600);
    return error == 0 ? posix_spawn_file_actions_addopen(files, STDERR_FILENO, err, write, 0600) : error;
}

static int start(pid_t *pid, const char *program, const char **argv, const posix_spawn_file_actions_t *files,
                 const sigset_t *mask)
{
    posix_spawnattr_t attr;
    int error = posix_spawnattr_init(&attr);
    if (error != 0)
        return error;
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setpgroup(&attr, 0);
    (void)posix_spawnattr_setsigmask(&attr, mask);
    error = posix_spawnp(pid, program, files, &attr, weir_spawn_argv(argv), environ);
    (void)posix_spawnattr_destroy(&attr);
    return error;
}

int weir_spawn(pid_t *pid, const char *program, const char **argv, const char *out, const char *err,
               const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0)
        return error;
    error = redirect(&files, out, err);
    if (error == 0)
        error = start(pid, program, argv, &files, mask);
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}
