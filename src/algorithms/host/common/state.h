/* src/algorithms/host/common/state.h - struct weir_host: the state that both halves of an end host share, and values
 * derived from it. The half's own record (struct host_stream or struct host_credit) follows in memory. A shell around
 * several hosts uses cfg, machine, next_ps and ready_count alone. */
#ifndef WEIR_HOST_COMMON_STATE_H
#define WEIR_HOST_COMMON_STATE_H
#include "core/err.h"
#include "core/fetch.h"
#include "core/rng.h"
#include "core/telemetry.h"
#include "core/timers.h"
#include "host/common/containers.h"
#include "host/host.h"

#define HOST_ACKS_MAX (1u << 16) /* most control packets waiting for the NIC; more are dropped and counted */
#define HOST_BITMAP_SPARES 5u    /* sizes of bitmaps too large for their owner's record: 2^14 .. 2^18 packets */

struct host_machine;
struct host_scrap;
struct host_spare;

enum host_hold {                                  /* hold mask: why tx and ready take the general path */
                 HOST_HOLD_CLASSES = 1u << 0,     /* a class is paused: paused_classes */
                 HOST_HOLD_DATA = 1u << 1,        /* all DATA is paused */
                 HOST_HOLD_HAS_NOTICES = 1u << 2, /* notices wait to leave */
                 HOST_HOLD_BY_CLASS = 1u << 3,    /* of several classes of DATA some are paused, or one has priority */
};

enum host_extended { /* fields and calls that the law or the fabric needs besides the basic ones */
                     HOST_EXTENDED_ACKS = 1u << 0,  /* ACKs report more than the packets that arrived */
                     HOST_EXTENDED_DATA = 1u << 1,  /* on_sent() is called per DATA, or DATA has additional fields */
                     HOST_EXTENDED_STAMP = 1u << 2, /* DATA and ACKs carry a queueing delay: sent48_ps, not sent_ps */
                     HOST_EXTENDED_HOPS = 1u << 3,  /* ACKs carry telemetry records, kept in a ring parallel to acks */
                     HOST_EXTENDED_READ = 1u << 4,  /* DATA carries records for a receiver half (receiver-driven) */
                     HOST_EXTENDED_NOTED = 1u << 6, /* calls of the law are noted: stream/notes.h */
                     HOST_EXTENDED_HELD = 1u << 5,  /* ACKs report how long they were held. In an ACK that waits,
                                                       arrival_ps is the arrival time of its DATA */
};

struct weir_host {
    const struct weir_host_config *cfg;
    const struct host_machine *machine;
    uint64_t next_ps;     /* earliest time at which a timer of the half is due; WEIR_NEVER = none */
    uint32_t ready_count; /* connections or messages with a packet that may leave */
    /* window_pkts to mss_bytes: copies of configuration. With them the work per packet reads one cache line less. */
    uint32_t window_pkts;
    uint32_t self_word;                     /* WEIR_PKT_HOST_WORD() of this host */
    uint32_t data_src_word, data_size_word; /* of a full DATA packet that is neither the last nor retransmitted */
    uint32_t ack_size_word;                 /* of a control packet without payload */
    uint16_t mss_bytes;
    uint8_t hash;           /* enum weir_host_hash */
    uint8_t extended;       /* enum host_extended */
    uint8_t hold;           /* enum host_hold */
    uint8_t paused_classes; /* bits of class_ids; struct weir_pkt has 8 classes */
    uint8_t rx_hops;        /* records in rx_hop, of the packet being received */
    uint8_t gap_bitmaps;    /* bitmaps of a struct host_gap: 1 or 2 */
    uint32_t bitmap_units;  /* units of 64 packets of a new bitmap; a power of two */
    uint8_t rx_ranges;      /* ranges in rx_range, of the ACK being received */
    uint8_t rx_nic;         /* of a shell around transports: by which NIC the next packet arrives */
    /* the second cache line */
    struct host_ring acks; /* struct weir_pkt: ACKs and other control packets that are ready to leave; all but NOTICE */
    struct weir_host_stats stats;
    struct weir_timers timers;
    uint64_t spray_key, spray_count;
    const struct weir_telemetry *rx_hop, *tx_hop; /* records; rx: of the packet being received; tx: of that sent last */
    /* below: used when messages begin and end, or when packets are out of order */
    const struct weir_ack_range *rx_range; /* that the ACK being received reports */
    struct host_ring notices;              /* struct weir_pkt: NOTICE, ready to leave */
    struct host_table gaps;
    struct weir_host_sink sink;
    struct weir_mem mem;
    struct host_scrap *scrap;                     /* outgrown memory, to be used again */
    struct host_spare *spare[HOST_BITMAP_SPARES]; /* unused bitmaps by size, the smallest first */
};
WEIR_LAYOUT_ASSERT(offsetof(struct weir_host, acks) == 64, "what every packet needs of a host is one line");
_Static_assert(offsetof(struct weir_host, stats.rx_new_bytes) < 128, "and the counters of packets are another");

#define HOST_LINES(bytes) (((bytes) + 63) & ~(size_t)63)

/* Returns the address of the half's own record. */
static inline void *host_half(const struct weir_host *h)
{
    return (unsigned char *)(uintptr_t)h + HOST_LINES(sizeof(*h));
}

/* Unpacks the telemetry records of the packet being received into hop[]. @return the number of records */
static inline uint32_t host_hops_unpack(const struct weir_host *h, struct weir_int_hop *hop)
{
    for (uint32_t i = 0; i < h->rx_hops; i++)
        hop[i] = weir_telemetry_unpack(&h->rx_hop[i], h->cfg->rates);
    return h->rx_hops;
}

static inline uint32_t host_spray(struct weir_host *h)
{
    return (uint32_t)(weir_rng_at(h->spray_key, h->spray_count++) >> 32);
}

static inline uint32_t host_self(const struct weir_host *h)
{
    return h->self_word / WEIR_PKT_HOST_WORD(1);
}

/* Computes the path entropy of connection conn to host dst, for routing that does not spray. Laws of a run differ. */
static inline uint32_t host_path_hash(const struct weir_host *h, uint32_t dst, uint32_t conn)
{
    return weir_rng_path(h->cfg->seed, host_self(h), dst, conn ^ h->cfg->law_number << WEIR_PKT_CONN_BITS,
                         h->cfg->hash == WEIR_HASH_SYMMETRIC);
}

/* Returns the wire bytes of a full DATA packet. */
static inline uint32_t host_full_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->data_size_word);
}

static inline uint32_t host_ack_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->ack_size_word);
}
#endif
