/* src/base/core/credit.h - the events of a receiver-driven protocol, and its decisions: one state machine per host,
 * both halves. It is per host, not per flow, because it decides across senders and messages. It is polled (_next until
 * false), so that a core never calls out and the host chooses burst and NIC room.
 *
 * Ownership. The host keeps messages, packets, reassembly, duplicates, and a timer per peer. The protocol decides
 * who is granted credit, who sends, and with which priority. Its state is in memory that the host provides, zeroed, and
 * never moves: one struct per host, one per other host (peer), one per outbound and one per inbound message. The first
 * begins with struct weir_credit_host. The last two begin with the host's half, struct weir_tx_msg and struct
 * weir_rx_msg, which the protocol only reads unless a field allows more. Pointers may link states (they never order
 * them: ties are broken by `order`, which counts).
 *
 * Work of the host alone. It announces a message (REQUEST), or its first packet does. It reports to the sender that
 * a message has arrived (DONE). It sends a packet that was granted again before new ones. It reports messages and peers
 * that are silent (tx_silent(), rx_silent(), peer_check()): the protocol decides what follows. Everything else that a
 * protocol reports goes into the numbers that it adds to CREDIT and DATA, and into control packets of its own. */
#ifndef WEIR_CORE_CREDIT_H
#define WEIR_CORE_CREDIT_H
#include "core/host_params.h"
#include "core/path.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_credit_ops; /* core/credit_ops.h */

/* Most packets of a message that may go unscheduled, and most between the first one missing at the receiver and the
 * last one credited. */
#define WEIR_CREDIT_WINDOW_PKTS 8192u

struct weir_limits {       /* the network of a host, passed once; lent for the run */
    struct weir_path path; /* rate, base round trip, BDP, MSS */
    struct weir_framing framing;
    uint64_t ps_per_kbyte; /* of the host's link: picoseconds that 1000 bytes on the wire take, rounded up */
    uint32_t self;         /* this host's number */
    uint64_t seed;
};

struct weir_credit_host { /* first member of the protocol's struct per host */
    uint32_t controls;    /* written by the protocol: control packets that wait for control_next() */
};

struct weir_tx_msg {          /* an outbound message; first member of the protocol's struct */
    uint64_t left_bytes;      /* payload never sent yet, or to be retransmitted */
    uint32_t pkts, next;      /* packets in all, 1 ..; the first one never sent yet */
    uint32_t again_pkts;      /* to be retransmitted: they go before `next` */
    uint32_t next_wire_bytes; /* of the packet that goes next; 0 = nothing left to send */
    uint32_t unsched_pkts;    /* written by the protocol in tx_message(): so many packets, from the first on, go without
                                 being credited; 0 = it asks first. <= pkts, <= WEIR_CREDIT_WINDOW_PKTS */
    uint32_t order;           /* counts outbound messages of this host, from 0, modulo 2^32 */
};

struct weir_rx_msg {             /* an inbound message; first member of the protocol's struct */
    uint64_t left_bytes;         /* payload not here yet */
    uint64_t ungranted_bytes;    /* payload neither unscheduled nor credited yet, or to be credited again */
    uint32_t pkts;               /* in all */
    uint32_t unsched_pkts;       /* as the sender announced */
    uint32_t unsched_wire_bytes; /* what those occupy on the wire */
    uint32_t grant_wire_bytes;   /* of the packet that is credited next; 0 = nothing to credit now */
    uint32_t order;              /* counts inbound messages of this host, from 0, modulo 2^32 */
    uint32_t cum, granted;       /* packets below have arrived; packets below are unscheduled or were credited */
};

struct weir_send { /* tx_next()'s answer: one DATA packet of tx, the one that is next */
    void *peer, *tx;
    uint32_t sequence; /* any number, carried by the packet */
    uint8_t class_id;
    bool own; /* any bit, likewise */
};

/* Credit for packets of one message: rx_next()'s answer, which goes out in a CREDIT. They are the next ones that may be
 * credited: of those to be credited again the first run, else of those not credited yet. */
struct weir_grant {
    void *peer, *rx;
    uint32_t pkts;       /* at most so many, 1 ..; in rx_granted() how many there were */
    uint32_t first_pkt;  /* written by the host */
    uint32_t wire_bytes; /* likewise: what they occupy on the wire */
    uint32_t sequence;   /* any number, carried by the CREDIT */
    uint8_t class_id;    /* that DATA should have, likewise; the CREDIT has control_class() */
    bool again;          /* written by the host: these were due before and did not come */
};

struct weir_credit { /* a CREDIT that arrived */
    uint64_t now_ps;
    uint32_t first_pkt, pkts; /* what the receiver credited, of the message */
    uint32_t sequence;        /* weir_grant's, as the next */
    uint8_t class_id;
};

enum weir_control_kind { WEIR_CONTROL_KINDS = 16, WEIR_CONTROL_REQUEST = WEIR_CONTROL_KINDS };

/* A control packet of the protocol's own: opaque to the host, and lost like any packet. */
struct weir_own_pkt {
    uint64_t now_ps; /* when it arrived */
    void *peer;      /* to whom; arriving: from whom */
    /* The message it is about, of which only one is set; NULL = of none. Arriving: or of none that is under way. */
    void *tx, *rx;
    uint64_t value;      /* any number */
    uint32_t sequence;   /* likewise */
    uint32_t wire_bytes; /* 0 = as any control packet */
    uint8_t kind;        /* 0 .. WEIR_CONTROL_KINDS - 1; leaving also WEIR_CONTROL_REQUEST: the host announces tx */
    uint8_t class_id;    /* priority */
    bool ce;             /* arriving: marked by a switch */
};

struct weir_credit_sums {      /* where credit is, in bytes on the wire; for reports and --check */
    uint64_t bucket_bytes;     /* receiver: what it may have outstanding in all */
    int64_t outstanding_bytes; /* receiver: granted and not come back; may pass the bucket by unscheduled bytes */
    uint64_t held_bytes;       /* sender: granted to it and not spent yet */
    uint64_t surplus_bytes;    /* receiver: came back though it was not outstanding; 0 among honest hosts */
    int64_t most_bytes;        /* --check: outstanding may never be above; INT64_MAX = no such rule */
};
#endif
