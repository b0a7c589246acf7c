/* src/scenario/config/keys.h - reads a map of a YAML tree into a struct, by the table of rows that describes the
 * struct. A section of a scenario and a job in a file are such maps. */
#ifndef WEIR_CONFIG_KEYS_H
#define WEIR_CONFIG_KEYS_H
#include "config/tree.h"
#include "param/param.h"

/* Tests whether name is in the list names, which ends with NULL. names NULL = an empty list. */
bool weir_keys_listed(const char *const *names, const char *name);

/* Reports that a node is of the wrong kind. what: the key or section as the user knows it; wanted: the kind that is
 * allowed, as "a map". @return WEIR_E_SYNTAX with err */
int weir_keys_fail_kind(const struct weir_tree *node, const char *what, const char *wanted, struct weir_err *err);

/**
 * Sets the fields of config whose keys are in the map, in the order of the map. The fields of all other rows keep their
 * values. A list of sizes is joined to one text, with commas, before it is set.
 * @param more   keys of the map that the caller reads itself and that are skipped here; NULL-terminated; may be NULL
 * @param where  the map as the user knows it: "traffic[0]"
 * @return 0, or a code with err: no map, an unknown key, not a single value, or what weir_param_set() refuses. On an
 * error the fields of the keys before it are set already.
 */
int weir_keys_apply(const struct weir_tree *map, const struct weir_param *rows, const char *const *more,
                    const char *where, void *config, struct weir_err *err);
#endif
