/* src/results/reproduce/origin.h - location of the files of an experiment: the binary, or a folder of the user. */
#ifndef WEIR_REPRODUCE_ORIGIN_H
#define WEIR_REPRODUCE_ORIGIN_H
#include "config/tree.h"

#define WEIR_EXPERIMENT_FILE "experiment.yaml"

struct weir_origin {
    const char *id;   /* id of the experiment in results: "sird", or the last name of the folder, or the name of the
                         file without its ending */
    const char *dir;  /* folder of the experiment's files; NULL = in the binary */
    const char *file; /* name of the file that describes the experiment, in dir */
};

/**
 * Fills *origin for an experiment. Opens no file: a missing one is an error of weir_origin_read().
 * @param name   of an experiment in the binary ("sird"), or a folder, which has a '/'. *origin may keep a pointer to
 *               name
 * @param arena  owns the other texts of *origin
 * @return 0, or a code with err. WEIR_E_UNKNOWN: no such experiment in the binary, with the nearest names as the hint;
 *         or the name of the folder cannot be an id, as in "./"
 */
int weir_origin_find(struct weir_origin *origin, struct weir_tree_arena *arena, const char *name, struct weir_err *err);

/**
 * Fills *origin for an experiment in a file of any name: "a/net.yaml" has the id net, and the other files are in folder
 * a.
 * @param path  *origin keeps a pointer into path
 * @return 0, or a code with err; a missing file is an error of weir_origin_read()
 */
int weir_origin_of_file(struct weir_origin *origin, struct weir_tree_arena *arena, const char *path,
                        struct weir_err *err);

/* Returns the path of one of the experiment's files, to open the file and for messages: "sird/tiny.csv" in the binary.
 * A file with an absolute path, or of the folder ".", is returned unchanged. NULL = no memory. */
const char *weir_origin_path(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file);

/**
 * Reads one of the experiment's files, of 1 MiB at most. *text lives as long as the arena.
 * @param tok  position where the file is named, for err; NULL = nowhere
 * @return 0, or a code with err
 */
int weir_origin_read(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file,
                     const struct weir_tok *tok, const char **text, struct weir_err *err);

/* Returns the name of the next file of the experiment in the binary, and advances *at, which starts at 0. NULL = there
 * are no more, or the experiment is in a folder. */
const char *weir_origin_next(const struct weir_origin *origin, uint32_t *at);

/* Returns the name of the next experiment in the binary, in memory of the arena, and advances *at, which starts at 0.
 * NULL = there are no more, or no memory. */
const char *weir_origin_builtin(uint32_t *at, struct weir_tree_arena *arena);
#endif
