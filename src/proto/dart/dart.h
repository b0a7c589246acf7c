/* src/proto/dart/dart.h - Dart's DASR: a receiver counts the hosts that send to it and tells each the count n; a sender uses line / n, one
 * round trip later. Where marks come from elsewhere than the receiver's link, DCQCN decides instead.
 * Source: Xue, Chaudhry, Vamanan, Vijaykumar and Thottethodi, "Dart", IEEE/ACM Transactions on Networking 28(1), 2020, section III.
 * Departs from it: messages that begin and end feed the set of senders, not flags of packets, so that a late copy counts no sender.
 * Look-ahead lists, tenants and marks of the source NIC are not here. doc/dart.md says which constants are ours. */
#ifndef WEIR_PROTO_DART_H
#define WEIR_PROTO_DART_H
#include "proto/dcqcn/dcqcn.h"

#define WEIR_DART_SENDERS                                                                                              \
    256u /* slots of a receiver's set; senders beyond three quarters of them are counted by message */
#define WEIR_DART_BUCKETS 64u /* parts of the window over which a receiver measures */

enum weir_dart_notice { WEIR_DART_CNP = WEIR_DCQCN_CNP, WEIR_DART_COUNT = 2 }; /* weir_notice.kind; COUNT: value = n */

struct weir_dart_config {           /* one per run, read-only once weir_dart_check() has accepted it */
    struct weir_dcqcn_config dcqcn; /* of the fall-back, variant paper */
    uint64_t t_soft_ps;             /* a sender silent for so long is gone; 1 us .. 100 s */
    uint32_t full_ppm;              /* share of the line rate above which the link counts as full, a packet aside */
    uint32_t idle_count;            /* enum weir_dart_idle_count */
};
/* What a receiver without marks advertises (A1 of doc/dart.md). */
enum weir_dart_idle_count { WEIR_DART_SENDERS_ACTIVE, WEIR_DART_ONE };

struct weir_dart {           /* a sender's, one per destination */
    struct weir_dcqcn dcqcn; /* first: the host holds a pointer to its cc, whose rate is the lesser of both */
    uint64_t hold_ps;        /* until then a message that begins keeps the count that was advertised */
    uint32_t count;          /* n, at least 1 */
};
_Static_assert(offsetof(struct weir_dart, dcqcn.cc) == 0, "host/ casts between the two");

struct weir_dart_sender { /* of a receiver's set */
    uint64_t last_ps;     /* when its latest packet came */
    uint64_t cnp_end_ps;  /* no CNP to it before */
    uint32_t id;          /* host number + 1; 0 = the slot is free */
    uint16_t messages;    /* of it, that have begun and not ended */
    bool marked;          /* a CNP to it is due at cnp_end_ps */
};

enum weir_dart_state { WEIR_DART_NONE, WEIR_DART_RECEIVER, WEIR_DART_ELSEWHERE }; /* NC, RC, NRC: where congestion is */

struct weir_dart_rx {                                /* one per receiving host */
    struct weir_dart_sender slot[WEIR_DART_SENDERS]; /* open addressing, by weir_mix_u32(id) */
    uint32_t senders;                                /* in it: |AUSS| */
    uint32_t others;                                 /* messages of senders that had no room */
    uint64_t changed_ps;                             /* when the set changed last */
    uint64_t mark_ps;         /* latest packet with CE later than a window after that; 0 = none */
    uint64_t cnp_ps, soft_ps; /* earliest CNP due; when senders may have been silent for too long. WEIR_NEVER = none */
    uint64_t window_ps, bucket_ps; /* base round trip; a part of it */
    uint64_t full_bytes;           /* in a window, of a full link */
    uint64_t bucket;               /* number of the latest bucket since time 0 */
    uint64_t window_bytes;         /* sum of bucket_bytes[] */
    uint32_t bucket_bytes[WEIR_DART_BUCKETS];
};

extern const struct weir_cc_ops weir_dart_ops;
extern const struct weir_param weir_dart_params[];
extern const struct weir_preset weir_dart_presets[]; /* dart (default) */

/**
 * @param config  struct weir_dart_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_dart_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
