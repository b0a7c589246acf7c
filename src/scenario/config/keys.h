/* src/scenario/config/keys.h - a map of a YAML tree into the struct that a table of rows describes. A section of a
 * scenario and a job in a file are such maps. */
#ifndef WEIR_CONFIG_KEYS_H
#define WEIR_CONFIG_KEYS_H
#include "config/tree.h"
#include "param/param.h"

bool weir_keys_listed(const char *const *names, const char *name); /* names end with NULL, and may be NULL */

/* Refuses a node of the wrong kind. @param wanted "a map" @return WEIR_E_SYNTAX with err */
int weir_keys_fail_kind(const struct weir_tree *node, const char *what, const char *wanted, struct weir_err *err);

/**
 * Sets the keys of the map; others stay.
 * @param more   keys that the caller reads; may be NULL
 * @param where  the map as the user knows it: "traffic[0]"
 * @return 0, or a code with err: no map, an unknown key, not a single value, or what weir_param_set() refuses
 */
int weir_keys_apply(const struct weir_tree *map, const struct weir_param *rows, const char *const *more,
                    const char *where, void *config, struct weir_err *err);
#endif
