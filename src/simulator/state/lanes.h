/* src/simulator/state/lanes.h - decisions of ports with two strict priorities, SIM_SERVE_LANES. A packet of the
 * higher class leaves before all packets of the lower class that have not started. So its departure is known when it
 * joins, once all decisions that are due before that instant are made. A packet of the lower class waits in a FIFO
 * of its own, the lower lane, until its start is decided. */
#ifndef WEIR_STATE_LANES_H
#define WEIR_STATE_LANES_H
#include "state/state.h"

/* Returns how many FIFOs of packets in flight a link of the run may have. */
static inline uint32_t sim_lanes(const struct weir_model *m)
{
    WEIR_ASSERT(m->classes > 0);
    return m->classes == SIM_LANES || sim_priorities(m) == SIM_LANES ? SIM_LANES : 1;
}

/* State of the decisions of a port with two lanes. It is passed by value, so that it stays in registers. */
struct sim_due {
    struct weir_pkt *slot;  /* oldest undecided packet of the lower lane, or the slot to be written next */
    uint64_t busy_until_ps; /* end of the last transmission that was decided */
};

static inline struct sim_due sim_due_of(const struct sim_link *link)
{
    return (struct sim_due){ link->undecided, link->busy_until_ps };
}

/* Returns when the oldest undecided packet will start if no packet of the higher class joins before: as soon as the
 * wire is free and the packet has joined. If no packet is undecided, the result is beyond any time of a run. */
static inline uint64_t sim_due_start_ps(struct sim_due due)
{
    return weir_max_u64(due.busy_until_ps, sim_arrival(due.slot) & ~SIM_UNDECIDED);
}

/* Decides on the oldest undecided packet of the lower lane if it starts before end_ps: writes its arrival time. Has
 * no branch, which would be mispredicted half of the time. @return the state afterwards; its slot has changed if and
 * only if a packet was decided on */
static inline struct sim_due sim_decide_one(const struct sim_link *link, struct sim_due due, uint64_t end_ps)
{
    uint64_t joined_ps = sim_arrival(due.slot), start_ps = sim_due_start_ps(due);
    uint64_t free_ps = start_ps + (uint64_t)due.slot->wire_bytes * link->ps_per_byte;
    bool decided = start_ps < end_ps;
    sim_set_arrival(due.slot, weir_pick_u64(decided, free_ps + link->delay_ps, joined_ps));
    return (struct sim_due){ sim_fifo_skip(due.slot, decided), weir_pick_u64(decided, free_ps, due.busy_until_ps) };
}

/* Makes all decisions of the port that are due before end_ps. @return when the next decision is due; WEIR_NEVER = no
 * packet is undecided */
static inline uint64_t sim_lanes_decide(struct sim_link *link, uint64_t end_ps)
{
    struct sim_due due = sim_due_of(link);
    uint64_t start_ps;
    while ((start_ps = sim_due_start_ps(due)) < end_ps)
        due = sim_decide_one(link, due, end_ps);
    WEIR_ASSERT(due.busy_until_ps >= link->busy_until_ps);
    link->undecided = due.slot;
    link->busy_until_ps = due.busy_until_ps;
    return due.slot != link->write[SIM_LANE_LOW] ? start_ps : WEIR_NEVER;
}
#endif
