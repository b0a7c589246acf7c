/* src/config/features.h - the keys of switch features: sections inside `fabric`, or keys of `fabric` itself. All of it follows the rows
 * of weir_features[]; no feature is named here. */
#ifndef WEIR_CONFIG_FEATURES_H
#define WEIR_CONFIG_FEATURES_H
#include "config/load.h"

#define WEIR_FEATURE_KEYS_MAX 64u /* names that the rows add to `fabric` */

/* The names that rows add to `fabric`, sections and keys, after the `count` that names[] has already; NULL-terminated.
 * names: room for WEIR_FEATURE_KEYS_MAX */
void weir_features_names(const char **names, uint32_t count);

/* Writes short forms out: `ecn: x` for `ecn: {key: x}`. @return 0, or a code with l->err */
int weir_features_widen(struct weir_load *l, const struct weir_tree *fabric);

/* Every row's keys: defaults, preset, file; then its check. @return 0, or a code with l->err */
int weir_features_read(struct weir_load *l);

/* Sets the bytes of sizes that were given in BDP. @return 0, or WEIR_E_RANGE with err */
int weir_features_resolve_bdp(struct weir_scenario *scn, uint64_t bdp_bytes, struct weir_err *err);
#endif
