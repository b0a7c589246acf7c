/* src/algorithms/proto/expresspass/expresspass.h - ExpressPass: a data packet for every credit. Receivers send credit
 * at a rate per message that follows the share of it which switches drop.
 * Source: Cho, Jang and Han, "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017; where
 * it leaves something open, the ns-2 program of SIRD's evaluation (NSDI 2025). Switches and hosts hold credit back by
 * features/credit_gate.
 * Departs from them: all connections between two hosts take one path. DATA returns 12 bits of its credit's number
 * and 20 of the time at which that left. Lost data is found by silence and asked for by name, not from the first
 * missing packet on. A receiver stops crediting when a message is complete, or after a silence, not only when it is
 * asked to. */
#ifndef WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_H
#define WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"
#include "core/param.h"

#define WEIR_EXPRESSPASS_CONNECTIONS_MAX 64u
#define WEIR_EXPRESSPASS_SEQ_BITS 12u  /* of a credit's number in DATA; the other 20 of 32 are its time */
#define WEIR_EXPRESSPASS_TIME_BITS 20u /* in units of 2^time_shift ps */

struct weir_expresspass_config { /* one per run, read-only once weir_expresspass_check() has accepted it */
    uint32_t alpha_ppm;          /* first rate, as a share of the largest; 1 .. 1000000 */
    uint32_t w_init_ppm, w_min_ppm, w_max_ppm, w_step_ppm;
    uint32_t target_ppm;                         /* of an unused link, of credit lost; 0 .. 1000000 */
    uint32_t jitter_ppm;                         /* of the time between credits, either way; 0 .. 900000 */
    uint32_t rtt_gain_ppm;                       /* weight of a sample; 1 .. 1000000 */
    uint32_t credit_min_bytes, credit_max_bytes; /* of a credit on the wire */
    uint32_t short_pkts;                         /* shorter messages begin slower, in proportion; 0 = no message does */
    uint32_t connections;                        /* per pair and direction; 0 = unlimited */
    uint32_t early_stop;                         /* bool */
    uint64_t request_ps, idle_ps;                /* idle: 0 = never */
};

enum weir_expresspass_control { WEIR_EXPRESSPASS_CREDIT, WEIR_EXPRESSPASS_STOP };

enum weir_expresspass_state {                           /* of a sender's connection, which is its message's */
                              WEIR_EXPRESSPASS_WAITING, /* for a connection */
                              WEIR_EXPRESSPASS_REQUEST_SENT,
                              WEIR_EXPRESSPASS_RECEIVING, /* credit */
                              WEIR_EXPRESSPASS_STOP_SENT,
                              WEIR_EXPRESSPASS_CLOSE_WAIT,
                              WEIR_EXPRESSPASS_CLOSED, /* the connection is busy until the receiver has it all */
};

struct weir_expresspass_peer {
    struct weir_pairing waiting;      /* messages, by order */
    struct weir_pairing_node opening; /* in the host's heap while some wait and a connection will be free */
    uint32_t number;                  /* counts peers of this host */
    uint32_t busy;                    /* connections, those that are still closing included */
    uint32_t closing;                 /* of them: their messages are over */
    uint64_t closed_ps[WEIR_EXPRESSPASS_CONNECTIONS_MAX]; /* when each of those is closed; in no order */
};

struct weir_expresspass_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node ready;   /* in the host's heap while it has a packet that may go */
    struct weir_pairing_node timer;   /* likewise, while its state has one */
    struct weir_pairing_node control; /* likewise, while it has a control packet to send; WAITING: in the peer's */
    struct weir_expresspass_peer *peer;
    uint64_t rtt_ps;      /* from the last request to its first credit; 0 = unknown */
    uint64_t asked_ps;    /* when the last request left */
    uint64_t mark_ps;     /* credits are counted from then on */
    uint64_t credited_ps; /* when the last credit came */
    uint64_t closed_ps;   /* STOP_SENT, CLOSE_WAIT: when the connection will be closed */
    uint32_t may_pkts;    /* credits that have not been spent */
    uint32_t echo;        /* of the last of them, for DATA */
    uint32_t credits;     /* in this round trip */
    uint32_t limit_pkts;  /* packets below may be sent: the receiver has room for them */
    uint8_t state;        /* enum weir_expresspass_state */
    uint8_t control_kind; /* as struct weir_own_pkt */
};

struct weir_expresspass_flow { /* credit for a message: the feedback loop */
    uint64_t rate;             /* bytes of credit per second */
    uint64_t updated_ps;       /* the last decision */
    uint64_t rtt_ps;           /* smoothed; 0 = unknown */
    uint32_t w_ppb;
    uint32_t total, dropped; /* since then: credits, and those of them that did not bring data */
    bool may_grow;           /* can_inc: no loss above the target in the last round trip */
};

struct weir_expresspass_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node credit;  /* in the host's heap while it is credited: when the next credit goes */
    struct weir_pairing_node leaving; /* likewise, while a credit is to leave at once */
    struct weir_pairing_node due;     /* likewise, while packets are to be granted by name */
    void *peer;
    struct weir_expresspass_flow flow;
    uint32_t next_seq;     /* of the next credit */
    uint32_t expected_seq; /* that the next DATA should return, modulo 2^WEIR_EXPRESSPASS_SEQ_BITS */
    uint32_t leaving_bytes;
    bool lost; /* packets are due again */
};

struct weir_expresspass_host {
    struct weir_credit_host head;
    uint32_t time_shift;
    uint64_t now_ps;   /* of the sender half's last call that had one */
    uint64_t rate_max; /* bytes of credit per second: all that the gate of this host's link lets through */
    uint64_t draw_key; /* of random sizes and gaps */
    uint64_t draws;
    uint64_t joins;  /* counts what joins `ready`, `control` or `leaving`, for first come, first served */
    uint64_t wasted; /* credits that found nothing to send */
    uint32_t mss_bytes, peers;
    struct weir_pairing ready, timers, controls, opening;
    struct weir_pairing credit, leaving, due;
};

extern const struct weir_credit_ops weir_expresspass_ops;   /* all that host/ and the simulator know of ExpressPass */
extern const struct weir_param weir_expresspass_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_expresspass_presets[]; /* paper (default), sird, dart */
extern const char *const weir_expresspass_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_expresspass_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
