/* src/simulator/hooks/features.h - the set of features of a run: which of them are on, whether they are compatible, and
 * the order in which their hooks are called. */
#ifndef WEIR_HOOKS_FEATURES_H
#define WEIR_HOOKS_FEATURES_H
#include "core/feature_set.h"

struct weir_err;
struct weir_fabric_env;
struct weir_feature_plan;
struct weir_tok;

/* Returns the feature of this name; NULL = it is not on. */
const struct weir_feature_on *weir_features_find(const struct weir_features *features, const char *name);

/* Adds a feature to the end of the set, which must have room (features->room). model: as the feature's set-up has
 * filled it; it must outlive the set. plan: copied */
void weir_features_add(struct weir_features *features, const struct weir_feature *row, const void *model,
                       const struct weir_feature_plan *plan);

/* Tests whether a row has any hook that a port calls. */
bool weir_feature_has_hooks(const struct weir_feature *row);

/* Tests whether some feature is coupled: by its row (WEIR_WHEN_COUPLED), or because its plan asks to be treated so. */
bool weir_features_are_coupled(const struct weir_features *features);

/* Tests whether some feature that is on at this node is coupled. */
bool weir_features_are_coupled_at(const struct weir_features *features, uint32_t node);

/* Tests whether a row has hooks for control frames, or for cables that cut them off: on_control, closed or on_cut. */
bool weir_feature_has_control(const struct weir_feature *row);

/* Tests whether weir_feature_has_control() is true of some feature. */
bool weir_features_have_control(const struct weir_features *features);

/* Tests whether some feature has an admit hook. */
bool weir_features_admit(const struct weir_features *features);

/**
 * Refuses a set with features that exclude each other, or without a feature that another one needs, as their rows say.
 * @param where  position of the section `fabric`, for the error
 * @return 0, or WEIR_E_CONFLICT with err
 */
int weir_features_check(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err);

/* Refuses feature `row` if `other` is in its list of conflicts; the list of `other` is not read. @return 0, or
 * WEIR_E_CONFLICT with err */
int weir_feature_check_pair(const struct weir_feature *row, const struct weir_feature *other,
                            const struct weir_tok *where, struct weir_err *err);

/* Refuses a feature that does not suit the hosts of the run: one for sender-driven protocols with a receiver-driven
 * protocol, or one that is WEIR_WHEN_COUPLED with unlimited NICs. laws: those into whose packets it writes, bit k for
 * law k; 0 = all. @return 0, or WEIR_E_CONFLICT with err */
int weir_feature_check_hosts(const struct weir_feature *row, const struct weir_fabric_env *env, uint32_t laws,
                             struct weir_err *err);

/**
 * Puts the features into the order in which their hooks are called.
 * @param order  names of all features with hooks, each once, separated by commas and blanks; "" = keep the order
 * @param where  position of the section `fabric`, for the error
 * @return 0, or WEIR_E_CONFLICT with err: a name is not on, is named twice, or is missing; features is then unchanged
 */
int weir_features_order(struct weir_features *features, const char *order, const struct weir_tok *where,
                        struct weir_err *err);
#endif
