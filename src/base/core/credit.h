/* src/base/core/credit.h - the events of a receiver-driven protocol, and its decisions.
 * A protocol is one state machine per host, for its sender half and its receiver half. It is per host, not per flow,
 * because it decides across senders and messages. The host polls it (the functions *_next, until they return false). So
 * a protocol calls no function of the host, and the host decides on bursts and on room in the NIC.
 *
 * Ownership. The host owns messages, packets, reassembly, duplicates, and a timer per peer. The protocol decides who
 * gets credit, who sends, and with which priority. Its states are in memory that the host provides, zeroed, and never
 * moves. There is one struct per host, one per other host (peer), one per outbound and one per inbound message. The
 * struct per host begins with struct weir_credit_host. The structs per message begin with the host's part, struct
 * weir_tx_msg or struct weir_rx_msg: the protocol only reads that, unless a field's comment allows more. Pointers may
 * link states, but must not order them: ties are broken by the field `order`.
 *
 * Work of the host alone. It announces a message (REQUEST), or the first packet of the message does. It notifies the
 * sender that a message has arrived (DONE). It sends a packet that was credited again before new ones. It reports
 * messages and peers that are silent (tx_silent(), rx_silent(), peer_check()): the protocol decides what follows. All
 * other information of a protocol is in the numbers that it adds to CREDIT and DATA, and in its own control packets. */
#ifndef WEIR_CORE_CREDIT_H
#define WEIR_CORE_CREDIT_H
#include "core/host_params.h"
#include "core/path.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_credit_ops; /* core/credit_ops.h */

/* Most unscheduled packets of a message. Also the most packets from the first one that the receiver misses to the last
 * one that is credited. */
#define WEIR_CREDIT_WINDOW_PKTS 8192u

struct weir_limits {       /* the network as a host sees it, passed to init(); lent for the run */
    struct weir_path path; /* rate, base round trip, BDP, MSS */
    struct weir_framing framing;
    uint64_t ps_per_kbyte; /* transmission time of 1000 wire bytes on the host's link, rounded up */
    uint32_t self;         /* this host's number */
    uint64_t seed;
};

struct weir_credit_host { /* first member of the protocol's struct per host */
    uint32_t controls;    /* written by the protocol: number of control packets that wait for control_next() */
};

struct weir_tx_msg {          /* an outbound message; first member of the protocol's struct per message */
    uint64_t left_bytes;      /* payload not sent yet, or to be retransmitted */
    uint32_t pkts, next;      /* pkts: packets of the message, 1 ..; next: index of the first packet not sent yet */
    uint32_t again_pkts;      /* packets to be retransmitted; they leave before packet `next` */
    uint32_t next_wire_bytes; /* wire bytes of the packet that leaves next; 0 = nothing left to send */
    /* Written by the protocol in tx_message(): number of packets, from the first on, that need no credit. 0 = all
     * packets need credit. <= pkts, <= WEIR_CREDIT_WINDOW_PKTS */
    uint32_t unsched_pkts;
    uint32_t order; /* number of the message among the outbound ones of this host, from 0, modulo 2^32 */
};

struct weir_rx_msg {             /* an inbound message; first member of the protocol's struct per message */
    uint64_t left_bytes;         /* payload that has not arrived yet */
    uint64_t ungranted_bytes;    /* payload that needs credit: neither unscheduled nor credited yet, or to be
                                    credited again */
    uint32_t pkts;               /* packets of the message */
    uint32_t unsched_pkts;       /* unscheduled packets, as the sender announced */
    uint32_t unsched_wire_bytes; /* wire bytes of the unscheduled packets */
    uint32_t grant_wire_bytes;   /* wire bytes of the packet that is credited next; 0 = nothing to credit now */
    uint32_t order;              /* number of the message among the inbound ones of this host, from 0, modulo 2^32 */
    uint32_t cum, granted;       /* cum: all packets below have arrived; granted: all packets below are unscheduled
                                    or were credited */
};

struct weir_send { /* the answer of tx_next(): send the next packet of message tx */
    void *peer, *tx;
    uint32_t sequence; /* a number for the receiver half, carried by the packet */
    uint8_t class_id;
    bool own; /* a bit for the receiver half, carried by the packet */
};

/* The answer of rx_next(): credit for packets of one message, sent in a CREDIT. The host chooses the packets: the next
 * consecutive packets that must be credited again, or, if there are none, the next packets that were not credited
 * yet. */
struct weir_grant {
    void *peer, *rx;
    uint32_t pkts;       /* most packets to credit, 1 ..; in rx_granted(): packets that were credited */
    uint32_t first_pkt;  /* written by the host: index of the first packet */
    uint32_t wire_bytes; /* written by the host: wire bytes of the packets */
    uint32_t sequence;   /* a number for the sender half, carried by the CREDIT */
    uint8_t class_id;    /* class of the DATA that answers; the class of the CREDIT itself is control_class() */
    bool again;          /* written by the host: the packets were found lost and are credited again */
};

struct weir_credit { /* a CREDIT that arrived */
    uint64_t now_ps;
    uint32_t first_pkt, pkts; /* packets [first_pkt, first_pkt + pkts) of the message are credited */
    uint32_t sequence;        /* sequence and class_id: as in the receiver's struct weir_grant */
    uint8_t class_id;
};

enum weir_control_kind { WEIR_CONTROL_KINDS = 16, WEIR_CONTROL_REQUEST = WEIR_CONTROL_KINDS };

/* A control packet of the protocol's own. The host does not interpret it; it may be lost like any packet. */
struct weir_own_pkt {
    uint64_t now_ps; /* when it arrived */
    void *peer;      /* destination; of an arriving packet: source */
    /* The message that the packet is about: tx if this host sends the message, rx if it receives it. Both NULL = about
     * no message. In an arriving packet both NULL also means that the message is unknown or has ended. */
    void *tx, *rx;
    uint64_t value;      /* a number of the protocol's own, carried by the packet */
    uint32_t sequence;   /* a second number of the protocol's own */
    uint32_t wire_bytes; /* size on the wire; 0 = that of other control packets */
    /* 0 .. WEIR_CONTROL_KINDS - 1, a number of the protocol's own. control_next() may also return WEIR_CONTROL_REQUEST:
     * the host then announces message tx */
    uint8_t kind;
    uint8_t class_id; /* priority */
    bool ce;          /* of an arriving packet: marked by a switch */
};

struct weir_credit_sums {      /* credit of one host, in wire bytes; for reports and --check */
    uint64_t bucket_bytes;     /* receiver: bound of its outstanding credit */
    int64_t outstanding_bytes; /* receiver: credit given and not returned; unscheduled bytes may raise it above the
                                  bucket */
    uint64_t held_bytes;       /* sender: credit received and not used yet */
    uint64_t surplus_bytes;    /* receiver: credit returned in excess of the outstanding credit; 0 if all hosts are
                                  honest */
    int64_t most_bytes;        /* --check: bound of outstanding_bytes; INT64_MAX = none */
};
#endif
