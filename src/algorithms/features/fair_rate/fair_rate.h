/* src/algorithms/features/fair_rate/fair_rate.h - RoCC in the switch: each port computes a fair rate periodically, and
 * sends it to the flows with data in its queue. The controller and its source: core/rocc_cp_core.h; rules: doc/model.md
 * [rocc]. */
#ifndef WEIR_FEATURES_FAIR_RATE_FAIR_RATE_H
#define WEIR_FEATURES_FAIR_RATE_FAIR_RATE_H
#include "core/rocc_cp_core.h"

struct weir_feature;

enum weir_fair_rate_mode { WEIR_FAIR_RATE_AUTO, WEIR_FAIR_RATE_OFF }; /* AUTO: on if the protocol needs it */

struct weir_fair_rate_config { /* keys of section `fabric` */
    uint32_t mode;             /* enum weir_fair_rate_mode */
};

struct weir_fair_rate_port { /* state of a port */
    struct weir_rocc_cp cp;
    uint64_t rate_bps; /* result of the last step */
    uint64_t notices;  /* NOTICEs sent */
    struct weir_rocc_cp_config config;
};

extern const struct weir_feature weir_fair_rate_feature;
#endif
