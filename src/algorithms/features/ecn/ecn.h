/* src/algorithms/features/ecn/ecn.h - ECN marking by queue length: one threshold (DCTCP) or a ramp (RED, DCQCN).
 * Sources and rule: ecn_core.h. */
#ifndef WEIR_FEATURES_ECN_ECN_H
#define WEIR_FEATURES_ECN_ECN_H
#include "core/param.h"
#include "features/ecn/ecn_core.h"

struct weir_feature;

enum weir_ecn_where { WEIR_ECN_ALL, WEIR_ECN_CORE }; /* every port with a queue, or only those between switches */

struct weir_ecn_config {         /* section `fabric.ecn`; without it, and without one in a preset, nothing is marked */
    uint32_t where;              /* enum weir_ecn_where */
    struct weir_size threshold;  /* K: sets kmin and kmax; bytes UINT64_MAX = not given */
    struct weir_size kmin, kmax; /* RED-like ramp, instead of threshold; bytes UINT64_MAX = not given */
    uint32_t pmax_ppb;
    uint32_t by_rate; /* 1: thresholds are for the host link's rate, and scale with the rate of other ports */
};

struct weir_ecn_model { /* parameters of all ports */
    struct weir_ecn_ramp ramp;
    uint64_t at_bps; /* rate for which ramp is given; thresholds scale with a port's rate; 0 = they do not */
    enum weir_ecn_where where;
};

struct weir_ecn_port {         /* parameters of one port */
    struct weir_ecn_ramp ramp; /* at this port's rate */
    uint64_t key;              /* key of its random draws */
};

extern const struct weir_feature weir_ecn_feature;
#endif
