/* src/base/core/cc.h - the events that a sender-driven protocol receives, and its answer (cwnd, rate, timer).
 * A new signal becomes a new field of an event, not another argument. A protocol writes the answer to its own state, so
 * it never accesses the host. The config is an argument, so all flows share one copy. */
#ifndef WEIR_CORE_CC_H
#define WEIR_CORE_CC_H
#include "core/assert.h"
#include "core/head.h"
#include "core/math.h"
#include "core/need.h"
#include "core/path.h"
#include "core/units.h"

struct weir_int_hop;

/* The report of one ACK to the sender's law. host/ or bpf/ fills it in; a protocol only reads it. */
struct weir_ack {
    uint64_t now_ps;                /* since the run began; never runs backwards */
    uint64_t rtt_ps;                /* this ACK's sample; 0 = none (a retransmission) */
    uint64_t acked_seq, next_seq;   /* acked: every byte below has arrived; next: first offset not yet sent */
    const struct weir_int_hop *hop; /* hop_count INT records, in the order of the path; valid during this call only */
    uint32_t acked_bytes;           /* newly delivered by this ACK */
    uint32_t marked_bytes;          /* the part of acked_bytes that arrived with CE */
    uint32_t inflight_bytes;        /* sent and not yet delivered, after this ACK */
    union {
        uint64_t qdelay_max_ps; /* Soze: longest queueing delay on the path; below 2^34 */
        uint32_t rate_stamp;    /* RCP: stamp (core/rcp_code.h) of the least rate on the path; 0 = unknown */
        uint32_t held_ps;       /* WEIR_NEED_HELD: from the arrival of DATA to the departure of its ACK; saturates at
                                   1.07 ms */
    };
    uint16_t share_count;      /* Dart, FNCC: number of flows that share the receiver; 0 = unknown */
    uint16_t hop_count, flags; /* enum weir_ack_flag */
    uint16_t path_id;          /* with INT records: another path has another number; 12 bits on the wire */
};

enum weir_ack_flag {
    WEIR_ACK_APP_LIMITED = 1u << 0, /* cwnd did not limit the sender */
    /* The ACK carries ECE. Set only with host.ecn: rfc3168, host.reliability: newreno or host.handshake. Then
     * acked_bytes may be 0: a duplicate ACK */
    WEIR_ACK_ECE = 1u << 1,
    WEIR_ACK_RECOVERED = 1u << 2, /* host.reliability: newreno: this ACK ends a fast recovery */
};

struct weir_loss { /* packets of one connection were found lost */
    uint64_t now_ps;
    uint64_t lost_seq, next_seq; /* lost: lowest offset found lost; next: first offset not yet sent */
    uint32_t lost_bytes;         /* bytes that this event found lost */
    bool is_timeout;             /* no ACK came for an RTO; all bytes in flight count as lost */
};

struct weir_sent { /* a DATA packet was handed to the NIC */
    uint64_t now_ps, seq;
    uint32_t bytes;
    bool is_retransmission;
};

/* Kinds of notices that come from the world, not from a packet. WEIGHT: `value` is the flow's new weight, Q20. RATE:
 * `allotment` has the flow's initial rate, and the number and level of the full links on its path. */
#define WEIR_NOTICE_WEIGHT 0xffffu
#define WEIR_NOTICE_RATE 0xfffeu

struct weir_allotment { /* the share that the solver computed for one flow; rates count wire bytes, in bit/s */
    uint64_t rate_bps;  /* rate of the flow */
    /* Level of a full link: the highest rate per weight among the flows whose bottleneck it is. Here the geometric mean
     * of the levels of the full links on the flow's path; 0 if full_links is 0 */
    uint64_t level_bps;
    uint32_t full_links; /* links on the path that are the bottleneck of some flow */
};

struct weir_notice { /* a notification for a law: CNP, fair rate, weight, allotment */
    uint64_t now_ps, value;
    const struct weir_allotment *allotment; /* with WEIR_NOTICE_RATE only; valid during the call */
    uint16_t kind;                          /* a number of the protocol's own, WEIR_NOTICE_WEIGHT or WEIR_NOTICE_RATE */
    /* Destination host; written by the receiver half of a law with weir_cc_ops.rx_bytes, else unused */
    uint32_t dst;
    uint32_t source; /* RoCC: network-wide number of the congested port that sent the notice; 0 = unused */
};

/* The answer of a law: the host reads it after every call. It is the first member of every flow state. */
struct weir_cc {
    uint64_t rate_bps;   /* pacing rate; WEIR_RATE_OPEN = cwnd alone limits the flow */
    uint64_t timer_ps;   /* time of the next on_timer() call; WEIR_NEVER = no timer */
    uint32_t cwnd_bytes; /* most bytes in flight; 1 MSS .. WEIR_CWND_MAX_BYTES */
};

struct weir_data;  /* core/data.h */
struct weir_echo { /* the default answer to DATA; rx_data() may change share_count and ce before the ACK leaves */
    /* Set by the host: connections with an unfinished message to this host; this connection is counted in any case;
     * saturates. The ACK carries the count */
    uint16_t share_count;
    /* Set by the host: connections that ever sent data to this host; saturates. Not sent */
    uint16_t conn_count;
    /* Set by the host with WEIR_NEED_RECENT: connections that sent data to this host in the present period of one base
     * RTT, or in the period before. It is the larger of both numbers; saturates. Not sent */
    uint16_t recent_count;
    bool ce;
};

struct weir_rx_event { /* a message begins at its receiver, or has ended there */
    uint64_t now_ps;
    uint32_t src, msg;     /* src: the sender; msg: the sender's handle of the message */
    struct weir_head head; /* the parts that the law reads (rx_heads()); with rx_end() the tenant alone */
};

/* A sender-driven protocol: one row per protocol. Each function maps (state, config, event) to a new state. A function
 * that is NULL is not called. */
struct weir_cc_ops {
    const char *name;     /* as in scenario files and results */
    uint32_t state_bytes; /* size of the flow state, which the host allocates */
    uint32_t needs;       /* enum weir_need; set-up refuses the run if one is not met */
    void (*init)(struct weir_cc *cc, const void *config, const struct weir_path *path);
    void (*on_start)(struct weir_cc *cc, const void *config, uint64_t now_ps); /* data to send after an idle time */
    void (*on_ack)(struct weir_cc *cc, const void *config, const struct weir_ack *ack);
    void (*on_loss)(struct weir_cc *cc, const void *config, const struct weir_loss *loss);
    void (*on_sent)(struct weir_cc *cc, const void *config, const struct weir_sent *sent);
    void (*on_notice)(struct weir_cc *cc, const void *config, const struct weir_notice *notice);
    void (*on_timer)(struct weir_cc *cc, const void *config, uint64_t now_ps);
    /* Returns the least rate, in bit/s on the wire, at which a sender that has data goes on sending, whatever it hears;
     * 0 = it may stop. NULL = it may. */
    uint64_t (*floor_bps)(const void *config);
    /* true: one flow state per destination, shared by all connections to it. The connections together send one message
     * after another, in the order in which the messages began, at the rate and within the window of the shared state.
     * on_start() is called when a message begins while no other message to the destination is unfinished. The state is
     * created at the first message or notice, and kept. */
    bool per_peer;
    /* Receiver half; NULL or 0 in most rows. rx_bytes: size of one state per receiving host. rx_flow_bytes: size of one
     * state per receiving connection. At most one of the two is above 0. States begin zeroed. */
    uint32_t rx_bytes, rx_flow_bytes;
    void (*rx_data)(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo);
    /* Writes the next notice to *out. @return false = there is no further notice. The host calls rx_notice() until it
     * returns false: after each call of another rx function, and at the time that rx_next_ps() returned. With
     * rx_flow_bytes the notice goes to the connection's sender. With rx_bytes it goes to out->dst: no connection is
     * needed, but the law must be per_peer. */
    bool (*rx_notice)(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out);
    /* Returns the time of the next call of rx_notice() if no packet arrives before; WEIR_NEVER = none. NULL = never */
    uint64_t (*rx_next_ps)(const void *rx, const void *config);
    /* With rx_bytes only. rx_begin() is called before rx_data() of the first packet of a message. rx_end() is called
     * after rx_data() of the last missing packet, or when the sender aborted the message. */
    void (*rx_init)(void *rx, const void *config, const struct weir_path *path);
    void (*rx_begin)(void *rx, const void *config, const struct weir_rx_event *event);
    void (*rx_end)(void *rx, const void *config, const struct weir_rx_event *event);
    /* Returns the parts of a head that rx_begin() reads: bits of enum weir_head_part. NULL = none */
    uint32_t (*rx_heads)(const void *config);
};

/* Returns the parts of message heads that the receiver half of a law reads: bits of enum weir_head_part. Returns 0 if
 * cc is NULL: the protocol is receiver-driven, and reads none. */
static inline uint32_t weir_cc_heads(const struct weir_cc_ops *cc, const void *config)
{
    return cc != NULL && cc->rx_heads != NULL ? cc->rx_heads(config) : 0;
}
#endif
