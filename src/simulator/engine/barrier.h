/* src/simulator/engine/barrier.h - where all threads meet. A thread spins for a few microseconds, the length of a short
 * wait, then sleeps. */
#ifndef WEIR_ENGINE_BARRIER_H
#define WEIR_ENGINE_BARRIER_H
#include <stdint.h>

struct sim_barrier;
/* Makes a barrier for so many threads, at least 1. @return NULL = no memory */
struct sim_barrier *weir_sim_barrier_new(uint32_t threads);
/* Frees a barrier, which may be NULL. */
void weir_sim_barrier_free(struct sim_barrier *barrier);
/* Waits until all threads have called it. What any thread wrote before is seen by all after. */
void weir_sim_barrier_wait(struct sim_barrier *barrier);
#endif
