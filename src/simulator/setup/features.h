/* src/simulator/setup/features.h - the part of setup.c that is about what switches do besides forwarding; nobody else
 * includes it. */
#ifndef WEIR_SETUP_FEATURES_H
#define WEIR_SETUP_FEATURES_H
#include "setup/setup.h"

struct weir_fabric_env;

/* Returns what features may know; topology and paths are there. Points into s */
struct weir_fabric_env weir_setup_env(const struct weir_setup *s);

/* Fills model.features, what they ask of the model and of hosts, and offers. Topology and paths are there. @return 0,
 * or a code with err */
int weir_setup_features(struct weir_setup *s, struct weir_err *err);

/* Sets model.host.track and the least weight that the law will receive; the workload is built. */
void weir_setup_weights(struct weir_setup *s);

/* Refuses weights that neither the law nor a port reads. @return 0, or a code with err */
int weir_setup_check_weights(const struct weir_setup *s, struct weir_err *err);

/* Compares every need of the protocol with what the fabric offers; model.host is set. @return 0, or a code with err */
int weir_setup_needs(const struct weir_setup *s, struct weir_err *err);
#endif
