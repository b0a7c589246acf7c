/* src/algorithms/features/ecn/ecn.h - ECN marking by queue length: one threshold (DCTCP) or a ramp (RED, DCQCN).
 * Sources and rule: ecn_core.h. */
#ifndef WEIR_FEATURES_ECN_ECN_H
#define WEIR_FEATURES_ECN_ECN_H
#include "core/param.h"
#include "features/ecn/ecn_core.h"

struct weir_feature;

enum weir_ecn_where { WEIR_ECN_ALL, WEIR_ECN_CORE }; /* every port with a queue, or only those between switches */

struct weir_ecn_config {         /* section `fabric.ecn`; absent = no marking unless the protocol's preset brings one */
    uint32_t where;              /* enum weir_ecn_where */
    struct weir_size threshold;  /* K: sets kmin and kmax; bytes UINT64_MAX = off */
    struct weir_size kmin, kmax; /* RED-like ramp, instead of threshold; bytes UINT64_MAX = not given */
    uint32_t pmax_ppb;
    uint32_t by_rate; /* 1: the thresholds are the host link's; others have them in proportion to their rate */
};

struct weir_ecn_model {
    struct weir_ecn_ramp ramp;
    uint64_t at_bps; /* the ramp holds at this rate and grows with the port's; 0 = the same everywhere */
    enum weir_ecn_where where;
};

struct weir_ecn_port {
    struct weir_ecn_ramp ramp; /* at this port's rate */
    uint64_t key;              /* of its random draws */
};

extern const struct weir_feature weir_ecn_feature;
#endif
