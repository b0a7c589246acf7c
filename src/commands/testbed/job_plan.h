/* src/commands/testbed/job_plan.h - jobs that run twice: in the simulator, and over the kernel's TCP on a testbed
 * (job_run.h). Both fill the same trace, so that their numbers can be compared. */
#ifndef WEIR_TESTBED_JOB_PLAN_H
#define WEIR_TESTBED_JOB_PLAN_H
#include "bpf/law_keys.h"
#include "config/tree.h"
#include "setup/setup.h"

enum { WEIR_PLAN_FLOWS = 16, WEIR_TRACE_BINS = 1200, WEIR_TRACE_BIN_MS = 50 };

struct weir_trace { /* what became of the flows of a plan; times in seconds from the start of the jobs on */
    double start_s[WEIR_PLAN_FLOWS], end_s[WEIR_PLAN_FLOWS]; /* end: its last byte arrived; NAN = it did not */
    uint32_t bins;                                           /* bins of WEIR_TRACE_BIN_MS that have ended */
    /* Payload of each flow by the end of a bin. Real: that had arrived at the receiver. Simulated: acknowledged */
    uint64_t bytes[WEIR_TRACE_BINS][WEIR_PLAN_FLOWS];
    double rtt_ms[WEIR_TRACE_BINS]; /* real: mean over active flows of TCP's smoothed round trip; NAN = none */
};

struct weir_job_plan { /* large: on the heap */
    struct weir_scenario scn;
    struct weir_setup setup; /* .jobs: what is to run */
    bool is_open;
};

/**
 * Reads a scenario whose only traffic is jobs of up to WEIR_PLAN_FLOWS flows, from the files of an experiment in the
 * binary.
 * @param id    of the experiment: "soze-testbed"
 * @param set   `--set` of a scenario, NULL-terminated; at most 8
 * @param keys  of the kernel's law, which the simulated one gets; of the scenario's protocol. NULL = those of the
 *              scenario
 * @return 0, or a code with err; then plan needs no weir_job_plan_close()
 */
int weir_job_plan_open(struct weir_job_plan *plan, struct weir_tree_arena *arena, const char *id,
                       const char *const *set, const struct weir_tcp_keys *keys, struct weir_err *err);
void weir_job_plan_close(struct weir_job_plan *plan);

/* Simulates the plan into *trace. Called once per plan. @return 0, or a code with err */
int weir_job_plan_simulate(struct weir_job_plan *plan, struct weir_trace *trace, struct weir_err *err);

/* Returns when the last flow of a job ended, less when the job began; NAN = some flow did not end. job: its index */
double weir_trace_job_s(const struct weir_trace *trace, const struct weir_jobs *jobs, uint32_t job);

/* Returns the mean payload rate of a flow from one time to another, from its bytes in bins; NAN = the trace is shorter.
 * Both times are rounded down to bins. */
double weir_trace_mbps(const struct weir_trace *trace, uint32_t flow, double from_s, double to_s);
#endif
