/* src/base/core/cc.h - the events a sender-side protocol receives, and its answer.
 * A new signal is a new field of an event, not another argument. The answer is in the protocol's own struct, so it
 * never reaches into the host. The config is an argument, so all flows share one copy. */
#ifndef WEIR_CORE_CC_H
#define WEIR_CORE_CC_H
#include "core/assert.h"
#include "core/head.h"
#include "core/math.h"
#include "core/need.h"
#include "core/path.h"
#include "core/units.h"

struct weir_int_hop;

/* The report of one ACK to the sender. host/ or bpf/ fills it in; a protocol only reads it. */
struct weir_ack {
    uint64_t now_ps;                /* since the run began; never runs backwards */
    uint64_t rtt_ps;                /* this ACK's sample; 0 = none (a retransmission) */
    uint64_t acked_seq, next_seq;   /* every byte below has arrived; first offset not yet sent */
    const struct weir_int_hop *hop; /* hop_count records, as written; lent for this call only */
    uint32_t acked_bytes;           /* newly delivered by this ACK */
    uint32_t marked_bytes;          /* of those, arrived with CE; <= acked_bytes */
    uint32_t inflight_bytes;        /* sent and not yet delivered, after this ACK */
    union {
        uint32_t qdelay_max_ps; /* Soze: longest queue on the path; saturates at 4 ms */
        uint32_t rate_stamp;    /* RCP: the least rate on the path, core/rcp_code.h; 0 = unknown */
        uint32_t held_ps;       /* WEIR_NEED_HELD: from DATA's arrival to the ACK's departure; saturates at 1.07 ms */
    };
    uint16_t share_count;      /* Dart, FNCC: how many share the receiver; 0 = unknown */
    uint16_t hop_count, flags; /* enum weir_ack_flag */
    uint16_t path_id;          /* with hop records: changes when the path does; 12 bits on the wire */
};

enum weir_ack_flag {
    WEIR_ACK_APP_LIMITED = 1u << 0, /* cwnd was not what held the sender back */
    WEIR_ACK_ECE = 1u << 1, /* with host.ecn: rfc3168, or on a duplicate, where acked_bytes is 0: it carried ECE */
    WEIR_ACK_RECOVERED = 1u << 2, /* host.reliability: newreno: it ends a fast recovery */
};

struct weir_loss { /* packets were found missing */
    uint64_t now_ps;
    uint64_t lost_seq, next_seq; /* lowest byte found lost; first offset not yet sent */
    uint32_t lost_bytes;         /* found by this event */
    bool is_timeout;             /* nothing came back for an RTO; everything in flight counts as lost */
};

struct weir_sent { /* a DATA packet was handed to the NIC */
    uint64_t now_ps, seq;
    uint32_t bytes;
    bool is_retransmission;
};

#define WEIR_NOTICE_WEIGHT 0xffffu /* from the world, not the wire: value = the flow's weight from now on, Q20 */
#define WEIR_NOTICE_RATE 0xfffeu   /* likewise: allotment = the initial rate, and the queues of the path */

struct weir_allotment {  /* what a solver gives a flow; rates on the wire, bit/s */
    uint64_t rate_bps;   /* its own */
    uint64_t level_bps;  /* geometric mean, over the full links of its path, of the highest rate per weight on each */
    uint32_t full_links; /* how many those are */
};

struct weir_notice { /* a message for the law itself: CNP, fair rate, weight */
    uint64_t now_ps, value;
    const struct weir_allotment *allotment; /* with WEIR_NOTICE_RATE; lent */
    uint16_t kind;                          /* of the protocol's own */
    uint32_t dst; /* written by the receiver half of a host (weir_cc_ops.rx_bytes): the host it is for; else unused */
    uint32_t source; /* RoCC: number, in the whole network, of the congested port that sends it; 0 = does not matter */
};

/* The answer, read by the host after every call; first member of every flow state. */
struct weir_cc {
    uint64_t rate_bps;   /* pace at this; WEIR_RATE_OPEN = the window alone limits */
    uint64_t timer_ps;   /* call on_timer() then; WEIR_NEVER = no timer wanted */
    uint32_t cwnd_bytes; /* most bytes in flight; 1 MSS .. WEIR_CWND_MAX_BYTES */
};

struct weir_data;         /* core/data.h */
struct weir_echo {        /* what a plain receiver would answer; rx_data may change it before the ACK leaves */
    uint16_t share_count; /* host: connections with a message that has begun and not ended here, this one included;
                             saturates. Goes into the ACK */
    uint16_t conn_count;  /* host: connections that ever sent data here; saturates. Stays here */
    /* host, with WEIR_NEED_RECENT: connections that sent data here in this period of a base round trip, or in the one
     * before, whichever is more; saturates. Stays here */
    uint16_t recent_count;
    bool ce;
};

struct weir_rx_event { /* a message begins at its receiver, or is complete there */
    uint64_t now_ps;
    uint32_t src, msg;     /* its sender, and that one's handle for it */
    struct weir_head head; /* those parts that the law reads; when it is complete, the tenant alone */
};

/* One row per protocol: (state, config, event) -> state. NULL = does not care. */
struct weir_cc_ops {
    const char *name;     /* as in scenario files and reports */
    uint32_t state_bytes; /* the host provides this much per flow */
    uint32_t needs;       /* WEIR_NEED_ECN | WEIR_NEED_INT ..: refused before the run if missing */
    void (*init)(struct weir_cc *cc, const void *config, const struct weir_path *path);
    void (*on_start)(struct weir_cc *cc, const void *config, uint64_t now_ps); /* data after idle */
    void (*on_ack)(struct weir_cc *cc, const void *config, const struct weir_ack *ack);
    void (*on_loss)(struct weir_cc *cc, const void *config, const struct weir_loss *loss);
    void (*on_sent)(struct weir_cc *cc, const void *config, const struct weir_sent *sent);
    void (*on_notice)(struct weir_cc *cc, const void *config, const struct weir_notice *notice);
    void (*on_timer)(struct weir_cc *cc, const void *config, uint64_t now_ps);
    /* true: one state per destination, shared by all connections to it, which send one message after another, in the
     * order they began, at its rate and within its window. on_start() is called when none was under way. The state is
     * made at the first message or notice, and kept. */
    bool per_peer;
    /* Receiver half; NULL or 0 for most. Its state, zeroed at first, is one per receiving host (rx_bytes), or one per
     * receiving connection (rx_flow_bytes); never both. */
    uint32_t rx_bytes, rx_flow_bytes;
    void (*rx_data)(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo);
    /* Called after each of the other rx calls and at rx_next_ps() (WEIR_NEVER = no need), until false. With
     * rx_flow_bytes the notice goes to the connection's sender; with rx_bytes to out->dst, which needs no connection,
     * but a law that is per_peer. */
    bool (*rx_notice)(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out);
    uint64_t (*rx_next_ps)(const void *rx, const void *config);
    /* With rx_bytes only. rx_begin: before rx_data() of the first packet of a message that arrives; rx_end: after
     * rx_data() of the last one missing, or when the sender aborted the message. */
    void (*rx_init)(void *rx, const void *config, const struct weir_path *path);
    void (*rx_begin)(void *rx, const void *config, const struct weir_rx_event *event);
    void (*rx_end)(void *rx, const void *config, const struct weir_rx_event *event);
    /* Returns what rx_begin() reads of heads: bits of enum weir_head_part. NULL = nothing */
    uint32_t (*rx_heads)(const void *config);
};

/* Returns what the receivers of a run read of heads: bits of enum weir_head_part. cc: NULL = it is receiver-driven */
static inline uint32_t weir_cc_heads(const struct weir_cc_ops *cc, const void *config)
{
    return cc != NULL && cc->rx_heads != NULL ? cc->rx_heads(config) : 0;
}
#endif
