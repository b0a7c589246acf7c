/* src/simulator/engine/barrier.c - a counting barrier with a generation number. The last thread to arrive begins the
 * next generation. */
#include "engine/barrier.h"
#include "core/assert.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4000 }; /* about 10 us: most waits are shorter */

struct sim_barrier {
    _Alignas(64) atomic_uint generation;
    _Alignas(64) atomic_uint arrived;
    uint32_t threads;
    int spins;
    pthread_mutex_t lock; /* lock and opened: for threads that sleep */
    pthread_cond_t opened;
};

struct sim_barrier *weir_sim_barrier_new(uint32_t threads, uint32_t at_work)
{
    struct sim_barrier *b = aligned_alloc(64, sizeof(*b));
    WEIR_ASSERT(threads > 0 && at_work >= threads);
    if (b == NULL)
        return NULL;
    atomic_init(&b->generation, 0);
    atomic_init(&b->arrived, 0);
    b->threads = threads;
    /* with fewer cores, a thread that spins would keep another from working */
    b->spins = sysconf(_SC_NPROCESSORS_ONLN) >= (long)at_work ? SPINS : 0;
    if (pthread_mutex_init(&b->lock, NULL) != 0) {
        free(b);
        return NULL;
    }
    if (pthread_cond_init(&b->opened, NULL) != 0) {
        (void)pthread_mutex_destroy(&b->lock);
        free(b);
        return NULL;
    }
    return b;
}

void weir_sim_barrier_free(struct sim_barrier *b)
{
    if (b == NULL)
        return;
    (void)pthread_cond_destroy(&b->opened);
    (void)pthread_mutex_destroy(&b->lock);
    free(b);
}

static inline void spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void barrier_unlock(void *lock)
{
    (void)pthread_mutex_unlock(lock);
}

/* Sleeps until the generation is no longer `generation`. A thread that is cancelled while it sleeps holds the lock
 * again. So a cleanup handler unlocks it. */
static void barrier_sleep(struct sim_barrier *b, unsigned generation)
{
    (void)pthread_mutex_lock(&b->lock);
    pthread_cleanup_push(barrier_unlock, &b->lock);
    while (atomic_load_explicit(&b->generation, memory_order_acquire) == generation)
        (void)pthread_cond_wait(&b->opened, &b->lock);
    pthread_cleanup_pop(1);
}

void weir_sim_barrier_wait(struct sim_barrier *b)
{
    unsigned generation, arrived;
    if (b->threads == 1)
        return;
    generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
    arrived = atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1;
    WEIR_ASSERT(arrived <= b->threads);
    if (arrived == b->threads) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        (void)pthread_mutex_lock(&b->lock);
        atomic_store_explicit(&b->generation, generation + 1, memory_order_release);
        (void)pthread_cond_broadcast(&b->opened);
        (void)pthread_mutex_unlock(&b->lock);
        return;
    }
    for (int i = 0; i < b->spins; i++) {
        if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation)
            return;
        spin_pause();
    }
    barrier_sleep(b, generation);
}
