/* src/algorithms/proto/ndp/ndp.h - NDP without trimming: the first window goes at once, and each packet that arrives
 * pulls another.
 * Source: Handley et al., "Re-architecting Datacenter Networks and Stacks for Low Latency and High Performance",
 * SIGCOMM 2017.
 * Departs from it: switches drop whole packets, so a loss is found by silence alone. An acknowledgement is only for the
 * whole message. */
#ifndef WEIR_PROTO_NDP_H
#define WEIR_PROTO_NDP_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"

struct weir_ndp_config {     /* one per run, read-only once weir_ndp_check() has accepted it */
    uint64_t loss_ps;        /* 0 = no recovery */
    struct weir_size window; /* payload of a message that goes unscheduled; 1 packet .. 8192 packets */
};

struct weir_ndp_link { /* of a ring; zeroed = in none */
    struct weir_ndp_link *next, *prev;
};

struct weir_ndp_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_ndp_link ready; /* in the host's ring while it has a packet that may go */
    void *peer;
    uint32_t may_pkts; /* unscheduled or pulled, and not sent yet */
    uint32_t pulled;   /* packets pulled so far, modulo 2^32: the latest that arrived */
};

struct weir_ndp_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_ndp_link due; /* in the host's ring while there is a packet to pull, and a pull for it */
    void *peer;
    uint32_t pulls;  /* packets that arrived and have not pulled another yet */
    uint32_t pulled; /* packets pulled so far, modulo 2^32 */
};

struct weir_ndp_host {
    struct weir_credit_host head;
    uint32_t window_pkts;
    struct weir_ndp_link *ready, *due; /* the next to serve; NULL = the ring is empty */
    uint64_t free_ps;                  /* the next pull may go then */
    uint64_t packet_ps;                /* that a full packet takes of the host's link */
};

extern const struct weir_credit_ops weir_ndp_ops;   /* all that host/ and the simulator know of NDP */
extern const struct weir_param weir_ndp_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_ndp_presets[]; /* paper (default) */
extern const char *const weir_ndp_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_ndp_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
