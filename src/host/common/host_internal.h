/* src/host/common/host_internal.h - the end host's records and what its files offer each other.
 *
 * A sending connection is one cache line (struct host_flow) followed by the control law's state; a receiving one is one
 * line (struct host_rx). Both lie in block tables, so they never move and a connection number is an index. What is
 * needed only while packets are out of order (struct host_board, struct host_gap) is borrowed from a pool: most
 * connections never own one.
 *
 * Packet indices are compared modulo 2^32 by their difference: a - b as int32_t. At most WEIR_HOST_WINDOW_PKTS_MAX of
 * them are in play at once, so that is never ambiguous. */
#ifndef WEIR_HOST_INTERNAL_H
#define WEIR_HOST_INTERNAL_H
#include "core/err.h"
#include "core/fetch.h"
#include "core/timers.h"
#include "core/rng.h"
#include "host/host.h"

#define HOST_NONE UINT32_MAX
#define HOST_COLD __attribute__((noinline)) /* cold path: not inlined, so that the hot caller keeps its registers */
#define HOST_BLOCK_SHIFT 4u                 /* records per block of a table: 16 */
#define HOST_CONNECTIONS_MAX (1u << 24)     /* of one host and direction; more are refused */
#define HOST_ACKS_MAX (1u << 16)            /* acknowledgements waiting for the NIC; more are dropped and counted */
#define HOST_BITMAP_WORDS 128u              /* most of a bitmap that lies in its record: 8192 packets */
#define HOST_BITMAP_SPARES 5u               /* sizes of larger ones: 2^14 to 2^18 packets */
#define HOST_RX_FREE UINT32_MAX             /* struct host_rx.gap: the record is in the pool */
#define HOST_RX_KEY_FREE 12u                /* low bits of struct host_rx.key that are not part of the key */
#define HOST_RTT_SHIFT 12u   /* RTT estimator counts in 4096 ps: 32 bits hold 2 s with three fraction bits */
#define HOST_BACKOFF_MAX 20u /* doublings of the RTO; rto_max ends it long before */

/* Records of one size that never move: block[i >> shift] + stride * (i mod 2^shift). */
struct host_table {
    unsigned char **block;
    uint32_t count, room; /* records handed out; entries of block[] */
    uint32_t stride;      /* bytes per record */
    uint32_t free;        /* HOST_NONE or the record given back last; its first word names the next one */
};

#define HOST_NUMBERS_PAGE 1024u
#define HOST_NUMBERS_PAGES 64u /* the list of pages begins so long, and doubles */

/* host -> index + 1 of its record, in two bytes: what a visit needs of it lies in few lines. Pages where there are any, by
 * number / 1024; most networks need the first alone, which is read without the list. */
struct host_numbers {
    uint16_t *first, **page;
    uint32_t pages; /* entries of page[]: 0, or HOST_NUMBERS_PAGES times a power of two */
};

struct host_slot { /* of struct host_map: tag of the key, and the record's index + 1; 0 = empty */
    uint32_t tag, value;
};

struct host_map { /* open addressing, at most two thirds full; keys are verified in the record */
    struct host_slot *slot;
    uint32_t count, shift; /* 2^(32 - shift) slots */
};

_Static_assert((WEIR_HOST_WINDOW_PKTS_MAX + UINT64_C(1)) * WEIR_WIRE_MAX_BYTES <= UINT32_MAX,
               "the bytes of a window and one packet more have 32 bits");

/* Packets of a connection, one bit each, by packet modulo the size. Bits are set only in [edge, edge + size), where edge is the
 * window's lower end; so a bitmap may be smaller than the window. It begins in its record, and grows when a packet further
 * from the edge is to be noted (bitmap.c). */
struct host_bitmap {
    uint64_t *word;
    uint32_t mask; /* words - 1, which are a power of two */
};

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
    uint64_t shared : 1;      /* no connection: the law's state of a destination (shared.c) */
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

enum host_tcp_flag {
    HOST_TCP_SYN_SENT = 1u << 0,   /* its SYN is not answered yet */
    HOST_TCP_OPEN = 1u << 1,       /* the handshake is over */
    HOST_TCP_NO_ECT = 1u << 2,     /* the other end does no ECN */
    HOST_TCP_CWR = 1u << 3,        /* the next new packet gets CWR */
    HOST_TCP_RECOVERING = 1u << 4, /* RFC 6582: fast recovery */
    HOST_TCP_PARTIAL = 1u << 5,    /* this recovery had its first partial ACK .. */
    HOST_TCP_LATER = 1u << 6,      /* .. and another one: those do not restart the timer */
    HOST_TCP_RECOVERED = 1u << 7,  /* the ACK being received ends the recovery */
};

/* Of a sending connection with host.ecn: rfc3168, host.reliability: newreno or host.handshake. Offsets count bytes on the connection. */
struct host_tcp {
    uint64_t
        cwr_end_seq; /* first offset not sent at the latest ECE that asked for CWR: another does when more is acknowledged */
    uint64_t recover_seq; /* first offset not sent when the latest recovery or timeout began; 0 = there was none */
    uint32_t dup_edge;    /* first unacknowledged packet when the latest duplicate ACK came outside recovery .. */
    uint32_t dups;        /* .. and how many named it in a row */
    uint32_t inflated;    /* in recovery: packets that duplicate ACKs report gone, which inflight_bytes leaves out */
    uint32_t flags;       /* enum host_tcp_flag */
};

struct host_board {     /* a sender's scoreboard */
    uint32_t link;      /* of the pool; 0 while in use */
    uint32_t high;      /* one past the highest packet known delivered */
    uint32_t scan;      /* below, every packet is judged: delivered, lost or sent again */
    uint32_t rescan;    /* value of next at the last retransmission: what is delivered beyond was sent after it */
    uint32_t lost_pkts; /* held lost and not sent again */
    uint32_t lost_from; /* none of those is below */
    bool resent;        /* retransmissions may be in flight below rescan */
    struct host_bitmap got, lost; /* with una as their edge */
    uint64_t own[];               /* what they begin with, got's first */
};

enum host_rx_flag {
    HOST_RX_OPEN = 1u << 0,  /* a message is arriving */
    HOST_RX_END = 1u << 1,   /* its last packet is known: end */
    HOST_RX_CE = 1u << 2,    /* DCTCP.CE of RFC 8257 */
    HOST_RX_TIMED = 1u << 3, /* stands in the timer heap with its delayed ACK */
    HOST_RX_ALL = 15u,
};

struct host_rx { /* a receiving connection */
    union {
        struct {
            uint8_t pending;    /* packets not yet acknowledged (delayed ACKs only) */
            uint32_t flags : 4; /* enum host_rx_flag */
            uint32_t src : 20;
            uint32_t conn; /* at src */
        };
        uint64_t key; /* host_rx_key() of its packets, but for the low HOST_RX_KEY_FREE bits */
    };
    uint32_t cum;        /* all below arrived */
    uint32_t gap;        /* struct host_gap index + 1; 0 = nothing out of order; HOST_RX_FREE */
    uint32_t first, end; /* of the message */
    uint32_t msg, marks;
    uint32_t pending_seq, pending_hash; /* the latest of the pending */
    uint64_t pending_sent_ps;           /* the earliest of the pending: RFC 7323, section 4.2 */
    uint64_t ack_at_ps;                 /* when the pending are acknowledged at the latest */
    uint64_t nack_ps;                   /* go-back-N: packet cum is not asked for again before */
};
_Static_assert(sizeof(struct host_rx) == 64, "one cache line");

struct host_rx_state {    /* of a receiving connection where the law has a receiver half, or telemetry waits
                                       for a delayed ACK; the law's state follows in memory */
    uint64_t armed_ps;    /* its entry in the timer heap that counts; WEIR_NEVER = none */
    uint32_t hash;        /* of the latest DATA */
    uint32_t period;      /* of the host in which that came; 0 = none yet */
    uint16_t share_count; /* as the law left it then */
    uint8_t hops;         /* records in hop[] */
    uint8_t tenant;       /* of the latest message, if the law reads heads */
    struct weir_telemetry
        hop[]; /* only with delayed ACKs and telemetry, then WEIR_TELEMETRY_HOPS_MAX: of the latest DATA */
};

struct host_hops { /* of an answer that waits to leave */
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
};

struct host_pacer {      /* of a sending connection that ever had a rate, or host.overhead */
    uint64_t since_ps;   /* when the latest packet left that had one */
    uint64_t rate_bps;   /* at which the next one waits for it */
    uint64_t hold_ps;    /* host.overhead: nothing leaves before, whatever the rate */
    uint64_t next_ps;    /* until then */
    uint64_t armed_ps;   /* its entry in the pace heap that counts; WEIR_NEVER = none */
    uint32_t wire_bytes; /* of that packet */
};

struct host_gap {                 /* what lies beyond the edge of a connection, or of a receiver-driven message */
    uint32_t link;                /* of the pool; 0 while in use */
    uint32_t held_pkts;           /* bits set in got: they arrived */
    uint32_t lost_pkts;           /* bits set in lost; receiver-driven only */
    uint32_t high;                /* one past the highest that arrived */
    struct host_bitmap got, lost; /* lost: to be credited again. With the edge as theirs */
    uint64_t own[];               /* what they begin with, got's first */
};

enum host_arrival { HOST_TAKEN, HOST_KNOWN, HOST_REFUSED }; /* of a packet: new, a duplicate, dropped */

struct host_spare { /* a bitmap that was outgrown or is not needed any more; but for this it is all 0 */
    struct host_spare *next;
};

struct host_peer { /* a destination and its pool of connections */
    uint32_t dst, created;
    uint32_t idle;                 /* most recently used idle connection, or HOST_NONE */
    uint32_t wait_head, wait_tail; /* messages without a connection; HOST_NONE = none */
    /* of a law that is per_peer: */
    uint32_t shared;               /* flow record with its state; HOST_NONE = not made yet */
    uint32_t busy;                 /* connections with a message */
    uint32_t line_head, line_tail; /* those with a packet to send, whatever their window; HOST_NONE = none */
};

struct host_wait { /* a message without a connection */
    uint32_t next, msg;
    uint64_t bytes;
};

struct host_single { /* protocols without acknowledgements: a message that is one packet */
    uint32_t msg, dst;
    uint16_t bytes;
};

struct host_ring { /* queue of fixed-size entries; capacity is a power of two */
    unsigned char *entry;
    uint32_t head, count, capacity;
};

#define HOST_TIMER_KINDS 4u /* of a half: the low two bits of an entry's id */
#define HOST_TIMER_ID(index, kind) ((uint64_t)(index)*HOST_TIMER_KINDS + (kind))
#define HOST_TIMER_INDEX(id) ((uint32_t)((id) / HOST_TIMER_KINDS))
#define HOST_TIMER_KIND(id) ((uint32_t)((id) % HOST_TIMER_KINDS))

enum host_timer { /* kinds of entries of the timer heap */
                  HOST_TIMER_RTO,
                  HOST_TIMER_LAW,
                  HOST_TIMER_ACK,
                  HOST_TIMER_NOTICE, /* the law's receiver half is asked for notices */
};

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

/* The calls in which sender-driven and receiver-driven hosts differ: host.c asks at set-up which one it is, and nowhere else. NULL = it does not
 * have it. host.h describes each. */
struct host_machine {
    size_t (*bytes)(const struct weir_host_config *cfg); /* behind struct weir_host */
    void (*init)(struct weir_host *h);
    int (*send)(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
    bool (*rx)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
    void (*rx_many)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count);
    /* One packet of what is ready behind answers; h->ready_count > 0. @return 1, or 0 if there is none after all */
    uint32_t (*tx)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    /* With HOST_HOLD_BY_CLASS: is there a packet of an open class? As tx, of those packets */
    bool (*has_open)(const struct weir_host *h);
    uint32_t (*tx_open)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    void (*time_run)(struct weir_host *h, uint64_t now_ps);  /* timers due by now */
    void (*pause)(struct weir_host *h, uint32_t class_mask); /* for DATA; the rest host.c does */
    bool (*next_pending)(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);
    void (*credit)(const struct weir_host *h, struct weir_credit_sums *out);
    int (*cancel)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    void (*forget)(struct weir_host *h, uint64_t now_ps, uint32_t peer);
    enum weir_host_inbound (*inbound)(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
    void (*rx_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*message_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*send_prefetch)(const struct weir_host *h, uint32_t dst);
    void (*connection_prefetch)(const struct weir_host *h, uint32_t dst);
    void (*timers_prefetch)(const struct weir_host *h, uint64_t end_ps);
    /* With HOST_EXTENDED_HOPS or _HELD: an answer leaves, which was the first in line */
    void (*answer_leaves)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer);
    int (*weight)(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
    int (*rate)(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
    bool (*flow)(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
};

/* Returns the table of the half that a configuration asks for (halves.c). */
const struct host_machine *host_machine_of(const struct weir_host_config *cfg);
extern const struct host_machine host_stream_machine, host_single_machine, host_credit_machine;

struct weir_host { /* what both halves have; the half's own record lies right behind it */
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
    uint32_t bitmap_words;  /* of a bitmap that begins; a power of two */
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

/* What a sender-driven host has besides. */
struct host_stream {
    struct host_table flows;
    struct host_ring ready;       /* uint32_t: round robin of connections */
    const struct weir_cc_ops *cc; /* cfg->cc */
    uint32_t armed_offset;        /* where in a flow record the law's armed timer is kept; 0 = law without timer */
    bool per_peer;                /* the law's state is one per destination */
    bool timed_law;               /* it has a timer, or there are pacers */
    bool plain_rx;                /* each_acked, and no law asks for a packet that is the next one */
    bool newreno;                 /* reliability: newreno */
    /* the second line */
    struct host_map rx_map; /* (src, conn) -> rxs */
    struct host_table rxs;
    bool each_acked;          /* acknowledgements are not delayed */
    bool go_back;             /* reliability: go-back-n */
    bool latch_ece;           /* ecn: rfc3168 */
    bool source_marks;        /* mark_bytes is set, and the NIC pulls */
    struct host_table tcps;   /* struct host_tcp, by number of the sending connection; stride 0 = none */
    struct host_table pacers; /* struct host_pacer, by number of the sending connection; may end before it */
    struct weir_heap paced;
    /* below: touched when messages begin and end, when something is out of order, or by laws that want more */
    struct host_table rx_states; /* struct host_rx_state, by number of the receiving connection; stride 0 = none */
    struct host_ring hops;       /* with HOST_EXTENDED_HOPS: struct host_hops, one per entry of acks */
    uint32_t rx_active;          /* receiving connections within a message */
    uint32_t rx_period;          /* counts periods of a base round trip in which data came, from 1 */
    uint32_t rx_recent, rx_recent_before; /* connections that sent data in it, and in the one right before */
    uint64_t rx_period_end_ps;            /* the period ends then */
    uint32_t rx_state_law_offset;         /* where in a receiver state the law's state begins */
    void *rx_law;                         /* the law's state of this host as a receiver; NULL = it has none */
    uint64_t rx_law_armed_ps;             /* its entry in the timer heap that counts; WEIR_NEVER = none */
    uint64_t rx_now_ps;                   /* with HOST_EXTENDED_HELD: when the latest DATA came that rx_any() saw */
    struct host_table peers, waits, boards;
    struct host_table tracks;    /* struct host_track, by handle of the message; stride 0 = none */
    struct host_ring singles;    /* struct host_single */
    uint32_t first_index;        /* of a new connection's packets: 0; tests start near the wrap */
    uint32_t law_entries;        /* of laws' timers, both halves */
    struct host_numbers peer_of; /* dst -> peers */
};
_Static_assert(offsetof(struct host_stream, rx_map) == 64, "what an ACK needs is one line");

static inline struct host_stream *host_stream_of(const struct weir_host *h)
{
    return host_half(h);
}

/* table.c */
void *host_grow(struct weir_host *h, size_t bytes);
void *host_table_add(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index);
void *host_pool_take(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index);
void host_pool_give(struct host_table *t, void *record, uint32_t index);
void host_map_remove(struct host_map *map, uint32_t tag, uint32_t index);
bool host_map_put(struct weir_host *h, struct host_map *map, uint32_t tag, uint32_t index);
bool host_ring_grow(struct weir_host *h, struct host_ring *ring, uint32_t stride, uint32_t need, uint32_t most);
uint16_t *host_number_place(struct weir_host *h, struct host_numbers *n, uint32_t id);
void *host_ring_place(struct weir_host *h, struct host_ring *ring, uint32_t i, uint32_t stride, uint32_t most);
void *host_widen(struct weir_host *h, void *old, size_t old_bytes, size_t used_bytes, size_t bytes);
void host_packets_drop(struct host_ring *packets, struct host_ring *parallel, uint32_t stride, uint32_t dst);

/* timers.c */
bool host_heap_room(struct weir_host *h, struct weir_heap *heap, uint32_t need);
bool host_timers_room(struct weir_host *h, uint32_t need);
void host_timer_push(struct weir_host *h, uint64_t at_ps, uint32_t index, uint32_t kind);

/* bitmap.c */
void host_bitmaps_init(struct weir_host *h);
bool host_bitmap_grow(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts);
void host_bitmap_clear(const struct host_bitmap *b);
void host_bitmap_close(struct weir_host *h, struct host_bitmap *b);

/* reassembly.c */
void host_gaps_init(struct weir_host *h, uint32_t bitmaps);
struct host_gap *host_gap_open(struct weir_host *h, uint32_t *gap, uint32_t edge);
enum host_arrival host_gap_hold(struct weir_host *h, uint32_t *gap, uint32_t edge, uint32_t pkt);
void host_gap_advance(struct weir_host *h, uint32_t *gap, uint32_t *edge);
void host_gap_drop(struct weir_host *h, uint32_t *gap);

/* peers.c */
struct host_peer *host_peer_find(const struct weir_host *h, uint32_t dst);
struct host_peer *host_peer_get(struct weir_host *h, uint32_t dst);
uint32_t host_peer_take(struct weir_host *h, struct host_peer *peer);
bool host_peer_wait(struct weir_host *h, struct host_peer *peer, uint32_t msg, uint64_t bytes);
bool host_peer_next_wait(struct weir_host *h, struct host_peer *peer, struct host_wait *out);
bool host_peer_unwait(struct weir_host *h, uint32_t msg);
bool host_peer_pending(const struct weir_host *h, uint64_t skip, struct weir_host_pending *out);
struct host_flow *host_peer_shared(struct weir_host *h, uint32_t dst);

/* message.c */
int host_message_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
void host_message_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t msg,
                        uint64_t bytes);
void host_message_next(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_message_finish(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* flow.c */
void host_flow_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_nack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_notice_shared(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_reply(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);

/* send.c */
uint32_t host_flow_send(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
bool host_flow_has_open(const struct weir_host *h);
uint32_t host_flow_send_open(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);

/* law.c */
void host_law_init(struct weir_host *h, uint32_t index);
void host_law_ack_extended(const struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt,
                           struct weir_ack *ack);
void host_law_loss(struct weir_host *h, uint64_t now_ps, struct host_flow *f, uint32_t lowest, uint32_t bytes,
                   bool is_timeout);
void host_law_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                   const struct weir_pkt *pkt);
void host_law_notice(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                     const struct weir_pkt *pkt);
bool host_law_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index);

/* loss.c */
struct host_board *host_board_open(struct weir_host *h, struct host_flow *f);
bool host_board_room(struct weir_host *h, const struct host_flow *f, struct host_board *b, uint32_t end);
uint32_t host_board_advance(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t advance);
uint32_t host_board_lose(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from,
                         uint32_t to, uint32_t *lowest);
void host_board_close_if_done(struct weir_host *h, struct host_flow *f, struct host_board *b);
void host_board_drop(struct weir_host *h, struct host_flow *f);
uint32_t host_board_ack(struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt, uint32_t advance);
void host_board_judge(struct weir_host *h, uint64_t now_ps, struct host_flow *f);
uint32_t host_board_resend(struct weir_host *h, struct host_flow *f);
bool host_board_rewind(struct weir_host *h, uint64_t now_ps, struct host_flow *f);

/* mark.c */
void host_source_mark(struct weir_host *h, struct weir_pkt *pkt);

/* pace.c */
void host_law_times(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* timers.c */
bool host_time_room(struct weir_host *h);
void host_law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind);
void host_rx_timers_drop(struct weir_host *h, uint32_t src);

/* timeout.c */
void host_rto_due(struct weir_host *h, uint64_t now_ps, uint32_t index);

/* time.c */
void host_time_run(struct weir_host *h, uint64_t now_ps);

/* cancel.c */
int host_stream_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);
void host_stream_done(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_stream_forget(struct weir_host *h, uint64_t now_ps, uint32_t id);

/* tcp.c */
void host_tcp_init(struct weir_host *h);
bool host_tcp_open(struct weir_host *h, uint32_t index);
bool host_tcp_forget(struct weir_host *h, uint32_t index);
void host_tcp_ack(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt,
                  struct weir_ack *ack);
void host_tcp_sent(struct weir_host *h, uint32_t index, struct weir_pkt *pkt);

/* handshake.c */
bool host_handshake_must_connect(const struct weir_host *h, uint32_t index);
void host_handshake_connect(struct weir_host *h, uint64_t now_ps, uint32_t index);
bool host_handshake_syn_again(struct weir_host *h, uint32_t index);
void host_handshake_syn(struct weir_host *h, const struct weir_pkt *pkt);
struct host_flow *host_handshake_syn_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);

/* newreno.c */
uint32_t host_newreno_ack(struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt, uint32_t advance);
bool host_newreno_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f, const struct weir_pkt *pkt);
void host_newreno_timeout(struct weir_host *h, uint32_t index, struct host_flow *f);
void host_newreno_clear(struct weir_host *h, uint32_t index);
bool host_newreno_restarts(const struct weir_host *h, uint32_t index);

/* answers.c */
struct weir_pkt *host_answer_push(struct weir_host *h);
void host_answer_reply(struct weir_host *h, const struct weir_pkt *pkt);
void host_answer_abort(struct weir_host *h, uint32_t index, const struct host_flow *f);

/* receiver.c */
void host_rx_abort(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_rx_forget(struct weir_host *h, uint64_t now_ps, uint32_t src);
enum weir_host_inbound host_rx_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
bool host_rx_data(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
void host_rx_ack_due(struct weir_host *h, uint64_t now_ps, uint32_t index);

/* telemetry.c */
bool host_hops_push(struct weir_host *h);
void host_hops_put(struct weir_host *h, uint32_t index, struct weir_pkt *ack);
void host_hops_keep(struct weir_host *h, uint32_t index);
void host_answer_leaves(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer);

/* track.c */
void host_track_init(struct weir_host *h);
bool host_track_room(struct weir_host *h, uint32_t msg);
void host_track_wait(struct weir_host *h, uint32_t msg);
void host_track_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_track_end(struct weir_host *h, uint32_t msg);
uint8_t host_track_weight(const struct weir_host *h, uint32_t msg);
int host_track_set_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
int host_track_set_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
bool host_track_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);

/* rx_state.c */
void host_rx_state_init(struct weir_host *h);
bool host_rx_state_open(struct weir_host *h, uint32_t index);
bool host_rx_state_data(struct weir_host *h, uint64_t now_ps, uint32_t index, const struct weir_pkt *pkt,
                        uint32_t new_bytes, bool known);
void host_rx_message(struct weir_host *h, uint64_t now_ps, uint32_t index, bool begins);
void host_rx_state_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index);

static inline void *host_at(const struct host_table *t, uint32_t shift, uint32_t index)
{
    return t->block[index >> shift] + (size_t)(index & ((1u << shift) - 1)) * t->stride;
}

static inline struct host_flow *host_flow_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->flows, HOST_BLOCK_SHIFT, index);
}

static inline struct host_rx *host_rx_at(const struct weir_host *h, uint32_t index)
{
    return (struct host_rx *)host_stream_of(h)->rxs.block[index >> HOST_BLOCK_SHIFT] +
           (index & ((1u << HOST_BLOCK_SHIFT) - 1));
}

static inline struct host_tcp *host_tcp_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->tcps, HOST_BLOCK_SHIFT, index);
}

static inline struct host_rx_state *host_rx_state_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->rx_states, HOST_BLOCK_SHIFT, index);
}

static inline struct host_peer *host_peer_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->peers, HOST_BLOCK_SHIFT, index);
}

static inline struct host_pacer *host_pacer_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->pacers, HOST_BLOCK_SHIFT, index);
}

/* Returns where a law with a timer has its armed instant: behind its state. WEIR_NEVER = no entry in the heap. */
static inline uint64_t *host_law_armed(const struct weir_host *h, struct host_flow *f)
{
    return (uint64_t *)((unsigned char *)f + host_stream_of(h)->armed_offset);
}

/* Tests whether a connection's message was cancelled: ABORT is sent until DONE answers it. */
static inline bool host_flow_aborts(const struct host_flow *f)
{
    return f->limited == f->end + 1;
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

static inline struct host_board *host_board_of(const struct weir_host *h, const struct host_flow *f)
{
    return f->board == 0 ? NULL : host_at(&host_stream_of(h)->boards, 0, f->board - 1u);
}

/* Is the packet that the connection sends next one that was sent before? */
static inline bool host_flow_sends_again(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    return f->flags & HOST_AGAIN || (board != NULL && board->lost_pkts > 0);
}

static inline struct host_member *host_member_of(struct host_flow *f)
{
    return (struct host_member *)(void *)(f + 1);
}

/* The record that holds the law's state: of the connection itself, unless the law is per_peer. */
static inline struct host_flow *host_law_flow(const struct weir_host *h, struct host_flow *f)
{
    return WEIR_LIKELY(!host_stream_of(h)->per_peer || f->shared) ? f : host_flow_at(h, host_member_of(f)->shared);
}

/* Its number. index: of f */
static inline uint32_t host_law_index(const struct weir_host *h, uint32_t index, struct host_flow *f)
{
    return WEIR_LIKELY(!host_stream_of(h)->per_peer || f->shared) ? index : host_member_of(f)->shared;
}

static inline struct weir_cc *host_cc(const struct weir_host *h, struct host_flow *f)
{
    return (struct weir_cc *)(host_law_flow(h, f) + 1);
}

/* The i-th entry from the front; stride: of the ring's entries, always written as a sizeof. */
static inline void *host_ring_at(const struct host_ring *ring, uint32_t i, uint32_t stride)
{
    return ring->entry + (size_t)((ring->head + i) & (ring->capacity - 1)) * stride;
}

/* The record + 1 of a host; 0 = none. */
static inline uint32_t host_number(const struct host_numbers *n, uint32_t id)
{
    const uint16_t *page = n->first;
    if (WEIR_UNLIKELY(id >= HOST_NUMBERS_PAGE))
        page = id / HOST_NUMBERS_PAGE < n->pages ? n->page[id / HOST_NUMBERS_PAGE] : NULL;
    return WEIR_LIKELY(page != NULL) ? page[id % HOST_NUMBERS_PAGE] : 0;
}

/* Makes room for `need` entries in all, at most `most`. @return false = over the limit or no memory, nothing changed */
static inline bool host_ring_room(struct weir_host *h, struct host_ring *ring, uint32_t stride, uint32_t need,
                                  uint32_t most)
{
    return WEIR_LIKELY(need <= ring->capacity) || host_ring_grow(h, ring, stride, need, most);
}

/* An empty ring begins anew at its first entry, which is in the cache still. */
static inline void host_ring_drop(struct host_ring *ring)
{
    ring->count--;
    ring->head = (ring->head + 1) & (ring->capacity - 1) & (0u - (uint32_t)(ring->count > 0));
}

static inline void host_flow_prefetch(const struct weir_host *h, uint32_t index)
{
    const struct host_flow *f = host_flow_at(h, index);
    weir_fetch(f);
    weir_fetch(f + 1);
}

/* a is before b on the circle of packet indices */
static inline bool host_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* A bitmap that begins, in a record's own memory. */
static inline struct host_bitmap host_bitmap_open(const struct weir_host *h, uint64_t *own)
{
    return (struct host_bitmap){ own, h->bitmap_words - 1 };
}

/* Has it bits for so many packets from its edge on? */
static inline bool host_bitmap_holds(const struct host_bitmap *b, uint32_t pkts)
{
    return pkts <= 64 * (b->mask + 1);
}

/* Makes room for packets [edge, edge + pkts), at most a window. @return false = no memory, nothing changed */
static inline bool host_bitmap_room(struct weir_host *h, struct host_bitmap *b, uint32_t edge, uint32_t pkts)
{
    return WEIR_LIKELY(host_bitmap_holds(b, pkts)) || host_bitmap_grow(h, b, edge, pkts);
}

/* pkt lies within the size of the edge */
static inline bool host_bit(const struct host_bitmap *b, uint32_t pkt)
{
    return b->word[pkt / 64 & b->mask] >> pkt % 64 & 1;
}

static inline void host_bit_flip(struct host_bitmap *b, uint32_t pkt)
{
    b->word[pkt / 64 & b->mask] ^= UINT64_C(1) << pkt % 64;
}

/* gap: index + 1, not 0 */
static inline struct host_gap *host_gap_at(const struct weir_host *h, uint32_t gap)
{
    return host_at(&h->gaps, 0, gap - 1);
}

/* Was packet pkt, not before the edge and within the window, here before? */
static inline bool host_gap_has(const struct weir_host *h, uint32_t gap, uint32_t edge, uint32_t pkt)
{
    const struct host_gap *g = gap != 0 ? host_gap_at(h, gap) : NULL;
    return g != NULL && host_bitmap_holds(&g->got, pkt - edge + 1) && host_bit(&g->got, pkt);
}

/* Takes packet pkt, not before the edge and within the window. */
static inline enum host_arrival host_arrive(struct weir_host *h, uint32_t *gap, uint32_t *edge, uint32_t pkt)
{
    if (pkt != *edge)
        return host_gap_hold(h, gap, *edge, pkt);
    ++*edge;
    if (*gap != 0)
        host_gap_advance(h, gap, edge);
    return HOST_TAKEN;
}

/* Payload of one packet of the message on this connection. */
static inline uint32_t host_pkt_bytes(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    return pkt + 1 == f->end ? f->last_bytes : h->mss_bytes;
}

/* Byte offset on the connection where packet pkt begins; pkt = end: one past the message. 2^32 packets of 2^14 bytes
 * fit. */
static inline uint64_t host_seq_of(const struct weir_host *h, const struct host_flow *f, uint32_t pkt)
{
    uint64_t mss = h->mss_bytes, seq = f->msg_seq + (pkt - f->first) * mss;
    return pkt == f->end ? seq - (mss - f->last_bytes) : seq;
}

/* The records of the packet being received, unpacked. @return how many */
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

/* After each call of the law: arms its timer, and lets the packet that is paced wait for the latest rate. The caller then does
 * host_flow_update(). */
static inline void host_law_changed(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->timed_law))
        host_law_times(h, now_ps, index, f);
}

static inline uint32_t host_self(const struct weir_host *h)
{
    return h->self_word / WEIR_PKT_HOST_WORD(1);
}

/* Path entropy towards dst where packets are not sprayed; SYMMETRIC hashes the pair without its order. */
static inline uint32_t host_path_hash(const struct weir_host *h, uint32_t dst, uint32_t conn)
{
    return weir_rng_path(h->cfg->seed, host_self(h), dst, conn, h->cfg->hash == WEIR_HASH_SYMMETRIC);
}

/* Path entropy of what answers a packet. */
static inline uint32_t host_answer_hash(struct weir_host *h, uint32_t data_hash)
{
    if (WEIR_UNLIKELY(h->hash == WEIR_HASH_PACKET))
        return host_spray(h);
    return weir_rng_path_back(data_hash, h->hash == WEIR_HASH_SYMMETRIC);
}

/* Of the connection that a DATA packet is of; the lowest HOST_RX_KEY_FREE bits are the packet's flags. */
static inline uint64_t host_rx_key(const struct weir_pkt *pkt)
{
    return (uint64_t)pkt->conn << 32 | pkt->src_word;
}

static inline uint32_t host_rx_tag(uint64_t key)
{
    return (uint32_t)(((key >> HOST_RX_KEY_FREE) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* What a full DATA packet takes on the wire, and an answer without payload. */
static inline uint32_t host_full_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->data_size_word);
}

static inline uint32_t host_ack_wire_bytes(const struct weir_host *h)
{
    return WEIR_PKT_BYTES(h->ack_size_word);
}
#endif
