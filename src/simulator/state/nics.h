/* src/simulator/state/nics.h - the state of hosts with several NICs. */
#ifndef WEIR_STATE_NICS_H
#define WEIR_STATE_NICS_H
#include "state/state.h"

struct sim_transport {    /* of a host with several NICs */
    uint32_t next;        /* the NIC that is chosen first, of equals */
    uint32_t nic;         /* of the packet that is held */
    bool holds;           /* it has given a packet whose NIC was not free */
    struct weir_pkt held; /* with its telemetry records */
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
};

struct sim_nics { /* the NICs of a host that has several */
    uint32_t count, transports;
    uint32_t next;                            /* the transport that is served first */
    struct sim_link *out, *in[WEIR_NICS_MAX]; /* NIC i feeds out[i] */
    uint64_t began_ps[WEIR_NICS_MAX];         /* when its last packet began; 0 = none has */
    uint32_t events_done[WEIR_NICS_MAX];      /* as sim_host.events_done */
    struct sim_transport *transport;
};
#endif
