/* src/simulator/port/jobs_run.h - jobs in the engine: which flows still wait for others, which flows each host has to
 * start, and which weights change; also replies. The graph of flows: workload/jobs.h; the rules: doc/model.md [jobs],
 * [reply].
 *
 * A flow is released when the last flow for which it waits ends. The thread of the host at which that last flow
 * ends releases it. If the sender of the released flow is another host, the released flow starts at least notify_ps
 * later, and the lookahead between hosts is no longer than notify_ps. So another host never starts a flow in the
 * window in which the flow is released. The result depends neither on the thread that releases a flow nor on the
 * order in which threads see flows end. */
#ifndef WEIR_PORT_JOBS_RUN_H
#define WEIR_PORT_JOBS_RUN_H
#include "state/state.h"
#include "core/heap.h"
#include "workload/jobs.h"
#include <stdatomic.h>

#define SIM_NO_FLOW UINT32_MAX
#define SIM_NO_HOST UINT32_MAX

/* The state of a flow during a run. */
struct sim_job_flow {
    _Atomic uint64_t ready_ps; /* latest instant at which the end of a flow that it waits for is known at its sender */
    _Atomic uint32_t left;     /* how many flows that it waits for have not ended */
    uint32_t next_in_inbox;    /* the next flow in the inbox of its sender */
    uint32_t next_notified;    /* the next flow in its sender's list of weights that a tick changed */
    uint64_t start_ps;         /* when it starts; valid once it is released */
    uint64_t weight_q20;       /* its weight now; written by its sender's thread */
    uint64_t notified_q20;     /* its weight from the tick at notified_ps on */
};

struct sim_job_change { /* a change of a flow's weight that is known before the run */
    uint64_t at_ps, weight_q20;
    uint32_t src, flow;
};

/* The jobs of one host. Its own thread writes all fields. Other threads write inbox too, and thread 0 writes
 * notified_* at ticks. */
struct sim_host_jobs {
    _Alignas(64) _Atomic uint32_t inbox; /* flows that other hosts released, newest first; SIM_NO_FLOW = none */
    struct weir_heap released;           /* released flows, by (start, flow); room for all flows of this sender */
    const struct sim_job_change *change, *change_end; /* changes still to be made, by (time, flow) */
    uint32_t notified_first, notified_last;           /* flows whose weight the tick at notified_ps changed, in order */
    uint64_t notified_ps;                             /* WEIR_NEVER = none */
    uint64_t reply_ps; /* the present instant, while a reply has to start; else WEIR_NEVER */
    /* the replies of this instant: as many as packets may arrive at once, one by each NIC */
    struct sim_reply {
        uint32_t to, item;
    } reply[WEIR_NICS_MAX];
    uint32_t replies;
};

/* The jobs and replies of a run. */
struct sim_jobs {
    const struct weir_jobs *jobs; /* has no flow if the workload has replies only */
    uint32_t first_tag;           /* tag of flow 0; flow i has first_tag + i */
    uint64_t notify_ps;           /* least time from the end of a flow at one host to the start of a flow at another */
    struct sim_job_flow *flow;
    struct sim_host_jobs *host;
    struct sim_job_change *change;    /* all changes, by (sender, time, flow) */
    struct weir_heap_entry *released; /* memory of the heaps of all hosts */
    /* used by thread 0 at ticks */
    struct weir_job_progress *progress;
    uint64_t *weight_q20, *acked_bytes; /* acked_bytes: at the last tick */
};

/* Sets up e->jobs and the jobs of all hosts; does nothing if the workload has neither jobs nor replies. Sets the
 * callback `arrived` of e->account and, if there are replies, the callback `asks`. @return false = no memory; the
 * caller then calls weir_sim_jobs_free() */
bool weir_sim_jobs_init(struct sim_engine *e);
/* Frees e->jobs, which may be NULL, and sets it to NULL. */
void weir_sim_jobs_free(struct sim_engine *e);

/* Moves the flows from the host's inbox to its released flows. Called at the beginning of each visit, by the host's
 * thread. */
void weir_sim_jobs_collect(struct sim_jobs *run, struct sim_host_jobs *own);

/* Starts the reply and the released flows of the host that are due at now_ps, then makes the changes of weights that
 * are due at now_ps. Called after the messages of the host's source have been started. */
void weir_sim_jobs_step(struct sim_thread *th, struct sim_host *host, uint64_t now_ps);

/* Lets the policies of jobs set weights at a tick. Called by thread 0 while all other threads wait. @return true if
 * the weight of some flow changes: the flow's sender is then due at now_ps */
bool weir_sim_jobs_tick(struct sim_engine *e, uint64_t now_ps);

/* Returns when the host next has a reply or a flow to start, or a weight to set, given that nothing arrives; WEIR_NEVER
 * = never */
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
