/* src/fabric/model.h - what switches do besides forwarding and marking: telemetry, PFC, RoCC's controller, queueing delays,
 * queues in turn. All zero = none of it. Engine and oracle take the same; the rules are in doc/model.md
 * [pfc], [telemetry], [rocc], [wrr]. */
#ifndef WEIR_FABRIC_MODEL_H
#define WEIR_FABRIC_MODEL_H
#include "core/telemetry.h"

enum weir_telemetry_mode {
    WEIR_TELEMETRY_NONE,
    WEIR_TELEMETRY_DATA, /* HPCC: a record of the port it leaves by is appended to DATA */
    WEIR_TELEMETRY_ACK,  /* FNCC: a record of the port that feeds the reverse of its in-link is appended to ACKs */
};

struct weir_telemetry_model {
    const struct weir_telemetry_rates *rates; /* of every switch port; not NULL unless mode is NONE */
    enum weir_telemetry_mode mode;
    uint32_t hops_max;  /* most switches on a path: records a packet may come to carry, 1 .. WEIR_TELEMETRY_HOPS_MAX */
    uint64_t period_ps; /* ACK: records are as of the last multiple of this; 0 = of the instant */
    uint32_t multi;     /* quantised: byte units are this many times 128 and 80 (core/cc.h); >= 1 */
    bool quantised;
};

struct weir_pfc_model {
    bool on;
    bool is_static;   /* fixed thresholds; else a share of the free buffer */
    uint8_t lossless; /* bit c: class c is paused and never dropped; the others are as without PFC */
    bool
        fixed_headroom; /* headroom_bytes holds for every in-link; else weir_pfc_headroom_bytes() of its rate and delay */
    uint32_t mtu_bytes; /* largest frame, for that; header and gap included */
    uint64_t headroom_bytes;
    uint64_t xoff_bytes, xon_bytes; /* static: pause above, resume below; xon <= xoff */
    /* dynamic: threshold = free >> alpha_shift at ports no faster than the host link, one less for each doubling above */
    uint32_t alpha_shift;
    uint32_t reserve_bytes;       /* of each in-link and class: 4096 in HPCC's simulator */
    uint32_t resume_offset_bytes; /* resume only so far below the threshold: 3072 there */
    uint64_t storm_ps;            /* a port paused for longer at a stretch is counted as a storm; 0 = not counted */
};

struct weir_rocc_model {
    bool on; /* every switch port runs the controller of core/rocc_cp_core.h with the parameters of its rate */
    uint64_t period_ps; /* between steps: at period, 2 period, .. */
};

struct weir_fabric_model {
    struct weir_telemetry_model telemetry;
    struct weir_pfc_model pfc;
    struct weir_rocc_model rocc;
};

/* True if ports are decided at their instants: nothing may be concluded at arrival. */
static inline bool weir_fabric_decides(const struct weir_fabric_model *m)
{
    return m->telemetry.mode != WEIR_TELEMETRY_NONE || m->pfc.on || m->rocc.on;
}
#endif
