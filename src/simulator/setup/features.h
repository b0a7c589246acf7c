/* src/simulator/setup/features.h - the part of the set-up that concerns switch features, weights, and the needs of the
 * protocol. Only files of this room include it. */
#ifndef WEIR_SETUP_FEATURES_H
#define WEIR_SETUP_FEATURES_H
#include "setup/setup.h"

struct weir_fabric_env;

/* Returns the struct weir_fabric_env that the set-up of features reads. The topology and its paths must be set up. The
 * returned struct points into *s and its scenario. */
struct weir_fabric_env weir_setup_env(const struct weir_setup *s);

/* Sets up the switch features: fills s->model.features, the fields of the model and of hosts that features set, and
 * s->offers. Topology and paths must be set up. Allocates s->feature_models, which the caller frees, also on error.
 * @return 0, or a code with err */
int weir_setup_features(struct weir_setup *s, struct weir_err *err);

/* Sets model.host.track. If flows have weights and the law reads them, also sets model.host.path.least_weight_q20 to
 * the smallest weight that is known at set-up. Policies may set lower ones during the run. The workload must be
 * built. */
void weir_setup_weights(struct weir_setup *s);

/* Refuses weights of flows if neither the law nor the ports use them. @return 0, or WEIR_E_CONFLICT with err */
int weir_setup_check_weights(const struct weir_setup *s, struct weir_err *err);

/* Refuses a protocol that needs something that the fabric does not offer, or more classes than ports have. model.host
 * and s->offers must be set. @return 0, or WEIR_E_CONFLICT with err */
int weir_setup_needs(const struct weir_setup *s, struct weir_err *err);
#endif
