/* src/commands/testbed/sim.h - simulates what is measured on the testbed. */
#ifndef WEIR_TESTBED_SIM_H
#define WEIR_TESTBED_SIM_H
#include "core/err.h"
#include <stdbool.h>
#include <stdint.h>

/**
 * Simulates outcast.yaml and averages, over its measured part, the unused credit that the sender, host 0, holds.
 * @param dir        folder with the scenario and its flow lists
 * @param receivers  1 .. 3
 * @param informed   false = SThr infinite: senders do not inform
 * @param rtt_ps     idle round trip of the testbed, which the links' delay is set from
 * @return 0, or a code with err
 */
int weir_testbed_sim_held(const char *dir, uint32_t receivers, bool informed, uint64_t rtt_ps, double *held_bytes,
                          struct weir_err *err);
#endif
