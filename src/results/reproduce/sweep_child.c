/* src/results/reproduce/sweep_child.c - see sweep_child.h. */
#include "reproduce/sweep_child.h"
#include "text/clock.h"
#include "text/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGS_MAX = 2 * WEIR_POINT_SETTINGS_MAX + 24, NAME = 512, PATH_BYTES = 4096 };

/* The file of the running program, even if found by $PATH or replaced on disk since the start. */
static const char program[] = "/proc/self/exe";

int weir_child_start(struct weir_child *child, const struct weir_plan *plan, struct weir_point *point,
                     const struct weir_sweep_dir *dir, uint32_t slot, struct weir_err *err)
{
    char sweep[PATH_BYTES], scenario[PATH_BYTES], most[24];
    const char *argv[ARGS_MAX] = { "weir",  "run",     scenario,    "--threads", "1",         "--json", "--progress",
                                   "never", "--label", point->name, "-o",        child->part, "--sweep" };
    size_t count = 13;
    int error;
    *child = (struct weir_child){ .point = point, .start_ns = weir_wall_ns() };
    weir_sweep_dir_file(dir, point->scenario, scenario, sizeof(scenario));
    (void)snprintf(child->part, sizeof(child->part), "%s/%u.db", dir->path, (unsigned)slot);
    (void)snprintf(child->log, sizeof(child->log), "%s/%u.err", dir->path, (unsigned)slot);
    (void)snprintf(sweep, sizeof(sweep), "%s/%s/%s", plan->exp->origin.id, point->figure->name, point->name);
    argv[count++] = sweep;
    (void)snprintf(most, sizeof(most), "%u", (unsigned)plan->keep_messages);
    argv[count++] = plan->keep_messages > 0 ? "--keep-messages" : "--no-messages";
    if (plan->keep_messages > 0)
        argv[count++] = most;
    if (plan->finds_lengths)
        argv[count++] = "--find-length";
    for (uint32_t i = 0; i < point->set_count; i++) {
        argv[count++] = "--set";
        argv[count++] = point->set[i].text;
    }
    error = weir_spawn(&child->pid, program, argv, "/dev/null", child->log, &dir->outside);
    if (error != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "a run cannot be started: %s", strerror(error));
    return 0;
}

void weir_child_said(const struct weir_child *child, char *out, size_t size)
{
    FILE *log = fopen(child->log, "r");
    size_t length = log != NULL ? fread(out, 1, size - 1, log) : 0;
    while (length > 0 && out[length - 1] == '\n')
        length--;
    out[length] = '\0';
    if (log != NULL)
        (void)fclose(log);
}

void weir_child_show(const struct weir_child *child)
{
    char line[NAME];
    FILE *log = fopen(child->log, "r");
    while (log != NULL && fgets(line, sizeof(line), log) != NULL)
        (void)fprintf(stderr, "  %s%s", line, strchr(line, '\n') != NULL ? "" : "\n");
    if (log != NULL)
        (void)fclose(log);
}

void weir_child_clean(const struct weir_child *child)
{
    static const char *const suffix[] = { "", "-wal", "-shm", "-journal" };
    char path[sizeof(child->part) + 16];
    for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", child->part, suffix[i]);
        (void)unlink(path);
    }
    (void)unlink(child->log);
}

int weir_child_call(const char **argv)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status, error = posix_spawn_file_actions_init(&files);
    if (error != 0)
        return -1;
    argv[0] = "weir";
    error = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawn(&pid, program, &files, NULL, weir_spawn_argv(argv), environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
