/* src/scenario/workload/jobs.h - flows that wait for others: staged graphs of an application's work (jobs), with
 * weights and the policies that set them. The graph is made before the run and read-only then; what has ended so far is
 * the run's own (port/jobs_run.h). Rules: doc/model.md [jobs]. */
#ifndef WEIR_WORKLOAD_JOBS_H
#define WEIR_WORKLOAD_JOBS_H
#include "core/err.h"
#include "core/units.h"
#include <stdbool.h>

#define WEIR_WEIGHT_ONE (UINT64_C(1) << 20) /* weights are Q20: 1.0 */
#define WEIR_WEIGHT_MIN 1049u               /* 0.001, rounded up */
#define WEIR_WEIGHT_MAX (WEIR_WEIGHT_ONE * 1000000)
#define WEIR_JOB_FLOWS_MAX (1u << 21) /* of a run */
#define WEIR_JOB_EDGES_MAX (1u << 26) /* of a run: "waits for", and so many changes of weights */

enum weir_job_policy {
    /* a flow's own weight, 1 by default, is a factor in all of them but fair */
    WEIR_POLICY_GIVEN,         /* the weights as they are in the file */
    WEIR_POLICY_CRITICAL_PATH, /* weight = longest distance, in flows, to the end of the job, this flow included */
    WEIR_POLICY_EQUAL_FINISH,  /* weight = size / smallest size of the job */
    WEIR_POLICY_SHORTEST_FLOW, /* weight = largest size of the job / size */
    /* the next three are set anew at every tick, from what the flows have left */
    WEIR_POLICY_CONSTANT_SUM, /* of the flows that are active, the weights as given, scaled so that they sum to `sum` */
    /* a flow that would end later than the first of its coflow at the present rates is raised. Its weight is
     * multiplied by needed rate / present rate, within [1, 16] times its own; who needs least has its own */
    WEIR_POLICY_EQUAL_PROGRESS,
    WEIR_POLICY_ALTRUISTIC, /* a flow keeps what it needs to end with the last of its coflow that has all its weight */
    WEIR_POLICY_FAIR,       /* 1 for all, whatever the file sets: what the others are compared with */
    WEIR_POLICY_CRITICAL_PATH_SQUARED, /* weight = the square of critical-path's; set before the run, as that is */
};

struct weir_job_change { /* of a weight, known before the run */
    uint64_t at_ps, weight_q20;
};

struct weir_job_flow {
    uint64_t bytes, weight_q20; /* weight: as the policy sets it at the flow's start */
    uint64_t start_ps; /* without dependencies: when it starts. Else: how long after the last of them (compute) */
    uint32_t src, dst;
    uint32_t job, coflow; /* coflow: index in struct weir_jobs.coflow; flows of one stage that are to end together */
    uint32_t after_first, after_count;   /* into .edge: flows it waits for */
    uint32_t before_first, before_count; /* into .edge: flows that wait for it */
    uint32_t change_first, change_count; /* into .change, by time */
    uint32_t item;                       /* which entry of the scenario's `traffic` */
    uint32_t coflow_next;                /* another flow of its coflow; UINT32_MAX = no more */
};

struct weir_job {
    const char *name;      /* owned by the jobs */
    uint32_t policy;       /* enum weir_job_policy */
    uint32_t first, count; /* its flows are one stretch of .flow */
    uint64_t sum_q20;      /* constant-sum */
    uint64_t start_ps;     /* earliest of its flows; a job's completion time counts from here */
};

struct weir_coflow {
    uint32_t job, count;
    uint32_t first; /* of its flows, which are a chain by .coflow_next */
    const char *name;
};

struct weir_jobs { /* read-only during a run */
    struct weir_job_flow *flow;
    struct weir_job *job;
    struct weir_coflow *coflow;
    struct weir_job_change *change;
    uint32_t *edge;
    const char **flow_name; /* as in the file, unique within the job */
    uint32_t flow_count, job_count, coflow_count, change_count, edge_count;
    /* A flow that ends at one host and releases one at another does so this much later (message of a controller). The
     * run takes the larger of this and the shortest delay of a link. */
    uint64_t notify_ps;
    uint64_t tick_ps;            /* between steps of the policies that use progress; 0 = no job has one */
    struct weir_jobs_text *text; /* storage behind the names */
};

struct weir_job_progress { /* of one flow at a tick */
    uint64_t left_bytes;   /* not yet acknowledged; 0 = ended */
    uint64_t rate_bps;     /* payload acknowledged since the tick before */
    bool active;           /* started and not ended */
};

/**
 * Takes a step of the policies at a tick. Called with all threads standing still.
 * @param progress  flow_count entries
 * @param weight_q20  flow_count entries: present weights; those that change are written, within [WEIR_WEIGHT_MIN,
 *                    WEIR_WEIGHT_MAX]
 */
void weir_jobs_tick(const struct weir_jobs *jobs, const struct weir_job_progress *progress, uint64_t *weight_q20);
void weir_jobs_free(struct weir_jobs *jobs);

/* Tests whether some flow's weight is not 1, or will not stay so. */
bool weir_jobs_weighted(const struct weir_jobs *jobs);

/* --- making them: a job, its coflows, its flows; behind each flow what it waits for, and changes of its weight --- */

/* Adds one more, to the last job or flow where it belongs to one. Names are copied; first, count and the like are found
 * here.
 * @return 0, or a code with err: no memory, too many flows */
int weir_jobs_add(struct weir_jobs *jobs, const struct weir_job *job, struct weir_err *err);
int weir_jobs_add_coflow(struct weir_jobs *jobs, const char *name, struct weir_err *err);
int weir_jobs_add_flow(struct weir_jobs *jobs, const struct weir_job_flow *flow, const char *name,
                       struct weir_err *err);
int weir_jobs_add_after(struct weir_jobs *jobs, uint32_t flow,
                        struct weir_err *err); /* may be one that is yet to come */
int weir_jobs_add_change(struct weir_jobs *jobs, const struct weir_job_change *change, struct weir_err *err);

/**
 * Checks the graph and makes it ready to run: who waits for whom, chains of coflows, starts of jobs, the weights of the
 * policies. The weight a flow was added with is what its policy starts from. Once, after the last has been added.
 * @param where  a position for each flow, for messages; may be NULL
 * @return 0, or a code with err: no flows, hosts that do not exist or are the same, a size of 0, a weight out of its
 *         range, a cycle (its flows are named), a policy without its tick, ..
 */
int weir_jobs_finish(struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err);
#endif
