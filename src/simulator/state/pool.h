/* src/simulator/state/pool.h - memory blocks of one size that travel between threads: a block is taken from the
 * writer's pool and given to the reader's. The block that was freed last is used next. A thread that reads more than it
 * writes gives whole batches to a depot, from which other threads take them. */
#ifndef WEIR_STATE_POOL_H
#define WEIR_STATE_POOL_H
#include "core/assert.h"
#include "state/arena.h"
#include <setjmp.h>
#include <stddef.h>

enum { SIM_POOL_BATCH = 128 };

struct sim_spare { /* links of a free block, which are inside the block */
    struct sim_spare *next;
    struct sim_spare *batch; /* of the first block of a batch in the depot: the next batch */
};

struct sim_pool { /* the free blocks of one thread: last in, first out */
    struct sim_spare *free;
    uint64_t free_count, made; /* blocks in the list; blocks ever made from the arena */
    /* bytes: size of a block, a multiple of 16. spare_offset: of the struct sim_spare in the block. A block begins
     * `behind` bytes after a multiple of `align`. */
    size_t bytes, spare_offset, align, behind;
    struct weir_arena *arena;
    struct sim_depot *depot; /* shared by all threads */
    jmp_buf *on_failure;     /* target of the longjmp if there is no memory */
};

/* Refills an empty pool with a batch of blocks, from the depot or else from the arena. Leaves by longjmp to
 * pool->on_failure if there is no memory. @return one block of the batch, which is not in the pool any more */
struct sim_spare *weir_sim_pool_refill(struct sim_pool *pool);
/* Moves the SIM_POOL_BATCH blocks that were freed last from the pool to its depot. The pool must have that many. */
void weir_sim_pool_spill(struct sim_pool *pool);

/* Makes an empty depot. @return NULL = no memory, or no mutex */
struct sim_depot *weir_sim_depot_new(void);
/* Frees a depot, which may be NULL; the blocks in it belong to arenas and stay. No thread may use the depot any
 * more. */
void weir_sim_depot_free(struct sim_depot *depot);
/* Returns how many blocks are in a depot. */
uint64_t weir_sim_depot_count(struct sim_depot *depot);

/* Takes a free block out of the pool. Leaves by longjmp to pool->on_failure if there is no memory. */
static inline struct sim_spare *sim_spare_take(struct sim_pool *pool)
{
    struct sim_spare *spare = pool->free;
    if (WEIR_UNLIKELY(spare == NULL))
        return weir_sim_pool_refill(pool);
    pool->free = spare->next;
    pool->free_count--;
    return spare;
}

/* Returns a block that is no longer used to the pool of the calling thread. The block may have been taken from
 * another thread's pool. A pool with more than 4 * SIM_POOL_BATCH free blocks gives a batch to the depot. */
static inline void sim_spare_give(struct sim_pool *pool, struct sim_spare *spare)
{
    spare->next = pool->free;
    pool->free = spare;
    if (WEIR_UNLIKELY(++pool->free_count > UINT64_C(4) * SIM_POOL_BATCH))
        weir_sim_pool_spill(pool);
}
#endif
