/* src/algorithms/proto/sird/sird.h - SIRD: receivers grant credit, and senders notify them when they hold too much of
 * it.
 * Source: Prasopoulos, Kogias, Bugnion, "SIRD: A Sender-Informed, Receiver-Driven Datacenter Transport Protocol", NSDI
 * 2025. Rules that the paper leaves open are taken from the ns-2 program behind its tables. They are keys, which preset
 * ns2 sets together. doc/sird.md describes each.
 *
 * Departs from paper and program:
 * - A receiver considers only the first message of a sender. If the global bucket has no room for a packet of that
 *   message, the receiver waits, and does not grant a shorter packet instead.
 * - A sender shares its link by an exact alternation, not by deficits.
 * - A bucket is never smaller than the packets that must fit into it. These are two packets, so that a remainder of
 *   nearly one packet at the sender cannot block the bucket; with the ns-2 bucket test, one packet.
 *
 * The account of credit between two hosts. The granted total and the spent total are counters of bytes modulo 2^32. The
 * receiver knows the latest spent total that each sender has reported (spent_seen). Each new packet returns the credit
 * that it spent.
 * Each check of the peer, once per loss_ps, ends an interval of spent totals. The interval (settled, mark] was reported
 * as spent before the previous check. Packets of that interval that have not arrived by this check are lost, and their
 * credit is returned. Arrived packets of that interval are counted in returned_due, later ones in returned_next. A
 * packet at or below `settled` was counted as lost, so it returns nothing. So every byte spent comes back exactly once,
 * in whatever order packets arrive, whether they were lost, repeated, or aborted by the sender.
 *
 * The totals are carried in weir_grant.sequence and weir_send.sequence, so the next packet makes up for a lost one. If
 * credit is outstanding at a sender, and the spent total that it reports has not changed for loss_ps, the receiver asks
 * that sender (WEIR_SIRD_ASK). The sender answers with WEIR_SIRD_STATE. */
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
    struct weir_size unscht;   /* UnschT, in unsched_unit; 0 = every message requests credit; UINT64_MAX = none does */
    struct weir_size prefix;   /* most unscheduled bytes of a message, in unsched_unit */
    struct weir_size floor[2]; /* least sizes of a sender's buckets, by enum weir_sird_loop; .. BDP */
    uint64_t pace_slack_bytes; /* backlog of the pacer at which credit may already leave */
    uint64_t poll_ps;          /* credit leaves at multiples of this time; 0 = at any time */
    uint64_t loss_ps;          /* interval of checks for lost credit; 0 = no recovery */
    uint32_t g_ppm;            /* weight of the latest window in alpha; 1 .. 1000000 */
    uint32_t fair_ppm;         /* share of packets sent round robin; 0 .. 1000000 */
    uint32_t pace_ppm;         /* rate of credit, of the link's; 10000 .. 1000000 */
    uint32_t unsched_unit;     /* enum weir_sird_unit */
    uint32_t sender_policy, receiver_policy;
    uint32_t csn_rule, bucket_test; /* enum weir_sird_rule */
    uint32_t unsched_accounting;    /* enum weir_sird_unsched */
    uint32_t aimd_input;            /* enum weir_sird_input */
    uint32_t priorities;            /* enum weir_sird_priorities */
};

/* SIRD's own control packets. weir_own_pkt.sequence is a total of credit, modulo 2^32. */
enum weir_sird_control {
    WEIR_SIRD_STATE, /* answer to an ASK; total of credit spent or released so far */
    WEIR_SIRD_ASK,   /* asks for a STATE; total of credit granted so far */
};

enum weir_sird_stage { WEIR_SIRD_UNSCHED, WEIR_SIRD_SCHED };

enum weir_sird_loop { WEIR_SIRD_NET, WEIR_SIRD_SENDER }; /* the loops with signals CE and csn */

struct weir_sird_aimd {   /* one per sender, at its receiver: both loops; arrays by enum weir_sird_loop */
    uint32_t least_bytes; /* the smaller bucket, which limits the sender's credit */
    uint32_t step_bytes;  /* additive increase per packet, M * M / least_bytes; 0 = weir_sird_aimd_step() */
    uint32_t bucket_bytes[2];
    uint32_t alpha_q30[2];                 /* averaged marked share, 0 .. 2^30 */
    uint16_t window_pkts, window_end_pkts; /* packets since alpha was updated; the next update is at the latter */
    uint16_t marked_pkts[2];               /* marked packets of window_pkts */
    int16_t since_cut_pkts[2]; /* packets from the last cut to the begin of this window; add window_pkts for all */
    uint16_t hold_pkts[2];     /* no further cut before so many packets */
};

struct weir_sird_aimd_rule { /* parameters of the loops, the same for all senders */
    uint32_t packet_bytes;   /* M: a full packet on the wire */
    uint32_t most_bytes;     /* largest and first size of a bucket: BDP */
    uint32_t floor_bytes[2]; /* by enum weir_sird_loop; >= packet_bytes */
    uint32_t g_ppm;
};

struct weir_sird_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node node; /* in one of its peer's out[] while something is left to send */
    uint32_t self_bytes;           /* self-granted and not spent yet; 0 unless unscheduled bytes are charged */
    uint8_t priority;              /* 0 .. 7: before the payload left, among messages to one receiver; 0 is first */
};

struct weir_sird_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its peer's `in` while something of it can be credited */
};

_Static_assert(sizeof(struct weir_sird_tx) <= 80 && sizeof(struct weir_sird_rx) <= 88,
               "two lines with the host's part");

struct weir_sird_peer { /* the state of another host; the receiver half comes first */
    /* receiver half */
    struct weir_pairing_node open; /* in the host's `open` while its first message may be credited */
    struct weir_pairing in;        /* inbound messages from it, ordered by (payload not here yet, order) */
    uint64_t outstanding_bytes;    /* sb: credit granted and not returned yet */
    uint32_t granted_total;        /* total of credit granted; modulo 2^32, as the next five */
    uint32_t spent_seen;           /* highest spent total that it reported */
    uint32_t settled, mark;        /* see the file's comment: settled <= mark <= spent_seen */
    uint32_t returned_due, returned_next;
    uint32_t early_bytes; /* returned before they were charged: unscheduled bytes of a message not announced yet */
    struct weir_sird_aimd aimd;
    uint32_t reported_total; /* spent total of its latest report, by DATA or STATE */
    uint64_t changed_ps;     /* when reported_total last changed, or weir_sird_owed() began; WEIR_NEVER = no checks */
    /* sender half */
    struct weir_pairing_node ready;     /* in the host's `ready` and ring while a packet can be sent to it */
    struct weir_pairing out[2];         /* outbound messages, by stage, each by (priority, payload left, order) */
    uint64_t credit_bytes;              /* c_r: unused credit */
    uint32_t granted_seen, spent_total; /* modulo 2^32 */
    struct weir_sird_peer *ring_next, *ring_prev;
    uint64_t credit_count; /* receiver half, round robin: the host's credit_count at its last credit */
    uint64_t settled_ps;   /* receiver half: when its account was last settled */
};
WEIR_LAYOUT_ASSERT(offsetof(struct weir_sird_peer, ready) == 136,
                   "the receiver half: three lines with the host's record");

struct weir_sird_host {
    struct weir_credit_host head;
    uint32_t control_total;              /* total of the control packet that waits while head.controls is 1 .. */
    struct weir_sird_peer *control_peer; /* .. and the peer that gets it */
    enum weir_sird_control control_kind;
    /* receiver half */
    struct weir_pairing open;
    uint64_t outstanding_bytes; /* b: sum of outstanding_bytes over peers */
    uint64_t bucket_bytes;      /* B */
    uint64_t surplus_bytes;     /* returned though not outstanding: an error of a peer or of this host */
    uint64_t free_ps;           /* time at which the pacer's backlog ends */
    uint64_t slack_ps;          /* credit may leave this much before free_ps */
    uint64_t ps_per_kbyte;      /* of the pacer: 1000 bytes on the wire at the paced rate, rounded up */
    uint64_t credit_count;      /* credits given so far */
    uint32_t rem;               /* thousandths of a picosecond to add to free_ps */
    struct weir_sird_aimd_rule rule;
    uint32_t before_bytes; /* adaptive: rule.most_bytes before the last sird_adapt() */
    bool adaptive;         /* B and its like follow a measured BDP, and credit is not paced */
    /* sender half */
    uint64_t sthr_bytes; /* adaptive: SThr, see adapt_sthr() */
    uint64_t peak_bytes; /* adaptive: most credit of one receiver that was held lately */
    struct weir_pairing ready;
    struct weir_sird_peer *ring; /* the next receiver of the fair share; NULL = no peer can be sent to */
    uint64_t held_bytes;         /* sum of credit_bytes over peers */
    uint32_t fair_acc_ppm;       /* 0 .. 999999; a packet of the fair share is due when the sum reaches a million */
    uint32_t tx_msgs;            /* outbound messages with something left to send */
    bool paused[2];              /* whether the class of such DATA is paused, by enum weir_sird_stage */
    const struct weir_limits *limits;
};

extern const struct weir_credit_ops weir_sird_ops;   /* all that host/ and the simulator know of SIRD */
extern const struct weir_param weir_sird_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_sird_presets[]; /* paper (default), ns2, udp */
extern const char *const weir_sird_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_sird_config, with sizes resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_sird_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
