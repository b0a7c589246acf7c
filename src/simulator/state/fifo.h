/* src/simulator/state/fifo.h - the FIFO of packets in flight on a link. The thread of the link's source writes it and
 * the thread of its destination reads it, without a lock. Packets are in chunks of 1 KiB, which come from the writer's
 * pool and go back to the reader's. So memory follows the number of packets in flight, and the chunk that was touched
 * last is used next.
 *
 * Why no lock is needed: a reader takes only packets that arrive in the current window, and all of those were written
 * before the last barrier. The reader also reads the arrival time of the next slot, which the writer may be filling at
 * that moment. Only this field is atomic. It changes from WEIR_NEVER to a time beyond the window, and the reader stops
 * at either value. */
#ifndef WEIR_STATE_FIFO_H
#define WEIR_STATE_FIFO_H
#include "core/fetch.h"
#include "core/pkt.h"
#include "core/units.h"
#include "state/pool.h"
#include <string.h>

#define SIM_CHUNK_BYTES ((size_t)1024)
enum { SIM_CHUNK_TAIL = 64, SIM_CHUNK_PKTS = 20 };

/* A chunk: consecutive packets of a FIFO. The packets end at a multiple of 1 KiB, so the last one is recognised by
 * its address. A chunk therefore begins SIM_CHUNK_TAIL bytes after a multiple of 1 KiB. The pointer to the next
 * chunk follows the last packet. It is in the cache when it is needed. */
struct sim_chunk {
    struct weir_pkt pkt[SIM_CHUNK_PKTS];
    union {
        struct sim_chunk *next; /* the next chunk of the FIFO, or of a list of drained chunks */
        struct sim_spare spare;
    };
    struct sim_chunk *prev; /* the previous chunk, for the writer; valid while that chunk has unread packets */
    char pad[SIM_CHUNK_TAIL - sizeof(struct sim_spare) - sizeof(struct sim_chunk *)];
};
_Static_assert(sizeof(struct sim_chunk) == SIM_CHUNK_BYTES, "chunks lie end to end");

/* Returns an empty pool of chunks. The caller sets on_failure before the pool is used. */
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

/* Returns the chunk that contains a slot. */
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

/* Copies a packet except for its arrival time, which is written by sim_set_arrival(). The copy is made in segments
 * of 8 and 32 bytes, of which the compiler copies at most 16 bytes at a time. So no load or store crosses the end of
 * a cache line, and no load spans two recent stores to the packet. */
static inline void sim_copy_body(struct weir_pkt *to, const struct weir_pkt *from)
{
    memcpy((char *)to + 8, (const char *)from + 8, 8);
    memcpy((char *)to + 16, (const char *)from + 16, 32);
}

/* Makes an empty FIFO of one chunk. Leaves by longjmp if there is no memory. @return its first slot, which is both
 * the next to be written and the next to be read */
static inline struct weir_pkt *sim_fifo_init(struct sim_pool *pool)
{
    struct sim_chunk *chunk = sim_chunk_take(pool);
    chunk->next = chunk->prev = NULL;
    sim_set_arrival(&chunk->pkt[0], WEIR_NEVER);
    return &chunk->pkt[0];
}

/* Makes the slot where the writer of a FIFO without a chunk is: the last one of a chunk that has no other use. So who
 * writes into it takes a new chunk. One slot serves all such FIFOs that a thread writes. Leaves by longjmp if there is
 * no memory. */
static inline struct weir_pkt *sim_fifo_scratch(struct sim_pool *pool)
{
    struct sim_chunk *chunk = sim_chunk_take(pool);
    chunk->next = NULL;
    chunk->prev = chunk; /* no chunk is its own predecessor but this one */
    sim_set_arrival(&chunk->pkt[SIM_CHUNK_PKTS - 1], WEIR_NEVER);
    return &chunk->pkt[SIM_CHUNK_PKTS - 1];
}

/* Tests whether a FIFO has a chunk. write: its next slot to be written */
static inline bool sim_fifo_is_made(const struct weir_pkt *write)
{
    const struct sim_chunk *chunk = sim_chunk_of(write);
    return chunk->prev != chunk;
}

/* Tests whether a slot is the last one of its chunk. */
static inline bool sim_fifo_ends_chunk(const struct weir_pkt *slot)
{
    return ((uintptr_t)(slot + 1) & (SIM_CHUNK_BYTES - 1)) == 0;
}

/* Makes the packet in slot `write` visible to the reader, with its arrival time; all other fields must have been
 * written. If `write` is the last slot of its chunk, takes a new chunk from the pool, and leaves by longjmp if there
 * is no memory. @return the next slot to be written */
static inline struct weir_pkt *sim_fifo_publish(struct sim_pool *pool, struct weir_pkt *write, uint64_t arrival_ps)
{
    struct weir_pkt *next = write + 1;
    if (sim_fifo_ends_chunk(write)) {
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

/* Returns the slot `count` slots after `slot`; count is 0 or 1. With count 1 the packet in `slot` must have been
 * published. */
static inline struct weir_pkt *sim_fifo_skip(struct weir_pkt *slot, uint32_t count)
{
    struct weir_pkt *next = slot + count;
    return WEIR_LIKELY(((uintptr_t)next & (SIM_CHUNK_BYTES - 1)) != 0) ? next : &sim_chunk_of(slot)->next->pkt[0];
}

/* Returns the slot `count` slots before `slot`. For the writer only, which must know that none of the skipped packets
 * was read. */
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

/* Takes back the packets from `slot` up to, not including, `write`: `slot` becomes the next slot to be written. Chunks
 * that become empty go back to the pool. No reader may have read any of these packets. */
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

/* Returns the slot after `read`, for the reader. If `read` is the last slot of its chunk, puts that chunk in front
 * of the list *drained. The packets of a drained chunk stay valid until the caller passes the list to
 * sim_chunk_give_all(). */
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

/* Gives all chunks of a list that sim_fifo_advance() made to the pool. Their packets must not be used any more. */
static inline void sim_chunk_give_all(struct sim_pool *pool, struct sim_chunk *drained)
{
    while (drained != NULL) {
        struct sim_chunk *next = drained->next;
        sim_chunk_give(pool, drained);
        drained = next;
    }
}
#endif
