/* src/algorithms/host/common/state.h - struct weir_host: what both halves of an end host have, and what follows from
 * it. The half's own record lies right behind it. */
#ifndef WEIR_HOST_COMMON_STATE_H
#define WEIR_HOST_COMMON_STATE_H
#include "core/err.h"
#include "core/fetch.h"
#include "core/rng.h"
#include "core/telemetry.h"
#include "core/timers.h"
#include "host/common/containers.h"
#include "host/host.h"

#define HOST_ACKS_MAX (1u << 16) /* answers waiting for the NIC; more are dropped and counted */
#define HOST_BITMAP_SPARES 5u    /* sizes of bitmaps that do not lie in their record: 2^14 to 2^18 packets */

struct host_machine;
struct host_scrap;
struct host_spare;

enum host_hold {                                  /* hold mask: why tx and ready take the general path */
                 HOST_HOLD_CLASSES = 1u << 0,     /* a class is paused: paused_classes */
                 HOST_HOLD_DATA = 1u << 1,        /* that of a sender-driven host's DATA */
                 HOST_HOLD_HAS_NOTICES = 1u << 2, /* notices wait to leave */
                 HOST_HOLD_BY_CLASS = 1u << 3,    /* DATA is in several classes: some are paused, or one goes first */
};

enum host_extended { /* extended ACKs and DATA: what the law or the fabric needs in addition */
                     HOST_EXTENDED_ACKS = 1u << 0,  /* ACKs report more than what arrived */
                     HOST_EXTENDED_DATA = 1u << 1,  /* the law is called per DATA sent, or DATA has a field more */
                     HOST_EXTENDED_STAMP = 1u << 2, /* DATA and ACKs have a queueing delay: sent48_ps */
                     HOST_EXTENDED_HOPS = 1u << 3,  /* answers carry telemetry records: a ring parallel to acks */
                     HOST_EXTENDED_READ = 1u << 4,  /* DATA comes with records for a receiver half */
                     HOST_EXTENDED_HELD = 1u << 5,  /* ACKs report how long they were held: while one waits, its
                                                       arrival_ps is when its DATA came */
};

struct weir_host {
    const struct weir_host_config *cfg;
    const struct host_machine *machine;
    uint64_t next_ps;     /* earliest entry of any timer of the half, WEIR_NEVER = none */
    uint32_t ready_count; /* connections or messages with a packet that may leave */
    /* to mss_bytes: what packets need of the configuration, so that they touch one line less */
    uint32_t window_pkts;
    uint32_t self_word;                     /* WEIR_PKT_HOST_WORD() of this host */
    uint32_t data_src_word, data_size_word; /* of a full DATA packet that is neither the last nor sent again */
    uint32_t ack_size_word;                 /* of an answer without payload */
    uint16_t mss_bytes;
    uint8_t hash;           /* enum weir_host_hash */
    uint8_t extended;       /* enum host_extended */
    uint8_t hold;           /* enum host_hold */
    uint8_t paused_classes; /* bits of class_ids; struct weir_pkt has 8 */
    uint8_t rx_hops;        /* of the packet being received: records in rx_hop */
    uint8_t gap_bitmaps;    /* of struct host_gap: 1 or 2 */
    uint32_t bitmap_units;  /* of a bitmap that begins; a power of two */
    /* the second line */
    struct host_ring
        acks; /* struct weir_pkt: answers that are ready to leave; of a receiver-driven host control packets */
    struct weir_host_stats stats;
    struct weir_timers timers;
    uint64_t spray_key, spray_count;
    const struct weir_telemetry *rx_hop, *tx_hop; /* of the packet being received; of the one sent last, NULL = none */
    /* below: touched when messages begin and end, or when something is out of order */
    struct host_ring notices; /* struct weir_pkt: NOTICE, ready to leave */
    struct host_table gaps;
    struct weir_host_sink sink;
    struct weir_mem mem;
    struct host_scrap *scrap;                     /* outgrown memory, for the next need */
    struct host_spare *spare[HOST_BITMAP_SPARES]; /* by size, the smallest first */
};
_Static_assert(offsetof(struct weir_host, acks) == 64, "what every packet needs of a host is one line");
_Static_assert(offsetof(struct weir_host, stats.rx_new_bytes) < 128, "and the counters of packets are another");

#define HOST_LINES(bytes) (((bytes) + 63) & ~(size_t)63)

/* Returns where the half's own record lies. */
static inline void *host_half(const struct weir_host *h)
{
    return (unsigned char *)(uintptr_t)h + HOST_LINES(sizeof(*h));
}

/* Unpacks the records of the packet being received. @return how many */
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

/* Computes the path entropy towards dst where packets are not sprayed; SYMMETRIC hashes the pair without its order. */
static inline uint32_t host_path_hash(const struct weir_host *h, uint32_t dst, uint32_t conn)
{
    return weir_rng_path(h->cfg->seed, host_self(h), dst, conn, h->cfg->hash == WEIR_HASH_SYMMETRIC);
}

/* Returns what a full DATA packet takes on the wire. */
static inline uint32_t host_full_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->data_size_word);
}

static inline uint32_t host_ack_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->ack_size_word);
}
#endif
