/* src/commands/testbed/sim.h - simulates what the testbed measures. */
#ifndef WEIR_TESTBED_SIM_H
#define WEIR_TESTBED_SIM_H
#include "engine/sim.h"
#include "setup/setup.h"

struct weir_testbed_sim { /* large: on the heap */
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_result result; /* after weir_testbed_sim_run() */
};

/* Reads a scenario and makes it ready to run. set: values "key=value", the last one NULL. @return NULL with err if that
 * fails */
struct weir_testbed_sim *weir_testbed_sim_open(const char *path, const char *const *set, struct weir_err *err);

/* Runs it, once. @return 0, or a code with err */
int weir_testbed_sim_run(struct weir_testbed_sim *sim, const struct weir_sim_options *options, struct weir_err *err);

/* sim: may be NULL */
void weir_testbed_sim_close(struct weir_testbed_sim *sim);

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
