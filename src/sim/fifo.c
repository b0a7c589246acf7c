/* src/sim/fifo.c - where chunks come from when a thread has none left, and where they go when it has too many. */
#include "sim/fifo.h"
#include <pthread.h>
#include <stdlib.h>

struct sim_depot { /* whole batches; touched once per SIM_CHUNK_BATCH chunks */
    pthread_mutex_t lock;
    struct sim_chunk *batch; /* chained by batch; each the head of a list of SIM_CHUNK_BATCH */
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

static struct sim_chunk *depot_take(struct sim_depot *depot)
{
    struct sim_chunk *batch;
    (void)pthread_mutex_lock(&depot->lock);
    batch = depot->batch;
    if (batch != NULL)
        depot->batch = (struct sim_chunk *)(uintptr_t)batch->batch;
    (void)pthread_mutex_unlock(&depot->lock);
    return batch;
}

void weir_sim_pool_spill(struct sim_pool *pool)
{
    struct sim_chunk *head = pool->free, *last = head;
    for (int i = 1; i < SIM_CHUNK_BATCH; i++)
        last = last->next;
    pool->free = last->next;
    pool->free_count -= SIM_CHUNK_BATCH;
    last->next = NULL;
    (void)pthread_mutex_lock(&pool->depot->lock);
    head->batch = (uintptr_t)pool->depot->batch;
    pool->depot->batch = head;
    (void)pthread_mutex_unlock(&pool->depot->lock);
}

/* Chunks cut from one arena piece; one more, because the arena aligns to 64 only: that is room for SIM_CHUNK_TAIL too. */
static struct sim_chunk *pool_make(struct sim_pool *pool)
{
    unsigned char *raw = weir_arena_take(pool->arena, (SIM_CHUNK_BATCH + 1) * SIM_CHUNK_BYTES);
    struct sim_chunk *chunk;
    if (raw == NULL)
        return NULL;
    chunk = sim_chunk_of(raw + SIM_CHUNK_BYTES - 1);
    for (int i = 0; i < SIM_CHUNK_BATCH; i++)
        chunk[i].next = i + 1 < SIM_CHUNK_BATCH ? &chunk[i + 1] : NULL;
    pool->made += SIM_CHUNK_BATCH;
    return chunk;
}

struct sim_chunk *weir_sim_pool_refill(struct sim_pool *pool)
{
    struct sim_chunk *chunk = depot_take(pool->depot);
    if (chunk == NULL)
        chunk = pool_make(pool);
    if (chunk == NULL)
        longjmp(*pool->on_failure, 1);
    pool->free = chunk->next;
    pool->free_count = SIM_CHUNK_BATCH - 1;
    return chunk;
}
