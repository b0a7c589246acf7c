/* src/commands/testbed/laws.h - one measurement of a protocol over a port of 200 Mb/s; for laws*.c only. */
#ifndef WEIR_TESTBED_LAWS_H
#define WEIR_TESTBED_LAWS_H
#include "testbed/figs.h"

enum { WEIR_LAWS_SENDERS = 6 };
#define WEIR_LAWS_BPS UINT64_C(200000000) /* of every port */

struct weir_laws_case {
    const char *name;    /* of the protocol, for the user */
    bool tcp;            /* the kernel's TCP */
    const char *cc;      /* with its keys, as --cc or --tcp-cc has them */
    const char *fabric;  /* what the switch does: keys of a scenario's fabric */
    uint32_t head_bytes; /* of a full frame: what is not payload */
    uint32_t senders;
    const uint32_t *weight;         /* of each sender; NULL = all the same */
    const char *size, *outstanding; /* of the senders' messages */
    uint32_t seconds;
};

enum weir_laws_value {
    /* round trips of calls of 8 B from a host that does not send, in ms: on the idle network, and during the incast */
    WEIR_LAWS_IDLE_P50,
    WEIR_LAWS_P50,
    WEIR_LAWS_P99,
    WEIR_LAWS_GOODPUT, /* payload of frames to the receiver, Mb/s; what is sent again counts again */
    WEIR_LAWS_WAIT,    /* mean wait of frames in the queue to the receiver, ms */
    WEIR_LAWS_DROPS,   /* frames dropped there in the measured part */
    WEIR_LAWS_RAISED,  /* datagrams whose delay the switch raised in the measured part */
    WEIR_LAWS_USE,     /* of the port to the receiver, percent */
    WEIR_LAWS_RATE,    /* of each sender in frames, Mb/s; WEIR_LAWS_SENDERS of them */
    WEIR_LAWS_VALUES = WEIR_LAWS_RATE + WEIR_LAWS_SENDERS,
};

/* Builds a testbed, measures, and removes the testbed. value: gets WEIR_LAWS_VALUES numbers. @return 0, or a code with
 * err */
int weir_laws_measure(struct weir_figs *figs, const struct weir_laws_case *c, double *value, struct weir_err *err);
#endif
