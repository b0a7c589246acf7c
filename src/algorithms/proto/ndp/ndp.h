/* src/algorithms/proto/ndp/ndp.h - NDP without trimming: the first window of a message is unscheduled, and each packet
 * that arrives at the receiver pulls another one.
 * Source: Handley et al., "Re-architecting Datacenter Networks and Stacks for Low Latency and High Performance",
 * SIGCOMM 2017.
 * Departs from the paper: switches drop whole packets, so much later packets, or silence, reveal a loss. The receiver
 * acknowledges whole messages only. */
#ifndef WEIR_PROTO_NDP_H
#define WEIR_PROTO_NDP_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"

struct weir_ndp_config {     /* one per run, read-only once weir_ndp_check() has accepted it */
    uint64_t loss_ps;        /* silence of a message after which its receiver pulls again; 0 = never */
    struct weir_size window; /* unscheduled payload of a message; 1 packet .. 8192 packets */
};

struct weir_ndp_link { /* a member of a ring; both NULL = in no ring */
    struct weir_ndp_link *next, *prev;
};

struct weir_ndp_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_ndp_link ready; /* in the host's ring while a packet may be sent */
    void *peer;
    uint32_t may_pkts; /* packets that are unscheduled or pulled, and not sent yet */
    uint32_t pulled;   /* highest sequence of the pulls that arrived, modulo 2^32 */
};

struct weir_ndp_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_ndp_link due; /* in the host's ring while pulls > 0 and a packet is left to pull */
    void *peer;
    uint32_t pulls;  /* packets that arrived and for which no pull was sent yet */
    uint32_t pulled; /* pulls sent so far, modulo 2^32 */
};

struct weir_ndp_host {
    struct weir_credit_host head;
    uint32_t window_pkts;
    struct weir_ndp_link *ready, *due; /* the next member to serve; NULL = the ring is empty */
    uint64_t free_ps;                  /* no pull is sent before this time */
    uint64_t packet_ps;                /* transmission time of a full packet on the host's link */
};

extern const struct weir_credit_ops weir_ndp_ops;   /* all that host/ and the simulator know of NDP */
extern const struct weir_param weir_ndp_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_ndp_presets[]; /* paper (default) */
extern const char *const weir_ndp_recommends[];     /* core/recommend.h */

/**
 * Checks window and loss_timeout against the path.
 * @param config  struct weir_ndp_config, with window resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_ndp_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
