/* src/core/credit.h - the events of a receiver-driven protocol, and its decisions: one state machine per host, both
 * halves. It is per host, not per flow, because it decides across senders and messages. It is polled (_next until
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

/* Bits of weir_data.flags. */
enum weir_data_flag {
    WEIR_DATA_CE = 1u << 0,      /* marked by a switch */
    WEIR_DATA_OWN = 1u << 1,     /* weir_send.own of its sender */
    WEIR_DATA_UNSCHED = 1u << 2, /* went without credit */
    WEIR_DATA_KNOWN = 1u << 3,   /* payload that was here before: a duplicate */
    WEIR_DATA_PAYLOAD = 1u << 4, /* a DATA packet; else a control packet: request, credit, done, abort, or of its own */
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
    /* The message it is about, of which only one is set; NULL = of none. Arriving: or of none that is under way. */
    void *tx, *rx;
    uint64_t value;      /* any number */
    uint32_t sequence;   /* likewise */
    uint32_t wire_bytes; /* 0 = as any control packet */
    uint8_t kind;        /* 0 .. WEIR_CONTROL_KINDS - 1; leaving also WEIR_CONTROL_REQUEST: the host announces tx */
    uint8_t class_id;    /* priority */
    bool ce;             /* arriving: marked by a switch */
};

/* The time at which the host announces a message by a REQUEST. */
enum weir_credit_request {
    WEIR_REQUEST_UNLESS_UNSCHED, /* at once, where nothing of it goes unscheduled */
    WEIR_REQUEST_ALWAYS,         /* at once */
    WEIR_REQUEST_LATER,          /* when the protocol decides: WEIR_CONTROL_REQUEST */
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
    /* Initialises a peer before the first packet from it or message to it. NULL = nothing to do */
    void (*peer_init)(const void *config, void *host, void *peer);
    /* Forgets a peer whose messages have all ended, with tx_done() and rx_done(). Credit given to it comes back, credit
     * held from it is gone; peer_init() follows. NULL = nothing to do */
    void (*peer_forget)(const void *config, void *host, void *peer);
    /* Judges a peer, every loss_ps() while messages with it are under way, or while the last call returned true. The
     * host then goes on to the peer's silent messages. NULL = nothing to judge. @return true = call again */
    bool (*peer_check)(const void *config, void *host, void *peer, uint64_t now_ps);

    /* control packets of its own; NULL = it has none */
    /* Handles one that has arrived; rx_packet() was called for it before. */
    void (*control)(const void *config, void *host, const struct weir_own_pkt *control);
    /* Writes the next one, which leaves ahead of DATA. Called while weir_credit_host.controls > 0, after any other
     * call; after tx_next(), tx_sent() and rx_next() only where there is a tx_next_ps(). */
    void (*control_next)(const void *config, void *host, struct weir_own_pkt *out);

    /* sender half */
    /* Begins a message, and sets unsched_pkts. */
    void (*tx_message)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* Handles a change of left_bytes and again_pkts: packets go again, or need not any more. */
    void (*tx_again)(const void *config, void *host, void *peer, void *tx);
    /* Handles a CREDIT. tx: the message that it is about; NULL = that is over, or aborted. tx_again() follows if
     * packets go again. */
    void (*tx_credit)(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
    /* Chooses the next packet of DATA. @return true = out's packet will be sent now; tx_sent() follows, when tx shows
     * what is left */
    bool (*tx_next)(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
    void (*tx_sent)(const void *config, void *host, void *peer, void *tx);
    /* Sets the classes of which tx_next() returns no packet from now on: the bits of class_mask. tx_resume() follows
     * for each peer with outbound messages, to which more or less may be sent than before. Both NULL = all DATA is of
     * data_class(): the host does not ask while that is paused. */
    void (*tx_pause)(const void *config, void *host, uint32_t class_mask);
    void (*tx_resume)(const void *config, void *host, void *peer);
    /* Tests whether tx_next() would return true. */
    bool (*tx_ready)(const void *host);
    /* Returns the next instant of this half's clock; WEIR_NEVER = none. It is called after any other call of this half.
     * NULL, as tx_time = the half has no clock */
    uint64_t (*tx_next_ps)(const void *config, const void *host);
    /* Handles that instant: may make packets or control packets ready. */
    void (*tx_time)(const void *config, void *host, uint64_t now_ps);
    /* Decides about a message of which nothing has come for two loss_ps(), doubled each time. @return true = the
     * REQUEST is sent again. NULL = true */
    bool (*tx_silent)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* Ends tx: the receiver has it all, or it was aborted at any time before. */
    void (*tx_done)(const void *config, void *host, void *peer, void *tx);

    /* receiver half */
    /* Begins a message, before its first rx_packet(). */
    void (*rx_message)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Handles every packet from a peer. rx: the message, its left_bytes up to date; NULL = of none that is arriving.
     * @return false = rx_next_ps() would answer as before */
    bool (*rx_packet)(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
    /* Handles a change of grant_wire_bytes to or from 0, other than by a grant: something was lost, or came after
     * all. */
    void (*rx_again)(const void *config, void *host, void *peer, void *rx);
    /* Returns the next instant of this half's clock: the earliest >= now at which credit may go, or anything else is
     * due, if nothing arrives; WEIR_NEVER = none. */
    uint64_t (*rx_next_ps)(const void *config, const void *host, uint64_t now_ps);
    /* Chooses the next credit; only at an instant that rx_next_ps() named, or later where nothing came in between.
     * @return true = out's credit will be sent, rx_granted() follows, when rx shows what is left; false = none, and
     * rx_next_ps() names a later instant. With false out->rx may be set: what is due of that message counts as lost, as
     * after rx_silent(), and rx_again() follows if there is any */
    bool (*rx_next)(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
    void (*rx_granted)(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
    /* Decides about a message of which nothing has come for loss_ps(), and which is not all here. @return true = what
     * was unscheduled or credited and is not here is to be credited again, and rx_again() follows if there is any;
     * false = it may still come. NULL = true */
    bool (*rx_silent)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Ends rx: it is all here (with grants_all: and all credited), or its sender aborted it at any time before. */
    void (*rx_done)(const void *config, void *host, void *peer, void *rx);

    uint8_t (*control_class)(const void *config); /* of request, credit and done */
    uint8_t (*data_class)(const void *config);    /* of DATA that was granted credit */
    /* Returns the least number of classes that ports must have; fewer are refused before the run. NULL = any will do */
    uint8_t (*classes)(const void *config);
    uint64_t (*loss_ps)(const void *config); /* how long silence lasts before it is reported; 0 = never */
    void (*sums)(const void *config, const void *host, struct weir_credit_sums *out); /* NULL = it counts none */
};
#endif
