/* src/reproduce/spec.h - what the files that read an experiment share; no other file includes it. */
#ifndef WEIR_REPRODUCE_SPEC_H
#define WEIR_REPRODUCE_SPEC_H
#include "reproduce/experiment.h"

/* Reads one item of a figure's `tables`. */
int weir_spec_read(struct weir_experiment *exp, const struct weir_tree *node, struct weir_table_spec *spec,
                   struct weir_err *err);

/* Names to numbers; refused with the nearest name as hint. */
int weir_experiment_axis(const struct weir_experiment *exp, const struct weir_tok *tok, uint32_t *axis,
                         struct weir_err *err);
int weir_experiment_value(const struct weir_experiment *exp, uint32_t axis, const struct weir_tok *tok, uint32_t *value,
                          struct weir_err *err);

/* Reads a map of axis: [labels], axis: label or axis: all. Adds to uses and values, WEIR_AXES_MAX of each. */
int weir_experiment_choice(const struct weir_experiment *exp, const struct weir_tree *map, bool *uses, uint64_t *values,
                           struct weir_err *err);

/* Finds `set` of a map: scenario keys with single values; *set NULL if there is none. */
int weir_experiment_set(const struct weir_tree *map, const struct weir_tree **set, struct weir_err *err);

/* Reads the tables of a figure. */
int weir_experiment_tables(struct weir_experiment *exp, const struct weir_tree *list, struct weir_figure *figure,
                           struct weir_err *err);

/* Reads what the top of an experiment has for all points. Call them in this order: `scenario` and `set`; `seeds`, one
 * more axis behind the others; the one figure of an experiment that has none. */
int weir_experiment_common(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);
int weir_experiment_seeds(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);
int weir_experiment_imply(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Replaces every '$' of the text by the label. NULL = no memory */
const char *weir_experiment_fill(struct weir_tree_arena *arena, const char *text, const char *label);
#endif
