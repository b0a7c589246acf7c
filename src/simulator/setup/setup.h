/* src/simulator/setup/setup.h - from a checked scenario to a model that can run: builds the topology, resolves BDP,
 * checks that the protocol's needs are offered, and that sizes fit. Errors name the scenario's file and line. */
#ifndef WEIR_SETUP_SETUP_H
#define WEIR_SETUP_SETUP_H
#include "config/scenario.h"
#include "model/model.h"
#include "workload/jobs.h"

struct weir_setup {
    struct weir_scenario *scn; /* lent; its BDP sizes are resolved in place */
    struct weir_topology topo;
    struct weir_workload workload;
    struct weir_jobs jobs; /* of the workload, if some item is of kind jobs */
    uint64_t bdp_bytes, base_rtt_ps;
    uint32_t path_links;     /* of the longest path */
    void *feature_models;    /* what model.features is, and points into; owned */
    uint8_t *switches;       /* what model.host.hops points to; owned; NULL = the protocol does not ask */
    uint32_t offers;         /* enum weir_need: of model.features */
    struct weir_model model; /* points into this struct and into scn */
};

/* Sets up the network alone: topology, base round trip, BDP, longest path. The traffic and the protocol's keys are not
 * read.
 * @return 0, or a code with err; then nothing needs freeing */
int weir_setup_network(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);

/* Sets up for a solver of shares: as weir_setup_init(), but weights, and keys of the protocol, that only its law cannot
 * carry are accepted. Such a setup is not to be run.
 * @return 0, or a code with err; then nothing needs freeing */
int weir_setup_init_for_shares(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);

/* Sets up a run. @return 0, or a code with err; then nothing needs freeing */
int weir_setup_init(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);
void weir_setup_free(struct weir_setup *setup);

/* Estimates the packet-hops that the run will take: its messages' packets, each with an ACK or a credit, over the
 * longest path. */
uint64_t weir_setup_packet_hops(const struct weir_setup *setup);

/* Writes the name of a link, "leaf 0 > spine 1"; "no way" if there is no such link. @return out */
const char *weir_setup_link_name(const struct weir_setup *setup, uint32_t link, char out[WEIR_LINK_NAME]);
#endif
