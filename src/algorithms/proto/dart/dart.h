/* src/algorithms/proto/dart/dart.h - Dart's DASR: a receiver counts the hosts that send to it, and sends each of them
 * the count n. A sender uses line rate / n, one round trip later. If marks come from a link other than the receiver's,
 * DCQCN decides instead.
 * Source: Xue, Chaudhry, Vamanan, Vijaykumar and Thottethodi, "Dart", IEEE/ACM Transactions on Networking 28(1), 2020,
 * section III.
 * Departs from the paper: senders are counted by messages that begin and end, not by flags of packets, so that a late
 * copy of a packet counts no sender. doc/dart.md says which constants are ours. */
#ifndef WEIR_PROTO_DART_H
#define WEIR_PROTO_DART_H
#include "proto/dcqcn/dcqcn.h"

/* Slots of a receiver's set. At most 3/4 are used; further senders are only counted, by message. */
#define WEIR_DART_SENDERS 256u
#define WEIR_DART_BUCKETS 64u /* buckets of the window in which a receiver counts bytes */
#define WEIR_DART_GROUPS 64u  /* groups with announced messages; lists of further groups are not read */

/* Values of weir_notice.kind. With WEIR_DART_COUNT, weir_notice.value is the count n. */
enum weir_dart_notice { WEIR_DART_CNP = WEIR_DCQCN_CNP, WEIR_DART_COUNT = 2 };

struct weir_dart_config {           /* one per run, read-only once weir_dart_check() has accepted it */
    struct weir_dcqcn_config dcqcn; /* DCQCN as the fall-back, variant paper */
    uint64_t t_soft_ps;             /* a sender silent for this time within a message has crashed; 1 us .. 100 s */
    uint32_t full_ppm;              /* share of the line rate, less a packet, above which the link counts as full */
    uint32_t idle_count;            /* enum weir_dart_idle_count */
    uint32_t look_ahead;            /* flag: messages of a group carry the list of its senders */
    uint32_t advertise;             /* enum weir_dart_advertise */
    uint32_t weights;               /* flag: a sender's part of the line rate is proportional to its weight */
    uint32_t tenants;               /* flag: a set of senders per tenant; active tenants share the line rate equally */
};
/* The count that a receiver without marks advertises (key idle_count). */
enum weir_dart_idle_count { WEIR_DART_SENDERS_ACTIVE, WEIR_DART_ONE };
/* The way in which announced senders receive the count (key advertise): by a notice, or by ACKs of their DATA. */
enum weir_dart_advertise { WEIR_DART_BY_PACKET, WEIR_DART_BY_ACK };

struct weir_dart {           /* the state of a sender, one per destination */
    struct weir_dcqcn dcqcn; /* first: the host holds a pointer to its cc. cc.rate_bps is the lower of both rates */
    uint64_t hold_ps;        /* until then, a message that begins keeps the advertised count */
    uint32_t count;          /* from the receiver: n, or with weights a code, weir_dart_code(); at least 1 */
    uint32_t parts_q10;      /* line rate over the sender's part of it, Q10; 1024 .. 2^26 */
};
_Static_assert(offsetof(struct weir_dart, dcqcn.cc) == 0, "host/ casts between the two");

struct weir_dart_sender {  /* a member of a receiver's set */
    uint64_t last_ps;      /* arrival of its latest packet, or its latest announcement */
    uint64_t cnp_end_ps;   /* no CNP to this sender before */
    uint64_t announced_ps; /* latest announcement of a message of this sender */
    uint64_t weight_q20;   /* weight of its message that began last; 1.0 without weights, and before any began */
    uint32_t id;           /* weir_dart_key() + 1; 0 = the slot is free */
    uint16_t messages;     /* its messages that have begun or were announced, and have not ended */
    uint16_t announced;    /* of these, the messages that were announced and have not begun */
    bool marked;           /* a CNP to it is due at cnp_end_ps */
};

struct weir_dart_tenant { /* sums over a tenant's senders; without key tenants all senders are of tenant 0 */
    uint64_t weight_q20;  /* sum of weights; others count 1.0 each */
    uint32_t senders;     /* members of the set (|AUSS|) */
    uint32_t others;      /* messages of senders for which the set had no room */
};

struct weir_dart_group { /* a group whose list was read */
    uint64_t read_ps;    /* when the list was read; the entry is removed t_soft_ps later */
    uint32_t id;
    uint32_t left; /* its messages that have not begun; at 0 the entry is removed */
};

/* The location of congestion, as a receiver sees it: the paper's NC, RC and NRC. */
enum weir_dart_state { WEIR_DART_NONE, WEIR_DART_RECEIVER, WEIR_DART_ELSEWHERE };

struct weir_dart_rx {                                /* one per receiving host */
    struct weir_dart_sender slot[WEIR_DART_SENDERS]; /* open addressing, by weir_mix_u32(id) */
    uint32_t senders, others;                        /* sums over tenant[] */
    uint32_t tenants;                                /* tenants that have a sender */
    uint64_t changed_ps;                             /* when senders or weights changed last */
    uint64_t mark_ps;              /* latest CE that came more than a window after changed_ps; 0 = none */
    uint64_t cnp_ps, soft_ps;      /* earliest CNP due; next check for silent senders; WEIR_NEVER = none */
    uint64_t window_ps, bucket_ps; /* base round trip, rounded up to whole buckets; length of a bucket */
    uint64_t full_bytes;           /* bytes in a window from which the link counts as full (L) */
    uint64_t bucket;               /* number of the latest bucket since time 0 */
    uint64_t window_bytes;         /* sum of bucket_bytes[] */
    uint32_t bucket_bytes[WEIR_DART_BUCKETS];
    /* Group whose senders from advertised_next on still get a notice; NULL = none */
    const struct weir_sender_group *advertised;
    uint32_t advertised_next, advertised_by; /* by: the sender whose message carried the list; its ACK has the count */
    uint32_t advertised_tenant;
    uint32_t groups; /* entries of group[], in the order in which their lists were read */
    struct weir_dart_group group[WEIR_DART_GROUPS];
    struct weir_dart_tenant tenant[WEIR_TENANTS_MAX];
};

extern const struct weir_cc_ops weir_dart_ops;
extern const struct weir_param weir_dart_params[];
extern const struct weir_preset weir_dart_presets[]; /* dart (default), clos, dasr */
extern const char *const weir_dart_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_dart_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_dart_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
