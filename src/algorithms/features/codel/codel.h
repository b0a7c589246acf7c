/* src/algorithms/features/codel/codel.h - CoDel, active queue management by sojourn time. A packet that is to leave is
 * marked or dropped if packets have waited longer than `target` for longer than `interval`. Both variants set CE if the
 * packet has ECT, and drop it otherwise. Sources:
 * - variant rfc8289: Nichols et al., RFC 8289;
 * - variant p4: the P4 program that RPM builds on, Kundel et al., "P4-CoDel: Experiences on Programmable Data Plane
 *   Hardware", ICC 2021.
 * Departs from them: the state is per port and priority class; both sources have one queue per port. */
#ifndef WEIR_FEATURES_CODEL_CODEL_H
#define WEIR_FEATURES_CODEL_CODEL_H
#include "core/feature_setup.h"

struct weir_feature;

enum weir_codel_variant { WEIR_CODEL_P4, WEIR_CODEL_RFC8289, WEIR_CODEL_OFF };

struct weir_codel_config { /* section `fabric.codel` */
    uint32_t variant;      /* enum weir_codel_variant */
    uint32_t at;           /* enum weir_feature_at */
    uint64_t target_ps, interval_ps;
};

struct weir_codel_model { /* parameters of all ports */
    uint64_t target_ps;   /* a sojourn time of this or more is too long; <= interval_ps */
    uint64_t interval_ps; /* sojourn times may be too long for this time without an event; 1 ps .. 100 s */
    uint32_t mtu_bytes;   /* rfc8289: a packet with at most this much behind it in its queue is never too late */
    enum weir_codel_variant variant;
    enum weir_feature_at at;
};

/* The drop right before the next packet of a queue (rfc8289). NONE = no drop, FIRST = the drop that began the dropping
 * state, NEXT = a later drop of that state. */
enum weir_codel_after { WEIR_CODEL_AFTER_NONE, WEIR_CODEL_AFTER_FIRST, WEIR_CODEL_AFTER_NEXT };

struct weir_codel_queue {       /* state of one class at one port; zeroed at first */
    uint64_t next_ps;           /* while dropping: time of the next event; drop_next in the RFC, `next` in p4 */
    uint64_t first_above_ps;    /* rfc8289: first_above_time of the RFC; 0 = the last packet was not too late */
    uint32_t count, last_count; /* events of this dropping state; rfc8289: value of count at its beginning */
    bool dropping;              /* rfc8289: in the dropping state; p4: the last packet was too late */
    uint8_t after;              /* rfc8289: enum weir_codel_after of the next packet */
};

struct weir_codel_port { /* state and counters of a port */
    struct weir_codel_queue queue[WEIR_CLASSES_MAX];
    uint64_t marks, drops;
};

extern const struct weir_feature weir_codel_feature;
#endif
