/* src/simulator/state/wake.h - who is due when. A thread wakes nodes of all threads of its process by entries of its
 * own in the wake tables, and lets their groups know by what it publishes. */
#ifndef WEIR_STATE_WAKE_H
#define WEIR_STATE_WAKE_H
#include "state/state.h"

/* Returns the wake entry of an own thread for a node: [2]. */
static inline uint64_t *sim_wake_of(const struct sim_thread *th, uint32_t node)
{
    const struct sim_engine *e = th->engine;
    WEIR_ASSERT(node < e->model->topo->node_count);
    return &e->wake[((size_t)(th->index - e->first) * e->model->topo->node_count + node) * 2];
}

/* Returns the wake entry of an own thread for the block of a node: [2]. */
static inline uint64_t *sim_block_wake_of(const struct sim_thread *th, uint32_t node)
{
    const struct sim_engine *e = th->engine;
    WEIR_ASSERT(th->index - e->first < e->own);
    return &e->block_wake[((size_t)(th->index - e->first) * e->block_count + e->block[node]) * 2];
}

/* Makes a node due at at_ps, if it was not due earlier. Called between windows, while all other threads wait: the
 * caller lets the group of the node know. */
static inline void sim_due_at(struct sim_engine *e, uint32_t node, uint64_t at_ps)
{
    uint64_t *block_ps = &e->block_due_ps[e->block[node]];
    e->due_ps[node] = at_ps < e->due_ps[node] ? at_ps : e->due_ps[node];
    *block_ps = at_ps < *block_ps ? at_ps : *block_ps;
}

/* Makes a node due, and lets its group know. Called between windows, when no thread is at work. */
static inline void sim_due_between(struct sim_engine *e, uint32_t node, uint64_t at_ps)
{
    uint64_t *due_ps = &e->thread[e->owner[node]].due_ps[e->group[node]];
    WEIR_ASSERT(e->owner[node] - e->first < e->own);
    sim_due_at(e, node, at_ps);
    *due_ps = weir_min_u64(*due_ps, at_ps);
}

/* Makes a node due at at_ps, if it was not due earlier. wake, block_wake: the two entries of this thread for the node,
 * and for its block. group: that of the node */
static inline void sim_wake_at(struct sim_thread *th, uint64_t *wake, uint64_t *block_wake, uint32_t group,
                               uint64_t at_ps)
{
    wake += th->parity[group];
    block_wake += th->parity[group];
    *wake = at_ps < *wake ? at_ps : *wake;
    *block_wake = at_ps < *block_wake ? at_ps : *block_wake;
    th->due_ps[group] = at_ps < th->due_ps[group] ? at_ps : th->due_ps[group];
}

/* Makes the destination of a link due at the arrival of the first packet of a lane of which it was not yet notified;
 * does nothing if there is none. notified: that of the lane. known: the slot after the last packet that the destination
 * may know. The arrivals of all packets before `known` must have been decided */
static inline void sim_wake_lane(struct sim_thread *th, const struct sim_link *link, struct weir_pkt **notified,
                                 struct weir_pkt *known)
{
    uint64_t first_ps;
    if (*notified == known)
        return;
    first_ps = (*notified)->arrival_ps;
    *notified = known;
    sim_wake_at(th, link->wake, link->block_wake, link->dst_group, first_ps);
}

/* Makes the destination of a link due at the arrival of the first packet, in either lane, of which it was not yet
 * notified. Undecided packets do not count. Called at the end of each visit to the source, for each of its links.
 * lanes: those that the link may have */
static inline void sim_wake(struct sim_thread *th, struct sim_link *link, uint32_t lanes)
{
    sim_wake_lane(th, link, &link->notified, link->write[SIM_LANE_FIRST]);
    if (lanes > 1)
        sim_wake_lane(th, link, &link->notified_low, link->undecided);
}
#endif
