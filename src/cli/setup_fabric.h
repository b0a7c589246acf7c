/* src/cli/setup_fabric.h - the part of setup.c that is about what switches do besides forwarding and marking; nobody else includes it. */
#ifndef WEIR_CLI_SETUP_FABRIC_H
#define WEIR_CLI_SETUP_FABRIC_H
#include "cli/setup.h"

/* Fills model.features and offers. @param needs  the protocol's. @return 0, or a code with err */
int weir_setup_features_on(struct weir_setup *s, uint32_t needs, struct weir_err *err);

/* Fills model.fabric, model.host.rates and, for dynamic PFC, an unlimited buffer; refuses what this network cannot do. Topology,
 * marking and buffer are set. @return 0, or a code with err */
int weir_setup_features(struct weir_setup *s, struct weir_err *err);

/* Refuses weighted round robin beside what does not go with it. @return 0, or a code with err */
int weir_setup_queues(struct weir_setup *s, struct weir_err *err);

/* Refuses weights that nothing would heed, and sets model.host.track; the workload is built. @return 0, or a code with err */
int weir_setup_weights(struct weir_setup *s, struct weir_err *err);

/* Every need of the protocol against what the fabric offers; model.host is set. @return 0, or a code with err */
int weir_setup_needs(const struct weir_setup *s, struct weir_err *err);
#endif
