/* src/algorithms/proto/expresspass/expresspass.h - ExpressPass: each credit allows one data packet. A receiver sends
 * credit for each message at a rate, which follows the share of that credit that switches drop.
 * Source: Cho, Jang and Han, "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017. Rules
 * that it leaves open are taken from the ns-2 program of SIRD's evaluation (NSDI 2025). Switches and hosts limit the
 * rate of credit by features/credit_gate.
 * Departs from paper and program:
 * - All connections between two hosts take one path.
 * - DATA returns 12 bits of the number of its credit, and 20 bits of the time at which that credit left.
 * - Lost data is found by silence, and granted by name: a CREDIT packet of the host (struct weir_grant) names the
 *   packets. The sources send everything from the first missing packet on.
 * - A receiver stops sending credit when a message is complete, or after a silence, not only at a STOP.
 * - With wait_reply connections are counted, not distinguished: a reply frees one of those that wait for a reply. */
#ifndef WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_H
#define WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_H
#include "core/credit.h"
#include "core/err.h"
#include "core/head.h"
#include "core/pairing.h"
#include "core/param.h"

#define WEIR_EXPRESSPASS_CONNECTIONS_MAX 64u
#define WEIR_EXPRESSPASS_SEQ_BITS 12u  /* bits of a credit's number in DATA; the other 20 of 32 are its time */
#define WEIR_EXPRESSPASS_TIME_BITS 20u /* in units of 2^time_shift ps */

struct weir_expresspass_config { /* one per run, read-only once weir_expresspass_check() has accepted it */
    uint32_t alpha_ppm;          /* first rate of a message, as a share of rate_max; 1 .. 1000000 */
    uint32_t w_init_ppm, w_min_ppm, w_max_ppm, w_step_ppm;
    uint32_t target_ppm;                         /* share of credit that may be lost at a rate near 0; 0 .. 1000000 */
    uint32_t jitter_ppm;                         /* random change of the time between credits, + or -; 0 .. 900000 */
    uint32_t rtt_gain_ppm;                       /* weight of a sample in the smoothed round trip; 1 .. 1000000 */
    uint32_t credit_min_bytes, credit_max_bytes; /* bounds of a credit's size on the wire */
    uint32_t short_pkts;                         /* shorter messages begin slower, in proportion; 0 = none does */
    uint32_t connections;                        /* connections per pair of hosts and direction; 0 = unlimited */
    uint32_t early_stop;                         /* 1: a sender stops when the credit under way is enough */
    uint32_t wait_reply;                         /* 1: a connection is busy until its message has been replied to */
    uint64_t request_ps, idle_ps;                /* timeouts: repeat a request; silence of a message, 0 = never */
};

enum weir_expresspass_control { WEIR_EXPRESSPASS_CREDIT, WEIR_EXPRESSPASS_STOP };

/* States of an outbound message and its connection. */
enum weir_expresspass_state {
    WEIR_EXPRESSPASS_WAITING, /* waits for a connection */
    WEIR_EXPRESSPASS_REQUEST_SENT,
    WEIR_EXPRESSPASS_RECEIVING, /* receives credit */
    WEIR_EXPRESSPASS_STOP_SENT,
    WEIR_EXPRESSPASS_CLOSE_WAIT,
    WEIR_EXPRESSPASS_CLOSED, /* the connection stays busy until the message has ended */
};

struct weir_expresspass_peer {
    struct weir_pairing waiting;      /* messages that wait for a connection, by order */
    struct weir_pairing_node opening; /* in the host's `opening` while messages wait and a connection will be free */
    uint32_t number;                  /* number of this peer, in order of peer_init() calls */
    uint32_t busy;                    /* connections in use or closing */
    uint32_t closing;                 /* connections of `busy` whose messages have ended and that close by time */
    int32_t replies_due; /* wait_reply: messages to the peer that have ended, less replies that have come */
    uint64_t closed_ps[WEIR_EXPRESSPASS_CONNECTIONS_MAX]; /* when each of `closing` is closed; unordered */
};

struct weir_expresspass_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node ready;   /* in the host's `ready` while a packet may be sent */
    struct weir_pairing_node timer;   /* in the host's `timers` while its state has a timer */
    struct weir_pairing_node control; /* in the host's `controls` while a control packet waits; or in the peer's
                                       * `waiting` */
    struct weir_expresspass_peer *peer;
    uint64_t rtt_ps;      /* from the last request to its first credit; 0 = unknown */
    uint64_t asked_ps;    /* when the last request left */
    uint64_t mark_ps;     /* begin of the round trip in which `credits` counts */
    uint64_t credited_ps; /* when the last credit came */
    uint64_t closed_ps;   /* STOP_SENT, CLOSE_WAIT: when the connection will be closed */
    uint32_t may_pkts;    /* credits not spent yet */
    uint32_t echo;        /* weir_expresspass_echo() of the last credit */
    uint32_t credits;     /* credits that came since mark_ps */
    uint32_t limit_pkts;  /* the receiver has room for packets below */
    uint8_t state;        /* enum weir_expresspass_state */
    uint8_t control_kind; /* kind of the control packet that waits */
    uint8_t reply;        /* enum weir_reply; WEIR_REPLY_NONE without wait_reply */
};

struct weir_expresspass_flow { /* the feedback loop of a message's credit */
    uint64_t rate;             /* bytes of credit per second */
    uint64_t updated_ps;       /* when the rate was last updated */
    uint64_t rtt_ps;           /* smoothed round trip; 0 = unknown */
    uint32_t w_ppb;
    uint32_t total, dropped; /* since updated_ps: credits, and those that brought no data */
    bool may_grow;           /* can_inc: no loss above the target in the last round trip */
};

struct weir_expresspass_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node credit;  /* in the host's `credit` while credit is sent, by the time of the next one */
    struct weir_pairing_node leaving; /* in the host's `leaving` while a credit waits to leave */
    struct weir_pairing_node due;     /* in the host's `due` while packets must be granted by name */
    void *peer;
    struct weir_expresspass_flow flow;
    uint64_t due_ps;       /* when the next credit should leave; before credit.key if we are late */
    uint32_t next_seq;     /* number of the next credit */
    uint32_t expected_seq; /* number that the next DATA should return, modulo 2^WEIR_EXPRESSPASS_SEQ_BITS */
    uint32_t leaving_bytes;
    bool lost;     /* packets must be granted again */
    bool is_reply; /* false without wait_reply */
};

struct weir_expresspass_host {
    struct weir_credit_host head;
    uint32_t time_shift;
    uint64_t now_ps;   /* time of the latest call that had one */
    uint64_t rate_max; /* bytes of credit per second that the gate of this host's link lets through */
    uint64_t late_ps;  /* credits that are late by no more are made up for */
    uint64_t draw_key; /* key of the random sizes and gaps */
    uint64_t draws;
    uint64_t joins;  /* counts insertions into `ready`, `controls` and `leaving`, for first come, first served */
    uint64_t wasted; /* credits for which there was nothing to send */
    uint32_t mss_bytes, peers;
    struct weir_pairing ready, timers, controls, opening;
    struct weir_pairing credit, leaving, due;
};

extern const struct weir_credit_ops weir_expresspass_ops;   /* all that host/ and the simulator know of ExpressPass */
extern const struct weir_param weir_expresspass_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_expresspass_presets[]; /* paper (default), sird, dart, udp */
extern const char *const weir_expresspass_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_expresspass_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_expresspass_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
