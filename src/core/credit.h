/* src/core/credit.h - what a receiver-driven protocol is told and asked: one machine per host, both halves.
 * Per host, not per flow, because the decision is across senders and messages. Polled (_next until false), so that a core
 * never calls out and the host chooses burst and NIC room. Peers and messages are dense indices given by the host. */
#ifndef WEIR_CORE_CREDIT_H
#define WEIR_CORE_CREDIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_limits {   /* what a machine must be ready for */
    uint64_t rate_bps; /* of the host's link */
    uint64_t bdp_bytes;
    uint32_t peers, messages; /* dense indices run below these */
    uint32_t mss_bytes;
};

struct weir_credit { /* permission to send, or a word about it */
    uint64_t sent_ps, offset;
    uint32_t bytes, msg, seq;
    uint16_t peer;
    uint8_t kind, prio; /* request, grant, accept, credit, pull, nack, stop: numbers of the protocol */
};

struct weir_data { /* a DATA packet, sent or received */
    uint64_t now_ps, offset, msg_bytes, credit_sent_ps;
    uint32_t bytes, unsched_bytes, msg, credit_seq;
    uint16_t peer, path_hash, flags; /* announce, end, scheduled, trimmed, CE, sender congested */
    uint8_t prio;
};

struct weir_credit_ops {
    const char *name;
    uint32_t needs;
    size_t (*bytes)(const void *config, const struct weir_limits *limits);
    void (*init)(void *host, const void *config, const struct weir_limits *limits, uint64_t seed);
    /* sender half */
    void (*tx_message)(void *host, const void *config, const struct weir_data *msg);
    void (*tx_credit)(void *host, const void *config, const struct weir_credit *credit, uint64_t now_ps);
    bool (*tx_next)(void *host, const void *config, uint64_t now_ps, struct weir_data *out);
    /* receiver half */
    void (*rx_data)(void *host, const void *config, const struct weir_data *data);
    bool (*rx_next)(void *host, const void *config, uint64_t now_ps, struct weir_credit *out);
    uint64_t (*next_ps)(const void *host, const void *config); /* earliest time a _next may say yes */
};
#endif
