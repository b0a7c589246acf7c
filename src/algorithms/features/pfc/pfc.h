/* src/algorithms/features/pfc/pfc.h - priority flow control (IEEE 802.1Qbb). A switch that holds too much of what came
 * by a link in some class pauses the other end of that link, class by class, so that nothing is dropped. Two rules for
 * thresholds: fixed ones, and the shared buffer of HPCC's public simulator. Rules: doc/model.md [pfc]. */
#ifndef WEIR_FEATURES_PFC_PFC_H
#define WEIR_FEATURES_PFC_PFC_H
#include "core/pkt.h"

struct weir_feature;

enum weir_pfc_kind { WEIR_PFC_OFF, WEIR_PFC_STATIC, WEIR_PFC_DYNAMIC };
enum weir_pfc_classes { WEIR_PFC_DATA_CLASSES, WEIR_PFC_ALL_CLASSES };

struct weir_pfc_config {     /* section `fabric.pfc` */
    uint32_t kind;           /* enum weir_pfc_kind */
    uint32_t classes;        /* enum weir_pfc_classes: all but class 0, or all */
    uint64_t xoff_bytes;     /* static */
    uint64_t xon_bytes;      /* static; UINT64_MAX = auto */
    uint64_t headroom_bytes; /* UINT64_MAX = auto */
    uint32_t alpha_shift;    /* dynamic, as the next two */
    uint32_t reserve_bytes;
    uint32_t resume_offset_bytes;
    uint64_t storm_ps; /* 0 = not counted */
};

struct weir_pfc_model {
    bool is_static;   /* fixed thresholds; else a share of the free buffer */
    uint8_t lossless; /* bit c: class c is paused and never dropped; the others are as without PFC */
    /* headroom_bytes holds for every in-link; else weir_pfc_headroom_bytes() of its rate and delay. */
    bool fixed_headroom;
    uint32_t mtu_bytes; /* largest frame, for that; header and gap included */
    uint64_t headroom_bytes;
    uint64_t xoff_bytes, xon_bytes; /* static: pause above, resume below; xon <= xoff */
    /* Dynamic: threshold = free >> alpha_shift at ports no faster than the host link, one less for each doubling
     * above. */
    uint32_t alpha_shift;
    uint32_t reserve_bytes;       /* of each in-link and class: 4096 in HPCC's simulator */
    uint32_t resume_offset_bytes; /* resume only so far below the threshold: 3072 there */
    uint64_t storm_ps;            /* a port paused for longer at a stretch is counted as a storm; 0 = not counted */
    uint64_t memory_bytes;        /* of a switch; UINT64_MAX = unlimited */
    uint64_t host_link_bps;
};

struct weir_pfc_pool {       /* of one switch */
    uint64_t size_bytes;     /* dynamic: what is left of the buffer besides all headroom and reserves */
    uint64_t used_bytes;     /* dynamic: of it, by all accounts */
    uint64_t headroom_bytes; /* dynamic: used of all headrooms */
    uint32_t paused;         /* accounts that are */
    uint32_t shift;          /* the largest of its in-links: that of the lowest threshold */
    bool begun;              /* size_bytes is set */
};

struct weir_pfc_in { /* of one in-link */
    uint64_t headroom_bytes;
    uint32_t shift; /* dynamic */
};

struct weir_pfc_account {    /* of one (in-link, class); zeroed at first */
    uint64_t bytes;          /* held, but for what lies in the headroom */
    uint64_t headroom_bytes; /* used; dynamic only */
    bool paused;             /* the last frame made for it was a pause */
};

struct weir_pfc_paused { /* pauses that this port was sent; zeroed at first */
    uint64_t since_ps[WEIR_CLASSES_MAX];
    uint64_t pauses, resumes; /* frames that arrived */
    uint64_t sum_ps, longest_ps, storms;
    uint32_t classes; /* bit c: paused now */
};

struct weir_pfc_port {     /* of an egress port, and of the in-link of the same cable */
    struct weir_pfc_in in; /* at a switch, as the accounts */
    struct weir_pfc_account account[WEIR_CLASSES_MAX];
    struct weir_pfc_paused paused;
    uint64_t pauses_made, resumes_made;
    uint64_t lossless_drops; /* of what came by the in-link: the headroom was too small */
};

extern const struct weir_feature weir_pfc_feature;
#endif
