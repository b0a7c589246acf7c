/* src/commands/testbed/job_run.h - runs the jobs of a plan over the kernel's TCP between hosts of a testbed: a
 * connection for each flow. Flows wait for others, have weights, and follow the policies of their job. This process
 * has both ends of all connections. The sockets are of the hosts' namespaces. */
#ifndef WEIR_TESTBED_JOB_RUN_H
#define WEIR_TESTBED_JOB_RUN_H
#include "testbed/job_plan.h"
#include "testbed/testbed.h"

struct weir_job_run {
    const struct weir_jobs *jobs; /* host 0 of the jobs is host 1 of the testbed */
    const char *cc;               /* TCP_CONGESTION of all sockets: "weir_soze" */
    bool weighs;                  /* give sockets the weights of flows; only with weir_soze */
    uint32_t until_job;           /* the run ends with this job; UINT32_MAX = with the last flow */
    uint32_t limit_s;             /* longest run: a longer one fails */
};

/* Runs the jobs into *trace, on a testbed that is up. @return 0, or a code with err: a socket fails, the law is not
 * loaded, the limit has passed, or a signal has come */
int weir_testbed_run_jobs(struct weir_testbed *tb, const struct weir_job_run *run, struct weir_trace *trace,
                          struct weir_err *err);
#endif
