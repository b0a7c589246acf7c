/* src/commands/testbed/guard.h - a shell that builds a testbed, and removes it if this process ends without doing so:
 * after a crash, or by kill -9. */
#ifndef WEIR_TESTBED_GUARD_H
#define WEIR_TESTBED_GUARD_H
#include "core/err.h"
#include <signal.h>
#include <sys/types.h>

struct weir_guard {
    pid_t pid;
    int socket; /* while it is open, the shell waits */
};

/**
 * Starts the shell, and waits until it has built the testbed. Then the shell waits for weir_guard_end(), or for the end
 * of this process: it removes the testbed and the folder. It survives signals to the process group.
 * @param folder   a temporary folder with the script, testbed; what the script prints goes to its file `script`
 * @param options  of the script's up, NULL-terminated
 * @param name     of the testbed, for the script's --name
 * @param outside  the signal mask that the shell gets
 * @param status   set to the exit status of the script; when it is not 0, the shell waits all the same
 * @return 0, or WEIR_E_RUN with err; then there is no shell
 */
int weir_guard_start(struct weir_guard *guard, const char *folder, const char *name, const char *const *options,
                     const sigset_t *outside, int *status, struct weir_err *err);

/* Ends the shell: this process has removed the testbed. */
void weir_guard_end(struct weir_guard *guard);
#endif
