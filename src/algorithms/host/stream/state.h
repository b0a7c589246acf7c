/* src/algorithms/host/stream/state.h - struct host_stream: state of a sender-driven host besides struct weir_host. */
#ifndef WEIR_HOST_STREAM_STATE_H
#define WEIR_HOST_STREAM_STATE_H
#include "host/common/state.h"

#define HOST_CONNECTIONS_MAX (1u << 24) /* most connections of one host in each direction; more are refused */

struct host_stream {
    struct host_table flows;
    struct host_ring ready;       /* uint32_t: connections in the order of their round robin */
    const struct weir_cc_ops *cc; /* cfg->cc */
    uint32_t armed_offset;        /* offset in a flow record of the law's armed time; 0 = the law has no timer */
    bool per_peer;                /* the law has one state per destination */
    bool timed_law;               /* the law has a timer, or there are pacers */
    bool plain_rx;                /* in-order DATA takes the short path: each_acked, and no option needs more */
    bool newreno;                 /* reliability: newreno */
    /* the second cache line */
    struct host_map rx_map; /* (src, conn) -> rxs */
    struct host_table rxs;
    bool each_acked;          /* acknowledgements are not delayed */
    bool go_back;             /* reliability: go-back-n */
    bool latch_ece;           /* ecn: rfc3168 */
    bool source_marks;        /* mark_bytes is set, and the NIC pulls */
    bool urgent;              /* messages differ in priority: weir_host_priority() */
    bool weighted;            /* nic_schedule: weighted */
    struct host_table tcps;   /* struct host_tcp, by number of the sending connection; stride 0 = none */
    struct host_table pacers; /* struct host_pacer, by number of the sending connection; may have fewer entries */
    struct weir_heap paced;   /* paced connections by the time at which they may send */
    /* below: used when messages begin and end, when packets are out of order, or by laws with extended events */
    struct host_table rx_states; /* struct host_rx_state, by number of the receiving connection; stride 0 = none */
    struct host_ring hops;       /* with HOST_EXTENDED_HOPS: struct host_hops, one per entry of acks */
    uint32_t rx_active;          /* receiving connections with a message that is arriving */
    uint32_t rx_period;          /* number of the present period of one base RTT; periods count from 1 */
    uint32_t rx_recent, rx_recent_before; /* connections with DATA in this period, and in the one just before it */
    uint64_t rx_period_end_ps;            /* end of the period */
    uint32_t rx_state_law_offset;         /* offset of the law's state in a receiver state */
    void *rx_law;                         /* the law's receiver state if it is one per host; NULL = it is not */
    uint64_t rx_law_armed_ps;             /* time of its valid entry in the timer heap; WEIR_NEVER = none */
    uint64_t rx_now_ps;                   /* with HOST_EXTENDED_HELD: arrival of the latest DATA in rx_any() */
    struct host_table peers, waits, boards;
    struct host_table tracks;    /* struct host_track, by handle of the message; stride 0 = none */
    struct host_table sent;      /* struct host_sent, by number of the flow record with the law's state: schedule.c */
    uint64_t schedule_clock;     /* of schedule.c: the start of the packet sent last */
    struct host_ring singles;    /* struct single: messages of a law without acknowledgements */
    uint32_t first_index;        /* first packet number of a new connection: 0; tests start near the wrap */
    uint32_t law_entries;        /* entries of the timer heap that are laws' timers, of both halves */
    struct host_notes *notes;    /* calls of the law in a period: notes.h; NULL = none yet */
    struct host_numbers peer_of; /* number of a host -> index + 1 in peers */
};
WEIR_LAYOUT_ASSERT(offsetof(struct host_stream, rx_map) == 64, "what an ACK needs is one line");

static inline struct host_stream *host_stream_of(const struct weir_host *h)
{
    return host_half(h);
}
#endif
