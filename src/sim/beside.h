/* src/sim/beside.h - what travels on a link beside its FIFO of packets: telemetry records of those packets, and control frames,
 * which overtake them. Only where the model has either; without, a link pays nothing for it.
 *
 * Records lie in chunks of the same pools, a packet's contiguous: a packet that does not fit into what is left of a chunk begins the
 * next. Writer and reader both know how many a packet has, so both find the same places. As with packets, a reader takes only what
 * was written before the last barrier. */
#ifndef WEIR_SIM_BESIDE_H
#define WEIR_SIM_BESIDE_H
#include "core/telemetry.h"
#include "sim/fifo.h"

struct weir_control_row;
struct
    sim_control_log { /* a thread's part of the trace of control frames; on the heap, since it may grow to any size */
    struct weir_control_row *row;
    size_t count, capacity;
    bool out_of_memory;
};

/* A control frame is a packet of which only class_id, flags (the code), msg (whose it is) and arrival_ps are looked at. */
struct sim_beside {
    /* writer's */
    _Alignas(64) struct weir_telemetry *record_write; /* next free place */
    struct weir_pkt *control_write, *control_told;
    uint32_t closed;    /* classes that may not start at the port that feeds this link */
    uint64_t closed_ps; /* since when the last of them */
    /* reader's */
    _Alignas(64) struct weir_telemetry *record_read; /* next record not yet taken */
    struct weir_pkt *control_read;
};

static inline struct sim_chunk *sim_record_chunk(const struct weir_telemetry *place)
{
    return sim_chunk_of((const char *)place - 1); /* behind the last record lies the next chunk's address */
}

static inline struct weir_telemetry *sim_record_first(struct sim_chunk *chunk)
{
    return (struct weir_telemetry *)(void *)chunk->pkt;
}

static inline bool sim_record_fits(const struct weir_telemetry *place, uint32_t count)
{
    return (size_t)((const char *)place - (const char *)sim_record_chunk(place)) + count * sizeof(*place) <=
           sizeof(struct weir_pkt) * SIM_CHUNK_PKTS;
}

static inline struct weir_telemetry *sim_record_init(struct sim_pool *pool)
{
    struct sim_chunk *chunk = sim_pool_take(pool);
    chunk->next = NULL;
    return sim_record_first(chunk);
}

/* Room for the records of one packet; the caller fills it. count: 1 .. WEIR_TELEMETRY_HOPS_MAX */
static inline struct weir_telemetry *sim_record_room(struct sim_pool *pool, struct sim_beside *beside, uint32_t count)
{
    struct weir_telemetry *room = beside->record_write;
    if (!sim_record_fits(room, count)) {
        struct sim_chunk *chunk = sim_pool_take(pool);
        sim_record_chunk(room)->next = chunk;
        room = sim_record_first(chunk);
    }
    beside->record_write = room + count;
    return room;
}

/* The records of the packet that is taken now; good until the drained chunks are given back. */
static inline const struct weir_telemetry *sim_record_take(struct sim_beside *beside, uint32_t count,
                                                           struct sim_chunk **drained)
{
    struct weir_telemetry *first = beside->record_read;
    if (count == 0)
        return NULL;
    if (!sim_record_fits(first, count)) {
        struct sim_chunk *done = sim_record_chunk(first);
        first = sim_record_first(done->next);
        done->next = *drained;
        *drained = done;
    }
    beside->record_read = first + count;
    return first;
}
#endif
