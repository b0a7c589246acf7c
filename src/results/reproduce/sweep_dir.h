/* src/results/reproduce/sweep_dir.h - the temporary folder of a sweep, into which the runs write. For an experiment in
 * the binary, the folder also has copies of the experiment's files, so that scenarios can name them. The folder is
 * removed when the sweep ends, also after SIGINT, SIGTERM or SIGHUP. */
#ifndef WEIR_REPRODUCE_SWEEP_DIR_H
#define WEIR_REPRODUCE_SWEEP_DIR_H
#include "reproduce/origin.h"
#include <signal.h>
#include <stdbool.h>

#define WEIR_SWEEP_DIR_MAX 512u

struct weir_sweep_dir {
    const struct weir_origin *origin;
    char path[WEIR_SWEEP_DIR_MAX];
    const char *base;          /* folder to which names in scenarios are relative: path, or the experiment's own
                                  folder */
    sigset_t awaited, outside; /* awaited: signals that are blocked while the folder exists. outside: the signal mask
                                  before */
    bool is_open;
};

/**
 * Makes the folder in $TMPDIR, else in /tmp, and copies the files of an experiment in the binary there. From then on
 * SIGCHLD, SIGINT, SIGTERM and SIGHUP are blocked, and stay pending until sigtimedwait() takes them or the folder is
 * closed. Of the last three, those that the process ignores are not blocked. SIGCHLD is set to its default action.
 * @param arena  of the experiment
 * @return 0, or a code with err; then nothing is left to close
 */
int weir_sweep_dir_open(struct weir_sweep_dir *dir, const struct weir_origin *origin, struct weir_tree_arena *arena,
                        struct weir_err *err);

/* Writes the path by which a child finds one of the experiment's files; an absolute path is written unchanged. Cut to
 * size - 1 bytes. */
void weir_sweep_dir_file(const struct weir_sweep_dir *dir, const char *file, char *out, size_t size);

/* Returns a pending SIGINT, SIGTERM or SIGHUP, by which the command is to end; 0 = none, or the folder is not open. */
int weir_sweep_dir_signal(const struct weir_sweep_dir *dir);

/* Removes the folder and the copies in it, and restores the signal mask: a pending signal arrives now. Does nothing if
 * the folder is not open. */
void weir_sweep_dir_close(struct weir_sweep_dir *dir);
#endif
