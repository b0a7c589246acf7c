/* src/scenario/workload/jobs.h - jobs: graphs of flows that wait for others, as stages of an application's work, with
 * weights and the policies that set the weights. A graph is built before the run and does not change in it. The state
 * of a run, as which flows have ended, is in port/jobs_run.h. Rules: doc/model.md [jobs]. */
#ifndef WEIR_WORKLOAD_JOBS_H
#define WEIR_WORKLOAD_JOBS_H
#include "core/err.h"
#include "core/units.h"
#include <stdbool.h>

#define WEIR_WEIGHT_ONE (UINT64_C(1) << 20) /* weights are Q20: 1.0 */
#define WEIR_WEIGHT_MIN 1049u               /* 0.001, rounded up */
#define WEIR_WEIGHT_MAX (WEIR_WEIGHT_ONE * 1000000)
#define WEIR_JOB_FLOWS_MAX (1u << 21) /* most flows of a run */
#define WEIR_JOB_EDGES_MAX (1u << 26) /* most dependencies between flows of a run; also most changes of weights */

/* Policy that sets the weights of a job's flows. In every policy except fair, the weight that the file gives to a flow
 * (1 by default) is a factor: its own weight. */
enum weir_job_policy {
    WEIR_POLICY_GIVEN,         /* the weights as they are in the file */
    WEIR_POLICY_CRITICAL_PATH, /* weight = number of flows on the longest path to the job's end, this flow included */
    WEIR_POLICY_EQUAL_FINISH,  /* weight = size / smallest size of the job */
    WEIR_POLICY_SHORTEST_FLOW, /* weight = largest size of the job / size */
    /* the next three set weights again at every tick, from the bytes that flows have left */
    WEIR_POLICY_CONSTANT_SUM, /* own weights of the active flows, scaled so that their sum is `sum` */
    /* raises flows that would end later than another flow of their coflow. The weight is the flow's own weight times r,
     * at most 16 times its own weight. r is the time that the flow still needs with its own weight, over the least such
     * time in the coflow */
    WEIR_POLICY_EQUAL_PROGRESS,
    /* lowers a flow's weight, so that the flow ends together with a certain flow of its coflow: of the flows that have
     * their own weight, the one that ends last */
    WEIR_POLICY_ALTRUISTIC,
    WEIR_POLICY_FAIR,                  /* 1 for all flows, whatever the file says: a baseline for the other policies */
    WEIR_POLICY_CRITICAL_PATH_SQUARED, /* weight = the square of the number of flows on the path of critical-path */
};

struct weir_job_change { /* a change of a flow's weight at a time that is known before the run */
    uint64_t at_ps, weight_q20;
};

struct weir_job_flow {          /* a flow of a job: one message */
    uint64_t bytes, weight_q20; /* weight: as the policy sets it at the flow's start */
    /* Without dependencies: the start time. Else: the delay, as time to compute, after the last dependency ended. */
    uint64_t start_ps;
    uint32_t src, dst;
    uint32_t job, coflow;                /* indices into struct weir_jobs.job and .coflow */
    uint32_t after_first, after_count;   /* range of .edge: flows that this flow waits for */
    uint32_t before_first, before_count; /* range of .edge: flows that wait for this flow */
    uint32_t change_first, change_count; /* range of .change: changes of this flow's weight, in order of time */
    uint32_t item;                       /* index of the entry of the scenario's `traffic` */
    uint32_t coflow_next;                /* next flow of the same coflow; UINT32_MAX = no more */
};

struct weir_job {          /* a job: flows that depend on each other */
    const char *name;      /* owned by struct weir_jobs */
    uint32_t policy;       /* enum weir_job_policy */
    uint32_t first, count; /* its flows: count entries of .flow, from index first on */
    uint64_t sum_q20;      /* policy constant-sum: the sum of the weights of active flows */
    uint64_t start_ps;     /* earliest start of its flows without dependencies; its completion time counts from here */
};

struct weir_coflow { /* flows of a job that are to end together */
    uint32_t job, count;
    uint32_t first; /* its first flow; .coflow_next links the others */
    const char *name;
};

struct weir_jobs { /* all jobs of a run; read-only while the run is on */
    struct weir_job_flow *flow;
    struct weir_job *job;
    struct weir_coflow *coflow;
    struct weir_job_change *change;
    uint32_t *edge;
    const char **flow_name; /* names of the flows, as in the file; unique within a job */
    uint32_t flow_count, job_count, coflow_count, change_count, edge_count;
    /* Delay, at least, from the end of a flow at one host to the release of a flow at another host: the time of a
     * controller's message. The run uses the larger of this and the shortest delay of a link. */
    uint64_t notify_ps;
    uint64_t tick_ps;            /* time between ticks; 0 = no job has a policy that uses progress */
    struct weir_jobs_text *text; /* memory of all names */
};

struct weir_job_progress { /* progress of one flow, as a policy gets it at a tick */
    uint64_t left_bytes;   /* bytes not yet acknowledged; 0 = the flow has ended */
    uint64_t rate_bps;     /* rate of the payload that was acknowledged since the last tick */
    bool active;           /* the flow has started and not ended */
};

/**
 * Sets the weights that the policies change at a tick. Called between windows, while no thread advances the run.
 * @param progress    flow_count entries: the progress of each flow since the last tick
 * @param weight_q20  flow_count entries: the present weights; weights that change are written, within [WEIR_WEIGHT_MIN,
 *                    WEIR_WEIGHT_MAX]
 */
void weir_jobs_tick(const struct weir_jobs *jobs, const struct weir_job_progress *progress, uint64_t *weight_q20);
void weir_jobs_free(struct weir_jobs *jobs);

/* Tests whether any flow has a weight other than 1, or may get one in the run. */
bool weir_jobs_weighted(const struct weir_jobs *jobs);

/* --- building: a job, then its coflows, then each flow followed by its dependencies and changes of weight --- */

/* Appends a job. Its name is copied, and its flows are counted as they are added: first and count need no value.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_jobs_add(struct weir_jobs *jobs, const struct weir_job *job, struct weir_err *err);
/* Appends a coflow to the last job; the name is copied. @return 0, or WEIR_E_MEMORY with err */
int weir_jobs_add_coflow(struct weir_jobs *jobs, const char *name, struct weir_err *err);
/* Appends a flow to the last job; the name is copied. The caller sets bytes, weight, start, hosts, coflow and item.
 * @return 0, or a code with err: no memory, more than WEIR_JOB_FLOWS_MAX flows */
int weir_jobs_add_flow(struct weir_jobs *jobs, const struct weir_job_flow *flow, const char *name,
                       struct weir_err *err);
/* Makes the last flow wait for another flow of its job. flow: index into jobs->flow; the flow may be added later.
 * @return 0, or a code with err: no memory, more than WEIR_JOB_EDGES_MAX dependencies */
int weir_jobs_add_after(struct weir_jobs *jobs, uint32_t flow, struct weir_err *err);
/* Appends a change of the last flow's weight; the changes of a flow must be added in order of time.
 * @return 0, or a code with err: no memory, more than WEIR_JOB_EDGES_MAX changes */
int weir_jobs_add_change(struct weir_jobs *jobs, const struct weir_job_change *change, struct weir_err *err);

/**
 * Checks the jobs and prepares them for a run: dependencies in both directions, chains of coflows, starts of jobs, and
 * the weights of the policies. Each policy starts from the weights with which flows were added. Sets tick_ps to 0 if no
 * policy needs ticks. Called once, after the last flow has been added. On an error the caller still frees jobs.
 * @param hosts  number of hosts of the topology
 * @param where  a position for each flow, for messages; may be NULL
 * @return 0, or a code with err: no job, a job without flows, a wrong host, size, start or weight, a cycle (err names
 * its flows), no memory. A policy that needs ticks is refused if tick_ps is 0.
 */
int weir_jobs_finish(struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err);
#endif
