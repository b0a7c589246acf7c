/* src/solver/solve/compare.h - uses the solver's shares in a run: as the rates at which flows start (run.start), and to
 * compare the rates of the run with them (run.compare). Computes in doubles. A run depends only on the start rates,
 * which are rounded down to bit/s. */
#ifndef WEIR_SOLVE_COMPARE_H
#define WEIR_SOLVE_COMPARE_H
#include "core/metric.h"
#include "solve/allocate.h"

#define WEIR_COMPARE_MISSES 20u /* most flows that are listed one by one */

struct weir_miss { /* a flow whose rate differs by more than 3 % from its share; rates count payload */
    uint32_t flow, src, dst;
    double weight, share_bps, got_bps;
    double rtt_pkts;    /* the share in packets per round trip */
    double window_pkts; /* the share in packets per window; got_bps is the mean rate over this window */
    char bottleneck[WEIR_LINK_NAME];
};

struct weir_compared {      /* results of a comparison; times in seconds, INFINITY = none */
    uint32_t flows, within; /* flows: active at the end; within: those of them whose rate is within 3 % of the share */
    /* flows whose share changed at since_s, by more than 5 % of the new share; if no weight or path changed at since_s:
     * all flows with a share above 0 */
    uint32_t moved;
    uint32_t settled, unsettled; /* parts of `moved`; for the other flows of `moved` the run is too short */
    double error_p50, error_p99, error_max;
    uint32_t links; /* links that are the bottleneck of some flow */
    double utilisation_min, utilisation_mean;
    char utilisation_link[WEIR_LINK_NAME]; /* link with the least utilisation */
    double since_s;                        /* last time at which a weight or path changed, or a flow started or ended */
    double window_s;                       /* longest window of a flow: its rate is the mean over the window, which
                                              ends with the last snapshot */
    double snapshot_s;
    double rtt_s; /* round trip with the queues of the run: bytes in flight over rate */
    double settle_p50_s, settle_p99_s;
    double together_s; /* time until the flows that moved, taken together, had settled */
    double settle_p50_rtts, settle_p99_rtts, together_rtts;
    double solve_s;
    struct weir_miss miss[WEIR_COMPARE_MISSES]; /* miss_count flows, the largest error first */
    uint32_t miss_count;
};

struct weir_compare { /* state of a comparison; all zero = off */
    struct weir_setup *setup;
    struct weir_allotment *start; /* start rates of flows, by tag - 1; NULL = as the law sets them */
    uint64_t snapshot_ps;         /* time between snapshots; 0 = nothing is compared */
    /* end_ps: end of the run. known_ps: last flow start, or change of a weight or path, that the scenario gives.
     * changed_ps: last change of a weight or path; 0 = none */
    uint64_t end_ps, known_ps, changed_ps;
    /* before_ps: time of the last snapshot. seen_ps: time of the snapshot just before the last one that showed a start
     * or an end of a flow */
    uint64_t before_ps, seen_ps;
    uint32_t flows;        /* number of tags */
    uint8_t *state;        /* state of each flow at the last snapshot */
    uint64_t **acked;      /* [snapshot][flow]: payload acknowledged; the first index is below count */
    uint64_t *at_ps;       /* time of each of these snapshots */
    uint32_t count, room;  /* count: snapshots that are kept; room: length of acked and at_ps */
    double inflight_bytes; /* bytes in flight, summed over the kept snapshots and all flows */
};

/**
 * Prepares a run for run.start and run.compare: refuses scenarios that these keys do not allow, computes the start
 * rates, and enters them in setup->workload. Has setup->model track flows if needed. If neither key is set, only
 * initialises *c.
 * @param c  need not be initialised
 * @return 0, then weir_compare_free() frees *c; or a code with err, then nothing needs freeing
 */
int weir_compare_init(struct weir_compare *c, struct weir_setup *setup, struct weir_err *err);

/* Adds a snapshot. Called from struct weir_sim_options.snapshot: at multiples of c->snapshot_ps, and at the end of the
 * run. @return 0, or WEIR_E_MEMORY */
int weir_compare_snapshot(struct weir_compare *c, const struct weir_snapshot *snapshot);

/* Metrics of struct weir_compared, "allocation.flows" and so on, in the order of the JSON; the last row has a NULL
 * name. */
extern const struct weir_metric weir_compared_metrics[];

/* Computes the results after the end of the run. @return 0, or a code with err: WEIR_E_RUN if no flow is left or there
 * are fewer than three snapshots since the last change, WEIR_E_MEMORY, or a code of weir_shares_find() */
int weir_compare_finish(const struct weir_compare *c, struct weir_compared *out, struct weir_err *err);
void weir_compare_free(struct weir_compare *c);

/* A list of flows that share the network, and their shares. */
struct weir_shares {
    struct weir_allocate_flows flows;
    struct weir_solution solution;
};

/**
 * Computes the shares of the scenario's flows, with acknowledgements counted; rates count payload.
 * @param at_ps   the weights and cables are those at this time; WEIR_NEVER = each flow's weight at its start, and the
 * cables at the beginning of the run
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
