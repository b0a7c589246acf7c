/* src/port/jobs_run.h - flows that wait for others, as the engine runs them: who still waits, what each host has to
 * start, and which weights change. The graph: workload/jobs.h; the rules: doc/model.md [jobs]. And replies, [reply].
 *
 * A flow is released by whichever thread sees the last of those it waits for end. At another host it starts
 * notify_ps later at least, and the lookahead of hosts is no longer than that. So it never starts in the window
 * that released it. Which thread that was, and in which order they came, makes no difference. */
#ifndef WEIR_SIM_JOBS_RUN_H
#define WEIR_SIM_JOBS_RUN_H
#include "state/state.h"
#include "core/heap.h"
#include "workload/jobs.h"
#include <stdatomic.h>

#define SIM_NO_FLOW UINT32_MAX

struct sim_job_flow {
    _Atomic uint64_t able_ps; /* latest of the instants at which flows it waits for let it go */
    _Atomic uint32_t left;    /* of those, not ended */
    uint32_t next_mail;       /* in its sender's list */
    uint32_t next_notified;   /* in its sender's list of weights that a tick set */
    uint64_t start_ps;        /* once it is released */
    uint64_t weight_q20;      /* at present; its sender's */
    uint64_t notified_q20;    /* as of the tick */
};

struct sim_job_change { /* of a weight, known before the run */
    uint64_t at_ps, weight_q20;
    uint32_t src, flow;
};

struct sim_host_jobs {                                /* what one host has to do; all but mail its own thread's */
    _Alignas(64) _Atomic uint32_t mail;               /* flows that others released, newest first; SIM_NO_FLOW = none */
    struct weir_heap released;                        /* (start, flow); room for all of them */
    const struct sim_job_change *change, *change_end; /* to come, by (time, flow) */
    uint32_t notified_first, notified_last;           /* flows whose weight the tick at notified_ps set, in order */
    uint64_t notified_ps;                             /* WEIR_NEVER = none */
    uint64_t reply_ps;                                /* now, while a reply is to start; else WEIR_NEVER */
    uint32_t reply_to, reply_item;
};

struct sim_jobs {
    const struct weir_jobs *jobs; /* where there are only replies, without a flow */
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

/* Sets e->jobs up, if the workload has jobs or replies, and the hosts'. After the account. @return false = no memory */
bool weir_sim_jobs_init(struct sim_engine *e);
void weir_sim_jobs_free(struct sim_engine *e);

/* Takes what other threads released. At the beginning of a visit. */
void weir_sim_jobs_collect(struct sim_jobs *run, struct sim_host_jobs *own);

/* Reply, starts and weights of this instant, after the messages of the host's source. */
void weir_sim_jobs_step(struct sim_thread *th, struct sim_host *host, uint64_t now_ps);

/* A step of the policies; all threads stand still. @return true if hosts have something to do now */
bool weir_sim_jobs_tick(struct sim_engine *e, uint64_t now_ps);

/* When the host has something to do here, if nothing arrives. */
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
