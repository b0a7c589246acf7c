/* src/algorithms/features/pfc/pfc.h - priority flow control (IEEE 802.1Qbb). A switch counts the bytes that it holds
 * per in-link and class. If a count is larger than its threshold allows, the switch pauses that class at the other end
 * of the link, so that no packet is dropped. There are two rules for thresholds: static, and the shared buffer of
 * HPCC's public simulator (dynamic). Rules: doc/model.md [pfc]. */
#ifndef WEIR_FEATURES_PFC_PFC_H
#define WEIR_FEATURES_PFC_PFC_H
#include "core/cable.h"
#include "core/pkt.h"

struct weir_feature;

enum weir_pfc_kind { WEIR_PFC_OFF, WEIR_PFC_STATIC, WEIR_PFC_DYNAMIC };
enum weir_pfc_classes { WEIR_PFC_DATA_CLASSES, WEIR_PFC_ALL_CLASSES };

struct weir_pfc_config {     /* section `fabric.pfc` */
    uint32_t kind;           /* enum weir_pfc_kind */
    uint32_t classes;        /* enum weir_pfc_classes: all classes but 0, or all */
    uint64_t xoff_bytes;     /* static only */
    uint64_t xon_bytes;      /* static only; UINT64_MAX = auto */
    uint64_t headroom_bytes; /* UINT64_MAX = auto */
    uint32_t alpha_shift;    /* dynamic only, as are reserve_bytes and resume_offset_bytes */
    uint32_t reserve_bytes;
    uint32_t resume_offset_bytes;
    uint64_t storm_ps; /* 0 = not counted */
};

struct weir_pfc_model { /* parameters of all switches; "static:" and "dynamic:" name the rule that uses a field */
    bool is_static;     /* static thresholds; else dynamic ones, a share of the free buffer */
    uint8_t lossless;   /* bit c: class c is paused and never dropped; PFC does not concern other classes */
    /* headroom_bytes holds for every in-link; else weir_pfc_headroom_bytes() computes it from rate and delay. */
    bool fixed_headroom;
    uint32_t mtu_bytes; /* wire bytes of the largest frame, for the computed headroom */
    uint64_t headroom_bytes;
    uint64_t xoff_bytes, xon_bytes; /* static: pause above xoff, resume below xon; xon <= xoff */
    /* Dynamic: threshold = free pool >> alpha_shift for in-links no faster than the host link; the shift is one less
     * for each doubling of the rate above. */
    uint32_t alpha_shift;
    uint32_t reserve_bytes;       /* dynamic: own memory of each in-link and class; 4096 in HPCC's simulator */
    uint32_t resume_offset_bytes; /* dynamic: resume this far below the threshold; 3072 in HPCC's simulator */
    uint64_t storm_ps;            /* a port paused without a break for longer counts as a storm; 0 = not counted */
    uint64_t memory_bytes;        /* memory of a switch; UINT64_MAX = unlimited */
    uint64_t host_link_bps;
    const struct weir_late *late; /* late_count items: by how much frames may be late; lent for the run */
    uint32_t late_count;
};

struct weir_pfc_pool {       /* state of one switch */
    uint64_t size_bytes;     /* dynamic: the pool, which is the buffer without all headroom and reserves */
    uint64_t used_bytes;     /* dynamic: bytes of the pool that all accounts use */
    uint64_t headroom_bytes; /* dynamic: bytes of headroom that all accounts use */
    uint32_t paused;         /* number of paused accounts */
    uint32_t shift;          /* largest shift of its in-links, which gives the lowest threshold */
    bool begun;              /* size_bytes is set */
};

struct weir_pfc_in {         /* parameters of one in-link */
    uint64_t headroom_bytes; /* of each lossless class */
    uint32_t shift;          /* dynamic: alpha_shift at its rate */
};

struct weir_pfc_account {    /* PFC account of one in-link and class; zeroed at first */
    uint64_t bytes;          /* bytes held, without those in the headroom */
    uint64_t headroom_bytes; /* bytes held in the headroom; dynamic only */
    bool paused;             /* the last control frame for it was a pause */
};

struct weir_pfc_paused {                 /* pauses that this port received; zeroed at first */
    uint64_t since_ps[WEIR_CLASSES_MAX]; /* by class: when its present pause began */
    uint64_t pauses, resumes;            /* frames that arrived */
    uint64_t sum_ps, longest_ps, storms; /* of all pauses, each from pause to resume of a class */
    uint32_t classes;                    /* bit c: class c is paused now */
};

struct weir_pfc_port {     /* state of an egress port, and of the in-link of the same cable */
    struct weir_pfc_in in; /* of the in-link, as are the accounts; only at a switch */
    struct weir_pfc_account account[WEIR_CLASSES_MAX];
    struct weir_pfc_paused paused;
    uint64_t pauses_made, resumes_made; /* frames sent to the other end of the in-link */
    uint64_t lossless_drops; /* packets that came by the in-link and were refused: the headroom was too small */
};

extern const struct weir_feature weir_pfc_feature;
#endif
