/* src/scenario/config/load.h - declarations shared by the source files that read a scenario; no other file includes
 * this header. */
#ifndef WEIR_CONFIG_LOAD_H
#define WEIR_CONFIG_LOAD_H
#include "config/scenario.h"
#include "config/tree.h"

struct weir_load { /* state while one scenario is read */
    struct weir_scenario *scn;
    struct weir_tree_arena *arena;
    const char *path;        /* path of the scenario file; lies in the arena */
    struct weir_tree *file;  /* tree of the file, with the overrides */
    struct weir_tree preset; /* tree of the protocol's preset: a map with keys of any section */
    /* the same of the protocols of traffic items, of their sections `deploy`, and of items of `hosts`; all zeros where
     * there is no such protocol */
    struct weir_tree item_preset[WEIR_TRAFFIC_MAX], deploy_preset[WEIR_TRAFFIC_MAX], hosts_preset[WEIR_HOST_ITEMS_MAX];
    struct weir_err *err;
};

/* Names of the sections, which are the keys at the top of a scenario; NULL-terminated. */
extern const char *const weir_load_sections[];

/* Expands the short forms in a tree: "protocol: dctcp" becomes "protocol: {name: dctcp}", and "framing: ns2" becomes
 * "framing: {preset: ns2}". Inside `fabric`, "routing: spray" becomes "routing: {mode: spray}", the list `order`
 * becomes one text, and features have short forms of their own. @return 0, or a code with l->err */
int weir_load_widen(struct weir_load *l, struct weir_tree *root);
/* Replaces a list of single values by one text: "parent.key: [1, 2]" becomes "parent.key: 1, 2". Does nothing if parent
 * is NULL or the key is missing or no list. @return 0, or a code with l->err */
int weir_load_join_list(struct weir_load *l, const struct weir_tree *parent, const char *key);
/* Expands one short form: a single value of parent.section becomes the map {key: value}. Does nothing if parent is NULL
 * or the section is missing, empty or no single value. @return 0, or WEIR_E_MEMORY with l->err */
int weir_load_widen_key(struct weir_load *l, const struct weir_tree *parent, const char *section, const char *key);

/* Gives a key of a map its present name, if it has its former one. A value that is not of the scenario file, as by
 * --set, replaces what the map has under the present name. Does nothing if map is NULL or without the former name.
 * @return 0, or WEIR_E_CONFLICT with l->err: the file has both */
int weir_load_rename_key(struct weir_load *l, struct weir_tree *map, const char *former, const char *key);

/**
 * Finds a preset by its name.
 * @param rows   presets, ended by a NULL name; may be NULL
 * @param name   position and text of the name in the file; text NULL = not given: the first row is found
 * @param whose  owner of the presets, for the message: "protocol dctcp"
 * @param found  gets the row; NULL if no preset was named and rows is empty
 * @return 0, or WEIR_E_UNKNOWN with l->err
 */
int weir_load_find_preset(struct weir_load *l, const struct weir_preset *rows, const struct weir_tok *name,
                          const char *whose, const struct weir_preset **found);

/* Sets a preset's "key: value" lines in the tree root, and expands short forms in the tree. A key whose first part is
 * no section belongs to the section `own`. @return 0, or a code with l->err */
int weir_load_plant_preset(struct weir_load *l, const struct weir_preset *preset, const char *own,
                           struct weir_tree *root);

/* Counts one more warning of the scenario. @return the entry that the caller fills by weir_fail(); NULL if
 * WEIR_WARNINGS_MAX are kept already */
struct weir_err *weir_load_warning(struct weir_load *l);

/* Sets one override, "path=value", in the tree of the file, and expands its short form. "protocol=NAME" with the name
 * of a variant sets the variant's protocol, and then its keys. @return 0, or a code with l->err */
int weir_load_override(struct weir_load *l, const struct weir_override *set);

#define WEIR_VARIANTS_KEY "variants"

/* Lists the section `variants` of l->file in l->scn->variant. Keys are not checked yet. @return 0, or a code with
 * l->err */
int weir_variants_list(struct weir_load *l);

/* Checks each key of each variant by reading a scenario that has these keys. Conflicts between keys are not reported:
 * what weir compare recommends may resolve them. Called after the scenario itself was read. @return 0, or a code with
 * l->err */
int weir_variants_check(struct weir_load *l);
/* Fills l->scn from the trees of file and preset, except for scn->text, base_dir and strings, which the caller sets.
 * @return 0, or a code with l->err */
int weir_load_read(struct weir_load *l);
#endif
