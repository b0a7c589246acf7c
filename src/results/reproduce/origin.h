/* src/results/reproduce/origin.h - the origin of an experiment's files: the binary, or a folder of the user's. */
#ifndef WEIR_REPRODUCE_ORIGIN_H
#define WEIR_REPRODUCE_ORIGIN_H
#include "config/tree.h"

#define WEIR_EXPERIMENT_FILE "experiment.yaml"

struct weir_origin {
    const char *id;   /* what results call the experiment: "sird", or the folder's last name */
    const char *dir;  /* NULL = in the binary */
    const char *file; /* the one that describes it, in dir */
};

/**
 * Finds an experiment.
 * @param name  one that is in the binary ("sird"), or a folder with an experiment.yaml; anything with a '/' is a folder
 * @param arena  keeps the texts of origin
 * @return 0, or WEIR_E_UNKNOWN with what there is as hint
 */
int weir_origin_find(struct weir_origin *origin, struct weir_tree_arena *arena, const char *name, struct weir_err *err);

/**
 * Finds an experiment whose file has a name of its own, "a/net.yaml": it is called net, and its other files are in
 * folder a.
 * @return 0, or a code with err; whether the file is there is seen when it is read
 */
int weir_origin_of_file(struct weir_origin *origin, struct weir_tree_arena *arena, const char *path,
                        struct weir_err *err);

/* Returns the path of one of its files, for messages and to open it: "sird/tiny.csv" in the binary. NULL = no memory */
const char *weir_origin_path(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file);

/**
 * Reads one of its files.
 * @param tok   where it is named, for the message; NULL = nowhere
 * @return 0, or a code with err
 */
int weir_origin_read(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file,
                     const struct weir_tok *tok, const char **text, struct weir_err *err);

/* Returns the name of one of its files per call, if it is in the binary: starts at 0; NULL = no more, or it is a
 * folder. */
const char *weir_origin_next(const struct weir_origin *origin, uint32_t *at);

/* Returns the name of one experiment in the binary per call: starts at 0; NULL = no more. */
const char *weir_origin_builtin(uint32_t *at, struct weir_tree_arena *arena);
#endif
