/* src/scenario/model/nics.h - hosts with several NICs: which transport two hosts use, and by which NICs a packet may
 * leave. The NICs that lead to a peer are those from which the fewest links do. Contract: doc/model.md [nics] */
#ifndef WEIR_MODEL_NICS_H
#define WEIR_MODEL_NICS_H
#include "core/err.h"
#include "host/host.h"
#include "topology/route.h"

struct weir_nics { /* of a run; read-only while the run is on */
    const struct weir_topology *topo;
    uint32_t choice;             /* enum weir_nic_choice */
    uint32_t transports;         /* most of any host */
    uint8_t *count;              /* by host: its transports */
    uint16_t *own;               /* [host * transports + transport]: its NICs, as bits */
    uint8_t *transport_of;       /* [host * WEIR_NICS_MAX + nic] */
    struct weir_host_link *link; /* [transport * host_count + host]: rates of its NICs together; never 0 */
    uint64_t *host_bps;        /* by host: least sum of NICs that would share a transport under spray, for any choice */
    struct weir_routes routes; /* with every cable up; owned */
    uint64_t seed;
};

/**
 * Finds the transports of all hosts.
 * @param choice  enum weir_nic_choice
 * @return 0; WEIR_E_MEMORY or WEIR_E_RANGE of routes with err; then nothing needs freeing
 */
int weir_nics_build(struct weir_nics *nics, const struct weir_topology *topo, enum weir_routing routing,
                    uint32_t choice, uint64_t seed, struct weir_err *err);
void weir_nics_free(struct weir_nics *nics); /* one of zeros may be freed */

/* Returns the rate of all NICs together of the host where it is greatest. */
uint64_t weir_nics_most_bps(const struct weir_nics *nics);

/* Returns the transport of a host for all that passes between it and a peer. Not for WEIR_NICS_RAIL. */
uint32_t weir_nics_of_pair(const struct weir_nics *nics, uint32_t self, uint32_t peer);

/* Returns the NICs by which a packet of a transport may leave for dst by the routes of now, as bits. If none of its own
 * leads there now, it may take those of others; with WEIR_NICS_RAIL never. 0 = no way */
uint32_t weir_nics_ways(const struct weir_nics *nics, const struct weir_routes *now, uint32_t src, uint32_t transport,
                        uint32_t dst);

/* Returns the NICs by which what a host sends to another leaves while every cable is up, as bits. With WEIR_NICS_RAIL
 * these are all, as messages take them one after the other. Else they are those of the transport of the two that lead
 * there. */
uint32_t weir_nics_between(const struct weir_nics *nics, uint32_t src, uint32_t dst);

/* Computes the least time of a message, as weir_account_ideal(): over the fastest of the NICs that it may take. Where
 * packets take several, each of these has an equal part of them. */
void weir_nics_ideal(const struct weir_nics *nics, const struct weir_framing *framing, uint32_t src, uint32_t dst,
                     uint64_t bytes, uint64_t *ideal_ps, uint64_t *payload_ps);

/* Returns the NICs of which one must be free before a transport is asked for a packet: its own whose cable is up. If
 * there is none, it may be any of the host; with WEIR_NICS_RAIL it is always one of its own. */
uint32_t weir_nics_asked(const struct weir_nics *nics, const struct weir_routes *now, uint32_t host,
                         uint32_t transport);
#endif
