/* src/transport/endpoint/endpoint.h - the endpoint's records, and the layers of its files.
 *
 * A file calls functions of layers below its own. It includes the headers of what it calls, and tools/check_includes
 * holds these includes against this table.
 *
 *   11  api open               calls of weir.h that submit and cancel; an endpoint's beginning and end
 *   10  poll info              weir_poll(): progress is made here; calls of weir.h that return information
 *    9  rx report              datagrams that came; events handed over to the application
 *    8  shake                  the handshake, and how long a peer may be silent
 *    7  peer                   entries of other endpoints, and their end
 *    6  msg                    inbound messages
 *    5  offer                  memory offered to them
 *    4  op                     operations
 *    3  tx shake_tx            packets on their way out: of messages, of the handshake
 *    2  timer event            instants, and the queue of events
 *    2  options protocol       what was asked for
 *    1  enter memory head siphash
 *
 * What happens below and concerns a layer above is not called up to it. It waits until that layer asks for it:
 * - an event for the application waits in the queue until report.c takes it;
 * - an operation or a peer that is due waits in the heap until poll.c takes it;
 * - a message that is complete waits as `delivered` until rx.c's call of the host has returned.
 *
 * The host is below all of them. It calls the four functions of its sink, which open.c gives it.
 *
 * Two records carry everything. An operation (struct ep_op) is what the application submitted. Its index in the table
 * is the handle by which the host knows it. So it stays until both the application has its event and the host is done
 * with it. An inbound message (struct ep_msg) lives from its first packet until its memory is released and, if it is
 * a request, until it is answered. Both are their own event: the queue of events is a list through them, so an event
 * can never fail for want of memory.
 *
 * Nothing is freed from inside the host's calls of the sink: those only mark and queue (host.h forbids calling
 * back). */
#ifndef WEIR_ENDPOINT_EP_H
#define WEIR_ENDPOINT_EP_H
#include <weir/weir.h>
#include "core/heap.h"
#include "core/math.h"
#include "core/rng.h"
#include "host/host.h"
#include "driver/net.h"
#include "registry.h"
#include "wire/wire.h"
#include <stdatomic.h>

#define EP_HEAD_BYTES 16u   /* the endpoint's own head, first in the payload of every message */
#define EP_PEERS_MAX 65000u /* host numbers 1 ..; 0 is ourselves */
#define EP_MESSAGE_MOST (UINT64_C(1) << 40)
#define EP_IOV_MAX 1024 /* segments of one message */
#define EP_IOV_FEW 2u   /* so many are kept in the operation's record */
#define EP_OPS_MAX (1u << 24)
#define EP_BUCKETS (1u << 14) /* of the tables of peers and of arriving messages; chained */
#define EP_CLASSES 160u       /* sizes of memory blocks: four per doubling, from 64 B */
#define EP_MSGS_SHIFT 6u      /* records of messages come in blocks of 64 */
#define EP_MSG_BLOCKS (1u << 16)
#define EP_LENGTH_MASK ((UINT64_C(1) << 48) - 1) /* of a message's bytes in weir_pkt.msg_bytes */
#define EP_SMALL_BYTES 65536u                    /* larger messages leave some of rx_bytes to the small ones */
#define EP_MTU_MAX 9000u
#define EP_ANSWER_BYTES 32u /* no answer is longer */

enum ep_kind { EP_FREE, EP_SEND = 1, EP_CALL = 2, EP_REPLY = 3, EP_RECV = 4 }; /* 1 to 3 as in a message's head */

struct ep_link { /* in the queue of events; first member of both records */
    struct ep_link *next;
    bool is_msg; /* struct ep_msg, else struct ep_op */
};

enum ep_op_flag {
    EP_OP_ENDED = 1u << 0,     /* its event is made; */
    EP_OP_REPORTED = 1u << 1,  /* .. and taken */
    EP_OP_IN_HOST = 1u << 2,   /* the handle is the host's */
    EP_OP_GIVEN_UP = 1u << 3,  /* the host was called to cancel it */
    EP_OP_COPIED = 1u << 4,    /* the payload lies in own */
    EP_OP_QUEUED = 1u << 5,    /* waits for the connection */
    EP_OP_CANCELLED = 1u << 6, /* an offer: not used again if its message fails */
    EP_OP_LISTED = 1u << 7,    /* in its peer's list */
};

struct ep_op { /* an operation */
    struct ep_link link;
    struct ep_op *prev, *next; /* of its peer; EP_RECV: of the offers, in order */
    struct weir_peer *peer;    /* EP_RECV: the sender, NULL = any */
    uint64_t user_data;
    uint64_t bytes;       /* of the message, without our head; EP_RECV: room */
    uint64_t deadline_ps; /* WEIR_NEVER = none */
    uint64_t timer_ps;    /* of its entry in the heap, which outlives it; WEIR_NEVER = none */
    uint64_t order;       /* EP_RECV: counts offers */
    uint64_t rpc;         /* EP_REPLY: the caller's name of it */
    uint64_t min_bytes;   /* EP_RECV */
    const struct iovec *iov;
    uint64_t iov_base; /* offset of iov[iov_at] in the message */
    uint32_t iov_at, iov_count;
    struct iovec few[EP_IOV_FEW];
    void *own; /* memory of the tx budget: the copy, or the iovecs; NULL = none */
    size_t own_room;
    struct ep_msg *msg;  /* EP_CALL: the reply; EP_RECV: what is in the memory offered */
    uint32_t generation; /* of this entry of the table */
    uint32_t conn;       /* number of the message among those to its peer */
    uint32_t answers;    /* EP_REPLY: number of the request among those from its peer */
    int32_t result;
    uint16_t flags; /* enum ep_op_flag */
    uint8_t kind;   /* enum ep_kind */
};

enum ep_msg_flag {
    EP_MSG_ARRIVING = 1u << 0, /* the host has not all of it yet; in the table of (peer, number) */
    EP_MSG_QUEUED = 1u << 1,   /* has an event that was not taken, or belongs to an operation's */
    EP_MSG_LENT = 1u << 2,     /* the application has its memory */
    EP_MSG_REQUEST = 1u << 3,  /* waits for weir_reply() */
    EP_MSG_LISTED = 1u << 4,   /* in its peer's list: arriving, or a request */
};

struct ep_msg { /* an inbound message */
    struct ep_link link;
    struct ep_msg *prev, *next; /* of its peer; next also: free list */
    struct ep_msg *chain;       /* of the table */
    struct weir_peer *peer;
    struct ep_op *offer; /* whose memory it goes to; NULL = ours */
    unsigned char *data; /* where it goes */
    size_t room;         /* of the rx budget; 0 = none */
    uint64_t bytes;      /* without the head */
    uint64_t rpc;        /* of its head */
    uint32_t conn, index, generation;
    uint8_t head[EP_HEAD_BYTES];
    uint8_t kind, flags; /* enum ep_kind once it is complete, ep_msg_flag */
};

enum ep_peer_state { EP_PEER_IDLE, EP_PEER_HELLO, EP_PEER_OPEN, EP_PEER_UP }; /* HELLO, OPEN: sent, not answered */

struct weir_peer {
    struct weir_ep *ep;
    void *context;
    struct weir_net_addr addr;
    struct weir_net_addr local;  /* to which of ours it wrote when it was last up; family 0 = whichever */
    uint64_t own_token;          /* low 16 bits: the endpoint's tag */
    uint64_t remote_token;       /* while up */
    uint64_t rx_token, tx_token; /* of packets to us and to it, while up: each of both own tokens */
    uint64_t old_token;          /* the remote one before: a late OPEN with it is no restart */
    uint64_t cookie;
    uint64_t timer_ps; /* of its entry in the heap; WEIR_NEVER = none */
    uint64_t heard_ps; /* its last valid packet */
    uint64_t since_ps; /* an answer from it is due since then */
    uint64_t alive_ps; /* when we last sent it a READY for want of memory, or to check whether it is alive */
    struct ep_op *op_head, *op_tail; /* queued, in the host, waiting for a reply */
    struct ep_msg *msgs;
    uint32_t in_host, arriving; /* operations in the host; messages not complete */
    uint32_t calls;             /* whose event is not made: it owes us replies */
    uint32_t named;             /* events that were not taken yet, and offers to it: neither can do without it */
    uint32_t number;            /* as a host, 1 .. */
    uint32_t chain;             /* of the table of addresses: number of the next, 0 = end */
    uint32_t cookie_epoch, tx_count, tries;
    uint32_t credit_batch, credit_slot; /* index of its credit among the deferred packets */
    uint8_t state;                      /* enum ep_peer_state */
    bool exposed;                       /* the application has its handle: never recycled */
    bool used;                          /* the host knows it */
};

struct ep_pool { /* memory of one budget: what is in use and what is kept for the next need, together at most limit */
    uint64_t limit, used, kept;
    void *free[EP_CLASSES];
};

struct ep_answer { /* to a handshake packet, or to a stranger */
    struct weir_net_addr to, from;
    uint16_t bytes;
    unsigned char datagram[EP_ANSWER_BYTES];
};

struct ep_chunk;

struct weir_ep {
    struct weir_net *net;
    struct weir_host *host;
    const struct weir_host_stats *host_stats;
    uint64_t now_ps; /* since opened_ns; never runs backwards */
    uint64_t last_poll_ps;
    /* sending */
    struct weir_tx_clock clock;
    uint64_t tx_free_ps, burst_ps; /* the link is ours again; packets may go this much before */
    uint64_t quantum_ps;           /* of the link's time: what is collected before packets leave again .. */
    bool collecting;               /* .. since the pace stopped them */
    uint64_t credit_again_ps;      /* a quantum after credit last left: until then more of it is collected */
    uint64_t crowded_until_ps;     /* before that weir_poll() does not spin: others need this processor */
    uint64_t blocked_ps;           /* the driver had no room: not before then */
    uint32_t txq_count, off_count; /* together never more than WEIR_NET_BATCH */
    uint32_t off_packets;          /* that `off` replaces: credits superseded ones */
    uint32_t batch;                /* counts the times `off` was emptied */
    bool off_credit, off_other;    /* there is credit in `off`; and something else */
    struct weir_pkt txq[WEIR_NET_BATCH];
    struct weir_pkt off[WEIR_NET_BATCH];       /* deferred: see tx.c */
    unsigned char tx_head[WEIR_NET_BATCH][64]; /* wire head, and the message's in its first packet */
    unsigned char *scratch; /* an MTU per packet: a payload in several segments is put together here */
    /* receiving */
    struct weir_net_in in[WEIR_NET_BATCH], strange[WEIR_NET_STRANGERS]; /* received, from peers and from strangers */
    bool delivered, shut, worked; /* by the packet in hand; weir_shutdown(); the turn did something */
    bool took;                    /* the last turn took datagrams */
    bool guarded;                 /* strangers have a queue of their own */
    uint16_t tag;                 /* secret; the low 16 bits of all tokens we give out */
    uint64_t strangers_ps;        /* their queue is not read before */
    struct weir_peer *rx_peer;    /* the last packet's; the next one's is often the same */
    struct ep_msg **msg_table;
    struct ep_msg **msg_block;
    struct ep_msg *msg_free;
    uint32_t msg_count, msg_most; /* records made; at most */
    uint64_t msg_block_bytes;     /* of rx, taken for records for good */
    struct ep_pool rx, tx;
    struct ep_op *offer_head, *offer_tail;
    uint64_t offer_order;
    /* operations and events */
    struct ep_op *ops;
    uint32_t op_count, op_free; /* records ever used; index + 1 of one given back */
    struct ep_link *event_head, *event_tail;
    uint64_t ops_pending, messages_arriving, events_pending;
    bool starved, writable; /* an -EAGAIN was returned; its event is due */
    uint64_t starved_bytes; /* of copies that did not fit */
    /* peers */
    struct weir_peer *peers;
    uint32_t peer_count, peers_up, peer_hand;
    uint32_t *peer_table;
    struct weir_heap timers;
    uint64_t secret[2], tokens; /* key of cookies and tokens; tokens made */
    uint64_t ration_ps;    /* those answered strangers have used up the ration of at most 4000 a second until then */
    uint32_t answer_count; /* made by the datagrams in hand, not sent yet */
    struct ep_answer answers[WEIR_NET_BATCH];
    /* what was asked for */
    struct weir_opts opts; /* defaults filled in; strings are not kept */
    uint64_t opened_ns;
    uint64_t peer_timeout_ps;
    uint32_t mtu, mss;
    struct weir_host_config host_config;
    void *cc_config, *host_memory;
    struct ep_chunk *chunks; /* of the host's tables */
    unsigned char *chunk_next;
    size_t chunk_left;
    uint64_t grown_bytes, grown_most;
    struct weir_stats stats;
    int failed; /* the driver's final status: 0 or -EIO */
    int wake_fd, epoll_fd;
    atomic_bool woken;
    atomic_bool busy; /* a call is in progress: no other may begin */
};

/* Tests whether this is a handle that the application has from this endpoint. */
static inline bool ep_peer_held(const struct weir_ep *ep, const struct weir_peer *p)
{
    return p != NULL && p->ep == ep && p->exposed;
}

static inline bool ep_peer_owes(const struct weir_peer *p)
{
    return p->in_host > 0 || p->arriving > 0;
}

/* Returns the name under which a call's reply comes back. */
static inline uint64_t ep_op_rpc(const struct weir_ep *ep, const struct ep_op *op)
{
    return (uint64_t)op->generation << 32 | (uint32_t)(op - ep->ops);
}

/* Returns the name of a request that the application answers, never 0. */
static inline uint64_t ep_msg_rpc(const struct ep_msg *msg)
{
    return (uint64_t)msg->generation << 32 | (msg->index + 1);
}

/* Returns the most bytes of a message that we can send: 2^40 with the head, and at most 2^32 - 1 packets. */
static inline uint64_t ep_message_most(const struct weir_ep *ep)
{
    return weir_min_u64(EP_MESSAGE_MOST, (uint64_t)UINT32_MAX * ep->mss) - EP_HEAD_BYTES;
}
#endif
