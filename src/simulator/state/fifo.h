/* src/simulator/state/fifo.h - the FIFO of packets in flight on a link: written by the thread of its source, read by
 * that of its destination, without a lock. Chunks of 1 KiB come from the writer's pool and go to the reader's. So
 * memory follows the number of packets in flight and what was touched last is used next.
 *
 * Why it needs no lock: a reader takes only packets that arrive in the current window; all of those were written
 * before the last barrier. It may read the arrival time of one slot more, which the writer may just be filling.
 * That field alone is atomic. It goes from WEIR_NEVER to a time beyond the window, so either value means "stop". */
#ifndef WEIR_STATE_FIFO_H
#define WEIR_STATE_FIFO_H
#include "core/fetch.h"
#include "core/pkt.h"
#include "core/units.h"
#include "state/pool.h"
#include <string.h>

#define SIM_CHUNK_BYTES ((size_t)1024)
enum { SIM_CHUNK_TAIL = 64, SIM_CHUNK_PKTS = 20 };

/* Packets of a FIFO. They end at a multiple of 1 KiB, by which the last one is recognised; so a chunk begins
 * SIM_CHUNK_TAIL behind such an address. The pointer to the next chunk is right behind the last packet: it is in the
 * cache when it is needed. */
struct sim_chunk {
    struct weir_pkt pkt[SIM_CHUNK_PKTS];
    union {
        struct sim_chunk *next; /* in its FIFO */
        struct sim_spare spare;
    };
    struct sim_chunk *prev; /* in its FIFO, the writer's: valid while some packet of it was not read */
    char pad[SIM_CHUNK_TAIL - 24];
};
_Static_assert(sizeof(struct sim_chunk) == SIM_CHUNK_BYTES, "chunks lie end to end");

/* Returns an empty pool of chunks. */
static inline struct sim_pool sim_chunk_pool(struct weir_arena *arena, struct sim_depot *depot)
{
    return (struct sim_pool){ .bytes = SIM_CHUNK_BYTES,
                              .spare_offset = offsetof(struct sim_chunk, spare),
                              .align = SIM_CHUNK_BYTES,
                              .behind = SIM_CHUNK_TAIL,
                              .arena = arena,
                              .depot = depot };
}

static inline struct sim_chunk *sim_chunk_take(struct sim_pool *pool)
{
    return (struct sim_chunk *)(void *)((char *)sim_spare_take(pool) - offsetof(struct sim_chunk, spare));
}

static inline void sim_chunk_give(struct sim_pool *pool, struct sim_chunk *chunk)
{
    sim_spare_give(pool, &chunk->spare);
}

/* Returns the chunk of a slot. */
static inline struct sim_chunk *sim_chunk_of(const void *slot)
{
    return (struct sim_chunk *)(((uintptr_t)slot & ~(uintptr_t)(SIM_CHUNK_BYTES - 1)) + SIM_CHUNK_TAIL);
}

static inline uint64_t sim_arrival(const struct weir_pkt *slot)
{
    return __atomic_load_n(&slot->arrival_ps, __ATOMIC_RELAXED);
}

static inline void sim_set_arrival(struct weir_pkt *slot, uint64_t arrival_ps)
{
    __atomic_store_n(&slot->arrival_ps, arrival_ps, __ATOMIC_RELAXED);
}

/* Copies a packet but for its arrival time, which is written apart as said above. It is copied in segments of 8 and 32
 * bytes. So no load or store reaches over the end of a cache line, nor over two stores that wrote the packet a
 * moment ago. */
static inline void sim_copy_body(struct weir_pkt *to, const struct weir_pkt *from)
{
    memcpy((char *)to + 8, (const char *)from + 8, 8);
    memcpy((char *)to + 16, (const char *)from + 16, 32);
}

/* Makes an empty FIFO. @return its first slot, to which both ends point */
static inline struct weir_pkt *sim_fifo_init(struct sim_pool *pool)
{
    struct sim_chunk *chunk = sim_chunk_take(pool);
    chunk->next = chunk->prev = NULL;
    sim_set_arrival(&chunk->pkt[0], WEIR_NEVER);
    return &chunk->pkt[0];
}

/* Publishes the slot at `write`, which was filled but for its arrival time. @return the next slot, empty */
static inline struct weir_pkt *sim_fifo_publish(struct sim_pool *pool, struct weir_pkt *write, uint64_t arrival_ps)
{
    struct weir_pkt *next = write + 1;
    if (((uintptr_t)next & (SIM_CHUNK_BYTES - 1)) == 0) {
        struct sim_chunk *chunk = sim_chunk_take(pool);
        sim_chunk_of(write)->next = chunk;
        chunk->prev = sim_chunk_of(write);
        next = &chunk->pkt[0];
    }
    weir_fetch((const char *)next + 64);
    sim_set_arrival(next, WEIR_NEVER);
    sim_set_arrival(write, arrival_ps);
    return next;
}

/* Returns the slot `count` after one that was published; count is 0 or 1. */
static inline struct weir_pkt *sim_fifo_skip(struct weir_pkt *slot, uint32_t count)
{
    struct weir_pkt *next = slot + count;
    return WEIR_LIKELY(((uintptr_t)next & (SIM_CHUNK_BYTES - 1)) != 0) ? next : &sim_chunk_of(slot)->next->pkt[0];
}

/* Returns the slot `count` before one. Only for the writer, which knows that none of them was read. */
static inline struct weir_pkt *sim_fifo_back(struct weir_pkt *slot, uint32_t count)
{
    struct sim_chunk *chunk = sim_chunk_of(slot);
    uint32_t before = (uint32_t)(slot - chunk->pkt);
    while (count > before) {
        count -= before;
        chunk = chunk->prev;
        WEIR_ASSERT(chunk != NULL);
        before = SIM_CHUNK_PKTS;
    }
    return &chunk->pkt[before - count];
}

/* Takes back what was published from `slot` on, up to `write`; `slot` is then the one to be written next. No reader may
 * have read that far. */
static inline void sim_fifo_unpublish(struct sim_pool *pool, struct weir_pkt *slot, const struct weir_pkt *write)
{
    struct sim_chunk *keep = sim_chunk_of(slot), *last = sim_chunk_of(write);
    sim_set_arrival(slot, WEIR_NEVER);
    while (last != keep) {
        struct sim_chunk *before = last->prev;
        WEIR_ASSERT(before != NULL);
        sim_chunk_give(pool, last);
        last = before;
    }
}

/* Returns the slot after `read`. A chunk whose last packet that was is put in front of *drained, to be given back when
 * its packets have been used. */
static inline struct weir_pkt *sim_fifo_advance(struct weir_pkt *read, struct sim_chunk **drained)
{
    struct weir_pkt *next = read + 1;
    if (((uintptr_t)next & (SIM_CHUNK_BYTES - 1)) == 0) {
        struct sim_chunk *done = sim_chunk_of(read);
        next = &done->next->pkt[0];
        done->next = *drained;
        *drained = done;
    }
    return next;
}

/* Gives the chunks of sim_fifo_advance() back. */
static inline void sim_chunk_give_all(struct sim_pool *pool, struct sim_chunk *drained)
{
    while (drained != NULL) {
        struct sim_chunk *next = drained->next;
        sim_chunk_give(pool, drained);
        drained = next;
    }
}
#endif
