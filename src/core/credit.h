/* src/core/credit.h - the events and questions of a receiver-driven protocol: one machine per host, both halves.
 * Per host, not per flow, because the decision is across senders and messages. Polled (_next until false), so that a
 * core never calls out and the host chooses burst and NIC room.
 *
 * Who keeps what. The host keeps messages, packets, reassembly, duplicates, timers. The protocol decides who is
 * granted credit, who sends, and with which priority. Its state is in memory that the host provides, zeroed, and
 * never moves: one struct per host, one per other host (peer), one per outbound and one per inbound message. The last
 * two begin with the host's half, struct weir_tx_msg and struct weir_rx_msg, which the protocol only reads unless a
 * field allows more. Pointers may link states (they never order them: ties are broken by `order`, which counts).
 *
 * Credit is counted in bytes on the wire, headers and gap included. Each control packet about it carries a running
 * total per pair of hosts (modulo 2^32): the next one corrects a lost or doubled one. */
#ifndef WEIR_CORE_CREDIT_H
#define WEIR_CORE_CREDIT_H
#include "core/cc.h"
#include "core/host_params.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most packets of a message that may go unscheduled, and most between the first one missing at the receiver and the last
 * one credited. */
#define WEIR_CREDIT_WINDOW_PKTS 8192u

struct weir_limits {       /* the network of a host, passed once; lent for the run */
    struct weir_path path; /* rate, base round trip, BDP, MSS */
    struct weir_framing framing;
    uint64_t ps_per_kbyte; /* of the host's link: picoseconds that 1000 bytes on the wire take, rounded up */
    uint32_t self;         /* this host's number */
    uint64_t seed;
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
};

enum weir_data_flag {                              /* of what arrived: weir_data.flags */
                      WEIR_DATA_CE = 1u << 0,      /* marked by a switch */
                      WEIR_DATA_CSN = 1u << 1,     /* its sender holds too much unused credit */
                      WEIR_DATA_UNSCHED = 1u << 2, /* went without credit */
                      WEIR_DATA_KNOWN = 1u << 3,   /* payload that was here before: a duplicate */
                      WEIR_DATA_PAYLOAD =
                          1u << 4, /* a DATA packet; else a control packet: request, credit, done, state, abort */
                      WEIR_DATA_STATE = 1u << 5, /* a control packet that carries spent_total */
};

struct weir_data { /* any packet that arrived from a peer, for the receiver half */
    uint64_t now_ps;
    const struct weir_int_hop *hop; /* hop_count records that switches wrote into DATA, in order; lent for this call */
    uint32_t wire_bytes;
    uint32_t payload_bytes; /* new ones: 0 if KNOWN */
    uint32_t spent_total;   /* DATA and STATE: total of credit spent towards us, with this packet */
    uint32_t flags;         /* enum weir_data_flag */
    uint32_t src;           /* the host it is from */
    uint32_t tenant;        /* of its message: weir_rx_event.head of a sender-driven law */
    uint32_t hop_count;
};

struct weir_credit {        /* a CREDIT that arrived, or one to be sent */
    uint32_t granted_total; /* all that was ever granted to this peer */
    uint8_t class_id;
};

struct weir_send { /* tx_next()'s answer: one DATA packet of tx, the one that is next */
    void *peer, *tx;
    uint32_t spent_total;
    uint8_t class_id;
    bool csn;
};

struct weir_grant { /* rx_next()'s answer: credit for the next packet of rx */
    void *peer, *rx;
    struct weir_credit credit;
};

struct weir_credit_sums {      /* where credit is, in bytes on the wire; for reports and --check */
    uint64_t bucket_bytes;     /* receiver: what it may have outstanding in all */
    int64_t outstanding_bytes; /* receiver: granted and not come back; may pass the bucket by unscheduled bytes */
    uint64_t held_bytes;       /* sender: granted to it and not spent yet */
    uint64_t surplus_bytes;    /* receiver: came back though it was not outstanding; 0 among honest hosts */
    int64_t most_bytes;        /* --check: outstanding may never be above; INT64_MAX = no such rule */
};

/* One row per protocol. The config comes first, then the states concerned. */
struct weir_credit_ops {
    const char *name;
    uint32_t needs;                                      /* WEIR_NEED_ECN ..: refused before the run if missing */
    uint32_t host_bytes, peer_bytes, tx_bytes, rx_bytes; /* sizes of the four states */
    void (*init)(const void *config, void *host, const struct weir_limits *limits);
    /* before the first packet from it or message to it */
    void (*peer_init)(const void *config, void *host, void *peer);
    /* All business with it is over: its messages have ended with tx_done() and rx_done(). Credit given to it comes back,
     * credit held from it is gone; peer_init() follows. */
    void (*peer_forget)(const void *config, void *host, void *peer);

    /* sender half */
    /* A new message; sets unsched_pkts. */
    void (*tx_message)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* left_bytes and again_pkts changed: packets go again, or need not any more. */
    void (*tx_again)(const void *config, void *host, void *peer, void *tx);
    void (*tx_credit)(const void *config, void *host, void *peer, const struct weir_credit *credit);
    /* @return true = out's packet will be sent now; tx_sent() follows, when tx shows what is left */
    bool (*tx_next)(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
    void (*tx_sent)(const void *config, void *host, void *peer, void *tx);
    /* From now on tx_next() returns no packet whose class is a bit of class_mask. tx_resume() follows for each peer with
     * outbound messages, to which more or less may be sent than before. */
    void (*tx_pause)(const void *config, void *host, uint32_t class_mask);
    void (*tx_resume)(const void *config, void *host, void *peer);
    /* True if tx_next() would return true. */
    bool (*tx_ready)(const void *host);
    /* The receiver has it all, or it was aborted at any time before; tx ends with this. Credit that came for it is
     * good for other messages to this peer. */
    void (*tx_done)(const void *config, void *host, void *peer, void *tx);
    /* What is held for this peer and cannot be used is released. @return spent_total afterwards */
    uint32_t (*tx_settle)(const void *config, void *host, void *peer);

    /* receiver half */
    /* A new message; before its first rx_packet(). */
    void (*rx_message)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Every packet from a peer. rx: the message, its left_bytes up to date; NULL = of none that is arriving.
     * @return false = next_ps() would answer as before */
    bool (*rx_packet)(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
    /* grant_wire_bytes became 0 or ceased to be, other than by a grant: something was lost, or came after all. */
    void (*rx_again)(const void *config, void *host, void *peer, void *rx);
    /* Only at an instant that next_ps() named, or later where nothing came in between: out's credit will be sent; rx_granted() follows, when
     * rx shows what is left. */
    void (*rx_next)(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
    void (*rx_granted)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Earliest instant >= now at which credit may go if nothing arrives; WEIR_NEVER = none. */
    uint64_t (*next_ps)(const void *config, const void *host, uint64_t now_ps);
    /* All here and all granted, or its sender cancelled it at any time before; rx ends with this. What was granted and has
     * not come back stays outstanding until rx_settle() finds it, what was not granted never will be. */
    void (*rx_done)(const void *config, void *host, void *peer, void *rx);
    /* Once per loss_ps for a peer that was given credit: what was in flight at the last call and has not come is
     * lost, its credit comes back. @return credit outstanding towards this peer */
    int64_t (*rx_settle)(const void *config, void *host, void *peer);
    uint32_t (*rx_granted_total)(const void *host, const void *peer);

    uint8_t (*control_class)(const void *config); /* of request, credit and done */
    uint8_t (*data_class)(const void *config);    /* of DATA that was granted credit */
    uint64_t (*loss_ps)(const void *config);      /* how long silence lasts before recovery; 0 = no recovery */
    void (*sums)(const void *config, const void *host, struct weir_credit_sums *out);
};
#endif
