/* src/algorithms/host/credit/records.h - the records of a receiver-driven host, and functions that find them.
 *
 * Messages between two hosts are numbered from 0 in each direction, modulo 2^30 (weir_pkt.conn). A receiver finds a
 * message by its number in a ring per peer, and knows the numbers of finished messages. So it delivers each message
 * once, even if the network repeats packets. A message's record is the host's part followed by the protocol's. Records
 * lie in pools, and never move while the message lives.
 *
 * Recovery: each peer with unfinished messages is checked every loss_ps. Inbound messages of which no DATA arrived for
 * loss_ps are reported to the protocol. If the protocol agrees, the receiver credits the missing packets again, by
 * CREDITs that name them. The sender repeats the REQUEST of an outbound message, at growing intervals, while no CREDIT
 * for it arrives and no DATA of it leaves.
 *
 * A sender that cancels a message sends ABORT instead of REQUEST, and repeats it in the same way until DONE arrives.
 * ABORT has the same fields as REQUEST, so a receiver without the message can begin and end it at once. The protocol
 * then counts the same unscheduled bytes, whether any of them arrived or not. */
#ifndef WEIR_HOST_CREDIT_RECORDS_H
#define WEIR_HOST_CREDIT_RECORDS_H
#include "core/credit.h"
#include "host/credit/rtt.h"
#include "host/credit/window.h"
#include "host/common/state.h"

#define CREDIT_TIMER_PEER 0u   /* the only kind of entry in the timer heap: the check of a peer */
#define CREDIT_DONE UINT32_MAX /* entry of a peer's ring of inbound messages: the message is finished */
/* Most messages from one peer, from the oldest unfinished one to the newest; later ones are refused. */
#define CREDIT_RING_MAX (1u << 20)
/* Offsets from rx_base (credit_rx_offset()) from here on are of messages before it, which are finished. */
#define CREDIT_OFFSET_PAST (1u << (WEIR_PKT_CONN_BITS - 1))
#define CREDIT_HANDLES_MAX (1u << 30) /* handles of messages must be below */
#define CREDIT_LENGTH_BITS 48         /* low bits of weir_pkt.msg_bytes: the message's payload */
#define CREDIT_ASK_SHIFT_MAX 5u       /* most doublings of the interval between a sender's requests */
#define CREDIT_WINDOW_UNITS (WEIR_CREDIT_WINDOW_PKTS / 64)

struct credit_peer { /* record of another host; the protocol's state follows */
    uint32_t index;
    bool timed : 1; /* is in the timer heap */
    uint32_t : 11;
    uint32_t id : 20;          /* its host number, in the same bits as in weir_pkt.dst_word */
    uint32_t tx_count;         /* messages ever begun to it: number of the next one */
    uint32_t rx_base;          /* all inbound messages with lower numbers are finished */
    uint32_t tx_head, rx_head; /* lists of unfinished outbound and inbound messages; HOST_NONE = empty */
    uint32_t hash;             /* path entropy, unless it is drawn per packet */
    /* uint32_t per inbound message from number rx_base on: record index + 1, 0 = not known yet, or CREDIT_DONE. The
     * ring is empty while no message but number rx_base is open, which is the usual case. Then rx_head is that
     * message's record, and the ring's cache line is not touched. */
    struct host_ring ring;
};
WEIR_LAYOUT_ASSERT(sizeof(struct credit_peer) == 56,
                   "with 136 bytes of the protocol's receiver half three cache lines");

/* Returns the offset of an inbound message's number from rx_base. Both count modulo 2^30, as packets do. */
static inline uint32_t credit_rx_offset(uint32_t rx_base, uint32_t number)
{
    return WEIR_PKT_CONN(number - rx_base);
}

struct credit_path { /* measured of a peer, with weir_host_config.measured; has the index of its struct credit_peer */
    /* receiver half: from CREDIT to the DATA that it named. Sender half: from the end of what goes without credit, or
     * from REQUEST, to CREDIT or DONE */
    struct credit_rtt rx, tx;
    uint64_t probe_ps;                /* when the CREDIT left that is being measured; WEIR_NEVER = none is */
    uint32_t probe_number, probe_pkt; /* the message and the packet that it named */
    /* the last time-out: number of a message of which packets were recorded as lost; they are below lost_end. since_ps:
     * when the silence began; WEIR_NEVER = none. silence_ps: after which one of them arrived; 0 = none has */
    uint32_t lost_number, lost_end;
    uint64_t since_ps, silence_ps;
};

enum credit_tx_flag { /* state of struct credit_tx; 0 = the record is free */
                      CREDIT_TX_LIVE = 1u << 0,
                      CREDIT_TX_ABORTED = 1u << 1,  /* cancelled, and its receiver has not confirmed it yet */
                      CREDIT_TX_ANSWERED = 1u << 3, /* CREDIT for it has come: no answer of it is measured any more */
                      /* held: the protocol does not have it, and nothing of it is sent; see weir_host_hold() */
                      CREDIT_TX_HELD = 1u << 2,
                      CREDIT_TX_BOUNDED = 1u << 4, /* with LIVE: see bound.h */
                      CREDIT_TX_ANY = CREDIT_TX_LIVE | CREDIT_TX_ABORTED | CREDIT_TX_HELD
};

struct credit_tx {         /* an outbound message; the protocol's struct follows, beginning with struct weir_tx_msg */
    uint32_t index;        /* of this record; used as the pool's link while it is free */
    uint32_t peer, number; /* index of the peer; number of the message among those to it */
    uint32_t msg;          /* the world's handle */
    uint32_t prev, next;   /* of the peer's list; HOST_NONE = end */
    uint32_t again;        /* struct credit_again index + 1; 0 = no packet is to be retransmitted */
    uint16_t last_bytes;   /* payload of the last packet */
    uint8_t flags;         /* enum credit_tx_flag */
    uint8_t asked : 4;     /* requests or aborts repeated in a row, at most CREDIT_ASK_SHIFT_MAX */
    uint8_t priority : 3;  /* 0 = most urgent */
    uint64_t bytes;        /* payload of the message */
    uint64_t since_ps;     /* time of its start, its last (repeated) REQUEST or ABORT, DATA sent, or CREDIT received */
};
_Static_assert(CREDIT_ASK_SHIFT_MAX < 16, "4 bits");
_Static_assert(sizeof(struct credit_tx) == 48, "with 80 bytes of the protocol's two cache lines");

struct credit_again {                 /* packets of a message to be retransmitted, in the order of sending */
    uint32_t link;                    /* used by the pool; 0 while in use */
    struct host_ring ring;            /* uint32_t packet number */
    uint64_t in[CREDIT_WINDOW_UNITS]; /* bitmap of the packets in the ring, by packet modulo the window */
};

enum credit_rx_flag {
    CREDIT_RX_DELIVERED = 1u << 0,
    CREDIT_RX_BLOCKED = 1u << 1, /* the next packet to credit lies beyond the window, or beyond the bound */
    CREDIT_RX_BOUNDED = 1u << 2  /* see bound.h */
};

/* A packet that is missing although one this much later has arrived is lost. A quarter of the window leaves the
 * other three for it to be credited again, even twice, and to arrive. */
#define CREDIT_LATE_PKTS (WEIR_CREDIT_WINDOW_PKTS / 4)

struct credit_rx {       /* an inbound message; the protocol's struct follows, beginning with struct weir_rx_msg */
    uint32_t index;      /* of this record; used as the pool's link while it is free */
    uint32_t number;     /* of the message among those from its peer */
    uint32_t msg;        /* the sender's handle */
    uint32_t prev, next; /* of the peer's list; HOST_NONE = end */
    uint32_t gap;        /* struct host_gap index + 1; 0 = no packet is out of order or recorded as lost */
    uint32_t marks;      /* packets that arrived with CE */
    uint16_t last_bytes; /* payload of the last packet */
    uint8_t flags;       /* enum credit_rx_flag */
    uint64_t last_rx_ps; /* less late_ps: when its last DATA arrived, or it was last found silent */
};
_Static_assert(sizeof(struct credit_rx) == 40, "with 88 bytes of the protocol's two cache lines");

struct host_credit {
    const struct weir_credit_ops *ops;
    const void *config;
    struct weir_credit_host *state; /* the protocol's state of this host */
    bool clocked;                   /* the sender half has a clock: tx_at_ps and rx_at_ps are valid */
    uint64_t tx_at_ps, rx_at_ps;    /* when the sender half and the receiver half are due next */
    struct weir_limits limits;
    uint64_t loss_ps;            /* silence after which recovery acts; 0 = no recovery */
    uint64_t late_ps;            /* time in which this host could neither send nor receive: silence does not count it */
    uint64_t heard_ps;           /* all packets that arrived by then were received; WEIR_NEVER = all that arrived */
    uint32_t tx_order, rx_order; /* order of the next outbound and inbound message */
    struct host_table peers, txs, rxs, agains;
    struct host_table paths; /* struct credit_path; empty unless round trips are measured */
    bool adaptive;           /* credit follows `window` */
    uint64_t rtt_ps;         /* smoothed round trip of the peer that was measured last; 0 = none was */
    struct credit_window window;
    struct host_numbers peer_of; /* number of a host -> index + 1 in peers */
    struct host_ring handles;    /* pointers to outbound messages, by the world's handle; entries are never removed */
};

static inline struct host_credit *host_credit_of(const struct weir_host *h)
{
    return host_half(h);
}

static inline struct credit_peer *credit_peer_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->peers, HOST_BLOCK_SHIFT, index);
}

/* Returns entry i of a ring of pointers from which no entry is ever removed, so that entry i is at index i. @return
 * NULL = the ring is shorter, or the entry is empty */
static inline void *credit_record(const struct host_ring *ring, uint32_t i)
{
    return WEIR_LIKELY(i < ring->count) ? ((void **)(void *)ring->entry)[i] : NULL;
}

/* Returns the record of host id; NULL = no packet from it and no message to it yet. */
static inline struct credit_peer *credit_peer_known(const struct weir_host *h, uint32_t id)
{
    uint32_t number = host_number(&host_credit_of(h)->peer_of, id);
    return WEIR_LIKELY(number != 0) ? credit_peer_at(host_credit_of(h), number - 1) : NULL;
}

static inline struct credit_tx *credit_tx_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->txs, HOST_BLOCK_SHIFT, index);
}

/* Returns the outbound message with handle msg; NULL = there is none. */
static inline struct credit_tx *credit_tx_named(const struct host_credit *c, uint32_t msg)
{
    return credit_record(&c->handles, msg);
}

static inline struct credit_rx *credit_rx_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->rxs, HOST_BLOCK_SHIFT, index);
}

/* Prefetches the record that will be taken next from a pool of messages. */
static inline void host_credit_fetch_free(const struct host_table *pool)
{
    if (WEIR_UNLIKELY(pool->free == HOST_NONE))
        return;
    const unsigned char *record = host_at(pool, HOST_BLOCK_SHIFT, pool->free);
    weir_fetch(record);
    weir_fetch(record + 64);
}

/* Returns the protocol's state of a peer, which follows the host's record in memory. credit_peer_of() is the inverse.
 * The functions below do the same for outbound (tx) and inbound (rx) messages. */
static inline void *credit_peer_state(struct credit_peer *p)
{
    return p + 1;
}

static inline struct credit_peer *credit_peer_of(void *state)
{
    return (struct credit_peer *)state - 1;
}

static inline struct weir_tx_msg *credit_tx_state(struct credit_tx *t)
{
    return (void *)(t + 1);
}

static inline struct credit_tx *credit_tx_of(void *state)
{
    return (struct credit_tx *)state - 1;
}

static inline struct weir_rx_msg *credit_rx_state(struct credit_rx *r)
{
    return (void *)(r + 1);
}

static inline struct credit_rx *credit_rx_of(void *state)
{
    return (struct credit_rx *)state - 1;
}

/* Returns the bit of packet pkt. The bitmap is indexed by packet modulo the window, whose size is fixed: counters of
 * packets have 16 bits in protocols and, for unscheduled packets, on the wire. */
static inline bool credit_bit(const uint64_t *bits, uint32_t pkt)
{
    return bits[pkt / 64 % CREDIT_WINDOW_UNITS] >> pkt % 64 & 1;
}

static inline void credit_bit_flip(uint64_t *bits, uint32_t pkt)
{
    bits[pkt / 64 % CREDIT_WINDOW_UNITS] ^= UINT64_C(1) << pkt % 64;
}

/* Returns the payload of packet pkt of a message. pkts: packets of the message; last_bytes: payload of its last one */
static inline uint32_t credit_pkt_bytes(const struct weir_host *h, uint32_t pkts, uint32_t last_bytes, uint32_t pkt)
{
    return pkt + 1 == pkts ? last_bytes : h->mss_bytes;
}

/* Returns the wire bytes of a packet with the given payload. */
static inline uint32_t credit_wire(const struct weir_host *h, uint32_t payload)
{
    return WEIR_LIKELY(payload == h->mss_bytes) ? host_full_wire_bytes(h)
                                                : weir_framing_wire(&h->cfg->framing, payload);
}
#endif
