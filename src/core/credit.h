/* src/core/credit.h - the events and questions of a receiver-driven protocol: one machine per host, both halves. Per
 * host, not per flow, because the decision is across senders and messages. Polled (_next until false), so that a core
 * never calls out and the host chooses burst and NIC room.
 *
 * Who keeps what. The host keeps messages, packets, reassembly, duplicates, and a timer per peer. The protocol decides
 * who is granted credit, who sends, and with which priority. Its state is in memory that the host provides, zeroed, and
 * never moves: one struct per host, one per other host (peer), one per outbound and one per inbound message. The first
 * begins with struct weir_credit_host. The last two begin with the host's half, struct weir_tx_msg and struct
 * weir_rx_msg, which the protocol only reads unless a field allows more. Pointers may link states (they never order
 * them: ties are broken by `order`, which counts).
 *
 * What the host does by itself. It announces a message (REQUEST), or its first packet does. It reports to the sender
 * that a message has arrived (DONE). It sends a packet that was granted again before new ones. What is silent it
 * reports (tx_silent(), rx_silent(), peer_check()): the protocol decides what follows. Everything else that a protocol
 * has to say goes into the numbers that it adds to CREDIT and DATA, and into control packets of its own. */
#ifndef WEIR_CORE_CREDIT_H
#define WEIR_CORE_CREDIT_H
#include "core/cc.h"
#include "core/host_params.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum weir_data_flag {                              /* of what arrived: weir_data.flags */
                      WEIR_DATA_CE = 1u << 0,      /* marked by a switch */
                      WEIR_DATA_OWN = 1u << 1,     /* weir_send.own of its sender */
                      WEIR_DATA_UNSCHED = 1u << 2, /* went without credit */
                      WEIR_DATA_KNOWN = 1u << 3,   /* payload that was here before: a duplicate */
                      WEIR_DATA_PAYLOAD =
                          1u
                          << 4, /* a DATA packet; else a control packet: request, credit, done, abort, or of its own */
};

struct weir_data { /* any packet that arrived from a peer, for the receiver half */
    uint64_t now_ps;
    const struct weir_int_hop *hop; /* hop_count records that switches wrote into DATA, in order; lent for this call */
    uint32_t wire_bytes;
    uint32_t payload_bytes; /* new ones: 0 if KNOWN */
    uint32_t sequence;      /* DATA: weir_send.sequence */
    uint32_t flags;         /* enum weir_data_flag */
    uint32_t src;           /* the host it is from */
    uint32_t tenant;        /* of its message: weir_rx_event.head of a sender-driven law */
    uint32_t hop_count;
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
    void *tx,
        *rx; /* the message it is about, of which only one is set; NULL = of none. Arriving: or of none that is under way */
    uint64_t value;      /* any number */
    uint32_t sequence;   /* likewise */
    uint32_t wire_bytes; /* 0 = as any control packet */
    uint8_t kind;        /* 0 .. WEIR_CONTROL_KINDS - 1; leaving also WEIR_CONTROL_REQUEST: the host announces tx */
    uint8_t class_id;    /* priority */
    bool ce;             /* arriving: marked by a switch */
};

enum weir_credit_request {                              /* when the host announces a message by a REQUEST */
                           WEIR_REQUEST_UNLESS_UNSCHED, /* at once, where nothing of it goes unscheduled */
                           WEIR_REQUEST_ALWAYS,         /* at once */
                           WEIR_REQUEST_LATER,          /* when the protocol says so: WEIR_CONTROL_REQUEST */
};

struct weir_credit_sums {      /* where credit is, in bytes on the wire; for reports and --check */
    uint64_t bucket_bytes;     /* receiver: what it may have outstanding in all */
    int64_t outstanding_bytes; /* receiver: granted and not come back; may pass the bucket by unscheduled bytes */
    uint64_t held_bytes;       /* sender: granted to it and not spent yet */
    uint64_t surplus_bytes;    /* receiver: came back though it was not outstanding; 0 among honest hosts */
    int64_t most_bytes;        /* --check: outstanding may never be above; INT64_MAX = no such rule */
};

/* One row per protocol. The config comes first, then the states concerned. NULL = does not care, where the comment says
 * what happens then; the others must be there. */
struct weir_credit_ops {
    const char *name;
    uint32_t needs;                                      /* WEIR_NEED_ECN ..: refused before the run if missing */
    uint32_t host_bytes, peer_bytes, tx_bytes, rx_bytes; /* sizes of the four states */
    enum weir_credit_request request;
    bool grants_all;        /* a message that has arrived is under way until all of it was credited as well */
    uint32_t credit_kinds;  /* bit k: CONTROL of kind k is credit; where one is lost, it is counted so */
    bool credit_supersedes; /* a CREDIT makes those before to the same peer superfluous, unless they are `again` */
    void (*init)(const void *config, void *host, const struct weir_limits *limits);
    /* before the first packet from it or message to it; NULL = nothing to do */
    void (*peer_init)(const void *config, void *host, void *peer);
    /* All business with it is over: its messages have ended with tx_done() and rx_done(). Credit given to it comes
     * back, credit held from it is gone; peer_init() follows. NULL = nothing to do */
    void (*peer_forget)(const void *config, void *host, void *peer);
    /* Every loss_ps() while messages with it are under way, or while the last call returned true. After the protocol's
     * judgement of the peer the host goes on to its silent messages. NULL = nothing to judge. @return true = call
     * again */
    bool (*peer_check)(const void *config, void *host, void *peer, uint64_t now_ps);

    /* control packets of its own; NULL = it has none */
    /* One arrived; rx_packet() was called for it before. */
    void (*control)(const void *config, void *host, const struct weir_own_pkt *control);
    /* Called while weir_credit_host.controls > 0, after any other call: the next one, which leaves ahead of DATA. After
     * tx_next(), tx_sent() and rx_next() only where there is a tx_next_ps(). */
    void (*control_next)(const void *config, void *host, struct weir_own_pkt *out);

    /* sender half */
    /* A new message; sets unsched_pkts. */
    void (*tx_message)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* left_bytes and again_pkts changed: packets go again, or need not any more. */
    void (*tx_again)(const void *config, void *host, void *peer, void *tx);
    /* tx: the message that it is about; NULL = that is over, or cancelled. tx_again() follows if packets go again. */
    void (*tx_credit)(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
    /* @return true = out's packet will be sent now; tx_sent() follows, when tx shows what is left */
    bool (*tx_next)(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
    void (*tx_sent)(const void *config, void *host, void *peer, void *tx);
    /* From now on tx_next() returns no packet whose class is a bit of class_mask. tx_resume() follows for each peer
     * with outbound messages, to which more or less may be sent than before. Both NULL = all DATA is of data_class():
     * the host does not ask while that is paused. */
    void (*tx_pause)(const void *config, void *host, uint32_t class_mask);
    void (*tx_resume)(const void *config, void *host, void *peer);
    /* True if tx_next() would return true. */
    bool (*tx_ready)(const void *host);
    /* The clock of this half: tx_time() is called at the instant that tx_next_ps() named after any other call of this
     * half. WEIR_NEVER = none. It may make packets or control packets ready. Both NULL = it has no clock. */
    uint64_t (*tx_next_ps)(const void *config, const void *host);
    void (*tx_time)(const void *config, void *host, uint64_t now_ps);
    /* Nothing about tx has come for two loss_ps(), doubled each time. @return true = the REQUEST is sent again. NULL =
     * true */
    bool (*tx_silent)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* The receiver has it all, or it was aborted at any time before; tx ends with this. */
    void (*tx_done)(const void *config, void *host, void *peer, void *tx);

    /* receiver half */
    /* A new message; before its first rx_packet(). */
    void (*rx_message)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Every packet from a peer. rx: the message, its left_bytes up to date; NULL = of none that is arriving.
     * @return false = rx_next_ps() would answer as before */
    bool (*rx_packet)(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
    /* grant_wire_bytes became 0 or ceased to be, other than by a grant: something was lost, or came after all. */
    void (*rx_again)(const void *config, void *host, void *peer, void *rx);
    /* The clock of this half: earliest instant >= now at which credit may go, or anything else is due, if nothing
     * arrives; WEIR_NEVER = none. */
    uint64_t (*rx_next_ps)(const void *config, const void *host, uint64_t now_ps);
    /* Only at an instant that rx_next_ps() named, or later where nothing came in between. @return true = out's credit
     * will be sent, rx_granted() follows, when rx shows what is left; false = none, and rx_next_ps() names a later
     * instant. With false out->rx may be set: what is due of that message counts as lost, as after rx_silent(), and
     * rx_again() follows if there is any */
    bool (*rx_next)(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
    void (*rx_granted)(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
    /* Nothing of rx has come for loss_ps(), and it is not all here. @return true = what was unscheduled or credited and
     * is not here is to be credited again, and rx_again() follows if there is any; false = it may still come. NULL =
     * true */
    bool (*rx_silent)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* All here (with grants_all: and all credited), or its sender cancelled it at any time before; rx ends with
     * this. */
    void (*rx_done)(const void *config, void *host, void *peer, void *rx);

    uint8_t (*control_class)(const void *config); /* of request, credit and done */
    uint8_t (*data_class)(const void *config);    /* of DATA that was granted credit */
    uint8_t (*classes)(
        const void *config); /* least that ports must have; fewer are refused before the run. NULL = any do */
    uint64_t (*loss_ps)(const void *config); /* how long silence lasts before it is reported; 0 = never */
    void (*sums)(const void *config, const void *host, struct weir_credit_sums *out); /* NULL = it counts none */
};
#endif
