/* src/base/core/credit_ops.h - a receiver-driven protocol as one row: its functions, and what the host must know of it.
 * The records that they are given: core/credit.h. */
#ifndef WEIR_CORE_CREDIT_OPS_H
#define WEIR_CORE_CREDIT_OPS_H
#include "core/credit.h"
#include "core/data.h"
#include "core/need.h"

/* The time at which the host announces a message by a REQUEST. */
enum weir_credit_request {
    WEIR_REQUEST_UNLESS_UNSCHED, /* at once, where nothing of it goes unscheduled */
    WEIR_REQUEST_ALWAYS,         /* at once */
    WEIR_REQUEST_LATER,          /* when the protocol decides: WEIR_CONTROL_REQUEST */
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
