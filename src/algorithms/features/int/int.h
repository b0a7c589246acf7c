/* src/algorithms/features/int/int.h - in-band telemetry: each switch port writes a record into packets that leave. A
 * record has the bytes that a port has sent, and the bytes that wait at the port.
 * Sources: Li et al., SIGCOMM 2019 (HPCC: into DATA); Xu et al., FNCC (into the ACKs that come back). Rules:
 * doc/model.md [telemetry]. */
#ifndef WEIR_FEATURES_INT_INT_H
#define WEIR_FEATURES_INT_INT_H
#include "core/telemetry.h"

struct weir_feature;

enum weir_int_said { WEIR_INT_AUTO, WEIR_INT_OFF, WEIR_INT_DATA, WEIR_INT_ACK };    /* AUTO: as the protocol needs */
enum weir_int_format_said { WEIR_INT_AS_READ, WEIR_INT_EXACT, WEIR_INT_QUANTISED }; /* AS_READ: as the protocol reads */

struct weir_int_config { /* section `fabric.int` */
    uint32_t mode;       /* enum weir_int_said */
    uint32_t format;     /* enum weir_int_format_said */
    uint32_t multi;      /* factor of the byte units of quantised records; 0 = auto */
    uint64_t period_ps;  /* ACKs only: time between readings of all ports; 0 = each record is read when written */
};

struct weir_int_model {                /* parameters of all ports */
    struct weir_telemetry_rates rates; /* the different rates of all links */
    uint64_t period_ps;                /* into ACKs: records are as of the last multiple of this; 0 = as of now */
    uint32_t multi;                    /* quantised: factor of the units 128 and 80 bytes (core/telemetry.h); >= 1 */
    bool into_acks; /* FNCC: an ACK gets the record of the port that leads back to where it came from; else DATA gets
                       that of the port by which it leaves */
    bool quantised;
    uint8_t foreign_laws; /* bit k: packets of law k get no record */
};

struct weir_int_values {  /* contents of a record; the unsent rest of a packet in transmission is in neither field */
    uint64_t tx_bytes;    /* wire bytes sent, with the sent part of the packet in transmission */
    uint64_t queue_bytes; /* wire bytes that wait, of all classes */
};

struct weir_int_port {            /* state of a port; zeroed at first, except rate_id and index */
    uint64_t sent_bytes;          /* wire bytes of all transmissions begun */
    struct weir_int_values table; /* with a period: values at table_ps */
    uint64_t table_ps;            /* when table was taken; a multiple of the period */
    uint64_t end_ps, tx_ps;       /* end and duration of the transmission begun last */
    uint32_t tx_bytes;            /* wire bytes of its packet */
    uint32_t rate_id, index;      /* number of its rate in weir_int_model.rates; index among the ports of its switch */
};

extern const struct weir_feature weir_int_feature;
#endif
