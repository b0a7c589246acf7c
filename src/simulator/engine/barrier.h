/* src/simulator/engine/barrier.h - the barrier at which all threads meet. A thread that waits spins for about 10 us,
 * since most waits are shorter, and then sleeps. If there are more threads than processors, it sleeps at once. */
#ifndef WEIR_ENGINE_BARRIER_H
#define WEIR_ENGINE_BARRIER_H
#include <stdint.h>

struct sim_barrier;
/* Makes a barrier for `threads` threads, at least 1. at_work: threads of all processes of the simulation on this
 * machine. @return the barrier, to be freed by weir_sim_barrier_free(); NULL = no memory, or no mutex */
struct sim_barrier *weir_sim_barrier_new(uint32_t threads, uint32_t at_work);
/* Frees a barrier, at which no thread may wait; NULL = does nothing. */
void weir_sim_barrier_free(struct sim_barrier *barrier);
/* Waits until all threads of the barrier have called this function. A thread that returns sees everything that any
 * thread wrote before that thread's call. */
void weir_sim_barrier_wait(struct sim_barrier *barrier);
#endif
