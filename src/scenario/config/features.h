/* src/scenario/config/features.h - the keys of switch features: sections inside `fabric`, or keys of `fabric` itself.
 * All of it follows the rows of weir_features[]; no feature is named here. */
#ifndef WEIR_CONFIG_FEATURES_H
#define WEIR_CONFIG_FEATURES_H
#include "config/load.h"

/* Lists `first` and the names that rows add to `fabric`, sections and keys. @return NULL-terminated, of the arena; NULL
 * = no memory */
const char **weir_features_names(struct weir_tree_arena *arena, const char *first);

/* Writes short forms out: `ecn: x` for `ecn: {key: x}`. @return 0, or a code with l->err */
int weir_features_widen(struct weir_load *l, const struct weir_tree *fabric);

/* Reads the keys of every row: defaults, preset, file; then calls its check. @return 0, or a code with l->err */
int weir_features_read(struct weir_load *l);

/* Sets the bytes of sizes that were given in BDP. @return 0, or WEIR_E_RANGE with err */
int weir_features_resolve_bdp(struct weir_scenario *scn, uint64_t bdp_bytes, struct weir_err *err);
#endif
