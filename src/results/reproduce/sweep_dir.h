/* src/results/reproduce/sweep_dir.h - the temporary folder of a sweep: the files of an experiment that is in the
 * binary, so that its scenarios can name them, and what the runs write. Nothing of it is left at the end, however the
 * sweep ends. */
#ifndef WEIR_REPRODUCE_SWEEP_DIR_H
#define WEIR_REPRODUCE_SWEEP_DIR_H
#include "reproduce/origin.h"
#include <signal.h>
#include <stdbool.h>

#define WEIR_SWEEP_DIR_MAX 512u

struct weir_sweep_dir {
    const struct weir_origin *origin;
    char path[WEIR_SWEEP_DIR_MAX];
    const char *base;          /* where names in scenarios start: path, or the experiment's own folder */
    sigset_t awaited, outside; /* blocked while the folder is there: the former; the mask as it was */
    bool is_open;
};

/**
 * Makes the folder in $TMPDIR, else /tmp, and from then on SIGINT, SIGTERM and SIGHUP wait until someone takes them
 * from the queue or the folder is gone. What the caller had set to be ignored stays ignored.
 * @param arena  of the experiment
 * @return 0, or a code with err; then nothing is left to close
 */
int weir_sweep_dir_open(struct weir_sweep_dir *dir, const struct weir_origin *origin, struct weir_tree_arena *arena,
                        struct weir_err *err);

/* Writes the path by which the runs find one of the experiment's files; an absolute path stays. Cut where out has no
 * room. */
void weir_sweep_dir_file(const struct weir_sweep_dir *dir, const char *file, char *out, size_t size);

/* Returns the signal that waits to end the command; 0 = none. */
int weir_sweep_dir_signal(const struct weir_sweep_dir *dir);

/* Removes the folder; a signal that waited arrives now. Harmless when it is not open. */
void weir_sweep_dir_close(struct weir_sweep_dir *dir);
#endif
