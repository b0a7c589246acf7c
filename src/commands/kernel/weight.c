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

/* Runs the command and waits for it. @return its exit status, or 128 + signal */
static int run(const char *folder, char **argv)
{
    int status = 0;
    pid_t child;
    (void)signal(SIGINT, SIG_IGN); /* the terminal sends it to the command, too, which ends */
    (void)signal(SIGQUIT, SIG_IGN);
    child = fork();
    if (child == 0) {
        int error = enter(folder);
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGQUIT, SIG_DFL);
        if (error == 0)
            (void)execvp(argv[0], argv);
        (void)fprintf(stderr, "weir: %s: %s\n", error != 0 ? folder : argv[0], strerror(error != 0 ? error : errno));
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return WEIR_EXIT_FAILURE;
    return WIFSIGNALED(status) ? WEIR_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int weir_tcp_weight(int argc, char **argv)
{
    struct weight_args args = { 0 };
    struct weir_err err;
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
    if (make_cgroup(folder, sizeof(folder), &number, &err) != 0)
        return weir_cli_refused(&err);
    if (weir_law_weigh_cgroup("soze", number, args.weight_ppm / 1000, &err) != 0) {
        (void)rmdir(folder);
        return weir_cli_refused(&err);
    }
    status = run(folder, argv + skip);
    (void)weir_law_weigh_cgroup("soze", number, 0, &err);
    if (rmdir(folder) != 0)
        (void)fprintf(stderr, "weir: %s stays: processes of the command still run\n", folder);
    return status;
}
