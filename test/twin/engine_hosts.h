/* test/twin/engine_hosts.h - hosts for the engine that send what they are given, whatever arrives. Programs that link
 * engine_hosts.c with its list of wrapped functions (meson.build) have them in place of those of src/algorithms/host.
 * Whoever waits in a host waits as in the NIC of a real switch: by class, in order, as long as no PAUSE holds it. */
#ifndef WEIR_TEST_ENGINE_HOSTS_H
#define WEIR_TEST_ENGINE_HOSTS_H
#include "core/pkt.h"
#include "core/telemetry.h"
#include "model/model.h"

struct engine_packet { /* that a host sends; the memory of its caller */
    struct weir_pkt pkt;
    const struct weir_telemetry *hop; /* pkt.hops of them */
    uint64_t at_ps;
    struct engine_packet *next; /* of the same host; set by engine_hosts_send() */
};

struct engine_hosts {
    const struct weir_model *model;
    /* A packet has arrived at a host. hop: pkt->hops records */
    void (*arrived)(void *ctx, uint32_t host, uint64_t now_ps, const struct weir_pkt *pkt,
                    const struct weir_telemetry *hop);
    void *ctx;
};

/* Begins a run whose hosts send nothing. One run at a time. *hosts is lent until the next call */
void engine_hosts_begin(const struct engine_hosts *hosts);
/* Adds a packet at the host of a number, with a time not below that of the one before; before the run. */
void engine_hosts_send(uint32_t number, struct engine_packet *p);
/* Returns how many packets have not left hosts. */
uint64_t engine_hosts_left(void);
/* Frees the memory. */
void engine_hosts_end(void);
#endif
