/* src/simulator/port/jobs_run.h - flows that wait for others, as the engine runs them: which still wait, what each host
 * has to start, and which weights change; and replies. The graph: workload/jobs.h; the rules: doc/model.md [jobs],
 * [reply].
 *
 * A flow is released by whichever thread sees the last of those it waits for end. At another host it starts
 * notify_ps later at least, and the lookahead of hosts is no longer than that. So it never starts in the window
 * that released it. Neither the thread that released it nor the order in which flows ended makes a difference. */
#ifndef WEIR_PORT_JOBS_RUN_H
#define WEIR_PORT_JOBS_RUN_H
#include "state/state.h"
#include "core/heap.h"
#include "workload/jobs.h"
#include <stdatomic.h>

#define SIM_NO_FLOW UINT32_MAX

struct sim_job_flow {
    _Atomic uint64_t ready_ps; /* the latest instant at which a flow that it waits for stopped blocking it */
    _Atomic uint32_t left;     /* flows that it waits for and that have not ended */
    uint32_t next_in_inbox;    /* of its sender */
    uint32_t next_notified;    /* in its sender's list of weights that a tick set */
    uint64_t start_ps;         /* once it is released */
    uint64_t weight_q20;       /* at present; its sender's */
    uint64_t notified_q20;     /* as of the tick */
};

struct sim_job_change { /* of a weight, known before the run */
    uint64_t at_ps, weight_q20;
    uint32_t src, flow;
};

struct sim_host_jobs {                                /* what one host has to do; all but inbox its own thread's */
    _Alignas(64) _Atomic uint32_t inbox;              /* flows that others released, newest first; SIM_NO_FLOW = none */
    struct weir_heap released;                        /* (start, flow); room for all of them */
    const struct sim_job_change *change, *change_end; /* to come, by (time, flow) */
    uint32_t notified_first, notified_last;           /* flows whose weight the tick at notified_ps set, in order */
    uint64_t notified_ps;                             /* WEIR_NEVER = none */
    uint64_t reply_ps;                                /* now, while a reply is to start; else WEIR_NEVER */
    uint32_t reply_to, reply_item;
};

struct sim_jobs {
    const struct weir_jobs *jobs; /* without a flow if the workload has only replies */
    uint32_t first_tag;           /* of flow 0 */
    uint64_t notify_ps;           /* from the end of a flow at one host to the start of another elsewhere, at least */
    struct sim_job_flow *flow;
    struct sim_host_jobs *host;
    struct sim_job_change *change;    /* by (source, time, flow) */
    struct weir_heap_entry *released; /* the heaps' */
    /* ticks: thread 0's */
    struct weir_job_progress *progress;
    uint64_t *weight_q20, *acked_bytes; /* acked: at the last tick */
};

/* Sets up e->jobs and the jobs of hosts, if the workload has jobs or replies; the account must be set up already.
 * @return false = no memory */
bool weir_sim_jobs_init(struct sim_engine *e);
/* Frees e->jobs, which may be NULL. */
void weir_sim_jobs_free(struct sim_engine *e);

/* Takes the flows that other hosts released out of the inbox. Called at the beginning of a visit. */
void weir_sim_jobs_collect(struct sim_jobs *run, struct sim_host_jobs *own);

/* Starts the reply and the flows of this instant, and sets the weights that change, after the messages of the host's
 * source. */
void weir_sim_jobs_step(struct sim_thread *th, struct sim_host *host, uint64_t now_ps);

/* Makes a step of the policies, while all other threads wait. @return true if hosts have something to do now */
bool weir_sim_jobs_tick(struct sim_engine *e, uint64_t now_ps);

/* Returns when the host has a flow to start or a weight to set, if nothing arrives; WEIR_NEVER = not at all. */
static inline uint64_t sim_jobs_next_ps(const struct sim_host_jobs *own)
{
    uint64_t at_ps = weir_min_u64(own->notified_ps, own->reply_ps);
    if (own->released.count > 0)
        at_ps = weir_min_u64(at_ps, own->released.entry[0].at_ps);
    if (own->change < own->change_end)
        at_ps = weir_min_u64(at_ps, own->change->at_ps);
    return at_ps;
}
#endif
