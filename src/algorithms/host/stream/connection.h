/* src/algorithms/host/stream/connection.h - the sending connection: its record, and what it says of itself.
 *
 * A sending connection is one cache line (struct host_flow) followed by the control law's state. Records lie in a
 * block table, so they never move and a connection's number is its index. What is needed only while packets are out
 * of order (loss.h) is borrowed from a pool: most connections never own one. */
#ifndef WEIR_HOST_STREAM_CONNECTION_H
#define WEIR_HOST_STREAM_CONNECTION_H
#include "core/cc.h"
#include "host/stream/state.h"

#define HOST_RTT_SHIFT 12u   /* RTT estimator counts in 4096 ps: 32 bits hold 2 s with three fraction bits */
#define HOST_BACKOFF_MAX 20u /* doublings of the RTO; rto_max ends it long before */

_Static_assert((WEIR_HOST_WINDOW_PKTS_MAX + UINT64_C(1)) * WEIR_WIRE_MAX_BYTES <= UINT32_MAX,
               "the bytes of a window and one packet more have 32 bits");

enum host_flow_flag {
    HOST_BUSY = 1u << 0,    /* a message is on it */
    HOST_READY = 1u << 1,   /* may send a packet now */
    HOST_QUEUED = 1u << 2,  /* stands in the ready ring (also when no longer ready) */
    HOST_PACED = 1u << 3,   /* stands in the pace heap: not before its time */
    HOST_TIMED = 1u << 4,   /* stands in the timer heap with its RTO */
    HOST_REPLIED = 1u << 5, /* the reply to the message came */
    HOST_AGAIN = 1u << 6,   /* all is acknowledged but the reply is missing: send the last packet again */
    HOST_REPAIR = 1u << 7,  /* a loss was found while none was being repaired: its first packet ignores the window */
};

struct host_flow {             /* a sending connection; the law's state follows in memory */
    uint32_t una, next, end;   /* first unacknowledged, next new packet, one past the message's last */
    uint32_t first;            /* of the message */
    uint64_t msg_seq;          /* byte offset of the message on the connection */
    uint64_t since_ps;         /* the retransmission timer runs since then; WEIR_NEVER = nothing outstanding */
    uint32_t inflight_bytes;   /* sent, neither delivered nor held lost */
    uint32_t msg;              /* the world's handle; while idle: next idle connection of this peer */
    uint32_t limited;          /* value of next when the window last held the sender back; end + 1: it aborts */
    uint32_t hash;             /* path entropy of its DATA */
    uint32_t srtt_8, rttvar_4; /* RFC 6298, in 4096 ps, times 8 and times 4; srtt 0 = no sample yet */
    /* Loads of what each packet reads must not reach over what each packet writes: those would wait for the store. */
    uint16_t board;           /* scoreboard index + 1; 0 = everything arrived in order so far */
    uint8_t flags;            /* enum host_flow_flag */
    uint64_t backoff : 5;     /* RTO doublings, at most HOST_BACKOFF_MAX */
    uint64_t shared : 1;      /* no connection: the law's state of a destination, host_peer_shared() */
    uint64_t last_bytes : 14; /* payload of the message's last packet */
    uint64_t dst : 20;        /* where weir_pkt.dst_word has it */
};
_Static_assert(sizeof(struct host_flow) == 64, "one cache line, then the law's");
_Static_assert(HOST_BACKOFF_MAX < 32, "5 bits");

struct host_member {        /* in place of the law's state, behind a connection whose law is per_peer */
    uint32_t shared;        /* number of the flow record that has it, and the sum of inflight_bytes */
    uint32_t peer;          /* in peers */
    uint32_t next;          /* connection behind it in the line; HOST_NONE = the last */
    uint32_t counted_bytes; /* of its inflight_bytes, what the sum holds */
    bool in_line;           /* stands in its peer's line */
};
_Static_assert(sizeof(struct host_member) <= sizeof(struct weir_cc), "it takes the place of a law's state");

static inline struct host_flow *host_flow_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->flows, HOST_BLOCK_SHIFT, index);
}

/* Returns the connection that an ACK, REPLY or the like answers, or NULL if it is none of ours: then it is counted. */
static inline struct host_flow *host_flow_of(struct weir_host *h, const struct weir_pkt *pkt)
{
    if (WEIR_LIKELY(pkt->conn < host_stream_of(h)->flows.count)) {
        struct host_flow *f = host_flow_at(h, pkt->conn);
        if (WEIR_LIKELY(f->dst == pkt->src))
            return f;
    }
    h->stats.refused_pkts++;
    return NULL;
}

static inline struct host_member *host_member_of(struct host_flow *f)
{
    return (struct host_member *)(void *)(f + 1);
}

/* Returns the record that holds the law's state: of the connection itself, unless the law is per_peer. */
static inline struct host_flow *host_law_flow(const struct weir_host *h, struct host_flow *f)
{
    return WEIR_LIKELY(!host_stream_of(h)->per_peer || f->shared) ? f : host_flow_at(h, host_member_of(f)->shared);
}

static inline struct weir_cc *host_cc(const struct weir_host *h, struct host_flow *f)
{
    return (struct weir_cc *)(host_law_flow(h, f) + 1);
}

/* Returns where a law with a timer has its armed instant: behind its state. WEIR_NEVER = no entry in the heap. */
static inline uint64_t *host_law_armed(const struct weir_host *h, struct host_flow *f)
{
    WEIR_CHECK(host_stream_of(h)->armed_offset != 0);
    return (uint64_t *)((unsigned char *)f + host_stream_of(h)->armed_offset);
}

/* Tests whether a connection's message was cancelled: ABORT is sent until DONE answers it. */
static inline bool host_flow_aborts(const struct host_flow *f)
{
    return f->limited == f->end + 1;
}

static inline void host_flow_prefetch(const struct weir_host *h, uint32_t index)
{
    const struct host_flow *f = host_flow_at(h, index);
    weir_fetch(f);
    weir_fetch(f + 1);
}

/* Returns the payload of one packet of the message on this connection. */
static inline uint32_t host_pkt_bytes(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    return pkt + 1 == f->end ? f->last_bytes : h->mss_bytes;
}

/* Returns the byte offset on the connection where packet pkt begins; pkt = end: one past the message. 2^32 packets of
 * 2^14 bytes fit. */
static inline uint64_t host_seq_of(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    uint64_t mss = h->mss_bytes, seq = f->msg_seq + (pkt - f->first) * mss;
    return pkt == f->end ? seq - (mss - f->last_bytes) : seq;
}

/* Returns the payload of the message on this connection. */
static inline uint64_t host_message_bytes(const struct weir_host *h, const struct host_flow *f)
{
    WEIR_CHECK(f->end != f->first);
    return (uint64_t)(f->end - f->first - 1) * h->mss_bytes + f->last_bytes;
}
#endif
