/* src/commands/testbed/sim.h - simulates what the testbed measures. */
#ifndef WEIR_TESTBED_SIM_H
#define WEIR_TESTBED_SIM_H
#include "engine/sim.h"
#include "reproduce/sweep_dir.h"
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

enum { WEIR_TESTBED_SETTINGS = 32, WEIR_TESTBED_SETTING = 96 };

struct weir_testbed_scenario { /* the files of an experiment in a temporary folder, and settings for them */
    struct weir_origin origin;
    struct weir_sweep_dir dir;
    char text[WEIR_TESTBED_SETTINGS][WEIR_TESTBED_SETTING];
    uint32_t count;
};

/* Writes the files. experiment: "dart-testbed". SIGINT and the like wait until weir_testbed_scenario_close(). @return
 * 0, or a code with err; then nothing is left */
int weir_testbed_scenario_open(struct weir_testbed_scenario *s, const char *experiment, struct weir_tree_arena *arena,
                               struct weir_err *err);
void weir_testbed_scenario_close(struct weir_testbed_scenario *s);

/* Adds a setting: printf format of "path.to.key=value". s->count = n removes all after the nth. */
__attribute__((format(printf, 2, 3))) void weir_testbed_scenario_set(struct weir_testbed_scenario *s,
                                                                     const char *format, ...);

/* Sets the delay of hosts' cables, at least 1 us, so that the simulated round trip is the measured one. heads_us: what
 * the frames take of it */
void weir_testbed_scenario_rtt(struct weir_testbed_scenario *s, double rtt_us, double heads_us);

/* Makes a file of the experiment ready to run, with all settings. @return as weir_testbed_sim_open() */
struct weir_testbed_sim *weir_testbed_scenario_load(const struct weir_testbed_scenario *s, const char *file,
                                                    struct weir_err *err);

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
