/* src/scenario/config/features.h - reads the keys of switch features: sections inside `fabric`, or keys of `fabric`
 * itself. The code follows the rows of weir_features[] and names no feature. */
#ifndef WEIR_CONFIG_FEATURES_H
#define WEIR_CONFIG_FEATURES_H
#include "config/load.h"

struct weir_feature;

/* Returns the list of the names in `first`, which ends with NULL, and of those that all features add to `fabric`: their
 * sections, lists and keys. @return a NULL-terminated array in the arena, whose strings are not copied; NULL = no
 * memory */
const char **weir_features_names(struct weir_tree_arena *arena, const char *const *first);

/* Tests whether a feature has one key whose value may be a number or a list: `loss`. */
bool weir_feature_list_or_number(const struct weir_feature *row);

/* Expands the short forms of features in the tree: `ecn: x` becomes `ecn: {key: x}`, and a list of single values
 * becomes one text. Keys by their former names get the present ones. @return 0, or a code with l->err */
int weir_features_widen(struct weir_load *l, const struct weir_tree *fabric);

/* Fills l->scn->feature: sets the keys of every feature from defaults, preset and file, then calls the feature's check.
 * @return 0, or a code with l->err */
int weir_features_read(struct weir_load *l);

/* Computes the bytes of all sizes of features that were given in BDP. @return 0, or WEIR_E_RANGE with err */
int weir_features_resolve(struct weir_scenario *scn, const struct weir_scenario_path *path, struct weir_err *err);
#endif
