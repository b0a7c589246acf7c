/* src/scenario/config/load.h - what the files that read a scenario share; no other file includes it. */
#ifndef WEIR_CONFIG_LOAD_H
#define WEIR_CONFIG_LOAD_H
#include "config/scenario.h"
#include "config/tree.h"

struct weir_load { /* one reading of one scenario */
    struct weir_scenario *scn;
    struct weir_tree_arena *arena;
    const char *path;        /* in the arena */
    struct weir_tree *file;  /* the file, overrides written into it */
    struct weir_tree preset; /* the protocol's preset, for every section */
    struct weir_err *err;
};

extern const char *const weir_load_sections[]; /* the keys at the top, NULL-terminated */

/* Writes short forms out: "protocol: dctcp" is short for "protocol: {name: dctcp}", "framing: ns2" for "framing:
 * {preset: ns2}". Inside `fabric` "routing: spray" is short for "routing: {mode: spray}"; features have short forms of
 * their own. */
int weir_load_widen(struct weir_load *l, struct weir_tree *root);
/* Joins a list of single values, parent.key: [1, 2], to the text "1, 2". */
int weir_load_join_list(struct weir_load *l, const struct weir_tree *parent, const char *key);
/* Widens one of them: a single value of parent.section becomes the map {key: value}. */
int weir_load_widen_key(struct weir_load *l, const struct weir_tree *parent, const char *section, const char *key);

/**
 * Finds a preset.
 * @param name   as in the file; text NULL = not given, which means the first row
 * @param whose  for the message: "protocol dctcp"
 * @param found  the row; NULL if none was named and there are none
 */
int weir_load_find_preset(struct weir_load *l, const struct weir_preset *rows, const struct weir_tok *name,
                          const char *whose, const struct weir_preset **found);

/* Writes a preset's "key: value" lines into a tree. A key whose first part is no section belongs to section `own`. */
int weir_load_plant_preset(struct weir_load *l, const struct weir_preset *preset, const char *own,
                           struct weir_tree *root);

/* Counts one more warning of the scenario. @return its place, for weir_fail(); NULL if WEIR_WARNINGS_MAX are kept
 * already */
struct weir_err *weir_load_warning(struct weir_load *l);

/* Interprets the tree: everything of the scenario but its owned texts. */
int weir_load_read(struct weir_load *l);
#endif
