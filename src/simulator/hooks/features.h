/* src/simulator/hooks/features.h - the features of a run as a set: which are on, whether they are compatible, the
 * order in which their hooks are called. */
#ifndef WEIR_HOOKS_FEATURES_H
#define WEIR_HOOKS_FEATURES_H
#include "core/feature_set.h"

struct weir_err;
struct weir_fabric_env;
struct weir_feature_plan;
struct weir_tok;

/* Returns the feature of that name; NULL = it is not on. */
const struct weir_feature_on *weir_features_find(const struct weir_features *features, const char *name);

/* Adds a feature behind those that are on; there must be room. model: as its set-up filled it, lent */
void weir_features_add(struct weir_features *features, const struct weir_feature *row, const void *model,
                       const struct weir_feature_plan *plan);

/* Tests whether ports call some hook of this row. */
bool weir_feature_has_hooks(const struct weir_feature *row);

/* Tests whether some feature needs every event of a port at its own instant. */
bool weir_features_are_coupled(const struct weir_features *features);

/* Tests whether the row has hooks for control frames, or for cables that cut them off. */
bool weir_feature_has_control(const struct weir_feature *row);

/* Tests whether some feature has such hooks. */
bool weir_features_have_control(const struct weir_features *features);

/* Tests whether some feature decides whether packets get memory. */
bool weir_features_admit(const struct weir_features *features);

/**
 * Refuses features that exclude each other, by the rows' own data.
 * @param where  the section `fabric`
 * @return 0, or WEIR_E_CONFLICT with err
 */
int weir_features_check(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err);

/* Refuses one feature next to another, by the data of the first. @return 0, or WEIR_E_CONFLICT with err */
int weir_feature_check_pair(const struct weir_feature *row, const struct weir_feature *other,
                            const struct weir_tok *where, struct weir_err *err);

/* Refuses a feature that does not suit the hosts of this run. @return 0, or WEIR_E_CONFLICT with err */
int weir_feature_check_hosts(const struct weir_feature *row, const struct weir_fabric_env *env, struct weir_err *err);

/**
 * Puts the features into the order in which hooks are called.
 * @param order  the names of those with hooks, each once, separated by commas and blanks; "" = as they are
 * @param where  the section `fabric`
 * @return 0, or WEIR_E_CONFLICT with err: a name that is not on, named twice, or left out; features is as it was
 */
int weir_features_order(struct weir_features *features, const char *order, const struct weir_tok *where,
                        struct weir_err *err);
#endif
