/* src/simulator/state/first_chunk.c - the FIFO of a link gets its first chunk with the first packet: in a large network
 * most links never have one. Until then its writer has a slot that all such links of a thread share, and its reader
 * finds e->never. As the slot is the last one of a chunk, that costs nothing per packet.
 *
 * Why no lock is needed: the writer changes link->read[] once, before the first packet can arrive. The reader changes
 * it only when it has taken a packet. The release here and the acquire in sim_link_read() let the reader find a chunk
 * that says it is empty. */
#include "state/emit.h"

/* Makes the FIFO of a link. The packet in the shared slot becomes its first one. */
static void begin(struct sim_thread *th, struct sim_link *link, uint64_t arrival_ps)
{
    const struct weir_pkt *scratch = link->write[SIM_LANE_FIRST];
    struct weir_pkt *first = sim_fifo_init(&th->pool);
    WEIR_ASSERT(link->notified == scratch);
    sim_copy_body(first, scratch);
    link->notified = first;
    link->write[SIM_LANE_FIRST] = sim_fifo_publish(&th->pool, first, arrival_ps);
    __atomic_store_n(&link->read[SIM_LANE_FIRST], first, __ATOMIC_RELEASE);
}

void weir_sim_emit_further(struct sim_thread *th, struct sim_link *link, uint64_t arrival_ps)
{
    struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
    WEIR_ASSERT(sim_fifo_ends_chunk(slot));
    if (sim_fifo_is_made(slot))
        link->write[SIM_LANE_FIRST] = sim_fifo_publish(&th->pool, slot, arrival_ps);
    else
        begin(th, link, arrival_ps);
}
