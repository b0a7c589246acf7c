/* src/base/text/spawn.h - a process whose output goes to files. */
#ifndef WEIR_TEXT_SPAWN_H
#define WEIR_TEXT_SPAWN_H
#include <signal.h>
#include <sys/types.h>

/* Returns argv as posix_spawn() and execvp() take it: they have no const for what they do not change. */
char *const *weir_spawn_argv(const char **argv);

/**
 * Starts a program with nothing on stdin, in a process group of its own, so that a signal from the terminal reaches
 * this program alone. It gets a SIGTERM when this program ends, however it ends.
 * @param pid      0 if it did not start: a pid of -1 would be everybody to kill()
 * @param program  a path, or a name that $PATH finds
 * @param out      file that its stdout goes to, emptied first; err: its stderr, likewise
 * @param mask     its blocked signals
 * @return 0 or an errno
 */
int weir_spawn(pid_t *pid, const char *program, const char **argv, const char *out, const char *err,
               const sigset_t *mask);
#endif
