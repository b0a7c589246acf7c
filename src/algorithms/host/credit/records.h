/* src/algorithms/host/credit/records.h - the records of a receiver-driven host, and how they are found.
 *
 * Messages between two hosts are numbered per direction from 0 (weir_pkt.conn). So a receiver finds a message in a
 * ring per peer and knows the finished ones by number: it delivers each once, whatever the network repeats. A
 * message's record is the host's part followed by the protocol's; both lie in pools and never move while the message
 * lives.
 *
 * Recovery: each peer with unfinished messages is checked every loss_ps, and what has been silent so long is reported
 * to the protocol. If it agrees, the receiver credits again what was due of a message, by credits that name the
 * packets. The sender repeats its request, ever less often, until a packet about the message arrives.
 *
 * A sender that cancels a message sends ABORT in place of requests, repeated like them until DONE comes. ABORT
 * carries what a REQUEST carries, so that a receiver without the message can begin and end it at once. The protocol's
 * account of unscheduled bytes is the same whether any of them came or none. */
#ifndef WEIR_HOST_CREDIT_RECORDS_H
#define WEIR_HOST_CREDIT_RECORDS_H
#include "core/credit.h"
#include "host/common/state.h"

#define CREDIT_TIMER_PEER 0u   /* the one kind of entry of the timer heap: a peer is checked */
#define CREDIT_DONE UINT32_MAX /* in a peer's ring of inbound messages: finished */
#define CREDIT_RING_MAX                                                                                                \
    (1u << 20) /* messages of one peer between the oldest unfinished and the newest; beyond: refused */
#define CREDIT_HANDLES_MAX (1u << 30) /* of the world's; beyond: refused */
#define CREDIT_LENGTH_BITS 48         /* of a message's bytes in weir_pkt.msg_bytes */
#define CREDIT_ASK_SHIFT_MAX 5u       /* doublings of the time between a sender's requests */
#define CREDIT_WINDOW_UNITS (WEIR_CREDIT_WINDOW_PKTS / 64)

struct credit_peer { /* another host; the protocol's state follows */
    uint32_t index;
    bool timed : 1; /* stands in the timer heap */
    uint32_t : 11;
    uint32_t id : 20;          /* where weir_pkt.dst_word has it */
    uint32_t tx_count;         /* messages ever begun to it */
    uint32_t rx_base;          /* inbound ones below this number are finished */
    uint32_t tx_head, rx_head; /* lists of its records, of messages not finished; HOST_NONE = none */
    uint32_t hash;             /* path entropy, unless per packet */
    /* uint32_t: inbound messages rx_base ..: record + 1, 0 = unknown yet, CREDIT_DONE. Empty while no message but
     * rx_base is open, which nearly always is so: then rx_head is its record, and the ring's line is not touched */
    struct host_ring ring;
};
_Static_assert(sizeof(struct credit_peer) == 56, "with 136 bytes of the protocol's receiver half three cache lines");

enum credit_tx_flag { /* 0 = the record is free */
                      CREDIT_TX_LIVE = 1u << 0,
                      CREDIT_TX_ABORTED = 1u << 1 /* instead: cancelled; its receiver does not know yet */
};

struct credit_tx {  /* an outbound message; the protocol's struct follows, beginning with struct weir_tx_msg */
    uint32_t index; /* its own; while it is free the pool's link */
    uint32_t peer, number;
    uint32_t msg;         /* the world's handle */
    uint32_t prev, next;  /* list of the peer; HOST_NONE = end */
    uint32_t again;       /* struct credit_again index + 1; 0 = nothing was asked for again */
    uint16_t last_bytes;  /* payload of the last packet */
    uint8_t flags, asked; /* asked: requests or aborts repeated */
    uint64_t bytes;
    uint64_t since_ps; /* its last request, abort, or packet from its receiver */
};
_Static_assert(sizeof(struct credit_tx) == 48, "with 80 bytes of the protocol's two cache lines");

struct credit_again {                 /* packets to be sent again, in the order asked for */
    uint32_t link;                    /* of the pool; 0 while in use */
    struct host_ring ring;            /* uint32_t packet */
    uint64_t in[CREDIT_WINDOW_UNITS]; /* by packet modulo the window */
};

enum credit_rx_flag {
    CREDIT_RX_DELIVERED = 1u << 0,
    CREDIT_RX_BLOCKED = 1u << 1
}; /* blocked: the next packet to credit lies beyond the window */

struct credit_rx {  /* an inbound message; the protocol's struct follows, beginning with struct weir_rx_msg */
    uint32_t index; /* its own; while it is free the pool's link */
    uint32_t number;
    uint32_t msg;        /* the sender's handle */
    uint32_t prev, next; /* list of the peer; HOST_NONE = end */
    uint32_t gap;        /* struct host_gap index + 1; 0 = nothing out of order, nothing lost */
    uint32_t marks;
    uint16_t last_bytes;
    uint8_t flags;
    uint64_t last_rx_ps; /* its last packet, or when it was last asked for again */
};
_Static_assert(sizeof(struct credit_rx) == 40, "with 88 bytes of the protocol's two cache lines");

struct host_credit {
    const struct weir_credit_ops *ops;
    const void *config;
    struct weir_credit_host *state; /* the protocol's, per host */
    bool clocked;                   /* its sender half has a clock: the next two are kept */
    uint64_t tx_at_ps, rx_at_ps;    /* when each half is due */
    struct weir_limits limits;
    uint64_t loss_ps; /* 0 = silence is not reported */
    uint32_t tx_order, rx_order;
    struct host_table peers, txs, rxs, agains;
    struct host_numbers peer_of; /* number of a host -> peers */
    struct host_ring handles;    /* of records of txs, by the world's handle; nothing leaves it */
};

static inline struct host_credit *host_credit_of(const struct weir_host *h)
{
    return host_half(h);
}

static inline struct credit_peer *credit_peer_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->peers, HOST_BLOCK_SHIFT, index);
}

/* Returns the i-th of a ring of records that nothing leaves, so that its entries lie in order. @return NULL = it is
 * not that long, or the entry is empty */
static inline void *credit_record(const struct host_ring *ring, uint32_t i)
{
    return WEIR_LIKELY(i < ring->count) ? ((void **)(void *)ring->entry)[i] : NULL;
}

/* Finds the record of a host that was heard of or written to before. @return NULL = it was not */
static inline struct credit_peer *credit_peer_known(const struct weir_host *h, uint32_t id)
{
    uint32_t number = host_number(&host_credit_of(h)->peer_of, id);
    return WEIR_LIKELY(number != 0) ? credit_peer_at(host_credit_of(h), number - 1) : NULL;
}

static inline struct credit_tx *credit_tx_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->txs, HOST_BLOCK_SHIFT, index);
}

/* Finds the message of a handle. @return NULL = there is none */
static inline struct credit_tx *credit_tx_named(const struct host_credit *c, uint32_t msg)
{
    return credit_record(&c->handles, msg);
}

static inline struct credit_rx *credit_rx_at(const struct host_credit *c, uint32_t index)
{
    return host_at(&c->rxs, HOST_BLOCK_SHIFT, index);
}

/* Prefetches the record that is taken next from a pool of messages. */
static inline void host_credit_fetch_free(const struct host_table *pool)
{
    if (WEIR_UNLIKELY(pool->free == HOST_NONE))
        return;
    const unsigned char *record = host_at(pool, HOST_BLOCK_SHIFT, pool->free);
    weir_fetch(record);
    weir_fetch(record + 64);
}

/* Returns the protocol's state of a peer; credit_peer_of() is the way back, and so on for messages. */
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

/* Reads the bit of a packet. These bitmaps are by packet modulo the window, whose size is fixed: counters of packets
 * have 16 bits, in protocols and, for the unscheduled ones, on the wire. */
static inline bool credit_bit(const uint64_t *bits, uint32_t pkt)
{
    return bits[pkt / 64 % CREDIT_WINDOW_UNITS] >> pkt % 64 & 1;
}

static inline void credit_bit_flip(uint64_t *bits, uint32_t pkt)
{
    bits[pkt / 64 % CREDIT_WINDOW_UNITS] ^= UINT64_C(1) << pkt % 64;
}

/* Returns the payload of one packet of a message. */
static inline uint32_t credit_pkt_bytes(const struct weir_host *h, uint32_t pkts, uint32_t last_bytes, uint32_t pkt)
{
    return pkt + 1 == pkts ? last_bytes : h->mss_bytes;
}

/* Returns what a packet of so much payload takes on the wire. */
static inline uint32_t credit_wire(const struct weir_host *h, uint32_t payload)
{
    return WEIR_LIKELY(payload == h->mss_bytes) ? host_full_wire_bytes(h)
                                                : weir_framing_wire(&h->cfg->framing, payload);
}
#endif
