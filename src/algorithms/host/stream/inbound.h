/* src/algorithms/host/stream/inbound.h - the receiving connection: its record, the receiver state of a law, and the key
 * by which its packets find it. */
#ifndef WEIR_HOST_STREAM_INBOUND_H
#define WEIR_HOST_STREAM_INBOUND_H
#include "host/stream/state.h"

#define HOST_RX_FREE UINT32_MAX /* value of struct host_rx.gap: the record is in the pool */
#define HOST_RX_KEY_FREE 12u    /* low bits of struct host_rx.key that do not belong to the key */

enum host_rx_flag {
    HOST_RX_OPEN = 1u << 0,  /* a message is arriving */
    HOST_RX_END = 1u << 1,   /* the message's last packet is known: end */
    HOST_RX_CE = 1u << 2,    /* DCTCP.CE of RFC 8257; with ecn: rfc3168 ECE is set in every ACK */
    HOST_RX_TIMED = 1u << 3, /* is in the timer heap with its delayed ACK */
    HOST_RX_ALL = 15u,
};

struct host_rx { /* a receiving connection */
    union {
        struct {
            uint8_t pending;    /* packets that wait for a delayed ACK */
            uint32_t flags : 4; /* enum host_rx_flag */
            uint32_t src : 20;
            uint32_t conn; /* number of the connection at src */
        };
        uint64_t key; /* host_rx_key() of its packets, except the low HOST_RX_KEY_FREE bits */
    };
    uint32_t cum;                       /* every packet below has arrived */
    uint32_t gap;                       /* struct host_gap index + 1; 0 = nothing out of order; HOST_RX_FREE */
    uint32_t first, end;                /* first packet of the message; one past its last one, only with HOST_RX_END */
    uint32_t msg, marks;                /* msg: the sender's handle; marks: packets of the message with CE */
    uint32_t pending_seq, pending_hash; /* packet number and path entropy of the latest pending packet */
    uint64_t pending_sent_ps;           /* sent_ps of the earliest pending packet: RFC 7323, section 4.2 */
    uint64_t ack_at_ps;                 /* when the pending packets are acknowledged at the latest */
    uint64_t nack_ps;                   /* go-back-N: packet cum is not requested again before this time */
};
_Static_assert(sizeof(struct host_rx) == 64, "one cache line");

struct host_rx_state {    /* receiver state of a receiving connection, if the law has a receiver half or telemetry
                                       waits for a delayed ACK; the law's own state follows in memory */
    uint64_t armed_ps;    /* time of its valid entry in the timer heap; WEIR_NEVER = none */
    uint32_t hash;        /* path entropy of the latest DATA */
    uint32_t period;      /* number of the host's period in which that DATA came; 0 = none yet */
    uint16_t share_count; /* share count that the law returned for the latest DATA */
    uint8_t hops;         /* records in hop[] */
    uint8_t tenant;       /* tenant of the latest message, if the law reads heads */
    /* Records of the latest DATA, WEIR_TELEMETRY_HOPS_MAX entries; only with telemetry and delayed ACKs */
    struct weir_telemetry hop[];
};

uint32_t host_rx_ranges(const struct weir_host *h, const struct weir_pkt *ack, struct weir_ack_range *out,
                        uint32_t max);
enum weir_host_inbound host_rx_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);

static inline struct host_rx *host_rx_at(const struct weir_host *h, uint32_t index)
{
    return HOST_RECORD(struct host_rx, &host_stream_of(h)->rxs, index);
}

static inline struct host_rx_state *host_rx_state_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->rx_states, HOST_BLOCK_SHIFT, index);
}

/* Computes the key of the connection that a DATA packet belongs to. The low HOST_RX_KEY_FREE bits of the result are the
 * packet's flags, not part of the key. */
static inline uint64_t host_rx_key(const struct weir_pkt *pkt)
{
    return (uint64_t)pkt->conn << 32 | pkt->src_word;
}

static inline uint32_t host_rx_tag(uint64_t key)
{
    return (uint32_t)(((key >> HOST_RX_KEY_FREE) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Returns the receiving connection of a DATA or ABORT packet, and sets *index. @return NULL = there is none */
static inline struct host_rx *host_rx_find(const struct weir_host *h, const struct weir_pkt *pkt, uint32_t *index)
{
    const struct host_stream *s = host_stream_of(h);
    const struct host_slot *slot = s->rx_map.slot;
    uint64_t key = host_rx_key(pkt);
    uint32_t tag = host_rx_tag(key), shift = s->rx_map.shift;
    if (WEIR_UNLIKELY(slot == NULL))
        return NULL;
    for (uint32_t i = tag >> shift; slot[i].value != 0; i = (i + 1) & (UINT32_MAX >> shift)) {
        if (slot[i].tag != tag)
            continue;
        struct host_rx *r = host_rx_at(h, slot[i].value - 1);
        if (WEIR_LIKELY((r->key ^ key) >> HOST_RX_KEY_FREE == 0)) {
            *index = slot[i].value - 1;
            return r;
        }
    }
    return NULL;
}
#endif
