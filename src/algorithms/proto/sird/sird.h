/* src/algorithms/proto/sird/sird.h - SIRD: receivers grant credit, senders notify them when they hold too much of it.
 * Source: Prasopoulos, Kogias, Bugnion, "SIRD: A Sender-Informed, Receiver-Driven Datacenter Transport Protocol", NSDI
 * 2025. Where its text leaves a rule open, the ns-2 program behind its tables, as keys of their own (preset ns2 sets
 * them together). doc/sird.md describes each.
 *
 * Departs from both:
 * - A receiver considers the first message of a sender only. It waits if the packet does not fit the global bucket (no
 *   filling up with shorter ones).
 * - A sender shares its link by an exact alternation, not by deficits.
 * - No bucket is ever smaller than the packets that must fit into it. These are two, so that a remainder of nearly one
 *   packet at the sender cannot block it; one with the ns-2 bucket test.
 *
 * The account of credit between two hosts. Granted total and spent total are counts modulo 2^32. The receiver knows the
 * latest spent total of each sender (spent_seen). A packet that arrives new returns what it spent. Each check of the
 * peer closes an interval of spent totals. (settled, mark] was complete when the mark was set, one loss time ago. What
 * has not come back of it by now is lost, and returned. Packets inside that interval are counted in returned_due, later
 * ones in returned_next. One at or below `settled` was counted as lost and returns nothing. So every byte spent comes
 * back exactly once, whatever order packets arrive in, whether they were lost, repeated, or aborted by the sender.
 *
 * The totals go as weir_grant.sequence and weir_send.sequence, so the next packet corrects a lost one. A receiver that
 * is owed credit by a sender whose spent total does not change asks it (WEIR_SIRD_ASK), and the answer is
 * WEIR_SIRD_STATE. */
#ifndef WEIR_PROTO_SIRD_H
#define WEIR_PROTO_SIRD_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"
#include "core/param.h"

enum weir_sird_unit { WEIR_SIRD_PAYLOAD, WEIR_SIRD_WIRE };
enum weir_sird_sender { WEIR_SIRD_MIX, WEIR_SIRD_FAIR, WEIR_SIRD_LARGEST };
enum weir_sird_receiver { WEIR_SIRD_SRPT, WEIR_SIRD_ROUND_ROBIN, WEIR_SIRD_LEAST };
enum weir_sird_rule { WEIR_SIRD_PAPER, WEIR_SIRD_NS2 };
enum weir_sird_unsched { WEIR_SIRD_IGNORED, WEIR_SIRD_CHARGED };
enum weir_sird_input { WEIR_SIRD_DATA, WEIR_SIRD_ALL };
enum weir_sird_priorities { WEIR_SIRD_ONE_CLASS, WEIR_SIRD_CONTROL, WEIR_SIRD_UNSCHEDULED };

struct weir_sird_config {      /* one per run, read-only once weir_sird_check() has accepted it */
    struct weir_size bucket;   /* B, on the wire; BDP .. */
    struct weir_size sthr;     /* SThr, on the wire; bytes UINT64_MAX = senders never mark */
    struct weir_size unscht;   /* UnschT, in unsched_unit; 0 = every message asks first, bytes UINT64_MAX = none does */
    struct weir_size prefix;   /* most that goes unscheduled of a message, in unsched_unit */
    struct weir_size floor[2]; /* of the buckets, enum weir_sird_loop; .. BDP */
    uint64_t pace_slack_bytes; /* credit may go while this much backlog is left */
    uint64_t poll_ps;          /* credit goes at multiples of this; 0 = at any instant */
    uint64_t loss_ps;          /* 0 = no recovery */
    uint32_t g_ppm;            /* 1 .. 1000000 */
    uint32_t fair_ppm;         /* 0 .. 1000000 */
    uint32_t pace_ppm;         /* of the link's rate; 10000 .. 1000000 */
    uint32_t unsched_unit;     /* enum weir_sird_unit */
    uint32_t sender_policy, receiver_policy;
    uint32_t csn_rule, bucket_test; /* enum weir_sird_rule */
    uint32_t unsched_accounting;    /* enum weir_sird_unsched */
    uint32_t aimd_input;            /* enum weir_sird_input */
    uint32_t priorities;            /* enum weir_sird_priorities */
};

enum weir_sird_control {                  /* its own control packets; sequence is a total */
                         WEIR_SIRD_STATE, /* answers: credit spent so far, what was released included */
                         WEIR_SIRD_ASK,   /* answer with a STATE; credit granted so far */
};

enum weir_sird_stage { WEIR_SIRD_UNSCHED, WEIR_SIRD_SCHED };

enum weir_sird_loop { WEIR_SIRD_NET, WEIR_SIRD_SENDER }; /* signals CE and csn */

struct weir_sird_aimd {   /* per sender, at its receiver; both loops, arrays by enum weir_sird_loop */
    uint32_t least_bytes; /* the lesser of the two buckets: what counts */
    uint32_t
        step_bytes; /* additive increase per packet: M * M / least_bytes; 0 = a byte now and then, see sird_core.h */
    uint32_t bucket_bytes[2];
    uint32_t alpha_q30[2];                 /* averaged marked share, 0 .. 2^30 */
    uint16_t window_pkts, window_end_pkts; /* since alpha was refreshed; refreshed at the latter */
    uint16_t marked_pkts[2];               /* of window_pkts */
    int16_t since_cut_pkts[2]; /* packets since the last cut, those of this window not counted: add window_pkts */
    uint16_t hold_pkts[2];     /* no second cut before so many */
};

struct weir_sird_aimd_rule { /* the same for all senders */
    uint32_t packet_bytes;   /* M: a full packet on the wire */
    uint32_t most_bytes;     /* ceiling of a bucket, where it starts: BDP */
    uint32_t floor_bytes[2]; /* by enum weir_sird_loop; >= packet_bytes */
    uint32_t g_ppm;
};

struct weir_sird_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node node; /* in one of its peer's `out` while something is left to send */
    uint32_t self_bytes;           /* granted by ourselves and not spent yet; 0 unless unscheduled bytes are charged */
};

struct weir_sird_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its peer's `in` while there is something to credit */
};

_Static_assert(sizeof(struct weir_sird_tx) <= 80 && sizeof(struct weir_sird_rx) <= 88,
               "two lines with the host's part");

struct weir_sird_peer { /* another host; the receiver half comes first */
    /* receiver half */
    struct weir_pairing_node open; /* in the host's `open` while its first message may be credited */
    struct weir_pairing in;        /* its messages by (payload not here yet, order) */
    uint64_t outstanding_bytes;    /* sb: granted and not come back */
    uint32_t granted_total;        /* modulo 2^32, as the next five */
    uint32_t spent_seen;           /* latest spent total it reported */
    uint32_t settled, mark;        /* see above: settled <= mark <= spent_seen */
    uint32_t returned_due, returned_next;
    uint32_t early_bytes; /* came back before they were charged: unscheduled ones of a message not announced yet */
    struct weir_sird_aimd aimd;
    uint32_t reported_total; /* what it reported last to have spent: DATA or STATE */
    uint64_t changed_ps;     /* when that last changed, or credit began to be out; WEIR_NEVER = none is out */
    /* sender half */
    struct weir_pairing_node ready;     /* in the host's `ready`, and in its ring, while it can be sent to */
    struct weir_pairing out[2];         /* our messages to it, by weir_sird_stage; each by (payload left, order) */
    uint64_t credit_bytes;              /* c_r: unused credit */
    uint32_t granted_seen, spent_total; /* modulo 2^32 */
    struct weir_sird_peer *ring_next, *ring_prev;
    uint64_t credit_count; /* receiver half, round robin: when it was last credited, counted in credits */
};
_Static_assert(offsetof(struct weir_sird_peer, ready) == 136, "the receiver half: three lines with the host's record");

struct weir_sird_host {
    struct weir_credit_host head;
    uint32_t control_total;              /* of the one control packet that waits, while head.controls is 1 .. */
    struct weir_sird_peer *control_peer; /* .. and whom it is for */
    enum weir_sird_control control_kind;
    /* receiver half */
    struct weir_pairing open;
    uint64_t outstanding_bytes; /* b: sum over peers */
    uint64_t bucket_bytes;      /* B */
    uint64_t surplus_bytes;     /* came back and was not outstanding: a peer's mistake, or ours */
    uint64_t free_ps;           /* when the pacer's backlog will be gone */
    uint64_t slack_ps;          /* credit may go this much earlier */
    uint64_t ps_per_kbyte;      /* of the pacer: 1000 bytes on the wire at the paced rate, rounded up */
    uint64_t credit_count;      /* credits given so far */
    uint32_t rem;               /* thousandths of a picosecond that free_ps is short of */
    struct weir_sird_aimd_rule rule;
    /* sender half */
    struct weir_pairing ready;
    struct weir_sird_peer *ring; /* the next to serve in the fair part; NULL = there is no peer to send to */
    uint64_t held_bytes;         /* sum of c_r */
    uint32_t fair_acc_ppm;       /* 0 .. 999999: a fair packet is due when it passes a million */
    uint32_t tx_msgs;            /* outbound messages with something left to send */
    bool paused[2];              /* the class of such DATA is, by enum weir_sird_stage */
    const struct weir_limits *limits;
};

extern const struct weir_credit_ops weir_sird_ops;   /* all that host/ and the simulator know of SIRD */
extern const struct weir_param weir_sird_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_sird_presets[]; /* paper (default), ns2 */
extern const char *const weir_sird_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_sird_config, its sizes resolved
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_sird_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
