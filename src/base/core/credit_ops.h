/* src/base/core/credit_ops.h - the ops table of a receiver-driven protocol: its functions, and the facts about the
 * protocol that the host needs. The structs of their arguments are in core/credit.h. */
#ifndef WEIR_CORE_CREDIT_OPS_H
#define WEIR_CORE_CREDIT_OPS_H
#include "core/credit.h"
#include "core/data.h"
#include "core/head.h"
#include "core/need.h"

/* The time at which the host announces a message by a REQUEST. */
enum weir_credit_request {
    WEIR_REQUEST_UNLESS_UNSCHED, /* at once, if the message has no unscheduled packets */
    WEIR_REQUEST_ALWAYS,         /* at once, always */
    WEIR_REQUEST_LATER,          /* when control_next() returns kind WEIR_CONTROL_REQUEST */
};

/* A receiver-driven protocol: one row per protocol. The first argument is the config; then follow the states that the
 * call is about: of the host, a peer, a message. A function may be NULL only if its comment says what NULL means. */
struct weir_credit_ops {
    const char *name;
    uint32_t needs;                                      /* enum weir_need; set-up refuses the run if one is not met */
    uint32_t host_bytes, peer_bytes, tx_bytes, rx_bytes; /* sizes of the states per host, peer, outbound and inbound
                                                            message */
    enum weir_credit_request request;
    bool grants_all;       /* an inbound message ends only when all its bytes have arrived and were credited */
    uint32_t credit_kinds; /* bit k: a lost CONTROL of kind k is counted as lost credit */
    /* A CREDIT replaces earlier CREDITs to the same peer, except those with `again` set */
    bool credit_supersedes;
    void (*init)(const void *config, void *host, const struct weir_limits *limits);
    /* Initialises a peer, before the first packet from the peer or message to it. NULL = nothing to do */
    void (*peer_init)(const void *config, void *host, void *peer);
    /* Forgets a peer. All messages with it have ended by tx_done() and rx_done(). Credit given to the peer counts as
     * returned; credit received from it is void. peer_init() follows. NULL = nothing to do */
    void (*peer_forget)(const void *config, void *host, void *peer);
    /* Checks a peer. Called every loss_ps() while there are messages with the peer, or while the last call returned
     * true. After the call the host checks the peer's silent messages. NULL = nothing to check. @return true = the host
     * must call again after loss_ps() */
    bool (*peer_check)(const void *config, void *host, void *peer, uint64_t now_ps);

    /* Control packets of the protocol's own; both NULL = there are none. */
    /* Handles a control packet that arrived. The host has called rx_packet() for the same packet before. */
    void (*control)(const void *config, void *host, const struct weir_own_pkt *control);
    /* Writes the next control packet to *out; the host sends it before DATA. Called while weir_credit_host.controls >
     * 0, after each call of another function. Only if tx_next_ps is set, it is also called after tx_next(), tx_sent()
     * and rx_next(). */
    void (*control_next)(const void *config, void *host, struct weir_own_pkt *out);

    /* Replies; both NULL = the protocol does not distinguish them. Each is called right before tx_message() or
     * rx_message(), and may write to tx or rx, which is zeroed but for the host's part. Not called in a world whose
     * messages have no heads. A protocol with rx_reply may change the result of tx_next_ps() in rx_done(). */
    void (*tx_reply)(const void *config, void *tx, enum weir_reply reply);
    void (*rx_reply)(const void *config, void *rx, enum weir_reply reply);

    /* sender half */
    /* Begins an outbound message, and sets weir_tx_msg.unsched_pkts. */
    void (*tx_message)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* Sets how urgent an outbound message is among those to its peer: 0 .. 7. 0 is the most urgent, and what a message
     * begins with. Called after tx_message(). NULL = messages have no priority */
    void (*tx_priority)(const void *config, void *host, void *peer, void *tx, uint32_t priority);
    /* Handles a CREDIT that names packets to send again, after the host has updated left_bytes and again_pkts: packets
     * must be retransmitted, or retransmissions were cancelled. */
    void (*tx_again)(const void *config, void *host, void *peer, void *tx);
    /* Handles a CREDIT. tx: the message that is credited; NULL = the message has ended or was aborted. tx_again()
     * follows if the CREDIT names packets to send again. */
    void (*tx_credit)(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
    /* Chooses the next DATA packet and writes *out. @return true = the host sends that packet now, updates tx, and
     * calls tx_sent(); false = none may be sent */
    bool (*tx_next)(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
    void (*tx_sent)(const void *config, void *host, void *peer, void *tx);
    /* Sets the paused classes, bits of class_mask: tx_next() must return no packet of these. tx_resume() follows for
     * each peer with outbound messages, because more or less may be sent to it than before. Both NULL = all DATA is of
     * data_class(), and the host does not call tx_next() while that class is paused. */
    void (*tx_pause)(const void *config, void *host, uint32_t class_mask);
    void (*tx_resume)(const void *config, void *host, void *peer);
    /* Tests whether tx_next() would return true. */
    bool (*tx_ready)(const void *host);
    /* Returns the time of the next tx_time() call; WEIR_NEVER = none. Called after any other function of the sender
     * half. tx_next_ps and tx_time NULL = the sender half has no timed actions */
    uint64_t (*tx_next_ps)(const void *config, const void *host);
    /* Handles the time that tx_next_ps() returned; may make DATA or control packets ready. */
    void (*tx_time)(const void *config, void *host, uint64_t now_ps);
    /* Decides about a message for which no CREDIT came and of which no DATA left for 2 * loss_ps(). This time doubles
     * with each repetition, up to a limit. @return true = the host sends REQUEST again. NULL = always true */
    bool (*tx_silent)(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
    /* Ends tx: the receiver has the whole message, or the message was aborted. */
    void (*tx_done)(const void *config, void *host, void *peer, void *tx);

    /* receiver half */
    /* Begins an inbound message, before its first rx_packet(). */
    void (*rx_message)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Handles a packet from a peer; called for every packet that the host does not refuse. rx: the message of a DATA or
     * REQUEST packet, with left_bytes updated; NULL = a packet of another kind, or the message has ended. @return false
     * = the result of rx_next_ps() has not changed; the host ignores the result for DATA and REQUEST */
    bool (*rx_packet)(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
    /* Handles a change of grant_wire_bytes to or from 0 that is not due to a grant: packets were found lost, or
     * arrived. */
    void (*rx_again)(const void *config, void *host, void *peer, void *rx);
    /* Handles the loss of `pkts` packets of rx: they have not arrived although much later ones have. They are credited
     * again, and nothing returns the credit that they had. Called before rx_packet() of the packet that arrived;
     * rx_again() may be called between them. NULL = missing packets wait for rx_silent() */
    void (*rx_lost)(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps);
    /* Returns the time of the next rx_next() call if no packet arrives before: the earliest time >= now_ps at which
     * credit may be sent or the receiver half must act otherwise. WEIR_NEVER = none. */
    uint64_t (*rx_next_ps)(const void *config, const void *host, uint64_t now_ps);
    /* Chooses the next credit and writes *out. Called when the time that rx_next_ps() returned has come. @return true =
     * the host sends the credit, updates rx and calls rx_granted(); false = no credit now, and rx_next_ps() must then
     * return a later time. With false, out->peer and out->rx may name a message: its outstanding packets then count as
     * lost, and rx_again() follows if there are any */
    bool (*rx_next)(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
    void (*rx_granted)(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
    /* Decides about an incomplete message of which no packet arrived for loss_ps(). @return true = packets that were
     * unscheduled or credited and have not arrived count as lost and must be credited again; rx_again() follows if
     * there are any. false = they may still arrive. NULL = always true */
    bool (*rx_silent)(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
    /* Ends rx: the whole message has arrived (with grants_all: and was credited), or its sender aborted it. */
    void (*rx_done)(const void *config, void *host, void *peer, void *rx);

    /* Adapts the credit of the host to a measured BDP, then the share of each peer: host.h, weir_host_config.adaptive.
     * Sizes that the configuration fixes in bytes remain. Credit is no longer paced at the rate of the path. adapt() is
     * first called after init(), with the BDP of the path. Both NULL = credit does not depend on the BDP, or cannot
     * change */
    void (*adapt)(const void *config, void *host, uint64_t bdp_bytes);
    void (*peer_adapt)(const void *config, void *host, void *peer);

    uint8_t (*control_class)(const void *config); /* class of REQUEST, CREDIT and DONE */
    uint8_t (*data_class)(const void *config);    /* class of DATA that was sent with credit */
    /* Returns the least number of classes that ports must have; set-up refuses a run with fewer. NULL = no
     * requirement */
    uint8_t (*classes)(const void *config);
    uint64_t (*loss_ps)(const void *config); /* time without packets after which the host checks a message or peer; 0
                                                = never */
    void (*sums)(const void *config, const void *host, struct weir_credit_sums *out); /* reports the credit of a
                                                                                         host; NULL = not counted */
};
#endif
