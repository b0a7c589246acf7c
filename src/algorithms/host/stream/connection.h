/* src/algorithms/host/stream/connection.h - the sending connection: its record, and functions that read it.
 *
 * A sending connection is one cache line (struct host_flow) followed by the control law's state, or by struct
 * host_member if the law is per_peer. Records lie in a block table, so they never move, and a connection's number is
 * its index. The scoreboard (loss.h) is needed only while packets are out of order, and is taken from a pool: most
 * connections never have one. */
#ifndef WEIR_HOST_STREAM_CONNECTION_H
#define WEIR_HOST_STREAM_CONNECTION_H
#include "core/cc.h"
#include "host/stream/state.h"

#define HOST_RTT_SHIFT 12u   /* the RTT estimator counts in 4096 ps: 32 bits hold 2 s with three fraction bits */
#define HOST_BACKOFF_MAX 20u /* most doublings of the RTO; rto_max limits the RTO long before */

_Static_assert((WEIR_HOST_WINDOW_PKTS_MAX + UINT64_C(1)) * WEIR_WIRE_MAX_BYTES <= UINT32_MAX,
               "the bytes of a window and one packet more have 32 bits");

enum host_flow_flag {
    HOST_BUSY = 1u << 0,    /* the connection carries a message */
    HOST_READY = 1u << 1,   /* may send a packet now */
    HOST_QUEUED = 1u << 2,  /* is in the ready ring (also when no longer ready) */
    HOST_PACED = 1u << 3,   /* is in the pace heap: may not send before its time */
    HOST_TIMED = 1u << 4,   /* is in the timer heap with its RTO */
    HOST_REPLIED = 1u << 5, /* the reply to the message arrived */
    HOST_AGAIN = 1u << 6,   /* all is acknowledged but the reply is missing: retransmit the last packet */
    HOST_REPAIR = 1u << 7,  /* first loss of a recovery: its first retransmission ignores the window */
};

struct host_flow {           /* a sending connection; the law's state follows in memory */
    uint32_t una, next, end; /* una: first unacknowledged packet; next: next new one; end: behind the last */
    uint32_t first;          /* first packet of the message */
    uint64_t msg_seq;        /* byte offset of the message on the connection */
    uint64_t since_ps;       /* when the retransmission timer was started; WEIR_NEVER = it does not run */
    uint32_t inflight_bytes; /* sent, neither delivered nor recorded as lost */
    uint32_t msg;            /* the world's handle; idle: the peer's next idle one; shared: index in peers */
    uint32_t limited;        /* value of next when cwnd last held the sender back; end + 1: the message was cancelled */
    uint32_t hash;           /* path entropy of its DATA */
    uint32_t srtt_8, rttvar_4; /* RFC 6298, in 4096 ps, times 8 and times 4; srtt 0 = no sample yet */
    /* A wide load of fields read per packet must not include fields just written: it would wait for the store. */
    uint16_t board;           /* scoreboard index + 1; 0 = everything arrived in order so far */
    uint8_t flags;            /* enum host_flow_flag */
    uint64_t backoff : 5;     /* RTO doublings, at most HOST_BACKOFF_MAX */
    uint64_t shared : 1;      /* not a connection: holds the law's state of a destination, see host_peer_shared() */
    uint64_t last_bytes : 14; /* payload of the message's last packet */
    uint64_t dst : 20;        /* in the same bits as in weir_pkt.dst_word */
};
_Static_assert(sizeof(struct host_flow) == 64, "one cache line, then the law's");
_Static_assert(HOST_BACKOFF_MAX < 32, "5 bits");

struct host_member {        /* follows a connection in place of the law's state, if the law is per_peer */
    uint32_t shared;        /* index of the flow record with the law's state and the sum of inflight_bytes */
    uint32_t peer;          /* index in peers */
    uint32_t next;          /* next connection in the peer's line (struct host_peer); HOST_NONE = the last */
    uint32_t counted_bytes; /* part of its inflight_bytes that the sum includes */
    bool in_line;           /* it is in its peer's line */
};
_Static_assert(sizeof(struct host_member) <= sizeof(struct weir_cc), "it takes the place of a law's state");

struct host_track {      /* entry of a message in the table of messages (track.c) */
    uint64_t weight_q20; /* of the message */
    uint32_t slot;       /* connection + 1; HOST_TRACK_WAITS = the message waits for one; 0 = no message */
    bool tries;          /* .. and then begins with one packet: room.c */
    uint8_t priority;    /* 0 = most urgent */
};
#define HOST_TRACK_WAITS UINT32_MAX

static inline struct host_flow *host_flow_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->flows, HOST_BLOCK_SHIFT, index);
}

/* Returns how urgent a connection's message is, 0 .. 7; 0 = most urgent, or it has no message. */
static inline uint32_t host_flow_priority(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_stream *s = host_stream_of(h);
    if (WEIR_LIKELY(!s->urgent) || !(f->flags & HOST_BUSY))
        return 0;
    return ((const struct host_track *)host_at(&s->tracks, HOST_BLOCK_SHIFT, f->msg))->priority;
}

/* Returns the connection that a packet from a receiver (ACK, REPLY, ..) names. @return NULL = pkt->conn is not a
 * connection to the packet's source, counted in refused_pkts */
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

/* Returns the record that holds the law's state of f: f itself, unless the law is per_peer and f is a connection. Then
 * it is the record of f's destination. */
static inline struct host_flow *host_law_flow(const struct weir_host *h, struct host_flow *f)
{
    return WEIR_LIKELY(!host_stream_of(h)->per_peer || f->shared) ? f : host_flow_at(h, host_member_of(f)->shared);
}

static inline struct weir_cc *host_cc(const struct weir_host *h, struct host_flow *f)
{
    return (struct weir_cc *)(host_law_flow(h, f) + 1);
}

/* Returns the address of the time for which the law's timer is armed, behind the law's state. f: the record with that
 * state. Only for a law with a timer. *result: WEIR_NEVER = the timer is not armed */
static inline uint64_t *host_law_armed(const struct weir_host *h, struct host_flow *f)
{
    WEIR_CHECK(host_stream_of(h)->armed_offset != 0);
    return (uint64_t *)((unsigned char *)f + host_stream_of(h)->armed_offset);
}

/* Tests whether the connection's message was cancelled. ABORT is then repeated until DONE confirms it. */
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

/* Returns the payload of packet pkt of the connection's message. */
static inline uint32_t host_pkt_bytes(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    return pkt + 1 == f->end ? f->last_bytes : h->mss_bytes;
}

/* Returns the byte offset on the connection at which packet pkt begins; first <= pkt <= end. For pkt = end it is the
 * offset behind the message. 2^32 packets of 2^14 bytes fit. */
static inline uint64_t host_seq_of(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    uint64_t mss = h->mss_bytes, seq = f->msg_seq + (pkt - f->first) * mss;
    return pkt == f->end ? seq - (mss - f->last_bytes) : seq;
}

/* Returns the payload of the connection's message, which must exist. */
static inline uint64_t host_message_bytes(const struct weir_host *h, const struct host_flow *f)
{
    WEIR_CHECK(f->end != f->first);
    return (uint64_t)(f->end - f->first - 1) * h->mss_bytes + f->last_bytes;
}
#endif
