/* src/results/reproduce/axes.h - reads the axes of an experiment and their values, and finds them by name. Only the
 * files that read an experiment include it, and plan.c. */
#ifndef WEIR_REPRODUCE_AXES_H
#define WEIR_REPRODUCE_AXES_H
#include "reproduce/experiment.h"

/* Reads `axes`, and `seeds` behind them. */
int weir_experiment_axes(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Finds an axis, or a value of one, by its name; refused with the nearest name as hint. */
int weir_experiment_axis(const struct weir_experiment *exp, const struct weir_tok *tok, uint32_t *axis,
                         struct weir_err *err);
int weir_experiment_value(const struct weir_experiment *exp, uint32_t axis, const struct weir_tok *tok, uint32_t *value,
                          struct weir_err *err);

/* Reads the axis that a key of the map names; leaves *axis alone if the key is not there. */
int weir_experiment_axis_of(const struct weir_experiment *exp, const struct weir_tree *map, const char *key,
                            uint32_t *axis, struct weir_err *err);

/* Reads a map of axis: [labels], axis: label or axis: all. Adds to uses and values, WEIR_AXES_MAX of each. */
int weir_experiment_choice(const struct weir_experiment *exp, const struct weir_tree *map, bool *uses, uint64_t *values,
                           struct weir_err *err);

/* Finds `set` of a map: scenario keys with single values; *set NULL if there is none. */
int weir_experiment_set(const struct weir_tree *map, const struct weir_tree **set, struct weir_err *err);

/* Replaces every '$' of the text by the label. NULL = no memory */
const char *weir_experiment_fill(struct weir_tree_arena *arena, const char *text, const char *label);

/* Tests whether a text can be part of a point's name: not empty, not too long, nothing a shell would mind. */
bool weir_label_is_plain(const char *text);
#endif
