/* src/algorithms/features/phantom/phantom.h - the queueing delay of a virtual queue at each switch port, which drains a
 * little slower than the link, for Soze. Sources and arithmetic: phantom_core.h; rules: doc/model.md [phantom]. */
#ifndef WEIR_FEATURES_PHANTOM_PHANTOM_H
#define WEIR_FEATURES_PHANTOM_PHANTOM_H
#include "core/feature_setup.h"
#include "core/param.h"

struct weir_feature;

/* AUTO: ACK if the protocol reads such delays. DATA: each port raises the delay in DATA to its own. ACK: the delay in
 * an ACK is raised to that of the port which leads back to where the ACK came from. */
enum weir_phantom_mode { WEIR_PHANTOM_AUTO, WEIR_PHANTOM_OFF, WEIR_PHANTOM_DATA, WEIR_PHANTOM_ACK };

struct weir_phantom_config {           /* section `fabric.phantom` */
    uint32_t mode;                     /* enum weir_phantom_mode */
    uint32_t rho_ppm, rho_min_ppm;     /* drain of the virtual queue, as a part of the link's rate; below 1000000 */
    uint64_t slack_bytes;              /* real queue up to which the drain is rho */
    struct weir_time_or_rtt cap;       /* longest virtual queue; 0 = four times the law's span */
    struct weir_time_or_rtt queue_max; /* longest real queue that counts in the delay; 0 = a base round trip */
    uint64_t unit_ps;                  /* of the delay in a packet; 0 = a 4096th of the law's span */
};

struct weir_phantom_model { /* parameters of all ports */
    uint64_t base_rtt_ps;   /* longest real queue that counts in the drain */
    uint64_t queue_max_ps;  /* longest real queue that counts in the delay */
    uint64_t cap_q20;       /* longest virtual queue, ps * 2^20 */
    uint64_t unit_ps;
    uint64_t slack_bytes;
    uint32_t rho_q20, rho_min_q20;
    uint8_t foreign_laws; /* bit k: packets of law k have no field for delays */
    bool into_acks;
};

struct weir_phantom_port {    /* state of a port */
    uint64_t v_q20;           /* virtual queue beyond the real one, in ps of the link's time * 2^20 */
    uint64_t start_ps;        /* when the latest transmission started */
    uint64_t ps_per_byte_q20; /* time of a byte on the link, ps * 2^20, rounded down */
    uint64_t level_bytes;     /* what the link carries in a base round trip: where the drain has fallen */
    uint64_t counted_bytes;   /* and in queue_max: no longer real queue counts in the delay */
    uint64_t fall_q44;        /* by how much the drain falls per byte of the real queue, rho * 2^44 */
    uint32_t index;           /* of the port, within its node */
};

extern const struct weir_feature weir_phantom_feature;
#endif
