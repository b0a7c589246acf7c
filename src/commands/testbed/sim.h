/* src/commands/testbed/sim.h - simulates the experiment of figure 4 that the testbed measures. */
#ifndef WEIR_TESTBED_SIM_H
#define WEIR_TESTBED_SIM_H
#include "core/err.h"
#include <stdbool.h>
#include <stdint.h>

/**
 * Simulates outcast.yaml, and computes the unused credit that the sender, host 0, holds: its mean over snapshots of the
 * measured part.
 * @param dir        folder of the scenario and its flow lists
 * @param receivers  1 .. 3
 * @param informed   false = SThr is infinite: the sender never sets csn
 * @param rtt_ps     round trip of the idle testbed; each host link gets a quarter as its delay
 * @return 0, or a code with err
 */
int weir_testbed_sim_held(const char *dir, uint32_t receivers, bool informed, uint64_t rtt_ps, double *held_bytes,
                          struct weir_err *err);
#endif
