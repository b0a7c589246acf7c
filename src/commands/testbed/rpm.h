/* src/commands/testbed/rpm.h - one measurement of `weir reproduce rpm-testbed`, on the testbed and simulated. rpm.c has
 * the figures. */
#ifndef WEIR_TESTBED_RPM_H
#define WEIR_TESTBED_RPM_H
#include "testbed/figs.h"

#define WEIR_RPM_BPS UINT64_C(200000000)        /* of the bottleneck; the paper has 10 Gb/s */
#define WEIR_RPM_BUFFER_BYTES UINT64_C(2500000) /* the paper's memory, which lasts 2 ms there and 100 ms here */
#define WEIR_RPM_SHORT_BYTES UINT64_C(50000)    /* what lasts 2 ms here */
enum { WEIR_RPM_PAIRS = 10, WEIR_RPM_CLASSES = 5, WEIR_RPM_SENDER_MS = 10 };

enum weir_rpm_law { WEIR_RPM_CUBIC, WEIR_RPM_DCTCP, WEIR_RPM_BOTH, WEIR_RPM_LAWS };
enum weir_rpm_scheme { WEIR_RPM_FORWARD, WEIR_RPM_FLOW, WEIR_RPM_PORT, WEIR_RPM_SCHEMES };

struct weir_rpm_case {
    uint32_t experiment; /* of Table I: 1 or 2 */
    enum weir_rpm_law law;
    enum weir_rpm_scheme scheme;
    uint64_t buffer_bytes;
    uint32_t pairs;       /* 1 .. WEIR_RPM_PAIRS; fewer are spread over the classes of delays */
    uint32_t receiver_ms; /* of one pair: the delay of its receiver; 0 = that of the first class */
    uint32_t seed;        /* of the simulation */
    uint32_t warm_s;      /* before the measured part */
    uint32_t seconds;
};

/* Numbers of a case: weir_rpm_value_names. The simulator has the first WEIR_RPM_SIMULATED of them. */
enum weir_rpm_value {
    WEIR_RPM_JAIN,
    WEIR_RPM_GOODPUT,    /* Mb/s, of all flows */
    WEIR_RPM_DCTCP_PART, /* of it, by DCTCP */
    WEIR_RPM_QUEUE_MEAN, /* ms */
    WEIR_RPM_QUEUE_MAX,  /* ms, in the whole run */
    WEIR_RPM_DROPS,      /* in the whole run, as all below */
    WEIR_RPM_EVENTS,     /* of CoDel */
    WEIR_RPM_SIMULATED,
    WEIR_RPM_COUNTED = WEIR_RPM_SIMULATED, /* events of RPM, in both switches */
    WEIR_RPM_ACCOUNTED,      /* .. of them marked, waiting, or in a counter for what else became of them */
    WEIR_RPM_MARKED_FORWARD, /* .. of those, marked in the packet */
    WEIR_RPM_LATE_MEAN,      /* us, of frames in the delay lines */
    WEIR_RPM_LATE_P99,
    WEIR_RPM_BUSY, /* percent of all processors in the measured part */
    WEIR_RPM_VALUES
};
extern const char *const weir_rpm_value_names[WEIR_RPM_VALUES + 1];
extern const char *const weir_rpm_simulated_names[WEIR_RPM_SIMULATED + 1];

/* Returns the pair of the paper that pair i of c->pairs is, 0 .. 9. */
uint32_t weir_rpm_pair(const struct weir_rpm_case *c, uint32_t i);
/* Returns the delay in milliseconds between the right switch and the receiver of pair i. */
uint32_t weir_rpm_receiver_ms(const struct weir_rpm_case *c, uint32_t i);
/* Tests whether pair i runs DCTCP. */
bool weir_rpm_is_dctcp(const struct weir_rpm_case *c, uint32_t i);

/* Builds a testbed, measures, and removes it. The law in BPF is loaded by this process, and unloaded also after a
 * signal. value: WEIR_RPM_VALUES numbers. @return 0, or a code with err */
int weir_rpm_measure(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err);

/* Simulates a case. value: WEIR_RPM_SIMULATED numbers. @return 0, or a code with err */
int weir_rpm_simulate(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err);

/* Measures the time from the first congestion event to the first ACK with ECE at the only sender, in ms. receiver_ms:
 * delay of the receiver. @return 0, or a code with err */
int weir_rpm_react(struct weir_figs *figs, uint32_t receiver_ms, enum weir_rpm_scheme scheme, double *reaction_ms,
                   struct weir_err *err);

/* The same, simulated. */
int weir_rpm_simulate_reaction(struct weir_figs *figs, uint32_t receiver_ms, enum weir_rpm_scheme scheme,
                               double *reaction_ms, struct weir_err *err);
#endif
