/* src/algorithms/host/stream/state.h - struct host_stream: what a sender-driven host has besides struct weir_host. */
#ifndef WEIR_HOST_STREAM_STATE_H
#define WEIR_HOST_STREAM_STATE_H
#include "host/common/state.h"

#define HOST_CONNECTIONS_MAX (1u << 24) /* of one host and direction; more are refused */

struct host_stream {
    struct host_table flows;
    struct host_ring ready;       /* uint32_t: round robin of connections */
    const struct weir_cc_ops *cc; /* cfg->cc */
    uint32_t armed_offset;        /* where in a flow record the law's armed timer is kept; 0 = law without timer */
    bool per_peer;                /* the law's state is one per destination */
    bool timed_law;               /* it has a timer, or there are pacers */
    bool plain_rx;                /* each_acked, and no law asks for a packet that is the next one */
    bool newreno;                 /* reliability: newreno */
    /* the second line */
    struct host_map rx_map; /* (src, conn) -> rxs */
    struct host_table rxs;
    bool each_acked;          /* acknowledgements are not delayed */
    bool go_back;             /* reliability: go-back-n */
    bool latch_ece;           /* ecn: rfc3168 */
    bool source_marks;        /* mark_bytes is set, and the NIC pulls */
    struct host_table tcps;   /* struct host_tcp, by number of the sending connection; stride 0 = none */
    struct host_table pacers; /* struct host_pacer, by number of the sending connection; may end before it */
    struct weir_heap paced;
    /* below: touched when messages begin and end, when something is out of order, or by laws that want more */
    struct host_table rx_states; /* struct host_rx_state, by number of the receiving connection; stride 0 = none */
    struct host_ring hops;       /* with HOST_EXTENDED_HOPS: struct host_hops, one per entry of acks */
    uint32_t rx_active;          /* receiving connections within a message */
    uint32_t rx_period;          /* counts periods of a base round trip in which data came, from 1 */
    uint32_t rx_recent, rx_recent_before; /* connections that sent data in it, and in the one right before */
    uint64_t rx_period_end_ps;            /* the period ends then */
    uint32_t rx_state_law_offset;         /* where in a receiver state the law's state begins */
    void *rx_law;                         /* the law's state of this host as a receiver; NULL = it has none */
    uint64_t rx_law_armed_ps;             /* its entry in the timer heap that counts; WEIR_NEVER = none */
    uint64_t rx_now_ps;                   /* with HOST_EXTENDED_HELD: when the latest DATA came that rx_any() saw */
    struct host_table peers, waits, boards;
    struct host_table tracks;    /* struct host_track, by handle of the message; stride 0 = none */
    struct host_ring singles;    /* struct host_single */
    uint32_t first_index;        /* of a new connection's packets: 0; tests start near the wrap */
    uint32_t law_entries;        /* of laws' timers, both halves */
    struct host_numbers peer_of; /* dst -> peers */
};
_Static_assert(offsetof(struct host_stream, rx_map) == 64, "what an ACK needs is one line");

static inline struct host_stream *host_stream_of(const struct weir_host *h)
{
    return host_half(h);
}
#endif
