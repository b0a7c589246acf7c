/* src/engine/barrier.h - all threads meet: spins for a few microseconds, the length of a short wait, then sleeps. */
#ifndef WEIR_SIM_BARRIER_H
#define WEIR_SIM_BARRIER_H
#include <stdint.h>

struct sim_barrier;
struct sim_barrier *weir_sim_barrier_new(uint32_t threads);
void weir_sim_barrier_free(struct sim_barrier *barrier);
/* Returns when all have called it; what any thread wrote before is seen by all after. */
void weir_sim_barrier_wait(struct sim_barrier *barrier);
#endif
