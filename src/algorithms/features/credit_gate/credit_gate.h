/* src/algorithms/features/credit_gate/credit_gate.h - a token bucket at each port for the packets of one class, the
 * credit of a receiver-driven protocol. A credit that leaves by a port lets a data packet come back over the same
 * cable. So the gate limits the rate of credit to the rate at which the cable can carry the data.
 * Source: Cho et al., "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017, section 3.
 * Departs from it: the rate is that of the slower direction of a cable, in whole kb/s. */
#ifndef WEIR_FEATURES_CREDIT_GATE_CREDIT_GATE_H
#define WEIR_FEATURES_CREDIT_GATE_CREDIT_GATE_H
#include <stdint.h>

struct weir_feature;

#define WEIR_CREDIT_GATE_DEPTH_MAX 65536u /* bytes */

enum weir_credit_gate_mode { WEIR_CREDIT_GATE_AUTO, WEIR_CREDIT_GATE_OFF, WEIR_CREDIT_GATE_ON };

struct weir_credit_gate_config {       /* section `fabric.credit_gate` */
    uint32_t mode;                     /* enum weir_credit_gate_mode */
    uint32_t class_id;                 /* class of credit */
    uint32_t credit_bytes;             /* mean wire bytes of a credit */
    uint32_t data_bytes;               /* wire bytes of the data packet that a credit allows; 0 = a full packet */
    uint32_t depth_bytes, queue_bytes; /* depth: of the bucket; queue: most credit that may wait at a port */
};

struct weir_credit_gate_model {        /* parameters of all ports */
    uint32_t class_id;                 /* class of credit */
    uint32_t credit_bytes, data_bytes; /* both 1 .. WEIR_WIRE_MAX_BYTES */
    uint32_t depth_bytes;              /* size of the bucket; 1 .. WEIR_CREDIT_GATE_DEPTH_MAX */
    uint64_t queue_bytes;              /* most credit that may wait at a port; more is dropped */
};

struct weir_credit_gate_port { /* the token bucket of a port, and its counters */
    uint64_t full_ps;          /* the bucket is full from time full_ps + full_part / part_den on */
    uint64_t full_part;        /* 0 .. part_den - 1 */
    uint64_t byte_ps;          /* time per token, which is one byte: byte_ps + byte_part / part_den */
    uint64_t byte_part;        /* 0 .. part_den - 1 */
    uint64_t part_den;         /* parts of a picosecond; 1 .. 2^47 */
    uint32_t depth_bytes;      /* size of the bucket */
    uint64_t passed, dropped;  /* credits sent; credits dropped because of the limit queue_bytes */
};

extern const struct weir_feature weir_credit_gate_feature;
#endif
