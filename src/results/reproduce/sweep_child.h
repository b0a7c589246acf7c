/* src/results/reproduce/sweep_child.h - one run of a sweep as a child process. */
#ifndef WEIR_REPRODUCE_SWEEP_CHILD_H
#define WEIR_REPRODUCE_SWEEP_CHILD_H
#include "reproduce/plan.h"
#include "reproduce/sweep_dir.h"
#include <sys/types.h>

struct weir_child {
    pid_t pid; /* 0 = no child */
    struct weir_point *point;
    int64_t run;       /* number of the child's `running` row in the result file of the sweep; 0 = none */
    uint64_t start_ns; /* start, weir_wall_ns() */
    char part[WEIR_SWEEP_DIR_MAX + 16], log[WEIR_SWEEP_DIR_MAX + 16]; /* part: result file of the child. log: file with
                                                                         the stderr of the child */
};

/**
 * Starts `weir run` for a point and fills *child. The child has a process group of its own: Ctrl-C reaches only the
 * parent, which then ends the children. The signal mask of the child is dir->outside.
 * @param dir   open; the files part and log of the child are in this folder
 * @param slot  number in the names of these files; children that run at the same time have different ones
 * @return 0, or WEIR_E_RUN with err
 */
int weir_child_start(struct weir_child *child, const struct weir_plan *plan, struct weir_point *point,
                     const struct weir_sweep_dir *dir, uint32_t slot, struct weir_err *err);

/* Copies the stderr of the child, at most size - 1 bytes, without line breaks at the end; "" if the child printed
 * nothing. */
void weir_child_said(const struct weir_child *child, char *out, size_t size);

/* Prints the stderr of the child on stderr, with two blanks before each line. */
void weir_child_show(const struct weir_child *child);

/* Removes the two files of a child, and the helper files of SQLite. */
void weir_child_clean(const struct weir_child *child);

/* Runs this program with argv, discards the stdout of the new process, and waits for the end. argv ends with NULL;
 * argv[0] is set here. @return the exit status; -1 = the program could not be started, or a signal ended it */
int weir_child_call(const char **argv);
#endif
