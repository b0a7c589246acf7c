/* src/base/text/spawn.h - starts a child process whose output goes to files. */
#ifndef WEIR_TEXT_SPAWN_H
#define WEIR_TEXT_SPAWN_H
#include <signal.h>
#include <sys/types.h>

/* Returns argv with the type that execvp() requires, which lacks a const although it changes no string. */
char *const *weir_spawn_argv(const char **argv);

/**
 * Starts a program with /dev/null as stdin, in a process group of its own, so that a signal from the terminal does not
 * reach the program. The program gets SIGTERM when the thread that called this function ends, for whatever reason.
 * @param pid      set to the process id; on error set to 0, not to -1, because kill(-1) would signal all processes
 * @param program  a path, or a name that is searched in $PATH
 * @param out      file for its stdout; emptied first
 * @param err      file for its stderr; emptied first
 * @param mask     signal mask of the program: the signals that are blocked in it
 * @return 0 or an errno
 */
int weir_spawn(pid_t *pid, const char *program, const char **argv, const char *out, const char *err,
               const sigset_t *mask);
#endif
