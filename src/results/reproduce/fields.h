/* src/results/reproduce/fields.h - reads the maps of an experiment.yaml: one call per kind of value; each refusal has
 * line and column. */
#ifndef WEIR_REPRODUCE_FIELDS_H
#define WEIR_REPRODUCE_FIELDS_H
#include "config/tree.h"
#include <stdint.h>

/* Reads one value of a map. As all functions here, returns 0, or a code with err, and leaves *out alone if the key is
 * not there; map may be NULL. */
int weir_field_text(const struct weir_tree *map, const char *key, const char **out, struct weir_err *err);
int weir_field_whole(const struct weir_tree *map, const char *key, uint64_t most, uint64_t *out, struct weir_err *err);
int weir_field_flag(const struct weir_tree *map, const char *key, bool *out, struct weir_err *err);

/* Reads a share or a factor, "3%" or "0.5", in millionths; at most 1000. */
int weir_field_ppm(const struct weir_tree *map, const char *key, uint64_t *out, struct weir_err *err);
int weir_field_ppm_text(const struct weir_tok *tok, const char *text, uint64_t *out, struct weir_err *err);
int weir_field_time(const struct weir_tree *map, const char *key, uint64_t *out_ps, struct weir_err *err);

/* Reads one of the names, which end with NULL: *out is its number. known: the hint */
int weir_field_choice(const struct weir_tree *map, const char *key, const char *const *names, const char *known,
                      uint32_t *out, struct weir_err *err);

/* Finds a child of that kind; *out NULL if the key is not there. */
int weir_field_node(const struct weir_tree *map, const char *key, enum weir_tree_kind kind,
                    const struct weir_tree **out, struct weir_err *err);

/* Refuses what is no map, and keys that are not listed; names ends with NULL. */
int weir_field_keys(const struct weir_tree *map, const char *what, const char *const *names, struct weir_err *err);

/* Refuses a map without a key that it must have, or a name that is there already: `what` says where. */
int weir_field_missing(const struct weir_tree *map, const char *what, const char *key, struct weir_err *err);
int weir_field_twice(const struct weir_tree *node, const char *name, const char *what, struct weir_err *err);
#endif
