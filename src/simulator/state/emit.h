/* src/simulator/state/emit.h - how a packet gets into the FIFO of a link, and where a reader begins. */
#ifndef WEIR_STATE_EMIT_H
#define WEIR_STATE_EMIT_H
#include "state/state.h"

/* Does what sim_emit() does with the last slot of a chunk, and with the first packet of a link whose FIFO is not made
 * yet (first_chunk.c). */
void weir_sim_emit_further(struct sim_thread *th, struct sim_link *link, uint64_t arrival_ps);

/* Publishes the packet in slot link->write[SIM_LANE_FIRST], which arrives at the other end at arrival_ps: the last step
 * of sending, except in the lower lane. May leave by longjmp if there is no memory. */
static inline void sim_emit(struct sim_thread *th, struct sim_link *link, uint64_t arrival_ps)
{
    struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
    if (WEIR_UNLIKELY(sim_fifo_ends_chunk(slot)))
        weir_sim_emit_further(th, link, arrival_ps);
    else
        link->write[SIM_LANE_FIRST] = sim_fifo_publish(&th->pool, slot, arrival_ps);
}

/* Returns the next slot to be read of a lane. Its writer may make the FIFO at this moment: then a reader finds e->never
 * or an empty chunk. So only a reader that has taken a packet writes link->read[]. */
static inline struct weir_pkt *sim_link_read(const struct sim_link *link, enum sim_lane lane)
{
    return __atomic_load_n(&link->read[lane], __ATOMIC_ACQUIRE);
}
#endif
