/* src/algorithms/proto/dart/dart.h - Dart's DASR: a receiver counts the hosts that send to it and sends each the count
 * n; a sender uses line / n, one round trip later. Where marks come from elsewhere than the receiver's link, DCQCN
 * decides instead.
 * Source: Xue, Chaudhry, Vamanan, Vijaykumar and Thottethodi, "Dart", IEEE/ACM Transactions on Networking 28(1), 2020,
 * section III.
 * Departs from it: messages that begin and end feed the set of senders, not flags of packets, so that a late copy
 * counts no sender. doc/dart.md says which constants are ours. */
#ifndef WEIR_PROTO_DART_H
#define WEIR_PROTO_DART_H
#include "proto/dcqcn/dcqcn.h"

#define WEIR_DART_SENDERS                                                                                              \
    256u /* slots of a receiver's set; senders beyond three quarters of them are counted by message */
#define WEIR_DART_BUCKETS 64u /* parts of the window over which a receiver measures */
#define WEIR_DART_GROUPS 64u  /* whose announced messages have not all begun; lists of more are not read */

enum weir_dart_notice { WEIR_DART_CNP = WEIR_DCQCN_CNP, WEIR_DART_COUNT = 2 }; /* weir_notice.kind; COUNT: value = n */

struct weir_dart_config {           /* one per run, read-only once weir_dart_check() has accepted it */
    struct weir_dcqcn_config dcqcn; /* of the fall-back, variant paper */
    uint64_t t_soft_ps;             /* a sender silent for so long has crashed; 1 us .. 100 s */
    uint32_t full_ppm;              /* share of the line rate, less a packet, above which the link counts as full */
    uint32_t idle_count;            /* enum weir_dart_idle_count */
    uint32_t look_ahead;            /* flag: messages of a group carry the list of its senders */
    uint32_t advertise;             /* enum weir_dart_advertise */
    uint32_t weights;               /* flag: a sender's part is by the weight of its message */
    uint32_t tenants; /* flag: a set for each tenant, and an equal part of the line for each that is active */
};
/* The count that a receiver without marks advertises (A1 of doc/dart.md). */
enum weir_dart_idle_count { WEIR_DART_SENDERS_ACTIVE, WEIR_DART_ONE };
/* The way in which announced senders learn the count (A3). */
enum weir_dart_advertise { WEIR_DART_BY_PACKET, WEIR_DART_BY_ACK };

struct weir_dart {           /* a sender's, one per destination */
    struct weir_dcqcn dcqcn; /* first: the host holds a pointer to its cc, whose rate is the lesser of both */
    uint64_t hold_ps;        /* until then a message that begins keeps the count that was advertised */
    uint32_t count;          /* as the receiver sent it: n, or with weights a code; at least 1 */
    uint32_t parts_q10;      /* its part is the line divided by this; 1024 .. 2^26 */
};
_Static_assert(offsetof(struct weir_dart, dcqcn.cc) == 0, "host/ casts between the two");

struct weir_dart_sender {  /* of a receiver's set */
    uint64_t last_ps;      /* when its latest packet came, or it was announced */
    uint64_t cnp_end_ps;   /* no CNP to it before */
    uint64_t announced_ps; /* when its latest announced message was */
    uint64_t weight_q20;   /* of its message that began last; 1.0 without weights, and until one began */
    uint32_t id;           /* weir_dart_key() + 1; 0 = the slot is free */
    uint16_t messages;     /* of it, that have begun or been announced, and not ended */
    uint16_t announced;    /* of those, that have not begun */
    bool marked;           /* a CNP to it is due at cnp_end_ps */
};

struct weir_dart_tenant { /* its set: without tenants all is in that of tenant 0 */
    uint64_t weight_q20;  /* sum, others with 1.0 each */
    uint32_t senders;     /* |AUSS| */
    uint32_t others;      /* messages of senders that had no room */
};

struct weir_dart_group { /* whose list was read */
    uint64_t read_ps;    /* when; forgotten T_soft later */
    uint32_t id;
    uint32_t left; /* of its messages, that have not begun: forgotten with the last */
};

enum weir_dart_state { WEIR_DART_NONE, WEIR_DART_RECEIVER, WEIR_DART_ELSEWHERE }; /* NC, RC, NRC: where congestion is */

struct weir_dart_rx {                                /* one per receiving host */
    struct weir_dart_sender slot[WEIR_DART_SENDERS]; /* open addressing, by weir_mix_u32(id) */
    uint32_t senders, others;                        /* sums over tenant[] */
    uint32_t tenants;                                /* that have a sender */
    uint64_t changed_ps;                             /* when the set changed last */
    uint64_t mark_ps;         /* latest packet with CE later than a window after that; 0 = none */
    uint64_t cnp_ps, soft_ps; /* earliest CNP due; when senders may have been silent for too long. WEIR_NEVER = none */
    uint64_t window_ps, bucket_ps; /* base round trip; a part of it */
    uint64_t full_bytes;           /* in a window, of a full link */
    uint64_t bucket;               /* number of the latest bucket since time 0 */
    uint64_t window_bytes;         /* sum of bucket_bytes[] */
    uint32_t bucket_bytes[WEIR_DART_BUCKETS];
    const struct weir_sender_group
        *advertised; /* its senders from advertised_next on still get a notice; NULL = none do */
    uint32_t advertised_next, advertised_by; /* by: whose message brought the list, so that its ACK has the count */
    uint32_t advertised_tenant;
    uint32_t groups; /* in group[], in the order in which their lists were read */
    struct weir_dart_group group[WEIR_DART_GROUPS];
    struct weir_dart_tenant tenant[WEIR_TENANTS_MAX];
};

extern const struct weir_cc_ops weir_dart_ops;
extern const struct weir_param weir_dart_params[];
extern const struct weir_preset weir_dart_presets[]; /* dart (default) */
extern const char *const weir_dart_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_dart_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_dart_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
