/* src/simulator/state/lanes.h - decisions of ports with two strict priorities, SIM_SERVE_LANES. What joins the higher
 * class leaves next: its departure is known once the decisions before it are made. What joins the lower class goes into
 * a FIFO of its own, and waits there for its decision. */
#ifndef WEIR_STATE_LANES_H
#define WEIR_STATE_LANES_H
#include "state/state.h"

/* State of the decisions of a port with two lanes; a value, so that it stays in registers. */
struct sim_due {
    struct weir_pkt *slot;  /* the oldest packet of the lower lane that waits, or the slot to be written next */
    uint64_t busy_until_ps; /* end of the transmission in progress */
};

static inline struct sim_due sim_due_of(const struct sim_link *link)
{
    return (struct sim_due){ link->undecided, link->busy_until_ps };
}

/* Returns when the oldest undecided packet would start: when the wire is free and it has joined. The slot to be written
 * next reads as a packet that joins at the end of time. */
static inline uint64_t sim_due_start_ps(struct sim_due due)
{
    return weir_max_u64(due.busy_until_ps, sim_arrival(due.slot) & ~SIM_UNDECIDED);
}

/* Decides on the oldest undecided packet if it starts before end. There is no branch: it would be mispredicted half of
 * the time. @return the state afterwards; its slot is another one if a packet was decided on */
static inline struct sim_due sim_decide_one(const struct sim_link *link, struct sim_due due, uint64_t end_ps)
{
    uint64_t joined_ps = sim_arrival(due.slot), start_ps = sim_due_start_ps(due);
    uint64_t free_ps = start_ps + (uint64_t)due.slot->wire_bytes * link->ps_per_byte;
    bool decided = start_ps < end_ps;
    sim_set_arrival(due.slot, weir_pick_u64(decided, free_ps + link->delay_ps, joined_ps));
    return (struct sim_due){ sim_fifo_skip(due.slot, decided), weir_pick_u64(decided, free_ps, due.busy_until_ps) };
}

/* Makes all decisions before end. @return when the next one is due; WEIR_NEVER = nothing waits */
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
