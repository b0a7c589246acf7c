/* src/core/cc.h - the events a sender-side protocol receives, and its answer.
 * A new signal is a new field of an event, not another argument. The answer is in the protocol's own struct, so it
 * never reaches into the host. The config is an argument, so all flows share one copy. */
#ifndef WEIR_CORE_CC_H
#define WEIR_CORE_CC_H
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"

#define WEIR_CWND_MAX_BYTES (1u << 30) /* products with a Q20 fraction stay below 2^50 */

/* The needs of a protocol. Those of the network are compared with the offers of switch features
 * (weir_feature_plan.offers) before a run. */
enum weir_need {
    WEIR_NEED_ECN = 1u << 0,
    WEIR_NEED_INT = 1u << 1,
    WEIR_NEED_QDELAY = 1u << 2,
    WEIR_NEED_ACK_INT = 1u << 3,    /* FNCC: the request path's telemetry, put into returning ACKs */
    WEIR_NEED_FAIR_RATE = 1u << 4,  /* RoCC: a congested port sends its flows their rate, by notices */
    WEIR_NEED_RCP = 1u << 5,        /* RCP: ports lower the rate in DATA to their own */
    WEIR_NEED_GATE = 1u << 6,       /* ports that let credit through only as fast as data may come back */
    WEIR_NEED_WEIGHTS = 1u << 15,   /* of the host: the law takes weights, by notices of kind WEIR_NOTICE_WEIGHT */
    WEIR_NEED_NO_ACKS = 1u << 16,   /* of the host: send and forget; the packet is the message (open loop) */
    WEIR_MAY_ECN = 1u << 17,        /* no need: it obeys marks where switches mark, and does without */
    WEIR_NEED_HOPS = 1u << 18,      /* of the world: weir_path.hops is that of the flow's own path */
    WEIR_NEED_HELD = 1u << 19,      /* of the host: ACKs report how long their receiver held them */
    WEIR_NEED_ONE_CLOCK = 1u << 20, /* of the world: now_ps is the same on all hosts, as in a simulation */
    WEIR_NEED_RECENT = 1u << 21,    /* of the host: weir_echo.recent_count */
};

/* The network of a flow, passed once. */
struct weir_path {
    uint64_t base_rtt_ps;      /* full packet out, acknowledgement back, idle network, longest path */
    uint64_t control_rtt_ps;   /* control packet out, another back, likewise; 0 = unknown */
    uint64_t rate_bps;         /* of the host's link */
    uint64_t bdp_bytes;        /* as the scenario defines it */
    uint32_t mss_bytes;        /* payload of a full packet; 1 .. 9216 */
    uint32_t wire_bytes;       /* that packet on a link, headers and gap included; 0 = unknown, as mss_bytes */
    uint64_t least_weight_q20; /* of the flows, as far as is known before they begin; 0 = unknown, 1 */
    uint32_t hops;             /* switches on the longest path; with WEIR_NEED_HOPS on the flow's own; 0 = unknown */
};

/* Returns the bytes of a full packet on a link. */
static inline uint32_t weir_path_wire_bytes(const struct weir_path *path)
{
    return path->wire_bytes != 0 ? path->wire_bytes : path->mss_bytes;
}

struct weir_int_hop { /* one telemetry record, as written by a switch when the packet left it */
    uint64_t ts_ps, tx_bytes, rate_bps;
    uint32_t queue_bytes;
};

#define WEIR_TELEMETRY_HOPS_MAX 8u /* records a packet can hold, so switches on a path: a fat-tree's longest has 5 */

/* Quantised telemetry (HPCC, SIGCOMM 2019): a record's values are whole units, rounded down, and begin again
 * at 0 after 2^bits of them. The field holds units * size of the unit, so exact and quantised records read alike. The
 * byte units are times `multi`, the host link's rate in 25 Gb/s. */
#define WEIR_INT_TS_UNIT_PS WEIR_PS_PER_NS
#define WEIR_INT_TS_BITS 24u
#define WEIR_INT_TS_WRAP_PS (WEIR_INT_TS_UNIT_PS << WEIR_INT_TS_BITS) /* 16.8 ms */
#define WEIR_INT_TX_UNIT_BYTES UINT64_C(128)
#define WEIR_INT_TX_BITS 20u
#define WEIR_INT_TX_WRAP_BYTES (WEIR_INT_TX_UNIT_BYTES << WEIR_INT_TX_BITS) /* 134 MB * multi */
#define WEIR_INT_QUEUE_UNIT_BYTES UINT64_C(80)
#define WEIR_INT_QUEUE_MAX_UNITS 65535u /* what is longer reads as this: 5.24 MB * multi */
#define WEIR_INT_MULTI_BPS UINT64_C(25000000000)

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

struct weir_data;         /* core/credit.h */
struct weir_echo {        /* what a plain receiver would answer; rx_data may change it before the ACK leaves */
    uint16_t share_count; /* host: connections with a message that has begun and not ended here, this one included;
                             saturates. Goes into the ACK */
    uint16_t conn_count;  /* host: connections that ever sent data here; saturates. Stays here */
    /* host, with WEIR_NEED_RECENT: connections that sent data here in this period of a base round trip, or in the one
     * before, whichever is more; saturates. Stays here */
    uint16_t recent_count;
    bool ce;
};

/* Messages to one receiver, announced by a list of their senders that each of them carries. */
struct weir_sender_group {
    const uint32_t *sender; /* hosts, count of them: one per message; lent for the run */
    uint32_t count;
    uint32_t id; /* above 0; no two groups of a run have the same */
};

#define WEIR_GROUP_SENDER_BYTES 2u /* of a list: per sender, and for their number */

/* Returns the bytes of the list in a message's payload, which are in its first packet. group: NULL = no list */
static inline uint32_t weir_group_bytes(const struct weir_sender_group *group)
{
    return group != NULL ? WEIR_GROUP_SENDER_BYTES * (group->count + 1) : 0;
}

/* Parts of struct weir_head. */
enum weir_head_part {
    WEIR_HEAD_GROUP = 1u << 0,
    WEIR_HEAD_WEIGHT = 1u << 1,
    WEIR_HEAD_TENANT = 1u << 2,
};

#define WEIR_TENANTS_MAX 16u /* of a run */

/* The head of a message, as the law of its receiver gets it. */
struct weir_head {
    const struct weir_sender_group *group; /* NULL = it is of none */
    uint64_t weight_q20;                   /* of the message when it started; 0 = not known, 1.0 */
    uint32_t tenant;                       /* whose it is: below WEIR_TENANTS_MAX */
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
