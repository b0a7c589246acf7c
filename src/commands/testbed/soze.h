/* src/commands/testbed/soze.h - what the figures of `weir reproduce soze-testbed` share; for soze*.c only. */
#ifndef WEIR_TESTBED_SOZE_H
#define WEIR_TESTBED_SOZE_H
#include "testbed/figs.h"
#include "testbed/job_run.h"

/* Rates of ports that one machine carries for all hosts; the paper's have 25 Gb/s. JOBS: if three are busy at once */
#define WEIR_SOZE_TESTBED_BPS UINT64_C(200000000)
#define WEIR_SOZE_JOBS_BPS UINT64_C(100000000)

enum { WEIR_SOZE_RUNS = 3 }; /* of each measurement under Soze; a number is the median */

/* Builds the testbed of all figures: 10 hosts, ports of this rate with 1 MB, and a switch that raises Soze's option.
 * @return 0, or a code with err */
int weir_soze_testbed_up(struct weir_figs *figs, uint64_t rate_bps, struct weir_err *err);

/* Tests whether a law that the figures load is loaded already, with err: its keys would be changed. */
bool weir_soze_is_loaded(struct weir_err *err);

struct weir_soze_room { /* a plan and what became of its flows; large: on the heap */
    uint64_t rate_bps;  /* of the testbed's ports */
    struct weir_job_plan plan;
    struct weir_trace trace;
    char name[64]; /* of the plan, for the user */
};

/* Returns memory for a figure; NULL with err if there is none, or weir_soze_is_loaded(). */
struct weir_soze_room *weir_soze_room_new(uint64_t rate_bps, struct weir_err *err);
void weir_soze_room_free(struct weir_soze_room *room);

/* Opens a plan of experiments/soze-testbed in place of the one before, with the keys that the kernel's law gets. law:
 * "soze beta=25Mbps"; fair: equal shares, whatever the jobs' policies are. @return 0, or a code with err */
int weir_soze_open(struct weir_soze_room *room, struct weir_figs *figs, const char *file, bool fair, const char *law,
                   struct weir_err *err);

/* Builds the testbed, runs the plan on it under a congestion control into room->trace, and removes the testbed. A law
 * of Weir's is loaded for that time. law: its text, if cc is one of Weir's: "weir_soze" */
int weir_soze_run(struct weir_soze_room *room, struct weir_figs *figs, const char *law, const char *cc,
                  uint32_t until_job, struct weir_err *err);

int weir_soze_run_fig6(struct weir_figs *figs, struct weir_err *err);
int weir_soze_run_fig7(struct weir_figs *figs, struct weir_err *err);
int weir_soze_run_fig8(struct weir_figs *figs, struct weir_err *err);
int weir_soze_run_fig9(struct weir_figs *figs, struct weir_err *err);
int weir_soze_run_steps(struct weir_figs *figs, struct weir_err *err);
#endif
