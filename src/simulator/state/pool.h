/* src/simulator/state/pool.h - memory blocks of one size that travel from thread to thread: taken from the writer's
 * pool, given to the reader's. What was touched last is used next. A thread that reads more than it writes hands whole
 * batches to a depot, from which the others take. */
#ifndef WEIR_STATE_POOL_H
#define WEIR_STATE_POOL_H
#include "core/assert.h"
#include "state/arena.h"
#include <setjmp.h>
#include <stddef.h>

enum { SIM_POOL_BATCH = 128 };

struct sim_spare { /* in a block that is not in use */
    struct sim_spare *next;
    struct sim_spare *batch; /* depot: the next batch */
};

struct sim_pool { /* free blocks of one thread, last in first out */
    struct sim_spare *free;
    uint64_t free_count, made; /* in the list; ever taken from the arena */
    /* Of a block: its size, a multiple of 16; where in it the struct sim_spare is; it begins `behind` bytes after a
     * multiple of `align`. */
    size_t bytes, spare_offset, align, behind;
    struct weir_arena *arena;
    struct sim_depot *depot; /* shared */
    jmp_buf *on_failure;     /* where a thread that gets no more memory goes on: straight to its barrier */
};

/* Gets a batch of blocks for an empty pool, from the depot or else from the arena; leaves by on_failure if there is no
 * memory. @return one block of it */
struct sim_spare *weir_sim_pool_refill(struct sim_pool *pool);
/* Gives the batch of the blocks that were freed last to the depot. */
void weir_sim_pool_spill(struct sim_pool *pool);

/* Makes an empty depot. @return NULL = no memory */
struct sim_depot *weir_sim_depot_new(void);
/* Frees a depot, not the blocks in it; depot: may be NULL. */
void weir_sim_depot_free(struct sim_depot *depot);
/* Counts the blocks in a depot. */
uint64_t weir_sim_depot_count(struct sim_depot *depot);

/* Takes a block that is not in use. */
static inline struct sim_spare *sim_spare_take(struct sim_pool *pool)
{
    struct sim_spare *spare = pool->free;
    if (WEIR_UNLIKELY(spare == NULL))
        return weir_sim_pool_refill(pool);
    pool->free = spare->next;
    pool->free_count--;
    return spare;
}

/* Gives a block back to the pool of the thread that used it last. */
static inline void sim_spare_give(struct sim_pool *pool, struct sim_spare *spare)
{
    spare->next = pool->free;
    pool->free = spare;
    if (WEIR_UNLIKELY(++pool->free_count > UINT64_C(4) * SIM_POOL_BATCH))
        weir_sim_pool_spill(pool);
}
#endif
