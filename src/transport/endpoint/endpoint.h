/* src/transport/endpoint/endpoint.h - the endpoint's records, and the layers of its files.
 *
 * A file calls functions of files in layers below its own, and includes their headers. tools/check_includes checks
 * these includes against this table.
 *
 *   17  api open metrics      calls of weir.h that submit and cancel; opening and closing an endpoint; counters as text
 *   16  poll info             weir_poll(), which makes all progress; calls of weir.h that return information
 *   15  rx report trouble     received datagrams; events handed over to the application; what became of datagrams
 *   14  shake                 received packets of the handshake, and the endpoint's own
 *   13  silence pressure      own handshakes, and the timeout of silent peers; who gives memory back while it is short
 *   13  unseal                received datagrams that are sealed
 *   12  rekey path            another secret for a connection; peers that change their address
 *   11  peer connect          the table of other endpoints, and the end of connections; their beginning
 *   10  room                  inbound messages that wait for memory
 *    9  share                 how much memory a peer may hold while it is short
 *    8  msg                   inbound messages
 *    7  offer hold records    memory offered for inbound messages; operations that wait for memory of their receiver;
 *                             what switches write into packets
 *    7  lend                  messages that are handed over part by part
 *    6  op agree tag          operations; the handshake of keys; changes of the endpoint's tag
 *    5  tx shake_tx           outgoing packets: of messages, of the handshake
 *    4  sealed ack token spray  sealed datagrams; what ACKs carry besides; peers by token; source ports
 *    3  timer event post      the clock and timers; the queue of events; posts of other threads
 *    3  options protocol      options of weir_open(); the protocol and its keys
 *    3  keys                  pre-shared keys, MACs under them, records of secrets
 *    2  enter memory head siphash protocol_text area parts
 *    1  arena                 address space that is reserved once
 *
 * No function calls a function of a layer above its own. Information for a higher layer waits until that layer asks:
 * - an event for the application waits in the queue of event.c until report.c takes it;
 * - a due operation or peer waits in the heap of timer.c until poll.c takes it;
 * - the completion of a message waits as `delivered` until rx.c's call of the host has returned.
 *
 * The host (src/algorithms/host) is below all layers. It calls the four functions of its sink, which open.c registers.
 * These run inside a call of the host and must not call the host (host.h).
 *
 * There are two kinds of records. An operation (struct ep_op) is a send, call, reply or offer that the application
 * submitted. Its index in the table is its handle in the host. So the record is kept until the application has its
 * event and the host has returned the handle. An inbound message (struct ep_msg) is kept from its first packet until
 * its memory is released and, if it is a request, until it is answered. The queue of events is a list of these records:
 * adding an event takes no memory, and so cannot fail. */
#ifndef WEIR_ENDPOINT_EP_H
#define WEIR_ENDPOINT_EP_H
#include <weir/weir.h>
#include "core/heap.h"
#include "core/math.h"
#include "core/rng.h"
#include "core/telemetry.h"
#include "host/host.h"
#include "driver/net.h"
#include "registry.h"
#include "seal/tag.h"
#include "wire/wire.h"
#include <stdatomic.h>

#define EP_HEAD_BYTES 16u   /* header of the endpoint, at the start of every message's payload (head.h) */
#define EP_PEERS_MAX 65000u /* peers have the host numbers 1 .. 65000; 0 is this endpoint */
#define EP_MESSAGE_MOST (UINT64_C(1) << 40)
#define EP_IOV_MAX 1024 /* most segments (iovecs) of one message */
#define EP_IOV_FEW 2u   /* up to this many segments are stored in the operation's record */
#define EP_OPS_MAX (1u << 24)
#define EP_CONNECTIONS_MAX 1024u /* most connections of a sender-driven protocol to a peer, and from one */
#define EP_BUCKETS (1u << 14)    /* buckets of the hash tables of peers and of arriving messages */
#define EP_CLASSES 160u          /* size classes of memory blocks: four per doubling, from 64 B */
#define EP_MSGS_SHIFT 6u         /* records of messages are allocated in blocks of 2^6 */
#define EP_MSG_BLOCKS (1u << 16)
#define EP_LENGTH_MASK ((UINT64_C(1) << 48) - 1) /* bits of weir_pkt.msg_bytes that are the length of the message */
/* messages of up to this many bytes may use all of rx_bytes; larger ones must leave a part free (take_memory() in
 * msg.c) */
#define EP_SMALL_BYTES 65536u
#define EP_MTU_MAX 9000u
#define EP_US_BELOW_BPS UINT64_C(1000000000) /* queueing delays of links below this rate count in us */
#define EP_ANSWER_BYTES WEIR_WIRE_OPEN_BYTES /* room for an answer in struct ep_answer: no READY is longer */
#define EP_TX_HEAD_BYTES 384u /* room for the longest header of a packet, an ACK's, or for DATA's and a message's */
#define EP_SLOTS WEIR_WIRE_RESERVED_SLOTS /* records that a packet has room for, if the protocol reads some */

/* Kinds of operations and of inbound messages. 1 to 4 also are the kind in a message's header (head.c). EP_RELEASED: a
 * one-way message whose sender waits until the receiving application has released it (WEIR_RELEASED). */
enum ep_kind { EP_FREE, EP_SEND = 1, EP_CALL = 2, EP_REPLY = 3, EP_RELEASED = 4, EP_RECV = 5 };

enum ep_link_kind { EP_LINK_OP, EP_LINK_MSG, EP_LINK_UP, EP_LINK_DOWN, EP_LINK_PART, EP_LINK_LEASE };

/* link of the queue of events; first member of struct ep_op, ep_msg, ep_parts and ep_lease, up and down of a peer */
struct ep_link {
    struct ep_link *next;
    uint8_t kind; /* enum ep_link_kind: what it is a member of */
};

enum ep_op_flag {
    EP_OP_ENDED = 1u << 0,     /* its event has been put into the queue */
    EP_OP_REPORTED = 1u << 1,  /* its event has been handed to the application */
    EP_OP_IN_HOST = 1u << 2,   /* the host has the message and its handle */
    EP_OP_GIVEN_UP = 1u << 3,  /* weir_host_cancel() was called for it */
    EP_OP_COPIED = 1u << 4,    /* the payload is a copy (WEIR_COPY) */
    EP_OP_QUEUED = 1u << 5,    /* waits until its peer is connected */
    EP_OP_CANCELLED = 1u << 6, /* a cancelled offer that a message uses: it ends even if the message fails */
    EP_OP_LISTED = 1u << 7,    /* in the list of its peer */
    EP_OP_STUCK = 1u << 8,     /* one of its packets does not arrive: see note_again() in tx.c */
    EP_OP_ANSWER = 1u << 9,    /* the empty reply to a message of EP_RELEASED: no application knows of it */
    EP_OP_CREDITED = 1u << 10, /* the peer has given credit for it, or acknowledged some of it */
    EP_OP_HELD = 1u << 11,     /* its receiver has no memory for it: hold.c */
    EP_OP_ASKED = 1u << 12,    /* counted in asked_bytes of its peer */
    EP_OP_BOUNDED = 1u << 13,  /* its receiver takes it part by part, up to `bound`; counted in its peer's `bounded` */
};

struct ep_op { /* an operation */
    struct ep_link link;
    struct ep_op *prev, *next; /* list of its peer; EP_RECV: list of offers, in order */
    struct weir_peer *peer;    /* EP_RECV: the sender that may use it, NULL = any */
    uint64_t user_data;
    uint64_t bytes;       /* length of the message without the endpoint's header; EP_RECV: size of the memory */
    uint64_t deadline_ps; /* WEIR_NEVER = none */
    uint64_t timer_ps;    /* time of its entry in the heap, which may outlive the operation; WEIR_NEVER = none */
    uint64_t order;       /* EP_RECV: sequence number of the offer */
    uint64_t rpc;         /* EP_REPLY: the caller's number for the call, or the sender's for the message */
    uint64_t min_bytes;   /* EP_RECV: length of the shortest message that may use it */
    union {
        const struct iovec *iov;
        struct ep_parts *parts; /* EP_RECV: of weir_recv_parts(); NULL = memory of the application, at few[0] */
    };
    uint64_t iov_base; /* offset of segment iov[iov_at] in the payload */
    uint32_t iov_at, iov_count;
    struct iovec few[EP_IOV_FEW];
    void *own; /* memory of the tx budget: copy of the payload, or list of segments; NULL = none */
    size_t own_room;
    struct ep_msg *msg;               /* EP_CALL: the reply; EP_RECV: the message that uses the offer */
    uint64_t again_ps;                /* when packet again_seq was first sent again; valid if again_tries > 0 */
    uint32_t again_seq, again_others; /* again_others: packets sent again since again_seq was */
    uint32_t again_tries;             /* times that again_seq was sent again */
    uint64_t asked_ps;                /* HELD: when it was asked for */
    uint64_t ask_ps;                  /* .. and will be; WEIR_NEVER = its receiver has listed it */
    uint32_t generation;              /* counts the uses of this entry of the table */
    /* number of the message among all to its peer; sender-driven: ep_stream_number(), once a packet has left; free
     * entry: next free one, index + 1 */
    uint32_t conn;
    uint32_t answers; /* EP_REPLY: number of the request among all from its peer */
    union {
        /* EP_RECV: the message that waits for memory and that the offer is kept for: index + 1 in waits; 0 = none */
        uint32_t kept;
        uint32_t bound; /* BOUNDED: packets from this one on may not leave yet */
    };
    uint32_t weight_milli;
    int32_t result;
    uint16_t flags;   /* enum ep_op_flag */
    uint8_t kind;     /* enum ep_kind */
    uint8_t priority; /* 0 = most urgent */
    uint16_t error;   /* EP_REPLY: of weir_reply_error(); 0 = none */
    uint8_t refusals; /* HELD: doublings of the time until it is asked for */
};

enum ep_msg_flag {
    EP_MSG_ARRIVING = 1u << 0, /* not complete; in the hash table by peer and number */
    EP_MSG_QUEUED = 1u << 1,   /* its event, or the event of its operation, is in the queue */
    EP_MSG_LENT = 1u << 2,     /* its memory is lent to the application */
    EP_MSG_REQUEST = 1u << 3,  /* a request that weir_reply() has not answered */
    EP_MSG_LISTED = 1u << 4,   /* in the list of its peer: ARRIVING, a REQUEST, or OWED */
    EP_MSG_OWED = 1u << 5,     /* its sender waits for an answer, which is due when the message is released */
    EP_MSG_RELEASED = 1u << 6, /* in the queue of released messages, until their answers have begun */
    EP_MSG_REFUSED = 1u << 7,  /* REFUSE was sent, and its sender has to confirm it: pressure.c */
    EP_MSG_PARTS = 1u << 8,    /* its memory is `parts` */
    EP_MSG_REJECTED = 1u << 9, /* it is not wanted any more: its packets are dropped and answered by REFUSE */
};

struct ep_msg { /* an inbound message */
    struct ep_link link;
    struct ep_msg *prev, *next; /* list of its peer; next also links free records */
    struct ep_msg *chain;       /* next in its bucket of msg_table */
    struct weir_peer *peer;
    struct ep_op *offer; /* offer whose memory it uses; NULL = memory of the rx budget */
    union {
        unsigned char *data;    /* memory of the message, without the endpoint's header */
        struct ep_parts *parts; /* PARTS */
    };
    size_t room;    /* bytes of the rx budget that data takes; 0 = none, or PARTS */
    uint64_t bytes; /* length without the endpoint's header */
    uint64_t rpc;   /* from its header: the sender's number of the call, or of the EP_RELEASED */
    uint32_t conn, index, generation;
    uint32_t handle, number; /* of the sender; by which REFUSE names it */
    uint8_t head[EP_HEAD_BYTES];
    uint8_t kind;   /* enum ep_kind, set when it is complete */
    uint16_t flags; /* enum ep_msg_flag */
};
_Static_assert(sizeof(struct ep_msg) == 128, "two cache lines");
#define EP_MSGS_BYTES (sizeof(struct ep_msg) << EP_MSGS_SHIFT) /* of a block of records */

/* Names what is known of switches on the way to a peer that write records into packets. */
enum ep_records { EP_RECORDS_UNKNOWN, EP_RECORDS_SEEN, EP_RECORDS_MISSING };

/* Hints, which packets without proof give, and which weir_peer_error() has after a timeout. RESET: the peer does not
 * know the connection. PORT: nobody has its port. KEY: no HELLO under our key was answered. REMOVED: we lack its key */
enum ep_hint { EP_HINT_NONE, EP_HINT_RESET, EP_HINT_PORT, EP_HINT_KEY, EP_HINT_REMOVED };

/* State of the connection with a peer. HELLO, OPEN: this packet is sent, repeatedly, until it is answered. UP:
 * connected. */
enum ep_peer_state { EP_PEER_IDLE, EP_PEER_HELLO, EP_PEER_OPEN, EP_PEER_UP };

struct ep_counts { /* of a peer, over all its connections: struct weir_peer_stats */
    uint64_t handshakes, resets;
    uint64_t messages_sent, messages_received, bytes_sent, bytes_received;
    uint64_t packets_sent, packets_received, retransmissions, marked;
};

struct weir_peer {
    struct weir_ep *ep;
    void *context;
    struct weir_net_addr addr;  /* while UP it may send from `ports` ports, from this one on */
    struct weir_net_addr local; /* our address that the peer used when it last connected; family 0 = any */
    uint64_t own_token;         /* our token for the peer; low 16 bits: our tag when it last left in a handshake */
    uint64_t remote_token;      /* the peer's token for us; 0 unless up */
    /* tokens in packets to us and to the peer while up; each is computed from both own tokens. Low 16 bits: the tag
     * that we reported to the peer last, and the one that the peer reported */
    uint64_t rx_token, tx_token;
    union {
        uint64_t tx_counter;  /* without keys: datagrams of the connection sent to the peer */
        struct ep_path *path; /* with keys: another address, at which the peer may be now; NULL = none */
    };
    uint64_t old_token; /* remote_token of the previous connection: a late OPEN with it is ignored */
    union {
        uint64_t cookie; /* OPEN: its cookie */
        uint64_t tag_ps; /* UP: when our tag was last reported to it; 0 = never */
    };
    uint64_t timer_ps;               /* time of its entry in the heap; WEIR_NEVER = none */
    uint64_t heard_ps;               /* time of its last valid packet */
    uint64_t since_ps;               /* start of the time within which the peer must be heard */
    uint64_t alive_ps;               /* time of the last PING; 0 = none */
    struct ep_op *op_head, *op_tail; /* operations: waiting for the connection, in the host, or for a reply */
    struct ep_msg *msgs;
    /* With keys; NULL without, and while there is none: */
    struct ep_seal *seal;       /* the connection's */
    struct ep_opening *opening; /* own handshake */
    struct ep_pending *pending; /* handshakes of the peer that have not been confirmed, the latest first */
    struct ep_rekey *rekey;     /* the connection gets another secret, or has just got it */
    uint64_t arriving_bytes;    /* of the rx budget, that messages which are not complete take */
    uint64_t promised_bytes;    /* of rx, to its messages that wait: room.c */
    uint64_t asked_bytes;       /* length of the operations with EP_OP_ASKED */
    uint64_t probe_ps;          /* one of the operations with EP_OP_HELD is asked for at this time */
    uint64_t notice_ps;         /* the ration of NO_ROOM to it is used up to this time: ep_shake_notice() */
    /* Since it was measured last (pressure.c): payload of all DATA that came, also of DATA without memory. */
    uint64_t measured_ps, data_bytes;
    uint64_t spray_above;  /* packets to it take all our ports while counts.packets_received is above this: spray.c */
    uint64_t least_rtt_ps; /* shortest round trip since it connected, if the protocol reads queueing delays; 0 = none */
    uint64_t lent_poll;    /* WEIR_OPEN_LEND_PEERS: it also has it if this is ep->polls: an event brought it */
    char *other_law;       /* the law of a peer that was refused for it; NULL = it was not */
    uint32_t in_host, arriving; /* operations in the host; messages that are not complete */
    uint32_t held, asked;       /* operations with EP_OP_HELD, with EP_OP_ASKED */
    uint32_t bounded, parts;    /* operations with EP_OP_BOUNDED; of `arriving`, messages that began with PARTS */
    uint32_t room_kib;          /* sender-driven: room that its last ACK reported; UINT32_MAX = none was */
    union {
        uint32_t tries;   /* HELLO, OPEN: how often that was sent */
        uint32_t granted; /* UP: total of the latest CREDIT to it .. */
    };
    uint32_t spent;       /* .. and of the latest DATA from it */
    uint32_t speed_bytes; /* payload that had come until it was measured last; saturates */
    /* number of calls and EP_RELEASED whose event has not been made: they wait for an answer of the peer */
    uint32_t calls;
    /* number of events not handed over, and of offers, that name the peer: its entry is not reused */
    uint32_t named;
    uint32_t number, tx_count;   /* its number as a host, 1 ..; messages begun towards it, modulo 2^32 */
    uint32_t chain, token_chain; /* number of the next peer in its bucket of peer_table, of token_table; 0 = none */
    union {
        uint32_t cookie_epoch; /* OPEN: that of its cookie */
        uint32_t tag_counter;  /* UP: number of the packet that reported the tag of tx_token, modulo 2^32 */
    };
    uint32_t credit_batch;    /* if it is `batch`, its CREDIT is in `off`, at credit_slot */
    int trouble;              /* errno that the network reported last of packets to it; 0 = none */
    uint32_t path_mtu;        /* .. EMSGSIZE: largest IP packet that passes; 0 = not known */
    uint32_t weight_milli;    /* of messages that have none; 0 = 1000 */
    uint16_t other_mss;       /* payload of a full packet of a peer that was refused for it; 0 = it was not */
    uint8_t other_version;    /* version of a datagram from the peer that this endpoint cannot read; 0 = none */
    uint8_t other_protection; /* protection of a peer that was refused for it, + 1; 0 = it was not */
    uint8_t credit_slot, ports;
    uint8_t hint : 4, state : 4; /* enum ep_hint; enum ep_peer_state */
    uint8_t records : 2;         /* enum ep_records */
    bool raised : 1;             /* a switch has raised the queueing delay of a packet to it */
    bool exposed : 1;            /* the application has its handle: the entry is not reused */
    bool used : 1;               /* the host has state for the peer */
    bool lags : 1;               /* according to the latest measurement */
    uint8_t refusals;            /* times that its EP_MSG_REFUSED was refused */
    bool up_queued, down_queued; /* its events are in the queue: event.c */
    int down_result;             /* of the latest WEIR_EV_PEER_DOWN */
    struct ep_link up, down;
    struct ep_counts counts;
};

struct ep_pool { /* a memory budget in bytes: used + kept <= limit; kept is in free blocks, for reuse */
    uint64_t limit, used, kept;
    struct ep_arena { /* address space for blocks: arena.c */
        unsigned char *base, *tree;
        uint64_t bytes; /* a power of two: 64 bytes times 2^order; 0 = there is none */
        uint32_t order;
    } arena;
    void *free[EP_CLASSES];
};

struct ep_answer { /* a packet that waits for ep_shake_flush() */
    struct weir_net_addr to, from;
    uint16_t bytes;
    uint8_t class_id;
    unsigned char datagram[EP_ANSWER_BYTES];
};

#define EP_WAITS 1024u /* most messages that wait for memory */
#define EP_WAIT_BUCKETS 256u

struct ep_wait {         /* an inbound message that waits for memory: room.c */
    uint64_t bytes;      /* length without the endpoint's header */
    uint64_t promised;   /* bytes of rx that are kept for it */
    uint64_t since_ps;   /* when it was listed */
    uint64_t at_ps;      /* tries > 0: when ROOM is repeated; else no promise before */
    uint32_t peer, conn; /* number of its sender; of the message */
    uint32_t msg, first; /* the sender's handle; sender-driven: first packet on its connection */
    uint32_t prev, next; /* index + 1 in the list; next also links free entries */
    uint32_t chain;      /* index + 1 of the next in its bucket of wait_table */
    uint32_t tries;      /* ROOMs sent since there was memory for it; 0 = there is none */
    uint32_t offer;      /* the offer that is kept for it: index + 1 in ops; 0 = none */
};

struct ep_chunk;
struct ep_keys;

struct weir_ep {
    struct weir_net *net;
    struct weir_host *host;
    const struct weir_host_stats *host_stats;
    uint64_t now_ps; /* time since opened_ns; never runs backwards */
    uint64_t last_poll_ps;
    uint64_t due_ps;  /* from when on the next poll_once() has work */
    uint64_t late_ps; /* time for which passes came late, in all */
    /* sending */
    struct weir_tx_clock clock;
    uint64_t tx_free_ps, burst_ps; /* time at which the link is free again; by how much earlier packets may leave */
    bool paced;                    /* else packets leave as soon as credit allows: the rate of the link is not known */
    uint64_t quantum_ps;           /* once the pace has stopped packets, they are collected for this time .. */
    bool collecting;               /* .. and then leave together; true while packets are collected */
    uint64_t credit_again_ps;      /* a quantum after CREDIT last left: until then CREDIT alone waits */
    uint64_t crowded_until_ps;     /* until then weir_poll() does not spin: other processes need this processor */
    uint64_t blocked_ps;           /* nothing is sent before this time, because the driver had no room */
    uint32_t txq_count, off_count; /* packets in txq and in off; together at most WEIR_NET_BATCH */
    uint32_t off_packets;          /* packets put into `off`, also CREDITs that a later one has replaced */
    uint32_t off_most;             /* measured path: how many may be in `off` while nothing else leaves; 0 = unknown */
    uint32_t batch;                /* changes when `off` is emptied, or indices in it change */
    bool off_credit, off_other;    /* `off` has CREDIT; `off` has other packets */
    struct weir_pkt txq[WEIR_NET_BATCH];
    struct weir_pkt off[WEIR_NET_BATCH]; /* deferred packets: see can_wait() in tx.c */
    /* header of each packet; behind it the message's header in a first packet */
    unsigned char tx_head[WEIR_NET_BATCH][EP_TX_HEAD_BYTES];
    unsigned char *scratch; /* mss bytes per packet, to assemble payload that must be contiguous .. */
    /* .. with keys scratch_bytes: whole datagrams, each in the slot that tx_slot[] has for its packet. tx_sealed:
     * their lengths; 0 = not sealed yet. A packet that could not be sent is sent later as it was sealed. */
    uint32_t scratch_bytes;
    uint8_t tx_slot[WEIR_NET_BATCH], tx_port[WEIR_NET_BATCH]; /* tx_port: with spray_ports: where a packet leaves */
    uint16_t tx_sealed[WEIR_NET_BATCH];
    /* receiving */
    /* datagrams just received, from peers and from strangers */
    struct weir_net_in in[WEIR_NET_BATCH], strange[WEIR_NET_STRANGERS];
    uint64_t polls; /* calls of weir_poll(), and 1 */
    /* delivered: the current packet has completed its message. shut: weir_shutdown() was called. worked: the current
     * poll_once() has sent or received something */
    bool delivered, shut, worked;
    bool took;                /* the last poll_once() received datagrams of peers */
    uint8_t troubled_passes;  /* poll_once() since reports of the network wait */
    uint8_t unheard_passes;   /* poll_once() since the queue of peers' datagrams was last found empty */
    bool guarded;             /* strangers have a queue of their own */
    bool tag_stale;           /* the filter of that queue has the tags of an earlier epoch */
    struct weir_tag tag;      /* secret; its present one is the low 16 bits of every token that we hand out */
    uint32_t tag_hand;        /* peers before this index have had the report of the present tag */
    uint64_t tag_due_ps;      /* when ep_tag_run() has work */
    uint64_t strangers_ps;    /* the strangers' queue is not read before this time */
    uint64_t no_strangers_ps; /* when it was found empty last */
    uint64_t relieved_ps;     /* until then no peer is asked for memory again: ep_pressure_relieve() */
    uint64_t arriving_bytes;  /* of rx, for messages that are not complete */
    uint32_t holders;         /* peers that have some of them, or were promised some of rx */
    /* the peer whose message found no memory last, its size, and when; when one of another peer did last; 0 = never */
    const struct weir_peer *wanting;
    uint64_t wanted_bytes, wanted_ps, others_wanted_ps;
    struct weir_peer *rx_peer; /* peer of the last packet; the next packet is often from the same */
    struct ep_msg **msg_table;
    struct ep_msg **msg_block;
    struct ep_msg *msg_free;
    uint32_t msg_count, msg_most; /* records allocated; most that may be */
    uint64_t msg_block_bytes;     /* bytes of rx that records take; never given back */
    struct ep_pool rx, tx;
    /* messages that wait for memory, in their order; links are index + 1 */
    struct ep_wait *waits;
    uint32_t wait_count, wait_used, wait_free, wait_head, wait_tail;
    uint32_t wait_table[EP_WAIT_BUCKETS];
    uint64_t promised_bytes; /* of rx, to messages of the list */
    bool room_due;           /* there may be memory for messages of the list that there was not before */
    uint32_t window_kib;     /* room that our ACKs report: ep_msg_window_kib() */
    struct ep_op *offer_head, *offer_tail;
    uint64_t offer_order;
    struct ep_msg *released_head, *released_tail; /* EP_MSG_RELEASED, in order; linked by link.next */
    uint64_t released_again_ps;                   /* for want of memory no answer begins before this time */
    uint32_t released, op_answers;                /* messages in that queue; operations with EP_OP_ANSWER */
    /* operations and events */
    struct ep_op *ops;
    uint32_t op_count, op_free; /* records that were ever used; first free record, index + 1, 0 = none */
    uint64_t op_last;           /* ep_op_rpc() of the operation accepted last; 0 = none */
    uint32_t op_used;           /* records in use, without those of answers; at most max_ops */
    struct ep_link *event_head, *event_tail;
    uint64_t ops_pending, messages_arriving, events_pending;
    /* starved: -EAGAIN was returned, so WEIR_EV_WRITABLE must follow; writable: it is due; posts_due: posts may wait */
    bool starved, writable, posts_due, wake_due; /* wake_due: weir_wake() was called, so -EINTR is to be returned */
    uint64_t starved_bytes;                      /* bytes of tx that must be free before WEIR_EV_WRITABLE is due */
    /* peers */
    struct weir_peer *peers;
    uint32_t peer_count, peers_up, peer_hand;
    uint32_t *peer_table, *token_table; /* token_table: made when a peer needs it: token.c */
    struct weir_heap timers;
    uint64_t secret[2], tokens;    /* key of cookies and tokens; number of tokens made */
    uint64_t ration_ps;            /* the ration of 4000 answers a second is used up to this time: ep_shake_ration() */
    uint64_t agree_ps, keyless_ps; /* the same of handshakes of keys, and of answers to those without */
    struct ep_keys *keys;          /* NULL = protection none */
    uint8_t protection, cipher;    /* enum weir_wire_protection; first choice, enum weir_cipher, 0 = none */
    uint32_t replay_pkts;          /* size of the window of repeated packets */
    uint32_t answer_count;         /* answers that wait for ep_shake_flush() */
    struct ep_answer answers[WEIR_NET_BATCH];
    /* options, and configuration computed from them */
    struct weir_opts opts; /* with defaults filled in; its strings are NULL after the set-up */
    uint64_t opened_ns;
    uint64_t peer_timeout_ps;
    uint32_t mtu, mss;
    bool stream;                         /* the protocol is sender-driven */
    uint8_t area_kind;                   /* enum weir_wire_area of its DATA */
    bool reads_delay;                    /* the protocol reads the delay of this area */
    bool gives_tokens;                   /* the host gives short messages tokens, which are in this area */
    uint8_t slots;                       /* for records of switches, in DATA or in ACKs; 0 = the protocol reads none */
    bool slots_in_acks;                  /* switches write into ACKs */
    struct weir_telemetry hop[EP_SLOTS]; /* records of the packet being received */
    struct weir_telemetry_rates rates;   /* link rates of records; the latest replace the oldest */
    uint32_t rate_next;
    /* records in ACKs of txq, as they came in DATA; weir_pkt.arrival_ps of the ACK is the index */
    unsigned char echo[WEIR_NET_BATCH][EP_SLOTS * WEIR_WIRE_SLOT_BYTES];
    unsigned char ranges[WEIR_WIRE_RANGES_MAX * WEIR_WIRE_RANGE_BYTES]; /* of the ACK that is being built */
    struct weir_host_config host_config;
    char law[WEIR_WIRE_LAW_MAX + 1]; /* the protocol and the keys that were set, as the handshake has them */
    void *cc_config, *host_memory;
    unsigned char *reserved, *chunk_next; /* memory of the host's tables; when it is used up, chunks: ep_host_grow() */
    uint64_t reserved_bytes, chunk_left;
    struct ep_chunk *chunks;
    uint64_t grown_bytes, grown_most;
    struct weir_stats stats;
    int failed;            /* final status of the driver: 0, or an error such as -EIO */
    char peer_error[1400]; /* text of weir_peer_error() */
    int wake_fd, epoll_fd;
    char *own_page;   /* 1 in the process that opened the endpoint, 0 after fork() in the child; NULL = not known */
    atomic_uint bell; /* enum ep_bell */
    struct ep_posts *posts; /* of weir_post() */
    atomic_bool busy;       /* a call is in progress: no other may begin */
};

/* Tests whether this process is a child of the one that opened the endpoint, whose sockets it shares: it may close the
 * endpoint, and nothing else. */
static inline bool ep_is_forked(const struct weir_ep *ep)
{
    return ep->own_page != NULL && *ep->own_page == 0;
}

/* Tests whether p is a peer of ep whose handle the application has. Returns false for NULL. */
static inline bool ep_peer_held(const struct weir_ep *ep, const struct weir_peer *p)
{
    return p != NULL && p->ep == ep && (p->exposed || p->lent_poll == ep->polls);
}

/* Clears what the application set by a handle that it had. */
static inline void ep_peer_clear(struct weir_peer *p)
{
    p->context = NULL;
    p->weight_milli = 0;
}

/* Tests whether two tokens are the same but for their tags. */
static inline bool ep_same_token(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~WEIR_TAG_MASK) == 0;
}

/* Tests whether an operation ends by an answer of its peer: the reply, or the empty answer when the message is
 * released. */
static inline bool ep_op_awaits(const struct ep_op *op)
{
    return op->kind == EP_CALL || op->kind == EP_RELEASED;
}

/* Returns the number of a call or EP_RELEASED, which its header and that of its answer carry. */
static inline uint64_t ep_op_rpc(const struct weir_ep *ep, const struct ep_op *op)
{
    return (uint64_t)op->generation << 32 | (uint32_t)(op - ep->ops);
}

/* Returns the length of the longest message that this endpoint can send, without the endpoint's header. With the header
 * it has at most 2^40 bytes, in at most 2^32 - 1 packets. */
static inline uint64_t ep_message_most(const struct weir_ep *ep)
{
    return weir_min_u64(EP_MESSAGE_MOST, (uint64_t)UINT32_MAX * ep->mss) - EP_HEAD_BYTES;
}
#endif
