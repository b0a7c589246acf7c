/* src/commands/kernel/weight.c - `weir tcp weight`: runs a command in a cgroup of its own, whose sockets get a
 * weight. The cgroup goes when the command has ended. */
#define _GNU_SOURCE
#include "bpf/option.h"
#include "bpf/pins.h"
#include "core/units.h"
#include "kernel/tcp.h"
#include "param/param.h"
#include "text/print.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct weight_args {
    uint32_t weight_ppm;
};

static const struct weir_param weight_row =
    WEIR_PARAM_NAMED("weight", struct weight_args, weight_ppm, WEIR_KIND_PPM, 1000, 1000000000, 0, "of new sockets");

/* Makes a folder for a cgroup. @return 0, or a code with err */
static int make_cgroup(char *folder, size_t size, uint64_t *number, struct weir_err *err)
{
    char root[512];
    struct stat at;
    if (weir_cgroup_root(root, sizeof(root), err) != 0)
        return (int)err->code;
    (void)snprintf(folder, size, "%.400s/weir-weight-%ld", root, (long)getpid());
    (void)rmdir(folder); /* of an earlier process of this number, which was killed */
    if (mkdir(folder, 0755) != 0 || stat(folder, &at) != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, errno == EACCES || errno == EPERM ? "this takes root" : NULL,
                         "%s: cannot make the cgroup: %s", folder, strerror(errno));
    *number = at.st_ino;
    return 0;
}

/* Moves this process into a cgroup. @return 0, or an errno */
static int enter(const char *folder)
{
    char path[600];
    int fd, error = 0;
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    if (write(fd, "0\n", 2) != 2)
        error = errno;
    (void)close(fd);
    return error;
}

static void become(const char *folder, char **argv, const sigset_t *before)
{
    int error = enter(folder);
    (void)sigprocmask(SIG_SETMASK, before, NULL);
    if (error == 0)
        (void)execvp(argv[0], argv);
    (void)fprintf(stderr, "weir: %s: %s\n", error != 0 ? folder : argv[0], strerror(error != 0 ? error : errno));
    _exit(127);
}

/* Runs the command and waits for it. SIGTERM and SIGHUP are passed on to it; SIGINT comes to it from the terminal.
 * waited: the blocked signals, with SIGCHLD. before: signal mask of the command. @return its exit status, or 128 +
 * signal */
static int run(const char *folder, char **argv, const sigset_t *waited, const sigset_t *before)
{
    int status = 0, number;
    pid_t child = fork();
    if (child == 0)
        become(folder, argv, before);
    if (child < 0) {
        (void)fprintf(stderr, "weir: no process can be started: %s\n", strerror(errno));
        return WEIR_EXIT_FAILURE;
    }
    while (waitpid(child, &status, WNOHANG) == 0)
        if (sigwait(waited, &number) == 0 && (number == SIGTERM || number == SIGHUP))
            (void)kill(child, number);
    return WIFSIGNALED(status) ? WEIR_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int weir_tcp_weight(int argc, char **argv)
{
    static const int signals[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP };
    struct weight_args args = { 0 };
    struct weir_err err;
    sigset_t waited, before;
    char folder[512];
    uint64_t number = 0;
    int skip = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1, status;
    if (argc <= skip) {
        (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "weir tcp weight 2.5 iperf3 -c HOST -C weir_soze",
                        "tcp weight: needs a weight and a command");
        return weir_cli_refused(&err);
    }
    if (weir_param_set(&weight_row, &(struct weir_tok){ .text = argv[0] }, &args, &err) != 0)
        return weir_cli_refused(&err);
    (void)sigemptyset(&waited);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        (void)sigaddset(&waited, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &waited, &before); /* so that the cgroup is removed in any case */
    if (make_cgroup(folder, sizeof(folder), &number, &err) != 0)
        return weir_cli_refused(&err);
    if (weir_law_weigh_cgroup("soze", number, args.weight_ppm / 1000, &err) != 0) {
        (void)rmdir(folder);
        return weir_cli_refused(&err);
    }
    status = run(folder, argv + skip, &waited, &before);
    (void)weir_law_weigh_cgroup("soze", number, 0, &err);
    if (rmdir(folder) != 0)
        (void)fprintf(stderr, "weir: %s stays: processes of the command still run\n", folder);
    return status;
}
