/* src/results/reproduce/fields.h - reads the maps of an experiment.yaml, one function per kind of value. Errors have
 * line and column. Functions that read a value return 0, or a code with err, and accept map NULL. If the map has no
 * such key, *out is left as it is, unless stated otherwise. */
#ifndef WEIR_REPRODUCE_FIELDS_H
#define WEIR_REPRODUCE_FIELDS_H
#include "config/tree.h"
#include <stdint.h>

/* Sets *out to the text of a single value, which the map lends. */
int weir_field_text(const struct weir_tree *map, const char *key, const char **out, struct weir_err *err);

/* Reads a whole number without a unit, 0 to `most`. */
int weir_field_whole(const struct weir_tree *map, const char *key, uint64_t most, uint64_t *out, struct weir_err *err);

/* Reads true or false. */
int weir_field_flag(const struct weir_tree *map, const char *key, bool *out, struct weir_err *err);

/* Reads a share or a factor, "3%" or "0.5", into *out in millionths. The value is at most 1000. A factor has at most
 * six decimals, a percentage four. */
int weir_field_ppm(const struct weir_tree *map, const char *key, uint64_t *out, struct weir_err *err);

/* Reads a share or a factor from a text, as weir_field_ppm() does. tok: position of the text, for err */
int weir_field_ppm_text(const struct weir_tok *tok, const char *text, uint64_t *out, struct weir_err *err);

/* Reads a time with a unit into *out_ps. */
int weir_field_time(const struct weir_tree *map, const char *key, uint64_t *out_ps, struct weir_err *err);

/* Reads a value that must be one of `names`, and sets *out to its index. names: ends with NULL; known: the hint of the
 * error */
int weir_field_choice(const struct weir_tree *map, const char *key, const char *const *names, const char *known,
                      uint32_t *out, struct weir_err *err);

/* Sets *out to the child of that key, or to NULL if the map has none. Refuses a child of another kind, and an empty
 * one. */
int weir_field_node(const struct weir_tree *map, const char *key, enum weir_tree_kind kind,
                    const struct weir_tree **out, struct weir_err *err);

/* Refuses a node that is no map, and a map with a key that is not in `names`, which ends with NULL. map must not be
 * NULL. what: description of the map, for the error */
int weir_field_keys(const struct weir_tree *map, const char *what, const char *const *names, struct weir_err *err);

/* Fills err: the map, which `what` describes, lacks the required key. Returns WEIR_E_SYNTAX. */
int weir_field_missing(const struct weir_tree *map, const char *what, const char *key, struct weir_err *err);

/* Fills err: two of `what` have the same name, the second one at `node`. Returns WEIR_E_CONFLICT. */
int weir_field_twice(const struct weir_tree *node, const char *name, const char *what, struct weir_err *err);
#endif
