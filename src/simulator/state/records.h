/* src/simulator/state/records.h - telemetry records of a packet in flight. They are in one block, which stays where it
 * is while the packet goes from FIFO to FIFO. Each switch writes its record behind the others. The thread that takes
 * the packet out of the network, or drops it, gives the block back.
 * A packet with records (weir_pkt.hops > 0) holds the block's address in place of sent48_ps, which no switch
 * reads; the block keeps that meanwhile. Only where the model has records: else hops may be something else. */
#ifndef WEIR_STATE_RECORDS_H
#define WEIR_STATE_RECORDS_H
#include "core/pkt.h"
#include "core/telemetry.h"
#include "state/pool.h"

/* The bits of sent48_ps. An address of a program has no others on any machine that Linux runs on, unless the program
 * asks for more. */
#define SIM_SENT48_MASK ((UINT64_C(1) << 48) - 1)

struct sim_records {
    union {
        uint64_t sent48_ps; /* of the packet */
        struct sim_spare spare;
    };
    struct weir_telemetry record[]; /* as many as a packet of the run may carry */
};
_Static_assert(sizeof(struct sim_records) == sizeof(struct weir_telemetry), "a block is a whole number of records");

/* Returns an empty pool of blocks with room for records_max records. */
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

/* Gives the packet this block; hops: records that are in it or will be. */
static inline void sim_records_attach(struct weir_pkt *pkt, struct sim_records *records, uint32_t hops)
{
    WEIR_ASSERT((uintptr_t)records <= SIM_SENT48_MASK);
    records->sent48_ps = pkt->sent48_ps;
    pkt->sent48_ps = (uintptr_t)records & SIM_SENT48_MASK;
    pkt->hops = (uint8_t)hops;
}

/* Restores sent48_ps of a packet with records that has left the network. @return its block, which is the caller's */
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

/* Adds a record to a packet that has room for it. */
static inline void sim_records_add(struct sim_pool *pool, struct weir_pkt *pkt, const struct weir_telemetry *record)
{
    if (pkt->hops == 0)
        sim_records_attach(pkt, sim_records_take(pool), 0);
    sim_records_of(pkt)->record[pkt->hops++] = *record;
}

/* Gives the block of a packet that is dropped back, if it has one. */
static inline void sim_records_drop(struct sim_pool *pool, const struct weir_pkt *pkt)
{
    if (pkt->hops > 0)
        sim_records_give(pool, sim_records_of(pkt));
}
#endif
