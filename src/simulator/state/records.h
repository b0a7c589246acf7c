/* src/simulator/state/records.h - telemetry records of packets in flight. The records of a packet are in one block,
 * which stays where it is while the packet moves from FIFO to FIFO. Each switch appends its record. The thread that
 * drops the packet, or takes it out of the network, gives the block to its own pool.
 *
 * A packet with records (weir_pkt.hops > 0) holds the address of its block in place of sent48_ps, which no switch
 * reads. The block keeps sent48_ps meanwhile. This is so only if sim_has_records() is true of the model: in other runs
 * hops may have another meaning. */
#ifndef WEIR_STATE_RECORDS_H
#define WEIR_STATE_RECORDS_H
#include "core/pkt.h"
#include "core/telemetry.h"
#include "state/pool.h"

/* The 48 bits of sent48_ps. A user-space address on Linux has no higher bits set, unless the program asks mmap() for
 * such addresses. */
#define SIM_SENT48_MASK ((UINT64_C(1) << 48) - 1)

/* The block of one packet. */
struct sim_records {
    union {
        uint64_t sent48_ps; /* of the packet, while the packet holds the block's address */
        struct sim_spare spare;
        unsigned char whole[sizeof(struct weir_telemetry)]; /* where pointers have 32 bits, spare is shorter */
    };
    struct weir_telemetry record[]; /* room for the most records that a packet of the run may carry */
};
_Static_assert(sizeof(struct sim_records) == sizeof(struct weir_telemetry), "a block is a whole number of records");

/* Returns an empty pool of blocks with room for records_max records each. The caller sets on_failure before the pool is
 * used. */
static inline struct sim_pool sim_records_pool(uint32_t records_max, struct weir_arena *arena, struct sim_depot *depot)
{
    return (struct sim_pool){ .bytes = sizeof(struct sim_records) + records_max * sizeof(struct weir_telemetry),
                              .spare_offset = offsetof(struct sim_records, spare),
                              .align = 64,
                              .arena = arena,
                              .depot = depot };
}

/* Returns the block of a packet with records. */
static inline struct sim_records *sim_records_of(const struct weir_pkt *pkt)
{
    return (struct sim_records *)(uintptr_t)pkt->sent48_ps;
}

/* Attaches a block to a packet that has none: saves the packet's sent48_ps in the block, and writes the block's
 * address in its place. hops: how many records the block holds, or will hold once the caller has written them */
static inline void sim_records_attach(struct weir_pkt *pkt, struct sim_records *records, uint32_t hops)
{
    WEIR_ASSERT((uintptr_t)records <= SIM_SENT48_MASK);
    records->sent48_ps = pkt->sent48_ps;
    pkt->sent48_ps = (uintptr_t)records & SIM_SENT48_MASK;
    pkt->hops = (uint8_t)hops;
}

/* Detaches the block from a packet with records that has left the network: restores sent48_ps of the packet, and
 * leaves pkt->hops as it is. @return the block, which the caller must give back or attach to another packet */
static inline struct sim_records *sim_records_detach(struct weir_pkt *pkt)
{
    struct sim_records *records = sim_records_of(pkt);
    pkt->sent48_ps = records->sent48_ps & SIM_SENT48_MASK;
    return records;
}

static inline struct sim_records *sim_records_take(struct sim_pool *pool)
{
    return (struct sim_records *)(void *)((char *)sim_spare_take(pool) - offsetof(struct sim_records, spare));
}

static inline void sim_records_give(struct sim_pool *pool, struct sim_records *records)
{
    sim_spare_give(pool, &records->spare);
}

/* Appends a record to a packet, which must have room for it. The first record takes a block from the pool, and leaves
 * by longjmp if there is no memory. */
static inline void sim_records_add(struct sim_pool *pool, struct weir_pkt *pkt, const struct weir_telemetry *record)
{
    if (pkt->hops == 0)
        sim_records_attach(pkt, sim_records_take(pool), 0);
    sim_records_of(pkt)->record[pkt->hops++] = *record;
}

/* Gives the block of a dropped packet to the pool; does nothing if the packet has no records. The packet must not be
 * used afterwards. */
static inline void sim_records_drop(struct sim_pool *pool, const struct weir_pkt *pkt)
{
    if (pkt->hops > 0)
        sim_records_give(pool, sim_records_of(pkt));
}
#endif
