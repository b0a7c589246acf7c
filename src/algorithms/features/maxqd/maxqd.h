/* src/algorithms/features/maxqd/maxqd.h - the longest queueing delay on a packet's path, for Soze. Source and filter:
 * maxqd_core.h; rules: doc/model.md [maxqd]. */
#ifndef WEIR_FEATURES_MAXQD_MAXQD_H
#define WEIR_FEATURES_MAXQD_MAXQD_H
#include "core/feature_setup.h"

struct weir_feature;

enum weir_maxqd_mode { WEIR_MAXQD_AUTO, WEIR_MAXQD_OFF, WEIR_MAXQD_ON }; /* auto: if the protocol needs it */

struct weir_maxqd_config { /* section `fabric.maxqd` */
    uint32_t mode;         /* enum weir_maxqd_mode */
    uint32_t at;           /* enum weir_feature_at */
    uint64_t unit_ps, filter_ps;
};

struct weir_maxqd_model {
    enum weir_feature_at at;
    /* Bit i: packets of class_id i other than DATA do not wait where DATA does; their delays are not used. */
    uint8_t apart_mask;
    uint64_t unit_ps;   /* of struct weir_pkt.qdelay; 1 .. 64 ns */
    uint64_t filter_ps; /* time constant of the low-pass filter at each port; 0 = the packet's own delay */
};

struct weir_maxqd_port { /* zeroed at first */
    uint64_t y_q16; /* filtered delay, ps * 2^16: in whole ps a filter much slower than the packets would get stuck */
    uint64_t start_ps; /* of the packet before */
    bool begun;        /* there was one */
};

extern const struct weir_feature weir_maxqd_feature;
#endif
