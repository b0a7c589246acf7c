/* src/results/reproduce/sweep_child.h - one run of a sweep as a child process. */
#ifndef WEIR_REPRODUCE_SWEEP_CHILD_H
#define WEIR_REPRODUCE_SWEEP_CHILD_H
#include "reproduce/plan.h"
#include "reproduce/sweep_dir.h"
#include <sys/types.h>

struct weir_child {
    pid_t pid; /* 0 = no child */
    struct weir_point *point;
    int64_t run;       /* its row in the result file of the sweep: `running`; 0 = none */
    uint64_t start_ns; /* real time */
    char part[WEIR_SWEEP_DIR_MAX + 16], log[WEIR_SWEEP_DIR_MAX + 16]; /* its result file; its stderr */
};

/**
 * Starts `weir run` for a point, in a process group of its own so that Ctrl-C reaches only the parent, who passes it
 * on.
 * @param dir  for the two files; `slot` keeps those of children apart. The child's signals are those outside it
 * @return 0, or WEIR_E_RUN with err
 */
int weir_child_start(struct weir_child *child, const struct weir_plan *plan, struct weir_point *point,
                     const struct weir_sweep_dir *dir, uint32_t slot, struct weir_err *err);

/* Copies what the child printed on stderr, as much as there is room for, without a line break at the end. */
void weir_child_said(const struct weir_child *child, char *out, size_t size);

/* Prints what the child printed on stderr, two blanks before each line. */
void weir_child_show(const struct weir_child *child);

/* Removes its files. */
void weir_child_clean(const struct weir_child *child);

/* Runs this program with argv (argv[0] is set here), its stdout thrown away, and waits. @return its exit status, or
 * -1 */
int weir_child_call(const char **argv);
#endif
