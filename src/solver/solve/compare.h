/* src/solver/solve/compare.h - a run next to the solver: what flows begin at (run.start) and what they come to
 * (run.compare). Doubles; no run depends on them but by its start rates, which are rounded to bit/s. */
#ifndef WEIR_SOLVE_COMPARE_H
#define WEIR_SOLVE_COMPARE_H
#include "core/metric.h"
#include "solve/allocate.h"

#define WEIR_COMPARE_MISSES 20u /* that are listed one by one */

struct weir_miss { /* a flow whose rate is more than 3 % from its share; rates are of payload */
    uint32_t flow, src, dst;
    double weight, share_bps, got_bps;
    double rtt_pkts;    /* its share in packets per round trip */
    double window_pkts; /* .. and in the window its rate was taken over */
    char bottleneck[WEIR_LINK_NAME];
};

struct weir_compared {           /* times in seconds; INFINITY = there is none */
    uint32_t flows, within;      /* active at the end; of those, within 3 % of their share */
    uint32_t moved;              /* whose share changed by more than 5 % at since_s, or who began then */
    uint32_t settled, unsettled; /* of those; of the rest the run is too short */
    double error_p50, error_p99, error_max;
    uint32_t links; /* that are some flow's bottleneck */
    double utilisation_min, utilisation_mean;
    char utilisation_link[WEIR_LINK_NAME]; /* with the least */
    double since_s;                        /* last change, start or end of a flow */
    double window_s;                       /* the longest that a rate is a mean over, up to the end */
    double snapshot_s;
    double rtt_s; /* with the queues there were: bytes in flight over rate */
    double settle_p50_s, settle_p99_s;
    double together_s; /* all that moved, as one */
    double settle_p50_rtts, settle_p99_rtts, together_rtts;
    double solve_s;
    struct weir_miss miss[WEIR_COMPARE_MISSES]; /* miss_count, the farthest first */
    uint32_t miss_count;
};

struct weir_compare { /* zeros = off */
    struct weir_setup *setup;
    struct weir_allotment *start; /* by tag - 1; NULL = as laws say */
    uint64_t snapshot_ps;         /* between snapshots; 0 = nothing is compared */
    uint64_t end_ps, known_ps,
        changed_ps; /* known: last start or change there is in the scenario; changed: last change, 0 = none */
    uint64_t before_ps, seen_ps; /* the snapshot before; that before the one at which a start or an end was last seen */
    uint32_t flows;              /* tags */
    uint8_t *state;              /* of each at the snapshot before */
    uint64_t **acked;            /* [snapshot][flow], payload; count, room for room */
    uint64_t *at_ps;
    uint32_t count, room;
    double inflight_bytes; /* sum over these snapshots */
};

/**
 * Refuses what cannot be compared, finds start rates and makes the model use them.
 * @param c  zeros
 * @return 0, or a code with err; then nothing needs freeing
 */
int weir_compare_init(struct weir_compare *c, struct weir_setup *setup, struct weir_err *err);

/* Takes a snapshot, as struct weir_sim_options.snapshot; for snapshots at multiples of snapshot_ps. @return 0 or
 * WEIR_E_MEMORY */
int weir_compare_snapshot(struct weir_compare *c, const struct weir_snapshot *snapshot);

/* Rows of struct weir_compared, "allocation.flows" and so on, in the order of the JSON. */
extern const struct weir_metric weir_compared_metrics[];

/* Compares after the end of the run. @return 0, or a code with err: no flow is left, memory */
int weir_compare_finish(const struct weir_compare *c, struct weir_compared *out, struct weir_err *err);
void weir_compare_free(struct weir_compare *c);

/* The shares of flows that share the network, with the weights of an instant. */
struct weir_shares {
    struct weir_allocate_flows flows;
    struct weir_solution solution;
};

/**
 * Finds the shares; weir_shares_free() frees them.
 * @param at_ps   of weights and cables; WEIR_NEVER = as flows start
 * @param state   by tag - 1: only those under way; NULL = all
 * @return 0, or a code with err; then nothing needs freeing
 */
int weir_shares_find(struct weir_shares *shares, struct weir_setup *setup, uint64_t at_ps, const uint8_t *state,
                     struct weir_err *err);

/**
 * Computes what each flow begins with: its share, and which queues there will be on its path.
 * @param wire  bits on the wire per bit of payload
 * @param out   by number - 1; those without a share are left as they are
 * @return 0 or WEIR_E_MEMORY with err
 */
int weir_shares_allot(const struct weir_shares *shares, double wire, struct weir_allotment *out, struct weir_err *err);
void weir_shares_free(struct weir_shares *shares);
#endif
