/* src/algorithms/features/maxqd/maxqd.h - the longest queueing delay on a packet's path, written into DATA for Soze.
 * Source and filter: maxqd_core.h; rules: doc/model.md [maxqd]. */
#ifndef WEIR_FEATURES_MAXQD_MAXQD_H
#define WEIR_FEATURES_MAXQD_MAXQD_H
#include "core/feature_setup.h"

struct weir_feature;

enum weir_maxqd_mode { WEIR_MAXQD_AUTO, WEIR_MAXQD_OFF, WEIR_MAXQD_ON }; /* AUTO: on if the protocol needs it */

struct weir_maxqd_config { /* section `fabric.maxqd` */
    uint32_t mode;         /* enum weir_maxqd_mode */
    uint32_t at;           /* enum weir_feature_at */
    uint64_t unit_ps, filter_ps;
};

struct weir_maxqd_model { /* parameters of all ports */
    enum weir_feature_at at;
    /* Bit c: packets of class c other than DATA do not wait where DATA does, so their delays are not used. */
    uint8_t apart_mask;
    uint8_t data_apart_mask; /* likewise for DATA, of laws that do not read delays */
    uint8_t foreign_laws;    /* bit k: packets of law k have no field for delays */
    uint64_t unit_ps;        /* unit of struct weir_pkt.qdelay; 1 ps .. 256 ns */
    uint64_t filter_ps;      /* time constant of the low-pass filter at each port; 0 = no filter */
};

struct weir_maxqd_port { /* state of a port; zeroed at first */
    uint64_t y_q16; /* filtered delay in ps * 2^16: in whole ps a filter much slower than the packets would get stuck */
    uint64_t start_ps;  /* when the transmission of the previous packet started */
    uint64_t saturated; /* packets of DATA that left with WEIR_PKT_QDELAY_MAX, less than the port's delay */
    bool begun;         /* there was a previous packet */
};

extern const struct weir_feature weir_maxqd_feature;
#endif
