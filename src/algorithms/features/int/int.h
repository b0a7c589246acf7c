/* src/algorithms/features/int/int.h - in-band telemetry: each port writes what it has sent and holds into packets that
 * leave.
 * Sources: Li et al., SIGCOMM 2019 (HPCC: into DATA); Xu et al., FNCC (into the ACKs that come back). Rules:
 * doc/model.md [telemetry]. */
#ifndef WEIR_FEATURES_INT_INT_H
#define WEIR_FEATURES_INT_INT_H
#include "core/telemetry.h"

struct weir_feature;

enum weir_int_said { WEIR_INT_AUTO, WEIR_INT_OFF, WEIR_INT_DATA, WEIR_INT_ACK };    /* auto: what the protocol needs */
enum weir_int_format_said { WEIR_INT_AS_READ, WEIR_INT_EXACT, WEIR_INT_QUANTISED }; /* as the protocol reads them */

struct weir_int_config { /* section `fabric.int` */
    uint32_t mode;       /* enum weir_int_said */
    uint32_t format;     /* enum weir_int_format_said */
    uint32_t multi;      /* 0 = auto */
    uint64_t period_ps;  /* ACKs only; 0 = of the instant */
};

struct weir_int_model {
    struct weir_telemetry_rates rates; /* of every link */
    uint64_t period_ps;                /* into ACKs: records are as of the last multiple of this; 0 = of the instant */
    uint32_t multi;                    /* quantised: byte units are this many times 128 and 80 (core/cc.h); >= 1 */
    bool into_acks; /* FNCC: a record of the port that leads back to where the ACK came from; else of DATA's own port */
    bool quantised;
};

struct weir_int_values {
    uint64_t tx_bytes;    /* put on the wire, of packets; of the one in transmission as far as it got */
    uint64_t queue_bytes; /* what waits, all classes; the rest of the packet in transmission is in neither */
};

struct weir_int_port {            /* zeroed at first, but for rate_id and index */
    uint64_t sent_bytes;          /* of all transmissions begun */
    struct weir_int_values table; /* with a period */
    uint64_t table_ps;            /* when table was taken; a multiple of the period */
    uint64_t end_ps, tx_ps;       /* of the transmission begun last */
    uint32_t tx_bytes;            /* of its packet */
    uint32_t rate_id, index;      /* index: among the ports of its switch */
};

extern const struct weir_feature weir_int_feature;
#endif
