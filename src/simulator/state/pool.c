/* src/simulator/state/pool.c - the depot that threads share. A thread without free blocks takes a batch of blocks from
 * it. A thread with too many free blocks gives it a batch. */
#include "state/pool.h"
#include <pthread.h>
#include <stdlib.h>

struct sim_depot { /* whole batches of free blocks; a thread locks it once per SIM_POOL_BATCH blocks */
    pthread_mutex_t lock;
    struct sim_spare *batch; /* list of batches, linked by .batch; the blocks of a batch are linked by .next */
};

struct sim_depot *weir_sim_depot_new(void)
{
    struct sim_depot *depot = calloc(1, sizeof(*depot));
    if (depot != NULL && pthread_mutex_init(&depot->lock, NULL) != 0) {
        free(depot);
        depot = NULL;
    }
    return depot;
}

void weir_sim_depot_free(struct sim_depot *depot)
{
    if (depot != NULL)
        (void)pthread_mutex_destroy(&depot->lock);
    free(depot);
}

uint64_t weir_sim_depot_count(struct sim_depot *depot)
{
    uint64_t count = 0;
    (void)pthread_mutex_lock(&depot->lock);
    for (const struct sim_spare *batch = depot->batch; batch != NULL; batch = batch->batch)
        count += SIM_POOL_BATCH;
    (void)pthread_mutex_unlock(&depot->lock);
    return count;
}

/* Takes a batch from the depot. @return the first block of its list; NULL = the depot is empty */
static struct sim_spare *depot_take(struct sim_depot *depot)
{
    struct sim_spare *batch;
    (void)pthread_mutex_lock(&depot->lock);
    batch = depot->batch;
    if (batch != NULL)
        depot->batch = batch->batch;
    (void)pthread_mutex_unlock(&depot->lock);
    return batch;
}

void weir_sim_pool_spill(struct sim_pool *pool)
{
    struct sim_spare *head = pool->free, *last = head;
    WEIR_ASSERT(pool->free_count >= SIM_POOL_BATCH);
    for (int i = 1; i < SIM_POOL_BATCH; i++) {
        WEIR_ASSERT(last->next != NULL);
        last = last->next;
    }
    pool->free = last->next;
    pool->free_count -= SIM_POOL_BATCH;
    last->next = NULL;
    (void)pthread_mutex_lock(&pool->depot->lock);
    head->batch = pool->depot->batch;
    pool->depot->batch = head;
    (void)pthread_mutex_unlock(&pool->depot->lock);
}

/* Makes a batch of blocks from memory of the arena. Takes pool->align bytes more than the blocks need, so that they can
 * be aligned. @return the first block of their list; NULL = no memory */
static struct sim_spare *pool_make(struct sim_pool *pool)
{
    unsigned char *raw = weir_arena_take(pool->arena, SIM_POOL_BATCH * pool->bytes + pool->align);
    struct sim_spare *first = NULL;
    WEIR_ASSERT(pool->bytes % 16 == 0);
    WEIR_ASSERT(pool->spare_offset + sizeof(*first) <= pool->bytes);
    if (raw == NULL)
        return NULL;
    raw += (pool->align - (uintptr_t)raw % pool->align) % pool->align + pool->behind;
    for (size_t i = SIM_POOL_BATCH; i-- > 0;) {
        struct sim_spare *spare = (struct sim_spare *)(void *)(raw + i * pool->bytes + pool->spare_offset);
        spare->next = first;
        first = spare;
    }
    pool->made += SIM_POOL_BATCH;
    return first;
}

struct sim_spare *weir_sim_pool_refill(struct sim_pool *pool)
{
    struct sim_spare *spare = depot_take(pool->depot);
    WEIR_ASSERT(pool->free_count == 0);
    if (spare == NULL)
        spare = pool_make(pool);
    if (spare == NULL)
        longjmp(*pool->on_failure, 1);
    pool->free = spare->next;
    pool->free_count = SIM_POOL_BATCH - 1;
    return spare;
}
