/* src/commands/testbed/fncc.h - what the figures of `weir reproduce fncc-testbed` have in common: senders and receivers
 * of libweir over a switch in user space at 200 Mb/s, and the same network in the simulator. */
#ifndef WEIR_TESTBED_FNCC_H
#define WEIR_TESTBED_FNCC_H
#include "testbed/figs.h"
#include "testbed/sim.h"

#define WEIR_FNCC_RATE_BPS 200e6

enum {
    WEIR_FNCC_WARM_S = 1, /* one sender, before anything is measured */
    WEIR_FNCC_TAIL_S = 1,
};

struct weir_fncc_law {
    const char *name;     /* in tables */
    const char *protocol; /* for the switch */
    const char *cc;       /* of the hosts: the protocol with its keys */
    const char *fabric;   /* of the switch, without its buffer */
    const char *set[3];   /* the simulator's keys for the same; NULL = no more */
};

/* One connection for each sender, as the simulator has one flow. HPCC's least rate is 100 Mb/s if nothing else is said,
 * a thousandth of the paper's links, and half of these. */
#define WEIR_FNCC_OWN(law, more)                                                                                       \
    {                                                                                                                  \
        law, law, law " min_rate=1Mbps host.connections=1" more, "int: {}",                                            \
        {                                                                                                              \
            "protocol.min_rate=1 Mbps", NULL                                                                           \
        }                                                                                                              \
    }
#define WEIR_FNCC_DCTCP                                                                                                \
    {                                                                                                                  \
        "dctcp", "dctcp", "dctcp host.connections=1", "ecn: 30 KB",                                                    \
        {                                                                                                              \
            "fabric.ecn.threshold=30 KB", NULL                                                                         \
        }                                                                                                              \
    }

struct weir_fncc_bed {        /* numbers of hosts are the simulator's, which begin at 0 */
    const char *topology;     /* of the switch: its hosts' delays are those of the software */
    const char *scenario;     /* of experiments/fncc-testbed */
    const char *traffic;      /* the simulator's key for the list of flows; NULL = that of the scenario */
    const char *port, *cable; /* the port that both senders share, as `weir switch status` and the simulator name it */
    const char *second_nic;   /* the second sender's link, as the former */
    uint32_t hosts, first, second;
    uint32_t to[2];  /* receiver of the first, and of the second */
    double heads_us; /* of a round trip of the first: frames of 1538 B and ACKs of about 200 B, at each link */
};

/* Builds the testbed for a law. pcap: capture what passes the switch, the first 64 bytes of each frame;
 * weir_testbed_down() deletes the file. @return 0, or a code with err */
int weir_fncc_up(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law, bool pcap,
                 struct weir_err *err);

/* Measures the round trip of a full packet of the first sender on the idle network. @return 0, or a code with err */
int weir_fncc_rtt(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                  double *rtt_us, struct weir_err *err);

/* Starts the receivers. server: their jobs, -1 for a second one that is the first. @return 0, or a code with err */
int weir_fncc_serve(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                    double rtt_us, int server[2], struct weir_err *err);
/* Ends them. @return 0, or a code with err */
int weir_fncc_end(struct weir_figs *figs, const int server[2], struct weir_err *err);

/* Starts a sender, 0 or 1. traffic: its options for sizes and times. @return the number of the job, or -1 with err */
int weir_fncc_send(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                   double rtt_us, uint32_t which, const struct weir_fig_args *traffic, struct weir_err *err);
/* Waits for the end of a sender. @return 0, or a code with err: also if messages have failed */
int weir_fncc_sent(struct weir_figs *figs, const struct weir_fncc_law *law, int job, struct weir_err *err);

/* Makes the simulation ready that has the same law and round trip. s: of fncc-testbed, without settings. seed: from 1
 * on; flows start up to 1 ms later by it. @return NULL with err */
struct weir_testbed_sim *weir_fncc_sim(struct weir_testbed_scenario *s, const struct weir_fncc_bed *bed,
                                       const struct weir_fncc_law *law, double rtt_us, uint32_t seed,
                                       struct weir_err *err);

/* ---- a figure of queues ---- */

enum weir_fncc_value {
    WEIR_FNCC_RTT,        /* us, of a call of 1400 B on the idle network */
    WEIR_FNCC_USE_ALONE,  /* of the port, percent */
    WEIR_FNCC_PEAK_ALONE, /* KB, of its queue */
    WEIR_FNCC_USE,        /* the same with two senders .. */
    WEIR_FNCC_PEAK,
    WEIR_FNCC_MEAN,     /* .. and the mean queue, once they have settled */
    WEIR_FNCC_SHARE,    /* of the second sender, percent */
    WEIR_FNCC_SIM_PEAK, /* simulated: KB */
    WEIR_FNCC_SIM_MEAN,
    WEIR_FNCC_VALUES,
};

enum { WEIR_FNCC_CASES_MAX = 16 };

struct weir_fncc_case {
    struct weir_fncc_bed bed;
    struct weir_fncc_law law;
    const char *name; /* in tables */
};

typedef double weir_fncc_numbers[WEIR_FIG_REPEATS_MAX][WEIR_FNCC_VALUES];

/* Measures and simulates all cases, figs->repeats times. The round trip is measured with the first case, and is that of
 * all cases of the repetition: the laws are given it, and their queues grow with it. number: of each case; owned by the
 * caller, who frees it, also after an error. @return 0, or a code with err */
int weir_fncc_queues(struct weir_figs *figs, const char *figure, const struct weir_fncc_case *c, uint32_t count,
                     weir_fncc_numbers **number, struct weir_err *err);

/* Adds the median of one number of a case to the figure. */
void weir_fncc_show(struct weir_figs *figs, const char *figure, const struct weir_fncc_case *c,
                    weir_fncc_numbers number, enum weir_fncc_value value, const char *unit, const char *text);

int weir_fncc_reaction(struct weir_figs *figs, struct weir_err *err);
int weir_fncc_hops(struct weir_figs *figs, struct weir_err *err);
#endif
