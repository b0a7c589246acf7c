/* src/commands/testbed/dart.h - `weir reproduce dart-testbed`: Dart over a switch of real frames at 200 Mb/s, next to
 * the simulator. What its figures have in common, and the simulations. */
#ifndef WEIR_TESTBED_DART_H
#define WEIR_TESTBED_DART_H
#include "testbed/commands.h"

#define WEIR_DART_BPS 200e6
#define WEIR_DART_RATE "200mbit"
#define WEIR_DART_MARKS "ecn: 22500 B" /* the paper's: 15 full packets */
/* Keys of DCQCN, and of Dart's fall-back. Times are 20 times the published ones, since a round trip is so much longer
 * here. The least rate is 100 Mb/s at 40 Gb/s; 1 Mb/s is the least that may be set. */
#define WEIR_DART_TIMES " min_rate=1Mbps cnp_interval=1ms alpha_timer=1100us increase_timer=1100us"
#define WEIR_DART_CC "dart" WEIR_DART_TIMES

struct weir_dart_law {
    const char *name, *cc; /* of the simulator; of libweir */
    const char *fabric;    /* what its switches do */
    /* keys of the simulator's scenario, the last one NULL: the same, and sizes of its packets (doc/softswitch.md) */
    const char *const *set;
};
extern const struct weir_dart_law weir_dart_laws[]; /* dart, dcqcn */
enum { WEIR_DART_DART, WEIR_DART_DCQCN, WEIR_DART_LAWS };

/* Measures the round trip of a full packet from host 2 to host 1 on the idle network, in us. @return 0, or a code with
 * err */
int weir_dart_rtt(struct weir_figs *figs, const struct weir_dart_law *law, double *rtt_us, struct weir_err *err);

/* Starts messages of 5 MB, two under way, from a host to host `to`. from_port: of the sender; 0 = any. @return the
 * number of the job, or -1 with err */
int weir_dart_long(struct weir_figs *figs, const struct weir_dart_law *law, const char *rtt, uint32_t host, uint32_t to,
                   uint32_t from_port, uint32_t seconds, struct weir_err *err);

struct weir_dart_short {     /* messages from a host, each at a time of day: at the same ones on all hosts */
    uint32_t host, to;       /* to: host */
    uint32_t from_port;      /* 0 = any */
    uint32_t seconds;        /* how long */
    const char *size, *each; /* bytes, and from message to message: "fixed:8KB", "10ms" */
};

/* Starts them. @return the number of the job, or -1 with err */
int weir_dart_start_short(struct weir_figs *figs, const struct weir_dart_law *law, const char *rtt,
                          const struct weir_dart_short *s, struct weir_err *err);

/* Waits for a host's messages to end, and reads the completion times; p50_ms and p99_ms may be NULL. @return 0, or a
 * code with err: one of them failed */
int weir_dart_end(struct weir_figs *figs, int job, double *p50_ms, double *p99_ms, struct weir_err *err);

/* Reads all counters of the switch. @return JSON, or NULL with err */
const char *weir_dart_status(struct weir_figs *figs, struct weir_err *err);

/* Computes how much a number of the switch has grown from one reading to the other. @return 0, or a code with err */
int weir_dart_grown(const char *from, const char *to, const char *json_path, double *by, struct weir_err *err);

/* Computes the rate at which a host sent between two readings, in Mb/s of frames. @return 0, or a code with err */
int weir_dart_rate(const char *from, const char *to, uint32_t host, double *mbps, struct weir_err *err);

struct weir_dart_plan {               /* the measurements of a figure */
    const char *figure, *const *name; /* name: of the numbers, NULL-terminated */
    uint32_t count, values;           /* cases, and numbers of each */
    /* Writes what a case is called, and all that its numbers depend on. size: of settings; point has 64 bytes */
    void (*describe)(const struct weir_figs *figs, uint32_t index, char *point, char *settings, size_t size);
    /* Measures a case. The testbed is removed after it */
    int (*run)(struct weir_figs *figs, uint32_t index, double *value, struct weir_err *err);
};

/* Makes all measurements, or takes them from the result file. Each repetition has all cases, so that what changes on
 * the machine meets all. number: plan->values for each of WEIR_FIG_REPEATS_MAX repetitions of each case. @return 0, or
 * a code with err */
int weir_dart_take(struct weir_figs *figs, const struct weir_dart_plan *plan, double *number, struct weir_err *err);

/* Copies one number of all repetitions to `column`. */
void weir_dart_column(const struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number,
                      uint32_t index, uint32_t value, double *column);

/* Adds the median of one number of a case. text: printf format without arguments */
void weir_dart_show(struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number, uint32_t index,
                    uint32_t value, const char *unit, const char *text);

struct weir_dart_row { /* of a table */
    uint32_t value;    /* number of a value */
    const char *unit, *text;
};

/* Adds the medians of several numbers of a case. name: of the case, before each text */
void weir_dart_show_rows(struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number,
                         uint32_t index, const char *name, const struct weir_dart_row *row, size_t count);

/* ---- dart_sim.c ---- */

enum { WEIR_DART_SENDERS = 4 };

struct weir_dart_joins { /* from the first packet of the sender that joins to the first ACK that counts it, us */
    double first[WEIR_DART_SENDERS], own[WEIR_DART_SENDERS]; /* at the first sender; at itself; [n - 1] of the nth */
};

/* Simulate what the figures measure, with cables that give the round trip rtt_us. @return 0, or a code with err */
int weir_dart_simulate_star(struct weir_figs *figs, double rtt_us, struct weir_dart_joins *joins, struct weir_err *err);

#define WEIR_DART_SPINE_LINK                                                                                           \
    6u /* of leaf-spine networks with two hosts a rack: from the first rack to the first spine */

struct weir_dart_bulk {    /* of an incast, or of short messages next to long ones */
    double p50_ms, p99_ms; /* completion of the short messages */
    double long_mbps;      /* frames of the long ones */
    double marks;          /* each second */
    double deflected;      /* percent of the short messages */
};
int weir_dart_simulate_incast(struct weir_figs *figs, const struct weir_dart_law *law, double rtt_us, uint32_t senders,
                              struct weir_dart_bulk *bulk, struct weir_err *err);
int weir_dart_simulate_deflect(struct weir_figs *figs, double rtt_us, bool deflects, struct weir_dart_bulk *bulk,
                               struct weir_err *err);

/* ---- the figures ---- */

int weir_dart_star(struct weir_figs *figs, struct weir_err *err);
int weir_dart_incast(struct weir_figs *figs, struct weir_err *err);
int weir_dart_deflect(struct weir_figs *figs, struct weir_err *err);
#endif
