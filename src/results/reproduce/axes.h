/* src/results/reproduce/axes.h - reads the axes of an experiment, and finds axes and their values by name. Used by the
 * files that read an experiment, and by plan.c. */
#ifndef WEIR_REPRODUCE_AXES_H
#define WEIR_REPRODUCE_AXES_H
#include "reproduce/experiment.h"

/* Reads the keys `axes` and `seeds` of root into exp->axis; `seeds` becomes the last axis. Root must have one of the
 * two keys. @return 0, or a code with err */
int weir_experiment_axes(struct weir_experiment *exp, const struct weir_tree *root, struct weir_err *err);

/* Finds the axis of the name tok->text and sets *axis to its index. @return 0, or WEIR_E_UNKNOWN with err, whose hint
 * is the nearest name */
int weir_experiment_axis(const struct weir_experiment *exp, const struct weir_tok *tok, uint32_t *axis,
                         struct weir_err *err);

/* Finds the value of an axis with the label tok->text and sets *value to its index. @return 0, or WEIR_E_UNKNOWN with
 * err, whose hint is the nearest label */
int weir_experiment_value(const struct weir_experiment *exp, uint32_t axis, const struct weir_tok *tok, uint32_t *value,
                          struct weir_err *err);

/* Sets *axis to the index of the axis whose name is the value of `key` in the map; leaves *axis unchanged if the map
 * has no such key. @return 0, or a code with err */
int weir_experiment_axis_of(const struct weir_experiment *exp, const struct weir_tree *map, const char *key,
                            uint32_t *axis, struct weir_err *err);

/* Reads a map of items `axis: [labels]`, `axis: label` or `axis: all`. For each named axis a, sets uses[a] and the bits
 * of the named values in values[a]. The caller clears both arrays, of WEIR_AXES_MAX items each, before the call.
 * @return 0, or a code with err */
int weir_experiment_choice(const struct weir_experiment *exp, const struct weir_tree *map, bool *uses, uint64_t *values,
                           struct weir_err *err);

/* Tests whether these values on the axes are of a choice: on each axis a with uses[a], value[a] is in values[a]. */
bool weir_experiment_chosen(const bool *uses, const uint64_t *values, const uint8_t *value);

/* Sets *set to the map under key `set`, or to NULL if there is none. Refuses a map in which the value of a scenario key
 * is a map or a list. @return 0, or a code with err */
int weir_experiment_set(const struct weir_tree *map, const struct weir_tree **set, struct weir_err *err);

/* Returns the text with every '$' replaced by the label, in memory of the arena; NULL = no memory. */
const char *weir_experiment_fill(struct weir_tree_arena *arena, const char *text, const char *label);

/* Tests whether a text can be a label, and so a part of a point's name: 1 to WEIR_LABEL_BYTES - 1 bytes, all of them
 * letters, digits, '.', '_' or '+'. */
bool weir_label_is_plain(const char *text);
#endif
