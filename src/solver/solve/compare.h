/* src/solver/solve/compare.h - compares a run with the solver: sets the rates at which flows start (run.start), and
 * compares the rates of a run with the shares (run.compare). Computes in doubles. A run depends on them only by its
 * start rates, which are rounded to bit/s. */
#ifndef WEIR_SOLVE_COMPARE_H
#define WEIR_SOLVE_COMPARE_H
#include "core/metric.h"
#include "solve/allocate.h"

#define WEIR_COMPARE_MISSES 20u /* most flows that are listed one by one */

struct weir_miss { /* a flow whose rate differs by more than 3 % from its share; rates count payload */
    uint32_t flow, src, dst;
    double weight, share_bps, got_bps;
    double rtt_pkts;    /* its share, in packets per round trip */
    double window_pkts; /* its share, in packets per window over which its rate is the mean */
    char bottleneck[WEIR_LINK_NAME];
};

struct weir_compared {      /* results of a comparison; times in seconds, INFINITY = none */
    uint32_t flows, within; /* flows active at the end; those of them within 3 % of their share */
    /* flows whose share changed by more than 5 % at since_s; all flows, if no weight or path changed then */
    uint32_t moved;
    uint32_t settled, unsettled; /* of the flows that moved; for the rest the run is too short */
    double error_p50, error_p99, error_max;
    uint32_t links; /* links that are the bottleneck of some flow */
    double utilisation_min, utilisation_mean;
    char utilisation_link[WEIR_LINK_NAME]; /* link with the least utilisation */
    double since_s;                        /* time of the last change, or start or end of a flow */
    double window_s;                       /* longest window over which a rate is the mean, up to the last snapshot */
    double snapshot_s;
    double rtt_s; /* round trip with the queues of the run: bytes in flight over rate */
    double settle_p50_s, settle_p99_s;
    double together_s; /* time to settle of all flows that moved, taken together */
    double settle_p50_rtts, settle_p99_rtts, together_rtts;
    double solve_s;
    struct weir_miss miss[WEIR_COMPARE_MISSES]; /* miss_count flows, the largest error first */
    uint32_t miss_count;
};

struct weir_compare { /* state of a comparison; all zero = off */
    struct weir_setup *setup;
    struct weir_allotment *start; /* start rates of flows, by tag - 1; NULL = as the law sets them */
    uint64_t snapshot_ps;         /* time between snapshots; 0 = nothing is compared */
    /* end of the run; last start or change that the scenario gives; last change of a weight or path, 0 = none */
    uint64_t end_ps, known_ps, changed_ps;
    /* time of the last snapshot; of the snapshot before the one that last showed a start or an end of a flow */
    uint64_t before_ps, seen_ps;
    uint32_t flows;        /* number of tags */
    uint8_t *state;        /* state of each flow at the last snapshot */
    uint64_t **acked;      /* [snapshot][flow]: payload acknowledged; count snapshots are kept */
    uint64_t *at_ps;       /* time of each of these snapshots */
    uint32_t count, room;  /* snapshots kept; length of these arrays */
    double inflight_bytes; /* sum over these snapshots and all flows */
};

/**
 * Prepares a comparison: refuses scenarios that run.start or run.compare does not allow, computes start rates, and
 * makes setup->workload and setup->model use them. Does nothing else if neither key is set.
 * @param c  need not be initialised
 * @return 0, then weir_compare_free() frees *c; or a code with err, then nothing needs freeing
 */
int weir_compare_init(struct weir_compare *c, struct weir_setup *setup, struct weir_err *err);

/* Adds a snapshot; called from struct weir_sim_options.snapshot at multiples of snapshot_ps. @return 0, or
 * WEIR_E_MEMORY */
int weir_compare_snapshot(struct weir_compare *c, const struct weir_snapshot *snapshot);

/* Metrics of struct weir_compared, "allocation.flows" and so on, in the order of the JSON; the last row has a NULL
 * name. */
extern const struct weir_metric weir_compared_metrics[];

/* Computes the results after the end of the run. @return 0, or a code with err: no flow is left, fewer than three
 * snapshots since the last change, no memory */
int weir_compare_finish(const struct weir_compare *c, struct weir_compared *out, struct weir_err *err);
void weir_compare_free(struct weir_compare *c);

/* A list of flows that share the network, and their shares. */
struct weir_shares {
    struct weir_allocate_flows flows;
    struct weir_solution solution;
};

/**
 * Computes the shares of the scenario's flows, with acknowledgements counted; rates count payload.
 * @param at_ps   time whose weights and cables count; WEIR_NEVER = the weights at each flow's start, and the cables at
 *                the beginning of the run
 * @param state   by tag - 1: only flows with state 1 (active) count; NULL = all flows
 * @return 0, then weir_shares_free() frees *shares; or a code with err, then nothing needs freeing
 */
int weir_shares_find(struct weir_shares *shares, struct weir_setup *setup, uint64_t at_ps, const uint8_t *state,
                     struct weir_err *err);

/**
 * Computes the initial rate of each flow from its share, and the levels of the full links on its path.
 * @param wire  bits on the wire per bit of payload
 * @param out   entry number - 1 of each flow is set; the other entries stay as they are
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_shares_allot(const struct weir_shares *shares, double wire, struct weir_allotment *out, struct weir_err *err);
void weir_shares_free(struct weir_shares *shares);
#endif
